use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::*;

fn now() -> Timestamp {
    Timestamp::parse("2026-12-04T11:20:00.000Z").unwrap()
}

fn open(path: &Path) -> Result<Keys, KeyError> {
    Keys::open(&PrivateFolder::open(path).unwrap(), now())
}

#[test]
fn keys_are_made_once_and_stay() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("signer");
    let first = open(&path).unwrap();
    for name in [ATTESTATION_KEY_FILE, KEY_DOCUMENT_FILE] {
        let mode = std::fs::metadata(path.join(name))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o7777, 0o600, "{name}");
    }
    let second = open(&path).unwrap();
    assert_eq!(first.attestation, second.attestation);
    assert_eq!(first.document, second.document);
    assert_eq!(first.document.version(), 1);
    assert_eq!(first.from, now());
}

#[test]
fn two_signers_make_two_keys() {
    let (a, b) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let key = |folder: &tempfile::TempDir| open(&folder.path().join("x")).unwrap().attestation;
    assert_ne!(key(&a), key(&b));
}

#[test]
fn a_first_start_that_was_cut_off_is_finished() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("signer");
    let first = open(&path).unwrap();
    std::fs::remove_file(path.join(KEY_DOCUMENT_FILE)).unwrap();
    // The key is as old as its file.
    let written = std::time::UNIX_EPOCH + std::time::Duration::from_millis(1_700_000_000_250);
    let file = std::fs::File::open(path.join(ATTESTATION_KEY_FILE)).unwrap();
    file.set_modified(written).unwrap();
    let second = open(&path).unwrap();
    assert_eq!(first.attestation, second.attestation);
    assert_eq!(second.from.as_ms(), 1_700_000_000_250);
}

#[test]
fn a_damaged_or_lost_file_stops_the_start_and_says_what_to_do() {
    type Damage = fn(&Path);
    let table: &[(&str, Damage, &str)] = &[
        (
            "garbage",
            |path| std::fs::write(path.join(ATTESTATION_KEY_FILE), b"garbage").unwrap(),
            "attestation.pem is damaged: restore it from a backup",
        ),
        (
            "empty",
            |path| std::fs::write(path.join(ATTESTATION_KEY_FILE), b"").unwrap(),
            "is damaged",
        ),
        (
            "gone",
            |path| std::fs::remove_file(path.join(ATTESTATION_KEY_FILE)).unwrap(),
            "attestation.pem beside it is not: restore that",
        ),
        (
            "another key",
            |path| {
                let other = file::write(&SigningKey::from_bytes(&[1; 32])).unwrap();
                std::fs::write(path.join(ATTESTATION_KEY_FILE), other).unwrap();
            },
            "does not name as the active attestation key",
        ),
        (
            "document",
            |path| std::fs::write(path.join(KEY_DOCUMENT_FILE), b"{}").unwrap(),
            "keys.json is damaged: restore it from a backup",
        ),
        (
            "mode",
            |path| {
                let wide = std::fs::Permissions::from_mode(0o644);
                std::fs::set_permissions(path.join(ATTESTATION_KEY_FILE), wide).unwrap();
            },
            "run chmod 600",
        ),
    ];
    for (name, damage, sentence) in table {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("signer");
        open(&path).unwrap();
        damage(&path);
        let error = open(&path).unwrap_err().to_string();
        assert!(error.contains(sentence), "{name}: {error}");
    }
}

#[test]
fn the_key_of_the_log_is_published_once_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let folder = PrivateFolder::open(&folder.path().join("signer")).unwrap();
    let mut keys = Keys::open(&folder, now()).unwrap();
    let first = keys.log_key(&folder).unwrap();
    assert!(!first.is_published);
    // Cut off before it was published: the same key, still unknown outside.
    let again = keys.log_key(&folder).unwrap();
    assert_eq!((&again.key, again.is_published), (&first.key, false));
    let public = first.key.verifying_key();
    keys.publish_log_key(&folder, &public, now()).unwrap();
    let keys = Keys::open(&folder, now()).unwrap();
    assert_eq!(keys.document.version(), 2);
    let published = keys.log_key(&folder).unwrap();
    assert_eq!((&published.key, published.is_published), (&first.key, true));
    assert_ne!(published.key, keys.attestation);

    let other = file::write(&SigningKey::from_bytes(&[1; 32])).unwrap();
    let table: [(&[u8], &str); 2] = [
        (
            other.as_bytes(),
            "does not name as the active key of the log",
        ),
        (b"garbage", "log.pem is damaged"),
    ];
    for (bytes, sentence) in table {
        std::fs::write(folder.path_of(LOG_KEY_FILE), bytes).unwrap();
        let error = keys.log_key(&folder).unwrap_err().to_string();
        assert!(error.contains(sentence), "{error}");
    }
    std::fs::remove_file(folder.path_of(LOG_KEY_FILE)).unwrap();
    let error = keys.log_key(&folder).unwrap_err().to_string();
    assert!(error.contains("is not there: restore it"), "{error}");
}

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ed25519_dalek::SigningKey;

use super::*;

fn now() -> Timestamp {
    Timestamp::parse("2026-12-04T11:20:00.000Z").unwrap()
}

fn open(path: &Path) -> Result<Keys, KeyError> {
    open_by(path, None)
}

fn open_by(path: &Path, passphrase_file: Option<&Path>) -> Result<Keys, KeyError> {
    let folder = Arc::new(PrivateFolder::open(path).unwrap());
    let vault = FileVault::open(Arc::clone(&folder), passphrase_file)?;
    Keys::open(&vault, &folder, now())
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
    assert_eq!(first.attestation.public(), second.attestation.public());
    assert_eq!(first.document, second.document);
    assert_eq!(first.document.version(), 1);
    assert_eq!(first.from, now());
}

#[test]
fn two_signers_make_two_keys() {
    let (a, b) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let key = |folder: &tempfile::TempDir| {
        let keys = open(&folder.path().join("x")).unwrap();
        keys.attestation.public()
    };
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
    assert_eq!(first.attestation.public(), second.attestation.public());
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
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("signer");
    let folder = Arc::new(PrivateFolder::open(&path).unwrap());
    let vault = FileVault::open(Arc::clone(&folder), None).unwrap();
    let mut keys = Keys::open(&vault, &folder, now()).unwrap();
    let first = keys.log_key(&vault).unwrap();
    assert!(!first.is_published);
    let public = first.key.public();
    // Cut off before it was published: the same key, still unknown outside.
    let again = keys.log_key(&vault).unwrap();
    assert_eq!((again.key.public(), again.is_published), (public, false));
    keys.publish_log_key(&folder, &public, now()).unwrap();
    let keys = Keys::open(&vault, &folder, now()).unwrap();
    assert_eq!(keys.document.version(), 2);
    let published = keys.log_key(&vault).unwrap();
    assert_eq!(
        (published.key.public(), published.is_published),
        (public, true)
    );
    assert_ne!(public, keys.attestation.public());

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
        let error = keys.log_key(&vault).unwrap_err().to_string();
        assert!(error.contains(sentence), "{error}");
    }
    std::fs::remove_file(folder.path_of(LOG_KEY_FILE)).unwrap();
    let error = keys.log_key(&vault).unwrap_err().to_string();
    assert!(error.contains("is not there: restore it"), "{error}");
}

#[test]
fn the_key_of_the_log_is_sealed_too() {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("signer");
    let folder = Arc::new(PrivateFolder::open(&path).unwrap());
    let open = FileVault::open(Arc::clone(&folder), None).unwrap();
    let keys = Keys::open(&open, &folder, now()).unwrap();
    let lay_open = keys.log_key(&open).unwrap().key.public();
    let right = passphrase(temporary.path(), "a passphrase of ours");
    let vault = FileVault::open(Arc::clone(&folder), Some(&right)).unwrap();
    assert_eq!(keys.log_key(&vault).unwrap().key.public(), lay_open);
    let pem = std::fs::read(folder.path_of(LOG_KEY_FILE)).unwrap();
    assert!(file::is_sealed(&pem));
    // One that is made under a passphrase never lies open.
    std::fs::remove_file(folder.path_of(LOG_KEY_FILE)).unwrap();
    let made = keys.log_key(&vault).unwrap().key.public();
    assert_ne!(made, lay_open);
    let pem = std::fs::read(folder.path_of(LOG_KEY_FILE)).unwrap();
    assert!(file::is_sealed(&pem) && file::read(&pem).is_none());
}

fn passphrase(folder: &Path, text: &str) -> PathBuf {
    let path = folder.join(format!("passphrase-{}", text.len()));
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    path
}

/// Whether any file beneath holds the key: its bytes, or its PEM.
fn lies_open(folder: &Path, key: &SigningKey) -> bool {
    let pem = file::write(key).unwrap();
    let body = pem.lines().nth(1).unwrap();
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        let holds = |part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
        holds(&key.to_bytes()) || holds(body.as_bytes())
    })
}

#[test]
fn a_key_is_sealed_from_its_making_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("signer");
    let right = passphrase(folder.path(), "a passphrase of ours");
    let first = open_by(&path, Some(&right)).unwrap();
    let second = open_by(&path, Some(&right)).unwrap();
    assert_eq!(first.attestation.public(), second.attestation.public());
    let pem = std::fs::read(path.join(ATTESTATION_KEY_FILE)).unwrap();
    assert!(file::is_sealed(&pem) && file::read(&pem).is_none());

    let wrong = passphrase(folder.path(), "another passphrase");
    let error = open_by(&path, Some(&wrong)).unwrap_err();
    assert!(error.is_of_configuration());
    assert!(error.to_string().contains("does not open"), "{error}");
    assert!(!error.to_string().contains("another passphrase"), "{error}");
    let error = open(&path).unwrap_err();
    assert!(error.is_of_configuration());
    assert!(
        error
            .to_string()
            .contains("name the file of its passphrase")
    );
    let cut = pem.len() / 2;
    std::fs::write(path.join(ATTESTATION_KEY_FILE), &pem[..cut]).unwrap();
    let error = open_by(&path, Some(&right)).unwrap_err();
    assert!(matches!(error, KeyError::Damaged(_)), "{error}");
}

#[test]
fn a_key_that_lay_open_is_sealed_and_nowhere_open_any_more() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("signer");
    let before = open(&path).unwrap();
    let pem = std::fs::read(path.join(ATTESTATION_KEY_FILE)).unwrap();
    let key = file::read(&pem).unwrap();
    // What a crash in the middle of sealing, or of making a key, leaves.
    std::fs::write(path.join("attestation.pem.new"), &pem[..100]).unwrap();
    // Another name for the same bytes, to look at them afterwards.
    std::fs::hard_link(path.join(ATTESTATION_KEY_FILE), path.join("was")).unwrap();
    assert!(lies_open(&path, &key));

    let right = passphrase(folder.path(), "a passphrase of ours");
    let after = open_by(&path, Some(&right)).unwrap();
    assert_eq!(before.attestation.public(), after.attestation.public());
    assert_eq!(before.document, after.document);
    assert!(!lies_open(&path, &key));
    assert!(!path.join("attestation.pem.new").exists());
    let mode = std::fs::metadata(path.join(ATTESTATION_KEY_FILE))
        .unwrap()
        .permissions();
    assert_eq!(mode.mode() & 0o7777, 0o600);
}

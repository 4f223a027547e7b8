//! The agent's one secret: the Ed25519 key it signs observations with.
//!
//! Made at the first start, kept in a folder that only its owner may enter
//! (0700) in a file that only its owner may read (0600). The file appears
//! whole or not at all; what others could read is refused. The key is wiped
//! from memory when dropped, never printed, and signs only under the payload
//! types of an agent.

use std::fmt;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use ed25519_dalek::pkcs8::{self, DecodePrivateKey as _, EncodePrivateKey as _};
use ed25519_dalek::{Signer as _, SigningKey};
use prost::Message as _;
use touchstone_proto::identity::{ENROL_TYPE, HELLO_TYPE, OBSERVATION_TYPE, key_id, pae};
use touchstone_proto::observation::{Observation, SignedObservation};
use touchstone_proto::signer::EnrolRequest;
use zeroize::Zeroizing;

/// The folder below the agent's data, and the key in it (PKCS #8, PEM).
const FOLDER: &str = "identity";
const FILE: &str = "key.pem";

const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;
/// What group and others may do: nothing.
const OTHERS: u32 = 0o077;

#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    #[error("{doing} {}", path.display())]
    File {
        doing: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    #[error(
        "reading the agent's key: {} may be read by others (mode {mode:o}); make it 600, or delete it and enrol again",
        path.display()
    )]
    Exposed { path: PathBuf, mode: u32 },
    #[error("reading the agent's key: {} holds no Ed25519 key in PKCS #8", path.display())]
    NoKey { path: PathBuf, source: pkcs8::Error },
    #[error("encoding the agent's key")]
    Encode(#[from] pkcs8::Error),
    #[error("making the agent's key: the machine gave no random bytes")]
    Random(#[from] getrandom::Error),
}

/// The key of this agent and the id that the roster knows it by.
pub struct Identity {
    key: SigningKey,
    key_id: String,
}

impl Identity {
    /// The identity kept below `data`; made there when there is none yet.
    /// Blocks on files.
    pub fn load_or_create(data: &Path) -> Result<Self, IdentityError> {
        let folder = data.join(FOLDER);
        own_folder(&folder)?;
        let path = folder.join(FILE);
        match read_key(&path) {
            Ok(key) => Ok(Self::of(key)),
            Err(IdentityError::File { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                let key = random_key()?;
                write_key(&folder, &path, &key)?;
                Ok(Self::of(key))
            }
            Err(error) => Err(error),
        }
    }

    /// An identity for one process that is kept nowhere.
    pub fn ephemeral() -> Result<Self, IdentityError> {
        random_key().map(Self::of)
    }

    /// SHA-256 over the SPKI, as in every observation this agent signs.
    pub fn key_id(&self) -> &str {
        &self.key_id
    }

    pub fn public_key(&self) -> [u8; 32] {
        self.key.verifying_key().to_bytes()
    }

    /// Encodes an observation once and signs exactly those bytes. `bodies` are
    /// those that its exchanges name.
    pub fn sign(&self, observation: &Observation, bodies: Vec<Bytes>) -> SignedObservation {
        let observation = observation.encode_to_vec();
        let signature = self.over(OBSERVATION_TYPE, &observation);
        SignedObservation {
            observation,
            signature,
            agent_key_id: self.key_id.clone(),
            bodies,
        }
    }

    /// The answer to a coordinator's challenge.
    pub fn hello(&self, nonce: &[u8]) -> Vec<u8> {
        self.over(HELLO_TYPE, nonce)
    }

    /// A request to enter the roster, which proves that this key is held here.
    pub fn enrol(&self, join_token: &str) -> EnrolRequest {
        EnrolRequest {
            join_token: join_token.to_owned(),
            public_key: self.public_key().to_vec(),
            signature: self.over(ENROL_TYPE, join_token.as_bytes()),
        }
    }

    fn of(key: SigningKey) -> Self {
        let key_id = key_id(&key.verifying_key().to_bytes());
        Self { key, key_id }
    }

    fn over(&self, payload_type: &str, payload: &[u8]) -> Vec<u8> {
        self.key.sign(&pae(payload_type, payload)).to_vec()
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity")
            .field("key_id", &self.key_id)
            .finish_non_exhaustive()
    }
}

fn random_key() -> Result<SigningKey, IdentityError> {
    let mut secret = Zeroizing::new([0u8; 32]);
    getrandom::fill(&mut *secret)?;
    Ok(SigningKey::from_bytes(&secret))
}

fn own_folder(folder: &Path) -> Result<(), IdentityError> {
    let failed = |source| IdentityError::File {
        doing: "making the folder of the agent's key,",
        path: folder.to_owned(),
        source,
    };
    DirBuilder::new()
        .recursive(true)
        .mode(FOLDER_MODE)
        .create(folder)
        .map_err(failed)?;
    if fs::metadata(folder).map_err(failed)?.mode() & OTHERS != 0 {
        fs::set_permissions(folder, Permissions::from_mode(FOLDER_MODE)).map_err(failed)?;
    }
    Ok(())
}

fn read_key(path: &Path) -> Result<SigningKey, IdentityError> {
    let failed = |source| IdentityError::File {
        doing: "reading the agent's key from",
        path: path.to_owned(),
        source,
    };
    let mode = fs::metadata(path).map_err(failed)?.mode() & 0o777;
    if mode & OTHERS != 0 {
        return Err(IdentityError::Exposed {
            path: path.to_owned(),
            mode,
        });
    }
    let pem = Zeroizing::new(fs::read_to_string(path).map_err(failed)?);
    SigningKey::from_pkcs8_pem(&pem).map_err(|source| IdentityError::NoKey {
        path: path.to_owned(),
        source,
    })
}

/// Writes beside, forces to disk, renames, forces the name to disk: a crash
/// leaves the old state or the new one.
fn write_key(folder: &Path, path: &Path, key: &SigningKey) -> Result<(), IdentityError> {
    let pem = key.to_pkcs8_pem(LineEnding::LF)?;
    let beside = folder.join(format!("{FILE}.new"));
    let written = || -> io::Result<()> {
        match fs::remove_file(&beside) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(FILE_MODE)
            .open(&beside)?;
        file.write_all(pem.as_bytes())?;
        file.sync_all()?;
        fs::rename(&beside, path)?;
        File::open(folder)?.sync_all()
    };
    written().map_err(|source| IdentityError::File {
        doing: "writing the agent's key to",
        path: path.to_owned(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ed25519_dalek::{Signature, VerifyingKey};

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn the_key_is_made_once_and_only_its_owner_can_read_it() {
        let data = tempfile::tempdir().unwrap();
        let first = Identity::load_or_create(data.path()).unwrap();
        let again = Identity::load_or_create(data.path()).unwrap();
        assert_eq!(first.key_id(), again.key_id());
        let folder = data.path().join(FOLDER);
        assert_eq!(mode(&folder), 0o700);
        assert_eq!(mode(&folder.join(FILE)), 0o600);
        let names: Vec<_> = fs::read_dir(&folder).unwrap().collect();
        assert_eq!(names.len(), 1, "nothing is left beside the key");
    }

    #[test]
    fn a_key_that_others_can_read_is_refused_and_an_open_folder_is_closed() {
        let data = tempfile::tempdir().unwrap();
        Identity::load_or_create(data.path()).unwrap();
        let folder = data.path().join(FOLDER);
        fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(folder.join(FILE), Permissions::from_mode(0o640)).unwrap();
        let error = Identity::load_or_create(data.path()).unwrap_err();
        assert!(
            matches!(error, IdentityError::Exposed { mode: 0o640, .. }),
            "{error}"
        );
        assert_eq!(mode(&folder), 0o700);
    }

    #[test]
    fn a_half_written_key_of_a_crash_is_replaced_and_a_broken_one_is_not() {
        let data = tempfile::tempdir().unwrap();
        let folder = data.path().join(FOLDER);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("key.pem.new"), "-----BEGIN").unwrap();
        let made = Identity::load_or_create(data.path()).unwrap();
        assert_eq!(
            made.key_id(),
            Identity::load_or_create(data.path()).unwrap().key_id()
        );

        fs::write(folder.join(FILE), "no key").unwrap();
        let error = Identity::load_or_create(data.path()).unwrap_err();
        assert!(matches!(error, IdentityError::NoKey { .. }), "{error}");
    }

    #[test]
    fn signatures_hold_under_their_own_payload_type_only() {
        let identity = Identity::ephemeral().unwrap();
        let public = VerifyingKey::from_bytes(&identity.public_key()).unwrap();
        let verify = |payload_type: &str, payload: &[u8], signature: &[u8]| {
            let signature = Signature::from_slice(signature).unwrap();
            public
                .verify_strict(&pae(payload_type, payload), &signature)
                .is_ok()
        };
        let signed = identity.sign(&Observation::default(), vec![Bytes::from_static(b"body")]);
        assert_eq!(signed.agent_key_id, identity.key_id());
        assert!(verify(
            OBSERVATION_TYPE,
            &signed.observation,
            &signed.signature
        ));
        assert!(!verify(HELLO_TYPE, &signed.observation, &signed.signature));
        assert!(verify(HELLO_TYPE, b"nonce", &identity.hello(b"nonce")));
        let enrol = identity.enrol("token");
        assert!(verify(ENROL_TYPE, b"token", &enrol.signature));
        assert_eq!(enrol.public_key, identity.public_key());
    }

    #[test]
    fn debug_output_holds_no_secret() {
        let identity = Identity::ephemeral().unwrap();
        let printed = format!("{identity:?}");
        assert_eq!(
            printed,
            format!("Identity {{ key_id: {:?}, .. }}", identity.key_id())
        );
    }
}

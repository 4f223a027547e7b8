//! What can go wrong with the store. A failure is told by what it asks of
//! people: wait, free space, set permissions, or look into it.

use super::read::StoreHealth;

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Another connection holds the database longer than we wait.
    Locked,
    /// The disk, or the size that the operator allows, is used up.
    Full,
    /// The file cannot be opened or written.
    ReadOnly,
    Other,
}

/// A question or a change that the store could not carry out. Nothing of a
/// change that failed was stored.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{doing}: the database is locked by another program")]
    Locked {
        doing: &'static str,
        source: sqlx::Error,
    },
    #[error("{doing}: there is no space left for the database")]
    Full {
        doing: &'static str,
        source: sqlx::Error,
    },
    #[error("{doing}: the database cannot be opened or written; look at its permissions")]
    ReadOnly {
        doing: &'static str,
        source: sqlx::Error,
    },
    #[error("{doing}: the database failed")]
    Database {
        doing: &'static str,
        source: sqlx::Error,
    },
    /// Of another database's URL only the scheme is repeated: it may hold a password.
    #[error(
        "opening the database: its URL begins with {scheme:?}, and only sqlite: URLs are served by this version"
    )]
    Scheme { scheme: String },
    #[error("opening the database {url:?}: its folder cannot be made")]
    Folder { url: String, source: std::io::Error },
    #[error("opening the database {url:?}: its file cannot be made")]
    File { url: String, source: std::io::Error },
    #[error("opening the database {url:?}: its schema cannot be brought up to date")]
    Migrate {
        url: String,
        source: Box<sqlx::migrate::MigrateError>,
    },
}

impl Failure {
    pub const ALL: [Self; 4] = [Self::Locked, Self::Full, Self::ReadOnly, Self::Other];

    /// As a label.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Locked => "locked",
            Self::Full => "full",
            Self::ReadOnly => "read_only",
            Self::Other => "other",
        }
    }
}

impl StoreError {
    pub(super) fn new(doing: &'static str, failure: Failure, source: sqlx::Error) -> Self {
        match failure {
            Failure::Locked => Self::Locked { doing, source },
            Failure::Full => Self::Full { doing, source },
            Failure::ReadOnly => Self::ReadOnly { doing, source },
            Failure::Other => Self::Database { doing, source },
        }
    }

    /// What the failure says about the store.
    pub fn health(&self) -> StoreHealth {
        match self {
            Self::Locked { .. } => StoreHealth::Locked,
            Self::Full { .. } => StoreHealth::Full,
            Self::ReadOnly { .. } => StoreHealth::ReadOnly,
            _ => StoreHealth::Failing,
        }
    }
}

//! What can go wrong with the store. A failure is told by what it asks of
//! people: wait, free space, set permissions, or look into it.

use super::{DatabaseUrlError, read::StoreHealth};
use crate::service_url::ServiceUrl;

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Another connection holds the database longer than we wait.
    Locked,
    /// The disk, or the size that the operator allows, is used up.
    Full,
    /// The file cannot be opened or written.
    ReadOnly,
    /// The server cannot be reached, or ended the connection.
    Away,
    Other,
}

/// A question or a change that the store could not carry out. Nothing of a
/// change that failed was stored.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{doing}: another program holds the database, or was first")]
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
    #[error("{doing}: the database cannot be reached")]
    Away {
        doing: &'static str,
        source: sqlx::Error,
    },
    #[error("{doing}: the database failed")]
    Database {
        doing: &'static str,
        source: sqlx::Error,
    },
    #[error("opening the database {url:?}")]
    Url {
        url: ServiceUrl,
        source: DatabaseUrlError,
    },
    #[error("opening the database {url:?}: its folder cannot be made")]
    Folder {
        url: ServiceUrl,
        source: std::io::Error,
    },
    #[error("opening the database {url:?}: its file cannot be made")]
    File {
        url: ServiceUrl,
        source: std::io::Error,
    },
    #[error("opening the database {url:?}: its schema cannot be brought up to date")]
    Migrate {
        url: ServiceUrl,
        source: Box<sqlx::migrate::MigrateError>,
    },
}

impl Failure {
    pub const ALL: [Self; 5] = [
        Self::Locked,
        Self::Full,
        Self::ReadOnly,
        Self::Away,
        Self::Other,
    ];

    /// As a label.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Locked => "locked",
            Self::Full => "full",
            Self::ReadOnly => "read_only",
            Self::Away => "away",
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
            Failure::Away => Self::Away { doing, source },
            Failure::Other => Self::Database { doing, source },
        }
    }

    /// Whether the same may succeed when it is tried again at once. Who waited
    /// for a connection in vain has waited long enough.
    pub(super) fn may_pass(&self) -> bool {
        match self {
            Self::Locked { source, .. } | Self::Away { source, .. } => {
                !matches!(source, sqlx::Error::PoolTimedOut)
            }
            _ => false,
        }
    }

    /// What the failure says about the store.
    pub fn health(&self) -> StoreHealth {
        match self {
            Self::Locked { .. } => StoreHealth::Locked,
            Self::Full { .. } => StoreHealth::Full,
            Self::ReadOnly { .. } => StoreHealth::ReadOnly,
            Self::Away { .. } => StoreHealth::Away,
            _ => StoreHealth::Failing,
        }
    }
}

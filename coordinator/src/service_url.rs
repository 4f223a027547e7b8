//! The URL of a database or a queue. It may hold a password, so that it shows
//! itself without one: in logs, in errors and in `Debug`.

use std::fmt;

use serde::{Deserialize, Serialize};
use url::Url;

/// What stands in place of a password.
const HIDDEN: &str = "***";

/// See the module.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ServiceUrl(String);

impl ServiceUrl {
    pub fn new(url: impl Into<String>) -> Self {
        Self(url.into())
    }

    /// The whole of it, for whoever connects.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// Whether it names a file of this machine's, which one process writes.
    pub(crate) fn is_file(&self) -> bool {
        self.scheme() == "sqlite"
    }

    /// What stands before the first colon.
    pub fn scheme(&self) -> &str {
        self.0.split_once(':').map_or("", |(scheme, _)| scheme)
    }
}

impl fmt::Display for ServiceUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A path of a file holds no secret, and need not be a URL.
        if self.is_file() {
            return f.write_str(&self.0);
        }
        let hidden = Url::parse(&self.0)
            .ok()
            .filter(is_plain)
            .and_then(|mut url| {
                if url.password().is_some() {
                    url.set_password(Some(HIDDEN)).ok()?;
                }
                Some(url)
            });
        let Some(mut url) = hidden else {
            // Where the password stands in it cannot be told.
            return write!(f, "{}:{HIDDEN}", self.scheme());
        };
        // Parameters name passwords and files of keys.
        if url.query().is_some() {
            url.set_query(Some(HIDDEN));
        }
        url.set_fragment(None);
        write!(f, "{url}")
    }
}

/// Whether all that stands before an `@` was read as a user and a password. A
/// password with a `/`, `?` or `#` of its own is cut there.
fn is_plain(url: &Url) -> bool {
    let rest = [Some(url.path()), url.query(), url.fragment()];
    !rest.into_iter().flatten().any(|part| part.contains('@'))
}

impl fmt::Debug for ServiceUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

impl<T: Into<String>> From<T> for ServiceUrl {
    fn from(url: T) -> Self {
        Self::new(url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_shown_nowhere() {
        for (url, shown) in [
            ("sqlite:a/b.sqlite?mode=ro", "sqlite:a/b.sqlite?mode=ro"),
            (
                "postgres://us:secret@db.example:5/x",
                "postgres://us:***@db.example:5/x",
            ),
            (
                "postgres://db.example/x?password=secret",
                "postgres://db.example/x?***",
            ),
            (
                "rediss://:secret@r.example#secret",
                "rediss://:***@r.example",
            ),
            ("redis://r.example/0", "redis://r.example/0"),
            ("postgres://us:secret@:no port/", "postgres:***"),
            ("postgres://us:1/secret@h/x", "postgres:***"),
            ("postgres://us:1?secret@h/x", "postgres:***"),
            ("postgres://us:1#secret@h/x", "postgres:***"),
            ("secret", ":***"),
        ] {
            let url = ServiceUrl::new(url);
            assert_eq!(url.to_string(), shown);
            assert_eq!(format!("{url:?}"), format!("\"{shown}\""));
        }
    }
}

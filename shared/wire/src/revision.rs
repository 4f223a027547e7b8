//! The revisions of MCP and their two eras (specification page
//! `2026-07-28/basic/versioning`).

/// The revision that `server/discover` offers.
pub const MODERN: &str = "2026-07-28";

/// The revision that `initialize` offers.
pub const LEGACY_OFFER: &str = "2025-11-25";

/// The revision that began Streamable HTTP, and the only one with batches.
pub const WITH_BATCHES: &str = "2025-03-26";

/// Every published revision, oldest first.
pub const REVISIONS: [&str; 5] = [
    "2024-11-05",
    WITH_BATCHES,
    "2025-06-18",
    LEGACY_OFFER,
    MODERN,
];

/// How a conversation is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Era {
    /// `initialize`, then sessions.
    Legacy,
    /// No handshake; `server/discover` tells what there is.
    Modern,
}

/// Whether the revision is one of the matrix.
pub fn is_known(revision: &str) -> bool {
    REVISIONS.contains(&revision)
}

/// Whether the text has a revision's form and dates from before [`MODERN`].
/// Servers also list revisions that were never released, such as 2024-10-07.
pub fn is_legacy(revision: &str) -> bool {
    let form = revision.len() == MODERN.len()
        && revision.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    form && revision < MODERN
}

/// The newest revision of the legacy era among those listed, other than the
/// one that was offered and turned down.
pub fn newest_legacy(listed: &[String], turned_down: &str) -> Option<&'static str> {
    REVISIONS
        .into_iter()
        .rev()
        .filter(|revision| is_legacy(revision) && *revision != turned_down)
        .find(|revision| listed.iter().any(|entry| entry == revision))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eras_by_date() {
        for (revision, legacy, known) in [
            ("2024-11-05", true, true),
            ("2024-10-07", true, false),
            ("2025-11-25", true, true),
            ("2026-07-28", false, true),
            ("2099-01-01", false, false),
            ("draft", false, false),
            ("2025-11-2x", false, false),
            ("", false, false),
        ] {
            assert_eq!(is_legacy(revision), legacy, "{revision}");
            assert_eq!(is_known(revision), known, "{revision}");
        }
    }

    #[test]
    fn the_newest_mutual_revision_is_offered_again() {
        let listed = ["2024-11-05", "2099-01-01", "2025-06-18", "2026-07-28"].map(str::to_owned);
        assert_eq!(newest_legacy(&listed, LEGACY_OFFER), Some("2025-06-18"));
        assert_eq!(newest_legacy(&listed, "2025-06-18"), Some("2024-11-05"));
        assert_eq!(newest_legacy(&[], LEGACY_OFFER), None);
    }
}

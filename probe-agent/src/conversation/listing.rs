//! How far a tool list was read, and whether to read on.

use std::collections::HashSet;

use sha2::{Digest as _, Sha256};
use touchstone_canonical::{Value, canonicalize_value};
use touchstone_wire::PROBE_TOOL_NAME;
use touchstone_wire::tools::{Next, Page};

/// Most pages of a list that are read.
pub const PAGES_LIMIT: u32 = 10;
/// Most tools of a list.
pub const TOOLS_LIMIT: usize = 5_000;

/// What one page means for the reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// There is another page to ask for.
    More,
    /// The whole list was read.
    Complete,
    /// There is more, and it will not be read.
    Incomplete,
}

/// A list under way.
#[derive(Debug)]
pub(super) struct Listing {
    /// The page to ask for, from 1.
    page: u32,
    cursor: Option<String>,
    tools: usize,
    lists_probe_name: bool,
    cursors: HashSet<String>,
    pages: HashSet<[u8; 32]>,
}

impl Listing {
    pub(super) fn new() -> Self {
        Self {
            page: 1,
            cursor: None,
            tools: 0,
            lists_probe_name: false,
            cursors: HashSet::new(),
            pages: HashSet::new(),
        }
    }

    pub(super) fn page(&self) -> u32 {
        self.page
    }

    pub(super) fn cursor(&self) -> Option<&str> {
        self.cursor.as_deref()
    }

    /// Whether a page lists the name that is reserved for the probe's call.
    pub(super) fn lists_probe_name(&self) -> bool {
        self.lists_probe_name
    }

    /// Takes the page that was asked for.
    ///
    /// A server that repeats a cursor, or sends tools it has sent before under
    /// a new one, would page for ever.
    pub(super) fn add(&mut self, page: &Page<'_>) -> Progress {
        self.tools = self.tools.saturating_add(page.tools.len());
        self.lists_probe_name |= page.tools.iter().any(has_probe_name);
        match page.next {
            Next::End if self.tools <= TOOLS_LIMIT => Progress::Complete,
            Next::End | Next::Unusable | Next::TooLong => Progress::Incomplete,
            Next::Cursor(cursor) => {
                let goes_on = self.page < PAGES_LIMIT
                    && self.tools < TOOLS_LIMIT
                    && self.cursors.insert(cursor.to_owned())
                    && digest(page.tools).is_none_or(|digest| self.pages.insert(digest));
                if !goes_on {
                    return Progress::Incomplete;
                }
                self.page += 1;
                self.cursor = Some(cursor.to_owned());
                Progress::More
            }
        }
    }
}

fn has_probe_name(tool: &Value) -> bool {
    tool.get("name").and_then(Value::as_str) == Some(PROBE_TOOL_NAME)
}

/// `None` for a page without tools, of which a list may have several, and for
/// one that has no canonical form.
fn digest(tools: &[Value]) -> Option<[u8; 32]> {
    let mut hash = Sha256::new();
    for tool in tools {
        hash.update(canonicalize_value(tool).ok()?.sha256());
    }
    (!tools.is_empty()).then(|| hash.finalize().into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchstone_canonical::read;

    fn tools(names: &[&str]) -> Vec<Value> {
        names
            .iter()
            .map(|name| read(format!(r#"{{"name":"{name}"}}"#).as_bytes()).unwrap())
            .collect()
    }

    fn many(first: usize, number: usize) -> Vec<Value> {
        let names: Vec<String> = (first..first + number).map(|n| format!("t{n}")).collect();
        tools(&names.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn add(listing: &mut Listing, tools: &[Value], next: Next<'_>) -> Progress {
        listing.add(&Page {
            tools,
            next,
            deviations: Vec::new(),
        })
    }

    #[test]
    fn cursors_are_followed_to_the_end() {
        let mut listing = Listing::new();
        assert_eq!(
            add(&mut listing, &tools(&["a"]), Next::Cursor("1")),
            Progress::More
        );
        assert_eq!((listing.page(), listing.cursor()), (2, Some("1")));
        // Empty pages may repeat, and the empty cursor is one like any other.
        assert_eq!(add(&mut listing, &[], Next::Cursor("")), Progress::More);
        assert_eq!(add(&mut listing, &[], Next::Cursor("2")), Progress::More);
        // The last page may say again what an earlier one said.
        assert_eq!(
            add(&mut listing, &tools(&["a"]), Next::End),
            Progress::Complete
        );
        assert!(!listing.lists_probe_name());
    }

    #[test]
    fn a_list_that_goes_round_is_left() {
        let mut listing = Listing::new();
        add(&mut listing, &tools(&["a"]), Next::Cursor("1"));
        add(&mut listing, &tools(&["b"]), Next::Cursor("2"));
        assert_eq!(
            add(&mut listing, &tools(&["c"]), Next::Cursor("1")),
            Progress::Incomplete,
            "a cursor repeats"
        );
        let mut listing = Listing::new();
        add(&mut listing, &tools(&["a"]), Next::Cursor("1"));
        assert_eq!(
            add(&mut listing, &tools(&["a"]), Next::Cursor("2")),
            Progress::Incomplete,
            "a page repeats"
        );
        assert_eq!(
            add(&mut Listing::new(), &tools(&["a"]), Next::Unusable),
            Progress::Incomplete
        );
    }

    #[test]
    fn ten_pages_and_five_thousand_tools_are_the_end() {
        let mut listing = Listing::new();
        for page in 1..PAGES_LIMIT {
            let cursor = page.to_string();
            let name = format!("t{page}");
            let progress = add(&mut listing, &tools(&[&name]), Next::Cursor(&cursor));
            assert_eq!(progress, Progress::More, "page {page}");
        }
        assert_eq!(listing.page(), PAGES_LIMIT);
        assert_eq!(
            add(&mut listing, &tools(&["last"]), Next::Cursor("more")),
            Progress::Incomplete
        );

        let all = many(0, TOOLS_LIMIT);
        assert_eq!(
            add(&mut Listing::new(), &all, Next::End),
            Progress::Complete
        );
        assert_eq!(
            add(&mut Listing::new(), &all, Next::Cursor("more")),
            Progress::Incomplete
        );
        assert_eq!(
            add(&mut Listing::new(), &many(0, TOOLS_LIMIT + 1), Next::End),
            Progress::Incomplete
        );
    }

    #[test]
    fn the_reserved_name_is_noticed_on_any_page() {
        let mut listing = Listing::new();
        add(&mut listing, &tools(&["a"]), Next::Cursor("1"));
        add(&mut listing, &tools(&["b", PROBE_TOOL_NAME]), Next::End);
        assert!(listing.lists_probe_name());
    }
}

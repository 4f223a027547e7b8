//! A reader of our own pages that is stricter than any browser: every tag
//! closed in order, every attribute quoted, every id once, every reference
//! answered.

use std::collections::{BTreeMap, BTreeSet};

/// Elements that have no end (HTML, section 13.1.2).
const VOID: [&str; 5] = ["meta", "link", "input", "br", "path"];

/// One page, taken apart.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    /// Values of `href`, `src` and `action`.
    pub(super) addresses: BTreeSet<String>,
    pub(super) ids: BTreeSet<String>,
    /// Names of all attributes.
    pub(super) attributes: BTreeSet<String>,
    /// Ids that others point to.
    references: BTreeSet<String>,
    /// Everything between tags.
    pub(super) text: String,
}

/// Reads a page whole, or panics and says where it is not well formed.
pub(super) fn parse(html: &str) -> Parsed {
    let mut parsed = Parsed::default();
    let mut open: Vec<String> = Vec::new();
    let mut rest = html
        .strip_prefix("<!DOCTYPE html>")
        .expect("the document type comes first");
    while let Some(start) = rest.find('<') {
        parsed.text.push_str(&rest[..start]);
        let end = rest[start..].find('>').expect("a tag ends") + start;
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(
                open.pop().as_deref(),
                Some(name),
                "closed out of order near {}",
                head(rest)
            );
            continue;
        }
        let (tag, closed) = tag
            .strip_suffix('/')
            .map_or((tag, false), |tag| (tag, true));
        let (name, attributes) = tag
            .split_once(|c: char| c.is_whitespace())
            .unwrap_or((tag, ""));
        assert!(
            name.chars().all(|c| c.is_ascii_alphanumeric()),
            "odd element <{name}>"
        );
        parsed.take(attributes);
        let is_void = VOID.contains(&name);
        assert!(
            !closed || is_void || name == "use" || name == "circle" || name == "rect",
            "<{name}/>"
        );
        if !closed && !is_void {
            open.push(name.to_owned());
        }
    }
    parsed.text.push_str(rest);
    assert!(open.is_empty(), "left open: {open:?}");
    assert!(!parsed.text.contains(['>']), "a bare > in text");
    for reference in &parsed.references {
        assert!(
            parsed.ids.contains(reference),
            "nothing has the id {reference}"
        );
    }
    for address in &parsed.addresses {
        if let Some(id) = address.strip_prefix('#') {
            assert!(parsed.ids.contains(id), "nothing has the id {id}");
        }
    }
    parsed
}

impl Parsed {
    fn take(&mut self, attributes: &str) {
        let mut given = BTreeMap::new();
        let mut rest = attributes.trim();
        while !rest.is_empty() {
            let end = rest
                .find(|c: char| c == '=' || c.is_whitespace())
                .unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            let (value, after) = if let Some(after) = after.strip_prefix("=\"") {
                after.split_once('"').expect("a value is quoted to its end")
            } else {
                assert!(!after.starts_with('='), "{name} is not quoted");
                ("", after)
            };
            assert!(
                given.insert(name, value).is_none(),
                "{name} twice in one tag"
            );
            rest = after.trim_start();
        }
        for (name, value) in given {
            self.attributes.insert(name.to_owned());
            match name {
                "id" => assert!(
                    self.ids.insert(value.to_owned()),
                    "the id {value} is there twice"
                ),
                "href" | "src" | "action" => {
                    self.addresses
                        .insert(value.replace("&amp;", "&").replace("&#38;", "&"));
                }
                "for" | "data-copy" => {
                    self.references.insert(value.to_owned());
                }
                "aria-labelledby" => self.references.extend(value.split(' ').map(str::to_owned)),
                _ => {}
            }
        }
    }
}

fn head(text: &str) -> &str {
    text.get(..80).unwrap_or(text)
}

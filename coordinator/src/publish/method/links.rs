//! Links from reports to the method of a check and to one of its reasons. What
//! a newer suite says, and this version has no page for, is not linked.

use std::fmt;

use askama::filters::HtmlSafe;
use touchstone_words::{self as words, STATES};

use super::rules::RULES;
use crate::publish::stranger::escape;
use crate::publish::text::{Prose, Text};

/// Some words on their way to the method of a check.
#[derive(Clone, Debug)]
pub(in crate::publish) struct TitleLink {
    href: Option<String>,
    words: Prose,
}

/// A reason's key on its way to its own place.
#[derive(Clone, Debug)]
pub(in crate::publish) struct KeyLink<'a> {
    href: Option<String>,
    key: &'a str,
}

impl HtmlSafe for TitleLink {}
impl HtmlSafe for KeyLink<'_> {}

impl TitleLink {
    pub(in crate::publish) fn new(text: Text, check: &str, words: Prose) -> Self {
        let href = words::answers(check).map(|known| address(text, known.check));
        Self { href, words }
    }

    /// The id of the check itself.
    pub(in crate::publish) fn id(text: Text, check: &str) -> Self {
        Self::new(text, check, Prose(format!("`{check}`")))
    }

    /// To the rule that a hit is of; `H6-P5` is one of `H6`.
    pub(in crate::publish) fn rule(text: Text, rule: &str, words: Prose) -> Self {
        let family = rule.split('-').next().unwrap_or_default();
        let href = RULES.iter().find(|known| known.id == family).map(|known| {
            let page = address(text, "tool_description_hygiene");
            format!("{page}#rule-{}", known.id)
        });
        Self { href, words }
    }

    /// No link: the words alone.
    pub(in crate::publish) fn none(words: Prose) -> Self {
        Self { href: None, words }
    }
}

impl<'a> KeyLink<'a> {
    pub(in crate::publish) fn new(text: Text, check: &str, key: &'a str) -> Self {
        let href = words::answers(check)
            .filter(|known| {
                STATES
                    .iter()
                    .any(|state| known.beside(state).contains(&key))
            })
            .map(|known| format!("{}#reason-{key}", address(text, known.check)));
        Self { href, key }
    }
}

/// To the reason why a run is not signed; `None` for one that this version has
/// no text for.
pub(in crate::publish) fn unsigned(text: Text, key: &str) -> Option<String> {
    let id = format!("signing-{key}");
    words::known(text.0, &id).map(|_| format!("{}#{id}", text.link("/method")))
}

fn address(text: Text, check: &str) -> String {
    text.link(&format!("/method/{check}"))
}

impl fmt::Display for TitleLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.href {
            Some(href) => write!(f, "<a href=\"{href}\">{}</a>", self.words),
            None => self.words.fmt(f),
        }
    }
}

impl fmt::Display for KeyLink<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(href) = &self.href {
            write!(f, "<a href=\"{href}\">")?;
        }
        f.write_str("<code>")?;
        escape(self.key, f)?;
        f.write_str("</code>")?;
        if self.href.is_some() {
            f.write_str("</a>")?;
        }
        Ok(())
    }
}

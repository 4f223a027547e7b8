//! Links from reports to the method of a check and to one of its reasons. What
//! a newer suite says, and this version has no page for, is not linked.

use std::fmt;

use askama::filters::HtmlSafe;
use touchstone_words::{self as words, STATES};

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

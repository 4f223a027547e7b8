//! What is the same on every page: head, masthead, foot, and the answer that
//! carries it.

use askama::Template;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};

use super::assets::{self, Addresses};
use super::problem;
use super::text::Text;

/// A page may be kept so long by whoever lies between; what it says is judged
/// by a clock, so not longer.
const PAGE_AGE: HeaderValue = HeaderValue::from_static("public, max-age=15");

/// The frame of one page.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) text: Text,
    pub(super) title: String,
    pub(super) description: String,
    /// Address in the default language, `/servers/x`.
    pub(super) path: String,
    /// Address of the machine twin, if there is one.
    pub(super) twin: Option<String>,
    pub(super) place: Place,
    /// What it shows is older than its cadence and the margin.
    pub(super) stale: bool,
    pub(super) assets: &'static Addresses,
    pub(super) glyphs: &'static str,
}

/// Where in the masthead a page stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Servers,
    /// Below the directory: a report, a piece of evidence.
    BelowServers,
    Keys,
    Method,
    /// The method of one check.
    BelowMethod,
    /// Of our own: reached from the foot.
    Fleet,
    Nowhere,
}

impl Page {
    pub(super) fn new(text: Text, place: Place, path: &str, title: String) -> Self {
        Self {
            text,
            description: text.plain("site-description"),
            title,
            path: path.to_owned(),
            twin: None,
            place,
            stale: false,
            assets: assets::addresses(),
            glyphs: assets::glyphs(),
        }
    }

    /// This page in the other language.
    pub(super) fn other(&self) -> Text {
        Text(self.text.0.other())
    }

    pub(super) fn other_name(&self) -> &'static str {
        self.text.0.other().name()
    }

    /// `aria-current` of an entry of the masthead, if it has one.
    pub(super) fn current(&self, entry: &str) -> Option<&'static str> {
        match (self.place, entry) {
            (Place::Servers, "servers") | (Place::Keys, "keys") | (Place::Method, "method") => {
                Some("page")
            }
            (Place::BelowServers, "servers") | (Place::BelowMethod, "method") => Some("true"),
            _ => None,
        }
    }

    /// English is the default and stands for every other language.
    pub(super) fn alternates(&self) -> [(&'static str, String); 3] {
        use touchstone_words::Language::{Chinese, English};
        let english = Text(English).link(&self.path);
        [
            (English.tag(), english.clone()),
            (Chinese.tag(), Text(Chinese).link(&self.path)),
            ("x-default", english),
        ]
    }
}

/// Renders a page; a template that fails is our fault and says so.
pub(super) fn answer(text: Text, status: StatusCode, template: &impl Template) -> Response {
    match template.render() {
        Ok(html) => {
            let headers = [
                (
                    header::CONTENT_TYPE,
                    HeaderValue::from_static("text/html; charset=utf-8"),
                ),
                (header::CACHE_CONTROL, PAGE_AGE),
            ];
            (status, headers, html).into_response()
        }
        Err(error) => {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "rendering a page failed"
            );
            problem::last_resort(text)
        }
    }
}

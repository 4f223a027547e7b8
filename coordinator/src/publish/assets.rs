//! Stylesheet, scripts and symbols, embedded, each under a name that holds a
//! part of its digest: what a name stands for never changes, so it may be kept
//! for ever.

use std::sync::LazyLock;

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

/// Hex digits of the digest in a name.
const NAME_DIGITS: usize = 12;
/// Names of this build hold their content's digest.
const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// One embedded file.
struct Asset {
    /// `touchstone-0123456789ab.css`
    name: String,
    media_type: &'static str,
    bytes: &'static [u8],
}

/// The addresses of what every page loads.
#[derive(Debug)]
pub(super) struct Addresses {
    pub(super) style: String,
    pub(super) mark: String,
    pub(super) theme: String,
    pub(super) copy: String,
}

static ASSETS: LazyLock<[Asset; 4]> = LazyLock::new(|| {
    [
        asset(
            "touchstone",
            "css",
            "text/css; charset=utf-8",
            include_bytes!("assets/touchstone.css"),
        ),
        asset(
            "mark",
            "svg",
            "image/svg+xml",
            include_bytes!("assets/mark.svg"),
        ),
        asset(
            "theme",
            "js",
            "text/javascript; charset=utf-8",
            include_bytes!("assets/theme.js"),
        ),
        asset(
            "copy",
            "js",
            "text/javascript; charset=utf-8",
            include_bytes!("assets/copy.js"),
        ),
    ]
});

static ADDRESSES: LazyLock<Addresses> = LazyLock::new(|| {
    let [style, mark, theme, copy] = &*ASSETS;
    let address = |asset: &Asset| format!("/assets/{}", asset.name);
    Addresses {
        style: address(style),
        mark: address(mark),
        theme: address(theme),
        copy: address(copy),
    }
});

/// The symbols that these pages use, out of the set that is kept whole. They
/// stand in each page, since a style sheet does not reach into another file.
static GLYPHS: LazyLock<String> = LazyLock::new(|| {
    const USED: [&str; 5] = ["mark", "s-", "e-", "sig-", "stale"];
    include_str!("assets/glyphs.svg")
        .lines()
        .filter_map(|line| {
            line.trim()
                .strip_prefix("<symbol id=\"")
                .map(|rest| (line.trim(), rest))
        })
        .filter(|(_, rest)| USED.iter().any(|start| rest.starts_with(start)))
        .map(|(line, _)| line)
        .collect::<Vec<_>>()
        .join("\n  ")
});

pub(super) fn addresses() -> &'static Addresses {
    &ADDRESSES
}

/// Symbols as markup of ours.
pub(super) fn glyphs() -> &'static str {
    &GLYPHS
}

/// Serves one file; `None` when no file of this build has the name.
pub(super) fn serve(name: &str) -> Option<Response> {
    let asset = ASSETS.iter().find(|asset| asset.name == name)?;
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static(asset.media_type),
        ),
        (header::CACHE_CONTROL, FOR_EVER),
    ];
    Some((headers, asset.bytes).into_response())
}

fn asset(stem: &str, end: &str, media_type: &'static str, bytes: &'static [u8]) -> Asset {
    let digest = HEXLOWER.encode(&Sha256::digest(bytes));
    Asset {
        name: format!("{stem}-{}.{end}", &digest[..NAME_DIGITS]),
        media_type,
        bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_symbol_that_pages_use_is_there() {
        for id in [
            "mark",
            "s-failed",
            "s-risk",
            "s-unverified",
            "s-verified",
            "e-completed",
            "e-errored",
            "e-skipped",
            "e-blocked",
            "sig-full",
            "sig-limited",
            "sig-none",
            "stale",
        ] {
            assert!(glyphs().contains(&format!("<symbol id=\"{id}\"")), "{id}");
        }
        assert!(!glyphs().contains("<symbol id=\"h-pass\""));
    }
}

//! How a target is named in the URLs of pages: its host and path, readable,
//! and when that name is taken, with as much of its id as makes it its own.

use url::Url;

/// Longest readable part of a slug, in characters.
const READABLE_LIMIT: usize = 80;
/// Hex digits of the id that are tried after a taken name, fewest first.
const ID_DIGITS: [usize; 3] = [8, 16, 64];

/// Path of a target's report page.
pub fn report_path(slug: &str) -> String {
    format!("/servers/{slug}")
}

/// Path of the page of how a target's tool list changed.
pub fn changes_path(slug: &str) -> String {
    format!("/servers/{slug}/changes")
}

/// Path of the page of one run of a target.
pub fn run_path(slug: &str, run_id: &str) -> String {
    format!("/servers/{slug}/runs/{run_id}")
}

/// The slugs to try for a target, in order. The last one holds the whole id
/// and can be nobody else's.
pub(crate) fn candidates(url: &Url, target_id: &str) -> Vec<String> {
    let readable = readable(url);
    let mut slugs = vec![readable.clone()];
    for digits in ID_DIGITS {
        let id = target_id.get(..digits).unwrap_or(target_id);
        slugs.push(format!("{readable}-{id}"));
    }
    slugs
}

/// How the address of a page's twin ends.
const TWIN: &str = ".json";

/// Host, port if it is not the usual one, and path, in `[a-z0-9.-]`; never with
/// the end of a twin's address, which would be the twin of another's page.
fn readable(url: &Url) -> String {
    let mut text = url.host_str().unwrap_or_default().to_owned();
    if let Some(port) = url.port() {
        text = format!("{text}:{port}");
    }
    text.push_str(url.path());
    let mut slug = String::with_capacity(text.len());
    for character in text.chars().take(READABLE_LIMIT) {
        let character = character.to_ascii_lowercase();
        if character.is_ascii_lowercase()
            || character.is_ascii_digit()
            || matches!(character, '.' | '-')
        {
            slug.push(character);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_matches(['-', '.']);
    if slug.is_empty() {
        "target".to_owned()
    } else if let Some(stem) = slug.strip_suffix(TWIN) {
        format!("{}-json", stem.trim_end_matches(['-', '.']))
    } else {
        slug.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_host_and_path() {
        for (url, slug) in [
            ("https://mcp.example.com/mcp", "mcp.example.com-mcp"),
            ("https://mcp.example.com/", "mcp.example.com"),
            (
                "https://mcp.example.com:8443/a/B?c=d",
                "mcp.example.com-8443-a-b",
            ),
            ("http://127.0.0.1:3000/mcp", "127.0.0.1-3000-mcp"),
            ("http://[::1]:3000/mcp", "1-3000-mcp"),
            (
                "https://b\u{fc}cher.example/%20x",
                "xn--bcher-kva.example-20x",
            ),
            (
                "https://mcp.example.com/mcp.json",
                "mcp.example.com-mcp-json",
            ),
            (
                "https://mcp.example.com/mcp.JSON/",
                "mcp.example.com-mcp-json",
            ),
            ("http://tools.json/", "tools-json"),
            ("http://tools.json/.json", "tools.json-json"),
        ] {
            let url = Url::parse(url).unwrap();
            assert_eq!(readable(&url), slug);
        }
    }

    #[test]
    fn a_slug_is_short_and_the_last_candidate_is_unique() {
        let url = Url::parse(&format!("https://a.example/{}", "x/".repeat(400))).unwrap();
        let id = "0f".repeat(32);
        let slugs = candidates(&url, &id);
        assert!(slugs[0].len() <= READABLE_LIMIT);
        assert!(slugs[3].ends_with(&id));
        assert_eq!(slugs.len(), 1 + ID_DIGITS.len());
    }
}

//! Commands that a reader copies into a shell. Every value in them is quoted
//! for a POSIX shell: an endpoint's URL was written by a stranger.

use askama::Template;
use askama::filters::HtmlSafe;

use super::stranger::Verbatim;
use super::text::Text;

/// The revision that the self-test of the older handshake offers.
const LEGACY_OFFER: &str = "2025-11-25";
/// The revision of `server/discover`.
const MODERN: &str = "2026-07-28";

/// One command with its button.
#[derive(Template, Debug)]
#[template(path = "part/command.html")]
pub(super) struct Command {
    text: Text,
    /// Unique in the page.
    number: usize,
    code: Verbatim,
    label: String,
}

impl HtmlSafe for Command {}

/// Gives each command of a page its number.
#[derive(Debug)]
pub(super) struct Commands {
    text: Text,
    count: usize,
}

impl Commands {
    pub(super) fn new(text: Text) -> Self {
        Self { text, count: 0 }
    }

    pub(super) fn next(&mut self, code: String) -> Command {
        let number = i64::try_from(self.count + 1).unwrap_or(i64::MAX);
        let label = self
            .text
            .plain_with("command-label", &[("number", number.into())]);
        self.named(code, label)
    }

    /// `label` says in the button, unseen, which command it copies.
    pub(super) fn named(&mut self, code: String, label: String) -> Command {
        self.count += 1;
        Command {
            text: self.text,
            number: self.count,
            code: Verbatim(code),
            label,
        }
    }
}

/// One word of a shell command.
pub(super) fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// `server/discover`, with status and body.
pub(super) fn discover(endpoint: &str) -> String {
    format!(
        r#"curl{globs} -s -w "\nHTTP %{{http_code}}\n" {url} \
  -X POST \
  -H "Content-Type: application/json" \
  -H "Accept: application/json, text/event-stream" \
  -H "mcp-protocol-version: {MODERN}" \
  -H "mcp-method: server/discover" \
  -d '{{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{{"_meta":{{
        "io.modelcontextprotocol/protocolVersion":"{MODERN}",
        "io.modelcontextprotocol/clientInfo":{{"name":"self-test","version":"1.0"}},
        "io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}'"#,
        globs = globs(endpoint),
        url = quote(endpoint),
    )
}

/// `initialize`, the status alone.
pub(super) fn initialize_status(endpoint: &str) -> String {
    initialize(r#" -o /dev/null -w "%{http_code}\n""#, endpoint, "")
}

/// `initialize`, the revision that the answer names.
pub(super) fn initialize_revision(endpoint: &str) -> String {
    initialize("", endpoint, " \\\n  | jq '.result.protocolVersion'")
}

fn initialize(options: &str, endpoint: &str, after: &str) -> String {
    format!(
        r#"curl{globs} -s{options} {url} \
  -X POST \
  -H "Content-Type: application/json" \
  -H "Accept: application/json, text/event-stream" \
  -d '{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{
        "protocolVersion":"{LEGACY_OFFER}","capabilities":{{}},
        "clientInfo":{{"name":"self-test","version":"1.0"}}}}}}'{after}"#,
        globs = globs(endpoint),
        url = quote(endpoint),
    )
}

/// curl reads brackets and braces of a URL as patterns unless told not to.
fn globs(url: &str) -> &'static str {
    if url.contains(['[', ']', '{', '}']) {
        " -g"
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_reaches_the_program_as_it_is() {
        assert_eq!(
            quote("https://a.example:8443/mcp"),
            "https://a.example:8443/mcp"
        );
        assert_eq!(
            quote("https://a.example/?a=1&b=$(id)"),
            "'https://a.example/?a=1&b=$(id)'"
        );
        assert_eq!(quote("a'b"), r"'a'\''b'");
        assert_eq!(quote("~root"), "'~root'");
        assert_eq!(quote(""), "''");
    }

    #[test]
    fn a_self_test_is_one_curl_and_its_body_is_json() {
        let url = "http://[::1]:3000/mcp";
        for command in [
            discover(url),
            initialize_status(url),
            initialize_revision(url),
        ] {
            assert!(command.starts_with("curl -g -s"), "{command}");
            assert!(command.contains("'http://[::1]:3000/mcp'"));
            let body = command
                .split("-d '")
                .nth(1)
                .unwrap()
                .split('\'')
                .next()
                .unwrap();
            serde_json::from_str::<serde_json::Value>(body).unwrap();
        }
    }
}

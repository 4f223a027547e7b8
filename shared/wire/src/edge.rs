//! Whether a firewall answered in the server's place with a challenge of its own.
//!
//! Such an answer says nothing about the MCP server behind it. Only marks that
//! firewalls put on their challenges count: a plain 403, even as a page, may
//! well be the server's own. Headers decide on any status; words of a page only
//! where it is HTML with a status that challenges come with.

use crate::media::Media;

/// Response headers that [`challenge`] looks at, in lower case.
pub const HEADERS: [&str; 4] = [
    "content-type",
    "cf-mitigated",
    "x-amzn-waf-action",
    "x-vercel-mitigated",
];

/// Bytes of a page searched for marks. Challenges carry theirs near the top.
pub const SEARCH_LIMIT: usize = 65_536;

/// The mark that gave a firewall's challenge away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Marker {
    CfMitigated,
    AmznWafAction,
    VercelMitigated,
    CloudflarePage,
    AwsWafPage,
    AkamaiPage,
    ImpervaPage,
    DataDomePage,
    HumanPage,
    SucuriPage,
    VercelPage,
}

impl Marker {
    pub const ALL: [Self; 11] = [
        Self::CfMitigated,
        Self::AmznWafAction,
        Self::VercelMitigated,
        Self::CloudflarePage,
        Self::AwsWafPage,
        Self::AkamaiPage,
        Self::ImpervaPage,
        Self::DataDomePage,
        Self::HumanPage,
        Self::SucuriPage,
        Self::VercelPage,
    ];

    /// The stable key of this mark.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CfMitigated => "cf_mitigated",
            Self::AmznWafAction => "amzn_waf_action",
            Self::VercelMitigated => "vercel_mitigated",
            Self::CloudflarePage => "cloudflare_page",
            Self::AwsWafPage => "aws_waf_page",
            Self::AkamaiPage => "akamai_page",
            Self::ImpervaPage => "imperva_page",
            Self::DataDomePage => "datadome_page",
            Self::HumanPage => "human_page",
            Self::SucuriPage => "sucuri_page",
            Self::VercelPage => "vercel_page",
        }
    }
}

/// Header, value, mark. The values are what each firewall documents.
const HEADER_MARKS: [(&str, &[&str], Marker); 3] = [
    ("cf-mitigated", &["challenge"], Marker::CfMitigated),
    (
        "x-amzn-waf-action",
        &["challenge", "captcha"],
        Marker::AmznWafAction,
    ),
    (
        "x-vercel-mitigated",
        &["challenge", "deny"],
        Marker::VercelMitigated,
    ),
];

/// What stands in a challenge page and, as far as known, in no other page.
/// (Cloudflare's `/cdn-cgi/challenge-platform/` alone is not enough: it also
/// adds that script to ordinary pages.)
const PAGE_MARKS: [(&str, Marker); 11] = [
    ("_cf_chl_opt", Marker::CloudflarePage),
    ("cf-browser-verification", Marker::CloudflarePage),
    ("awswafintegration", Marker::AwsWafPage),
    ("gokuprops", Marker::AwsWafPage),
    ("errors.edgesuite.net", Marker::AkamaiPage),
    ("_incapsula_resource", Marker::ImpervaPage),
    ("captcha-delivery.com", Marker::DataDomePage),
    ("px-captcha", Marker::HumanPage),
    ("sucuri website firewall", Marker::SucuriPage),
    ("vercel security checkpoint", Marker::VercelPage),
    ("x-vercel-challenge", Marker::VercelPage),
];

/// The mark by which this answer is a firewall's and not the server's.
/// Header names are compared in lower case.
pub fn challenge<'a>(
    status: u16,
    headers: impl Iterator<Item = (&'a str, &'a str)> + Clone,
    body: &[u8],
) -> Option<Marker> {
    for (name, words, marker) in HEADER_MARKS {
        let hit = headers.clone().any(|(header, value)| {
            header == name
                && words
                    .iter()
                    .any(|word| value.trim().eq_ignore_ascii_case(word))
        });
        if hit {
            return Some(marker);
        }
    }
    let mut types = headers.filter(|(name, _)| *name == "content-type");
    let media = Media::of(types.next().map(|(_, value)| value));
    if media != Media::Html || !may_challenge(status) {
        return None;
    }
    let page = body[..body.len().min(SEARCH_LIMIT)].to_ascii_lowercase();
    let hit = |words: &str| {
        page.windows(words.len())
            .any(|part| part == words.as_bytes())
    };
    PAGE_MARKS
        .iter()
        .find(|(words, _)| hit(words))
        .map(|(_, marker)| *marker)
}

/// Statuses that challenge pages come with. 429 is left out: it is a rate limit
/// whatever the page says.
fn may_challenge(status: u16) -> bool {
    matches!(status, 200 | 202 | 401 | 403 | 405 | 503)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(status: u16, headers: &[(&str, &str)], body: &str) -> Option<Marker> {
        challenge(status, headers.iter().copied(), body.as_bytes())
    }

    #[test]
    fn marks_decide_and_nothing_else() {
        let html = ("content-type", "text/html; charset=UTF-8");
        let page = "<html><script>window._CF_chl_opt = {}</script>";
        for (status, headers, body, expected) in [
            (
                403,
                &[("cf-mitigated", "challenge")][..],
                "",
                Some(Marker::CfMitigated),
            ),
            (
                200,
                &[("cf-mitigated", " Challenge ")],
                "",
                Some(Marker::CfMitigated),
            ),
            (403, &[("cf-mitigated", "other")], "", None),
            (
                202,
                &[html, ("x-amzn-waf-action", "challenge")],
                "",
                Some(Marker::AmznWafAction),
            ),
            (
                405,
                &[("x-amzn-waf-action", "captcha")],
                "",
                Some(Marker::AmznWafAction),
            ),
            (
                429,
                &[("x-vercel-mitigated", "challenge")],
                "",
                Some(Marker::VercelMitigated),
            ),
            (403, &[html], page, Some(Marker::CloudflarePage)),
            (503, &[html], page, Some(Marker::CloudflarePage)),
            // The mark of a page counts only in a page, with a status that fits.
            (403, &[("content-type", "application/json")], page, None),
            (403, &[], page, None),
            (429, &[html], page, None),
            (520, &[html], page, None),
            (404, &[html], page, None),
            // A refusal without a mark may be the server's own.
            (403, &[html], "<html>Forbidden</html>", None),
            (
                403,
                &[("content-type", "text/plain")],
                "Invalid Host header",
                None,
            ),
            (
                200,
                &[html],
                "<script src=/cdn-cgi/challenge-platform/scripts/jsd/main.js>",
                None,
            ),
            (403, &[html], "", None),
        ] {
            assert_eq!(
                found(status, headers, body),
                expected,
                "{status} {headers:?} {body}"
            );
        }
    }

    #[test]
    fn every_page_mark_is_found_within_the_limit_only() {
        let html = ("content-type", "text/html");
        for (words, marker) in PAGE_MARKS {
            assert_eq!(words, words.to_ascii_lowercase());
            let upper = words.to_ascii_uppercase();
            assert_eq!(found(403, &[html], &format!("<p>{upper}")), Some(marker));
            let late = format!("{}{words}", " ".repeat(SEARCH_LIMIT));
            assert_eq!(found(403, &[html], &late), None);
        }
        let mut names: Vec<&str> = Marker::ALL.iter().map(|one| one.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Marker::ALL.len());
    }
}

//! Lists of several pages: cursors, limits, and pages that fail.

use touchstone_suites::registry::CheckId as C;

use super::case::{Case, TOOL, legacy, legacy_page, modern, named, page};
use super::expect::{Expect, Signing, blocked, errored};
use super::reply::{Ending, Reply};
use super::server::On;

pub fn cases() -> Vec<Case> {
    let paged = |id, traps, against, replies| modern(id, traps, against).turns(On::List, replies);
    let part = |asked| Expect::modern().part_of_list().asked(asked);
    let first = || numbered(1, r#","nextCursor":"p2""#);
    let second_is = |id, traps, against, reply| paged(id, traps, against, vec![first(), reply]);
    vec![
        paged(
            "two-pages",
            &[39],
            "The first page is the list.",
            vec![first(), numbered(2, "")],
        )
        .asked("dllc"),
        paged(
            "null-cursor",
            &[39],
            "A null cursor is a cursor.",
            vec![numbered(1, r#","nextCursor":null"#)],
        )
        .asked("dlc"),
        paged(
            "number-cursor",
            &[39],
            "A cursor that cannot be sent back ends the list.",
            vec![numbered(1, r#","nextCursor":7"#)],
        )
        .expect(part("dl")),
        paged(
            "empty-cursor-modern",
            &[38],
            "An empty cursor ends a modern list.",
            vec![numbered(1, r#","nextCursor":"""#), numbered(2, "")],
        )
        .asked("dllc"),
        legacy(
            "empty-cursor-legacy",
            &[38],
            "An empty cursor goes on in a legacy list.",
        )
        .on(
            On::List,
            Reply::result(&legacy_page(&[TOOL], r#","nextCursor":"""#)),
        )
        .asked("dinlcx"),
        paged(
            "cursor-stands-still",
            &[40],
            "A cursor that stands still is followed for ever.",
            vec![first(), numbered(2, r#","nextCursor":"p2""#)],
        )
        .expect(part("dll")),
        paged(
            "page-repeats",
            &[40],
            "The same tools under new cursors are more tools.",
            vec![first(), numbered(1, r#","nextCursor":"p3""#)],
        )
        .expect(part("dll")),
        paged(
            "ten-pages",
            &[40],
            "Ten pages are too many.",
            (1..=10).map(|n| endless(n, 10)).collect(),
        )
        .asked("dllllllllllc"),
        paged(
            "eleven-pages",
            &[40],
            "A list that goes on is complete.",
            (1..=11).map(|n| endless(n, 11)).collect(),
        )
        .expect(part("dllllllllll")),
        modern(
            "five-thousand-tools",
            &[],
            "Five thousand tools are too many.",
        )
        .on(On::List, many(5_000)),
        modern(
            "five-thousand-and-one-tools",
            &[],
            "There is no end to a list.",
        )
        .on(On::List, many(5_001))
        .expect(part("dl")),
        paged(
            "empty-pages-between",
            &[41],
            "An empty page is the last.",
            vec![
                first(),
                Reply::result(&page(&[], r#","nextCursor":"p3""#)),
                Reply::result(&page(&[], r#","nextCursor":"p4""#)),
                numbered(4, ""),
            ],
        )
        .asked("dllllc"),
        paged(
            "reserved-name-on-page-two",
            &[],
            "Only the first page is read before the call.",
            vec![
                first(),
                Reply::result(&page(&[&named("__touchstone_probe_no_such_tool__")], "")),
            ],
        )
        .with(C::ErrorTaxonomy, blocked("probe_tool_name_collision"))
        .asked("dll"),
        second_is(
            "page-two-html",
            &[14],
            "A later page that is a page of HTML ends the list.",
            Reply::of(200, "text/html", "<!doctype html>"),
        )
        .expect(part("dll")),
        second_is(
            "page-two-500",
            &[],
            "A later page that fails spoils the first.",
            Reply::status(500),
        )
        .expect(part("dll")),
        second_is(
            "page-two-is-an-error",
            &[40],
            "An error for a cursor ends the list.",
            Reply::error(200, r#"{"code":-32602,"message":"bad cursor"}"#),
        )
        .expect(part("dll")),
        second_is(
            "page-two-bad-entry",
            &[42],
            "A later page is judged like the first.",
            Reply::result(&page(&["null"], "")),
        )
        .expect(part("dll")),
        second_is(
            "page-two-over-the-limit",
            &[16],
            "A later page over 2 MB ends the run.",
            Reply::json(" ".repeat(2_097_153)).ending(Ending::Close),
        )
        .expect(part("dll")),
        second_is(
            "page-two-429",
            &[49],
            "A later page that asks us to wait is a short list.",
            Reply::status(429).header("retry-after", "30"),
        )
        .expect(stopped("rate_limited").asked("dll")),
        second_is(
            "page-two-cut",
            &[],
            "A later page that was lost is a short list.",
            Reply::cut(),
        )
        .expect(stopped("connection_failed")),
        second_is(
            "page-two-silent",
            &[],
            "A later page that never comes ends the run.",
            Reply::silence(),
        )
        .expect(part("dll"))
        .slow(),
    ]
}

/// A later page ended the run.
pub fn stopped(key: &'static str) -> Expect {
    [
        C::ToolsetFingerprint,
        C::SchemaFingerprint,
        C::ToolDescriptionHygiene,
        C::ErrorTaxonomy,
        C::AuthMetadata,
    ]
    .into_iter()
    .fold(Expect::modern(), |expect, check| {
        expect.with(check, blocked(key))
    })
    .with(C::ToolsList, errored(key))
    .signed(Signing::None(key))
}

/// A page with one tool.
fn numbered(number: usize, more: &str) -> Reply {
    Reply::result(&page(&[&named(&format!("t{number}"))], more))
}

/// Page `number` of a list with so many.
fn endless(number: usize, last: usize) -> Reply {
    let more = format!(r#","nextCursor":"p{}""#, number + 1);
    numbered(number, if number < last { &more } else { "" })
}

fn many(tools: usize) -> Reply {
    let tools: Vec<String> = (0..tools).map(|n| named(&format!("t{n}"))).collect();
    let tools: Vec<&str> = tools.iter().map(String::as_str).collect();
    Reply::result(&page(&tools, ""))
}

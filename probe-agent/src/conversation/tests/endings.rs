//! What ends a run before its conversation is done, and what does not.

use super::*;

#[test]
fn a_server_that_asks_for_patience_is_left_at_once() {
    let late = |received: Received, value: &str| with(received, "retry-after", value);
    for (case, received, wait) in [
        ("429", reply(429, "", ""), 0),
        ("429 with seconds", late(reply(429, "", ""), "120"), 120),
        (
            "429 with a discover result",
            late(list_with_status(429), " 7 "),
            7,
        ),
        (
            "503 with seconds",
            late(reply(503, "text/html", "<html>"), "30"),
            30,
        ),
        (
            "503 with a date",
            late(reply(503, "", ""), "Mon, 30 Nov 2026 12:01:30 GMT"),
            90,
        ),
        ("503 with nonsense", late(reply(503, "", ""), "soon"), 0),
        ("a year", late(reply(429, "", ""), "31536000"), 86_400),
        (
            "429 and a wall",
            with(late(reply(429, "", ""), "5"), "www-authenticate", "Bearer"),
            5,
        ),
    ] {
        let held = hold(case, vec![("discover", received.clone())]);
        assert_eq!(
            held.stop(),
            Some((StopKind::RateLimited, 0, wait)),
            "{case}"
        );

        // In a session too, and then even the session is left as it is.
        let held = hold(
            case,
            vec![
                ("discover", reply(400, "", "")),
                ("initialize", session(initialized("2025-11-25"), "s")),
                ("initialized", accepted()),
                ("list 1", tools(&["a"], json!("2"))),
                ("list 2", received),
            ],
        );
        assert_eq!(
            held.stop(),
            Some((StopKind::RateLimited, 4, wait)),
            "{case}"
        );
    }
}

#[test]
fn a_request_that_breaks_off_ends_the_run() {
    for (kind, stop, ends_session) in [
        (FailureKind::NameNotFound, StopKind::ExchangeFailed, true),
        (FailureKind::PolicyRefused, StopKind::ExchangeFailed, true),
        (FailureKind::ConnectRefused, StopKind::ExchangeFailed, true),
        (FailureKind::ConnectionLost, StopKind::ExchangeFailed, true),
        (FailureKind::Tls, StopKind::ExchangeFailed, true),
        (FailureKind::NotHttp, StopKind::ExchangeFailed, true),
        (FailureKind::TooLarge, StopKind::ExchangeFailed, true),
        (FailureKind::TimedOut, StopKind::BudgetTime, false),
        (FailureKind::BudgetTime, StopKind::BudgetTime, false),
        (FailureKind::BudgetRequests, StopKind::BudgetRequests, true),
    ] {
        let case = kind.as_str_name();
        let held = hold(case, vec![("discover", failure(kind))]);
        assert_eq!(held.stop(), Some((stop, 0, 0)), "{case}");

        let mut steps = vec![
            ("discover", reply(400, "", "")),
            ("initialize", session(initialized("2025-11-25"), "s")),
            ("initialized", accepted()),
            ("list 1", failure(kind)),
        ];
        if ends_session {
            steps.push(("delete", reply(200, "", "")));
        }
        let held = hold(case, steps);
        assert_eq!(held.stop(), Some((stop, 3, 0)), "{case}");
    }
    // On a later page the connection counts, the limits do not.
    let held = hold(
        "later page",
        vec![
            ("discover", discovered(&["2026-07-28"])),
            ("list 1", tools(&["a"], json!("2"))),
            ("list 2", failure(FailureKind::ConnectionLost)),
        ],
    );
    assert_eq!(held.stop(), Some((StopKind::ExchangeFailed, 2, 0)));
}

#[test]
fn redirects_and_their_hops_count_as_exchanges() {
    let mut hops = reply(404, "", "");
    hops.exchanges.insert(0, Exchange::default());
    hops.exchanges.insert(0, Exchange::default());
    let held = hold(
        "index of what decided",
        vec![
            ("discover", reply(401, "", "")),
            ("initialize", reply(401, "", "")),
            ("prm /.well-known/oauth-protected-resource/mcp", hops),
            (
                "prm /.well-known/oauth-protected-resource",
                reply(429, "", ""),
            ),
        ],
    );
    assert_eq!(held.stop(), Some((StopKind::RateLimited, 5, 0)));
}

#[test]
fn a_firewall_is_not_the_server() {
    let challenged = |status| {
        with(
            reply(status, "text/html", "<html>"),
            "cf-mitigated",
            "challenge",
        )
    };
    for (case, received) in [
        ("403", challenged(403)),
        (
            "503 with Retry-After",
            with(challenged(503), "retry-after", "5"),
        ),
        (
            "401 with a challenge",
            with(challenged(401), "www-authenticate", "Bearer"),
        ),
        (
            "403 by its page",
            reply(403, "text/html", "<script>window._cf_chl_opt={}</script>"),
        ),
    ] {
        let held = hold(case, vec![("discover", received.clone())]);
        assert_eq!(held.stop(), None, "{case}");
        assert_eq!(held.mcp.offered_revision(), "2026-07-28", "{case}");
        let held = hold(
            case,
            vec![
                ("discover", reply(400, "", "")),
                ("initialize", session(initialized("2025-11-25"), "s")),
                ("initialized", received),
                ("delete", reply(200, "", "")),
            ],
        );
        assert_eq!(held.stop(), None, "{case}");
    }
}

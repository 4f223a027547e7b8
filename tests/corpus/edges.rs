//! What stands in front of servers: strict ones, proxies, firewalls, limits.

use touchstone_suites::registry::CheckId as C;

use super::case::{Case, always, legacy, modern};
use super::expect::{Expect, Signing, blocked, risk, verified};
use super::reply::Reply;
use super::server::{On, Request};

pub fn cases() -> Vec<Case> {
    let refused = |id, traps, against, reply: Reply| {
        always(id, traps, against, &reply)
            .expect(Expect::failed_handshake("handshake_http_error").asked("di"))
    };
    let redirected = |id, traps, against, location: &str| {
        let reply = Reply::status(307).header("location", location);
        always(id, traps, against, &reply)
            .expect(Expect::failed_handshake("handshake_redirected").asked("d"))
    };
    let waits = |id, traps, against, reply: Reply| {
        always(id, traps, against, &reply).expect(
            Expect::broke("rate_limited")
                .with(C::LatencyProfile, verified("latency_measured"))
                .with(C::RedirectPolicy, verified("no_cross_host_redirect"))
                .asked("d"),
        )
    };
    let firewall = |id, against, reply: Reply| {
        let expect = Expect::not_met("edge_challenge")
            .with(C::AuthMetadata, blocked("edge_challenge"))
            .asked("d");
        always(id, &[48], against, &reply).expect(expect)
    };
    let page = |status, text: &str| Reply::of(status, "text/html; charset=UTF-8", text);
    vec![
        modern(
            "strict-accept-modern",
            &[44],
            "A server that wants both answer types is broken.",
        )
        .guard(accepts_both),
        legacy(
            "strict-accept-legacy",
            &[44],
            "Any type will do where JSON comes back.",
        )
        .guard(accepts_both),
        legacy("strict-content-type", &[13], "A charset does no harm.").guard(bare_json),
        legacy("strict-origin", &[46], "An origin does no harm.").guard(no_origin),
        legacy("strict-upgrade", &[50], "An offer of HTTP/2 does no harm.").guard(no_upgrade),
        legacy("strict-credentials", &[54], "A credential may be tried.").guard(no_credential),
        refused(
            "wants-origin",
            &[46],
            "A server that demands an origin asks for a credential.",
            Reply::of(403, "text/plain", "Origin required"),
        ),
        refused(
            "edge-406",
            &[44],
            "406 in spite of both types is no answer.",
            Reply::status(406),
        ),
        redirected(
            "slash-redirect",
            &[45],
            "A POST follows its redirect.",
            "@ORIGIN@/mcp/",
        ),
        redirected(
            "redirect-away",
            &[45],
            "A POST follows its redirect to another host.",
            "https://elsewhere.example/mcp",
        )
        .with(C::RedirectPolicy, risk("cross_host_redirect")),
        redirected(
            "redirect-to-nowhere",
            &[45],
            "A redirect without a target leads elsewhere.",
            "http://[bad",
        ),
        modern(
            "list-redirected-away",
            &[45],
            "What came before a redirect hides it.",
        )
        .on(
            On::List,
            Reply::status(308).header("location", "https://elsewhere.example/"),
        )
        .expect(
            Expect::modern()
                .bad_list("tools_list_redirected")
                .with(C::RedirectPolicy, risk("cross_host_redirect"))
                .asked("dl"),
        ),
        refused(
            "host-421",
            &[47],
            "A name that a server does not know is unreachable.",
            Reply::of(421, "text/plain", "Invalid Host header"),
        ),
        refused(
            "plain-403-page",
            &[48],
            "Every page with 403 is a firewall's.",
            page(403, "<h1>Forbidden</h1>"),
        ),
        firewall(
            "firewall-header",
            "A firewall's challenge is a credential gate.",
            page(403, "<h1>Just a moment</h1>").header("cf-mitigated", "challenge"),
        ),
        firewall(
            "firewall-page",
            "A firewall's page is the server's failed handshake.",
            page(503, "<script>window._cf_chl_opt={}</script>").header("retry-after", "10"),
        ),
        firewall(
            "firewall-captcha",
            "A captcha is the server's answer.",
            page(
                405,
                "<script src=\"https://geo.captcha-delivery.com/c.js\"></script>",
            ),
        ),
        modern(
            "firewall-before-list",
            &[48],
            "A firewall before the list is an invalid list.",
        )
        .on(On::List, page(403, "").header("cf-mitigated", "challenge"))
        .expect(stopped_by_firewall()),
        waits(
            "rate-limit-429",
            &[49],
            "Too many requests is a gate.",
            Reply::status(429).header("retry-after", "120"),
        ),
        waits(
            "rate-limit-429-bare",
            &[49],
            "A limit without a time is none.",
            Reply::status(429),
        ),
        waits(
            "rate-limit-503",
            &[49],
            "503 that names a time is a broken server.",
            Reply::status(503).header("retry-after", "60"),
        ),
        legacy(
            "rate-limit-in-a-200",
            &[49],
            "An error with 200 to discover ends the run.",
        )
        .on(
            On::Discover,
            Reply::error(200, r#"{"code":-32000,"message":"Rate limit exceeded"}"#),
        ),
        always(
            "plain-503",
            &[49],
            "503 without a time is a rate limit.",
            &Reply::status(503),
        )
        .expect(
            Expect::failed_handshake("handshake_http_error")
                .signed(Signing::None("server_error"))
                .asked("d"),
        ),
        refused(
            "sse-only-405",
            &[51, 10],
            "A server that wants GET is asked by GET.",
            Reply::status(405),
        )
        .on(
            On::AnyGet,
            Reply::sse(&["event: endpoint\ndata: /messages\n\n"]),
        ),
        refused(
            "sse-only-404-page",
            &[51],
            "A POST that finds nothing ends the search for an era.",
            page(404, "<pre>Cannot POST /sse</pre>"),
        ),
        always(
            "cut-at-once",
            &[],
            "A connection that closes is a refusal.",
            &Reply::cut(),
        )
        .expect(Expect::broke("connection_failed")),
        always(
            "silent",
            &[],
            "Silence is a failed check.",
            &Reply::silence(),
        )
        .expect(Expect::broke("budget_exhausted").asked("d"))
        .slow(),
        legacy(
            "initialize-429",
            &[49],
            "An answer to discover makes a limited run reachable.",
        )
        .on(On::Initialize, Reply::status(429))
        .expect(
            Expect::broke("rate_limited")
                .with(C::LatencyProfile, verified("latency_measured"))
                .with(C::RedirectPolicy, verified("no_cross_host_redirect"))
                .asked("di"),
        ),
    ]
}

fn stopped_by_firewall() -> Expect {
    [
        C::ToolsList,
        C::ToolsetFingerprint,
        C::SchemaFingerprint,
        C::ToolDescriptionHygiene,
        C::ErrorTaxonomy,
        C::AuthMetadata,
    ]
    .into_iter()
    .fold(Expect::modern(), |expect, check| {
        expect.with(check, blocked("edge_challenge"))
    })
    .signed(Signing::None("edge_challenge"))
    .asked("dl")
}

fn accepts_both(request: &Request) -> Option<Reply> {
    let accept = request.header("accept").unwrap_or_default();
    let both = accept.contains("application/json") && accept.contains("text/event-stream");
    (request.method == "POST" && !both).then(|| Reply::status(406))
}

fn bare_json(request: &Request) -> Option<Reply> {
    let bare = request.header("content-type") == Some("application/json");
    (request.method == "POST" && !bare).then(|| Reply::status(415))
}

fn no_origin(request: &Request) -> Option<Reply> {
    let sent = request.header("origin").is_some();
    sent.then(|| Reply::status(403))
}

fn no_upgrade(request: &Request) -> Option<Reply> {
    let offered = ["upgrade", "http2-settings"];
    let offers = offered.iter().any(|name| request.header(name).is_some());
    offers.then(Reply::silence)
}

fn no_credential(request: &Request) -> Option<Reply> {
    let carriers = ["authorization", "cookie", "proxy-authorization"];
    let carries = carriers.iter().any(|name| request.header(name).is_some());
    carries.then(|| Reply::status(500))
}

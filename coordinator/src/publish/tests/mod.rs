//! Pages as a reader meets them: through the router, in every form, in both
//! languages.

mod answers;
mod commands;
mod html;
mod junk;
mod method;
pub(super) mod sample;
mod texts;

use std::collections::BTreeSet;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, StatusCode, header};
use http_body_util::BodyExt as _;
use serde_json::Value;
use touchstone_words::CHECKS;
use tower::ServiceExt as _;

use self::sample::{Sample, signed_full, unsigned};

const FULL: &str = "/servers/mcp.harbour-tides.example-mcp";
const LIMITED: &str = "/servers/mcp.ledgerline.example-mcp";
const UNSIGNED: &str = "/servers/notes.meridian.example-mcp";
const OURS: &str = "/servers/desk.ours.example-mcp";
const PENDING: &str = "/servers/mcp.waiting.example-mcp";
const STALE: &str = "/servers/old.gauge.example-mcp";
const UNOBSERVED: &str = "/servers/mcp.plover.example-mcp";

struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: String,
}

async fn ask(router: &Router, method: Method, address: &str) -> Answer {
    let request = Request::builder()
        .method(method)
        .uri(address)
        .header(header::HOST, "touchstone.example")
        .body(Body::empty())
        .unwrap();
    let response = router.clone().oneshot(request).await.unwrap();
    let (head, body) = response.into_parts();
    let bytes = body.collect().await.unwrap().to_bytes();
    Answer {
        status: head.status,
        headers: head.headers,
        body: String::from_utf8(bytes.to_vec()).unwrap(),
    }
}

async fn get(router: &Router, address: &str) -> Answer {
    ask(router, Method::GET, address).await
}

/// Addresses of every kind of page, in both languages.
fn pages(sample: &Sample) -> Vec<String> {
    let run_id = &sample.evidence[0].run.run_id;
    let earlier = &sample.reports[0].runs[1].run.run_id;
    let mut pages = vec![
        "/".to_owned(),
        "/?q=harbour&sig=full".to_owned(),
        "/?q=nothing".to_owned(),
        "/keys".to_owned(),
        "/log".to_owned(),
        "/log?q=nothing".to_owned(),
        "/status".to_owned(),
        "/fleet".to_owned(),
        "/method".to_owned(),
    ];
    pages.extend(CHECKS.map(|check| format!("/method/{}", check.id)));
    pages.extend([FULL, LIMITED, UNSIGNED, OURS, PENDING, STALE, UNOBSERVED].map(str::to_owned));
    pages.push(format!("/evidence/{run_id}"));
    pages.push(format!("{FULL}/runs/{earlier}"));
    pages.push(format!("{FULL}/changes"));
    pages.push(format!("{FULL}/changes?before=1"));
    pages.push(format!("{PENDING}/changes"));
    let chinese: Vec<String> = pages
        .iter()
        .map(|page| match page.strip_prefix('/') {
            Some("") => "/zh".to_owned(),
            Some(query) if query.starts_with('?') => format!("/zh{query}"),
            _ => format!("/zh{page}"),
        })
        .collect();
    pages.extend(chinese);
    pages
}

#[tokio::test]
async fn every_page_is_well_formed_whole_and_links_to_pages_that_are_there() {
    let sample = Sample::new();
    let addresses = pages(&sample);
    let router = sample.router();
    let mut linked = BTreeSet::new();
    for address in &addresses {
        let answer = get(&router, address).await;
        assert_eq!(answer.status, StatusCode::OK, "{address}");
        let parsed = html::parse(&answer.body);
        assert!(!parsed.attributes.contains("style"), "{address}");
        assert!(
            parsed.attributes.iter().all(|name| !name.starts_with("on")),
            "{address}"
        );
        for note in ["(no text in this version)", "此版本没有对应文字"] {
            assert!(
                !answer.body.contains(note),
                "{address}: {}",
                around(&answer.body, note)
            );
        }
        linked.extend(
            parsed
                .addresses
                .into_iter()
                .filter(|address| !address.starts_with('#')),
        );
    }
    assert!(linked.len() > 30);
    for address in linked {
        assert!(address.starts_with('/'), "{address} leads elsewhere");
        let answer = get(&router, address.split('#').next().unwrap()).await;
        assert_eq!(answer.status, StatusCode::OK, "{address} is a dead link");
    }
}

#[tokio::test]
async fn an_anchor_that_another_page_points_to_is_there() {
    let sample = Sample::new();
    let addresses = pages(&sample);
    let router = sample.router();
    for address in addresses {
        for link in html::parse(&get(&router, &address).await.body).addresses {
            if let Some((page, id)) = link.split_once('#').filter(|(page, _)| !page.is_empty()) {
                assert!(
                    html::parse(&get(&router, page).await.body).ids.contains(id),
                    "{link} in {address}"
                );
            }
        }
    }
}

#[tokio::test]
async fn what_is_not_signed_has_no_state_no_count_and_no_colour() {
    let router = Sample::new().router();
    for address in [UNSIGNED, OURS, PENDING, UNOBSERVED] {
        for prefix in ["", "/zh"] {
            let page = get(&router, &format!("{prefix}{address}")).await.body;
            let main = page.split("<main").nth(1).unwrap();
            for sign in [
                "data-state=",
                "#s-",
                "class=\"d-s\"",
                "FAILED",
                "VERIFIED",
                "OBSERVED_RISK",
                "未通过",
                "已通过",
                "观察到风险",
            ] {
                assert!(
                    !main.contains(sign),
                    "{prefix}{address}: {}",
                    around(main, sign)
                );
            }
            assert!(main.contains("data-seal=\"none\""));
            let twin = get(&router, &format!("{prefix}{address}.json")).await.body;
            assert!(
                !twin.contains("FAILED") && !twin.contains("\"state\""),
                "{address}"
            );
            let twin: Value = serde_json::from_str(&twin).unwrap();
            assert!(twin["predicate"].is_null() && twin["sentences"].is_null());
        }
    }
}

#[tokio::test]
async fn an_unsigned_page_names_the_five_causes_unless_the_cause_is_ours() {
    let router = Sample::new().router();
    let page = get(&router, UNSIGNED).await.body;
    assert_eq!(page.matches("<li id=\"cause-").count(), 5);
    assert!(page.contains("<li id=\"cause-2\" class=\"fits\">"));
    assert_eq!(page.matches("class=\"fits\"").count(), 1);
    assert!(page.contains("https://notes.meridian.example/mcp"));
    // Of a server's headers only the methods that it allows are repeated.
    assert!(page.contains("<code>allow: GET</code>") && !page.contains("evil"));
    for address in [OURS, PENDING] {
        let page = get(&router, address).await.body;
        assert!(!page.contains("id=\"cause-1\""), "{address}");
        assert!(page.contains("class=\"notice\""), "{address}");
    }
}

#[tokio::test]
async fn behind_the_wall_nothing_is_concluded() {
    let router = Sample::new().router();
    let page = get(&router, LIMITED).await.body;
    assert!(page.contains("data-seal=\"limited\""));
    let rows = page.matches("<li id=\"c-").count();
    assert_eq!(rows, 4);
    assert!(page.contains("credential_required") && page.contains("outside_limited_scope"));
    assert!(
        !page.contains("secret realm"),
        "no header value of a target stands on a page"
    );
    assert!(page.contains(
        "names only; their values are not signed, and stand in the raw observation that the bundle encloses"
    ));
    let chinese = get(&router, &format!("/zh{LIMITED}")).await.body;
    assert!(chinese.contains("只签名称；值不签名，只留在 bundle 所附的原始观测里"));
}

#[tokio::test]
async fn four_counts_stand_apart_and_are_never_summed() {
    let router = Sample::new().router();
    let page = get(&router, FULL).await.body;
    let tally = page
        .split("<dl class=\"tally\">")
        .nth(1)
        .unwrap()
        .split("</dl>")
        .next()
        .unwrap();
    let counts: Vec<&str> = tally
        .split("</dt><dd>")
        .skip(1)
        .map(|rest| rest.split('<').next().unwrap())
        .collect();
    assert_eq!(counts, ["1", "1", "1", "12"]);
    assert_eq!(page.matches("<li id=\"c-").count(), 15);
    let text = html::parse(&page).text;
    assert!(!text.contains("of 15") && !text.contains("/ 15"));
    let twin: Value =
        serde_json::from_str(&get(&router, &format!("{FULL}.json")).await.body).unwrap();
    assert_eq!(twin["signature"]["scope"], "full");
    assert_eq!(
        twin["predicate"]["assertions"].as_array().unwrap().len(),
        15
    );
    assert_eq!(
        twin["sentences"]["tools_list"],
        "4 tools on 1 page. Structure valid, list complete."
    );
}

#[tokio::test]
async fn an_old_observation_says_its_age() {
    let router = Sample::new().router();
    let page = get(&router, STALE).await.body;
    assert!(page.contains("<main id=\"main\" tabindex=\"-1\" data-stale>"));
    assert!(page.contains("Observation 31 h old."));
    assert!(page.contains("4 h 40 min"));
    assert!(!get(&router, FULL).await.body.contains("data-stale"));
    assert!(
        get(&router, "/")
            .await
            .body
            .contains("observation 31 h old")
    );
    let twin: Value =
        serde_json::from_str(&get(&router, &format!("{STALE}.json")).await.body).unwrap();
    assert_eq!(
        (&twin["stale"]["hours"], &twin["stale"]["after_s"]),
        (&31.into(), &45_600.into())
    );
}

#[tokio::test]
async fn text_of_strangers_stays_text() {
    let hostile = [
        "<script>alert(1)</script>",
        "a\u{202E}\u{200B}b",
        "\"><img src=x onerror=alert(1)>",
        "`code` {{ 7*7 }} &amp;",
    ];
    let mut sample = Sample::new();
    sample.reports.clear();
    sample.add(signed_full(
        "hostile.example",
        &hostile,
        sample::NOW_MS - 1000,
    ));
    let (mut odd, evidence) = unsigned("odd.example", "handshake_http_error", Some("<b>"));
    odd.target.url = "https://odd.example/?a='$(id)'&b=<i>".to_owned();
    odd.run.as_mut().unwrap().run.endpoint_url = odd.target.url.clone();
    sample.add((odd, evidence));
    let run_id = sample
        .evidence
        .iter()
        .rev()
        .nth(1)
        .unwrap()
        .run
        .run_id
        .clone();
    let router = sample.router();
    for address in [
        "/servers/hostile.example-mcp",
        "/servers/odd.example-mcp",
        "/?q=odd",
        &format!("/evidence/{run_id}"),
    ] {
        let page = get(&router, address).await.body;
        html::parse(&page);
        assert!(!page.contains(['\u{202E}', '\u{200B}']), "{address}");
        assert!(
            !page.contains("<script>alert") && !page.contains("<img") && !page.contains("<i>"),
            "{address}"
        );
    }
    let page = get(&router, "/servers/hostile.example-mcp").await.body;
    assert!(page.contains("a<span class=\"esc\">U+202E</span><span class=\"esc\">U+200B</span>b"));
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    let page = get(&router, "/servers/odd.example-mcp").await.body;
    // In a shell the address is one word.
    assert!(page.contains(
        "&#39;https://odd.example/?a=&#39;\\&#39;&#39;$(id)&#39;\\&#39;&#39;&amp;b=&lt;i&gt;&#39;"
    ));
    let search = get(&router, "/?q=%3Cscript%3E%E2%80%AE").await.body;
    assert!(
        search.contains("&lt;script&gt;<span class=\"esc\">U+202E</span>")
            && !search.contains("<script>")
    );
    html::parse(&search);
}

#[tokio::test]
async fn the_twins_of_our_own_fleet_say_what_the_pages_say() {
    let router = Sample::new().router();
    let twin = get(&router, "/status.json").await;
    let twin: Value = serde_json::from_str(&twin.body).unwrap();
    assert_eq!(twin["prober"]["state"], "observing");
    assert_eq!(twin["prober"]["unrecorded_after_s"], 1_200);
    assert_eq!(twin["prober"]["unfinished_after_s"], 480);
    assert_eq!(twin["regions_without_agent"], serde_json::json!(["fra-1"]));
    assert_eq!(twin["slots"]["missed"]["no_agent"], 34);
    let fleet = get(&router, "/fleet.json").await;
    let fleet: Value = serde_json::from_str(&fleet.body).unwrap();
    assert_eq!(fleet["regions"][0]["queued"], 4);
    assert_eq!(
        fleet["regions"][0]["oldest_queued_at"],
        "2026-11-30T14:01:51.000Z"
    );
    assert!(fleet["regions"][1]["last_result_at"].is_null());
    let mut down = Sample::new();
    down.down = true;
    let router = down.router();
    for address in ["/status", "/fleet.json"] {
        let answer = get(&router, address).await;
        assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE, "{address}");
    }
}

/// Pages as they were when last looked at by eye. The rows of days, the
/// symbols and the names of assets are left out: they say nothing here.
#[tokio::test]
async fn a_history_has_a_twin_and_takes_only_times() {
    let router = Sample::new().router();
    let twin = get(&router, &format!("{FULL}/changes.json")).await;
    let twin: Value = serde_json::from_str(&twin.body).unwrap();
    assert_eq!(twin["change_count"], 2);
    let change = &twin["changes"][0];
    assert_eq!(change["runs_without_a_list_between"], 2);
    let parts: Vec<_> = change["changes"].as_array().unwrap().iter().collect();
    let told = |part: &Value| format!("{} {} {}", part["tool"], part["part"], part["classes"]);
    let told: Vec<_> = parts.into_iter().map(told).collect();
    assert_eq!(
        told,
        [
            r#""find_station" "description" []"#,
            r#""find_station" "annotations" ["annotation_downgraded"]"#,
            r#""find_station" "input_schema" ["widened","narrowed","new_required_field"]"#,
            r#""old_<b>tool" "removed" []"#,
        ]
    );
    assert!(twin["changes"][1]["changes"].is_null());
    for (address, status) in [
        ("/servers/nobody/changes", StatusCode::NOT_FOUND),
        ("/servers/nobody/changes.json", StatusCode::NOT_FOUND),
        (&format!("{FULL}/changes?before=x"), StatusCode::BAD_REQUEST),
    ] {
        assert_eq!(get(&router, address).await.status, status, "{address}");
    }
}

#[tokio::test]
async fn pages_are_as_they_were_looked_at() {
    let sample = Sample::new();
    let run_id = sample.evidence[0].run.run_id.clone();
    let router = sample.router();
    for (name, address) in [
        ("directory", "/"),
        ("report-full", FULL),
        ("report-full-zh", &format!("/zh{FULL}")),
        ("report-limited", LIMITED),
        ("report-unsigned", UNSIGNED),
        ("report-pending", PENDING),
        ("changes", &format!("{FULL}/changes")),
        ("changes-zh", &format!("/zh{FULL}/changes?before=1")),
        ("evidence", &format!("/evidence/{run_id}")),
        ("keys", "/keys"),
        ("status", "/status"),
        ("status-zh", "/zh/status"),
        ("fleet", "/fleet"),
        ("method", "/method"),
        ("method-hygiene", "/method/tool_description_hygiene"),
        ("method-redirect-zh", "/zh/method/redirect_policy"),
    ] {
        insta::assert_snapshot!(name, looked_at(&get(&router, address).await.body));
    }
}

fn looked_at(page: &str) -> String {
    let digest =
        |part: &str| part.len() > 12 && part.as_bytes()[..12].iter().all(u8::is_ascii_hexdigit);
    page.lines()
        .filter(|line| {
            !line.contains("<tr><th scope=\"row\"><time datetime") && !line.contains("<symbol ")
        })
        .map(|line| {
            if !line.contains("\"/assets/") {
                return line.trim_end().to_owned();
            }
            let parts: Vec<&str> = line.split('-').collect();
            parts
                .iter()
                .map(|part| if digest(part) { &part[12..] } else { part })
                .collect::<Vec<_>>()
                .join("-")
        })
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

fn around<'a>(page: &'a str, found: &str) -> &'a str {
    let at = page.find(found).unwrap_or(0);
    let start = (at.saturating_sub(120)..=at)
        .find(|i| page.is_char_boundary(*i))
        .unwrap_or(0);
    &page[start..at + found.len()]
}

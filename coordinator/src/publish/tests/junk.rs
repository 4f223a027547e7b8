//! Addresses, methods and headers that no reader of ours sends: each is
//! answered by a page of ours, or by JSON where that was asked for.

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, header};
use http_body_util::BodyExt as _;
use serde_json::Value;
use tower::ServiceExt as _;

use super::sample::Sample;
use super::{FULL, html};

/// Every pattern of the router, with a place for junk.
const ROUTES: [&str; 14] = [
    "/{}",
    "/servers/{}",
    "/servers/{}.json",
    "/servers/mcp.harbour-tides.example-mcp/runs/{}",
    "/servers/{}/runs/{}",
    "/evidence/{}",
    "/evidence/{}.json",
    "/evidence/{}/payload.json",
    "/evidence/{}/tools-1.json",
    "/keys/{}",
    "/keys/{}.pem",
    "/method/{}",
    "/assets/{}",
    "/.well-known/{}",
];

struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

async fn ask(router: &Router, request: Request<Body>) -> Answer {
    let response = router.clone().oneshot(request).await.unwrap();
    let (head, body) = response.into_parts();
    Answer {
        status: head.status,
        headers: head.headers,
        body: body.collect().await.unwrap().to_bytes().to_vec(),
    }
}

fn request(method: Method, address: &str) -> Request<Body> {
    Request::builder()
        .method(method)
        .uri(address)
        .body(Body::empty())
        .unwrap()
}

fn names_data(address: &str) -> bool {
    address
        .rsplit_once('.')
        .is_some_and(|(_, ending)| ending == "json")
}

/// That a refusal is ours, in the form that was asked for.
fn is_ours(answer: &Answer, data: bool, what: &str) {
    assert!(answer.status.is_client_error(), "{what}: {}", answer.status);
    assert_eq!(answer.headers[header::CACHE_CONTROL], "no-store", "{what}");
    assert!(
        answer.headers.contains_key(header::CONTENT_SECURITY_POLICY),
        "{what}"
    );
    let body = std::str::from_utf8(&answer.body).unwrap();
    if data {
        assert_eq!(
            answer.headers[header::CONTENT_TYPE],
            "application/problem+json",
            "{what}"
        );
        let problem: Value = serde_json::from_str(body).unwrap();
        assert_eq!(problem["status"], answer.status.as_u16(), "{what}");
    } else {
        assert_eq!(
            answer.headers[header::CONTENT_TYPE],
            "text/html; charset=utf-8",
            "{what}"
        );
        html::parse(body);
        assert!(
            body.contains("<main") && body.contains("problem/"),
            "{what}"
        );
    }
}

#[tokio::test]
async fn no_address_is_answered_by_anything_but_a_page_of_ours() {
    let router = Sample::new().router();
    let long = "a".repeat(20_000);
    for junk in [
        "%ff",
        "%c3%28",
        "a%00b",
        "%",
        "%zz",
        "..%2f..%2fetc%2fpasswd",
        "..",
        "%2e%2e",
        "a%20b",
        "%3Cscript%3E",
        "%E2%80%AE",
        "'\"()",
        &long,
    ] {
        for route in ROUTES {
            for prefix in ["", "/zh"] {
                let address = format!("{prefix}{}", route.replace("{}", junk).replace('"', "%22"));
                let data = names_data(&address);
                let answer = ask(&router, request(Method::GET, &address)).await;
                let what = format!("{prefix}{route} with {}", &junk[..junk.len().min(20)]);
                is_ours(&answer, data, &what);
            }
        }
    }
    let undecodable = ask(&router, request(Method::GET, "/zh/servers/%ff")).await;
    assert_eq!(undecodable.status, StatusCode::BAD_REQUEST);
    let body = String::from_utf8(undecodable.body).unwrap();
    assert!(body.contains("这个地址读不懂"), "{body}");
}

#[tokio::test]
async fn a_query_is_read_or_refused_by_a_page_of_ours() {
    let router = Sample::new().router();
    for (address, status) in [
        ("/?q=%ff", StatusCode::OK),
        ("/?q=%00", StatusCode::OK),
        ("/?other=1", StatusCode::OK),
        ("/?q", StatusCode::OK),
        ("/?after=%ff", StatusCode::OK),
        ("/?q=a&q=b", StatusCode::BAD_REQUEST),
        ("/?sig=gold", StatusCode::BAD_REQUEST),
        ("/zh?sig=%ff", StatusCode::BAD_REQUEST),
    ] {
        let answer = ask(&router, request(Method::GET, address)).await;
        assert_eq!(answer.status, status, "{address}");
        if status != StatusCode::OK {
            is_ours(&answer, false, address);
        }
    }
    let long = format!("/?q={}", "a".repeat(20_000));
    assert_eq!(
        ask(&router, request(Method::GET, &long)).await.status,
        StatusCode::OK
    );
}

#[tokio::test]
async fn another_method_is_refused_with_those_that_are_not() {
    let router = Sample::new().router();
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "BREW"] {
        for address in ["/", FULL, "/keys", "/keys.json", "/method", "/zh/keys"] {
            let method = Method::from_bytes(method.as_bytes()).unwrap();
            let what = format!("{method} {address}");
            let answer = ask(&router, request(method, address)).await;
            assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED, "{what}");
            assert_eq!(answer.headers[header::ALLOW], "GET, HEAD", "{what}");
            is_ours(&answer, names_data(address), &what);
        }
    }
    for address in ["/", FULL, "/keys.json"] {
        let answer = ask(&router, request(Method::HEAD, address)).await;
        assert_eq!(answer.status, StatusCode::OK, "{address}");
        assert!(answer.body.is_empty(), "{address}");
    }
}

#[tokio::test]
async fn who_accepts_json_alone_is_refused_in_json() {
    let router = Sample::new().router();
    for (accept, data) in [
        ("application/json", true),
        ("application/problem+json;q=0.9, */*;q=0.1", true),
        ("text/html, application/json", false),
        ("*/*", false),
        ("\u{ff}", false),
    ] {
        for address in ["/nothing", "/servers/%ff", "/?sig=gold", "/keys/0000.pem"] {
            let mut request = request(Method::GET, address);
            let accept = HeaderValue::from_bytes(accept.as_bytes()).unwrap();
            request.headers_mut().insert(header::ACCEPT, accept.clone());
            let answer = ask(&router, request).await;
            is_ours(&answer, data, &format!("{address} for {accept:?}"));
        }
    }
    let mut refused = request(Method::POST, FULL);
    let json = HeaderValue::from_static("application/json");
    refused.headers_mut().insert(header::ACCEPT, json);
    let answer = ask(&router, refused).await;
    is_ours(&answer, true, "POST for JSON");
    assert_eq!(answer.headers[header::ALLOW], "GET, HEAD");
}

#[tokio::test]
async fn huge_and_broken_headers_change_nothing() {
    let router = Sample::new().router();
    for name in ["host", "accept", "accept-language", "cookie", "x-other"] {
        for value in [vec![b'a'; 60_000], vec![0xff; 100], b"'\"<script>".to_vec()] {
            let mut request = request(Method::GET, "/keys");
            let value = HeaderValue::from_bytes(&value).unwrap();
            request
                .headers_mut()
                .insert(HeaderName::from_static(name), value);
            let answer = ask(&router, request).await;
            assert_eq!(answer.status, StatusCode::OK, "{name}");
            let body = String::from_utf8(answer.body).unwrap();
            assert!(
                !body.contains("aaaaaaaa") && !body.contains("'\"<script>"),
                "{name}"
            );
        }
    }
}

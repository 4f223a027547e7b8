//! Answers as such: headers, errors, methods, assets, compression.

use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use http_body_util::BodyExt as _;
use tower::ServiceExt as _;

use super::sample::Sample;
use super::{FULL, ask, get, html};

#[tokio::test]
async fn every_answer_carries_the_policy() {
    let sample = Sample::new();
    let run_id = sample.evidence[0].run.run_id.clone();
    let router = sample.router();
    for address in [
        "/",
        "/nothing",
        "/keys.json",
        &format!("/evidence/{run_id}/payload.json"),
        "/assets/x.css",
    ] {
        let headers = get(&router, address).await.headers;
        assert_eq!(
            headers[header::CONTENT_SECURITY_POLICY],
            "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; \
             form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
            "{address}"
        );
        assert_eq!(headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
    }
}

#[tokio::test]
async fn what_is_not_there_says_so_in_the_language_of_its_address() {
    let sample = Sample::new();
    let pending = sample
        .evidence
        .iter()
        .find(|e| e.envelope.is_none())
        .unwrap()
        .run
        .run_id
        .clone();
    let router = sample.router();
    let long = format!("/servers/{}", "a".repeat(300));
    for (address, said) in [
        ("/nothing", "There is no page at this address"),
        ("/zh/nothing", "这个地址没有页面"),
        ("/zhongwen", "There is no page at this address"),
        ("/servers/nobody", "There is no such target or run"),
        ("/servers/UPPER%2F..", "There is no such target or run"),
        (&long, "There is no such target or run"),
        (
            &format!("{FULL}/runs/none"),
            "or the run was pruned: runs and their evidence are kept for 100 days",
        ),
        ("/zh/evidence/0123abcd", "run 和它的证据只保留 100 天"),
        (&format!("/zh/evidence/{pending}"), "这个 id 没有证据"),
        ("/evidence/%22%3E", "There is no evidence under this id"),
        ("/keys/0000.pem", "There is no key under this id"),
        (
            "/keys/0000000000000000.pem",
            "There is no key under this id",
        ),
    ] {
        let answer = get(&router, address).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{address}");
        html::parse(&answer.body);
        assert!(answer.body.contains(said), "{address}");
        assert_eq!(answer.headers[header::CACHE_CONTROL], "no-store");
    }
    let data = get(&router, "/servers/nobody.json").await;
    assert_eq!(data.status, StatusCode::NOT_FOUND);
    assert_eq!(
        data.headers[header::CONTENT_TYPE],
        "application/problem+json"
    );
    for address in ["/?sig=gold", &format!("/?after={}", "x".repeat(600))] {
        assert_eq!(
            get(&router, address).await.status,
            StatusCode::BAD_REQUEST,
            "{address}"
        );
    }
}

#[tokio::test]
async fn a_store_that_does_not_answer_is_ours_and_is_not_explained() {
    let mut sample = Sample::new();
    sample.down = true;
    let router = sample.router();
    for address in [
        "/",
        FULL,
        "/keys",
        "/keys.json",
        "/zh/keys",
        &format!("{FULL}.json"),
    ] {
        let answer = get(&router, address).await;
        assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE, "{address}");
        assert_eq!(answer.headers[header::RETRY_AFTER], "30");
        assert!(!answer.body.contains("disk"), "{address}");
    }
    let mut sample = Sample::new();
    sample.keys = None;
    let run_id = sample.evidence[0].run.run_id.clone();
    let router = sample.router();
    assert_eq!(
        get(&router, "/keys").await.status,
        StatusCode::SERVICE_UNAVAILABLE
    );
    // The page stands without the document; a bundle would not hold its key.
    assert_eq!(
        get(&router, &format!("/evidence/{run_id}")).await.status,
        StatusCode::OK
    );
    let bundle = get(&router, &format!("/evidence/{run_id}.json")).await;
    assert_eq!(bundle.status, StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test]
async fn pages_are_only_read() {
    let router = Sample::new().router();
    for method in [Method::POST, Method::PUT, Method::DELETE] {
        let answer = ask(&router, method, FULL).await;
        assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED);
        assert_eq!(answer.headers[header::ALLOW], "GET, HEAD");
    }
    let (head, page) = (
        ask(&router, Method::HEAD, FULL).await,
        get(&router, FULL).await,
    );
    assert_eq!((head.status, head.body.as_str()), (StatusCode::OK, ""));
    assert_eq!(
        head.headers[header::CONTENT_TYPE],
        page.headers[header::CONTENT_TYPE]
    );
}

#[tokio::test]
async fn assets_are_named_by_their_content_and_kept_for_ever() {
    let router = Sample::new().router();
    let page = get(&router, "/").await.body;
    let style = page
        .split("<link rel=\"stylesheet\" href=\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    let answer = get(&router, style).await;
    assert_eq!(answer.body, include_str!("../assets/touchstone.css"));
    assert!(
        answer.headers[header::CACHE_CONTROL]
            .to_str()
            .unwrap()
            .contains("immutable")
    );
    assert_eq!(
        get(&router, "/assets/touchstone.css").await.status,
        StatusCode::NOT_FOUND
    );
}

#[tokio::test]
async fn a_long_answer_is_compressed_for_who_asks() {
    let router = Sample::new().router();
    let request = Request::builder()
        .uri(FULL)
        .header(header::ACCEPT_ENCODING, "gzip")
        .body(Body::empty())
        .unwrap();
    let response = router.oneshot(request).await.unwrap();
    assert_eq!(response.headers()[header::CONTENT_ENCODING], "gzip");
    let packed = response.into_body().collect().await.unwrap().to_bytes();
    assert!(packed.len() < 16 * 1024, "{}", packed.len());
}

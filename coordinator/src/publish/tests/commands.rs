//! The commands of an evidence page, run as printed on the files that they
//! would fetch.

use std::process::Command;

use axum::http::{StatusCode, header};
use serde_json::Value;
use touchstone_evidence::dsse::{self, Envelope};

use super::sample::{Sample, attestation_key};
use super::{get, html};

/// The code of each command of a page, as a browser would copy it.
fn printed(page: &str) -> Vec<String> {
    page.split("<code id=\"cmd-")
        .skip(1)
        .map(|rest| {
            let code = rest
                .split_once('>')
                .unwrap()
                .1
                .split("</code>")
                .next()
                .unwrap();
            code.replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&quot;", "\"")
                .replace("&#39;", "'")
                .replace("&amp;", "&")
        })
        .collect()
}

#[tokio::test]
async fn the_openssl_command_verifies_and_refuses_what_was_altered() {
    let sample = Sample::new();
    let run_id = sample.evidence[0].run.run_id.clone();
    let router = sample.router();
    let page = get(&router, &format!("/evidence/{run_id}")).await.body;
    html::parse(&page);
    let commands = printed(&page);
    let folder = tempfile::tempdir().unwrap();
    // Command 1 fetches; here the router answers what curl would ask.
    let fetched: Vec<&str> = commands[0]
        .lines()
        .map(|line| line.strip_prefix("curl -fsSO ").unwrap())
        .collect();
    assert_eq!(fetched.len(), 4);
    for url in fetched {
        let path = url.strip_prefix("http://touchstone.example").unwrap();
        let answer = get(&router, path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        std::fs::write(
            folder.path().join(path.rsplit('/').next().unwrap()),
            answer.body,
        )
        .unwrap();
    }
    let run = || {
        let output = Command::new("sh")
            .arg("-euc")
            .arg(&commands[2])
            .current_dir(folder.path())
            .output()
            .unwrap();
        (
            output.status.success(),
            String::from_utf8_lossy(&output.stdout).into_owned(),
        )
    };
    assert_eq!(
        run(),
        (true, "Signature Verified Successfully\n".to_owned())
    );
    // The bytes that were verified are the payload that the page offers.
    let payload = get(&router, &format!("/evidence/{run_id}/payload.json"))
        .await
        .body;
    assert_eq!(
        std::fs::read_to_string(folder.path().join("payload.json")).unwrap(),
        payload
    );

    let bundle = folder.path().join(format!("{run_id}.json"));
    let mut altered: Value = serde_json::from_slice(&std::fs::read(&bundle).unwrap()).unwrap();
    let other = data_encoding::BASE64.encode(payload.replace("UNVERIFIED", "VERIFIED").as_bytes());
    altered["envelope"]["payload"] = other.into();
    std::fs::write(&bundle, serde_json::to_string_pretty(&altered).unwrap()).unwrap();
    assert!(!run().0);
}

#[tokio::test]
async fn the_pages_of_the_tool_list_can_be_fetched_as_they_were_read() {
    let sample = Sample::new();
    let run_id = sample.evidence[0].run.run_id.clone();
    let router = sample.router();
    let page = get(&router, &format!("/evidence/{run_id}")).await.body;
    let command = printed(&page)
        .into_iter()
        .find(|code| code.contains("tools-1.json"))
        .unwrap();
    for line in [
        "curl -fsSO http://touchstone.example/scripts/recompute-fingerprints.mjs",
        "curl -fsSO http://touchstone.example/scripts/recompute_fingerprints.py",
        "node recompute-fingerprints.mjs tools-1.json",
        "python3 recompute_fingerprints.py tools-1.json",
    ] {
        assert!(command.lines().any(|printed| printed == line), "{line}");
    }
    let list = get(&router, &format!("/evidence/{run_id}/tools-1.json")).await;
    assert!(list.body.contains("get_tide_table"));
    for other in ["tools-0.json", "tools-2.json", "tools-x.json", "secret"] {
        let answer = get(&router, &format!("/evidence/{run_id}/{other}")).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{other}");
    }
}

#[tokio::test]
async fn what_a_reader_checks_with_is_served_as_what_it_is() {
    let sample = Sample::new();
    let run_id = sample.evidence[0].run.run_id.clone();
    let router = sample.router();
    let page = get(&router, &format!("/evidence/{run_id}")).await.body;
    let sigstore = format!("/evidence/{run_id}.sigstore.json");
    for (address, media_type, kept) in [
        (
            "/schema/payload-1.0.json",
            "application/schema+json",
            "public, max-age=86400",
        ),
        (
            "/scripts/recompute-fingerprints.mjs",
            "text/javascript; charset=utf-8",
            "public, max-age=86400",
        ),
        (
            "/scripts/recompute_fingerprints.py",
            "text/x-python; charset=utf-8",
            "public, max-age=86400",
        ),
        (
            &sigstore[..],
            "application/vnd.dev.sigstore.bundle.v0.3+json",
            "public, max-age=31536000, immutable",
        ),
    ] {
        let answer = get(&router, address).await;
        assert_eq!(answer.status, StatusCode::OK, "{address}");
        assert_eq!(answer.headers[header::CONTENT_TYPE], media_type);
        assert_eq!(answer.headers[header::CACHE_CONTROL], kept);
        assert!(
            page.contains(&format!("<a href=\"{address}\">")),
            "{address}"
        );
    }
    let bundle: Value = serde_json::from_str(&get(&router, &sigstore).await.body).unwrap();
    let envelope = get(&router, &format!("/evidence/{run_id}/envelope.json")).await;
    let envelope: Value = serde_json::from_str(&envelope.body).unwrap();
    assert_eq!(bundle["dsseEnvelope"], envelope);
    for address in [
        "/schema/payload-2.0.json",
        "/scripts/recompute.sh",
        "/evidence/none.sigstore.json",
        "/evidence/.sigstore.json",
    ] {
        let answer = get(&router, address).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{address}");
    }
}

/// The envelope of a run with another suite or another version in its payload.
fn resigned(envelope: &[u8], change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let envelope = Envelope::read(envelope).unwrap();
    let mut payload: Value = serde_json::from_slice(envelope.payload.as_bytes()).unwrap();
    change(&mut payload);
    let canonical = touchstone_canonical::canonicalize(payload.to_string().as_bytes()).unwrap();
    dsse::sign(&canonical, &attestation_key()).to_json()
}

#[tokio::test]
async fn a_page_says_what_its_payload_does_not_stand_for() {
    const DIRTY: &str = "was built from files with changes that commit 5cd55651e2c67e68ca5c7be384e0561b3e8e9c40 does not hold";
    const UNKNOWN: &str = "was built without its git history";
    const VERSION: &str = "Payload version 9.1 is not known here.";
    const RECIPE: &str = "git ls-tree";
    let show = async |change: fn(&mut Value)| {
        let mut sample = Sample::new();
        let evidence = &mut sample.evidence[0];
        evidence.envelope = Some(resigned(evidence.envelope.as_ref().unwrap(), change));
        let run_id = evidence.run.run_id.clone();
        get(&sample.router(), &format!("/evidence/{run_id}"))
            .await
            .body
    };
    let clean = show(|_| ()).await;
    assert!(clean.contains(RECIPE));
    for absent in [DIRTY, UNKNOWN, VERSION] {
        assert!(!clean.contains(absent), "{absent}");
    }
    let dirty = show(|payload| payload["predicate"]["suite"]["dirty"] = true.into()).await;
    assert!(dirty.contains(DIRTY) && dirty.contains(RECIPE));
    let unknown = show(|payload| {
        for key in ["suite_commit", "suite_digest", "dirty"] {
            payload["predicate"]["suite"][key] = Value::Null;
        }
    })
    .await;
    assert!(unknown.contains(UNKNOWN) && !unknown.contains(RECIPE));
    let newer = show(|payload| payload["predicate"]["payload_version"] = "9.1".into()).await;
    assert!(newer.contains(VERSION) && !newer.contains("/schema/"));
}

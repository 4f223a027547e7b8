//! The commands of an evidence page, run as printed on the files that they
//! would fetch.

use std::process::Command;

use axum::http::StatusCode;

use super::sample::Sample;
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
    assert_eq!(fetched.len(), 3);
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
    let mut altered: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&bundle).unwrap()).unwrap();
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
    assert!(command.contains("node shared/canonical/recompute-fingerprints.mjs tools-1.json"));
    let list = get(&router, &format!("/evidence/{run_id}/tools-1.json")).await;
    assert!(list.body.contains("get_tide_table"));
    for other in ["tools-0.json", "tools-2.json", "tools-x.json", "secret"] {
        let answer = get(&router, &format!("/evidence/{run_id}/{other}")).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{other}");
    }
}

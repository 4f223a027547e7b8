//! Places that a coordinator cannot listen at, or keep its database in.

use std::time::Duration;

use touchstone_coordinator::run;
use touchstone_telemetry::exit;

use super::spine;
use crate::support::{Engines, Site, on_every_engine, within};

on_every_engine!(
    a_place_that_is_taken_ends_the_start_with_its_name,
    a_place_that_cannot_be_used_is_a_fault_of_the_configuration,
);

async fn a_place_that_is_taken_ends_the_start_with_its_name(engines: Engines) {
    let (site, _signer, coordinator, _agent) = spine(engines, &[]).await;
    let start = async |config| {
        let (events, _receiver) = tokio::sync::mpsc::channel(8);
        let shutdown = tokio_util::sync::CancellationToken::new();
        let started = tokio::time::timeout(Duration::from_secs(5), run(config, shutdown, events));
        started.await.expect("it does not start").unwrap_err()
    };
    let second = start(site.config(&[])).await;
    assert_eq!(second.exit_code(), exit::CONFLICT, "{second:?}");
    let chain = format!("{}", std::error::Error::source(&second).unwrap());
    assert!(
        chain.contains("fleet.sock") && chain.contains("in use"),
        "{chain}"
    );
    let host = coordinator
        .pages_url
        .trim_start_matches("http://")
        .trim_end_matches('/');
    let mut config = Site::new(engines).await.config(&[]);
    config.pages_listen = host.parse().unwrap();
    assert_eq!(start(config).await.exit_code(), exit::CONFLICT);
    coordinator.stop().await;
}

async fn a_place_that_cannot_be_used_is_a_fault_of_the_configuration(engines: Engines) {
    let site = Site::new(engines).await;
    let file = site.path("file");
    std::fs::write(&file, "").unwrap();
    let inside = file.join("x");
    let base = || site.config(&[]);
    let socket = format!("unix:{}", inside.display());
    let mut foreign = base();
    foreign.pages_listen = ([192, 0, 2, 1], 8080).into();
    let mut agents = base();
    agents.agents_listen.clone_from(&socket);
    let mut operator = base();
    operator.operator_listen = socket;
    let mut database = base();
    database.queue_url = None;
    database.database_url = format!("sqlite:{}", inside.display()).into();
    for (config, key, place) in [
        (foreign, "pages_listen", "192.0.2.1:8080"),
        (agents, "agents_listen", "file/x"),
        (operator, "operator_listen", "file/x"),
        (database, "database", "file/x"),
    ] {
        let (events, _receiver) = tokio::sync::mpsc::channel(8);
        let shutdown = tokio_util::sync::CancellationToken::new();
        let started = within("the refusal", run(config, shutdown, events)).await;
        let error = started.unwrap_err();
        assert_eq!(error.exit_code(), exit::CONFIGURATION, "{key}: {error:?}");
        let said = touchstone_telemetry::Chain(&error).to_string();
        assert!(said.contains(key) && said.contains(place), "{key}: {said}");
    }
}

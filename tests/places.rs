//! Roles whose configuration names a place that they cannot have: an address,
//! a socket, a folder, a database.

use std::net::TcpListener;
use std::os::unix::fs::DirBuilderExt as _;

use crate::support::typed::{folder, run, words};

/// A place that a role's configuration names and that cannot be used is a fault
/// of the configuration, which a restart does not mend; one that another
/// process holds is a conflict.
#[test]
fn a_role_that_cannot_have_its_place_says_which_and_why() {
    let folder = folder();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap();
    let long = "s".repeat(108);
    let cases: Vec<(&str, String, i32, &str)> = vec![
        (
            "coordinator",
            "pages_listen = '192.0.2.1:8080'".to_owned(),
            78,
            "pages_listen: this machine has no address 192.0.2.1:8080",
        ),
        (
            "coordinator",
            format!("pages_listen = '{taken}'"),
            9,
            "is in use",
        ),
        (
            "coordinator",
            format!("pages_listen = '127.0.0.1:0'\nagents_listen = '{taken}'"),
            9,
            "agents_listen",
        ),
        (
            "coordinator",
            "pages_listen = '127.0.0.1:0'\nagents_listen = 'unix:text/a.sock'".to_owned(),
            78,
            "agents_listen: text/a.sock",
        ),
        (
            "coordinator",
            "pages_listen = '127.0.0.1:0'\nagents_listen = 'unix:text'".to_owned(),
            78,
            "no socket; move it away",
        ),
        (
            "coordinator",
            "pages_listen = '127.0.0.1:0'\noperator_listen = 'unix:/proc/o.sock'".to_owned(),
            78,
            "operator_listen: /proc/o.sock",
        ),
        (
            "coordinator",
            "pages_listen = '127.0.0.1:0'\ndatabase = 'sqlite:text/db'".to_owned(),
            78,
            "text/db",
        ),
        (
            "coordinator",
            format!("agents_listen = 'unix:{long}'"),
            78,
            "line 1: agents_listen is a path of 108 bytes",
        ),
        (
            "coordinator",
            "agents_listen = 'http://u:hunter2@127.0.0.1:1'".to_owned(),
            78,
            "line 1: agents_listen holds a user name",
        ),
        (
            "coordinator",
            "database = 'mysql://u:hunter2@db.example/t'\npages_listen = '127.0.0.1:0'".to_owned(),
            78,
            "database_url",
        ),
        ("signer", "data = 'text'".to_owned(), 78, "text"),
        (
            "signer",
            "data = '/proc/signer'".to_owned(),
            78,
            "/proc/signer",
        ),
        ("signer", "socket = 'text/s.sock'".to_owned(), 78, "text"),
        (
            "signer",
            "socket = 'own/text'\nadmin_socket = 'own/a.sock'".to_owned(),
            9,
            "no socket; move it away",
        ),
        (
            "signer",
            format!("admin_socket = '{long}'"),
            78,
            "line 1: the path of admin_socket",
        ),
        ("probe-agent", "data = 'text'".to_owned(), 78, "text"),
        (
            "probe-agent",
            "data = '/proc/agent'".to_owned(),
            78,
            "/proc/agent",
        ),
        (
            "probe-agent",
            "trust_ca = ['none.pem']".to_owned(),
            78,
            "none.pem",
        ),
        (
            "probe-agent",
            format!("coordinator = 'unix:{long}'"),
            78,
            "line 1: ",
        ),
        (
            "probe-agent",
            "coordinator = 'http://u:hunter2@127.0.0.1:1'".to_owned(),
            78,
            "line 1: the coordinator's address holds a user name",
        ),
        (
            "probe-agent",
            "deny_net = ['10.0.0.1']".to_owned(),
            78,
            "line 1: ",
        ),
    ];
    let own = folder.path().join("own");
    std::fs::DirBuilder::new().mode(0o700).create(&own).unwrap();
    std::fs::write(own.join("text"), "mine").unwrap();
    for (role, text, exit, says) in &cases {
        std::fs::write(folder.path().join("role.toml"), text).unwrap();
        let output = run(folder.path(), &words(&format!("{role} --config role.toml")));
        let log = String::from_utf8_lossy(&output.stderr);
        // Logs come before it; the last line is the sentence.
        let said = log.lines().last().unwrap_or_default();
        assert_eq!(output.status.code(), Some(*exit), "{role} {text}: {log}");
        assert!(said.contains(says), "{role} {text}: {log}");
        assert!(!log.contains("hunter2"), "{role} {text}: {log}");
    }
    assert_eq!(
        std::fs::read(folder.path().join("text")).unwrap(),
        b"this is no JSON\n"
    );
    assert_eq!(std::fs::read(own.join("text")).unwrap(), b"mine");
}

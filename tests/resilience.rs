//! Real processes killed for real: what was stored is signed later, what died
//! comes back, and a second start goes on where the first stopped.

use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::support::peers::{Kind, Peer, free_port};
use crate::support::until::until;
use crate::support::up::{Up, WITHIN, get, program};

fn kill_9(pid: i32) {
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(pid).unwrap(),
        rustix::process::Signal::KILL,
    )
    .unwrap();
}

fn alive(pid: i32) -> bool {
    rustix::process::test_kill_process(rustix::process::Pid::from_raw(pid).unwrap()).is_ok()
}

fn runs_of(up: &Up, slug: &str) -> usize {
    let (status, twin) = get(&format!("{}/servers/{slug}.json", up.pages));
    assert_eq!(status, 200);
    let twin: Value = serde_json::from_str(&twin).unwrap();
    twin["runs"].as_array().map_or(0, Vec::len)
}

#[test]
fn a_second_start_goes_on_where_the_first_stopped() {
    let peer = Peer::start(Kind::Ts2);
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut first = Up::start(&data, &[&peer.url]);
    let result = first.result_of(&peer.url);
    let (slug, key) = (
        result["slug"].as_str().unwrap().to_owned(),
        result["key_id"].clone(),
    );
    assert_eq!(runs_of(&first, &slug), 1);
    assert!(
        first.never(|event| event["event"] == "store"),
        "a healthy store has nothing to say"
    );
    let (code, took) = first.interrupt();
    assert_eq!(code, Some(0));
    assert!(took < Duration::from_secs(20), "stopping took {took:?}");

    // Without naming it again: the target is remembered, its slot is done, and
    // only the second server is new.
    let other = Peer::start(Kind::Ts1Json);
    let mut second = Up::start(&data, &[&other.url]);
    let result = second.result_of(&other.url);
    assert_eq!(result["key_id"], key, "the signer kept its key");
    assert_eq!(runs_of(&second, &slug), 1, "the same slot is not run twice");
    let (status, _) = get(&format!("{}/servers/{slug}", second.pages));
    assert_eq!(status, 200);
    assert_eq!(second.interrupt().0, Some(0));
}

#[test]
fn a_role_that_was_killed_comes_back() {
    let peer = Peer::start(Kind::Ts2);
    let folder = tempfile::tempdir().unwrap();
    let mut up = Up::start(&folder.path().join("data"), &[&peer.url]);
    up.result_of(&peer.url);
    for role in ["signer", "probe-agent", "coordinator"] {
        let pid = up.pid_of(role);
        kill_9(pid);
        up.event(role, |event| {
            event["event"] == "died" && event["role"] == role
        });
        let again = up.event(role, |event| {
            event["event"] == "started" && event["role"] == role && event["pid"] != pid
        });
        assert!(again["pid"].is_i64());
    }
    up.forget();
    up.event("the agent again", |event| event["event"] == "agent_joined");
    assert_eq!(up.interrupt().0, Some(0));
}

#[test]
fn a_run_made_while_the_signer_is_away_is_signed_when_it_is_back() {
    let peer = Peer::start(Kind::Ts2);
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut up = Up::start(&data, &[&peer.url]);
    up.result_of(&peer.url);
    assert_eq!(up.interrupt().0, Some(0));

    // A token that nobody needed must not hold up an agent that is in the fleet.
    std::fs::write(data.join("agent/join-token"), "left-behind").unwrap();
    let other = Peer::start(Kind::Ts1Json);
    let mut up = Up::start(&data, &[&other.url]);
    let signer = rustix::process::Pid::from_raw(up.pid_of("signer")).unwrap();
    rustix::process::kill_process(signer, rustix::process::Signal::STOP).unwrap();
    let run = up.event("the run", |event| {
        event["event"] == "run" && event["url"] == other.url
    });
    let run_id = run["run_id"].as_str().unwrap();
    let (status, page) = get(&format!(
        "{}/servers/{}",
        up.pages,
        run["slug"].as_str().unwrap()
    ));
    assert_eq!(status, 200);
    assert!(
        !page.contains("data-state=\"verified\""),
        "nothing is concluded before it is signed"
    );
    assert_eq!(get(&format!("{}/evidence/{run_id}.json", up.pages)).0, 404);
    rustix::process::kill_process(signer, rustix::process::Signal::CONT).unwrap();
    let result = up.result_of(&other.url);
    assert_eq!(result["event"], "attested");
    assert_eq!(result["run_id"], run_id, "the same run, not another one");
    assert_eq!(up.interrupt().0, Some(0));
}

#[test]
fn children_end_with_an_up_that_was_killed() {
    let folder = tempfile::tempdir().unwrap();
    let mut up = Up::start(&folder.path().join("data"), &[]);
    let pids = ["signer", "coordinator", "probe-agent"].map(|role| up.pid_of(role));
    drop(up); // SIGKILL
    until(Duration::from_secs(30), || {
        match pids.iter().find(|pid| alive(**pid)) {
            Some(pid) => Err(format!("process {pid} is still there")),
            None => Ok(()),
        }
    });
}

#[test]
fn two_of_everything_is_a_conflict_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let up = Up::start(&data, &[]);
    let same_folder = Command::new(program())
        .args(["up", "--listen", "127.0.0.1:0", "--data"])
        .arg(&data)
        .output()
        .unwrap();
    assert_eq!(same_folder.status.code(), Some(9));
    assert!(String::from_utf8_lossy(&same_folder.stderr).contains("--data"));
    let listen = up.pages.strip_prefix("http://").unwrap();
    let same_port = Command::new(program())
        .args(["up", "--listen", listen, "--data"])
        .arg(folder.path().join("other"))
        .output()
        .unwrap();
    assert_eq!(
        same_port.status.code(),
        Some(9),
        "{}",
        String::from_utf8_lossy(&same_port.stderr)
    );
    assert!(String::from_utf8_lossy(&same_port.stderr).contains(listen));
    assert_eq!(up.interrupt().0, Some(0));
}

#[test]
fn a_bundle_of_check_verifies_and_a_changed_one_does_not() {
    let peer = Peer::start(Kind::Ts2);
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("bundle.json");
    let check = Command::new(program())
        .args(["check", "--allow-net", "127.0.0.0/8", &peer.url, "--bundle"])
        .arg(&bundle)
        .output()
        .unwrap();
    let table = String::from_utf8(check.stdout).unwrap();
    assert_eq!(check.status.code(), Some(0), "{table}");
    assert!(
        table.contains("tools_list") && table.contains("VERIFIED") && !table.contains('\u{1b}'),
        "{table}"
    );
    let verify = |file: &std::path::Path, more: &[&str]| {
        Command::new(program())
            .arg("verify")
            .arg(file)
            .args(more)
            .output()
            .unwrap()
            .status
            .code()
    };
    assert_eq!(verify(&bundle, &[]), Some(0));
    assert_eq!(verify(&bundle, &["--replay"]), Some(0));

    let text = std::fs::read_to_string(&bundle).unwrap();
    let mut value: Value = serde_json::from_str(&text).unwrap();
    let payload = value["envelope"]["payload"].as_str().unwrap();
    let payload = data_encoding::BASE64.decode(payload.as_bytes()).unwrap();
    let changed = String::from_utf8(payload)
        .unwrap()
        .replacen("VERIFIED", "FAILED", 1);
    value["envelope"]["payload"] = data_encoding::BASE64.encode(changed.as_bytes()).into();
    let forged = folder.path().join("forged.json");
    std::fs::write(&forged, value.to_string()).unwrap();
    assert_eq!(verify(&forged, &[]), Some(7));

    // Another fleet's keys do not know this key: neither valid nor invalid.
    let up = Up::start(&folder.path().join("data"), &[]);
    let keys = folder.path().join("keys.json");
    until(Duration::from_secs(30), || {
        match get(&format!("{}/keys.json", up.pages)) {
            (200, document) => {
                std::fs::write(&keys, document).unwrap();
                Ok(())
            }
            (status, _) => Err(format!("status {status}: the signer was not asked yet")),
        }
    });
    assert_eq!(
        verify(&bundle, &["--keys", keys.to_str().unwrap()]),
        Some(8)
    );
    assert_eq!(up.interrupt().0, Some(0));
}

#[test]
fn a_locked_database_is_said_and_nothing_is_lost() {
    let peer = Peer::start(Kind::Ts2);
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let up = Up::start(&data, &[]);
    assert_eq!(up.interrupt().0, Some(0));

    let mut up = Up::start(&data, &[&peer.url]);
    let mut lock = Command::new("python3")
        .args(["-c", "import sqlite3,sys; c=sqlite3.connect(sys.argv[1],isolation_level=None,timeout=20); c.execute('BEGIN IMMEDIATE'); print('held',flush=True); sys.stdin.read()"])
        .arg(data.join("coordinator/touchstone.sqlite"))
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut held = [0; 4];
    std::io::Read::read_exact(lock.stdout.as_mut().unwrap(), &mut held).unwrap();
    up.event("the lock", |event| {
        event["event"] == "store" && event["health"] == "locked"
    });
    drop(lock.stdin.take());
    lock.wait().unwrap();
    up.event("the end of it", |event| {
        event["event"] == "store" && event["health"] == "ok"
    });
    assert_eq!(up.result_of(&peer.url)["event"], "attested");
    assert_eq!(up.interrupt().0, Some(0));
}

#[test]
fn a_role_that_cannot_start_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut up = Up::start(&data, &[]);
    up.event("the agent", |event| event["event"] == "agent_joined");
    assert_eq!(up.interrupt().0, Some(0));
    let key = data.join("signer/attestation.pem");
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    std::fs::set_permissions(&key, open).unwrap();
    let mut up = Up::start(&data, &[]);
    let died = up.event("the refusal", |event| {
        event["event"] == "died" && event["role"] == "signer"
    });
    assert!(
        died["why"].as_str().unwrap().contains("chmod 600"),
        "{died}"
    );
    assert_eq!(up.interrupt().0, Some(0));
}

#[test]
fn a_start_right_after_up_was_killed_waits_for_its_roles_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut first = Up::start(&data, &[]);
    first.event("the agent", |event| event["event"] == "agent_joined");
    let pids = ["signer", "probe-agent", "coordinator"].map(|role| first.pid_of(role));
    // As by kill -9.
    drop(first);
    until(WITHIN, || match pids.iter().find(|pid| alive(**pid)) {
        Some(pid) => Err(format!("{pid} lives on")),
        None => Ok(()),
    });
    // In the place of a signer that has not stopped yet.
    let socket = data.join("run/signer.sock");
    let _ = std::fs::remove_file(&socket);
    let orphan = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let peer = Peer::start(Kind::Ts2);
    let mut second = Up::start(&data, &[&peer.url]);
    let died = second.event("the conflict", |event| {
        event["event"] == "died" && event["role"] == "signer"
    });
    assert!(
        died["why"].as_str().unwrap().contains("signer.sock"),
        "{died}"
    );
    drop(orphan);
    assert_eq!(second.result_of(&peer.url)["event"], "attested");
    assert_eq!(second.interrupt().0, Some(0));
}

#[test]
fn a_reader_that_stopped_reading_does_not_keep_up_from_stopping() {
    use std::io::Write as _;
    /// What a pipe holds, in bytes (pipe(7)).
    const PIPE_HOLDS: usize = 65_536;

    let folder = tempfile::tempdir().unwrap();
    let (_unread, mut pipe) = std::io::pipe().unwrap();
    pipe.write_all(&[b'\n'; PIPE_HOLDS]).unwrap();
    let listen = format!("127.0.0.1:{}", free_port());
    let mut up = Command::new(program())
        .args(["up", "--json", "--listen", &listen, "--data"])
        .arg(folder.path().join("data"))
        .stdout(pipe)
        .spawn()
        .unwrap();
    until(WITHIN, || {
        std::net::TcpStream::connect(&listen).map_err(|error| error.to_string())
    });
    let pid = rustix::process::Pid::from_raw(up.id().try_into().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    until(WITHIN, || match up.try_wait().unwrap() {
        Some(status) if status.success() => Ok(()),
        Some(status) => panic!("up ended with {status}"),
        None => Err("up still runs".to_owned()),
    });
}

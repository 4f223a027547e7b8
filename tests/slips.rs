//! People who mistype, and machines that are not as expected: each command
//! answers with one clear sentence that names what was given, and with the
//! exit code of its kind.

use std::ffi::OsString;
use std::net::TcpListener;
use std::os::unix::ffi::OsStringExt as _;
use std::process::{Command, Stdio};

use crate::support::typed::{folder, run, words};
use crate::support::up::program;

#[test]
fn a_slip_is_one_sentence_and_the_right_exit_code() {
    let folder = folder();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap();
    let in_use = format!("up --data d --listen {taken}");
    let cases: &[(&str, i32, &str)] = &[
        ("chekc https://mcp.example.com/mcp", 2, "'check'"),
        ("help chekc", 2, "unrecognized subcommand"),
        ("exit-code", 2, "'exit-codes'"),
        ("check", 2, "<URL>"),
        ("check ''", 2, "https://mcp.example.com/mcp"),
        ("check -", 2, "https://mcp.example.com/mcp"),
        ("check https://a.example/mcp b", 2, "'b'"),
        (
            "check mcp.example.com/mcp",
            2,
            "write https://mcp.example.com/mcp",
        ),
        ("check ftp://u:hunter2@a.example/", 2, "write it without"),
        ("check https://a.example/ --fail-on", 2, "--fail-on"),
        (
            "check https://a.example/ --fail-on warnings",
            2,
            "failed, risk",
        ),
        ("check https://a.example/ --suite http", 2, "mcp"),
        (
            "check https://a.example/ --trust-ca none.pem",
            2,
            "none.pem",
        ),
        (
            "check https://a.example/ --trust-ca a-folder",
            2,
            "a-folder",
        ),
        ("check https://a.example/ --trust-ca text", 2, "text"),
        (
            "check https://a.example/ --bundle a-folder",
            2,
            "--bundle a-folder",
        ),
        (
            "check https://a.example/ --bundle none/b.json",
            2,
            "--bundle none/b.json",
        ),
        (
            "check https://a.example/ --allow-net everything",
            2,
            "everything",
        ),
        (
            "check https://a.example/ --deny-net everything",
            2,
            "everything",
        ),
        (
            "check https://a.example/ --deny-net 10.0.0.1",
            2,
            "10.0.0.1/32",
        ),
        (
            "check https://a.example/?api_key=hunter2",
            2,
            "\"api_key\" is named like a credential",
        ),
        (
            "up https://a.example/?token=hunter2",
            2,
            "\"token\" is named like a credential",
        ),
        ("check https://a.example/ --jsn", 2, "--json"),
        ("up ftp://mcp.example.com/", 2, "https://"),
        ("up https://u:hunter2@a.example/", 2, "write it without"),
        ("up u:hunter2@a.example", 2, "write it without"),
        ("up http://127.0.0.1:3000/mcp", 2, "--allow-net 127.0.0.0/8"),
        ("up --allow-net 127.0.0.1", 2, "127.0.0.1/32"),
        ("up --trust-ca text --listen 127.0.0.1:0", 2, "text"),
        ("up --lisen 127.0.0.1:1", 2, "--listen"),
        ("up --tier gold", 2, "unclaimed, free, indie"),
        ("up --listen 8080", 2, "127.0.0.1:8080"),
        ("up --listen localhost:8080", 2, "127.0.0.1:8080"),
        ("up --listen 127.0.0.1:99999", 2, "65535"),
        (
            "up --data d --listen 192.0.2.1:8080",
            2,
            "--listen 192.0.2.1:8080 cannot be used: this machine has no such address",
        ),
        (
            &in_use,
            9,
            "cannot be used: it is in use by another program",
        ),
        ("up --data text", 2, "--data text cannot be used"),
        (
            "up --data text/below",
            2,
            "--data text/below cannot be used",
        ),
        (
            "up --data /proc/nowhere",
            2,
            "--data /proc/nowhere cannot be used",
        ),
        ("up --data ''", 2, "--data"),
        ("verify", 2, "<FILE>"),
        ("verify none.json", 2, "none.json"),
        ("verify a-folder", 2, "a-folder"),
        ("verify /proc/self/mem", 2, "/proc/self/mem"),
        ("verify empty", 2, "empty is empty"),
        ("verify -", 2, "standard input is empty"),
        ("verify text --keys none.json", 2, "none.json"),
        ("verify text --keys object.json", 2, "key document"),
        ("canonicalize", 2, "standard input is empty"),
        ("canonicalize text", 2, "text has no canonical form"),
        ("canonicalize a-folder", 2, "a-folder"),
        ("canonicalize text text", 2, "'text'"),
        ("fingerprint", 2, "standard input is empty"),
        ("fingerprint none.json", 2, "none.json"),
        (
            "fingerprint object.json",
            2,
            "object.json holds no tool list",
        ),
        ("fingerprint object.json a-folder", 2, "object.json"),
        ("lint", 2, "standard input is empty"),
        ("lint text", 2, "text is not JSON"),
        ("lint a-folder", 2, "a-folder"),
        ("lint object.json", 2, "object.json holds no tool list"),
        ("lint nameless.json", 2, "tool 1 of the list"),
        ("lint numbered.json", 2, "tool 0 of the list"),
        ("lint strings.json", 2, "tool 0 of the list"),
        ("lint --json nameless.json", 2, "tool 1 of the list"),
        ("baseline approve", 2, "<TARGET>"),
        ("baseline approve a", 2, "<RUN>"),
        ("baseline lst a", 2, "'list'"),
        ("baseline list a", 6, "touchstone-data"),
        ("baseline list a --data a-folder", 6, "a-folder"),
        ("baseline list a --data text", 6, "text"),
        ("config print sgner", 2, "'signer'"),
        ("config check", 2, "<FILE>"),
        ("config check none.toml", 2, "none.toml"),
        ("config check a-folder", 2, "a-folder"),
        ("config check bad.toml", 78, "line 1: unknown field `dtaa`"),
        ("config check text", 78, "line 1: "),
        (
            "config check bad.toml --role cordinator",
            2,
            "'coordinator'",
        ),
        ("completions", 2, "<SHELL>"),
        ("completions sh", 2, "bash"),
        ("man touchstone", 2, "'touchstone'"),
        ("signer --config none.toml", 2, "none.toml"),
        ("signer --config a-folder", 2, "a-folder"),
        (
            "signer --config bad.toml",
            78,
            "line 1: unknown field `dtaa`",
        ),
        (
            "probe-agent --config bad.toml",
            78,
            "line 1: unknown field `dtaa`",
        ),
        (
            "coordinator --config bad.toml",
            78,
            "line 1: unknown field `dtaa`",
        ),
        ("coordinator --config", 2, "--config"),
    ];
    for (line, exit, says) in cases {
        let output = run(folder.path(), &words(line));
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(*exit), "{line}: {said}");
        assert!(said.contains(says), "{line}: {said}");
        assert!(
            !said.contains("hunter2") && !said.contains("panicked"),
            "{line}: {said}"
        );
        if let Some(sentence) = said.strip_prefix("touchstone: ") {
            assert_eq!(sentence.lines().count(), 1, "{line}: {said}");
            assert!(!sentence.contains("touchstone: "), "{line}: {said}");
        } else {
            assert!(said.starts_with("error: "), "{line}: {said}");
        }
        assert!(
            output.stdout.is_empty() || line.starts_with("up "),
            "{line}"
        );
    }
    // What cannot be started leaves nothing to be taken for a run.
    assert!(
        !folder
            .path()
            .join("d/coordinator/touchstone.sqlite")
            .exists()
    );
}

#[test]
fn arguments_that_are_no_text_are_refused_or_are_names_of_files() {
    let folder = folder();
    let odd = OsString::from_vec(b"\xff\xfe".to_vec());
    for (command, exit) in [
        ("check", 2),
        ("up", 2),
        ("verify", 2),
        ("canonicalize", 2),
        ("fingerprint", 2),
        ("lint", 2),
        ("completions", 2),
        ("config check", 2),
        ("config print", 2),
        ("baseline list", 2),
        ("signer --config", 2),
        ("up --data d --listen", 2),
        ("check https://a.example/ --allow-net", 2),
    ] {
        let mut args = words(command);
        args.push(odd.clone());
        let output = run(folder.path(), &args);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(exit), "{command}: {said}");
        assert!(
            !said.is_empty() && !said.contains("panicked"),
            "{command}: {said}"
        );
    }
    std::fs::write(folder.path().join(&odd), "[]").unwrap();
    let output = run(folder.path(), &["lint".into(), odd]);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn every_command_has_a_help_that_names_its_arguments() {
    let folder = folder();
    for (command, names) in [
        ("", "Usage: touchstone"),
        ("up", "--listen"),
        ("check", "--deny-net"),
        ("verify", "--replay"),
        ("baseline", "approve"),
        ("baseline approve", "<RUN>"),
        ("baseline list", "--data"),
        ("canonicalize", "[FILE]"),
        ("fingerprint", "[FILES]"),
        ("lint", "--json"),
        ("signer", "--config"),
        ("probe-agent", "--config"),
        ("coordinator", "--config"),
        ("config", "print"),
        ("config print", "<ROLE>"),
        ("config check", "--role"),
        ("completions", "<SHELL>"),
        ("man", "Usage"),
        ("exit-codes", "78"),
    ] {
        let output = run(folder.path(), &words(&format!("{command} --help")));
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{command}");
        assert!(said.contains(names), "{command}: {said}");
        let asked = run(folder.path(), &words(&format!("help {command}")));
        assert_eq!(asked.stdout, output.stdout, "{command}");
    }
    // Without a command the same help, and the exit code of a slip.
    let bare = run(folder.path(), &[]);
    assert_eq!(bare.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&bare.stderr).contains("Usage: touchstone"));
}

/// `| head -0`: what nobody reads is dropped, and the exit code stays.
#[test]
fn a_reader_that_goes_away_changes_no_exit_code() {
    let folder = folder();
    for (line, exit) in [
        ("--help", 0),
        ("man", 0),
        ("exit-codes", 0),
        ("completions bash", 0),
        ("config print coordinator", 0),
        ("canonicalize object.json", 0),
        ("fingerprint strings.json", 3),
        ("verify --json object.json", 7),
        ("verify object.json", 7),
        ("up --data d --listen 127.0.0.1:0", 0),
    ] {
        let mut child = Command::new(program())
            .args(words(line))
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(exit), "{line}: {said}");
        assert!(said.is_empty(), "{line}: {said}");
    }
}

#[test]
fn a_disk_that_is_full_is_said_and_is_no_pass() {
    let folder = folder();
    for line in [
        "exit-codes",
        "config print signer",
        "canonicalize object.json",
    ] {
        let full = std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = Command::new(program())
            .args(words(line))
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(full)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{line}: {said}");
        assert!(
            said.contains("writing to standard output failed"),
            "{line}: {said}"
        );
    }
}

/// As large as a bundle may be, and one byte more.
#[test]
fn what_is_too_large_is_refused_with_the_bound_that_holds_for_every_command() {
    let folder = folder();
    let limit = touchstone_evidence::bundle::BUNDLE_LIMIT_BYTES;
    let file = folder.path().join("large");
    let large = std::fs::File::create(&file).unwrap();
    for (length, exit, says) in [
        (limit, 7, "not the JSON of an evidence bundle".to_owned()),
        (limit + 1, 2, format!("large is larger than {limit} bytes")),
    ] {
        large.set_len(length as u64).unwrap();
        let output = run(folder.path(), &words("verify large"));
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert_eq!(output.status.code(), Some(exit), "{said}");
        assert!(said.contains(&says), "{said}");
    }
    for command in [
        "canonicalize",
        "fingerprint",
        "lint",
        "verify text --keys",
        "config check",
    ] {
        let output = run(folder.path(), &words(&format!("{command} large")));
        let said = String::from_utf8_lossy(&output.stderr);
        let exit = if command == "config check" { 78 } else { 2 };
        assert_eq!(output.status.code(), Some(exit), "{command}: {said}");
        assert!(said.contains("larger than"), "{command}: {said}");
    }
}

//! The real program: whether it is locked while it serves, and what it does
//! on a machine where it cannot be.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};
use touchstone_proto::signer::KeysRequest;
use touchstone_proto::signer::signer_service_client::SignerServiceClient;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_touchstone-signer");
pub(crate) const CONFIG: [&str; 2] = ["--config", "signer.toml"];
pub(crate) const ALLOW: &str = "--allow-weak-isolation";
/// EX_CONFIG of sysexits.h.
const WRONG_CONFIG: i32 = 78;

/// Ended with the test, however that ends.
pub(crate) struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub(crate) fn every_thread_is_locked() {
    let folder = folder();
    let (signer, said) = started(command(PROGRAM, folder.path()).args(CONFIG).arg(ALLOW));
    let missing = missing(folder.path());
    assert_eq!(
        said.contains("isolation=full"),
        missing.is_empty(),
        "{said}"
    );
    let tasks = std::fs::read_dir(format!("/proc/{}/task", signer.0.id())).unwrap();
    let mut threads = 0;
    for task in tasks {
        let status = std::fs::read_to_string(task.unwrap().path().join("status")).unwrap();
        let holds = |line: &str| status.lines().any(|found| found == line);
        assert!(holds("NoNewPrivs:\t1"), "{status}");
        assert_eq!(
            holds("Seccomp:\t2"),
            !missing.contains(&"seccomp".to_owned()),
            "{status}"
        );
        threads += 1;
    }
    assert!(threads > 1, "a runtime has threads");
    drop(signer);
    // Without the flag it starts where nothing is missing, and only there.
    if missing.is_empty() {
        started(command(PROGRAM, folder.path()).args(CONFIG));
    } else {
        assert_refused(command(PROGRAM, folder.path()).args(CONFIG), &missing);
    }
}

pub(crate) fn an_old_kernel_is_refused() {
    let folder = folder();
    let mut old = on_an_old_kernel(folder.path());
    assert_refused(old.args(CONFIG), &["landlock".to_owned()]);
    assert!(!folder.path().join("run/signer.sock").exists());
}

pub(crate) fn a_weak_signer_says_so() {
    let folder = folder();
    let mut old = on_an_old_kernel(folder.path());
    let (_signer, said) = started(old.args(CONFIG).arg(ALLOW));
    assert!(said.contains("not isolated as it should be"), "{said}");
    assert!(
        said.contains("landlock: the kernel does not restrict"),
        "{said}"
    );
    assert!(missing(folder.path()).contains(&"landlock".to_owned()));
}

/// Becomes the program, in a process whose kernel has no Landlock.
pub(crate) fn without_landlock(program: &str, arguments: &[&str]) -> ExitCode {
    // linux/unistd.h, the same number on every architecture.
    const LANDLOCK_CREATE_RULESET: i64 = 444;
    const ENOSYS: u32 = 38;
    let filter = SeccompFilter::new(
        BTreeMap::from([(LANDLOCK_CREATE_RULESET, Vec::new())]),
        SeccompAction::Allow,
        SeccompAction::Errno(ENOSYS),
        TargetArch::try_from(std::env::consts::ARCH).unwrap(),
    );
    let filter: BpfProgram = filter.unwrap().try_into().unwrap();
    seccompiler::apply_filter(&filter).unwrap();
    panic!("{}", Command::new(program).args(arguments).exec());
}

pub(crate) fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let config = "log = { format = \"human\" }";
    std::fs::write(folder.path().join("signer.toml"), config).unwrap();
    folder
}

pub(crate) fn command(program: &str, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env_remove("RUST_LOG")
        .current_dir(folder)
        .stderr(Stdio::piped());
    command
}

fn on_an_old_kernel(folder: &Path) -> Command {
    let us = std::env::current_exe().unwrap();
    let mut command = command(us.to_str().unwrap(), folder);
    command.args(["without-landlock", PROGRAM]);
    command
}

/// A signer that is ready, and what it said until then.
pub(crate) fn started(command: &mut Command) -> (Running, String) {
    let mut running = Running(command.spawn().unwrap());
    let mut log = BufReader::new(running.0.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains("the signer is ready") || !said.ends_with('\n') {
        assert_ne!(log.read_line(&mut said).unwrap(), 0, "it ended: {said}");
    }
    // Its log is read to the end, so that it never waits for a reader.
    std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
    (running, said)
}

fn assert_refused(command: &mut Command, missing: &[String]) {
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(WRONG_CONFIG), "{said}");
    assert!(said.contains("cannot be isolated"), "{said}");
    assert!(said.contains(ALLOW), "{said}");
    for barrier in missing {
        assert!(said.contains(&format!("{barrier}: ")), "{said}");
    }
}

/// The barriers that a running signer says it has not.
fn missing(folder: &Path) -> Vec<String> {
    let socket = format!("unix:{}", folder.join("run/signer.sock").display());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut client = SignerServiceClient::connect(socket).await.unwrap();
        let keys = client.keys(KeysRequest {}).await.unwrap().into_inner();
        keys.isolation.unwrap().missing_barriers
    })
}

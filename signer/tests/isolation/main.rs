//! Whether the signer is shut in, asked from inside: this program starts
//! itself again, locks that process down as the signer does, and lets it try
//! to get out. Where the kernel has no such barriers, the signer must refuse
//! to start, and that is what is asserted then.
//!
//! Without the usual harness, whose threads would be there before the lock.

// These are tests, also where clippy does not see it.
#![allow(clippy::unwrap_used)]

mod attempts;
mod logged;
mod program;
#[path = "../../src/sample.rs"]
#[allow(dead_code)]
mod sample;

use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use attempts::Outside;
use touchstone_signer::sandbox::{Barrier, Isolation, Places};

type Test = (&'static str, fn());

const TESTS: [Test; 5] = [
    ("nothing_gets_out_of_the_locked_process", nothing_gets_out),
    (
        "every_thread_of_the_signer_is_locked",
        program::every_thread_is_locked,
    ),
    (
        "an_old_kernel_is_refused_by_name",
        program::an_old_kernel_is_refused,
    ),
    (
        "a_locked_signer_keeps_its_log",
        logged::a_locked_signer_keeps_its_log,
    ),
    (
        "a_weak_signer_says_what_is_missing",
        program::a_weak_signer_says_so,
    ),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["inside", folder, port] => return inside(Path::new(folder), port.parse().unwrap()),
        ["without-landlock", program, ref arguments @ ..] => {
            return program::without_landlock(program, arguments);
        }
        _ => {}
    }
    // As the usual harness is called, by cargo and by nextest.
    let chosen = |name: &str| {
        let mut filters = arguments
            .iter()
            .filter(|word| !word.starts_with('-'))
            .peekable();
        filters.peek().is_none() || filters.any(|filter| name.contains(filter.as_str()))
    };
    let tests = TESTS.iter().filter(|(name, _)| chosen(name));
    let listed = arguments.iter().any(|word| word == "--list");
    let ignored_only = arguments.iter().any(|word| word == "--ignored");
    for (name, test) in tests.filter(|_| !ignored_only) {
        if listed {
            println!("{name}: test");
        } else {
            test();
            println!("test {name} ... ok");
        }
    }
    ExitCode::SUCCESS
}

fn nothing_gets_out() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = std::fs::canonicalize(temporary.path()).unwrap();
    for name in ["data", "run", "outside"] {
        std::fs::create_dir(folder.join(name)).unwrap();
    }
    std::fs::write(folder.join("outside/file"), b"x").unwrap();
    let _unix = UnixListener::bind(folder.join("data/listening")).unwrap();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = tcp.local_addr().unwrap().port();
    // The attempts are real ones: where nothing is locked, they succeed.
    let outside = Outside::of(&folder, port);
    for (name, attempt) in attempts::HARMLESS {
        attempt(&outside).unwrap_or_else(|error| panic!("{name} fails out here too: {error}"));
    }
    let inside = Command::new(std::env::current_exe().unwrap())
        .arg("inside")
        .arg(&folder)
        .arg(port.to_string())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&inside.stdout);
    let failed = String::from_utf8_lossy(&inside.stderr);
    assert!(inside.status.success(), "{said}{failed}");
    assert!(said.ends_with("all was tried\n"), "{said}{failed}");
}

/// The locked process. Asserts for itself; its exit is its answer.
fn inside(folder: &Path, port: u16) -> ExitCode {
    let [data, outside] = ["data", "outside"].map(|name| folder.join(name));
    let sockets: [PathBuf; 2] = ["a.sock", "b.sock"].map(|name| folder.join("run").join(name));
    let listening = UnixListener::bind(&sockets[0]).unwrap();
    let way_out = Outside::of(folder, port);
    let mut isolation = Isolation::of_memory();
    isolation.shut_in(&Places {
        data: &data,
        sockets: [&sockets[0], &sockets[1]],
    });
    println!("isolation: {isolation}");
    let stands = |barrier| {
        isolation
            .missing()
            .iter()
            .all(|missing| missing.barrier != barrier)
    };
    for (name, attempt) in attempts::BY_CALL {
        if stands(Barrier::Seccomp) {
            attempts::assert_refused(name, attempt(&way_out));
        }
    }
    for (name, attempt) in attempts::BY_FILE {
        if stands(Barrier::Landlock) {
            attempts::assert_refused(name, attempt(&way_out));
        }
    }
    // A thread that is begun inside is inside.
    std::thread::scope(|scope| {
        scope.spawn(|| {
            if stands(Barrier::Seccomp) {
                attempts::assert_refused("connecting in a thread", attempts::connect(&way_out));
            }
            if stands(Barrier::Landlock) {
                let read = attempts::read_outside(&way_out);
                attempts::assert_refused("reading outside in a thread", read);
            }
        });
    });
    attempts::assert_the_work_goes_on(&data, &listening, &sockets[0]);
    assert!(outside.exists());
    println!("all was tried");
    ExitCode::SUCCESS
}

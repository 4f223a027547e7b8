//! The same bytes and the same refusals as another program has, in another
//! language, which reads the JSON text itself: Node's `JSON.parse` and NFC, and
//! npm `canonicalize` (`tests/differential/other.mjs`).
//!
//! `tests/differential/install.sh` installs it; `tests/differential/run COUNT SEED`
//! runs this over many more texts.

mod parts;
mod texts;

use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};

use touchstone_canonical::canonicalize;

use texts::text;

/// What each change is tested with.
const COUNT: u64 = 3_000;
const SEED: u64 = 1;

/// Longer than any answer to a text of ours.
const ANSWER_LIMIT: u32 = 16 * 1024 * 1024;

#[test]
fn another_program_gives_the_same_bytes_and_refusals() {
    let count = setting("DIFFERENTIAL_COUNT", COUNT);
    let seed = setting("DIFFERENTIAL_SEED", SEED);
    let installed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/differential");
    assert!(
        installed.join("stamp").exists(),
        "the other program is not installed: run tests/differential/install.sh"
    );
    let mut other = Command::new("node")
        .arg(installed.join("other.mjs"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("node runs");
    let asking = other.stdin.take().expect("piped");
    let mut answers = BufReader::new(other.stdout.take().expect("piped"));
    let asker = std::thread::spawn(move || ask(asking, seed, count));

    let mut canonical = 0_u64;
    for number in 0..count {
        let text = text(seed, number);
        let theirs = answer(&mut answers);
        if let Some(difference) = difference(&text, &theirs) {
            panic!(
                "text {number} of seed {seed}: {difference}\n  text: {}\n  theirs: {}\n  \
                 again: tests/differential/run {} {seed}",
                text.escape_ascii(),
                theirs.escape_ascii(),
                number + 1
            );
        }
        canonical += u64::from(theirs.starts_with(b"="));
    }
    asker.join().expect("no panic").expect("all was asked");
    let refused = count - canonical;
    println!("seed {seed}: {count} texts, {canonical} canonical and {refused} refused by both");
    assert!(canonical > count / 3 && refused > count / 20);
    assert!(other.wait().expect("it ends").success());
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().expect(name))
}

/// `None` when both programs say the same.
fn difference(text: &[u8], theirs: &[u8]) -> Option<String> {
    let (kind, theirs) = theirs.split_first().expect("an answer");
    match (canonicalize(text), kind) {
        (Ok(ours), b'=') if ours.as_bytes() == theirs => None,
        (Ok(ours), _) => Some(format!("ours is {}", ours.as_str())),
        // They name every reason, we the first.
        (Err(refusal), b'!')
            if theirs
                .split(|&byte| byte == b',')
                .any(|reason| reason == refusal.kind.as_str().as_bytes()) =>
        {
            None
        }
        (Err(refusal), _) => Some(refusal.to_string()),
    }
}

fn ask(asking: ChildStdin, seed: u64, count: u64) -> std::io::Result<()> {
    let mut asking = BufWriter::new(asking);
    for number in 0..count {
        let text = text(seed, number);
        let length = u32::try_from(text.len()).expect("a short text");
        asking.write_all(&length.to_le_bytes())?;
        asking.write_all(&text)?;
    }
    asking.flush()
}

fn answer(answers: &mut BufReader<ChildStdout>) -> Vec<u8> {
    let mut length = [0; 4];
    answers.read_exact(&mut length).expect("one answer a text");
    let length = u32::from_le_bytes(length);
    assert!(length <= ANSWER_LIMIT, "an answer of {length} bytes");
    let mut answer = vec![0; length as usize];
    answers.read_exact(&mut answer).expect("a whole answer");
    answer
}

//! No secret leaves its place: after a whole run of `up` that writes down all
//! it can, every private key, the join token and the key of leases are searched
//! for by value in all files, logs, pages, the dump of the database, and what
//! the system shows of the processes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use data_encoding::{BASE64, BASE64URL_NOPAD, HEXLOWER, HEXUPPER};

use crate::support::group::Group;
use crate::support::peers::{Kind, Peer};
use crate::support::secret::{Secret, found};
use crate::support::until::until;
use crate::support::up::{Up, WITHIN, get, program};

/// Everything that the programs can say.
const ALL: (&str, &str) = ("RUST_LOG", "trace");
/// More pages than a site of two servers has.
const PAGES_LIMIT: usize = 2_000;
const DATABASE: &str = "coordinator/touchstone.sqlite";

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                waiting.push(entry.path());
            } else if kind.is_file() {
                found.push(entry.path());
            }
        }
    }
    found
}

fn output(command: &mut Command) -> Vec<u8> {
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{command:?}: {output:?}");
    output.stdout
}

/// The seed of a private key, which stands behind these tags in PKCS#8 of
/// either version (RFC 8410, section 7).
fn seed(pem: &str) -> Vec<u8> {
    const TAGS: [u8; 4] = [0x04, 0x22, 0x04, 0x20];
    let body: String = pem.lines().filter(|line| !line.starts_with("--")).collect();
    let der = BASE64.decode(body.as_bytes()).unwrap();
    let at = der.windows(4).position(|at| at == TAGS).unwrap();
    der[at + 4..at + 36].to_vec()
}

fn is_private_key(file: &Path) -> bool {
    std::fs::read(file)
        .unwrap()
        .windows(12)
        .any(|at| at == b"PRIVATE KEY-")
}

/// The database as SQL, without the one row where the key of leases belongs,
/// and that key in hex.
fn dump(database: &Path) -> (Vec<u8>, Vec<u8>) {
    const SCRIPT: &str = "
import sqlite3, sys
database = sqlite3.connect(sys.argv[1])
(key,), = database.execute('select body from documents where name = ?', ('lease_key',))
if sys.argv[2] == 'key':
    print(key.hex())
else:
    database.execute('delete from documents where name = ?', ('lease_key',))
    print(*database.iterdump(), sep='\\n')
";
    let python = |what: &str| {
        let mut python = Command::new("python3");
        output(python.args(["-c", SCRIPT]).arg(database).arg(what))
    };
    let key = python("key");
    (
        python("dump"),
        HEXLOWER.decode(key.trim_ascii_end()).unwrap(),
    )
}

/// Every page that links lead to, with the machine twin of each.
fn crawl(site: &str) -> BTreeMap<String, String> {
    let mut pages = BTreeMap::new();
    let starts = [
        "/",
        "/zh",
        "/keys.json",
        "/keys.jwks",
        "/healthz",
        "/metrics",
        "/no-such-page",
    ];
    let mut waiting: Vec<String> = starts.map(str::to_owned).to_vec();
    while let Some(address) = waiting.pop() {
        if pages.contains_key(&address) {
            continue;
        }
        let (_, body) = get(&format!("{site}{address}"));
        for attribute in ["href=\"/", "src=\"/"] {
            for rest in body.split(attribute).skip(1) {
                let link = rest.split(['"', '#']).next().unwrap();
                waiting.push(format!("/{}", link.replace("&amp;", "&")));
            }
        }
        if address.starts_with("/servers/") && !address.ends_with(".json") {
            waiting.push(format!("{address}.json"));
        }
        pages.insert(address, body);
        assert!(pages.len() < PAGES_LIMIT);
    }
    pages
}

/// What the system tells everybody of this user about a process.
fn shown(pid: i32) -> Vec<u8> {
    ["cmdline", "environ"]
        .map(|what| std::fs::read(format!("/proc/{pid}/{what}")).unwrap())
        .concat()
}

#[test]
fn no_secret_leaves_its_place() {
    let (open, gated) = (Peer::start(Kind::Ts2), Peer::start(Kind::Gated));
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    // The agent deletes its token; under a second name the same file stays.
    std::fs::create_dir_all(data.join("agent")).unwrap();
    let token = folder.path().join("token");
    std::fs::write(&token, "").unwrap();
    std::fs::hard_link(&token, data.join("agent/join-token")).unwrap();
    let mut up = Up::start_in(&[ALL], &data, &[&open.url, &gated.url], &[]);
    for peer in [&open, &gated] {
        assert_eq!(up.result_of(&peer.url)["event"], "attested");
    }
    let pages = crawl(&up.pages);
    let evidence = pages.keys().filter(|page| page.ends_with(".sigstore.json"));
    assert!(evidence.count() >= 2, "{:?}", pages.keys());
    let mut texts: BTreeMap<String, Vec<u8>> = pages
        .into_iter()
        .map(|(address, body)| (format!("page {address}"), body.into_bytes()))
        .collect();
    for role in ["signer", "probe-agent", "coordinator"] {
        texts.insert(format!("process {role}"), shown(up.pid_of(role)));
    }
    texts.insert("standard output".to_owned(), up.said().into_bytes());
    assert_eq!(up.interrupt().0, Some(0));

    let mut secrets = Vec::new();
    let mut places = BTreeMap::new();
    for file in files(folder.path())
        .into_iter()
        .filter(|file| file != &token)
    {
        let name = file
            .strip_prefix(folder.path())
            .unwrap()
            .display()
            .to_string();
        if is_private_key(&file) {
            let pem = std::fs::read_to_string(&file).unwrap();
            secrets.push(Secret::new(&name, &seed(&pem)));
            places.insert(name.clone(), BTreeSet::from([name.clone()]));
        }
        texts.insert(name, std::fs::read(&file).unwrap());
    }
    for key in ["data/signer/attestation.pem", "data/agent/identity/key.pem"] {
        assert!(places.contains_key(key), "{places:?}");
    }
    let token = std::fs::read(token).unwrap();
    assert!(token.len() > 20, "the token was not caught");
    secrets.push(Secret::new("the join token", token.trim_ascii()));
    let (dump, lease_key) = dump(&data.join(DATABASE));
    texts.insert("dump of the database".to_owned(), dump);
    secrets.push(Secret::new("the key of leases", &lease_key));

    for role in ["signer", "probe-agent", "coordinator"] {
        let log = &texts[&format!("data/logs/{role}.log")];
        let told = log.windows(5).any(|at| at == b"TRACE");
        assert!(told, "{role} was to tell all");
    }
    let texts = texts.iter().map(|(name, text)| (&name[..], &text[..]));
    let mut found = found(&secrets, texts);
    // In the database itself, and in whatever SQLite keeps beside it.
    let kept = found.remove("the key of leases").unwrap();
    let database = format!("data/{DATABASE}");
    assert!(
        kept.iter().all(|place| place.starts_with(&database)),
        "{kept:?}"
    );
    // Each key in its own file, by which the search is shown to find, and the
    // token nowhere.
    assert_eq!(found, places);
}

#[test]
fn a_passphrase_and_the_keys_it_seals_leave_no_trace() {
    const PASSPHRASE: &str = "correct horse battery staple, and 7 more";
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let write = |name: &str, text: &str| {
        use std::os::unix::fs::PermissionsExt as _;
        let file = here.join(name);
        std::fs::write(&file, text).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    };
    write("passphrase", &format!("{PASSPHRASE}\n"));
    write("signer.toml", "passphrase_file = \"passphrase\"\n");
    let log = std::fs::File::create(here.join("log")).unwrap();
    let mut command = Command::new(program());
    command
        .args([
            "signer",
            "--config",
            "signer.toml",
            "--allow-weak-isolation",
        ])
        .current_dir(here)
        .env(ALL.0, ALL.1)
        .stdin(Stdio::null())
        .stdout(log.try_clone().unwrap())
        .stderr(log);
    let signer = Group::start(command).unwrap();
    until(WITHIN, || {
        let said = std::fs::read_to_string(here.join("log")).unwrap();
        if said.contains("the signer is ready") {
            Ok(())
        } else {
            Err(said)
        }
    });
    drop(signer);

    let mut secrets = vec![Secret::new("the passphrase", PASSPHRASE.as_bytes())];
    let mut texts = BTreeMap::new();
    for file in files(here) {
        let name = file.strip_prefix(here).unwrap().display().to_string();
        if is_private_key(&file) {
            let mut openssl = Command::new("openssl");
            openssl.current_dir(here);
            openssl.args(["pkey", "-passin", "file:passphrase", "-in", &name]);
            let pem = String::from_utf8(output(&mut openssl)).unwrap();
            secrets.push(Secret::new(&name, &seed(&pem)));
        }
        texts.insert(name, std::fs::read(&file).unwrap());
    }
    assert!(secrets.len() > 1, "{:?}", texts.keys());
    let texts = texts.iter().map(|(name, text)| (&name[..], &text[..]));
    let own = BTreeSet::from(["passphrase".to_owned()]);
    let expected = BTreeMap::from([("the passphrase".to_owned(), own)]);
    assert_eq!(found(&secrets, texts), expected);
}

#[test]
fn a_secret_is_found_in_every_form() {
    let bytes: Vec<u8> = (100..132).collect();
    let secret = [Secret::new("it", &bytes)];
    let list = |separator: &str| {
        bytes
            .iter()
            .map(u8::to_string)
            .collect::<Vec<_>>()
            .join(separator)
    };
    let mut texts = vec![
        bytes.clone(),
        HEXLOWER.encode(&bytes).into_bytes(),
        HEXUPPER.encode(&bytes).into_bytes(),
        list(", ").into_bytes(),
        list(",").into_bytes(),
    ];
    for before in 0..7 {
        let among = [&vec![0xff; before], &bytes[..], b"after"].concat();
        texts.push(BASE64.encode(&among).into_bytes());
        texts.push(BASE64URL_NOPAD.encode(&among).into_bytes());
    }
    for text in texts {
        let text = [b"before ", &text[..], b" after"].concat();
        assert_eq!(found(&secret, [("text", &text[..])]).len(), 1, "{text:?}");
    }
    assert!(found(&secret, [("text", &bytes[..31])]).is_empty());
}

//! The keys page: every key, its windows on one axis, and the active one whole.

mod windows;

use askama::Template;
use axum::http::StatusCode;
use axum::response::Response;
use data_encoding::BASE64;
use touchstone_evidence::keyset::{KeyDocument, KeyEntry, KeyState, Purpose};
use touchstone_evidence::timestamp::Timestamp;
use touchstone_proto::identity;
use touchstone_words::Param;

use self::windows::{Axis, Windows};
use super::commands::{Command, Commands};
use super::evidence::short_key;
use super::page::{Page, Place, answer};
use super::text::{Prose, Text, instant};
use crate::signer::Isolation;

/// Keys of one kind that the page lists; the document has all.
const LISTED_LIMIT: usize = 200;

#[derive(Template)]
#[template(path = "keys.html")]
struct KeysPage {
    page: Page,
    version: Prose,
    axis: Prose,
    attestation: Vec<Row>,
    active: Option<Active>,
    others: Vec<Other>,
    others_more: Option<Prose>,
    download: Command,
    isolation: Prose,
    missing: Vec<Prose>,
}

struct Row {
    id: String,
    short: String,
    windows: Windows,
    state: Prose,
    when: Prose,
}

struct Active {
    id: String,
    purpose: &'static str,
    since: Prose,
    pem: String,
    pem_href: String,
}

struct Other {
    purpose: Prose,
    short: String,
    state: Prose,
    since: Prose,
}

pub(super) fn show(
    text: Text,
    document: &KeyDocument,
    isolation: &Isolation,
    now_ms: i64,
    origin: &str,
) -> Response {
    let of = |wanted: Purpose| {
        document
            .keys()
            .iter()
            .filter(move |key| key.purpose == wanted)
    };
    let mut attestation: Vec<&KeyEntry> = of(Purpose::Attestation).collect();
    // Newest first; what has no time yet is still to come.
    attestation.sort_by_key(|key| std::cmp::Reverse(key.from.map_or(i64::MAX, Timestamp::as_ms)));
    let axis = Axis::of(&attestation, now_ms);
    let active = attestation
        .iter()
        .find(|key| key.state == KeyState::Active)
        .map(|key| Active {
            id: key.key_id.to_string(),
            purpose: key.purpose.as_str(),
            since: when(text, key),
            pem: pem(key),
            pem_href: format!("/keys/{}.pem", short_key(key.key_id.as_str())),
        });
    let others: Vec<&KeyEntry> = document
        .keys()
        .iter()
        .filter(|key| key.purpose != Purpose::Attestation)
        .collect();
    let version = Param::from(i64::try_from(document.version()).unwrap_or(i64::MAX));
    let (isolation, missing) = shut_in(text, isolation);
    let template = KeysPage {
        isolation,
        missing,
        page: Page {
            twin: Some("/keys.json".to_owned()),
            ..Page::new(text, Place::Keys, "/keys", text.plain("keys-title"))
        },
        version: text.with("keys-version", &[("version", version)]),
        axis: text.with(
            "keys-axis",
            &[
                ("from", text.day(instant(axis.from).date()).into()),
                ("to", text.day(instant(axis.to).date()).into()),
                ("now", text.day(instant(now_ms).date()).into()),
            ],
        ),
        attestation: attestation
            .iter()
            .take(LISTED_LIMIT)
            .enumerate()
            .map(|(place, key)| row(text, place, key, &axis))
            .collect(),
        active,
        others_more: text.more("keys-others-more", others.len(), LISTED_LIMIT),
        others: others
            .into_iter()
            .take(LISTED_LIMIT)
            .map(|key| other(text, key))
            .collect(),
        download: Commands::new(text).next(format!(
            "curl -fsSO {}",
            super::commands::quote(&format!("{origin}/keys.json"))
        )),
    };
    answer(text, StatusCode::OK, &template)
}

/// How the signer's process is shut in, and which barriers it has not.
fn shut_in(text: Text, isolation: &Isolation) -> (Prose, Vec<Prose>) {
    match isolation {
        Isolation::Unknown => (text.t("keys-isolation-unknown"), Vec::new()),
        Isolation::Full => (text.t("keys-isolation-full"), Vec::new()),
        Isolation::Weak { missing } => (
            text.t("keys-isolation-weak"),
            missing
                .iter()
                .map(|barrier| text.t(&format!("barrier-{barrier}")))
                .collect(),
        ),
    }
}

/// The public key as OpenSSL reads it.
pub(super) fn pem(key: &KeyEntry) -> String {
    let spki = BASE64.encode(&identity::spki(key.public_key.as_bytes()));
    format!("-----BEGIN PUBLIC KEY-----\n{spki}\n-----END PUBLIC KEY-----\n")
}

/// `active since 1 Nov 2026`.
pub(super) fn state_words(text: Text, key: &KeyEntry) -> Prose {
    let state = text.t(state_id(key.state));
    Prose(format!("{}, {}", state.0, when(text, key).0))
}

fn row(text: Text, place: usize, key: &KeyEntry, axis: &Axis) -> Row {
    let short = short_key(key.key_id.as_str()).to_owned();
    let state = text.t(state_id(key.state));
    let when = when(text, key);
    Row {
        windows: Windows::of(
            key,
            axis,
            place,
            text.plain_with("keys-windows", &[("key", short.as_str().into())]),
            format!("{}: {}", state.0, when.0),
        ),
        id: key.key_id.to_string(),
        short,
        state,
        when,
    }
}

fn other(text: Text, key: &KeyEntry) -> Other {
    Other {
        purpose: text.t(&format!("purpose-{}", key.purpose.as_str())),
        short: short_key(key.key_id.as_str()).to_owned(),
        state: text.t(state_id(key.state)),
        since: when(text, key),
    }
}

fn state_id(state: KeyState) -> &'static str {
    match state {
        KeyState::Pending => "key-pending",
        KeyState::Active => "key-active",
        KeyState::Retired => "key-retired",
        KeyState::Revoked => "key-revoked",
    }
}

fn when(text: Text, key: &KeyEntry) -> Prose {
    let day = |ms: i64| Param::from(text.day(instant(ms).date()));
    let from = key.from.map(|from| ("from", day(from.as_ms())));
    let to = key.to.map(|to| ("to", day(to.as_ms())));
    match (key.state, from, to) {
        (KeyState::Pending, Some(from), _) => text.with("key-signs-from", &[from]),
        (KeyState::Active, Some(from), _) => text.with("key-since", &[from]),
        (KeyState::Retired, Some(from), Some(to)) => text.with("key-from-to", &[from, to]),
        (KeyState::Revoked, Some(from), Some(to)) => text.with("key-revoked-from-to", &[from, to]),
        (KeyState::Revoked, None, Some(to)) => text.with("key-revoked-at", &[to]),
        _ => text.t("key-not-decided"),
    }
}

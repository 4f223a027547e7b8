use ed25519_dalek::{Signer as _, SigningKey};

use super::*;

const MINUTE_S: u32 = 60;

fn at(ms: i64) -> Timestamp {
    Timestamp::from_ms(1_796_383_200_000 + ms).unwrap()
}

fn eu() -> Region {
    Region::new("eu-west").unwrap()
}

fn open(folder: &tempfile::TempDir) -> Roster {
    let folder = PrivateFolder::open(&folder.path().join("signer")).unwrap();
    Roster::open(Arc::new(folder)).unwrap()
}

fn enrol(roster: &Roster, token: &str, seed: u8, now: Timestamp) -> Result<Agent, RosterError> {
    let key = SigningKey::from_bytes(&[seed; 32]);
    let signature = key.sign(&pae(ENROL_TYPE, token.as_bytes())).to_bytes();
    roster.enrol(token, key.verifying_key().as_bytes(), &signature, now)
}

#[test]
fn a_token_lets_one_agent_in_and_no_second() {
    let folder = tempfile::tempdir().unwrap();
    let roster = open(&folder);
    let token = roster.mint(eu(), MINUTE_S, at(0)).unwrap();
    let agent = enrol(&roster, &token, 1, at(1)).unwrap();
    assert_eq!(agent.region, eu());
    assert_eq!(agent.enrolled_at, at(1));
    // Its first answer may have been lost.
    assert_eq!(enrol(&roster, &token, 1, at(2)).unwrap().enrolled_at, at(1));
    let second = enrol(&roster, &token, 2, at(3));
    assert!(matches!(second, Err(RosterError::Token)));
    let another = roster.mint(eu(), MINUTE_S, at(4)).unwrap();
    let again = enrol(&roster, &another, 1, at(5));
    assert!(matches!(again, Err(RosterError::Enrolled)));
    assert_eq!(roster.state().agents.len(), 1);
}

#[test]
fn a_token_ends_at_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let roster = open(&folder);
    let late = roster.mint(eu(), MINUTE_S, at(0)).unwrap();
    let last = roster.mint(eu(), MINUTE_S, at(0)).unwrap();
    enrol(&roster, &last, 1, at(59_999)).unwrap();
    for now in [60_000, 120_000] {
        let expired = enrol(&roster, &late, 2, at(now));
        assert!(matches!(expired, Err(RosterError::Token)));
    }
    for lasts_s in [0, TOKEN_LASTS_LIMIT_S + 1] {
        let minted = roster.mint(eu(), lasts_s, at(0));
        assert!(matches!(minted, Err(RosterError::Lasts)));
    }
}

#[test]
fn a_key_that_is_not_held_does_not_enrol() {
    let folder = tempfile::tempdir().unwrap();
    let roster = open(&folder);
    let token = roster.mint(eu(), MINUTE_S, at(0)).unwrap();
    let key = SigningKey::from_bytes(&[1; 32]);
    let public = key.verifying_key();
    let over_other_bytes = key.sign(token.as_bytes()).to_bytes();
    let refused = roster.enrol(&token, public.as_bytes(), &over_other_bytes, at(1));
    assert!(matches!(refused, Err(RosterError::Signature)));
    for key in [&[0; 32][..], &[1; 31], b""] {
        let refused = roster.enrol(&token, key, &over_other_bytes, at(1));
        assert!(matches!(refused, Err(RosterError::NotAKey)));
    }
    let refused = enrol(&roster, "guessed", 1, at(1));
    assert!(matches!(refused, Err(RosterError::Token)));
    // None of these used it up.
    enrol(&roster, &token, 1, at(2)).unwrap();
}

#[test]
fn the_roster_outlives_a_restart_and_holds_no_token() {
    let folder = tempfile::tempdir().unwrap();
    let roster = open(&folder);
    let used = roster.mint(eu(), MINUTE_S, at(0)).unwrap();
    let unused = roster.mint(eu(), MINUTE_S, at(0)).unwrap();
    let agent = enrol(&roster, &used, 1, at(1)).unwrap();
    roster.revoke(agent.key_id().as_str(), at(5)).unwrap();
    let version = roster.state().version;
    drop(roster);
    let file = std::fs::read_to_string(folder.path().join("signer").join(ROSTER_FILE)).unwrap();
    assert!(!file.contains(&**used) && !file.contains(&**unused));
    let roster = open(&folder);
    assert_eq!(roster.state().version, version);
    let found = roster.find(agent.key_id().as_str()).unwrap();
    assert_eq!((found.enrolled_at, found.revoked_at), (at(1), Some(at(5))));
    let second = enrol(&roster, &used, 2, at(6));
    assert!(matches!(second, Err(RosterError::Token)));
    enrol(&roster, &unused, 3, at(6)).unwrap();
}

#[test]
fn revoking_is_for_ever_and_for_known_agents() {
    let folder = tempfile::tempdir().unwrap();
    let roster = open(&folder);
    let token = roster.mint(eu(), MINUTE_S, at(0)).unwrap();
    let agent = enrol(&roster, &token, 1, at(1)).unwrap();
    let id = agent.key_id().as_str();
    roster.revoke(id, at(5)).unwrap();
    assert_eq!(roster.revoke(id, at(9)).unwrap().revoked_at, Some(at(5)));
    let unknown = roster.revoke(&"0".repeat(64), at(9));
    assert!(matches!(unknown, Err(RosterError::UnknownAgent)));
    assert_eq!(roster.find(id).unwrap().entry().to, Some(at(5)));
}

#[test]
fn tokens_are_bounded_and_expired_ones_make_room() {
    let folder = tempfile::tempdir().unwrap();
    let roster = open(&folder);
    let mut full = State::clone(&roster.state());
    full.tokens = (0..TOKENS_LIMIT)
        .map(|number| Token {
            sha256: digest(&number.to_string()),
            region: eu(),
            expires_at: at(1000),
            used_by: None,
        })
        .collect();
    roster.commit(full).unwrap();
    let refused = roster.mint(eu(), MINUTE_S, at(999));
    assert!(matches!(refused, Err(RosterError::TooManyTokens)));
    roster.mint(eu(), MINUTE_S, at(1000)).unwrap();
    assert_eq!(roster.state().tokens.len(), 1);
}

#[test]
fn a_damaged_roster_stops_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("signer");
    let private = Arc::new(PrivateFolder::open(&path).unwrap());
    let unknown = br#"{"format":2,"version":0,"agents":[],"tokens":[]}"#;
    for (content, sentence) in [
        (&b"{"[..], "is damaged: restore it from a backup"),
        (b"{}", "is damaged"),
        (unknown, "is of format 2"),
    ] {
        private.replace(ROSTER_FILE, content).unwrap();
        let error = Roster::open(Arc::clone(&private)).unwrap_err().to_string();
        assert!(error.contains(sentence), "{error}");
    }
}

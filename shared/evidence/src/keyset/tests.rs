use data_encoding::HEXLOWER;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::sample;

/// The key of RFC 8032, section 7.1, test 1, and of RFC 8037, appendix A.
const KEY: &[u8] = b"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

fn key() -> PublicKey {
    let raw: [u8; 32] = HEXLOWER.decode(KEY).unwrap().try_into().unwrap();
    PublicKey(VerifyingKey::from_bytes(&raw).unwrap())
}

#[test]
fn the_thumbprint_is_that_of_rfc_8037() {
    assert_eq!(
        key().thumbprint(),
        "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
    );
}

#[test]
fn a_document_is_read_as_it_was_written() {
    let keys = sample::keys();
    let read = KeyDocument::read(&keys.to_json()).unwrap();
    assert_eq!(read, keys);
    assert_eq!(read.version(), 3);
}

#[test]
fn a_document_that_contradicts_itself_is_refused() {
    let good: Value = serde_json::from_slice(&sample::keys().to_json()).unwrap();
    let other_key = json!("MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=");
    let small_order = json!("MCowBQYDK2VwAyEAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
    let table = [
        ("/format", json!(2)),
        ("/surplus", json!(1)),
        ("/keys/0/key_id", json!("0".repeat(64))),
        ("/keys/0/public_key", other_key),
        ("/keys/0/public_key", small_order),
        ("/keys/0/public_key", json!("")),
        ("/keys/0/algorithm", json!("RSA")),
        ("/keys/0/purpose", json!("anything")),
        ("/keys/0/state", json!("good")),
        ("/keys/0/state", json!("retired")),
        ("/keys/0/state", json!("revoked")),
        ("/keys/0/state", json!("pending")),
        ("/keys/0/from", Value::Null),
        ("/keys/0/to", json!("2026-12-04T11:20:03.250Z")),
        ("/keys/0/to", json!("tomorrow")),
        ("/keys/1", good["keys"][0].clone()),
    ];
    for (pointer, value) in table {
        let mut document = good.clone();
        if pointer == "/surplus" {
            document["surplus"] = value.clone();
        } else {
            *document.pointer_mut(pointer).unwrap() = value.clone();
        }
        // A pending key may have a time from which it will count.
        let accepted = pointer == "/keys/0/state" && value == "pending";
        let read = KeyDocument::read(document.to_string().as_bytes());
        assert_eq!(read.is_ok(), accepted, "{pointer} = {value}");
    }
    assert!(KeyDocument::read(&vec![b' '; KEY_DOCUMENT_LIMIT_BYTES + 1]).is_err());
}

#[test]
fn the_jwks_view_lists_attestation_keys_that_count() {
    let mut keys = sample::keys().keys().to_vec();
    let jwks = KeyDocument::new(1, keys.clone()).unwrap().jwks();
    assert_eq!(jwks["keys"].as_array().unwrap().len(), 1);
    assert_eq!(jwks["keys"][0]["kid"], keys[0].public_key.thumbprint());
    assert_eq!(
        jwks["keys"][0]["touchstone_key_id"],
        keys[0].key_id.as_str()
    );
    keys[0].state = KeyState::Revoked;
    keys[0].to = keys[0].from;
    let jwks = KeyDocument::new(2, keys).unwrap().jwks();
    assert_eq!(jwks, json!({ "keys": [] }));
}

proptest! {
    #[test]
    fn any_document_is_refused_or_reads_what_it_writes(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        arbitrary in prop::option::weighted(0.2, prop::collection::vec(any::<u8>(), 0..200)),
    ) {
        let mut text = arbitrary.unwrap_or_else(|| sample::keys().to_json());
        for (place, byte) in edits {
            if !text.is_empty() {
                *place.get_mut(&mut text) = byte;
            }
        }
        if let Ok(keys) = KeyDocument::read(&text) {
            prop_assert_eq!(KeyDocument::read(&keys.to_json()).unwrap(), keys);
        }
    }
}

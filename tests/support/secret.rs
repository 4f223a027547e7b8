//! Secrets, and where they are found: searched for by value, in every form in
//! which a program would let them slip.

use std::collections::{BTreeMap, BTreeSet};

use data_encoding::{BASE64, BASE64URL, HEXLOWER, HEXUPPER};

/// Bytes that may stand in their own place alone.
#[derive(Debug)]
pub struct Secret {
    /// What it is called in a failure.
    pub name: String,
    forms: BTreeSet<Vec<u8>>,
}

impl Secret {
    /// Key material or text: as it is, in hex, in base64 also in the midst of
    /// other bytes (as a PEM file has it), and as a list of numbers.
    pub fn new(name: impl Into<String>, bytes: &[u8]) -> Self {
        let list = |separator: &str| {
            let numbers: Vec<_> = bytes.iter().map(u8::to_string).collect();
            numbers.join(separator).into_bytes()
        };
        let mut forms = BTreeSet::from([
            bytes.to_vec(),
            HEXLOWER.encode(bytes).into_bytes(),
            HEXUPPER.encode(bytes).into_bytes(),
            list(","),
            list(", "),
        ]);
        for before in 0..3 {
            let padded = [&vec![0; before][..], bytes].concat();
            // The characters that hold bits of these bytes and no others.
            let (first, end) = ((before * 8).div_ceil(6), padded.len() * 8 / 6);
            forms.extend(
                [BASE64.encode(&padded), BASE64URL.encode(&padded)]
                    .map(|text| text.as_bytes()[first..end].to_vec()),
            );
        }
        Self {
            name: name.into(),
            forms,
        }
    }
}

/// Which secrets stand in which of the texts, by name.
pub fn found<'a>(
    secrets: &[Secret],
    texts: impl IntoIterator<Item = (&'a str, &'a [u8])>,
) -> BTreeMap<String, BTreeSet<String>> {
    let mut by_start: BTreeMap<[u8; 2], Vec<(&str, &[u8])>> = BTreeMap::new();
    for secret in secrets {
        for form in &secret.forms {
            let start = [form[0], form[1]];
            by_start
                .entry(start)
                .or_default()
                .push((&secret.name, form));
        }
    }
    let starts: Vec<bool> = (0..=u16::MAX)
        .map(|start| by_start.contains_key(&start.to_be_bytes()))
        .collect();
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (place, text) in texts {
        for (at, pair) in text.windows(2).enumerate() {
            let pair = [pair[0], pair[1]];
            if !starts[usize::from(u16::from_be_bytes(pair))] {
                continue;
            }
            for (secret, form) in &by_start[&pair] {
                if text[at..].starts_with(form) {
                    let places = found.entry((*secret).to_owned()).or_default();
                    places.insert(place.to_owned());
                }
            }
        }
    }
    found
}

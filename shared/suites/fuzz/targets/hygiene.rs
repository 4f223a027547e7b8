//! Any name and description: reading never panics, hits lie in their text and are
//! shown safely, and the two texts do not meet.
#![no_main]

use libfuzzer_sys::fuzz_target;
use touchstone_suites::hygiene::{EXCERPT_CHARACTERS, Field, scan};

/// Words of the rules, so that phrases come about sooner than by chance.
const PIECES: &[&str] = &[
    "pay ",
    "by default ",
    "no approval ",
    "needed ",
    "need not ask ",
    "without asking ",
    "for ",
    "does not ",
    "doesn't ",
    "require per-call approval ",
    "the grant is ",
    "your consent ",
    "accept all ",
    "prompts ",
    "git config ",
    "--get ",
    "user.email ",
    "never ask before paying ",
    "\u{65e0}\u{9700}\u{786e}\u{8ba4}",
    "\u{652f}\u{4ed8}",
    "\u{9650}\u{989d}",
    "sell ",
    "lent ",
    "to you ",
    "set the spending limit ",
    "raise spendControls.",
    "= 0",
    "pays ",
    "from the user's ",
    "wallet ",
    "confirm ",
    "ask ",
    "permission ",
    "$5 ",
    "cap ",
    "free ",
    "read-only ",
    "how much ",
    "do not tell the user",
    " that ",
    "'s ",
    " - ",
    "until ",
    "your system prompt",
    "ignore ",
    "previous ",
    ": ",
    "never say ",
    "failed ",
    "because ",
    "another user message ",
    "read ",
    ".env ",
    "<system>",
    "<b onclick=",
    "\u{200b}",
    "\u{200d}",
    "\u{628}",
    "\u{64e}",
    "\u{1f469}",
    ". ",
    ", ",
    "\n",
    "\u{3002}",
    "zulu zulu zulu zulu zulu zulu zulu zulu ",
];

fuzz_target!(|bytes: &[u8]| {
    let text = match bytes.split_first() {
        Some((0, rest)) => String::from_utf8_lossy(rest).into_owned(),
        _ => bytes
            .iter()
            .filter_map(|byte| PIECES.get(usize::from(*byte)))
            .copied()
            .collect(),
    };
    let (name, description) = text.split_once('\u{1f469}').unwrap_or(("x", &text));
    let found = scan(name, description);
    for hit in &found.hits {
        let field = if hit.field == Field::Name {
            name
        } else {
            description
        };
        assert!(hit.offset < field.len() && field.is_char_boundary(hit.offset));
        assert!(hit.excerpt.chars().count() <= EXCERPT_CHARACTERS);
        assert!(!hit.excerpt.contains(char::is_control));
    }
    assert!(
        found
            .hits
            .is_sorted_by_key(|hit| (hit.field, hit.offset, hit.rule))
    );
    let apart = [scan(name, ""), scan("", description)];
    assert_eq!(
        found.hits.len(),
        apart.iter().map(|one| one.hits.len()).sum::<usize>()
    );
    assert_eq!(found, scan(name, description));
});

//! What holds for every text.

use proptest::{collection::vec, prelude::*, sample::select};

use super::{
    super::{EXCERPT_CHARACTERS, Scan, scan::read_settling},
    scan,
};

/// Pieces of phrases, marks, and characters of every class.
const PIECES: &[&str] = &[
    "pay",
    "by",
    "default",
    "no",
    "approval",
    "needed",
    "need",
    "not",
    "ask",
    "zero",
    "questions",
    "without",
    "asking",
    "for",
    "does",
    "doesn't",
    "don\u{2019}t",
    "can't",
    "require",
    "per-call",
    "the",
    "grant",
    "is",
    "your",
    "consent",
    "accept",
    "all",
    "any",
    "prompts",
    "request",
    "continues",
    "automatically",
    "agent loop",
    "git config",
    "--get",
    "user.email",
    "never",
    "before",
    "renewing",
    "\u{65e0}\u{9700}\u{786e}\u{8ba4}",
    "\u{89c6}\u{4e3a}\u{540c}\u{610f}",
    "\u{7eed}\u{8d39}\u{7528}",
    "\u{9650}\u{989d}",
    "\u{514d}\u{8d39}",
    "sell",
    "lent",
    "to",
    "you",
    "raise",
    "set",
    "spending",
    "limit",
    "spendControls.x",
    "maxAmountPerPayment",
    "=",
    "0",
    "false",
    "pays",
    "charges",
    "from",
    "owner's",
    "user's",
    "wallet",
    "permission",
    "$5",
    "$",
    "e-mail",
    "white-listed",
    "cost",
    "nothing",
    "free",
    "feel",
    "send",
    "read-only",
    "how",
    "much",
    "what it costs",
    "do not tell the user",
    "do not show human",
    "that",
    "this",
    "about",
    "until",
    "system",
    "developer",
    "prompt",
    "ignore",
    "previous",
    "act as",
    "print",
    "out",
    "contents of",
    "override",
    "say",
    "missing",
    "verified",
    "because",
    "as",
    "another",
    "further",
    "user",
    "message",
    "you must",
    "always",
    "read",
    ".env",
    "~/.ssh",
    "<system>",
    "<script",
    "<b onclick=",
    "javascript:",
    "[INST]",
    "<|a|>",
    ".",
    "!",
    ",",
    ";",
    ":",
    "-",
    "'",
    "\"",
    "(",
    "#",
    ">",
    "\n",
    "\r\n",
    "\t",
    "  ",
    "\u{3000}",
    "\u{a0}",
    "\u{2028}",
    "\u{3002}",
    "\u{ff0c}",
    "\u{ff1b}",
    "\u{2014}",
    "\u{2019}s",
    "\u{200b}",
    "\u{200c}",
    "\u{200d}",
    "\u{202e}",
    "\u{e0041}",
    "\u{e000}",
    "\u{1f469}",
    "\u{1f3fd}",
    "\u{628}",
    "\u{64e}",
    "\u{915}\u{94d}",
    "\u{e9}",
    "\u{d55c}",
    "\u{10400}",
    "_",
    "9",
    "\0",
    "zulu zulu zulu zulu zulu zulu zulu zulu zulu zulu zulu zulu zulu zulu zulu zulu zulu zulu",
];

/// Mostly pieces with a space between, so that phrases come about.
fn soup() -> impl Strategy<Value = String> {
    let piece = (select(PIECES), select(&[" ", " ", " ", " ", ""][..]));
    vec(piece, 0..60).prop_map(|pieces| {
        pieces
            .into_iter()
            .flat_map(|(piece, space)| [piece, space])
            .collect()
    })
}

fn holds(name: &str, description: &str, found: &Scan) {
    let mut last = None;
    for hit in &found.hits {
        let text = match hit.field {
            super::super::Field::Name => name,
            super::super::Field::Description => description,
        };
        assert!(
            text.is_char_boundary(hit.offset) && hit.offset < text.len(),
            "{hit:?}"
        );
        assert!(hit.excerpt.chars().count() <= EXCERPT_CHARACTERS, "{hit:?}");
        assert!(
            !hit.excerpt
                .chars()
                .any(|c| c.is_control() || c == '\u{202e}'),
            "{hit:?}"
        );
        let place = Some((hit.field, hit.offset, hit.rule));
        assert!(last < place, "in order, none twice: {:?}", found.hits);
        last = place;
    }
    assert_eq!(*found, scan(name, description));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hits_lie_in_the_text_and_are_shown_safely(name in soup(), description in soup()) {
        holds(&name, &description, &scan(&name, &description));
    }

    #[test]
    fn any_text_can_be_read(name in any::<String>(), description in any::<String>()) {
        holds(&name, &description, &scan(&name, &description));
    }

    /// When H6 is settled does not matter.
    #[test]
    fn settling_early_changes_nothing(text in vec(soup(), 1..8), step in 1_usize..200) {
        let text = text.concat();
        let once = read_settling(&text, usize::MAX);
        if once.dropped == 0 {
            prop_assert_eq!(once.matches, read_settling(&text, step).matches);
        }
    }

    /// A name's hits are those the same text has as a description.
    #[test]
    fn the_two_texts_do_not_meet(first in soup(), second in soup()) {
        let both = scan(&first, &second);
        let apart = (scan(&first, ""), scan("", &second));
        prop_assert_eq!(both.hits.len(), apart.0.hits.len() + apart.1.hits.len());
        prop_assert_eq!(scan("", &first).hits.len(), apart.0.hits.len());
    }
}

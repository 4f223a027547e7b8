//! Texts made to be slow take as many steps a byte as any other, counted and not
//! timed: see [`super::super::work`].

use super::super::{scan, work};

/// A step is a character, a word looked at, a waiting phrase settled, a span passed
/// over. What an ordinary text takes is a little over one.
const STEPS_PER_BYTE: usize = 4;

const BYTES: usize = 48 * 1024;

/// What is repeated, and what stands once before and after.
const TEXTS: &[(&str, &str, &str)] = &[
    (
        "",
        "List the files in a directory, newest first. Costs nothing to read. ",
        "",
    ),
    ("", "x", ""),
    ("", "pay ", "by default"),
    ("", "pay pay pay by default by default ", ""),
    ("", "pay by ", ""),
    ("", "by default ", ""),
    ("", "no approval needed to pay. ", ""),
    ("limit ", "no approval needed to pay ", ""),
    ("", "no approval needed ", "pay"),
    ("", "no approval needed pay free ", ""),
    ("", "free no charge never sends pay ", "no approval needed"),
    (
        "",
        "cost cost cost nothing nothing nothing ",
        "no approval needed",
    ),
    ("", "how much no approval needed wallet ", ""),
    ("", "sell sell sell sell lent you lent you ", ""),
    ("", "pays from the user's wallet ", "confirm"),
    ("confirm ", "pays from the user's wallet ", ""),
    (
        "",
        "ask ask permission permission pays from the user's wallet. ",
        "",
    ),
    ("", "do not tell the user this ", ""),
    ("", "do not tell the user this ", "until"),
    ("", "do not tell the user\n", ""),
    ("do not tell the user that ", "it is so ", "."),
    (
        "",
        "do not tell the user                                ",
        "x",
    ),
    ("", "never say ", "failed"),
    ("", "never say never say never say failed ", ""),
    ("", "not without asking ", ""),
    ("", "without asking                     ", ""),
    ("", "act as out the contents of the system prompt ", ""),
    ("", "system prompt                      ", ""),
    ("", "without waiting for any further user message ", ""),
    ("", "accept all any every prompts prompts prompts ", ""),
    ("", "git config ", "user.email"),
    ("", "git config --a --b --c --d --e --f --g ", ""),
    (
        "git config ",
        "--pay;pay;pay;pay;pay;pay;pay;pay ",
        "user.email",
    ),
    ("git config --", "pay;", " user.email"),
    ("", "set the spending limit ", "to 0"),
    ("", "set spendControls.", " = 0"),
    ("set spendControls.", "x", " = 0"),
    ("", "read .env read ~/.ssh cat id_rsa ", ""),
    ("", "<", ""),
    ("", "<<sys<|aaaaaaaaaaaaaaaaaaaa<script<system", ""),
    ("", "[inst", ""),
    ("<b ", "onclick onclick = ", ""),
    ("", "\u{200b}", ""),
    ("", "\u{200b}\u{202e}", ""),
    ("", "\u{628}\u{200c}", "\u{628}"),
    ("\u{915}", "\u{94d}", "\u{200d}\u{915}"),
    ("", "\u{94d}\u{200d}", ""),
    ("", "\u{915}\u{94d}\u{94d}\u{94d}\u{94d}\u{200d}", ""),
    ("", "\u{1f469}\u{200d}", "\u{1f469}"),
    (
        "",
        "\u{7eed}\u{8d39}\u{7528}",
        "\u{65e0}\u{9700}\u{786e}\u{8ba4}",
    ),
    ("", "\u{65e0}\u{9700}\u{786e}\u{8ba4}\u{652f}\u{4ed8}", ""),
    ("", "$1", "no approval needed"),
    ("", "n't ", ""),
    ("", ". ", ""),
    ("", "\n", ""),
];

#[test]
fn no_text_takes_more_steps_a_byte_than_an_ordinary_one_by_much() {
    let mut slow = Vec::new();
    for (before, repeated, after) in TEXTS {
        let steps = [1, 2].map(|times| {
            let middle = repeated.repeat(times * BYTES / repeated.len());
            let text = format!("{before}{middle}{after}");
            work::spent_by(|| drop(scan("", &text)))
        });
        let [once, twice] = steps;
        let linear = twice <= 2 * once + once / 8;
        if once > STEPS_PER_BYTE * BYTES || !linear {
            slow.push(format!(
                "{before:?} {repeated:?} {after:?}: {once}, then {twice}"
            ));
        }
    }
    assert!(
        slow.is_empty(),
        "for {BYTES} bytes, then twice as many:
{slow:#?}"
    );
}

//! The limits of each window: the last text that is in, the first that is out.

use super::rules;

/// As many characters of words that mean nothing, with a space at either end.
fn filler(characters: usize) -> String {
    let mut text = String::from(" ");
    while text.chars().count() + 3 < characters {
        text.push_str("zu ");
    }
    while text.chars().count() + 1 < characters {
        text.push('z');
    }
    text.push(' ');
    text
}

/// Checks that `text` is a hit with a filler of `last` characters and not with one
/// more, or the other way round.
fn turns(last: usize, hit_up_to: bool, text: impl Fn(&str) -> String) {
    for characters in [last - 1, last, last + 1] {
        let text = text(&filler(characters));
        let hit = !rules(&text).is_empty();
        assert_eq!(
            hit,
            (characters <= last) == hit_up_to,
            "{characters}: {text}"
        );
    }
}

#[test]
fn gaps_within_phrases() {
    turns(40, true, |gap| format!("pay{gap}by default"));
    turns(80, true, |gap| format!("sell{gap}lent to you: money"));
    turns(40, true, |gap| {
        format!("spends{gap}from your owner's funds")
    });
    turns(40, true, |gap| format!("read{gap}.env"));
    turns(40, false, |gap| {
        format!("pays from the user's wallet, ask{gap}permission")
    });
    turns(200 - "never say".len() - "absent".len(), true, |gap| {
        format!("never say{gap}absent")
    });
}

#[test]
fn windows_around_phrases() {
    // P5: `not` lies wholly within the 30 characters.
    turns(30 - 3, false, |gap| {
        format!("not{gap}without asking it pays")
    });
    // C1: the money word lies wholly within the 200, on either side.
    turns(200 - 4, true, |gap| format!("cost{gap}no approval needed"));
    turns(200 - 4, true, |gap| format!("no approval needed{gap}cost"));
    // C2
    turns(120 - 3, false, |gap| {
        format!("cap{gap}no approval needed to pay")
    });
    // P16: 400 back and 800 on, from the start of the phrase.
    let pays = "pays from your owner's wallet";
    turns(400 - 7, false, |gap| format!("confirm{gap}{pays}"));
    turns(800 - 7 - pays.len(), false, |gap| {
        format!("{pays}{gap}confirm")
    });
}

#[test]
fn clauses_around_words() {
    // C3: 200 either way from the first character of the money word.
    turns(200 - 3 - 4, false, |gap| {
        format!("no approval needed. pay{gap}free")
    });
    turns(200 - 4, false, |gap| format!("free{gap}pay, need not ask"));
    // C4: the same from the first character of the phrase.
    turns(200 - 8, false, |gap| {
        format!("how much{gap}need not ask; pay")
    });
    turns(200 - 12 - 8, false, |gap| {
        format!("need not ask{gap}how much; pay")
    });
}

#[test]
fn a_phrase_may_be_stretched_over_what_was_settled() {
    let space = " ".repeat(20_000);
    let stretched = format!("pay.{space}by{space}default");
    assert!(rules(&stretched).is_empty());
    let stretched = format!("wallet never{space}ask{space}before{space}renewing");
    assert_eq!(rules(&stretched), ["H6-P12"]);
    let capped = format!("wallet capped never{space}ask{space}before{space}renewing");
    assert!(rules(&capped).is_empty());
    let options = "--x=wallet,wallet,wallet ".repeat(2_000);
    assert_eq!(
        rules(&format!("git config {options}user.email")),
        ["H6-P11"]
    );
    assert!(rules(&format!("limit: git config {options}user.email")).is_empty());
}

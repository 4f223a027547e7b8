//! H6's phrases and excuses as patterns, each read back from its last word.
//!
//! Every pattern takes a constant number of words; none looks at a word twice.

use super::{
    after,
    rules::Rule,
    tokens::{Back, Gap, Token},
    words::Word,
};

/// P8, C3: at most this many words between two parts.
const WORDS_BETWEEN: usize = 2;

/// A phrase's rule and first word.
type Found<'r> = Option<(Rule, &'r Token)>;

/// The phrases that end with their last word: P2–P4, P6–P10, P12.
pub(super) fn fixed(back: Back<'_>) -> Found<'_> {
    match back.first().word {
        Word::Needed => found(Rule::NoApproval, no_approval(back)),
        Word::Ask => found(Rule::NeedNotAsk, chain(back, [Word::Not, Word::Need])),
        Word::Questions => found(Rule::ZeroQuestions, chain(back, [Word::Zero])),
        Word::Approval => found(Rule::NoApprovalEach, no_approval_each(back))
            .or_else(|| found(Rule::GrantIsConsent, grant_is_consent(back))),
        Word::Permission | Word::Consent => found(Rule::GrantIsConsent, grant_is_consent(back)),
        Word::Prompt
        | Word::Prompts
        | Word::Confirmation
        | Word::Confirmations
        | Word::Dialog
        | Word::Request => found(Rule::AcceptAll, accept_all(back)),
        Word::Automatically => found(Rule::RecursAlone, chain(back, [Word::Recurs])),
        Word::Loop => found(Rule::AgentLoop, agent_loop(back)),
        Word::Paying | Word::Spending | Word::Renewing => found(Rule::NeverAsk, never_ask(back)),
        _ => None,
    }
}

/// The phrases that go on after the word that tells them: P11, P15. Also gives
/// their end, in bytes.
pub(super) fn extended<'r>(text: &str, back: Back<'r>) -> Option<(Rule, &'r Token, usize)> {
    let last = back.first();
    match last.word {
        Word::Config => {
            let first = chain(back, [Word::Git])?;
            Some((Rule::GitEmail, first, git_email(text, last.end)?))
        }
        Word::SpendControls | Word::MaxAmountPerPayment | Word::Limit | Word::Cap => {
            let (first, end) = limit_change(text, back)?;
            Some((Rule::RaiseLimit, first, end))
        }
        _ => None,
    }
}

/// P16: `from` of "from your owner's wallet", read back from `wallet`.
pub(super) fn owner_funds(mut back: Back<'_>) -> Option<&Token> {
    let possessive = back.take(|word| word == Word::S)
        && back.take_over(
            |gap| matches!(gap, Gap::Apostrophe | Gap::Quote),
            |word| matches!(word, Word::Owner | Word::User | Word::Human),
        );
    let whose = back.first().word;
    let listed = possessive
        && back.take(|word| match word {
            Word::Your => whose != Word::User,
            Word::The => whose != Word::Owner,
            _ => false,
        });
    (listed && back.take(|word| word == Word::From)).then(|| back.first())
}

/// C4: the clause is about buying nothing.
pub(super) fn idle(back: Back<'_>) -> Option<&Token> {
    let denied = || denial(back, &[Word::Does], &[Word::Doesn]);
    match back.first().word {
        Word::Purchase => chain(back, [Word::No]).or_else(denied),
        Word::Purchases => chain(back, [Word::No]),
        Word::Buy | Word::Register | Word::Charge => denied(),
        Word::Only => {
            let mut read = back;
            let parted = |gap| matches!(gap, Gap::Space | Gap::Hyphen);
            read.take_over(parted, |word| word == Word::Read)
                .then(|| read.first())
        }
        Word::Costs => chain(back, [Word::It, Word::What]),
        Word::Much => chain(back, [Word::How]),
        _ => None,
    }
}

/// C3: the clause says that nothing is paid or sent.
pub(super) fn free(mut back: Back<'_>) -> Option<&Token> {
    match back.first().word {
        Word::Free => {
            let whole = back;
            (!back.take(|word| word == Word::Feel)).then(|| whole.first())
        }
        Word::Charge | Word::Charges | Word::Cost | Word::Costs | Word::Fee => {
            chain(back, [Word::No])
        }
        Word::Nothing => after_words(back, |back| {
            back.take(|word| matches!(word, Word::Cost | Word::Costs))
        }),
        Word::Send | Word::Shares => denial(
            back,
            &[Word::Does, Word::Do, Word::Will],
            &[Word::Doesn, Word::Don, Word::Won],
        )
        .or_else(|| chain(back, [Word::Never])),
        _ => None,
    }
}

/// P2: no approval is needed
fn no_approval(mut back: Back<'_>) -> Option<&Token> {
    back.skip(|word| word == Word::Is);
    (back.take(|word| matches!(word, Word::Approval | Word::Confirmation))
        && back.take(|word| word == Word::No))
    .then(|| back.first())
}

/// P6: does not require per-call approval
fn no_approval_each(mut back: Back<'_>) -> Option<&Token> {
    (back.take(|word| matches!(word, Word::Step | Word::Purchase | Word::Payment))
        && back.take_over(
            |gap| matches!(gap, Gap::Space | Gap::Hyphen),
            |word| word == Word::Per,
        )
        && back.take(|word| word == Word::Require))
    .then(|| denial(back, &[Word::Does], &[Word::Doesn]))
    .flatten()
}

/// P7: the grant is your consent
fn grant_is_consent(mut back: Back<'_>) -> Option<&Token> {
    (back.take(|word| matches!(word, Word::The | Word::Your))
        && back.take(|word| word == Word::Is)
        && back.take(|word| word == Word::Grant)
        && back.take(|word| word == Word::The))
    .then(|| back.first())
}

/// P8: accept all … prompts
fn accept_all(back: Back<'_>) -> Option<&Token> {
    after_words(back, |back| {
        back.take(|word| matches!(word, Word::All | Word::Every | Word::Any))
            && back.take(|word| matches!(word, Word::Accept | Word::Approve))
    })
}

/// P10: your agent loop
fn agent_loop(mut back: Back<'_>) -> Option<&Token> {
    (back.take(|word| word == Word::Agent)
        && back.take(|word| matches!(word, Word::The | Word::Your | Word::This)))
    .then(|| back.first())
}

/// P12: never ask the user before paying
fn never_ask(mut back: Back<'_>) -> Option<&Token> {
    if !back.take(|word| word == Word::Before) {
        return None;
    }
    let mut user = back;
    if user.take(|word| word == Word::User) && user.take(|word| word == Word::The) {
        back = user;
    }
    chain(back, [Word::Ask, Word::Never])
}

/// P11: the end of `user.email` after options, from the end of `git config`.
fn git_email(text: &str, mut at: usize) -> Option<usize> {
    loop {
        at = after::some_space(text, at)?;
        if !text[at..].starts_with("--") {
            return after::word(text, at, "user.email");
        }
        at = after::visible(text, at);
    }
}

/// P15: the first word, and the end in bytes.
fn limit_change<'r>(text: &str, mut back: Back<'r>) -> Option<(&'r Token, usize)> {
    let last = back.first();
    let named = match last.word {
        Word::Limit => back.take(|word| matches!(word, Word::Spend | Word::Spending)),
        Word::Cap => back.take(|word| matches!(word, Word::Spend | Word::Spending | Word::Payment)),
        _ => true,
    };
    if !named {
        return None;
    }
    let mut end = last.end;
    if last.word == Word::SpendControls {
        end = after::literal(text, end, ".")
            .map(|dot| after::name(text, dot))
            .filter(|&name| name > end + 1)
            .unwrap_or(end);
    }
    back.skip(|word| matches!(word, Word::The | Word::Your));
    if back.take(|word| word == Word::Raise) {
        return Some((back.first(), end));
    }
    let off = back;
    if back.take(|word| word == Word::Off) && back.take(|word| word == Word::Turn) {
        return Some((back.first(), end));
    }
    back = off;
    if back.take(|word| word == Word::Set) {
        return Some((back.first(), set_to_nothing(text, end)?));
    }
    None
}

/// P15: the end of `: false`, `= 0`, `to 0` or ` 0`.
fn set_to_nothing(text: &str, at: usize) -> Option<usize> {
    let apart = after::space(text, at);
    let sign = [":", "="]
        .iter()
        .find_map(|sign| after::literal(text, apart, sign));
    let value = match sign {
        Some(sign) => after::space(text, sign),
        None if apart == at => return None,
        None => after::word(text, apart, "to")
            .and_then(|to| after::some_space(text, to))
            .unwrap_or(apart),
    };
    ["false", "0"]
        .iter()
        .find_map(|nothing| after::word(text, value, nothing))
        .filter(|&end| !text[end..].starts_with('.'))
}

/// The first word of the words, given from the last but one to the first.
fn chain<const N: usize>(mut back: Back<'_>, words: [Word; N]) -> Option<&Token> {
    words
        .iter()
        .all(|&expected| back.take(|word| word == expected))
        .then(|| back.first())
}

/// The first word of a negation that stands before: `does not`, `doesn't`.
fn denial<'r>(mut back: Back<'r>, whole: &[Word], contracted: &[Word]) -> Option<&'r Token> {
    if back.take(|word| word == Word::Not) {
        return back
            .take(|word| whole.contains(&word))
            .then(|| back.first());
    }
    let apostrophe = |gap| gap == Gap::Apostrophe;
    back.take_contraction(apostrophe, |word| contracted.contains(&word))
        .then(|| back.first())
}

/// Reads on with `rest` after none, one or two words of any kind.
fn after_words<'r>(mut back: Back<'r>, rest: impl Fn(&mut Back<'r>) -> bool) -> Option<&'r Token> {
    for _ in 0..=WORDS_BETWEEN {
        let mut whole = back;
        if rest(&mut whole) {
            return Some(whole.first());
        }
        if !back.take_any() {
            return None;
        }
    }
    None
}

fn found(rule: Rule, first: Option<&Token>) -> Found<'_> {
    first.map(|first| (rule, first))
}

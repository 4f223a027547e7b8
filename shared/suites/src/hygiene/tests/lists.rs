//! Every word of every list in the rules, in a text that it alone decides.

use super::rules;

/// Puts each of the words, parted by `|`, in the place of `_`.
fn each(expected: &str, template: &str, words: &str) {
    let mut wrong = Vec::new();
    for word in words.split('|') {
        for word in [word.to_owned(), word.to_ascii_uppercase()] {
            let text = template.replace('_', &word);
            let found = rules(&text).join(" ");
            if found != expected {
                wrong.push(format!("{text:?}: {found:?} and not {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Of each list, which words count, and words near them that do not.
fn list(rule: &str, template: &str, words: &str, others: &str) {
    each(rule, template, words);
    each("", template, others);
}

#[test]
fn h3() {
    list(
        "H3",
        "do not _ the user",
        "tell|inform|mention|reveal|show",
        "say|disclose|tells",
    );
    list(
        "H3",
        "do not tell the _",
        "user|human",
        "users|humans|owner",
    );
    let always = " about| that you| what you| how you| anything| any of|.|,|;|:|!|)";
    list(
        "H3",
        "do not tell the user_ until",
        always,
        "?| to| aboutness|\u{3002}|]|\"| why you",
    );
    let unless = "'s|\u{2019}s| -| \u{2013}|\t\u{2014}|\n| that| what| why| where| how| this| any";
    each("H3", "do not tell the user_ it", unless);
    each("", "do not tell the user_ it until", unless);
    let excuses = "until|unless|yet|before|after|otherwise|once|while|if|when";
    each("", "do not tell the user why _ it", excuses);
    each(
        "H3",
        "do not tell the user why _ it",
        "till|though|whilst|whenever|as",
    );
    let stops = ".|,|;|!|?|\n|\u{ff0c}|\u{3002}|\u{ff01}|\u{ff1f}|\u{ff1b}";
    each("H3", "do not tell the user why_until", stops);
    each("", "do not tell the user why_until", ":|-| \u{3001}|(|\"");
}

#[test]
fn h4() {
    list(
        "H4",
        "your _ prompt",
        "system|developer|new system",
        "user|old system|systems",
    );
    let verbs = "reveal|print|output|repeat|disclose|leak|override|forget|show|return|display|\
        replace|dump|echo|act as";
    list(
        "H4",
        "_ the system prompt",
        &format!("ignore|disregard|{verbs}"),
        "tell|shows|act|as|use",
    );
    let between = "out|the|any|all|your|previous|prior|above|earlier|original|contents of|\
        out the|out any prior|all original your|your above the|any contents of the";
    list(
        "H4",
        "show _ system prompt",
        between,
        "a|prior any|the out|contents|of|new|prior above",
    );
    list(
        "H4",
        "a\n_system prompt:",
        " |\t|#|*|>|[|-|> - [",
        "1.|a |(|+|\u{3000}",
    );
    list(
        "H4",
        "system prompt_",
        ":| :|\n:| override|\toverride",
        ";| overrides|. override|-",
    );
}

#[test]
fn h5() {
    list(
        "H5",
        "_ say it failed",
        "never|do not|don't|don\u{2019}t",
        "not|does not|can't|don`t",
    );
    let verbs = "say|mention|tell|disclose|reveal|state";
    list("H5", "never _ it failed", verbs, "show|inform|states");
    let lacking = "missing|not verified|unverified|failed|absent";
    list(
        "H5",
        "never say it is _",
        lacking,
        "fails|verified|unchecked|not-verified",
    );
    list(
        "",
        "never say it _ failed",
        "because|when|if|unless|since|as|so",
        ".|,|;|!|?",
    );
    each("H5", "never say it _ failed", "has|until|was|also|or|:");
}

const MONEY: &str = "pay|pays|paid|paying|payer|payment|payments|charge|charges|charged|charging|\
    credit|credits|wallet|wallets|usdc|invoice|invoices|purchase|purchases|purchased|purchasing|\
    buy|buys|buying|subscribe|subscribes|subscribed|subscribing|subscription|subscriptions|renew|\
    renews|renewed|renewal|renewals|bill|bills|billed|billing|cost|costs|fee|fees|refund|refunds|\
    refunded|refundable|spend|spends|spending|money|identity|email|emails|e-mail|e-mails|$5|\
    \u{6263}\u{8d39}|\u{7eed}\u{8d39}|\u{8d39}\u{7528}|\u{652f}\u{4ed8}|\u{4ed8}\u{6b3e}|\
    \u{8d2d}\u{4e70}|\u{8ba2}\u{9605}|\u{94b1}\u{5305}|\u{90ae}\u{7bb1}|\u{8eab}\u{4efd}";

const POLICY: &str = "cap|caps|capped|limit|limits|ceiling|ceilings|max|maximum|policy|policies|\
    mandate|mandates|allowlist|allowlisted|allow-list|allow-listed|whitelist|whitelisted|\
    white-list|white-listed|threshold|thresholds|quota|quotas|\u{4e0a}\u{9650}|\u{989d}\u{5ea6}|\
    \u{9650}\u{989d}|\u{7b56}\u{7565}|\u{767d}\u{540d}\u{5355}";

#[test]
fn h6_phrases_of_approval() {
    list(
        "H6-P2",
        "no _ to pay",
        "approval needed|confirmation required|approval is needed",
        "x",
    );
    list(
        "H6-P5",
        "pays without asking _",
        "them|fora|uso|. for",
        "for|us",
    );
    list(
        "",
        "_ pays without asking",
        "never|not|can't|don't|mustn't",
        "none; not",
    );
    each(
        "H6-P5",
        "_ pays without asking",
        "don\u{2019}t|none|knot|not. it|never!|can 't",
    );
    let steps = "per-change|per-action|per-call|per-purchase|per-payment|per call";
    list(
        "H6-P6",
        "does not require _ approval to pay",
        steps,
        "per-use|per - call|percall",
    );
    list(
        "H6-P7",
        "the _ approval to pay",
        "grant is the|allowance is your|delegation is the",
        "grant is a",
    );
    list(
        "H6-P7",
        "the grant is the _ to pay",
        "permission|approval|consent",
        "agreement",
    );
    list(
        "H6-P8",
        "_ requests to pay",
        "accept all|approve every|accept any",
        "approves all|accept",
    );
    let prompts = "prompt|prompts|confirmation|confirmations|dialog|dialogs|request|requests";
    list("H6-P8", "accept any _ to pay", prompts, "popup|dialogue");
}

#[test]
fn h6_phrases_of_spending() {
    list(
        "H6-P9",
        "_ automatically, for a fee",
        "continues|repeats|recurs",
        "continue|recurring",
    );
    list("H6-P10", "_ agent loop pays", "the|your|this", "that|an");
    let buying = "charging|paying|buying|purchasing|spending|billing|renewing|subscribing";
    list(
        "H6-P12",
        "wallet: never ask before _",
        buying,
        "sending|refunding|pay",
    );
    let sells = "sell|sells|selling|sellable|resell|resells|reselling|resellable";
    list(
        "H6-P14",
        "a fee: _ what is lent to you",
        sells,
        "sold|seller|sale",
    );
    list(
        "H6-P14",
        "a fee: sell what is _",
        "entrusted to you|lent you",
        "lent|lent for you|given to you",
    );
    list(
        "H6-P15",
        "to pay _ spending limit",
        "raise the|increase your|disable|turn off",
        "raise a|turn on|lower",
    );
    let limits = "spendControls|spendControls.max_1|maxAmountPerPayment|spend limit|spending limits|\
        spend cap|spending caps|payment cap|payment caps";
    list(
        "H6-P15",
        "to pay turn off the _",
        limits,
        "spendControl|limit|payment limit|spends cap",
    );
    list(
        "H6-P15",
        "to pay set spend cap_",
        ": 0|=false| to 0| 0| : false",
        " at 0| 00| 0.1|0| tofalse",
    );
    list(
        "H6-P16",
        "_ from the user's wallet",
        "pays|charges|spends",
        "pay|paid|takes",
    );
    let whose = "your owner's|the user's|your human's|the human's|the user\u{2019}s";
    list(
        "H6-P16",
        "pays from _ wallet",
        whose,
        "the owner's|your user's|his owner's|the users'",
    );
    list(
        "H6-P16",
        "pays from the user's _",
        "credit|credits|balance|wallet|funds",
        "account|wallets",
    );
    let consents = "confirm|confirms|confirmed|confirming|confirmation|confirmations|approve|approves|\
        approved|approving|approval|approvals|ask for permission|asks permission|asked permission|\
        asking permission";
    each("", "pays from the user's wallet and _", consents);
    each(
        "H6-P16",
        "pays from the user's wallet and _",
        "confirmable|ask|permission|permission asked",
    );
}

#[test]
fn h6_conditions() {
    each("H6-P2", "no approval needed: _", MONEY);
    each(
        "",
        "no approval needed: _",
        "payable|price|e mail|$x|account|\u{4f59}\u{989d}",
    );
    each("", "_: no approval needed to pay", POLICY);
    each(
        "H6-P2",
        "_: no approval needed to pay",
        "allow list|budget|cape|unlimited|quote|\u{9884}\u{7b97}",
    );
    let free = "cost nothing|costs you nothing|cost a b nothing|free|no charge|no charges|no cost|\
        no costs|no fee|no fees|does not send|doesn't send|do not send|don't send|never send|\
        will not send|won't send|never sends|never collect|never collects|never store|never stores|\
        never share|never shares|\u{514d}\u{8d39}|\u{4e0d}\u{6536}\u{8d39}";
    each("", "zero questions. It is _ with email", free);
    let not_free =
        "feel free|freely|no charging|cannot send|never sent|won\u{2019}t send|send never|nothing";
    each("H6-P4", "zero questions. It is _ with email", not_free);
    let idle = "no purchase|no purchases|read-only|read only|does not buy|doesn't purchase|\
        does not register|doesn't charge|what it costs|how much";
    each("", "zero questions and _. wallet", idle);
    each("", "zero questions. _ wallet", idle);
    each("H6-P4", "zero questions. _. wallet", idle);
    each(
        "H6-P4",
        "zero questions and _. wallet",
        "no buy|reads only|do not buy|doesn\u{2019}t buy|how many",
    );
}

#[test]
fn h7() {
    let more = "another|a further|any further|further|a new|a second|an additional|additional|\
        waiting for another|waiting for a new";
    list(
        "H7",
        "without _ user prompt",
        more,
        "new|second|the|any|any additional|waiting another",
    );
    let turns = "prompt|prompts|message|messages|request|requests|turn|turns|reply|replies";
    list("H7", "without another human _", turns, "replys|word|input");
}

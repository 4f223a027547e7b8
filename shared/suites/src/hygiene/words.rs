//! The words the rules know, and the look-up of a word in a text.
//!
//! One entry a meaning: words that every rule treats alike share one. The look-up
//! is a hash table made at compile time; its cost does not depend on the word.

/// Longer words are not in the table; [`LONGEST`] is looked at apart.
const KEY_BYTES: usize = 16;
const LONGEST: &[u8] = b"maxamountperpayment";

/// What a word does in the rules, one bit each. A word without a bit is only ever
/// in the middle of a phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Roles(u8);

impl Roles {
    const PART: Self = Self(0);
    /// Of H3, H4, H5, H7, H8: it ends a phrase or is waited for.
    pub(super) const ORDER: Self = Self(1);
    /// It ends a phrase of H6, or a part of one that can go on.
    pub(super) const PHRASE: Self = Self(1 << 1);
    /// C3, C4: it ends an excuse.
    pub(super) const EXCUSE: Self = Self(1 << 2);
    /// C1: a spend-or-identity word.
    pub(super) const MONEY: Self = Self(1 << 3);
    /// C2: a word for a limit that somebody set.
    pub(super) const POLICY: Self = Self(1 << 4);
    /// It is noted for a phrase of H6 that may come.
    pub(super) const NOTED: Self = Self(1 << 5);

    /// Whether it does any of these.
    pub(super) const fn any(self, of: Self) -> bool {
        self.0 & of.0 != 0
    }

    /// Both.
    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

macro_rules! roles {
    ([$($role:ident)+]) => { Roles::PART$(.and(Roles::$role))+ };
}

macro_rules! words {
    ($($roles:tt { $($name:ident: $($text:literal)+;)+ })+) => {
        /// What a word means to the rules.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Word { Unlisted, MaxAmountPerPayment, $($($name),+),+ }

        const LISTED: &[(&str, Word)] = &[$($($(($text, Word::$name)),+),+),+];

        /// In the order of the words' entries.
        static ROLES: &[Roles] = &[
            Roles::PART,
            Roles::PHRASE,
            $($({ let _ = Word::$name; roles!($roles) }),+),+
        ];
    };
}

words! {
    [PART] {
        A: "a"; Accept: "accept"; Act: "act"; Additional: "additional"; Agent: "agent"; All: "all";
        Allow: "allow" "white"; An: "an"; Another: "another"; Any: "any"; By: "by";
        Contents: "contents"; Do: "do"; Does: "does"; Doesn: "doesn"; Don: "don"; E: "e";
        Every: "every"; Feel: "feel"; For: "for"; From: "from"; Further: "further"; Git: "git";
        Grant: "grant" "allowance" "delegation"; How: "how"; Ignore: "ignore" "disregard";
        Inform: "inform"; Is: "is"; It: "it"; Lent: "entrusted" "lent";
        Must: "must" "should" "shall"; Need: "need"; New: "new"; No: "no"; Of: "of"; Off: "off";
        Original: "original"; Other: "other"; Out: "out"; Owner: "owner"; Per: "per";
        Print: "print" "output" "repeat" "leak" "override" "forget" "return" "display" "replace"
            "echo";
        Raise: "raise" "increase" "disable"; Recurs: "continues" "repeats" "recurs";
        Require: "require"; S: "s"; Second: "second"; Set: "set"; Show: "show";
        Step: "change" "action" "call"; The: "the"; This: "this"; To: "to";
        Using: "using" "calling"; Waiting: "waiting"; What: "what"; Will: "will";
        Without: "without"; Won: "won"; Your: "your"; Zero: "zero";
    }
    [ORDER] {
        Earlier: "previous" "prior" "above" "earlier"; Always: "always"; As: "as";
        Because: "because" "since" "so"; Before: "before"; CredentialFile: "id_rsa" "netrc";
        Credentials: "credentials"; Disclose: "disclose"; Dump: "dump"; Env: "env"; Human: "human";
        If: "when" "if" "unless"; Javascript: "javascript";
        Lacking: "missing" "unverified" "failed" "absent"; Mention: "mention";
        Message: "message" "messages" "turns" "reply" "replies"; Npmrc: "npmrc"; Read: "read";
        Reveal: "reveal"; Say: "say" "state"; Ssh: "ssh"; System: "system" "developer";
        Tell: "tell"; Tool: "tool"; Turn: "turn";
        Until: "until" "yet" "after" "otherwise" "once" "while";
        Upload: "upload" "post" "exfiltrate" "cat"; User: "user"; Verified: "verified";
    }
    [ORDER PHRASE] {
        Prompt: "prompt"; Prompts: "prompts"; Request: "request" "requests";
    }
    [ORDER EXCUSE] {
        Send: "send";
    }
    [ORDER NOTED] {
        Never: "never";
    }
    [PHRASE] {
        Automatically: "automatically"; Balance: "balance" "funds"; Config: "config";
        Consent: "consent"; Default: "default"; Dialog: "dialog" "dialogs"; Loop: "loop";
        Needed: "needed" "required"; Questions: "questions"; Renewing: "renewing";
        SpendControls: "spendcontrols"; You: "you";
    }
    [PHRASE MONEY] {
        Credit: "credit" "credits" "wallet";
        Paying: "charging" "paying" "buying" "purchasing" "billing" "subscribing";
        Spending: "spending";
    }
    [PHRASE POLICY] {
        Cap: "cap" "caps"; Limit: "limit" "limits";
    }
    [PHRASE NOTED] {
        Approval: "approval"; Ask: "ask"; Asking: "asking"; Confirmation: "confirmation";
        Confirmations: "confirmations"; Permission: "permission";
    }
    [EXCUSE] {
        Free: "free"; Much: "much"; Nothing: "nothing"; Only: "only"; Register: "register";
        Shares: "sends" "collect" "collects" "store" "stores" "share" "shares";
    }
    [EXCUSE MONEY] {
        Buy: "buy"; Charge: "charge"; Cost: "cost"; Costs: "costs"; Fee: "fee" "fees";
        Purchase: "purchase"; Purchases: "purchases";
    }
    [EXCUSE MONEY NOTED] {
        Charges: "charges";
    }
    [MONEY] {
        Money: "paid" "payer" "payments" "charged" "wallets" "usdc" "invoice" "invoices" "purchased"
            "buys" "subscribe" "subscribes" "subscribed" "subscription" "subscriptions" "renew"
            "renews" "renewed" "renewal" "renewals" "bill" "bills" "billed" "refund" "refunds"
            "refunded" "refundable" "money" "identity" "email" "emails";
        Payment: "payment"; Spend: "spend";
    }
    [MONEY NOTED] {
        Pay: "pay"; Pays: "pays" "spends";
    }
    [POLICY] {
        Policy: "capped" "ceiling" "ceilings" "max" "maximum" "policy" "policies" "mandate"
            "mandates" "allowlist" "allowlisted" "whitelist" "whitelisted" "threshold" "thresholds"
            "quota" "quotas";
    }
    [NOTED] {
        Approve: "approve"; Asks: "asks" "asked";
        Confirms: "confirm" "confirms" "confirmed" "confirming" "approves" "approved" "approving"
            "approvals";
        List: "list" "listed"; Mail: "mail" "mails"; Not: "not";
        Sell: "sell" "sells" "selling" "sellable" "resell" "resells" "reselling" "resellable";
        T: "t";
    }
    [ORDER] {
        // Event handler content attributes of the HTML standard, those that markup
        // in a text can set off by being shown, loaded, touched or typed into.
        OnEvent: "onabort" "onafterprint" "onanimationend" "onanimationstart" "onauxclick"
            "onbeforeinput" "onbeforetoggle" "onbeforeunload" "onbegin" "onblur" "oncanplay"
            "onchange" "onclick" "onclose" "oncontextmenu" "oncopy" "oncuechange" "oncut"
            "ondblclick" "ondrag" "ondragend" "ondragenter" "ondragover" "ondragstart" "ondrop"
            "onended" "onerror" "onfocus" "onfocusin" "onfocusout" "onformdata" "onhashchange"
            "oninput" "oninvalid" "onkeydown" "onkeypress" "onkeyup" "onload" "onloadeddata"
            "onloadedmetadata" "onloadstart" "onmessage" "onmousedown" "onmouseenter" "onmouseleave"
            "onmousemove" "onmouseout" "onmouseover" "onmouseup" "onmousewheel" "onpageshow"
            "onpaste" "onplay" "onplaying" "onpointerdown" "onpointerenter" "onpointermove"
            "onpointerover" "onpointerup" "onpopstate" "onprogress" "onreset" "onresize" "onscroll"
            "onscrollend" "onselect" "onstart" "onsubmit" "ontoggle" "ontouchend" "ontouchmove"
            "ontouchstart" "ontransitionend" "ontransitionrun" "onunload" "onwheel";
    }
}

impl Word {
    pub(super) fn roles(self) -> Roles {
        ROLES[self as usize]
    }
}

/// The meaning of the word `text[start..end]`, letters in either case.
pub(super) fn look_up(text: &[u8], start: usize, end: usize) -> Word {
    let length = end - start;
    let Some(first) = text.get(start) else {
        return Word::Unlisted;
    };
    if length > LONGEST.len() || LENGTHS[usize::from(first & 31)] >> length & 1 == 0 {
        return Word::Unlisted;
    }
    if length > KEY_BYTES {
        let same = text[start..end].eq_ignore_ascii_case(LONGEST);
        return if same {
            Word::MaxAmountPerPayment
        } else {
            Word::Unlisted
        };
    }
    let key = key_at(text, start, length);
    let mut slot = slot(key);
    loop {
        let index = usize::from(SLOTS[slot]);
        if index == 0 {
            return Word::Unlisted;
        }
        if KEYS[index] == key {
            return WORDS[index];
        }
        slot = (slot + 1) % SLOTS.len();
    }
}

/// A word of at most [`KEY_BYTES`] bytes, small letters, as two numbers.
type Key = (u64, u64);

/// In a word's bytes this bit makes a letter small and leaves digits as they
/// are; `_` becomes DEL, which is in no word.
const SMALL: u64 = 0x2020_2020_2020_2020;

fn key_at(text: &[u8], start: usize, length: usize) -> Key {
    let word = &text[start..];
    let (Some(&low), true) = (word.first_chunk(), length <= 8) else {
        return key(&word[..length]);
    };
    ((u64::from_le_bytes(low) | SMALL) & LOW[length], 0)
}

/// By a word's length: the bytes that are the word's.
const LOW: [u64; 9] = {
    let mut masks = [0; 9];
    let mut length = 1;
    while length <= 8 {
        masks[length] = u64::MAX >> (64 - 8 * length);
        length += 1;
    }
    masks
};

const fn key(word: &[u8]) -> Key {
    let (mut low, mut high) = (0, 0);
    let mut at = 0;
    while at < word.len() {
        let byte = (word[at] | 0x20) as u64;
        if at < 8 {
            low |= byte << (8 * at);
        } else {
            high |= byte << (8 * (at - 8));
        }
        at += 1;
    }
    (low, high)
}

/// Ten times as many slots as words, so that a search is short whichever the word.
const SLOT_BITS: u32 = 12;

const fn slot((low, high): Key) -> usize {
    let mixed = (low ^ high.rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    // Twelve bits fit a usize everywhere.
    (mixed >> (64 - SLOT_BITS)) as usize
}

/// By the first letter's low five bits: which lengths occur, one bit each.
static LENGTHS: [u32; 32] = {
    let mut lengths = [0; 32];
    let mut at = 0;
    while at < LISTED.len() {
        let word = LISTED[at].0.as_bytes();
        lengths[(word[0] & 31) as usize] |= 1 << word.len();
        at += 1;
    }
    lengths[(LONGEST[0] & 31) as usize] |= 1 << LONGEST.len();
    lengths
};

/// Entry 0 is nobody's: in [`SLOTS`] it marks an empty slot.
static KEYS: [Key; LISTED.len() + 1] = {
    let mut keys = [(0, 0); LISTED.len() + 1];
    let mut at = 0;
    while at < LISTED.len() {
        assert!(LISTED[at].0.len() <= KEY_BYTES);
        keys[at + 1] = key(LISTED[at].0.as_bytes());
        at += 1;
    }
    keys
};

static WORDS: [Word; LISTED.len() + 1] = {
    let mut words = [Word::Unlisted; LISTED.len() + 1];
    let mut at = 0;
    while at < LISTED.len() {
        words[at + 1] = LISTED[at].1;
        at += 1;
    }
    words
};

static SLOTS: [u16; 1 << SLOT_BITS] = {
    assert!(LISTED.len() * 2 < 1 << SLOT_BITS);
    let mut slots = [0; 1 << SLOT_BITS];
    let mut index: u16 = 1;
    while (index as usize) < KEYS.len() {
        let mut at = slot(KEYS[index as usize]);
        while slots[at] != 0 {
            at = (at + 1) % slots.len();
        }
        slots[at] = index;
        index += 1;
    }
    slots
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found_in_any_case_at_any_place_and_nothing_else_is() {
        for &(word, meaning) in LISTED {
            for text in [word.to_owned(), word.to_uppercase()] {
                let padded = format!("-{text}- and more text after it");
                assert_eq!(look_up(text.as_bytes(), 0, text.len()), meaning, "{text}");
                assert_eq!(
                    look_up(padded.as_bytes(), 1, 1 + text.len()),
                    meaning,
                    "{text}"
                );
            }
            for text in [
                format!("{word}x"),
                format!("x{word}"),
                format!("{word}_"),
                format!("{word}0"),
            ] {
                let listed = LISTED.iter().find(|(other, _)| *other == text);
                let expected = listed.map_or(Word::Unlisted, |(_, meaning)| *meaning);
                assert_eq!(look_up(text.as_bytes(), 0, text.len()), expected, "{text}");
            }
        }
        let long = b"maxAmountPerPayment";
        assert_eq!(look_up(long, 0, long.len()), Word::MaxAmountPerPayment);
        assert_eq!(look_up(b"maxAmountPerPaymenu", 0, 19), Word::Unlisted);
    }

    #[test]
    fn no_word_is_listed_twice_and_searches_are_short() {
        let mut words: Vec<_> = LISTED.iter().map(|(word, _)| word).collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), LISTED.len());
        let longest_run = SLOTS.split(|&index| index == 0).map(<[_]>::len).max();
        assert!(longest_run < Some(16), "{longest_run:?}");
    }
}

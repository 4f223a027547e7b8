//! The rules by name, the families they are reported under, and the store of
//! matches, which keeps the first few of each rule and counts the rest.
//!
//! The names are stable: they stand in unsigned details and in words for people.

use super::HITS_PER_RULE;

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident $text:literal $family:ident,)+) => {
        /// A rule that can make a hit. H2 only lists and is none.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule { $($(#[$doc])* $name),+ }

        impl Rule {
            /// Every rule, in order.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The stable id.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text),+ }
            }

            /// The family it is reported under.
            pub const fn family(self) -> Family {
                match self { $(Self::$name => Family::$family),+ }
            }
        }
    };
}

rules! {
    /// Zero-width character, less what ordinary spelling and emoji need.
    ZeroWidth "H1-zero-width" ZeroWidth,
    /// Character of the Unicode Tag block.
    Tag "H1-tag" UnicodeTag,
    /// Bidirectional override, embedding or isolate.
    Bidi "H1-bidi" BidiOverride,
    /// "do not tell the user"
    TellUser "H3" AssistantImperative,
    /// "system prompt", "developer prompt"
    SystemPrompt "H4" AssistantImperative,
    /// Hiding a missing or failed check.
    HideFailure "H5" AssistantImperative,
    /// pay … by default
    PayByDefault "H6-P1" UnconfirmedSpendOrIdentity,
    /// no approval needed
    NoApproval "H6-P2" UnconfirmedSpendOrIdentity,
    /// need not ask
    NeedNotAsk "H6-P3" UnconfirmedSpendOrIdentity,
    /// zero questions
    ZeroQuestions "H6-P4" UnconfirmedSpendOrIdentity,
    /// without asking
    WithoutAsking "H6-P5" UnconfirmedSpendOrIdentity,
    /// does not require per-call approval
    NoApprovalEach "H6-P6" UnconfirmedSpendOrIdentity,
    /// the grant is your consent
    GrantIsConsent "H6-P7" UnconfirmedSpendOrIdentity,
    /// accept all prompts
    AcceptAll "H6-P8" UnconfirmedSpendOrIdentity,
    /// continues automatically
    RecursAlone "H6-P9" UnconfirmedSpendOrIdentity,
    /// your agent loop
    AgentLoop "H6-P10" UnconfirmedSpendOrIdentity,
    /// git config user.email
    GitEmail "H6-P11" UnconfirmedSpendOrIdentity,
    /// never ask before paying
    NeverAsk "H6-P12" UnconfirmedSpendOrIdentity,
    /// 无需确认, 视为同意
    DeemedConsent "H6-P13" UnconfirmedSpendOrIdentity,
    /// selling what is lent to you
    SellLent "H6-P14" UnconfirmedSpendOrIdentity,
    /// raising or turning off a limit
    RaiseLimit "H6-P15" UnconfirmedSpendOrIdentity,
    /// pays from your owner's wallet
    OwnerFunds "H6-P16" UnconfirmedSpendOrIdentity,
    /// without another user message
    WithoutUser "H7" ContinueWithoutUser,
    /// ignore previous
    IgnorePrevious "H8-ignore-previous" AssistantImperative,
    /// you must always
    MustAlways "H8-must-always" AssistantImperative,
    /// before calling any other tool
    BeforeOtherTool "H8-before-other-tool" AssistantImperative,
    /// read … ~/.ssh
    CredentialFile "H8-credential-file" AssistantImperative,
    /// Forged role delimiter.
    RoleDelimiter "H8-role-delimiter" AssistantImperative,
    /// Markup that can bear a script.
    ScriptMarkup "H8-script-markup" AssistantImperative,
    /// Private-use character.
    PrivateUse "H8-private-use" AssistantImperative,
}

/// What a report counts hits by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Zero-width characters.
    ZeroWidth,
    /// The Unicode Tag block.
    UnicodeTag,
    /// Bidirectional control.
    BidiOverride,
    /// Text that gives the assistant orders, or is dressed up as its frame.
    AssistantImperative,
    /// Spending, or sending identity, without a confirmation each time.
    UnconfirmedSpendOrIdentity,
    /// Going on without the user.
    ContinueWithoutUser,
}

impl Family {
    /// The stable name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ZeroWidth => "zero_width",
            Self::UnicodeTag => "unicode_tag",
            Self::BidiOverride => "bidi_override",
            Self::AssistantImperative => "assistant_imperative",
            Self::UnconfirmedSpendOrIdentity => "unconfirmed_spend_or_identity",
            Self::ContinueWithoutUser => "continue_without_user",
        }
    }
}

/// A rule that matched, from byte to byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Match {
    pub(super) start: usize,
    pub(super) rule: Rule,
    pub(super) end: usize,
}

/// The matches of one text.
#[derive(Debug)]
pub(super) struct Matches {
    kept: Vec<Match>,
    counts: [usize; Rule::ALL.len()],
    dropped: usize,
    /// The run of single characters at the end: rule, end, place in `kept`.
    run: Option<(Rule, usize, Option<usize>)>,
}

/// The matches of one text, in order.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) matches: Vec<Match>,
    pub(super) dropped: usize,
}

impl Matches {
    pub(super) const fn new() -> Self {
        Self {
            kept: Vec::new(),
            counts: [0; Rule::ALL.len()],
            dropped: 0,
            run: None,
        }
    }

    /// Where it was put, `None` when it was only counted.
    pub(super) fn add(&mut self, rule: Rule, start: usize, end: usize) -> Option<usize> {
        let count = &mut self.counts[rule as usize];
        *count += 1;
        if *count > HITS_PER_RULE {
            self.dropped += 1;
            return None;
        }
        self.kept.push(Match { start, rule, end });
        Some(self.kept.len() - 1)
    }

    /// Adds a character, or lets the match before it grow by it when that is of
    /// the same rule and ends here: a hidden message is one hit, not a hundred.
    pub(super) fn add_character(&mut self, rule: Rule, start: usize, end: usize) {
        let index = match self.run {
            Some((same, until, index)) if same == rule && until == start => index,
            _ => self.add(rule, start, end),
        };
        if let Some(grown) = index.and_then(|index| self.kept.get_mut(index)) {
            grown.end = end;
        }
        self.run = Some((rule, end, index));
    }

    pub(super) fn finish(mut self) -> Found {
        self.kept.sort_unstable();
        Found {
            matches: self.kept,
            dropped: self.dropped,
        }
    }
}

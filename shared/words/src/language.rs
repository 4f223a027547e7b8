//! The languages that every text exists in.

/// English is the default; Chinese stands under `/zh`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    English,
    Chinese,
}

impl Language {
    pub const ALL: [Self; 2] = [Self::English, Self::Chinese];

    /// As in the `lang` attribute of a page (BCP 47).
    pub fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh-Hans",
        }
    }

    /// What stands before the path of a page in this language.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::English => "",
            Self::Chinese => "/zh",
        }
    }

    /// Its own name, in itself.
    pub fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Chinese => "中文",
        }
    }

    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::English => Self::Chinese,
            Self::Chinese => Self::English,
        }
    }
}

//! tool_description_hygiene: does a tool's name or description hold hidden
//! characters, or text that speaks to the agent instead of the person?
//!
//! Each text is read once, from front to back, at a cost that depends on its
//! length and not on what it says: windows are constants, clauses and sentences
//! are numbered as they pass, and no word is looked at again for each phrase
//! near it. A text made to be slow is no slower a byte than an honest one.
//!
//! Reports patterns, never intent, and never changes or repairs a text.

mod after;
mod classes;
mod clauses;
mod excerpt;
mod han;
mod markup;
mod openers;
mod patterns;
mod phrases;
mod rules;
mod scan;
mod scripts;
mod spending;
mod tables;
mod telling;
mod tokens;
mod words;
mod work;

#[cfg(test)]
mod tests;

pub use rules::{Family, Rule};

/// A description of more characters than this is listed as unusually long (H2).
pub const LONG_DESCRIPTION_CHARACTERS: usize = 2_048;

/// An excerpt holds at most this many characters, escapes written out.
pub const EXCERPT_CHARACTERS: usize = 80;

/// Of one rule in one text this many hits are kept; the rest is only counted. One
/// is enough for the judgement, and a reader has seen enough long before.
pub const HITS_PER_RULE: usize = 32;

/// Of a name's characters outside ASCII this many are looked up by script.
pub const ODD_CHARACTERS_READ: usize = 64;

/// What one tool's name and description hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scan {
    /// The name's hits, then the description's; each in order of offset.
    pub hits: Vec<Hit>,
    /// What is worth a look and is no risk.
    pub listed: Vec<Listed>,
    /// Hits found and not kept, see [`HITS_PER_RULE`].
    pub dropped: usize,
}

impl Scan {
    /// Any hit is an observed risk; nothing else is.
    pub fn is_risk(&self) -> bool {
        !self.hits.is_empty()
    }
}

/// One place where a rule matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Which of the two texts.
    pub field: Field,
    /// Which rule.
    pub rule: Rule,
    /// The family the rule is reported under.
    pub family: Family,
    /// Where the match begins, in bytes of that text.
    pub offset: usize,
    /// The match and a little around it, at most [`EXCERPT_CHARACTERS`]
    /// characters, hidden and control characters written as `\u{…}`.
    pub excerpt: String,
}

/// The two texts of a tool that a client shows to its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// `name`
    Name,
    /// `description`
    Description,
}

impl Field {
    /// The member's name in `tools/list`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Description => "description",
        }
    }
}

/// Something listed beside the hits: worth a look, no risk on its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listed {
    /// H2: more than [`LONG_DESCRIPTION_CHARACTERS`] characters.
    LongDescription {
        /// How many, in code points.
        characters: usize,
    },
    /// The name has a character outside U+0020–U+007E: a possible homoglyph.
    /// One entry a script.
    OddName {
        /// Of the script's first character, in bytes of the name.
        offset: usize,
        /// That character.
        character: char,
        /// Its Unicode script, `Other` for one that is not in our list.
        script: &'static str,
    },
}

impl Listed {
    /// The stable name of the kind.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::LongDescription { .. } => "long_description",
            Self::OddName { .. } => "odd_name",
        }
    }
}

/// Reads a tool's name and description. They are two texts: a phrase in one and
/// a money word in the other do not meet. A missing description is an empty one.
pub fn scan(name: &str, description: &str) -> Scan {
    let mut listed = scripts::odd_characters(name);
    let characters = description.chars().count();
    if characters > LONG_DESCRIPTION_CHARACTERS {
        listed.push(Listed::LongDescription { characters });
    }
    let mut scan = Scan {
        listed,
        ..Scan::default()
    };
    for (field, text) in [(Field::Name, name), (Field::Description, description)] {
        let found = scan::read(text);
        scan.dropped += found.dropped;
        scan.hits.extend(found.matches.into_iter().map(|found| Hit {
            field,
            rule: found.rule,
            family: found.rule.family(),
            offset: found.start,
            excerpt: excerpt::excerpt(text, found.start, found.end),
        }));
    }
    scan
}

//! `WWW-Authenticate` challenges, read twice: strictly and tolerantly.
//!
//! [`usable`] decides whether a 401 is a credential gate: the first challenge
//! must be complete by the grammar of RFC 9110 sections 11.2 and 11.6.1.
//! [`read`] takes whatever servers send, to find where their metadata lies, and
//! tells what it had to overlook.

use std::collections::BTreeSet;

/// Characters of a scheme at most.
pub const SCHEME_LIMIT: usize = 64;

/// Bytes of all values together that are looked at; more is no challenge.
///
/// More than an agent reads of all headers of a response, so that it is never
/// this bound that makes a server's challenge unusable: 64 KiB, and three bytes
/// for each that is no UTF-8.
pub const HEADER_LIMIT: usize = 3 * 65_536;

/// One challenge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Challenge {
    /// As sent; compare without regard to case.
    pub scheme: String,
    pub token68: Option<String>,
    /// Names in lower case, values without quotes, in order, repeats kept.
    pub params: Vec<(String, String)>,
}

impl Challenge {
    /// The first parameter of this name.
    pub fn param(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let named = self.params.iter().filter(move |(key, _)| key == name);
        named.map(|(_, value)| &value[..])
    }
}

/// The first challenge of the header's values, if it is complete.
///
/// A scheme alone; or a scheme, spaces (no tab) and a token68; or a scheme,
/// spaces and parameters. After a comma a well-formed parameter goes on with
/// this challenge, and junk behind it spoils the whole header; anything else
/// begins another challenge, which is not looked at.
pub fn usable<S: AsRef<str>>(values: &[S]) -> Option<Challenge> {
    let values: Vec<&str> = values.iter().map(AsRef::as_ref).collect();
    if values.iter().map(|value| value.len()).sum::<usize>() > HEADER_LIMIT {
        return None;
    }
    // RFC 9110 section 5.3: repeated fields are one list.
    let joined = values.join(", ");
    let mut cursor = Cursor(joined.trim_matches([' ', '\t']));
    let mut challenge = Challenge {
        scheme: cursor.token()?.to_owned(),
        ..Challenge::default()
    };
    if challenge.scheme.len() > SCHEME_LIMIT {
        return None;
    }
    if !cursor.at_end() {
        if cursor.run(|byte| byte == b' ').is_empty() {
            return None;
        }
        match cursor.token68() {
            Some(token) => challenge.token68 = Some(token.to_owned()),
            None => challenge.params.push(cursor.param()?),
        }
    }
    loop {
        cursor.blanks();
        if cursor.0.is_empty() {
            return Some(challenge);
        }
        if !cursor.eat(b',') {
            return None;
        }
        cursor.run(|byte| matches!(byte, b',' | b' ' | b'\t'));
        match cursor.param() {
            Some(param) => challenge.params.push(param),
            None => return Some(challenge),
        }
    }
}

/// All challenges, as far as they can be made out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Those of the `Bearer` scheme first, otherwise in order.
    pub challenges: Vec<Challenge>,
    pub quirks: BTreeSet<Quirk>,
}

impl Reading {
    /// Every parameter of this name, those of `Bearer` challenges first.
    pub fn params<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.challenges.iter().flat_map(move |one| one.all(name))
    }

    /// Where the protected resource's metadata is said to lie (RFC 9728
    /// section 5.1). Of several the first counts.
    pub fn resource_metadata(&self) -> Option<&str> {
        self.params("resource_metadata").next()
    }

    /// The scopes asked for, split at blanks (RFC 6750 section 3).
    pub fn scopes(&self) -> impl Iterator<Item = &str> {
        let scope = self.params("scope").next().unwrap_or_default();
        scope.split_ascii_whitespace()
    }
}

/// What RFC 9110 forbids and servers do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Quirk {
    /// A parameter stands twice in one challenge.
    RepeatedParameter,
    /// A value between single quotes.
    SingleQuotes,
    /// A value without quotes that needs them.
    UnquotedValue,
    /// A value whose closing quote never came.
    OpenQuote,
    /// Blanks around `=`: a recipient must accept them, a sender not write them.
    BlanksAroundEquals,
    /// A parameter before any scheme, or stray characters.
    Stray,
}

impl Quirk {
    /// The stable key of this quirk.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RepeatedParameter => "repeated_parameter",
            Self::SingleQuotes => "single_quotes",
            Self::UnquotedValue => "unquoted_value",
            Self::OpenQuote => "open_quote",
            Self::BlanksAroundEquals => "blanks_around_equals",
            Self::Stray => "stray",
        }
    }
}

/// Reads whatever the header's values hold. Values beyond [`HEADER_LIMIT`]
/// bytes in all are left out.
pub fn read<S: AsRef<str>>(values: &[S]) -> Reading {
    let mut reading = Reading::default();
    let mut budget = HEADER_LIMIT;
    for value in values.iter().map(AsRef::as_ref) {
        let Some(left) = budget.checked_sub(value.len()) else {
            break;
        };
        budget = left;
        reading.header(Cursor(value));
    }
    for one in &reading.challenges {
        let mut names: Vec<&String> = one.params.iter().map(|(name, _)| name).collect();
        names.sort_unstable();
        if names.windows(2).any(|pair| pair[0] == pair[1]) {
            reading.quirks.insert(Quirk::RepeatedParameter);
        }
    }
    // Stable, so that the order stays as it was among equals.
    let other = |one: &Challenge| !one.scheme.eq_ignore_ascii_case("bearer");
    reading.challenges.sort_by_key(other);
    reading
}

impl Reading {
    fn header(&mut self, mut cursor: Cursor<'_>) {
        let first = self.challenges.len();
        // Whether a word may still be the token68 of the challenge under way.
        let mut fresh = false;
        while !cursor.0.is_empty() {
            let gap = cursor.run(|byte| matches!(byte, b',' | b' ' | b'\t'));
            fresh &= !gap.contains(',');
            let word = cursor.run(|byte| !matches!(byte, b',' | b' ' | b'\t' | b'='));
            if word.is_empty() && cursor.0.is_empty() {
                break;
            }
            let mut ahead = cursor;
            let padding = ahead.run(|byte| byte == b'=');
            ahead.blanks();
            if fresh
                && ahead.at_end()
                && let Some(challenge) = self.challenges.last_mut()
            {
                challenge.token68 = Some(format!("{word}{padding}"));
                cursor = ahead;
                continue;
            }
            let before = cursor.blanks();
            if cursor.eat(b'=') {
                let after = cursor.blanks();
                let value = self.value(&mut cursor);
                if !before.is_empty() || !after.is_empty() {
                    self.quirks.insert(Quirk::BlanksAroundEquals);
                }
                if self.challenges.len() == first || word.is_empty() {
                    self.quirks.insert(Quirk::Stray);
                    if self.challenges.len() == first {
                        self.challenges.push(Challenge::default());
                    }
                }
                if let Some(challenge) = self.challenges.last_mut() {
                    challenge.params.push((word.to_ascii_lowercase(), value));
                }
                fresh = false;
            } else {
                self.challenges.push(Challenge {
                    scheme: word.to_owned(),
                    ..Challenge::default()
                });
                fresh = true;
            }
        }
    }

    fn value(&mut self, cursor: &mut Cursor<'_>) -> String {
        if cursor.eat(b'"') {
            let mut value = String::new();
            loop {
                value.push_str(cursor.run(|byte| !matches!(byte, b'"' | b'\\')));
                if cursor.eat(b'"') {
                    return value;
                }
                // At a backslash or at the end.
                let mut rest = cursor.0.chars();
                rest.next();
                let Some(escaped) = rest.next() else {
                    cursor.0 = "";
                    self.quirks.insert(Quirk::OpenQuote);
                    return value;
                };
                value.push(escaped);
                cursor.0 = rest.as_str();
            }
        }
        if cursor.eat(b'\'') {
            self.quirks.insert(Quirk::SingleQuotes);
            let value = cursor.run(|byte| byte != b'\'').to_owned();
            if !cursor.eat(b'\'') {
                self.quirks.insert(Quirk::OpenQuote);
            }
            return value;
        }
        let value = cursor.run(|byte| !matches!(byte, b',' | b' ' | b'\t'));
        if !value.bytes().all(is_token_byte) {
            self.quirks.insert(Quirk::UnquotedValue);
        }
        value.to_owned()
    }
}

/// What is left of a header's value.
#[derive(Clone, Copy)]
struct Cursor<'a>(&'a str);

impl<'a> Cursor<'a> {
    /// Takes bytes as long as they fit. Tests look at ASCII only, so a run ends
    /// between characters: the bytes of a character beyond ASCII fit alike.
    fn run(&mut self, fits: impl Fn(u8) -> bool) -> &'a str {
        let length = self.0.bytes().take_while(|&byte| fits(byte)).count();
        let (run, rest) = self.0.split_at(length);
        self.0 = rest;
        run
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.0.as_bytes().first() == Some(&byte);
        if found {
            self.0 = &self.0[1..];
        }
        found
    }

    fn blanks(&mut self) -> &'a str {
        self.run(|byte| matches!(byte, b' ' | b'\t'))
    }

    /// At the end of the value or of a list element.
    fn at_end(&self) -> bool {
        matches!(self.0.as_bytes().first(), None | Some(b','))
    }

    fn token(&mut self) -> Option<&'a str> {
        let token = self.run(is_token_byte);
        (!token.is_empty()).then_some(token)
    }

    /// A token68 that fills its list element; otherwise nothing is taken.
    fn token68(&mut self) -> Option<&'a str> {
        let mut ahead = *self;
        let body = ahead.run(|byte| byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte));
        let padding = ahead.run(|byte| byte == b'=');
        let token = &self.0[..body.len() + padding.len()];
        ahead.blanks();
        if body.is_empty() || !ahead.at_end() {
            return None;
        }
        *self = ahead;
        Some(token)
    }

    /// A well-formed parameter; otherwise nothing is taken.
    fn param(&mut self) -> Option<(String, String)> {
        let mut ahead = *self;
        let name = ahead.token()?.to_ascii_lowercase();
        ahead.blanks();
        if !ahead.eat(b'=') {
            return None;
        }
        ahead.blanks();
        let value = if ahead.eat(b'"') {
            ahead.quoted()?
        } else {
            ahead.token()?.to_owned()
        };
        *self = ahead;
        Some((name, value))
    }

    /// The rest of a quoted-string behind its opening quote: no control but a
    /// tab, no DEL.
    fn quoted(&mut self) -> Option<String> {
        let allowed = |byte: u8| byte == b'\t' || (byte >= b' ' && byte != 0x7F);
        let mut value = String::new();
        loop {
            let text = self.run(|byte| allowed(byte) && !matches!(byte, b'"' | b'\\'));
            value.push_str(text);
            if self.eat(b'"') {
                return Some(value);
            }
            if !self.eat(b'\\') {
                return None;
            }
            let escaped = self.0.chars().next()?;
            if escaped.is_ascii() && !allowed(u8::try_from(escaped).ok()?) {
                return None;
            }
            value.push(escaped);
            self.0 = &self.0[escaped.len_utf8()..];
        }
    }
}

/// RFC 9110 section 5.6.2.
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests;

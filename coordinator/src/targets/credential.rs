//! Whether an address holds what should stay secret. A target's address is the
//! subject of its evidence and is published as it is, so that every door
//! through which targets come asks here first.

use url::Url;

/// Words of a parameter's name that say its value lets somebody in.
const WORDS: [&str; 20] = [
    "apikey",
    "auth",
    "authorization",
    "bearer",
    "credential",
    "credentials",
    "jwt",
    "key",
    "pass",
    "passphrase",
    "passwd",
    "password",
    "pat",
    "pwd",
    "secret",
    "session",
    "sid",
    "sig",
    "signature",
    "token",
];
/// How such a name ends when its words are written together.
const ENDINGS: [&str; 8] = [
    "accesskey",
    "apikey",
    "password",
    "privatekey",
    "secret",
    "secretkey",
    "sessionid",
    "token",
];
/// Characters of a name that are shown.
const NAME_SHOWN: usize = 40;

/// What an address holds that must not be published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Credential {
    /// A user name or a password before the host.
    User,
    /// A query parameter of this name, shortened. Its value is in no message.
    Parameter(String),
}

impl Credential {
    /// The first one in the address.
    pub fn within(url: &Url) -> Option<Self> {
        if !url.username().is_empty() || url.password().is_some() {
            return Some(Self::User);
        }
        let (name, _) = url
            .query_pairs()
            .find(|(name, _)| is_named_like_one(name))?;
        Some(Self::Parameter(name.chars().take(NAME_SHOWN).collect()))
    }
}

fn is_named_like_one(name: &str) -> bool {
    let mut words = vec![String::new()];
    let mut after_small = false;
    for character in name.chars() {
        let begins = !character.is_alphanumeric() || (after_small && character.is_uppercase());
        if begins {
            words.push(String::new());
        }
        after_small = character.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| character.is_alphanumeric()) {
            word.extend(character.to_lowercase());
        }
    }
    let together = words.concat();
    words.iter().any(|word| WORDS.contains(&&word[..]))
        || ENDINGS.iter().any(|ending| together.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_is_judged_by_the_words_of_its_name() {
        for name in [
            "api_key",
            "apiKey",
            "APIKEY",
            "x-api-key",
            "key",
            "token",
            "access_token",
            "accessToken",
            "mytoken",
            "client%5Fsecret",
            "auth",
            "Password",
            "X-Amz-Signature",
            "X-Amz-Security-Token",
            "sessionId",
            "user.pwd",
        ] {
            let url = format!("https://mcp.example/mcp?v=1&{name}=sk-1234");
            let found = Credential::within(&Url::parse(&url).unwrap());
            assert!(matches!(found, Some(Credential::Parameter(_))), "{name}");
        }
        for query in [
            "",
            "?",
            "?v=2",
            "?keyboard=1&monkey=2&max_tokens=3&author=4&passage=5&compass=6",
            "?tools=docs,search&toolset=core",
            "?region=eu&value=token",
        ] {
            let url = Url::parse(&format!("https://mcp.example/mcp{query}")).unwrap();
            assert_eq!(Credential::within(&url), None, "{query}");
        }
    }

    #[test]
    fn a_user_is_a_credential_and_a_name_is_shortened() {
        let within = |text: &str| Credential::within(&Url::parse(text).unwrap());
        assert_eq!(within("https://me@mcp.example/"), Some(Credential::User));
        assert_eq!(within("https://:pw@mcp.example/"), Some(Credential::User));
        let long = format!("https://mcp.example/?{}_key=1", "x".repeat(500));
        let shown = "x".repeat(NAME_SHOWN);
        assert_eq!(within(&long), Some(Credential::Parameter(shown)));
    }
}

//! How a text reads before anything was measured: each parameter as its name,
//! and what stands for each word that a parameter can be.

use fluent_syntax::ast;

use crate::Language;
use crate::catalogue::files;

/// A text without values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wording {
    /// Parameters stand as `‹name›`.
    pub sentence: String,
    /// What is said in place of a parameter when it is this word or number.
    pub words: Vec<WordOf>,
}

/// One word of one parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordOf {
    pub param: String,
    /// `None`: any other word.
    pub word: Option<String>,
    pub says: String,
}

/// The wording of the message `id`; `None` when there is no such text.
pub(crate) fn wording(language: Language, id: &str) -> Option<Wording> {
    for file in files(language) {
        let resource = match fluent_syntax::parser::parse(*file) {
            Ok(resource) | Err((resource, _)) => resource,
        };
        for entry in resource.body {
            if let ast::Entry::Message(message) = entry
                && message.id.name == id
            {
                let mut words = Vec::new();
                let sentence = pattern(message.value.as_ref()?, &mut words);
                return Some(Wording { sentence, words });
            }
        }
    }
    None
}

fn pattern(pattern: &ast::Pattern<&str>, words: &mut Vec<WordOf>) -> String {
    pattern
        .elements
        .iter()
        .map(|element| match element {
            ast::PatternElement::TextElement { value } => (*value).to_owned(),
            ast::PatternElement::Placeable { expression } => of_expression(expression, words),
        })
        .collect()
}

fn of_expression(expression: &ast::Expression<&str>, words: &mut Vec<WordOf>) -> String {
    match expression {
        ast::Expression::Inline(inline) => of_inline(inline, words),
        ast::Expression::Select { selector, variants } => {
            let name = of_inline(selector, words);
            let param = name.trim_matches(['‹', '›']).to_owned();
            let mut sentence = name.clone();
            let mut counts = false;
            let mut others = None;
            let mut inner = Vec::new();
            for variant in variants {
                let word = match variant.key {
                    // A grammatical number and no word of ours.
                    ast::VariantKey::Identifier { name: "one" } if !variant.default => {
                        counts = true;
                        continue;
                    }
                    ast::VariantKey::Identifier { name } => name,
                    ast::VariantKey::NumberLiteral { value } => value,
                };
                let says = pattern(&variant.value, &mut inner);
                if variant.default {
                    others = Some(says);
                } else {
                    words.push(WordOf {
                        param: param.clone(),
                        word: Some(word.to_owned()),
                        says,
                    });
                }
            }
            let listed = words.iter().any(|word| word.param == param);
            if let Some(others) = others {
                // A text that repeats its parameter stands for all of them.
                if others.contains(&name) || counts || !listed {
                    sentence = others;
                } else {
                    words.push(WordOf {
                        param,
                        word: None,
                        says: others,
                    });
                }
            }
            words.append(&mut inner);
            sentence
        }
    }
}

fn of_inline(inline: &ast::InlineExpression<&str>, words: &mut Vec<WordOf>) -> String {
    match inline {
        ast::InlineExpression::VariableReference { id } => format!("‹{}›", id.name),
        ast::InlineExpression::StringLiteral { value }
        | ast::InlineExpression::NumberLiteral { value } => (*value).to_owned(),
        ast::InlineExpression::FunctionReference { arguments, .. } => arguments
            .positional
            .iter()
            .map(|argument| of_inline(argument, words))
            .collect(),
        ast::InlineExpression::Placeable { expression } => of_expression(expression, words),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(key: &str) -> Wording {
        wording(Language::English, &format!("reason-{key}")).unwrap()
    }

    #[test]
    fn a_parameter_stands_as_its_name() {
        let answered = of("answered");
        assert_eq!(answered.sentence, "The handshake ended with HTTP ‹status›.");
        assert!(answered.words.is_empty());
        assert_eq!(
            of("tools_listed").sentence,
            "‹tools› tools on ‹pages› pages. Structure valid, list complete."
        );
    }

    #[test]
    fn words_of_a_parameter_are_listed_once() {
        let failed = of("connection_failed");
        assert_eq!(failed.sentence, "The connection failed (‹fault›).");
        assert_eq!(failed.words.len(), 5);
        let redirected = of("tools_list_redirected");
        assert!(
            redirected
                .sentence
                .starts_with("`tools/list` was redirected (HTTP ‹status›) ‹to› We record"),
            "{}",
            redirected.sentence
        );
        let words: Vec<_> = redirected.words.iter().map(|w| w.word.as_deref()).collect();
        assert_eq!(words, [Some("same_host"), Some("other_host"), None]);
        let limited = of("rate_limited");
        assert_eq!(limited.words[0].word.as_deref(), Some("0"));
        assert_eq!(wording(Language::English, "reason-none_such"), None);
    }
}

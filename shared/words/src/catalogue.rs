//! The Fluent files of both languages, parsed once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use fluent_syntax::ast;
use unic_langid::LanguageIdentifier;

use crate::{Language, Param};

/// One file a topic, the same topics in each language.
const ENGLISH: [&str; 6] = [
    include_str!("../en/vocabulary.ftl"),
    include_str!("../en/checks.ftl"),
    include_str!("../en/reasons.ftl"),
    include_str!("../en/causes.ftl"),
    include_str!("../en/pages.ftl"),
    include_str!("../en/method.ftl"),
];
const CHINESE: [&str; 6] = [
    include_str!("../zh/vocabulary.ftl"),
    include_str!("../zh/checks.ftl"),
    include_str!("../zh/reasons.ftl"),
    include_str!("../zh/causes.ftl"),
    include_str!("../zh/pages.ftl"),
    include_str!("../zh/method.ftl"),
];

type Bundle = FluentBundle<FluentResource>;

static BUNDLES: LazyLock<[Bundle; 2]> = LazyLock::new(|| Language::ALL.map(bundle));

fn bundle(language: Language) -> Bundle {
    let mut bundle = empty(language);
    // The isolating marks of Fluent are hidden characters. Strangers' text is
    // isolated by the page instead.
    bundle.set_use_isolating(false);
    for file in files(language) {
        // What does not parse, or stands there twice, is left out here and
        // found by the tests of this crate: files and tests are one build.
        let resource = match FluentResource::try_new((*file).to_owned()) {
            Ok(resource) | Err((resource, _)) => resource,
        };
        let _ = bundle.add_resource(resource);
    }
    bundle
}

fn empty(language: Language) -> Bundle {
    // Both tags are well formed; a bundle of no known language would only
    // choose plural forms as the root locale does.
    let identifier: LanguageIdentifier = language.tag().parse().unwrap_or_default();
    Bundle::new_concurrent(vec![identifier])
}

fn of(language: Language) -> &'static Bundle {
    &BUNDLES[place(language)]
}

/// In [`Language::ALL`].
fn place(language: Language) -> usize {
    match language {
        Language::English => 0,
        Language::Chinese => 1,
    }
}

pub(crate) fn files(language: Language) -> &'static [&'static str] {
    match language {
        Language::English => &ENGLISH,
        Language::Chinese => &CHINESE,
    }
}

/// The text of a message or of one of its attributes. `None` when there is
/// none, or when it names a variable that was not given.
pub(crate) fn format(
    language: Language,
    id: &str,
    attribute: Option<&str>,
    args: &[(&str, Param)],
) -> Option<String> {
    let bundle = of(language);
    let message = bundle.get_message(id)?;
    let pattern = match attribute {
        None => message.value()?,
        Some(name) => message.get_attribute(name)?.value(),
    };
    let mut given = FluentArgs::with_capacity(args.len());
    for (name, value) in args {
        given.set(
            *name,
            match value {
                Param::Number(number) => FluentValue::from(*number),
                Param::Text(text) => FluentValue::from(text.as_str()),
            },
        );
    }
    let mut errors = Vec::new();
    let text = bundle.format_pattern(pattern, Some(&given), &mut errors);
    errors.is_empty().then(|| text.into_owned())
}

type Variables = BTreeMap<String, BTreeSet<String>>;

/// Read from the sources and not from the bundles: what is asked about is what
/// the files say.
static VARIABLES: LazyLock<[Variables; 2]> = LazyLock::new(|| Language::ALL.map(patterns));

/// The ids of all messages, attributes as `id.attribute`.
pub fn keys(language: Language) -> BTreeSet<String> {
    VARIABLES[place(language)].keys().cloned().collect()
}

/// The variables that the text under `key` (as [`keys`] names it) uses.
pub fn variables(language: Language, key: &str) -> BTreeSet<String> {
    VARIABLES[place(language)]
        .get(key)
        .cloned()
        .unwrap_or_default()
}

/// Every text with the variables in it.
fn patterns(language: Language) -> Variables {
    let mut found = Variables::new();
    for file in files(language) {
        let resource = match fluent_syntax::parser::parse(*file) {
            Ok(resource) | Err((resource, _)) => resource,
        };
        for entry in resource.body {
            let ast::Entry::Message(message) = entry else {
                continue;
            };
            if let Some(pattern) = &message.value {
                found.insert(message.id.name.to_owned(), names_in(pattern));
            }
            for attribute in &message.attributes {
                found.insert(
                    format!("{}.{}", message.id.name, attribute.id.name),
                    names_in(&attribute.value),
                );
            }
        }
    }
    found
}

fn names_in(pattern: &ast::Pattern<&str>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for element in &pattern.elements {
        match element {
            ast::PatternElement::TextElement { .. } => {}
            ast::PatternElement::Placeable { expression } => collect(expression, &mut names),
        }
    }
    names
}

fn collect(expression: &ast::Expression<&str>, names: &mut BTreeSet<String>) {
    match expression {
        ast::Expression::Select { selector, variants } => {
            collect_inline(selector, names);
            for variant in variants {
                names.extend(names_in(&variant.value));
            }
        }
        ast::Expression::Inline(inline) => collect_inline(inline, names),
    }
}

fn collect_inline(inline: &ast::InlineExpression<&str>, names: &mut BTreeSet<String>) {
    match inline {
        ast::InlineExpression::VariableReference { id } => {
            names.insert(id.name.to_owned());
        }
        ast::InlineExpression::FunctionReference { arguments, .. } => {
            for argument in &arguments.positional {
                collect_inline(argument, names);
            }
        }
        ast::InlineExpression::Placeable { expression } => collect(expression, names),
        _ => {}
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    #[test]
    fn every_file_parses_and_no_text_stands_twice() {
        for language in Language::ALL {
            let mut bundle = empty(language);
            for file in files(language) {
                let resource = FluentResource::try_new((*file).to_owned())
                    .unwrap_or_else(|(_, errors)| panic!("{language:?}: {errors:?}"));
                bundle
                    .add_resource(resource)
                    .unwrap_or_else(|errors| panic!("{language:?}: {errors:?}"));
            }
        }
    }
}

//! The texts of `locales/`, embedded, and their rendering.

use std::sync::OnceLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};

use crate::{Arg, Lang, Message, system};

/// One line for each area of texts; the files are read at build time.
macro_rules! areas {
    ($($area:literal),* $(,)?) => {
        /// The Fluent sources of a language, with their area's name.
        #[must_use]
        pub fn texts(lang: Lang) -> &'static [(&'static str, &'static str)] {
            match lang {
                Lang::En => &[$(($area, include_str!(concat!("../../../locales/en/", $area, ".ftl")))),*],
                Lang::Zh => &[$(($area, include_str!(concat!("../../../locales/zh/", $area, ".ftl")))),*],
            }
        }
    };
}
areas![
    "acceptance",
    "access",
    "calibrate",
    "capacity",
    "cli",
    "compare",
    "compile",
    "curve",
    "diagnose",
    "errors",
    "fleet",
    "fleet-link",
    "help",
    "hops",
    "jmeter",
    "load",
    "plan",
    "report",
    "run",
    "system",
    "watch",
    "watch-agent",
    "watch-endpoints",
    "watch-host",
    "watch-jvm",
    "watch-servers",
];

type Bundle = FluentBundle<FluentResource>;

fn bundle(lang: Lang) -> &'static Bundle {
    static EN: OnceLock<Bundle> = OnceLock::new();
    static ZH: OnceLock<Bundle> = OnceLock::new();
    match lang {
        Lang::En => EN.get_or_init(|| build(Lang::En)),
        Lang::Zh => ZH.get_or_init(|| build(Lang::Zh)),
    }
}

fn build(lang: Lang) -> Bundle {
    let id = lang.code().parse().unwrap_or_default();
    let mut bundle = FluentBundle::new_concurrent(vec![id]);
    bundle.set_use_isolating(false);
    for (_, source) in texts(lang) {
        // A syntax error loses one entry, not the file; the tests allow none.
        let resource = match FluentResource::try_new((*source).to_owned()) {
            Ok(resource) | Err((resource, _)) => resource,
        };
        bundle.add_resource_overriding(resource);
    }
    bundle
}

/// The text of a message that has no arguments.
pub fn plain(lang: Lang, id: &str) -> Option<&'static str> {
    let pattern = bundle(lang).get_message(id)?.value()?;
    match pattern.elements.as_slice() {
        [fluent_syntax::ast::PatternElement::TextElement { value }] => Some(value),
        _ => None,
    }
}

/// Ids that runs of older versions keep, and what they are now.
const RENAMED: [(&str, &str); 5] = [
    ("exhibit-answers", "exhibit-responses"),
    ("exhibit-answer-size", "exhibit-response-size"),
    ("finding-split-answers", "finding-split-responses"),
    (
        "finding-unanswered-requests",
        "finding-requests-without-response",
    ),
    (
        "error-kind-malformed-answer",
        "error-kind-malformed-response",
    ),
];

/// The message in a language. A text that is missing there falls back to English, and one
/// that is missing everywhere to its id, so that nothing is ever swallowed.
#[must_use]
pub fn render(lang: Lang, message: &Message) -> String {
    let (id, attribute) = match message.id.split_once('.') {
        Some((id, attribute)) => (id, Some(attribute)),
        None => (message.id.as_str(), None),
    };
    let id = RENAMED
        .iter()
        .find_map(|(before, now)| (*before == id).then_some(*now))
        .unwrap_or(id);
    for lang in [lang, Lang::En] {
        let bundle = bundle(lang);
        let Some(found) = bundle.get_message(id) else {
            continue;
        };
        let pattern = match attribute {
            Some(name) => found.get_attribute(name).map(|a| a.value()),
            None => found.value(),
        };
        let Some(pattern) = pattern else { continue };
        let mut args = FluentArgs::new();
        for (name, value) in &message.args {
            let value = match value {
                Arg::Text(text) => FluentValue::from(system::translated(lang, name, text)),
                Arg::Number(number) => FluentValue::from(*number),
                Arg::Message(inner) => FluentValue::from(render(lang, inner)),
            };
            args.set(name.as_ref(), value);
        }
        let mut errors = Vec::new();
        return bundle
            .format_pattern(pattern, Some(&args), &mut errors)
            .into_owned();
    }
    message.id.clone()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use std::collections::{BTreeMap, BTreeSet};

    use fluent_syntax::ast;

    use super::*;

    /// The variables of each message (and each attribute) of a language.
    fn variables(lang: Lang) -> BTreeMap<String, BTreeSet<String>> {
        let mut all = BTreeMap::new();
        for (area, source) in texts(lang) {
            let resource = fluent_syntax::parser::parse(*source)
                .unwrap_or_else(|(_, errors)| panic!("{}/{area}.ftl: {errors:?}", lang.code()));
            for entry in resource.body {
                let ast::Entry::Message(message) = entry else {
                    continue;
                };
                let name = message.id.name;
                let mut add = |key: String, pattern: &ast::Pattern<&str>| {
                    let names = format!("{pattern:?}")
                        .split("VariableReference { id: Identifier { name: \"")
                        .skip(1)
                        .filter_map(|rest| rest.split('"').next().map(str::to_owned))
                        .collect();
                    assert!(
                        all.insert(key.clone(), names).is_none(),
                        "{key} is there twice"
                    );
                };
                if let Some(pattern) = &message.value {
                    add(name.to_owned(), pattern);
                }
                for attribute in &message.attributes {
                    add(format!("{name}.{}", attribute.id.name), &attribute.value);
                }
            }
        }
        all
    }

    #[test]
    fn both_languages_say_the_same_things() {
        assert_eq!(variables(Lang::En), variables(Lang::Zh));
    }

    #[test]
    fn ids_of_older_runs_are_known() {
        for (before, now) in RENAMED {
            let [before, now] = [before, now].map(|id| render(Lang::En, &Message::new(id)));
            assert_eq!(before, now);
            assert!(now.contains(' '), "{now}");
        }
    }

    #[test]
    fn a_missing_text_shows_its_id() {
        assert_eq!(
            render(Lang::Zh, &Message::new("no-such-text")),
            "no-such-text"
        );
    }
}

//! The texts of `locales/`, embedded, and their rendering.

use std::collections::HashMap;
use std::sync::OnceLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentMessage, FluentResource, FluentValue};

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

/// The texts of a language. Each area is parsed when one of its texts is wanted: a short run needs
/// few of them. No text refers to one of another area, and no id is in two.
struct Catalogue {
    lang: Lang,
    /// In which area a message is.
    areas: HashMap<&'static str, usize>,
    bundles: Vec<OnceLock<Bundle>>,
}

impl Catalogue {
    fn of(lang: Lang) -> &'static Self {
        static EN: OnceLock<Catalogue> = OnceLock::new();
        static ZH: OnceLock<Catalogue> = OnceLock::new();
        match lang {
            Lang::En => EN.get_or_init(|| Self::new(Lang::En)),
            Lang::Zh => ZH.get_or_init(|| Self::new(Lang::Zh)),
        }
    }

    fn new(lang: Lang) -> Self {
        let sources = texts(lang).iter().enumerate();
        let areas = sources.flat_map(|(area, (_, source))| ids(source).map(move |id| (id, area)));
        Self {
            lang,
            areas: areas.collect(),
            bundles: texts(lang).iter().map(|_| OnceLock::new()).collect(),
        }
    }

    fn message(&self, id: &str) -> Option<(&Bundle, FluentMessage<'_>)> {
        let area = *self.areas.get(id)?;
        let source = texts(self.lang)[area].1;
        let bundle = self.bundles[area].get_or_init(|| build(self.lang, source));
        Some((bundle, bundle.get_message(id)?))
    }
}

/// The ids of a source: what stands before the first `=` of a line that is not indented.
fn ids(source: &'static str) -> impl Iterator<Item = &'static str> {
    let entries = source.lines().filter_map(|line| line.split_once('='));
    let ids = entries.map(|(id, _)| id.trim_end());
    ids.filter(|id| id.starts_with(|first: char| first.is_ascii_alphabetic()))
}

fn build(lang: Lang, source: &str) -> Bundle {
    let id = lang.code().parse().unwrap_or_default();
    let mut bundle = FluentBundle::new_concurrent(vec![id]);
    bundle.set_use_isolating(false);
    // A syntax error loses one entry, not the file; the tests allow none.
    let resource = match FluentResource::try_new(source.to_owned()) {
        Ok(resource) | Err((resource, _)) => resource,
    };
    bundle.add_resource_overriding(resource);
    bundle
}

/// The text of a message that has no arguments.
pub fn plain(lang: Lang, id: &str) -> Option<&'static str> {
    let pattern = Catalogue::of(lang).message(id)?.1.value()?;
    match pattern.elements.as_slice() {
        [fluent_syntax::ast::PatternElement::TextElement { value }] => Some(value),
        _ => None,
    }
}

/// Ids that runs of older versions keep, and what they are now.
const RENAMED: [(&str, &str); 6] = [
    ("event-not-started", "event-dropped"),
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
        let Some((bundle, found)) = Catalogue::of(lang).message(id) else {
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
    fn every_text_is_found_in_its_own_area() {
        for lang in [Lang::En, Lang::Zh] {
            let catalogue = Catalogue::of(lang);
            for name in variables(lang).keys() {
                let (id, attribute) = name.split_once('.').unwrap_or((name, ""));
                let (_, found) = catalogue.message(id).expect(name);
                let is_there = match attribute {
                    "" => found.value().is_some(),
                    _ => found.get_attribute(attribute).is_some(),
                };
                assert!(is_there, "{name}");
            }
            // A text of another area, or a term, would not be found.
            for (area, source) in texts(lang) {
                let resource = fluent_syntax::parser::parse(*source).unwrap();
                let refers = ["MessageReference", "TermReference"];
                let text = format!("{resource:?}");
                assert!(!refers.iter().any(|refer| text.contains(refer)), "{area}");
            }
        }
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

//! The texts of a language, found by their ids.

use std::collections::HashMap;
use std::sync::OnceLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentMessage, FluentResource};
use fluent_syntax::ast::{Pattern, PatternElement};

use crate::Lang;
use crate::sources::texts;

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

/// A text into which arguments can be put.
pub struct FoundText {
    bundle: &'static Bundle,
    pattern: &'static Pattern<&'static str>,
}

/// The text of an id, or of an attribute of one: `id.attribute`.
pub fn find(lang: Lang, id: &str) -> Option<FoundText> {
    let (id, attribute) = match id.split_once('.') {
        Some((id, attribute)) => (id, Some(attribute)),
        None => (id, None),
    };
    let (bundle, message) = Catalogue::of(lang).message(id)?;
    let pattern = match attribute {
        Some(name) => message.get_attribute(name).map(|found| found.value()),
        None => message.value(),
    };
    Some(FoundText {
        bundle,
        pattern: pattern?,
    })
}

impl FoundText {
    /// The text with these arguments.
    pub fn text(&self, args: &FluentArgs<'_>) -> String {
        let mut errors = Vec::new();
        let text = self
            .bundle
            .format_pattern(self.pattern, Some(args), &mut errors);
        // Tests ask for texts alone; who gives something gives all.
        let is_whole = errors.is_empty() || args.iter().next().is_none();
        debug_assert!(is_whole, "“{text}”: {errors:?}");
        text.into_owned()
    }

    /// The text if nothing has to be put into it.
    pub fn plain(&self) -> Option<&'static str> {
        match self.pattern.elements.as_slice() {
            [PatternElement::TextElement { value }] => Some(value),
            _ => None,
        }
    }
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
}

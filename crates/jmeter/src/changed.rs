//! A native sampler that a script changed for one sample (`sampler.setPath(…)`): what it left as
//! it was stays as it is written in the plan, the rest has the script's values.

use plimsoll_elements::{Evaluated, EvaluatedValue};
use plimsoll_plan::model::Span;
use plimsoll_plan::program::{ElementProgram, Package, Program, SiteId, Template, ValueProgram};

/// A sampler as a script left it.
#[derive(Debug, Clone)]
pub(crate) struct Changed {
    /// The sampler before, then its configuration, the nearest first; each with its site.
    pub was: Vec<(SiteId, Evaluated)>,
    /// The sampler now, with its configuration in it.
    pub now: Evaluated,
}

/// A value before the change, and how it is written.
type Known<'k> = (&'k EvaluatedValue, &'k ValueProgram);

/// Properties of an HTTP sampler that hold its configuration, by that one's class.
const HELD: [(&str, &str); 2] = [(HEADERS, "HeaderManager"), (CREDENTIALS, "AuthManager")];
/// Where a sampler has its headers and its credentials.
pub(crate) const HEADERS: &str = "HTTPSampler.header_manager";
pub(crate) const CREDENTIALS: &str = "HTTPSampler.auth_manager";

impl Changed {
    /// The sampler as an element of a program; `left` are managers as scripts left them before.
    pub(crate) fn element(
        &self,
        program: &Program,
        package: &Package,
        left: &[(SiteId, ElementProgram)],
    ) -> ElementProgram {
        let ids: Vec<_> = package.sampler.iter().chain(&package.configs).collect();
        let of_site = |site: SiteId| {
            if let Some((_, manager)) = left.iter().find(|(known, _)| *known == site) {
                return Some(manager);
            }
            let mut all = ids.iter().map(|id| &*program.elements[id.0 as usize]);
            all.find(|element| element.site == site)
        };
        let known: Vec<(&Evaluated, &ElementProgram)> = self
            .was
            .iter()
            .filter_map(|(site, was)| Some((was, of_site(*site)?)))
            .collect();
        let whole = |(was, written): &(&Evaluated, &ElementProgram)| {
            let written = ValueProgram::Element(Box::new((*written).clone()));
            (EvaluatedValue::Element((*was).clone()), written)
        };
        let mut properties = Vec::with_capacity(self.now.properties.len());
        for (name, now) in &self.now.properties {
            let held: Vec<(EvaluatedValue, ValueProgram)>;
            let of_name: Vec<Known<'_>> = match HELD.iter().find(|(own, _)| own == name) {
                Some((_, class)) => {
                    let of_class = known.iter().filter(|(was, _)| was.class == *class);
                    held = of_class.map(whole).collect();
                    held.iter().map(|(was, written)| (was, written)).collect()
                }
                None => known
                    .iter()
                    .filter_map(|(was, written)| Some((was.get(name)?, written.get(name)?)))
                    .collect(),
            };
            properties.push((name.as_str().into(), value(now, &of_name)));
        }
        let own = known.first().map(|(_, written)| *written);
        ElementProgram {
            class: self.now.class.clone(),
            name: match (self.new_name(), own) {
                (None, Some(own)) => own.name.clone(),
                _ => Template::text(self.now.name.as_str()),
            },
            properties,
            site: own.map_or(SiteId(0), |own| own.site),
            at: own.map_or_else(Span::default, |own| own.at),
        }
    }

    /// The managers that the script changed, by their sites. Of several of a kind none: then the
    /// sampler has one of its own, made of all.
    pub(crate) fn managers(&self, sampler: &ElementProgram) -> Vec<(SiteId, ElementProgram)> {
        let mut managers = Vec::new();
        for (name, class) in HELD {
            let of_class: Vec<_> = self
                .was
                .iter()
                .filter(|(_, was)| was.class == class)
                .collect();
            if let ([(site, was)], Some(now), Some(written)) = (
                of_class.as_slice(),
                self.now.element(name),
                sampler.element(name),
            ) && !same(
                &EvaluatedValue::Element(was.clone()),
                &EvaluatedValue::Element(now.clone()),
            ) {
                managers.push((*site, written.clone()));
            }
        }
        managers
    }

    /// The name, if it is another.
    pub(crate) fn new_name(&self) -> Option<&str> {
        let before = self.was.first().map(|(_, was)| was.name.as_str());
        (before != Some(&self.now.name)).then_some(&self.now.name)
    }
}

/// How a value is written: as before, where it is the same.
fn value(now: &EvaluatedValue, known: &[Known<'_>]) -> ValueProgram {
    if let Some((_, written)) = known.iter().find(|(was, _)| same(was, now)) {
        return (*written).clone();
    }
    match now {
        EvaluatedValue::Text(text) => ValueProgram::Text(Template::text(text.as_str())),
        EvaluatedValue::List(items) => {
            let lists = known.iter().filter_map(|known| match known {
                (EvaluatedValue::List(was), ValueProgram::List(written)) => Some((was, written)),
                _ => None,
            });
            let all: Vec<Known<'_>> = lists
                .flat_map(|(was, written)| was.iter().zip(written))
                .collect();
            let item = |now: &EvaluatedValue| match all.iter().find(|(was, _)| same(was, now)) {
                Some((_, written)) => (*written).clone(),
                // Its parts are nobody else's.
                None => value(now, &[]),
            };
            ValueProgram::List(items.iter().map(item).collect())
        }
        EvaluatedValue::Element(element) => {
            let property = |(name, now): &(String, EvaluatedValue)| {
                let of_name = known.iter().filter_map(|known| match known {
                    (EvaluatedValue::Element(was), ValueProgram::Element(written)) => {
                        Some((was.get(name)?, written.get(name)?))
                    }
                    _ => None,
                });
                let of_name: Vec<Known<'_>> = of_name.collect();
                (name.as_str().into(), value(now, &of_name))
            };
            ValueProgram::Element(Box::new(ElementProgram {
                class: element.class.clone(),
                name: Template::text(element.name.as_str()),
                properties: element.properties.iter().map(property).collect(),
                site: SiteId(0),
                at: Span::default(),
            }))
        }
    }
}

/// Whether a value is what it was; Java's objects have some more properties that say nothing.
fn same(was: &EvaluatedValue, now: &EvaluatedValue) -> bool {
    match (was, now) {
        (EvaluatedValue::Text(was), EvaluatedValue::Text(now)) => was == now,
        (EvaluatedValue::List(was), EvaluatedValue::List(now)) => {
            was.len() == now.len() && was.iter().zip(now).all(|(was, now)| same(was, now))
        }
        (EvaluatedValue::Element(was), EvaluatedValue::Element(now)) => {
            let kept = was
                .properties
                .iter()
                .all(|(name, was)| match now.get(name) {
                    Some(now) => says_nothing(name) || same(was, now),
                    None => says_nothing(name) || *was == EvaluatedValue::Text(String::new()),
                });
            let added = |(name, now): &(String, EvaluatedValue)| {
                let is_empty = *now == EvaluatedValue::Text(String::new());
                says_nothing(name) || is_empty || was.get(name).is_some()
            };
            kept && now.properties.iter().all(added)
        }
        _ => false,
    }
}

fn says_nothing(name: &str) -> bool {
    name.starts_with("TestElement.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> EvaluatedValue {
        EvaluatedValue::Text(text.to_owned())
    }

    fn argument(name: &str, value: &str) -> EvaluatedValue {
        let properties = [("Argument.name", name), ("Argument.value", value)];
        EvaluatedValue::Element(Evaluated {
            class: "HTTPArgument".to_owned(),
            name: name.to_owned(),
            properties: properties
                .map(|(key, it)| (key.to_owned(), text(it)))
                .into(),
        })
    }

    #[test]
    fn what_a_script_leaves_alone_stays_as_it_is_written() {
        let mark = |name: &str| ValueProgram::Text(Template::text(name));
        let was = EvaluatedValue::List(vec![argument("a", "1"), argument("b", "2")]);
        let written = ValueProgram::List(vec![mark("first"), mark("second")]);
        let now = EvaluatedValue::List(vec![
            argument("b", "2"),
            argument("c", "3"),
            argument("a", "other"),
        ]);
        let ValueProgram::List(made) = value(&now, &[(&was, &written)]) else {
            panic!("no list");
        };
        let marks = made.iter().map(|item| match item {
            ValueProgram::Text(text) => text.as_text(),
            ValueProgram::Element(element) => {
                element.text("Argument.value").and_then(Template::as_text)
            }
            ValueProgram::List(_) => None,
        });
        let marks: Vec<_> = marks.collect();
        assert_eq!(marks, [Some("second"), Some("3"), Some("other")]);
    }
}

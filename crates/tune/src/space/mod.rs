//! What may be changed: knobs with what each may be, and what must hold between them.

mod corners;
mod domain;
mod order;
mod quantity;
mod relation;

pub use domain::{Domain, DomainError};
pub use order::ChoiceOrder;
pub use quantity::reads_as;
pub use relation::{Relation, RelationError};

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// The values of all knobs: none for one that is left as it was found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Configuration(pub Vec<Option<String>>);

impl Configuration {
    /// All as it was found.
    #[must_use]
    pub fn unchanged(knobs: usize) -> Self {
        Self(vec![None; knobs])
    }

    /// The same with one knob's value.
    #[must_use]
    pub fn with(&self, knob: usize, value: Option<String>) -> Self {
        let mut all = self.clone();
        if let Some(place) = all.0.get_mut(knob) {
            *place = value;
        }
        all
    }

    /// The knobs that differ from what was found.
    pub fn changed(&self) -> impl Iterator<Item = usize> + '_ {
        let all = self.0.iter().enumerate();
        all.filter(|(_, value)| value.is_some()).map(|(at, _)| at)
    }
}

/// A knob of the space.
#[derive(Debug, Clone, PartialEq)]
pub struct SpaceKnob {
    /// Its name in the study.
    pub name: String,
    /// What it may be.
    pub domain: Domain,
    /// What it is without a change, as far as that is known.
    pub found: Option<String>,
    /// What must hold for it to count.
    pub only_if: Option<Relation>,
    /// Its values are secrets by the name that they have on the target.
    pub is_hidden: bool,
}

impl SpaceKnob {
    /// A value as it may be shown.
    #[must_use]
    pub fn shown<'a>(&self, value: &'a str) -> Cow<'a, str> {
        shown_value(&self.name, self.is_hidden, value)
    }
}

/// The value of a knob of this name as it may be shown: masked where it is a secret by the name or by where it stands.
pub(crate) fn shown_value<'a>(name: &str, is_hidden: bool, value: &'a str) -> Cow<'a, str> {
    let name = if is_hidden { "password" } else { name };
    plimsoll_secrets::value(name, value)
}

/// All knobs of a study and what must hold between them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Space {
    /// The knobs, in the study's order.
    pub knobs: Vec<SpaceKnob>,
    /// What must hold between them.
    pub relations: Vec<Relation>,
}

impl Space {
    /// The value of a knob in a configuration: its own, else what was found.
    #[must_use]
    pub fn value<'a>(&'a self, of: &'a Configuration, knob: usize) -> Option<&'a str> {
        let own = of.0.get(knob).and_then(Option::as_deref);
        own.or_else(|| self.knobs.get(knob)?.found.as_deref())
    }

    fn by_name<'a>(&'a self, of: &'a Configuration, name: &str) -> Option<&'a str> {
        let knob = self.knobs.iter().position(|knob| knob.name == name)?;
        self.value(of, knob)
    }

    /// Whether a knob counts in a configuration.
    #[must_use]
    pub fn counts(&self, of: &Configuration, knob: usize) -> bool {
        let only_if = self.knobs.get(knob).and_then(|knob| knob.only_if.as_ref());
        only_if.is_none_or(|only_if| only_if.holds(&|name| self.by_name(of, name)) != Some(false))
    }

    /// The first relation that a configuration breaks. One whose values are not all known breaks nothing.
    #[must_use]
    pub fn broken<'a>(&'a self, of: &Configuration) -> Option<&'a Relation> {
        let values = |name: &str| self.by_name(of, name).map(str::to_owned);
        let mut all = self.relations.iter();
        all.find(|relation| relation.holds(&values) == Some(false))
    }

    /// The relations between numbers whose units cannot be compared: nobody would know whether they hold.
    pub fn relations_of_strange_units(&self) -> impl Iterator<Item = &Relation> {
        let least = |name: &str| {
            let knob = self.knobs.iter().find(|knob| knob.name == name)?;
            let is_number = matches!(knob.domain, Domain::Number { .. });
            is_number.then(|| knob.domain.at(0.0))
        };
        self.relations.iter().filter(move |relation| {
            let are_numbers = relation.names().into_iter().all(|it| least(it).is_some());
            are_numbers && relation.holds(&least).is_none()
        })
    }

    /// The same configuration in its normal form: a value that was found is no change, and a knob that
    /// does not count is left as it was.
    #[must_use]
    pub fn normal(&self, of: &Configuration) -> Configuration {
        let mut normal = of.clone();
        for (at, knob) in self.knobs.iter().enumerate() {
            let same = match (&normal.0[at], &knob.found) {
                (Some(value), Some(found)) => knob.domain.same(value, found),
                _ => false,
            };
            if same || !self.counts(of, at) {
                normal.0[at] = None;
            }
        }
        normal
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn space() -> Space {
        let number = |from, to| Domain::numbers(from, to, 1.0, false, "");
        let knob = |name: &str, domain, found: Option<&str>, only_if: Option<&str>| SpaceKnob {
            name: name.to_owned(),
            domain,
            found: found.map(str::to_owned),
            only_if: only_if.map(|text| Relation::parse(text).unwrap()),
            is_hidden: false,
        };
        let words = ["serial", "g1"].map(str::to_owned).to_vec();
        Space {
            knobs: vec![
                knob("threads", number(1.0, 64.0), Some("10"), None),
                knob("pool", number(1.0, 64.0), Some("4"), None),
                knob("collector", Domain::Choice(words), None, None),
                knob("pause", number(10.0, 500.0), None, Some("collector = g1")),
            ],
            relations: vec![Relation::parse("pool <= threads - 2").unwrap()],
        }
    }

    #[test]
    fn relations_are_judged_with_what_was_found() {
        let space = space();
        let nothing = Configuration::unchanged(4);
        assert!(space.broken(&nothing).is_none());
        let pool = nothing.with(1, Some("9".into()));
        assert_eq!(space.broken(&pool).unwrap().text(), "pool <= threads - 2");
        assert!(space.broken(&pool.with(0, Some("11".into()))).is_none());
    }

    #[test]
    fn units_that_cannot_be_compared_are_seen_before_anything_is_tried() {
        for (idle, keep, text, is_strange) in [
            ("m", "s", "a <= b", false),
            ("mb", "g", "a <= b - 1m", false),
            ("k", "s", "a <= b", true),
            ("parsecs", "", "a <= b", true),
            ("", "", "a <= b + 3", false),
            ("ms", "", "a * 2 <= 1g", true),
            ("ms", "", "b <= 1g", false),
        ] {
            let knob = |name: &str, unit: &str| SpaceKnob {
                name: name.to_owned(),
                domain: Domain::numbers(1.0, 64.0, 1.0, false, unit),
                found: None,
                only_if: None,
                is_hidden: false,
            };
            let space = Space {
                knobs: vec![knob("a", idle), knob("b", keep)],
                relations: vec![Relation::parse(text).unwrap()],
            };
            let strange = space.relations_of_strange_units().count();
            assert_eq!(strange == 1, is_strange, "{idle} {keep} {text}");
        }
        assert_eq!(space().relations_of_strange_units().count(), 0);
    }

    #[test]
    fn a_knob_that_does_not_count_is_no_change() {
        let space = space();
        let pause = Configuration::unchanged(4).with(3, Some("50".into()));
        // Nobody knows the collector that is there.
        assert!(space.counts(&pause, 3));
        let serial = pause.with(2, Some("serial".into()));
        assert!(!space.counts(&serial, 3));
        assert_eq!(space.normal(&serial).changed().collect::<Vec<_>>(), [2]);
        let same = Configuration::unchanged(4).with(0, Some("10".into()));
        assert_eq!(space.normal(&same), Configuration::unchanged(4));
    }
}

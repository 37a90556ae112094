//! Relations that no values of the knobs fulfil.

use std::collections::BTreeMap;

use super::{Domain, Relation, Space};

/// So many combinations of values are looked at; where there are more, a relation may hold.
const MOST_LOOKED_AT: usize = 10_000;

impl Space {
    /// Whether a relation holds for no values that its knobs may have. Sums and products are largest and smallest where
    /// each number is: at the ends of its range. Whether numbers may be equal is not looked at.
    #[must_use]
    pub fn never_holds(&self, relation: &Relation) -> bool {
        let mut names = relation.all_names();
        names.sort_unstable();
        names.dedup();
        let mut looked_at = vec![BTreeMap::new()];
        for name in names {
            // A word that is no knob stands for itself.
            let Some(knob) = self.knobs.iter().find(|knob| knob.name == name) else {
                continue;
            };
            // What is not known breaks nothing.
            let Some(found) = knob.found.clone() else {
                return false;
            };
            let mut values = match &knob.domain {
                Domain::Choice(values) => values.clone(),
                Domain::Number { .. } if relation.is_of_equals() => return false,
                number @ Domain::Number { .. } => vec![number.at(0.0), number.at(1.0)],
            };
            values.push(found);
            if looked_at.len().saturating_mul(values.len()) > MOST_LOOKED_AT {
                return false;
            }
            let mut all = Vec::with_capacity(looked_at.len() * values.len());
            for known in &looked_at {
                for value in &values {
                    let mut known: BTreeMap<&str, String> = known.clone();
                    known.insert(name, value.clone());
                    all.push(known);
                }
            }
            looked_at = all;
        }
        let holds =
            |known: &BTreeMap<&str, String>| relation.holds(&|name| known.get(name).cloned());
        looked_at.iter().all(|known| holds(known) == Some(false))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::SpaceKnob;
    use super::*;

    #[test]
    fn what_never_holds_is_seen() {
        let knob = |name: &str, domain: Domain, found: Option<&str>| SpaceKnob {
            name: name.to_owned(),
            domain,
            found: found.map(str::to_owned),
            only_if: None,
            is_hidden: false,
        };
        let numbers = |from: f64, to: f64| Domain::numbers(from, to, 1.0, false, "");
        let words = ["serial", "g1"].map(str::to_owned).to_vec();
        let space = Space {
            knobs: vec![
                knob("threads", numbers(8.0, 40.0), Some("100")),
                knob("pool", numbers(10.0, 20.0), Some("15")),
                knob("collector", Domain::Choice(words), Some("parallel")),
            ],
            relations: Vec::new(),
        };
        for (text, never) in [
            ("threads < 8", true),
            ("threads <= 8", false),
            ("threads > 40", false),
            ("threads > 100", true),
            ("pool >= threads * 3", true),
            ("pool * 2 >= threads", false),
            ("pool - threads > 12", true),
            ("threads = 16", false),
            ("collector = g1", false),
            ("collector = parallel", false),
            ("collector = zgc", true),
            ("collector != zgc", false),
            ("unknown > 3", false),
        ] {
            let relation = Relation::parse(text).unwrap();
            assert_eq!(space.never_holds(&relation), never, "{text}");
        }
        let only_if = Relation::parse("collector = g1").unwrap();
        let relation = Relation::parse("threads < 8").unwrap().only_if(only_if);
        assert!(!space.never_holds(&relation));
    }
}

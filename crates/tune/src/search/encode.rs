//! Configurations as points: numbers and choices between quantities from 0 to 1, a coordinate for each word of another
//! choice.

use crate::space::{ChoiceOrder, Configuration, Domain, Space};

/// Where a knob that is left as it was lies, if nobody knows its value: beyond both ends alike.
const UNKNOWN: f64 = 0.5;
/// Two different words are as far apart as the ends of a range.
const WORD: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// How a space's configurations become points.
#[derive(Debug, Clone)]
pub struct Encoding {
    /// The knob that each coordinate belongs to.
    pub groups: Vec<usize>,
    /// By knob: its order, where it is a choice that has one.
    orders: Vec<Option<ChoiceOrder>>,
    /// By knob: whether what was found lies somewhere among its values.
    lie: Vec<bool>,
}

/// Where a value lies among numbers or quantities.
fn place(domain: &Domain, order: Option<&ChoiceOrder>, value: &str) -> Option<f64> {
    match order {
        Some(order) => order.share(value),
        None => domain.share(value),
    }
}

impl Encoding {
    /// Of a space.
    #[must_use]
    pub fn of(space: &Space) -> Self {
        let mut groups = Vec::new();
        let (mut orders, mut lie) = (Vec::new(), Vec::new());
        for (at, knob) in space.knobs.iter().enumerate() {
            let order = match &knob.domain {
                Domain::Choice(values) => ChoiceOrder::of(values),
                Domain::Number { .. } => None,
            };
            let found = knob.found.as_deref();
            let lies = found.is_some_and(|it| place(&knob.domain, order.as_ref(), it).is_some());
            let coordinates = match &knob.domain {
                Domain::Choice(values) if order.is_none() => values.len() + 1,
                _ if lies => 1,
                // And whether it is left as it was, which lies nowhere.
                _ => 2,
            };
            groups.extend(std::iter::repeat_n(at, coordinates));
            orders.push(order);
            lie.push(lies);
        }
        Self {
            groups,
            orders,
            lie,
        }
    }

    /// A configuration's point. A knob that does not count lies where all such lie.
    #[must_use]
    pub fn point(&self, space: &Space, of: &Configuration) -> Vec<f64> {
        let mut point = Vec::with_capacity(self.groups.len());
        for (at, knob) in space.knobs.iter().enumerate() {
            let counts = space.counts(of, at);
            let value = space.value(of, at).filter(|_| counts);
            let order = self.orders[at].as_ref();
            match &knob.domain {
                Domain::Choice(values) if order.is_none() => {
                    let known = values.iter().position(|word| Some(word.as_str()) == value);
                    let place = known.unwrap_or(values.len());
                    let words = 0..=values.len();
                    point.extend(words.map(|word| match counts && word == place {
                        true => WORD,
                        false => 0.0,
                    }));
                }
                domain => {
                    let share = value.and_then(|value| place(domain, order, value));
                    // What was found may lie far outside.
                    point.push(share.unwrap_or(UNKNOWN).clamp(-1.0, 2.0));
                    if !self.lie[at] {
                        point.push(if share.is_some() { 0.0 } else { WORD });
                    }
                }
            }
        }
        point
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::SpaceKnob;

    #[test]
    fn different_words_are_a_whole_range_apart() {
        let words = ["a", "b", "c"].map(str::to_owned).to_vec();
        let knob = |domain, found: Option<&str>| SpaceKnob {
            name: "k".to_owned(),
            domain,
            found: found.map(str::to_owned),
            only_if: None,
            is_hidden: false,
        };
        let space = Space {
            knobs: vec![
                knob(Domain::Choice(words), None),
                knob(Domain::numbers(0.0, 10.0, 1.0, false, ""), Some("4")),
            ],
            relations: Vec::new(),
        };
        let encoding = Encoding::of(&space);
        let point = |word: &str, number: &str| {
            let of = Configuration(vec![Some(word.into()), Some(number.into())]);
            encoding.point(&space, &of)
        };
        let distance = |a: &[f64], b: &[f64]| {
            let squares = a.iter().zip(b).map(|(a, b)| (a - b).powi(2));
            squares.sum::<f64>().sqrt()
        };
        let apart = distance(&point("a", "4"), &point("c", "4"));
        assert!((apart - 1.0).abs() < 1e-9, "{apart}");
        let ends = distance(&point("a", "0"), &point("a", "10"));
        assert!((ends - 1.0).abs() < 1e-9, "{ends}");
        let unchanged = encoding.point(&space, &Configuration::unchanged(2));
        assert!(distance(&unchanged, &point("a", "4")) > 0.9);
        // Nor does a word that was found in a number's place lie on one of the numbers.
        let sizes = ["64m", "512m", "2g"].map(str::to_owned).to_vec();
        for (domain, found, value) in [
            (Domain::numbers(1.0, 9.0, 1.0, false, ""), "auto", "5"),
            (Domain::numbers(1.0, 64.0, 1.0, true, ""), "-1", "1"),
            (Domain::Choice(sizes), "auto", "512m"),
        ] {
            let space = Space {
                knobs: vec![knob(domain, Some(found))],
                relations: Vec::new(),
            };
            let encoding = Encoding::of(&space);
            let unchanged = encoding.point(&space, &Configuration::unchanged(1));
            let of = Configuration(vec![Some(value.to_owned())]);
            let apart = distance(&unchanged, &encoding.point(&space, &of));
            assert!(apart > 0.5, "{found} and {value}: {apart}");
        }
    }
}

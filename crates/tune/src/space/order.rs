//! Choices between quantities, which have an order that choices between words have not.

use super::quantity::{KINDS, Units, quantity};

/// The order of a choice between three or more quantities that rise or fall all the way.
///
/// What does not, is one between words: with `1, 100, -1` the last is no quantity but "any".
#[derive(Debug, Clone, PartialEq)]
pub struct ChoiceOrder {
    sizes: Vec<f64>,
    units: Units,
}

impl ChoiceOrder {
    /// Of such values; none where they have no order.
    #[must_use]
    pub fn of(values: &[String]) -> Option<Self> {
        let read = |units: Units| {
            let sizes = values.iter().map(|value| quantity(value, units));
            let sizes = sizes.collect::<Option<Vec<f64>>>()?;
            Some(Self { sizes, units })
        };
        let order = KINDS.into_iter().find_map(read)?;
        let goes = |way: fn(&f64, &f64) -> bool| order.sizes.is_sorted_by(way);
        let is_order = order.sizes.len() > 2 && (goes(|a, b| a < b) || goes(|a, b| a > b));
        is_order.then_some(order)
    }

    /// Where a value lies, from 0 for the first to 1 for the last. One that is none of them lies between its neighbours,
    /// or half a step beyond an end; none where it is no quantity.
    #[must_use]
    pub fn share(&self, text: &str) -> Option<f64> {
        let size = quantity(text, self.units)?;
        let rises = self.sizes.first() < self.sizes.last();
        let is_before = |other: &&f64| {
            if rises {
                **other < size
            } else {
                **other > size
            }
        };
        let before = self.sizes.iter().filter(is_before).count() as f64;
        let place = match self.sizes.contains(&size) {
            true => before,
            false => before - 0.5,
        };
        Some(place / (self.sizes.len() as f64 - 1.0))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn order(values: &str) -> Option<ChoiceOrder> {
        ChoiceOrder::of(&values.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn quantities_have_an_order_and_words_none() {
        for values in [
            "1 4 16",
            "16 4 1",
            "512k 24m 1G",
            "200ms 1s 5m",
            "0 0.5 1",
            "-1 1 100",
        ] {
            assert!(order(values).is_some(), "{values}");
        }
        for values in [
            "1 100 -1",
            "1 2",
            "4",
            "",
            "on off auto",
            "1 2 auto",
            "1 1 2",
            "1k 1s 1h",
            "8 x 9",
        ] {
            assert_eq!(order(values), None, "{values}");
        }
    }

    #[test]
    fn what_is_none_of_them_lies_between() {
        let sizes = order("512k 24m 1g").unwrap();
        let shares =
            ["512k", "24m", "1G", "100m", "1k", "2t"].map(|text| sizes.share(text).unwrap());
        assert_eq!(shares, [0.0, 0.5, 1.0, 0.75, -0.25, 1.25]);
        assert_eq!(sizes.share("auto"), None);
        let falling = order("16 4 1").unwrap();
        assert_eq!(
            ["16", "1", "8"].map(|text| falling.share(text).unwrap()),
            [0.0, 1.0, 0.25]
        );
    }

    proptest! {
        #[test]
        fn shares_rise_with_the_values(numbers in proptest::collection::btree_set(-1000_i32..1000, 3..12)) {
            let values: Vec<String> = numbers.iter().map(i32::to_string).collect();
            let order = ChoiceOrder::of(&values).unwrap();
            let steps = values.len() as f64 - 1.0;
            for (at, value) in values.iter().enumerate() {
                let share = order.share(value).unwrap();
                prop_assert!((share - at as f64 / steps).abs() < 1e-12, "{value} {share}");
            }
        }
    }
}

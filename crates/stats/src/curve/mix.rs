//! Whether the loads of a curve are made of the same requests. Points of different workloads do not
//! make a curve of one.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A label's share may differ by this much of itself between two loads.
pub const TOLERANCE: f64 = 0.1;
/// And it differs by more than chance: so many standard errors.
const CHANCE: f64 = 3.0;

/// How many requests of each label ended at a load.
pub type LabelCounts = BTreeMap<String, u64>;

/// The label whose share of all requests differs most between two loads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MixDifference {
    /// The label.
    pub label: String,
    /// The load at which its share is another.
    pub load: f64,
    /// Its share there, 0 to 1.
    pub share: f64,
    /// The load that it is compared with: that with most requests.
    pub reference_load: f64,
    /// Its share there, 0 to 1.
    pub reference_share: f64,
}

impl MixDifference {
    /// The difference as a share of the larger one.
    fn relative(&self) -> f64 {
        let larger = self.share.max(self.reference_share);
        (self.share - self.reference_share).abs() / larger
    }
}

/// Compares the mix of all loads with that of the load with most requests; none where no label's
/// share differs by over a tenth and by more than chance.
#[must_use]
pub fn mix_difference<'a>(
    loads: impl IntoIterator<Item = (f64, &'a LabelCounts)>,
) -> Option<MixDifference> {
    let total = |counts: &LabelCounts| counts.values().sum::<u64>() as f64;
    let loads: Vec<(f64, &LabelCounts, f64)> = loads
        .into_iter()
        .map(|(load, counts)| (load, counts, total(counts)))
        .filter(|(_, _, total)| *total > 0.0)
        .collect();
    let reference = loads.iter().max_by(|a, b| a.2.total_cmp(&b.2))?;
    let of_load = |(load, counts, total): &(f64, &LabelCounts, f64)| {
        let labels = reference.1.keys().chain(counts.keys());
        let differs = |label: &String| {
            let count = |counts: &LabelCounts| counts.get(label).copied().unwrap_or(0) as f64;
            let (here, there) = (count(counts), count(reference.1));
            let found = MixDifference {
                label: label.clone(),
                load: *load,
                share: here / total,
                reference_load: reference.0,
                reference_share: there / reference.2,
            };
            let pooled = (here + there) / (total + reference.2);
            let error = (pooled * (1.0 - pooled) * (1.0 / total + 1.0 / reference.2)).sqrt();
            let apart = (found.share - found.reference_share).abs();
            (found.relative() > TOLERANCE && apart > CHANCE * error).then_some(found)
        };
        labels.filter_map(differs).collect::<Vec<_>>()
    };
    let all = loads.iter().flat_map(of_load);
    all.max_by(|a, b| a.relative().total_cmp(&b.relative()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn counts(of: &[(&str, u64)]) -> LabelCounts {
        let pairs = of.iter();
        pairs
            .map(|(label, count)| ((*label).to_owned(), *count))
            .collect()
    }

    #[test]
    fn a_mix_that_changes_with_the_load_is_named() {
        let one = counts(&[("browse", 900)]);
        let six = counts(&[("browse", 4_600), ("buy", 900), ("pay", 500)]);
        let found = mix_difference([(1.0, &one), (6.0, &six)]).unwrap();
        assert_eq!((found.load, found.reference_load), (1.0, 6.0));
        assert!(found.label == "buy" || found.label == "pay", "{found:?}");
        assert_eq!(found.share, 0.0);
    }

    #[test]
    fn chance_and_small_differences_are_none() {
        let few = counts(&[("a", 6), ("b", 4)]);
        let many = counts(&[("a", 700), ("b", 300)]);
        assert_eq!(mix_difference([(1.0, &few), (9.0, &many)]), None);
        let near = counts(&[("a", 68_000), ("b", 32_000)]);
        let all = counts(&[("a", 700_000), ("b", 300_000)]);
        assert_eq!(mix_difference([(1.0, &near), (9.0, &all)]), None);
        assert_eq!(
            mix_difference([(1.0, &LabelCounts::new()), (9.0, &all)]),
            None
        );
        assert_eq!(mix_difference([]), None);
    }
}

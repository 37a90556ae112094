//! The intervals of all labels of one thread and second.

use super::LabelInterval;
use crate::{LabelId, Sample};

/// One [`LabelInterval`] for each label, indexed by [`LabelId`].
///
/// A load thread records into it, and once a second swaps it
/// (`std::mem::swap`) with a cleared one that the receiver gives back.
#[derive(Clone, Debug, Default)]
pub struct IntervalSet {
    labels: Vec<LabelInterval>,
}

impl IntervalSet {
    /// An empty set; allocates nothing.
    pub const fn new() -> Self {
        Self { labels: Vec::new() }
    }

    /// Folds a sample into its label's interval.
    #[inline]
    pub fn record(&mut self, sample: &Sample<'_>) {
        self.label_mut(sample.label).record(sample);
    }

    /// The label's interval, made if need be. Ids are indices, so they must be
    /// dense: memory grows with the largest.
    #[inline]
    pub fn label_mut(&mut self, label: LabelId) -> &mut LabelInterval {
        let index = label.index();
        if index >= self.labels.len() {
            self.grow(index);
        }
        &mut self.labels[index]
    }

    #[cold]
    fn grow(&mut self, index: usize) {
        self.labels.resize_with(index + 1, LabelInterval::default);
    }

    /// The label's interval, if anything was ever recorded at or above its id.
    pub fn get(&self, label: LabelId) -> Option<&LabelInterval> {
        self.labels.get(label.index())
    }

    /// The labels that did anything, in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (LabelId, &LabelInterval)> + '_ {
        (0..)
            .map(LabelId)
            .zip(&self.labels)
            .filter(|(_, interval)| !interval.is_empty())
    }

    /// Whether no label did anything.
    pub fn is_empty(&self) -> bool {
        self.labels.iter().all(LabelInterval::is_empty)
    }

    /// Adds everything `other` holds.
    pub fn merge(&mut self, other: &Self) {
        for (label, interval) in other.iter() {
            self.label_mut(label).merge(interval);
        }
    }

    /// Forgets everything but keeps the buffers.
    pub fn clear(&mut self) {
        for interval in &mut self.labels {
            if !interval.is_empty() {
                interval.clear();
            }
        }
    }
}

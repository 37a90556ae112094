//! How one kind of sample becomes a series of ours.

use std::borrow::Cow;

use plimsoll_stats::series::{EntityKind, SeriesKey};

use super::text::PrometheusSample;
use crate::collectors::entities::Entities;
use crate::names::SeriesName;

/// A sample's name and what it is to us.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PrometheusRule {
    /// The sample's name.
    pub(super) name: &'static str,
    /// Ours.
    pub(super) metric: &'static SeriesName,
    /// What it is of.
    pub(super) of: EntityKind,
    /// Labels that become attributes. What is not listed is summed over.
    pub(super) labels: &'static [LabelRule],
    /// Labels that must have that value.
    only: &'static [(&'static str, &'static str)],
    /// Attributes that the sample's name stands for.
    pub(super) fixed: &'static [(&'static str, &'static str)],
    /// Our unit in theirs.
    scale: f64,
    /// Theirs is the number of the last one, from 0.
    last_number: bool,
    /// Applied beside the rules after it.
    pub(super) also: bool,
    /// 0 and less say that there is none.
    positive: bool,
    /// Samples are counted; their values do not matter.
    pub(super) counted: bool,
}

/// How a label becomes an attribute.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LabelRule {
    pub(super) from: &'static str,
    pub(super) to: &'static str,
    values: &'static [(&'static str, &'static str)],
    among: &'static [&'static str],
    made: Option<fn(&PrometheusSample<'_>) -> Option<String>>,
    pub(super) optional: bool,
}

/// A label under our name; a sample without it is another rule's.
pub(crate) const fn label(from: &'static str, to: &'static str) -> LabelRule {
    LabelRule {
        from,
        to,
        values: &[],
        among: &[],
        made: None,
        optional: false,
    }
}

impl LabelRule {
    /// Values that we write otherwise.
    pub(crate) const fn values(self, values: &'static [(&'static str, &'static str)]) -> Self {
        Self { values, ..self }
    }

    /// The values that are told; the others are left out.
    pub(crate) const fn among(self, among: &'static [&'static str]) -> Self {
        Self { among, ..self }
    }

    /// The value is made of a sample; none: the sample is not told.
    pub(crate) const fn made(self, made: fn(&PrometheusSample<'_>) -> Option<String>) -> Self {
        Self {
            made: Some(made),
            ..self
        }
    }

    /// A sample may lack it.
    pub(crate) const fn optional(self) -> Self {
        Self {
            optional: true,
            ..self
        }
    }

    fn takes(&self, sample: &PrometheusSample<'_>) -> bool {
        match sample.label(self.from) {
            Some(value) => self.among.is_empty() || self.among.contains(&value),
            None => self.optional,
        }
    }

    fn value(&self, sample: &PrometheusSample<'_>) -> Option<String> {
        if let Some(made) = self.made {
            return made(sample);
        }
        let value = sample.label(self.from)?;
        let ours = self.values.iter().find(|(theirs, _)| *theirs == value);
        Some(ours.map_or(value, |(_, ours)| ours).to_owned())
    }
}

/// A sample's name and what it is to us.
pub(crate) const fn rule(
    name: &'static str,
    of: EntityKind,
    metric: &'static SeriesName,
) -> PrometheusRule {
    PrometheusRule {
        name,
        metric,
        of,
        labels: &[],
        only: &[],
        fixed: &[],
        scale: 1.0,
        last_number: false,
        also: false,
        positive: false,
        counted: false,
    }
}

impl PrometheusRule {
    /// Its labels.
    pub(crate) const fn labels(self, labels: &'static [LabelRule]) -> Self {
        Self { labels, ..self }
    }

    /// Only samples whose labels have these values.
    pub(crate) const fn only(self, only: &'static [(&'static str, &'static str)]) -> Self {
        Self { only, ..self }
    }

    /// Attributes that are always the same.
    pub(crate) const fn fixed(self, fixed: &'static [(&'static str, &'static str)]) -> Self {
        Self { fixed, ..self }
    }

    /// Our value is theirs times that; a negative one takes away from the sum.
    pub(crate) const fn scale(self, scale: f64) -> Self {
        Self { scale, ..self }
    }

    /// Theirs is the number of the last one, from 0; ours is how many there were. It says 0 where
    /// there was none, too, so that the first is not seen before the second.
    pub(crate) const fn last_number(self) -> Self {
        Self {
            last_number: true,
            ..self
        }
    }

    /// Applied beside the rules after it, since a sample is a part of several series.
    pub(crate) const fn also(self) -> Self {
        Self { also: true, ..self }
    }

    /// 0 and less say “none” or “unknown”.
    pub(crate) const fn positive(self) -> Self {
        Self {
            positive: true,
            ..self
        }
    }

    /// Our value is how many such samples there are.
    pub(crate) const fn counted(self) -> Self {
        Self {
            counted: true,
            ..self
        }
    }

    /// Whether the sample is this rule's.
    pub(super) fn takes(&self, sample: &PrometheusSample<'_>) -> bool {
        self.labels.iter().all(|label| label.takes(sample))
            && self
                .only
                .iter()
                .all(|(name, value)| sample.label(name) == Some(value))
    }

    /// Our value; none where the sample says that there is none.
    pub(super) fn value(&self, sample: &PrometheusSample<'_>) -> Option<f64> {
        if self.counted {
            return Some(1.0);
        }
        // Micrometer and others say -1 for “no limit” or “cannot tell”.
        let none = sample.value == -1.0 || self.positive && sample.value <= 0.0;
        let more = if self.last_number && sample.value > 0.0 {
            1.0
        } else {
            0.0
        };
        let value = (sample.value + more) * self.scale;
        (!none && value.is_finite()).then_some(value)
    }

    /// The series; none where a label's value makes no sense.
    pub(super) fn key(
        &self,
        sample: &PrometheusSample<'_>,
        entities: &mut Entities,
    ) -> Option<SeriesKey> {
        let fixed = self.fixed.iter();
        let mut attributes: Vec<_> = fixed
            .map(|(name, value)| (Cow::Borrowed(*name), (*value).to_owned()))
            .collect();
        for label in self.labels {
            match label.value(sample) {
                Some(value) => attributes.push((Cow::Borrowed(label.to), value)),
                None if label.optional => {}
                None => return None,
            }
        }
        attributes.sort_unstable();
        Some(SeriesKey {
            entity: entities.get(self.of),
            name: Cow::Borrowed(self.metric.name),
            attributes,
            unit: Cow::Borrowed(self.metric.unit),
            kind: self.metric.kind,
        })
    }
}

//! What samples say that stands still: facts, under the names that the sources themselves use.

use plimsoll_stats::series::EntityKind;

use super::text::PrometheusSample;

/// Facts of one thing.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PrometheusFacts {
    /// What they are of.
    pub(super) of: EntityKind,
    /// Names and values.
    pub(super) told: Vec<(String, String)>,
}

impl PrometheusFacts {
    /// Labels of a sample under our names.
    pub(super) fn labels(
        sample: &PrometheusSample<'_>,
        of: EntityKind,
        names: &[(&str, &str)],
    ) -> Self {
        let told = names.iter().filter_map(|(label, name)| {
            let value = sample.label(label).filter(|value| !value.is_empty())?;
            Some(((*name).to_owned(), value.to_owned()))
        });
        Self {
            of,
            told: told.collect(),
        }
    }

    /// One fact.
    pub(super) fn one(of: EntityKind, name: String, value: String) -> Self {
        Self {
            of,
            told: vec![(name, value)],
        }
    }

    /// The sample is known and says nothing.
    pub(super) const fn none(of: EntityKind) -> Self {
        Self {
            of,
            told: Vec::new(),
        }
    }
}

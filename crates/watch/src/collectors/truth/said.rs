//! The truth that sources are told, and what they make of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};

use plimsoll_stats::series::{EntityKind, SeriesKind};

use crate::collector::Look;
use crate::collectors::entities::Entities;
use crate::collectors::prometheus::{Exposition, Mapper};
use crate::names::jvm::THREAD_COUNT;
use crate::source::Spec;

/// Numbers by name: made up, and the same for all who ask.
pub(super) struct Truth(pub(super) u64);

impl Truth {
    /// A whole number from 1 on.
    pub(super) fn n(&self, what: &str) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.0, what).hash(&mut hasher);
        hasher.finish() % 1_000_000 + 1
    }

    /// The same as a measured value.
    pub(super) fn f(&self, what: &str) -> f64 {
        self.n(what) as f64
    }

    /// A size in whole KiB.
    pub(super) fn bytes(&self, what: &str) -> u64 {
        self.n(what) * 1024
    }
}

/// The truths that each source is told.
pub(super) fn truths() -> impl Iterator<Item = Truth> {
    (0..20).map(Truth)
}

/// Series of one quantity: attributes, and the value.
type Series = Vec<(BTreeMap<String, String>, f64)>;

/// What a source said.
pub(super) struct Said {
    source: &'static str,
    /// By kind of thing, name, unit and kind.
    names: BTreeMap<(&'static str, String, String, bool), Series>,
}

impl Said {
    pub(super) fn new(source: &'static str, look: &Look) -> Self {
        let mut last = BTreeMap::new();
        for (key, value) in look.points() {
            last.insert(key.clone(), *value);
        }
        let mut names: BTreeMap<_, Series> = BTreeMap::new();
        for (key, value) in last {
            let counter = key.kind == SeriesKind::Counter;
            let of = key.entity.kind.name();
            let name = (of, key.name.to_string(), key.unit.to_string(), counter);
            let attributes = key.attributes.into_iter();
            let attributes = attributes.map(|(name, value)| (name.into_owned(), value));
            let all = names.entry(name).or_default();
            all.push((attributes.collect(), value));
        }
        Self { source, names }
    }
}

/// The things behind an endpoint.
pub(super) fn entities() -> Entities {
    let spec = Spec {
        host: Some("h".to_owned()),
        ..Spec::default()
    };
    Entities::of(&spec, "x:1")
}

/// What an exposition says.
pub(super) fn exposed(source: &'static str, text: &str) -> Said {
    let mut mapper = Mapper::new(entities(), EntityKind::Exporter, 0);
    let mut look = Look::at(1);
    let read = Exposition::parse(text);
    assert_eq!(read.wrong, None);
    mapper.tell(&read, &mut look);
    Said::new(source, &look)
}

/// A text in the format of exporters.
#[derive(Default)]
pub(super) struct Page(String);

impl Page {
    /// A series with its labels.
    pub(super) fn say(&mut self, name: &str, labels: &str, value: f64) {
        let _ = writeln!(self.0, "{name}{{{labels}}} {value}");
    }

    /// What the exporter says by it.
    pub(super) fn of(self, source: &'static str) -> Said {
        exposed(source, &self.0)
    }
}

/// Sources and names of series of which was seen that another source says the same.
pub(super) type Shown = BTreeSet<(&'static str, String)>;

/// Compares each with each.
pub(super) fn compare(all: &[Said], shown: &mut Shown) {
    for (place, one) in all.iter().enumerate() {
        for other in &all[place + 1..] {
            for (key, series) in &one.names {
                let Some(theirs) = other.names.get(key) else {
                    let mut keys = other.names.keys();
                    let unlike = keys.find(|theirs| theirs.1 == key.1);
                    assert_eq!(unlike, None, "{} and {}: {key:?}", one.source, other.source);
                    continue;
                };
                let about = format!("{key:?} of {} and {}", one.source, other.source);
                agree(&key.1, series, theirs, &about);
                for source in [one.source, other.source] {
                    shown.insert((source, key.1.clone()));
                }
            }
        }
    }
}

/// Compares two sources' series of one quantity: of what both tell apart.
fn agree(name: &str, ours: &Series, theirs: &Series, about: &str) {
    let forms = |series: &Series| -> BTreeSet<Vec<String>> {
        let names = series
            .iter()
            .map(|(attributes, _)| attributes.keys().cloned().collect());
        names.collect()
    };
    // Each way of dividing it stands for itself.
    let several = name == THREAD_COUNT.name;
    let (of_ours, of_theirs) = (forms(ours), forms(theirs));
    let common: Vec<Vec<String>> = match several {
        true => of_ours.intersection(&of_theirs).cloned().collect(),
        false => {
            let mut names = of_ours.iter().chain(&of_theirs).cloned();
            let first = names.next().unwrap_or_default();
            let in_all = |name: &String| of_ours.iter().chain(&of_theirs).all(|f| f.contains(name));
            vec![first.into_iter().filter(in_all).collect()]
        }
    };
    assert!(!common.is_empty(), "{about}: no common form");
    for form in common {
        let sums = |series: &Series| {
            let mut sums: BTreeMap<Vec<String>, f64> = BTreeMap::new();
            for (attributes, value) in series {
                if several && attributes.keys().cloned().collect::<Vec<_>>() != form {
                    continue;
                }
                let values = form.iter().map(|name| attributes[name].clone());
                *sums.entry(values.collect()).or_default() += value;
            }
            sums
        };
        let (ours, theirs) = (sums(ours), sums(theirs));
        let both: Vec<_> = ours
            .iter()
            .filter_map(|(values, value)| Some((values, value, theirs.get(values)?)))
            .collect();
        assert!(!both.is_empty(), "{about}: {ours:?} {theirs:?}");
        for (values, ours, theirs) in both {
            let near = (ours - theirs).abs() <= 1e-6 * ours.abs().max(1e-3);
            assert!(near, "{about} {values:?}: {ours} {theirs}");
        }
    }
}

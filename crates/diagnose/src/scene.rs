//! Evidence as rules look at it: quantities over the judged stretch.

mod query;

use std::cell::OnceCell;
use std::sync::Arc;

use plimsoll_stats::names::SeriesName;
use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_stats::{ErrorKind, LabelSummary};

pub use query::SeriesQuery;

use crate::account::{Account, Wire};
use crate::evidence::{CapturedText, Evidence, LoadEvidence, SecondOfLoad};
use crate::model::ResourceDemand;
use crate::stacks::{Profiled, Stacks};

/// Fewer failed requests are told, and limit nothing.
const LEAST_FAILED: f64 = 0.01;

/// Evidence with the stretch that is judged.
#[derive(Debug)]
pub struct Scene<'a> {
    evidence: &'a Evidence,
    stretch_s: (u32, u32),
    total: LabelSummary,
    // What is read off the evidence once, by whom it is asked for first: see the methods of these
    // names in `stacks` and `demand`.
    pub(crate) stacks: OnceCell<Vec<Stacks>>,
    pub(crate) demands: OnceCell<Vec<ResourceDemand>>,
    pub(crate) profiles: OnceCell<Vec<Profiled>>,
    pub(crate) account: OnceCell<Option<Account>>,
    pub(crate) wire: OnceCell<Option<Wire>>,
}

impl<'a> Scene<'a> {
    /// None if nothing was measured.
    #[must_use]
    pub fn new(evidence: &'a Evidence) -> Option<Self> {
        Self::over(evidence, evidence.load.window_s)
    }

    /// The target over another stretch, in seconds from the run's start; the load's figures
    /// stay those of the judged one. None if nothing was measured.
    #[must_use]
    pub fn over(evidence: &'a Evidence, stretch_s: (u32, u32)) -> Option<Self> {
        let total = evidence.load.total.clone()?;
        Some(Self {
            evidence,
            stretch_s,
            total,
            stacks: OnceCell::new(),
            demands: OnceCell::new(),
            profiles: OnceCell::new(),
            account: OnceCell::new(),
            wire: OnceCell::new(),
        })
    }

    /// All that is known.
    #[must_use]
    pub fn evidence(&self) -> &'a Evidence {
        self.evidence
    }

    /// The load's side.
    #[must_use]
    pub fn load(&self) -> &'a LoadEvidence {
        &self.evidence.load
    }

    /// All requests of the stretch together.
    #[must_use]
    pub fn total(&self) -> &LabelSummary {
        &self.total
    }

    /// The stretch, ms from the run's start.
    #[must_use]
    pub fn window_ms(&self) -> (i64, i64) {
        let (from, to) = self.stretch_s;
        (i64::from(from) * 1_000, i64::from(to) * 1_000)
    }

    /// The stretch's length.
    #[must_use]
    pub fn window_s(&self) -> f64 {
        let (from, to) = self.stretch_s;
        f64::from(to.saturating_sub(from)).max(1.0)
    }

    /// All requests of the stretch, at least one.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts of a run")]
    pub fn requests(&self) -> f64 {
        self.total.samples.max(1) as f64
    }

    /// Those that failed in a way for which something holds.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts of a run")]
    pub fn failed(&self, holds: impl Fn(ErrorKind) -> bool) -> f64 {
        let kinds = self.total.errors_by_kind.iter();
        let counts = kinds.filter(|(kind, _)| holds(**kind));
        counts.map(|(_, count)| *count).sum::<u64>() as f64
    }

    /// Whether more requests failed than a few: what may have made these fail limits nothing.
    #[must_use]
    pub fn failed_enough(&self) -> bool {
        self.total.error_rate >= LEAST_FAILED
    }

    /// Requests a second, failed ones included.
    #[must_use]
    pub fn throughput_per_s(&self) -> f64 {
        self.total.throughput_per_s
    }

    /// Mean time of a request from its actual start.
    #[must_use]
    pub fn service_s(&self) -> f64 {
        self.total.service_time_ms.mean / 1e3
    }

    /// Requests in the system on average, by Little's law: N = X · R (Little, "A proof for the
    /// queuing formula L = λW", Operations Research 9, 1961).
    #[must_use]
    pub fn in_flight(&self) -> f64 {
        self.throughput_per_s() * self.service_s()
    }

    /// Requests without a response at the end of a second, the mean: by Little's law those are missing that get
    /// none as long as the load lasts.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "requests in flight")]
    pub fn outstanding(&self) -> f64 {
        let all: u64 = self.seconds().map(|second| second.in_flight).sum();
        let mean = all as f64 / self.seconds().count().max(1) as f64;
        mean.max(self.in_flight())
    }

    /// The seconds of the stretch.
    pub fn seconds(&self) -> impl Iterator<Item = &'a SecondOfLoad> {
        let (from, to) = self.stretch_s;
        let seconds = self.evidence.load.seconds.iter();
        seconds.filter(move |second| (from..to).contains(&second.second))
    }

    /// The series of that name, of all things.
    #[must_use]
    pub fn series(&self, name: SeriesName) -> SeriesQuery<'a> {
        let all = self.evidence.series.iter();
        let named = all.filter(|series| series.key.name == name.name);
        SeriesQuery::new(named.collect(), self.window_ms())
    }

    /// The series of that name, of one thing.
    #[must_use]
    pub fn of(&self, entity: &Entity, name: SeriesName) -> SeriesQuery<'a> {
        self.series(name).of(entity)
    }

    /// Everything of a kind that has series or facts.
    #[must_use]
    pub fn things(&self, kind: EntityKind) -> Vec<Arc<Entity>> {
        let from_series = self.evidence.series.iter().map(|series| &series.key.entity);
        let from_facts = self.evidence.facts.iter().map(|fact| &fact.entity);
        let mut all: Vec<_> = from_series
            .chain(from_facts)
            .filter(|entity| entity.kind == kind)
            .cloned()
            .collect();
        all.sort();
        all.dedup();
        all
    }

    /// Whether anything of a kind was watched.
    #[must_use]
    pub fn knows(&self, kind: EntityKind) -> bool {
        let mut series = self.evidence.series.iter();
        series.any(|series| series.key.entity.kind == kind)
    }

    /// The last value of a fact of a thing.
    #[must_use]
    pub fn fact(&self, entity: &Entity, name: &str) -> Option<&'a str> {
        let facts = self.evidence.facts.iter().rev();
        let mut known = facts.filter(|fact| *fact.entity == *entity && fact.name == name);
        known.next().map(|fact| fact.value.as_str())
    }

    /// The last value of every fact whose name ends so, with its thing.
    pub fn facts_ending(
        &self,
        end: &'a str,
    ) -> impl Iterator<Item = (&'a Entity, &'a str, &'a str)> {
        let facts = self.evidence.facts.iter();
        facts
            .filter(move |fact| fact.name.ends_with(end))
            .map(|fact| (&*fact.entity, fact.name.as_str(), fact.value.as_str()))
    }

    /// Facts whose names begin so: name and value.
    pub fn facts_starting(&self, begin: &str) -> impl Iterator<Item = (&'a str, &'a str)> {
        let facts = self.evidence.facts.iter();
        facts
            .filter(move |fact| fact.name.starts_with(begin))
            .map(|fact| (fact.name.as_str(), fact.value.as_str()))
    }

    /// The captures of a kind, in the order of time.
    pub fn captures(&self, kind: &'a str) -> impl Iterator<Item = &'a CapturedText> {
        let all = self.evidence.captures.iter();
        all.filter(move |capture| capture.kind == kind)
    }

    /// Whether an instant lies in the stretch, or so shortly behind it that requests of it are
    /// still in work.
    #[must_use]
    pub fn is_under_load(&self, at_ms: i64) -> bool {
        let (from, to) = self.window_ms();
        (from..to).contains(&at_ms)
    }
}

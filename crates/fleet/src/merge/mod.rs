//! One second out of many reports, exactly: histograms add up, nothing is averaged.

use std::collections::BTreeMap;

use plimsoll_stats::{
    GeneratorSecond, Histogram, IntervalSet, LabelId, LabelInfo, LabelKind, ThreadSecond,
    WorkerSecond,
};

use crate::wire::report::{ReportEnd, ReportEvent, ReportSecond};

/// Labels beyond this number are folded into the last: a run has that many at most on one machine
/// too, and workers give the same names.
const MAX_LABELS: usize = 100_000;

/// The labels of the run, and what each assignment calls them.
#[derive(Debug, Default)]
pub struct LabelTable {
    known: Vec<LabelInfo>,
    by_name: BTreeMap<(String, u8, Option<u32>), LabelId>,
    /// The run's id for the id that an assignment uses.
    of: BTreeMap<u32, Vec<Option<LabelId>>>,
    /// How many of `known` were told of.
    told: usize,
}

fn kind_number(kind: LabelKind) -> u8 {
    match kind {
        LabelKind::Request => 0,
        LabelKind::Transaction => 1,
        LabelKind::SubRequest => 2,
    }
}

impl LabelTable {
    /// The table of a run that goes on: its labels, and the ids that assignments use.
    #[must_use]
    pub fn restored(known: &[LabelInfo], of: BTreeMap<u32, Vec<Option<u32>>>) -> Self {
        let mut table = Self::default();
        for info in known {
            table.insert(info.clone());
        }
        table.told = table.known.len();
        let ids = |ids: Vec<Option<u32>>| ids.into_iter().map(|id| id.map(LabelId)).collect();
        table.of = of.into_iter().map(|(n, all)| (n, ids(all))).collect();
        table
    }

    fn insert(&mut self, info: LabelInfo) -> LabelId {
        let key = (
            info.name.clone(),
            kind_number(info.kind),
            info.parent.map(|id| id.0),
        );
        let id = info.id;
        self.by_name.insert(key, id);
        self.known.push(info);
        id
    }

    /// Takes in what an assignment calls its labels.
    pub fn add(&mut self, assignment: u32, labels: &[LabelInfo]) {
        for label in labels {
            let parent = label.parent.and_then(|id| self.id(assignment, id));
            let key = (
                label.name.clone(),
                kind_number(label.kind),
                parent.map(|id| id.0),
            );
            let id = match self.by_name.get(&key) {
                Some(id) => *id,
                None => {
                    let next = self.known.len().min(MAX_LABELS);
                    let id = LabelId(u32::try_from(next).unwrap_or(u32::MAX));
                    self.insert(LabelInfo {
                        id,
                        parent,
                        ..label.clone()
                    })
                }
            };
            let of = self.of.entry(assignment).or_default();
            if of.len() <= label.id.index() {
                of.resize(label.id.index() + 1, None);
            }
            of[label.id.index()] = Some(id);
        }
    }

    /// The run's id of what an assignment calls so.
    #[must_use]
    pub fn id(&self, assignment: u32, id: LabelId) -> Option<LabelId> {
        self.of.get(&assignment)?.get(id.index()).copied().flatten()
    }

    /// What the label's samples are.
    #[must_use]
    pub fn kind(&self, id: LabelId) -> Option<LabelKind> {
        self.known.get(id.index()).map(|info| info.kind)
    }

    /// What an assignment calls its labels, to be kept.
    #[must_use]
    pub fn of(&self, assignment: u32) -> Vec<Option<u32>> {
        let ids = self.of.get(&assignment);
        ids.map(|ids| ids.iter().map(|id| id.map(|id| id.0)).collect())
            .unwrap_or_default()
    }

    /// Labels that were not told of yet.
    pub fn fresh(&mut self) -> Vec<LabelInfo> {
        let fresh = self.known[self.told..].to_vec();
        self.told = self.known.len();
        fresh
    }
}

/// A second of the run, or what came late of one.
#[derive(Debug, Default)]
pub struct Merged {
    /// Second since the run's start.
    pub second: u64,
    /// The load had ended before it began.
    pub after_load: bool,
    /// The second was told already; this is added to it.
    pub late: bool,
    /// What the labels did.
    pub labels: IntervalSet,
    /// Send lateness.
    pub lateness: Histogram,
    /// From the kernel's receipt of a response to its notice.
    pub receive_lag: Histogram,
    /// What the generators saw of themselves, together; `workers` has each.
    pub generator: GeneratorSecond,
    /// Arrivals withheld, by assignment.
    pub withheld: Vec<(u32, u64)>,
    /// What happened.
    pub events: Vec<ReportEvent>,
    /// Which reports it is made of: assignment and number.
    pub contains: Vec<(u32, u64)>,
    /// Their places in the journal.
    pub places: Vec<u64>,
    /// Assignments that gave labels new names in it.
    pub named: Vec<u32>,
}

/// What is known of an assignment.
#[derive(Debug, Clone, Default)]
struct MergeSource {
    worker: String,
    /// Seconds before this one are reported.
    next_second: u64,
    /// The number of its last report.
    number: u64,
    /// The number of the last report that was kept.
    kept: u64,
    /// Nobody waits for it.
    silent: bool,
    ended: Option<(ReportEnd, u64)>,
}

impl MergeSource {
    /// What becomes of a report that came before; none of a new one.
    fn has(&self, number: u64) -> Option<ReportTaken> {
        match number {
            number if number <= self.kept => Some(ReportTaken::Known),
            number if number <= self.number => Some(ReportTaken::Awaited),
            _ => None,
        }
    }
}

/// Merges the reports of a run's assignments.
#[derive(Debug, Default)]
pub struct Merger {
    /// The labels.
    pub labels: LabelTable,
    sources: BTreeMap<u32, MergeSource>,
    pending: BTreeMap<(u64, bool), Merged>,
    /// Seconds before this one were told.
    told_before: u64,
}

/// What became of a report.
#[derive(Debug, PartialEq, Eq)]
pub enum ReportTaken {
    /// It is part of a second to come, or of the assignment's end.
    Kept {
        /// Samples of requests in it.
        requests: u64,
    },
    /// It was kept already.
    Known,
    /// It came again before it was kept.
    Awaited,
    /// Nobody knows the assignment.
    Stranger,
}

impl Merger {
    /// A merger for a run of which the seconds before `told_before` were told.
    #[must_use]
    pub fn new(labels: LabelTable, told_before: u64) -> Self {
        Self {
            labels,
            told_before,
            ..Self::default()
        }
    }

    /// An assignment begins, or is known from before: its seconds from `first_second` on are
    /// awaited, its reports up to `number` were taken in.
    pub fn begin(&mut self, assignment: u32, worker: &str, first_second: u64, number: u64) {
        let source = MergeSource {
            worker: worker.to_owned(),
            next_second: first_second,
            number,
            kept: number,
            ..MergeSource::default()
        };
        self.sources.insert(assignment, source);
    }

    /// Whether seconds wait for an assignment's report.
    pub fn wait_for(&mut self, assignment: u32, awaited: bool) {
        if let Some(source) = self.sources.get_mut(&assignment) {
            source.silent = !awaited;
        }
    }

    /// The number of an assignment's last report, and the second after its last one.
    #[must_use]
    pub fn reported(&self, assignment: u32) -> (u64, u64) {
        let source = self.sources.get(&assignment);
        source.map_or((0, 0), |source| (source.number, source.next_second))
    }

    /// Takes in a report of a second.
    pub fn second(
        &mut self,
        assignment: u32,
        number: u64,
        place: u64,
        report: &ReportSecond,
    ) -> ReportTaken {
        let Some(source) = self.sources.get_mut(&assignment) else {
            return ReportTaken::Stranger;
        };
        if let Some(taken) = source.has(number) {
            return taken;
        }
        source.number = number;
        source.next_second = source.next_second.max(report.second + 1);
        let worker = source.worker.clone();
        self.labels.add(assignment, &report.labels);
        let key = (report.second, report.after_load);
        let pending = self.pending.entry(key).or_default();
        pending.second = report.second;
        pending.after_load = report.after_load;
        let mut requests = 0;
        for interval in &report.intervals {
            if let Some(id) = self.labels.id(assignment, interval.label) {
                // Checked when it came in; what overflows every counter is left out.
                let _ = pending.labels.label_mut(id).merge_encoded(&interval.bytes);
                if self.labels.kind(id) == Some(LabelKind::Request) {
                    requests += interval.samples;
                }
            }
        }
        let _ = pending.lateness.merge_encoded(&report.lateness);
        let _ = pending.receive_lag.merge_encoded(&report.receive_lag);
        add_worker(&mut pending.generator, &worker, &report.generator);
        pending.generator.second = report.second;
        if report.withheld > 0 {
            pending.withheld.push((assignment, report.withheld));
        }
        pending.events.extend(report.events.iter().cloned());
        pending.contains.push((assignment, number));
        pending.places.push(place);
        if !report.labels.is_empty() {
            pending.named.push(assignment);
        }
        ReportTaken::Kept { requests }
    }

    /// Takes in an assignment's end.
    pub fn end(&mut self, assignment: u32, number: u64, place: u64, end: ReportEnd) -> ReportTaken {
        let Some(source) = self.sources.get_mut(&assignment) else {
            return ReportTaken::Stranger;
        };
        if let Some(taken) = source.has(number) {
            return taken;
        }
        source.number = number;
        source.ended = Some((end, place));
        ReportTaken::Kept { requests: 0 }
    }

    /// The next second that is complete, or late. It is told then: give it to whoever keeps it.
    pub fn take_next(&mut self) -> Option<Merged> {
        let key = *self.pending.first_key_value()?.0;
        let second = key.0;
        if second >= self.told_before && !self.is_complete(second) {
            return None;
        }
        let mut merged = self.pending.remove(&key)?;
        merged.late = second < self.told_before;
        let more = self.pending.contains_key(&(second, true));
        if !more {
            self.told_before = self.told_before.max(second + 1);
        }
        Some(merged)
    }

    /// A second, or what came late of one, was kept: its reports are known from now on.
    pub fn kept(&mut self, merged: &Merged) {
        for (assignment, number) in &merged.contains {
            if let Some(source) = self.sources.get_mut(assignment) {
                source.kept = source.kept.max(*number);
            }
        }
    }

    fn is_complete(&self, second: u64) -> bool {
        let done = |source: &MergeSource| {
            source.silent || source.ended.is_some() || source.next_second > second
        };
        self.sources.values().all(done)
    }

    /// Assignments that have ended and all of whose seconds were told: their ends, with the
    /// place of the report.
    pub fn ended(&mut self) -> Vec<(u32, ReportEnd, u64)> {
        let pending = &self.pending;
        let open = |assignment: u32| {
            pending
                .values()
                .any(|merged| merged.contains.iter().any(|(of, _)| *of == assignment))
        };
        let over: Vec<u32> = self
            .sources
            .iter()
            .filter(|(number, source)| source.ended.is_some() && !open(**number))
            .map(|(number, _)| *number)
            .collect();
        let mut ends = Vec::new();
        for assignment in over {
            let source = self.sources.remove(&assignment);
            if let Some((end, place)) = source.and_then(|source| source.ended) {
                ends.push((assignment, end, place));
            }
        }
        ends
    }
}

/// Adds what one worker's generator saw to what all saw together. Counts add up; of limits the
/// worker that is nearest to its own counts.
pub fn add_worker(all: &mut GeneratorSecond, worker: &str, one: &GeneratorSecond) {
    all.threads.extend(notable(one));
    all.send_lateness_p99_ns = all.send_lateness_p99_ns.max(one.send_lateness_p99_ns);
    all.receive_lag_mean_ns = all.receive_lag_mean_ns.max(one.receive_lag_mean_ns);
    all.loop_lag_max_ns = all.loop_lag_max_ns.max(one.loop_lag_max_ns);
    all.loop_late_ns = all.loop_late_ns.saturating_add(one.loop_late_ns);
    all.stopped_ns = all.stopped_ns.max(one.stopped_ns);
    all.arrivals = all.arrivals.saturating_add(one.arrivals);
    all.coalesced = all.coalesced.saturating_add(one.coalesced);
    all.own.merge(&one.own);
    all.users_active += one.users_active;
    all.in_flight += one.in_flight;
    all.withheld += one.withheld;
    all.fds_failed += one.fds_failed;
    all.ports_failed += one.ports_failed;
    let pairs = [
        (
            (&mut all.fds_used, &mut all.fds_limit),
            (one.fds_used, one.fds_limit),
        ),
        (
            (&mut all.ports_used, &mut all.ports_limit),
            (one.ports_used, one.ports_limit),
        ),
        (
            (&mut all.rss_bytes, &mut all.memory_limit_bytes),
            (one.rss_bytes, one.memory_limit_bytes),
        ),
    ];
    for ((used, limit), (one_used, one_limit)) in pairs {
        if nearer((one_used, one_limit), (*used, *limit)) {
            (*used, *limit) = (one_used, one_limit);
        }
    }
    if all.competitor.is_none() {
        all.competitor.clone_from(&one.competitor);
    }
    all.workers.push(WorkerSecond {
        worker: worker.to_owned(),
        seen: one.clone(),
    });
}

/// The threads of a worker by which it is judged: the one with most CPU and the one that waits
/// longest for it, which may be the same.
fn notable(one: &GeneratorSecond) -> Vec<ThreadSecond> {
    let most = |of: fn(&ThreadSecond) -> f64| {
        let threads = one.threads.iter().enumerate();
        threads.max_by(|(_, a), (_, b)| of(a).total_cmp(&of(b)))
    };
    let fullest = most(|thread| thread.cpu_share);
    let longest = most(|thread| thread.runqueue_wait_share);
    let same = fullest.map(|(at, _)| at) == longest.map(|(at, _)| at);
    let longest = longest.filter(|_| !same);
    let both = fullest.into_iter().chain(longest);
    both.map(|(_, thread)| *thread).collect()
}

/// Whether a use is nearer to its limit than another; where no limit is known, whether it is more.
#[expect(clippy::cast_precision_loss)]
fn nearer(one: (u64, u64), other: (u64, u64)) -> bool {
    let share = |(used, limit): (u64, u64)| match limit {
        0 => 0.0,
        limit => used as f64 / limit as f64,
    };
    share(one) > share(other) || share(one) == share(other) && one.0 > other.0
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;

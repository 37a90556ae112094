//! Putting the threads' reports together, second by second.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use plimsoll_stats::{
    GeneratorSecond, Histogram, IntervalSet, KeptOwnTime, LabelInfo, OwnTime, ThreadSecond,
};
use plimsoll_text::Message;

use super::control::{Stop, Stopper};
use super::event::Event;
use super::extension::ExtensionRun;
use super::labels::Labels;
use super::share_lease::LeaseTeller;
use super::{Observer, Second};
use crate::clock::{Clock, Nanos};
use crate::monitor::{Allowance, ProcessMonitor};
use crate::recorder::{LoggedSample, ThreadReport};
use crate::trace::Traced;

/// A run-queue wait from which it is worth asking who has the CPU.
const COMPETITOR_WAIT_SHARE: f64 = 0.1;

/// Where the collector hears of the run.
pub(super) struct Sources {
    pub reports: Receiver<ThreadReport>,
    pub events: Receiver<Event>,
    pub traced: Receiver<Traced>,
    pub extension: Option<Arc<dyn ExtensionRun>>,
}

impl Sources {
    /// Passes on the events and traces that have come.
    fn pass_on(&self, observer: &mut dyn Observer) {
        if let Some(extension) = &self.extension {
            extension.pass_on_log();
        }
        self.events
            .try_iter()
            .for_each(|event| observer.event(&event));
        self.traced
            .try_iter()
            .for_each(|traced| observer.traced(&traced));
    }
}

/// Seconds that are not told of yet: in the last one of a group the next may begin.
#[derive(Default)]
pub(super) struct PendingSeconds(BTreeMap<u64, PendingSecond>);

/// A second that is not complete yet.
#[derive(Default)]
struct PendingSecond {
    labels: IntervalSet,
    lateness: Histogram,
    receive_lag: Histogram,
    own: OwnTime,
    samples: Vec<LoggedSample>,
    generator: GeneratorSecond,
    begins_after_load: bool,
}

#[derive(Clone, Copy, Default)]
struct ThreadState {
    /// Seconds before this one are reported.
    next_second: u64,
    ended: bool,
    /// It has heard that the run is stopped, and begins nothing.
    stopped: bool,
    cpu_ns: u64,
    runqueue_wait_ns: u64,
    users: u32,
    in_flight: u32,
}

/// Merges reports and tells the observer of each second when it is complete.
pub(super) struct SecondsCollector<'a> {
    labels: &'a Labels,
    allowance: &'a Allowance,
    threads: Vec<ThreadState>,
    pending: BTreeMap<u64, PendingSecond>,
    monitor: ProcessMonitor,
    discarded: u64,
    last_end_ns: Nanos,
    stopped_ns: Nanos,
    told_folded: bool,
    told_in_flight: bool,
    lost: u32,
    lease: Option<LeaseTeller<'a>>,
    /// The second in which the last thread ends is left to who comes next.
    leaves_last: bool,
}

impl<'a> SecondsCollector<'a> {
    pub fn new(
        labels: &'a Labels,
        allowance: &'a Allowance,
        threads: usize,
        first_second: u64,
    ) -> Self {
        let state = ThreadState {
            next_second: first_second,
            ..ThreadState::default()
        };
        Self {
            labels,
            allowance,
            threads: vec![state; threads],
            pending: BTreeMap::new(),
            monitor: ProcessMonitor::default(),
            discarded: 0,
            last_end_ns: 0,
            stopped_ns: Nanos::MAX,
            told_folded: false,
            told_in_flight: false,
            lost: 0,
            lease: None,
            leaves_last: false,
        }
    }

    /// Begins with what another left, and leaves its own last second if another follows.
    pub fn between(self, before: PendingSeconds, leaves_last: bool) -> Self {
        Self {
            pending: before.0,
            leaves_last,
            ..self
        }
    }

    /// What it leaves.
    pub fn left(&mut self) -> PendingSeconds {
        PendingSeconds(std::mem::take(&mut self.pending))
    }

    /// Tells of all that was left.
    pub fn tell_rest(&mut self, observer: &mut dyn Observer) {
        self.leaves_last = false;
        self.tell(observer, true);
    }

    /// Tells of the lease as well.
    pub fn with_lease(self, lease: LeaseTeller<'a>) -> Self {
        Self {
            lease: Some(lease),
            ..self
        }
    }

    /// End of the last sample.
    pub fn last_end_ns(&self) -> Nanos {
        self.last_end_ns
    }

    /// When the run was stopped before its planned end.
    pub fn stopped_ns(&self) -> Nanos {
        self.stopped_ns
    }

    /// Threads that were lost or never began.
    pub fn lost(&self) -> u32 {
        self.lost
    }

    /// Counts lost threads.
    pub fn add_lost(&mut self, threads: u32) {
        self.lost += threads;
    }

    /// Requests whose samples the plan discards.
    pub fn discarded(&self) -> u64 {
        self.discarded
    }

    /// Collects until all threads have ended.
    /// `own` ends what is collected here; when it is not the run's own stopper, it cuts off
    /// when that does.
    pub fn collect(
        &mut self,
        sources: &mut Sources,
        run: &Stopper,
        own: &Stopper,
        observer: &mut dyn Observer,
    ) {
        loop {
            // Events and traces come on channels of their own; they are looked at often
            // enough for a person to follow.
            let report = sources.reports.recv_timeout(Duration::from_millis(100));
            sources.pass_on(observer);
            if run.state() == Stop::CutOff {
                own.cut_off();
            }
            match report {
                Ok(report) => self.take(report),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.tell(observer, false);
            self.tell_in_flight(own, observer);
            if let Some(lease) = &mut self.lease {
                lease.tell(own.state() != Stop::Running, observer);
            }
        }
        self.tell(observer, true);
        sources.pass_on(observer);
        if let Some(lease) = &mut self.lease {
            lease.tell(true, observer);
        }
    }

    fn take(&mut self, report: ThreadReport) {
        let allowed = self.allowance.cpu_share_of(self.threads.len());
        let state = &mut self.threads[report.thread];
        state.next_second = report.second + 1;
        state.ended |= report.last;
        state.stopped |= report.stopped_ns < Nanos::MAX;
        state.users = report.users;
        state.in_flight = report.in_flight;
        let share = |now: u64, before: u64| {
            #[expect(clippy::cast_precision_loss)]
            let share = now.saturating_sub(before) as f64 / 1e9;
            share
        };
        let usage = ThreadSecond {
            cpu_share: share(report.cpu_ns, state.cpu_ns) / allowed,
            runqueue_wait_share: share(report.runqueue_wait_ns, state.runqueue_wait_ns),
        };
        state.cpu_ns = report.cpu_ns;
        state.runqueue_wait_ns = report.runqueue_wait_ns;
        self.discarded += report.discarded;
        self.last_end_ns = self.last_end_ns.max(report.last_end_ns);
        self.stopped_ns = self.stopped_ns.min(report.stopped_ns);
        let pending = self.pending.entry(report.second).or_default();
        pending.begins_after_load |= report.after_load;
        if pending.labels.is_empty() {
            pending.labels = report.labels;
        } else {
            pending.labels.merge(&report.labels);
        }
        pending.lateness.merge(&report.lateness);
        pending.receive_lag.merge(&report.receive_lag);
        pending.samples.extend(report.samples);
        let generator = &mut pending.generator;
        generator.threads.push(usage);
        let turns = report.turns;
        generator.loop_lag_max_ns = generator.loop_lag_max_ns.max(turns.lag_ns);
        generator.loop_late_ns += turns.late_ns;
        // The process stands still as a whole: the threads that notice it do so for one time.
        generator.stopped_ns = generator.stopped_ns.max(turns.stopped_ns);
        generator.arrivals += turns.arrivals;
        generator.coalesced += turns.coalesced;
        pending.own.merge(&report.own);
        generator.withheld += report.withheld;
        generator.fds_failed += report.fds_failed;
        generator.ports_failed += report.ports_failed;
    }

    /// Tells the observer of all complete seconds, or of all there are.
    fn tell(&mut self, observer: &mut dyn Observer, all: bool) {
        while let Some((&second, _)) = self.pending.first_key_value() {
            let complete = self
                .threads
                .iter()
                .all(|t| t.ended || t.next_second > second);
            let is_left = self.leaves_last
                && self.pending.len() == 1
                && self.threads.iter().all(|thread| thread.ended);
            if !complete && !all || is_left {
                return;
            }
            let Some(mut pending) = self.pending.remove(&second) else {
                return;
            };
            self.finish_generator(second, &mut pending);
            let fresh: Vec<LabelInfo> = self.labels.fresh();
            if !fresh.is_empty() {
                observer.labels(&fresh);
            }
            self.tell_folded(second, observer);
            observer.second(&Second {
                second,
                labels: &pending.labels,
                generator: &pending.generator,
                lateness: &pending.lateness,
                receive_lag: &pending.receive_lag,
                samples: &pending.samples,
                after_load: pending.begins_after_load,
            });
        }
    }

    /// Tells whoever stopped the run what it still waits for.
    fn tell_in_flight(&mut self, own: &Stopper, observer: &mut dyn Observer) {
        let Some(grace_ns) = own.granted_ns().filter(|_| !self.told_in_flight) else {
            return;
        };
        let mut at_work = self.threads.iter().filter(|thread| !thread.ended);
        if !at_work.all(|thread| thread.stopped) {
            return;
        }
        self.told_in_flight = true;
        let in_flight: u64 = self.threads.iter().map(|t| u64::from(t.in_flight)).sum();
        if in_flight > 0 {
            let message = Message::new("event-stopping").with("in_flight", in_flight);
            observer.event(&Event {
                at_ns: self.stopped_ns,
                message: message.with("seconds", grace_ns / 1_000_000_000),
                is_error: false,
            });
        }
    }

    fn tell_folded(&mut self, second: u64, observer: &mut dyn Observer) {
        if self.labels.folded() && !self.told_folded {
            self.told_folded = true;
            let message = Message::new("event-labels-folded")
                .with("limit", super::labels::MAX_LABELS)
                .with("other", super::labels::OTHER);
            observer.event(&Event {
                at_ns: second * 1_000_000_000,
                message,
                is_error: true,
            });
        }
    }

    fn finish_generator(&mut self, second: u64, pending: &mut PendingSecond) {
        let usage = self.monitor.usage();
        let generator = &mut pending.generator;
        generator.second = second;
        generator.own = KeptOwnTime::from(&pending.own);
        generator.send_lateness_p99_ns = pending.lateness.percentile_ns(0.99);
        // A mean of nanoseconds fits.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let lag_ns = pending.receive_lag.mean_ns() as u64;
        generator.receive_lag_mean_ns = lag_ns;
        generator.users_active = self.threads.iter().map(|t| u64::from(t.users)).sum();
        generator.in_flight = self.threads.iter().map(|t| u64::from(t.in_flight)).sum();
        generator.fds_used = usage.descriptors;
        generator.fds_limit = self.allowance.descriptors;
        generator.ports_used = usage.ports;
        generator.rss_bytes = usage.rss_bytes;
        generator.memory_limit_bytes = self.allowance.memory_bytes;
        let waiting = generator
            .threads
            .iter()
            .any(|t| t.runqueue_wait_share >= COMPETITOR_WAIT_SHARE);
        if waiting {
            generator.competitor = self.monitor.competitor();
        }
    }
}

/// Passes on only what a person must know of setup and teardown: that a request failed.
pub(super) struct QuietObserver<'a> {
    pub observer: &'a mut dyn Observer,
    pub failed: bool,
}

impl Observer for QuietObserver<'_> {
    fn started(&mut self, _: Clock) {}

    /// Labels are told once, and those of the load are among them.
    fn labels(&mut self, labels: &[LabelInfo]) {
        self.observer.labels(labels);
    }

    fn second(&mut self, second: &Second<'_>) {
        for (_, interval) in second.labels.iter() {
            for (kind, count) in interval.errors_by_kind.iter() {
                self.failed = true;
                let message = Message::new("event-outside-failed")
                    .with("kind", Message::new(format!("error-kind-{}", kind.slug())))
                    .with("count", count);
                self.observer.event(&Event {
                    at_ns: 0,
                    message,
                    is_error: true,
                });
            }
        }
    }

    fn event(&mut self, event: &Event) {
        self.failed |= event.is_error;
        self.observer.event(event);
    }

    fn traced(&mut self, traced: &Traced) {
        self.observer.traced(traced);
    }
}

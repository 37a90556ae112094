//! What a load thread measured, second by second.

use std::cell::{Cell, RefCell};
use std::sync::mpsc::Sender;

use plimsoll_stats::failures::{Ledger, Note};
use plimsoll_stats::{
    Code, ErrorKind, Histogram, IntervalSet, KeptSample, LabelId, LabelKind, OwnTime, Sample,
};

use crate::clock::Nanos;
use crate::monitor::ThreadUsage;
use crate::turn::{Beat, LATE_NS};

const SECOND_NS: Nanos = 1_000_000_000;
const MS: Nanos = 1_000_000;

/// What one load thread did in one second.
#[derive(Debug)]
pub struct ThreadReport {
    /// Which thread, from 0.
    pub thread: usize,
    /// Second since the run's start.
    pub second: u64,
    /// The labels.
    pub labels: IntervalSet,
    /// Send lateness: from when a request could have been sent to when it was.
    pub lateness: Histogram,
    /// From the kernel's receive time to the engine's notice.
    pub receive_lag: Histogram,
    /// What the generator added to response times.
    pub own: OwnTime,
    /// What the thread saw of its event loop.
    pub turns: TurnsSeen,
    /// Users at work at the end of the second.
    pub users: u32,
    /// Requests in flight at the end of the second.
    pub in_flight: u32,
    /// Requests whose samples the plan discards.
    pub discarded: u64,
    /// Arrivals that were due while nothing might start.
    pub withheld: u64,
    /// Requests that failed for want of a file descriptor.
    pub fds_failed: u64,
    /// Requests that failed for want of a local port.
    pub ports_failed: u64,
    /// CPU of the thread since it began, ns.
    pub cpu_ns: u64,
    /// Time it was ready to run and had no CPU since it began, ns.
    pub runqueue_wait_ns: u64,
    /// End of the last sample so far.
    pub last_end_ns: Nanos,
    /// When the run was stopped before its planned end; `Nanos::MAX`: it was not.
    pub stopped_ns: Nanos,
    /// The second begins when the load has ended: the tail.
    pub after_load: bool,
    /// Samples one by one, when the run wants them.
    pub samples: Vec<LoggedSample>,
    /// The last report of the thread.
    pub last: bool,
}

/// What a load thread saw of its event loop in a second.
#[derive(Debug, Clone, Copy, Default)]
pub struct TurnsSeen {
    /// Longest delay.
    pub lag_ns: u64,
    /// Delays of late turns, all together.
    pub late_ns: u64,
    /// The part of them in which the thread neither ran nor waited for a CPU.
    pub stopped_ns: u64,
    /// Arrivals given to users.
    pub arrivals: u64,
    /// Of these, late ones that left with the one before.
    pub coalesced: u64,
}

/// A sample with everything a sample log may show.
#[derive(Debug, Clone)]
pub struct LoggedSample {
    /// Its label.
    pub label: LabelId,
    /// Request, transaction or part of a request.
    pub kind: LabelKind,
    /// Response code.
    pub code: Code,
    /// Reason phrase or what went wrong.
    pub message: String,
    /// Why a check failed.
    pub failure: String,
    /// The error kind.
    pub error: Option<ErrorKind>,
    /// Index of the scenario.
    pub scenario: u32,
    /// User, from 0.
    pub user: u32,
    /// Iteration, from 0.
    pub iteration: u64,
    /// The URL, without credentials.
    pub url: String,
    /// Bytes sent.
    pub sent_bytes: u64,
    /// Bytes received.
    pub received_bytes: u64,
    /// Wall-clock start, Unix ns.
    pub start_unix_ns: u64,
    /// Service time, ns.
    pub service_ns: u64,
    /// Response time, ns.
    pub response_ns: u64,
    /// From the start to the first byte, ns.
    pub latency_ns: u64,
    /// DNS, connect and TLS together, ns.
    pub connect_ns: u64,
    /// Users of the scenario at work.
    pub group_users: u32,
    /// Users at work.
    pub all_users: u32,
    /// Media type says text.
    pub text: bool,
}

/// Records the samples of one thread and sends a report for each second.
pub struct Recorder {
    thread: usize,
    out: Sender<ThreadReport>,
    inner: RefCell<RecorderInner>,
    /// Users at work.
    pub users: Cell<u32>,
    /// Requests in flight.
    pub in_flight: Cell<u32>,
    /// What the thread had used when the load began.
    begun_with: Cell<ThreadUsage>,
    log: bool,
}

struct RecorderInner {
    second: u64,
    /// End of the second; the load's own end closes one early.
    ends_ns: Nanos,
    load_end_ns: Nanos,
    last_end_ns: Nanos,
    stopped_ns: Nanos,
    after_load: bool,
    /// What the thread had used when a report was last sent, and when that was.
    used: ThreadUsage,
    used_at_ns: Nanos,
    report: PendingReport,
    failures: Ledger,
}

#[derive(Default)]
struct PendingReport {
    labels: IntervalSet,
    lateness: Histogram,
    receive_lag: Histogram,
    own: OwnTime,
    turns: TurnsSeen,
    discarded: u64,
    withheld: u64,
    fds_failed: u64,
    ports_failed: u64,
    samples: Vec<LoggedSample>,
}

impl Recorder {
    /// A recorder; `log` keeps samples one by one as well.
    #[must_use]
    pub fn new(thread: usize, out: Sender<ThreadReport>, first_second: u64, log: bool) -> Self {
        let inner = RecorderInner {
            second: first_second,
            ends_ns: (first_second + 1) * SECOND_NS,
            load_end_ns: Nanos::MAX,
            last_end_ns: 0,
            stopped_ns: Nanos::MAX,
            after_load: false,
            used: crate::monitor::thread_usage(),
            used_at_ns: first_second * SECOND_NS,
            report: PendingReport::default(),
            failures: Ledger::default(),
        };
        Self {
            thread,
            out,
            inner: RefCell::new(inner),
            users: Cell::new(0),
            in_flight: Cell::new(0),
            begun_with: Cell::new(crate::monitor::thread_usage()),
            log,
        }
    }

    /// The load begins: what the thread used before does not count.
    pub fn begin(&self) {
        let usage = crate::monitor::thread_usage();
        self.inner.borrow_mut().used = usage;
        self.begun_with.set(usage);
    }

    /// Whether samples are kept one by one.
    #[must_use]
    #[inline]
    pub fn logs(&self) -> bool {
        self.log
    }

    /// Says when the load ends: what ends later is kept apart, in the second that begins
    /// after it, so that the throughput of the load does not count the tail.
    pub fn set_load_end(&self, at_ns: Nanos) {
        let mut inner = self.inner.borrow_mut();
        inner.load_end_ns = at_ns;
        if at_ns > inner.second * SECOND_NS {
            inner.ends_ns = inner.ends_ns.min(at_ns);
        }
    }

    /// Says that the load ends at another time than was said before, which has not come yet.
    pub fn move_load_end(&self, at_ns: Nanos) {
        let mut inner = self.inner.borrow_mut();
        if !inner.after_load && inner.stopped_ns == Nanos::MAX {
            inner.ends_ns = (inner.second + 1) * SECOND_NS;
            drop(inner);
            self.set_load_end(at_ns);
        }
    }

    /// Says that the run was stopped now, before its planned end.
    pub fn stopped(&self, now_ns: Nanos) {
        if now_ns < self.inner.borrow().load_end_ns {
            self.inner.borrow_mut().stopped_ns = now_ns;
            self.set_load_end(now_ns);
        }
    }

    /// Records a sample.
    #[inline]
    pub fn record(&self, sample: &Sample<'_>) {
        self.record_masked(sample, |text| plimsoll_secrets::text(text).into_owned());
    }

    /// Records a sample. If it failed and one like it is wanted in full, it says so; `mask` is
    /// asked once for each message that is new.
    #[inline]
    pub fn record_masked(
        &self,
        sample: &Sample<'_>,
        mask: impl FnOnce(&str) -> String,
    ) -> Option<Note> {
        let inner = &mut *self.inner.borrow_mut();
        if sample.end_ns >= inner.ends_ns {
            self.roll_to(inner, sample.end_ns);
        }
        inner.last_end_ns = inner.last_end_ns.max(sample.end_ns);
        let report = &mut inner.report;
        let interval = report.labels.label_mut(sample.label);
        interval.measure(sample);
        let note = sample.error.map(|kind| {
            let failure = (kind, sample.code, sample.message);
            let note = inner.failures.note(sample.label, failure, mask);
            let key = inner.failures.key(note);
            interval.failures.add(key, sample.end_ns / MS);
            note
        });
        match sample.error {
            Some(ErrorKind::OutOfFileDescriptors) => report.fds_failed += 1,
            Some(ErrorKind::NoLocalPort) => report.ports_failed += 1,
            _ => {}
        }
        if sample.kind == LabelKind::Request {
            report.lateness.record(sample.lateness_ns());
            if !sample.error.is_some_and(ErrorKind::is_before_sending) {
                report.own.add(sample);
            }
        }
        note.filter(|note| note.wanted)
    }

    /// Keeps a sample of a failure that was just recorded.
    pub fn keep_failed(&self, label: LabelId, note: Note, kept: KeptSample) {
        let inner = &mut *self.inner.borrow_mut();
        inner.failures.kept(note, &kept);
        let interval = inner.report.labels.label_mut(label);
        interval.failures.keep(inner.failures.key(note), kept);
    }

    /// Whether a sample might be wanted of a response that fails with that code.
    pub fn lacks(&self, label: LabelId, code: Code) -> bool {
        self.inner.borrow().failures.lacks(label, code)
    }

    /// Keeps a sample for the log.
    pub fn log(&self, sample: LoggedSample) {
        self.inner.borrow_mut().report.samples.push(sample);
    }

    /// Counts a request whose sample the plan discards.
    pub fn discard(&self) {
        self.inner.borrow_mut().report.discarded += 1;
    }

    /// Counts a thing that failed for want of a file descriptor.
    pub fn no_descriptor(&self) {
        self.inner.borrow_mut().report.fds_failed += 1;
    }

    /// Counts a request cut off by the end of the run.
    pub fn cut_off(&self, label: LabelId) {
        self.inner
            .borrow_mut()
            .report
            .labels
            .label_mut(label)
            .cut_off += 1;
    }

    /// Counts a request that is sent again on a new connection.
    pub fn resent(&self, label: LabelId) {
        self.inner
            .borrow_mut()
            .report
            .labels
            .label_mut(label)
            .resent += 1;
    }

    /// Counts an arrival that did not start.
    pub fn dropped(&self, label: LabelId, at_ns: Nanos) {
        let mut inner = self.inner.borrow_mut();
        if at_ns >= inner.ends_ns {
            self.roll_to(&mut inner, at_ns);
        }
        inner.report.labels.label_mut(label).dropped_iterations += 1;
    }

    /// Counts an arrival that was due while nothing might start.
    pub fn withheld(&self, at_ns: Nanos) {
        let mut inner = self.inner.borrow_mut();
        if at_ns >= inner.ends_ns {
            self.roll_to(&mut inner, at_ns);
        }
        inner.report.withheld += 1;
    }

    /// Records the lag of a receive behind the kernel.
    pub fn receive_lag(&self, lag_ns: u64) {
        self.inner.borrow_mut().report.receive_lag.record(lag_ns);
    }

    /// Records how late a turn of the event loop came.
    pub fn beat(&self, now_ns: Nanos, beat: Beat) {
        let mut inner = self.inner.borrow_mut();
        if now_ns >= inner.ends_ns {
            self.roll_to(&mut inner, now_ns);
        }
        let turns = &mut inner.report.turns;
        turns.lag_ns = turns.lag_ns.max(beat.late_ns);
        if beat.late_ns > LATE_NS {
            turns.late_ns += beat.late_ns;
            turns.stopped_ns += beat.stopped_ns;
        }
    }

    /// Counts an arrival that is given to a user; `coalesced`: late, and with the one before.
    pub fn arrival(&self, coalesced: bool) {
        let turns = &mut self.inner.borrow_mut().report.turns;
        turns.arrivals += 1;
        turns.coalesced += u64::from(coalesced);
    }

    /// Sends the reports of all seconds that are over.
    pub fn roll(&self, now_ns: Nanos) {
        let mut inner = self.inner.borrow_mut();
        if now_ns >= inner.ends_ns {
            self.roll_to(&mut inner, now_ns);
        }
    }

    /// When the second that is being recorded ends.
    #[must_use]
    pub fn second_ends_ns(&self) -> Nanos {
        self.inner.borrow().ends_ns
    }

    #[cold]
    fn roll_to(&self, inner: &mut RecorderInner, at_ns: Nanos) {
        // A thread that was held up for seconds used what it used in all of them.
        let usage = crate::monitor::thread_usage();
        let (before, from_ns) = (inner.used, inner.used_at_ns);
        let whole_ns = at_ns.saturating_sub(from_ns);
        while at_ns >= inner.ends_ns {
            let part_ns = inner.ends_ns.saturating_sub(from_ns);
            inner.used = usage.at(before, part_ns, whole_ns);
            inner.used_at_ns = inner.ends_ns;
            self.send(inner, false);
            let closed_at = inner.ends_ns;
            inner.second += 1;
            let end = (inner.second + 1) * SECOND_NS;
            inner.after_load = closed_at >= inner.load_end_ns;
            inner.ends_ns = if inner.after_load {
                end
            } else {
                end.min(inner.load_end_ns)
            };
        }
    }

    /// Sends the last report.
    pub fn finish(&self) {
        let mut inner = self.inner.borrow_mut();
        inner.used = crate::monitor::thread_usage();
        self.send(&mut inner, true);
    }

    fn send(&self, inner: &mut RecorderInner, last: bool) {
        let report = std::mem::take(&mut inner.report);
        let begun_with = self.begun_with.get();
        // The collector is gone only when the run is over.
        let _ = self.out.send(ThreadReport {
            thread: self.thread,
            second: inner.second,
            labels: report.labels,
            lateness: report.lateness,
            receive_lag: report.receive_lag,
            own: report.own,
            turns: report.turns,
            users: self.users.get(),
            in_flight: self.in_flight.get(),
            discarded: report.discarded,
            withheld: report.withheld,
            fds_failed: report.fds_failed,
            ports_failed: report.ports_failed,
            cpu_ns: inner.used.cpu_ns.saturating_sub(begun_with.cpu_ns),
            runqueue_wait_ns: inner
                .used
                .runqueue_wait_ns
                .saturating_sub(begun_with.runqueue_wait_ns),
            last_end_ns: inner.last_end_ns,
            stopped_ns: inner.stopped_ns,
            after_load: inner.after_load,
            samples: report.samples,
            last,
        });
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_thread_that_was_held_up_used_its_cpu_in_all_of_the_seconds() {
        let (out, reports) = mpsc::channel();
        let recorder = Recorder::new(0, out, 0, false);
        recorder.begin();
        let begin = crate::monitor::thread_usage().cpu_ns;
        while crate::monitor::thread_usage().cpu_ns < begin + 30_000_000 {
            std::hint::black_box(Duration::ZERO);
        }
        // No report was sent for four and a half seconds of the run's clock.
        recorder.roll(4_500_000_000);
        recorder.finish();
        let cpu: Vec<u64> = reports.try_iter().map(|report| report.cpu_ns).collect();
        assert_eq!(cpu.len(), 5);
        let each = cpu[0];
        assert!(each >= 30_000_000 / 5, "{cpu:?}");
        for second in 1..4 {
            let used = cpu[second] - cpu[second - 1];
            assert!(used.abs_diff(each) <= 1, "{cpu:?}");
        }
        // The half second has what is left.
        assert!(cpu[4] - cpu[3] >= each / 3, "{cpu:?}");
    }
}

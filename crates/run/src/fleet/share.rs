//! A share of a run: one run of the engine on a thread of its own, which tells what it does.

use std::sync::Arc;
use std::time::Duration;

use plimsoll_fleet::wire::report::ReportEvent;
use plimsoll_fleet::wire::{Change, ReportEnd, ReportSecond, Said};
use plimsoll_fleet::worker::{Running, ShareTold, Task};
use plimsoll_load::Lease;
use plimsoll_load::clock::{Clock, boottime_ns};
use plimsoll_load::engine::control::Stopper;
use plimsoll_load::engine::steer::Steer;
use plimsoll_load::engine::{self, Begin, Ended, Event, Observer, Options, Second};
use plimsoll_load::schedule::TimedChange;
use plimsoll_plan::program::Program;
use plimsoll_plan::share::Share;
use plimsoll_stats::LabelInfo;
use plimsoll_text::Message;
use tokio::sync::mpsc::UnboundedSender;

use crate::session::SampleLog;

/// Arrivals later than this are not made up for: the process or the host stood still.
const SKIP_LATE: Duration = Duration::from_secs(1);

/// Begins to work on a share. Its samples go to a log if there is one; what is to be told of it first
/// goes with its first report.
///
/// # Errors
/// A share that does not exist, or a thread that the system refuses.
pub fn begin(
    program: &Arc<Program>,
    options: Options,
    task: Task,
    log: Option<SampleLog>,
    told: Option<Message>,
) -> Result<Arc<dyn Running>, Message> {
    let bad = || Message::new("fleet-bad-order").with("reason", "no such share");
    let share = Share::new(task.share, task.count).ok_or_else(bad)?;
    let work = Arc::new(ShareAtWork {
        zero_ns: task.zero_ns,
        lease: Lease::until(0),
        stopper: Stopper::default(),
        steer: Steer::default(),
    });
    for change in &task.changes {
        work.steer.push(timed(change)?);
    }
    let options = Options {
        share,
        lease: work.lease.clone(),
        skip_late: Some(SKIP_LATE),
        from: task.from_ns.map(Duration::from_nanos),
        begin: Some(Begin::at(task.zero_ns)),
        stopper: work.stopper.clone(),
        steer: work.steer.clone(),
        ..options
    };
    let program = Arc::clone(program);
    let mut teller = Teller {
        assignment: task.assignment,
        out: task.out,
        labels: Vec::new(),
        known: Vec::new(),
        log,
        events: Vec::new(),
        lease: work.lease.clone(),
        told_back_ns: task.from_ns.unwrap_or(0),
    };
    if let Some(told) = &told {
        teller.happened(task.from_ns.unwrap_or(0), told, false);
    }
    let run = move || {
        let ended = engine::run(&program, &options, &mut teller);
        let end = match ended {
            Ok(ended) => end_of(&ended),
            Err(error) => ReportEnd {
                failed: Some(Said::from(&crate::reasons::of_run(&error))),
                ..ReportEnd::default()
            },
        };
        teller.end(end);
    };
    std::thread::Builder::new()
        .name("share".to_owned())
        .spawn(run)
        .map_err(|error| Message::new("run-cannot-start").with("reason", error.to_string()))?;
    Ok(work)
}

fn end_of(ended: &Ended) -> ReportEnd {
    ReportEnd {
        load_end_ns: ended.load_end_ns,
        end_ns: ended.end_ns,
        stopped: ended.stopped,
        discarded: ended.discarded,
        threads: ended.threads,
        lost_threads: ended.lost_threads,
        ..ReportEnd::default()
    }
}

/// Work that goes on.
struct ShareAtWork {
    zero_ns: u64,
    lease: Lease,
    stopper: Stopper,
    steer: Steer,
}

/// A change as the engine takes it.
fn timed(change: &Change) -> Result<TimedChange, Message> {
    let read = serde_json::from_str(&change.what);
    let read = read
        .map_err(|error| Message::new("fleet-change-unread").with("reason", error.to_string()))?;
    Ok(TimedChange {
        at_ns: change.at_ns,
        change: read,
    })
}

impl Running for ShareAtWork {
    fn renew(&self, until_ns: u64) {
        let on_run = |at_ns: u64| at_ns.saturating_sub(self.zero_ns);
        self.lease.renew(on_run(boottime_ns()), on_run(until_ns));
    }

    fn stop(&self) {
        self.stopper.stop();
    }

    fn cut_off(&self) {
        self.stopper.cut_off();
    }

    fn change(&self, change: &Change) -> Result<(), Message> {
        self.steer.push(timed(change)?);
        let now_ns = boottime_ns().saturating_sub(self.zero_ns);
        match now_ns.checked_sub(change.at_ns) {
            None | Some(0) => Ok(()),
            Some(late_ns) => {
                Err(Message::new("fleet-change-late").with("ms", late_ns.div_ceil(1_000_000)))
            }
        }
    }

    fn started(&self) -> u64 {
        self.lease.started()
    }
}

/// Tells the worker what the engine says.
struct Teller {
    assignment: u32,
    out: UnboundedSender<(u32, ShareTold)>,
    /// Labels that are not told yet.
    labels: Vec<LabelInfo>,
    /// All labels, for the log.
    known: Vec<LabelInfo>,
    log: Option<SampleLog>,
    events: Vec<ReportEvent>,
    lease: Lease,
    /// The end of the last time without a lease that was told.
    told_back_ns: u64,
}

impl Teller {
    fn tell(&self, told: ShareTold) {
        // The worker has given the run up when nobody listens.
        let _ = self.out.send((self.assignment, told));
    }

    /// A time without a lease that has ended since this was asked last.
    fn gap(&mut self) -> Option<(u64, u64)> {
        let gap = self.lease.last_gap()?;
        let from_ns = gap.over_ns.max(self.told_back_ns);
        let is_new = gap.back_ns > self.told_back_ns;
        self.told_back_ns = self.told_back_ns.max(gap.back_ns);
        is_new.then_some((from_ns, gap.back_ns))
    }

    fn happened(&mut self, at_ns: u64, message: &Message, is_error: bool) {
        self.events.push(ReportEvent {
            at_ns,
            said: Said::from(message),
            is_error,
        });
    }

    fn end(&mut self, end: ReportEnd) {
        let finished = self.log.as_mut().map(SampleLog::finish);
        if let Some(Err(message)) = finished {
            self.happened(end.end_ns, &message, true);
        }
        let events = std::mem::take(&mut self.events);
        self.tell(ShareTold::End(ReportEnd { events, ..end }));
    }
}

impl Observer for Teller {
    fn started(&mut self, _: Clock) {}

    fn labels(&mut self, labels: &[LabelInfo]) {
        self.labels.extend_from_slice(labels);
        if self.log.is_some() {
            self.known.extend_from_slice(labels);
        }
    }

    fn second(&mut self, second: &Second<'_>) {
        let log = self.log.as_mut();
        let written = log.map(|log| log.write(second.samples, &self.known));
        if let Some(Err(message)) = written {
            self.happened(second.second * 1_000_000_000, &message, true);
        }
        let mut report = ReportSecond {
            second: second.second,
            after_load: second.after_load,
            withheld: second.generator.withheld,
            labels: std::mem::take(&mut self.labels),
            generator: second.generator.clone(),
            events: std::mem::take(&mut self.events),
            ..ReportSecond::default()
        };
        report.gaps.extend(self.gap());
        report.measured(second.labels, second.lateness, second.receive_lag);
        self.tell(ShareTold::Second(Box::new(report)));
    }

    fn event(&mut self, event: &Event) {
        self.happened(event.at_ns, &event.message, event.is_error);
    }
}

//! A run that goes on: signs of life in, renewals out, reports into one result.

mod ask;
mod conductor;
mod keep;

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;

use self::conductor::{Aside, Conductor};
use super::fleet::FleetAction;
use super::prepare::{finish_all, order};
use super::stored::{ClockSeen, StoredRun, Taken};
use super::tell::{self, name_of};
use super::{Desk, FleetError, Planned, Results, Stop};
use crate::link::{self, JournalEntry, Subscription};
use crate::merge::{self, LabelTable};
use crate::share::Assignment;
use crate::wire::control::life_subject;
use crate::wire::report::ReportEnd;
use crate::wire::{self, Life, Report, WorkerOrder};

/// The controller looks at its workers so often.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Freeing the workers and removing what the run kept on the server may take this long.
const FINISH_WAIT: Duration = Duration::from_secs(8);

/// The same where nobody is heard any more: NATS itself may be gone.
const FINISH_UNHEARD_WAIT: Duration = Duration::from_secs(2);

/// The same, and teardown, of a run that was cut off: what can be done at once is.
const CUT_OFF_WAIT: Duration = Duration::from_millis(500);

/// Teardown gets so long.
const TEAR_DOWN_WAIT: Duration = Duration::from_secs(300);

/// How a run over workers ended.
#[derive(Debug, Clone)]
pub struct Conducted {
    /// All ends together.
    pub end: ReportEnd,
    /// The workers and what they worked on, and what was missing.
    pub run: StoredRun,
    /// What may be lost: of which assignment, from and to on the run's clock, requests at most.
    pub losses: Vec<(Assignment, u64, u64, u64)>,
    /// Each measurement of the workers' clocks, each worker's in the order of time.
    pub clocks: Vec<ClockSeen>,
}

/// Conducts a run to its end; `taken` says what is known of it already when it is taken up again;
/// `planned` bounds what can be lost.
///
/// # Errors
/// A link that does not work.
pub async fn conduct(
    desk: &Desk,
    run: StoredRun,
    taken: Option<(Taken, LabelTable)>,
    to_unix_ns: i64,
    results: &mut dyn Results,
    planned: &Planned,
) -> Result<Conducted, FleetError> {
    let lives = desk.link.subscribe(&life_subject(&run.run)).await?;
    let journal = desk.link.journal(&run.run).await?;
    let entries = journal.read().await?;
    let (aside_in, aside) = mpsc::unbounded_channel();
    let mut conductor = Conductor::new(desk, run, taken, journal, aside_in, to_unix_ns);
    let zero_ns = conductor.run.zero_ns;
    results.begins_in(Duration::from_nanos(zero_ns.saturating_sub((desk.now)())));
    conductor.keep_run(results);
    conductor.go(lives, entries, aside, results).await;
    tokio::select! {
        () = conductor.free() => {}
        () = cut_off(results) => {}
    }
    Ok(conductor.finish(planned))
}

/// Waits until the run is cut off, and then for what can be done at once.
async fn cut_off(results: &dyn Results) {
    while results.stop() != Stop::CutOff {
        tokio::time::sleep(LOOK_EVERY).await;
    }
    tokio::time::sleep(CUT_OFF_WAIT).await;
}

impl Conductor<'_> {
    async fn go(
        &mut self,
        mut lives: Subscription,
        mut entries: mpsc::Receiver<JournalEntry>,
        mut aside: mpsc::UnboundedReceiver<Aside>,
        results: &mut dyn Results,
    ) {
        let mut looks = tokio::time::interval(LOOK_EVERY);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut lives_end, mut entries_end) = (false, false);
        loop {
            tokio::select! {
                biased;
                life = lives.recv(), if !lives_end => match life {
                    Some(life) => self.life(&life, results).await,
                    None => lives_end = true,
                },
                Some(what) = aside.recv() => self.aside(what, results),
                entry = entries.recv(), if !entries_end => match entry {
                    Some(entry) => {
                        self.entry(entry).await;
                        while let Ok(entry) = entries.try_recv() {
                            self.entry(entry).await;
                        }
                        self.tell(results).await;
                    }
                    None => entries_end = true,
                },
                _ = looks.tick() => {
                    self.look(results).await;
                    let over = self.fleet.is_over((self.desk.now)()) || lives_end && entries_end;
                    if over && self.unkept.is_none() && !self.unkept_run {
                        self.tell_rest(results).await;
                        return;
                    }
                }
            }
        }
    }

    /// A sign of life is followed by a renewal.
    async fn life(&mut self, message: &link::LinkMessage, results: &mut dyn Results) {
        let Ok(life) = wire::decode::<Life>(&message.payload) else {
            return;
        };
        let Some(at) = self.worker_at(&life.name, &life.instance) else {
            return;
        };
        let now_ns = (self.desk.now)();
        if let Some(action) = self.fleet.life(at, now_ns, &life) {
            self.act(action, results);
        }
        for number in self.fleet.of(at) {
            self.merger.wait_for(number, true);
        }
        if self.stop > Stop::Running && life.assignments.iter().any(|part| !part.over) {
            // It may not have heard it.
            self.order_stop(at);
        }
        self.order_unknown(at, &life);
        if life.changes < self.run.changes.len() as u64 {
            // As above.
            self.order_change(at);
        }
        let order = WorkerOrder::Renew {
            run: self.run.run.clone(),
            heard_ns: life.at_ns,
            assignments: self.fleet.of(at),
        };
        if let Ok(bytes) = wire::encode(&order) {
            self.fleet.renewed(at, now_ns);
            // Lost ones are followed by the next; a link that is cut holds up nothing.
            let subject = self.subject_of(at);
            let publish = self.desk.link.publish(&subject, bytes);
            let _ = tokio::time::timeout(LOOK_EVERY, publish).await;
        }
    }

    fn aside(&mut self, what: Aside, results: &mut dyn Results) {
        match what {
            Aside::NotTaken { assignment, why } => {
                let at_ns = self.run_ns();
                results.event(at_ns, &why, true);
                self.merger.wait_for(assignment, false);
                self.fleet.ended(assignment, at_ns, true);
            }
            Aside::NotChanged { why } => {
                let at_ns = self.run_ns();
                results.event(at_ns, &why, true);
            }
            Aside::Clock { worker, fix } => self.measured(worker, fix, results),
            Aside::Closed { worker } => self.fleet.closed(worker, (self.desk.now)()),
        }
    }

    async fn entry(&mut self, entry: JournalEntry) {
        let report = Report::decode(&entry.payload);
        let assignment: Result<u32, _> = entry.writer.parse();
        let taken = match (assignment, report) {
            (Ok(of), Ok(Report::Second(second))) => {
                let taken = self.merger.second(of, entry.number, entry.place, &second);
                if let merge::ReportTaken::Kept { requests } = taken {
                    self.fleet.reported(of, second.second, requests);
                    for (from_ns, to_ns) in &second.gaps {
                        self.fleet.without_lease(of, *from_ns, *to_ns);
                        self.unkept_run = true;
                    }
                }
                taken
            }
            (Ok(of), Ok(Report::End(end))) => {
                let (at_ns, released) = (end.load_end_ns, end.released || end.failed.is_some());
                let taken = self.merger.end(of, entry.number, entry.place, end);
                if matches!(taken, merge::ReportTaken::Kept { .. }) {
                    self.fleet.ended(of, at_ns, released);
                }
                taken
            }
            // What cannot be read will not be readable the next time.
            _ => merge::ReportTaken::Stranger,
        };
        if matches!(
            taken,
            merge::ReportTaken::Known | merge::ReportTaken::Stranger
        ) {
            self.confirm(&[entry.place]).await;
        }
    }

    async fn look(&mut self, results: &mut dyn Results) {
        let now_ns = (self.desk.now)();
        for action in self.fleet.tick(now_ns) {
            self.act(action, results);
        }
        for worker in 0..self.run.workers.len() {
            if self.fleet.is_silent(worker) {
                for number in self.fleet.all_of(worker) {
                    self.merger.wait_for(number, false);
                }
            }
        }
        self.pass_stop(results.stop()).await;
        self.pass_changes(results);
        self.tell(results).await;
        self.keep_run(results);
        self.keep_pulses(now_ns, results);
        self.ask(now_ns);
    }

    /// The run is to end, or to be cut off: workers are told until they have ended.
    async fn pass_stop(&mut self, stop: Stop) {
        if stop <= self.stop {
            return;
        }
        self.stop = stop;
        match stop {
            Stop::CutOff => self.fleet.cut_off((self.desk.now)()),
            _ => self.fleet.stopping(),
        }
        for worker in 0..self.run.workers.len() {
            self.order_stop(worker);
        }
    }

    /// The load is changed: workers are told until they know it.
    fn pass_changes(&mut self, results: &mut dyn Results) {
        let (changes, load_end_ns) = results.changes();
        if changes.is_empty() {
            return;
        }
        self.run.changes.extend(changes);
        self.run.load_end_ns = load_end_ns.or(self.run.load_end_ns);
        self.fleet.set_end(load_end_ns);
        self.unkept_run = true;
        for worker in 0..self.run.workers.len() {
            self.order_change(worker);
        }
    }

    fn act(&mut self, action: FleetAction, results: &mut dyn Results) {
        if let FleetAction::Give { to, .. } = &action {
            let first = to.from_ns / 1_000_000_000;
            let name = name_of(&self.run, to.worker);
            self.merger.begin(to.number, &name, first, 0);
            self.order_start(to);
        }
        let (message, is_error) = tell::action(&action, &self.run);
        results.event(self.run_ns(), &message, is_error);
        self.unkept_run = true;
    }

    /// Teardown, then the workers are free and nothing of the run stays on the server.
    async fn free(&self) {
        if self.run.tears_down && self.stop != Stop::CutOff {
            self.tear_down().await;
        }
        let heard = (0..self.run.workers.len()).any(|worker| !self.fleet.is_silent(worker));
        let wait = match heard {
            true => FINISH_WAIT,
            false => FINISH_UNHEARD_WAIT,
        };
        let finish = finish_all(self.desk, &self.run.run, &self.run.workers);
        // Workers free themselves in time.
        let _ = tokio::time::timeout(wait, finish).await;
    }

    fn finish(mut self, planned: &Planned) -> Conducted {
        if !self.any_end {
            let now_ns = self.run_ns();
            self.end.load_end_ns = now_ns;
            self.end.end_ns = now_ns;
            self.end.stopped = true;
        }
        self.run.missing = self.fleet.missing().to_vec();
        Conducted {
            end: self.end,
            losses: self.fleet.losses(planned),
            clocks: self.clocks,
            run: self.run,
        }
    }

    /// Teardown runs once, on the first worker that is there.
    async fn tear_down(&self) {
        let alive = (0..self.run.workers.len()).find(|worker| !self.fleet.is_silent(*worker));
        let Some(worker) = alive else {
            return;
        };
        let teardown = WorkerOrder::TearDown {
            run: self.run.run.clone(),
            values: self.run.values.get(worker).cloned(),
        };
        let subject = self.subject_of(worker);
        // It changes nothing of the result.
        let _ = order(self.desk, &subject, &teardown, TEAR_DOWN_WAIT).await;
    }
}

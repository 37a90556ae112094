//! What the controller knows of a run that goes on, and its orders to the workers.

use std::sync::Arc;

use plimsoll_text::Message;
use tokio::sync::mpsc;

use crate::controller::clocks::ClockFix;
use crate::controller::fleet::Fleet;
use crate::controller::prepare::{ORDER_WAIT, order, start};
use crate::controller::stored::{self, ClockSeen, StoredRun, Taken};
use crate::controller::tell::{add_end, name_of};
use crate::controller::{Desk, Note, Stop, refusal};
use crate::link::LinkJournal;
use crate::lost::Pulse;
use crate::merge::{LabelTable, Merged, Merger};
use crate::share::Assignment;
use crate::wire::control::worker_subject;
use crate::wire::report::ReportEnd;
use crate::wire::{Life, WorkerOrder, WorkerResponse};

/// What tasks beside the loop tell it.
pub(super) enum Aside {
    /// A share was not taken.
    NotTaken { assignment: u32, why: Message },
    /// The load is not changed, or not when it should be.
    NotChanged { why: Message },
    /// A clock was measured again.
    Clock { worker: usize, fix: ClockFix },
    /// A worker's connection is closed.
    Closed { worker: usize },
}

/// What it means if an order is refused.
#[derive(Debug, Clone, Copy)]
pub(super) enum RefusedWorker {
    /// It is given again.
    IsNothing,
    /// This assignment is not taken.
    Share(u32),
    /// The worker goes on with another load.
    Change,
}

/// When was asked last, on the controller's clock, and the connection that it was asked over.
#[derive(Debug, Default)]
pub(super) struct LastAsked {
    pub(super) clocks_ns: u64,
    pub(super) quiet_ns: u64,
    pub(super) connections: u64,
}

impl LastAsked {
    /// Asking begins at this moment.
    pub(super) fn at(now_ns: u64, connections: u64) -> Self {
        Self {
            clocks_ns: now_ns,
            quiet_ns: now_ns,
            connections,
        }
    }
}

/// A run over workers, as its controller sees it.
pub(super) struct Conductor<'a> {
    pub(super) desk: &'a Desk,
    pub(super) run: StoredRun,
    pub(super) journal: Arc<dyn LinkJournal>,
    pub(super) fleet: Fleet,
    pub(super) merger: Merger,
    pub(super) aside: mpsc::UnboundedSender<Aside>,
    pub(super) to_unix_ns: i64,
    /// A second that could not be kept yet, with its notes.
    pub(super) unkept: Option<(Merged, Vec<Note>)>,
    pub(super) again_ns: u64,
    pub(super) told_full: bool,
    /// The run's note has changed and is not kept.
    pub(super) unkept_run: bool,
    pub(super) end: ReportEnd,
    pub(super) any_end: bool,
    pub(super) stop: Stop,
    pub(super) asked: LastAsked,
    pub(super) clocks: Vec<ClockSeen>,
    /// So many of them are kept.
    pub(super) kept_clocks: usize,
    /// When it was last kept what workers have started.
    pub(super) pulses_ns: u64,
}

impl<'a> Conductor<'a> {
    pub(super) fn new(
        desk: &'a Desk,
        run: StoredRun,
        taken: Option<(Taken, LabelTable)>,
        journal: Arc<dyn LinkJournal>,
        aside: mpsc::UnboundedSender<Aside>,
        to_unix_ns: i64,
    ) -> Self {
        let now_ns = (desk.now)();
        let workers = run.workers.len();
        let fleet = Fleet::new(workers, run.zero_ns, now_ns, run.lease_ns, run.may_move)
            .with_end(run.load_end_ns);
        let (taken, labels) = taken.unwrap_or_default();
        let merger = Merger::new(labels, taken.told_before);
        let mut conductor = Self {
            desk,
            run,
            journal,
            fleet,
            merger,
            aside,
            to_unix_ns,
            unkept: None,
            again_ns: 0,
            told_full: false,
            unkept_run: true,
            end: ReportEnd::default(),
            any_end: false,
            stop: Stop::Running,
            asked: LastAsked::at(now_ns, desk.link.connections()),
            clocks: stored::clocks(&taken.notes),
            kept_clocks: 0,
            pulses_ns: now_ns,
        };
        conductor.kept_clocks = conductor.clocks.len();
        (0..workers).for_each(|worker| conductor.see_clock(worker));
        conductor.restore(&taken);
        conductor
    }

    /// Takes up all assignments of the run, as far as they have come.
    fn restore(&mut self, taken: &Taken) {
        self.fleet.restore_missing(&self.run.missing);
        for of in &self.run.assignments {
            self.fleet.assign(*of);
        }
        for of in &self.run.assignments {
            let first = of.from_ns / 1_000_000_000;
            let applied = taken.applied.get(&of.number);
            let (number, next) = applied.copied().unwrap_or((0, first));
            let note = taken.notes.get(&stored::end_key(of.number));
            match note.and_then(|note| serde_json::from_str::<ReportEnd>(note).ok()) {
                Some(ended) => {
                    self.fleet.ended(of.number, ended.end_ns, ended.released);
                    add_end(&mut self.end, &ended, self.any_end);
                    self.any_end = true;
                }
                None => {
                    let name = name_of(&self.run, of.worker);
                    self.merger.begin(of.number, &name, next.max(first), number);
                }
            }
        }
        let pulses = taken.notes.get(stored::PULSES);
        if let Some(pulses) = pulses.and_then(|json| serde_json::from_str(json).ok()) {
            let pulses: Vec<(u32, Pulse)> = pulses;
            self.fleet.restore_pulses(&pulses);
        }
    }

    pub(super) fn run_ns(&self) -> u64 {
        (self.desk.now)().saturating_sub(self.run.zero_ns)
    }

    pub(super) fn worker_at(&self, name: &str, instance: &str) -> Option<usize> {
        let is = |worker: &stored::StoredWorker| {
            worker.worker.name == name && worker.worker.instance == instance
        };
        self.run.workers.iter().position(is)
    }

    pub(super) fn subject_of(&self, worker: usize) -> String {
        let worker = self.run.workers.get(worker).map(|worker| &worker.worker);
        worker.map_or_else(String::new, |worker| {
            worker_subject(&worker.name, &worker.instance)
        })
    }

    pub(super) fn order_stop(&self, worker: usize) {
        let order = WorkerOrder::Stop {
            run: self.run.run.clone(),
            cut_off: self.stop == Stop::CutOff,
        };
        self.spawn_order(worker, order, RefusedWorker::IsNothing);
    }

    /// Tells a worker what the load was changed to.
    pub(super) fn order_change(&self, worker: usize) {
        let order = WorkerOrder::Change {
            run: self.run.run.clone(),
            changes: self.run.changes.clone(),
        };
        self.spawn_order(worker, order, RefusedWorker::Change);
    }

    /// Gives an order without waiting here; `refused`: what it means if it is. One that is lost on its way is given again when the worker is heard next.
    pub(super) fn spawn_order(&self, worker: usize, what: WorkerOrder, refused: RefusedWorker) {
        let (desk, aside) = (self.desk.clone(), self.aside.clone());
        let (subject, name) = (self.subject_of(worker), name_of(&self.run, worker));
        tokio::spawn(async move {
            let response = order(&desk, &subject, &what, ORDER_WAIT).await;
            let Ok(WorkerResponse::Refused { why }) = response else {
                return;
            };
            let what = match refused {
                RefusedWorker::IsNothing => return,
                RefusedWorker::Share(assignment) => Aside::NotTaken {
                    assignment,
                    why: refusal(&name, &why),
                },
                RefusedWorker::Change => Aside::NotChanged {
                    why: Message::new("event-fleet-not-changed")
                        .with("name", name)
                        .with("reason", Message::from(&why)),
                },
            };
            // The loop may have ended.
            let _ = aside.send(what);
        });
    }

    pub(super) fn order_start(&self, of: &Assignment) {
        let from_ns = (of.from_ns > 0).then_some(of.from_ns);
        let order = start(&self.run, of, from_ns);
        self.spawn_order(of.worker, order, RefusedWorker::Share(of.number));
    }

    /// Orders again what a worker does not know of.
    pub(super) fn order_unknown(&self, worker: usize, life: &Life) {
        let known = |number: u32| life.assignments.iter().any(|part| part.number == number);
        let own = self.fleet.of(worker);
        let all = self.fleet.assignments();
        all.filter(|of| own.contains(&of.number) && !known(of.number))
            .for_each(|of| self.order_start(of));
    }

    /// Keeps in mind how a worker's clock was measured last, unless that is known.
    pub(super) fn see_clock(&mut self, at: usize) {
        let Some(worker) = self.run.workers.get(at) else {
            return;
        };
        let seen = ClockSeen::of(at, worker.clock, self.run.zero_ns);
        let known = self.clocks.iter().rev().find(|seen| seen.worker == at);
        if known.is_none_or(|known| known.at_ns < seen.at_ns) {
            self.clocks.push(seen);
        }
    }
}

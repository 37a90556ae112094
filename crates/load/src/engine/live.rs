//! A scenario on one load thread, whose load may change while it goes on.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use plimsoll_text::Message;

use super::control::Stop;
use super::job::ScenarioRun;
use super::steer::{self, Steer};
use super::tasks::Tasks;
use crate::clock::Nanos;
use crate::schedule::Course;
use crate::user::ScenarioShare;

/// What a wait ended with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LiveWait {
    /// It is time.
    Due,
    /// The load was changed: what is due may be something else now.
    Changed,
    /// The run or the scenario ends first.
    Over,
}

/// A scenario on one load thread.
pub(super) struct Live {
    pub run: ScenarioRun,
    pub own: Rc<ScenarioShare>,
    course: RefCell<Course>,
    /// So many changes are taken in.
    taken: Cell<usize>,
}

impl Live {
    /// With what its load was changed to so far.
    pub fn new(tasks: &Tasks, run: &ScenarioRun) -> Rc<Self> {
        let live = Self {
            own: run.own_share(&tasks.thread.program),
            course: RefCell::new(run.course.clone()),
            taken: Cell::new(0),
            run: run.clone(),
        };
        live.catch_up(tasks);
        Rc::new(live)
    }

    /// When no new work begins.
    pub fn end_ns(&self) -> Nanos {
        self.own.end_ns.get()
    }

    /// The load over time, as far as it is taken in.
    pub fn course(&self) -> Course {
        self.course.borrow().clone()
    }

    /// Whether the load was changed.
    pub fn was_changed(&self) -> bool {
        self.taken.get() > 0
    }

    /// Whether there are changes that are not taken in.
    #[inline]
    pub fn is_behind(&self, steer: &Steer) -> bool {
        steer.count() != self.taken.get()
    }

    /// Takes in what is new.
    pub fn catch_up(&self, tasks: &Tasks) {
        let run = &self.run;
        for change in tasks.steer.changes_from(self.taken.get()) {
            self.taken.set(self.taken.get() + 1);
            let course = &mut *self.course.borrow_mut();
            // Who asked for it was told if it could not be.
            let _ = steer::apply(course, &run.program.name, run.start_ns, &change);
        }
        let end_ns = run.start_ns.saturating_add(self.course.borrow().end_ns());
        self.own.end_ns.set(end_ns);
        self.own.cut_ns.set(end_ns.saturating_add(run.grace_ns));
        let mut ends = tasks.ends_ns.borrow_mut();
        if ends.insert(run.index, end_ns) != Some(end_ns) {
            let last = ends.values().max().copied();
            let recorder = &tasks.thread.recorder;
            recorder.move_load_end(last.unwrap_or(Nanos::MAX));
        }
    }

    /// Waits for a start of a scenario, or for its end.
    pub async fn wait(&self, tasks: &Tasks, at_ns: Nanos) -> LiveWait {
        let thread = &tasks.thread;
        let runs =
            || thread.stopper.state() == Stop::Running && self.run.stopper.state() == Stop::Running;
        while runs() && !self.is_behind(&tasks.steer) {
            let end_ns = self.end_ns();
            if thread.clock.now_ns() >= at_ns.min(end_ns) {
                return match at_ns < end_ns {
                    true => LiveWait::Due,
                    false => LiveWait::Over,
                };
            }
            tokio::select! {
                () = thread.timers.sleep_until(at_ns.min(end_ns)) => {}
                () = thread.stopping.notified() => {}
            }
        }
        match runs() {
            true => LiveWait::Changed,
            false => LiveWait::Over,
        }
    }

    /// Tells that a change holds here later than it should.
    pub fn tell_late(&self, tasks: &Tasks) {
        let name = self.run.program.name.as_str();
        tasks.tell(
            Message::new("event-change-late").with("scenario", name),
            true,
        );
    }
}

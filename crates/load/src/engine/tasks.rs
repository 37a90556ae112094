//! The tasks of a load thread: what all of them need, and when the last has ended.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::PoisonError;
use std::sync::mpsc::Sender;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;
use plimsoll_text::Message;
use tokio::sync::Notify;

use super::control::Stop;
use super::event::Event;
use super::job::Values;
use super::steer::Steer;
use super::thread::Thread;
use crate::clock::Nanos;
use crate::user::{Flow, ScenarioShare, User, UserExtension};

/// What the tasks of a thread need beside the thread itself.
pub(super) struct Tasks {
    pub thread: Rc<Thread>,
    /// What runs the parts of the plan that the engine does not know.
    pub extension: Option<Rc<dyn UserExtension>>,
    pub events: Sender<Event>,
    pub number: usize,
    pub threads: usize,
    /// Nothing else runs on the thread.
    pub one_scenario: bool,
    pub values: Option<Values>,
    /// Changes the load.
    pub steer: Steer,
    /// When each scenario of the thread ends.
    pub ends_ns: RefCell<BTreeMap<u32, Nanos>>,
    /// Tasks that must end before the thread does.
    pub alive: Cell<usize>,
    pub all_done: Notify,
}

impl Tasks {
    /// Spawns a task that the thread waits for.
    pub fn spawn(self: &Rc<Self>, task: impl Future<Output = ()> + 'static) {
        self.alive.set(self.alive.get() + 1);
        let alive = Alive(Rc::clone(self));
        tokio::task::spawn_local(Counted { task, alive });
    }

    /// Tells what happened.
    pub fn tell(&self, message: Message, is_error: bool) {
        let at_ns = self.thread.clock.now_ns();
        // Nobody listens only when the run is over.
        let _ = self.events.send(Event {
            at_ns,
            message,
            is_error,
        });
    }

    /// Whether somebody wants the values of a setup user.
    pub fn wants_values(&self) -> bool {
        self.values.is_some()
    }

    /// Keeps the values of a setup user.
    pub fn keep_values(&self, values: Vec<Option<String>>) {
        if let Some(place) = &self.values {
            *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(values);
        }
    }

    /// Makes a user; none, which is told, when that fails.
    pub fn new_user(
        &self,
        own: &Rc<ScenarioShare>,
        number: u32,
        stop_ns: Rc<Cell<Nanos>>,
    ) -> Option<User> {
        match User::new(&self.thread, own, number, stop_ns, self.extension.as_ref()) {
            Ok(user) => Some(user),
            Err(error) => {
                let reason = (*error.message).clone();
                self.tell(
                    Message::new("event-user-failed").with("reason", reason),
                    true,
                );
                None
            }
        }
    }

    /// Counts users that come, or go.
    pub fn count_user(&self, own: &ScenarioShare, change: i32) {
        let add = |cell: &Cell<u32>| cell.set(cell.get().saturating_add_signed(change));
        add(&own.users);
        add(&self.thread.recorder.users);
    }

    /// Does what the end of a user means to others.
    pub fn follow(&self, own: &ScenarioShare, flow: Flow, by: Option<Message>) {
        let by = by.unwrap_or_else(|| Message::new("event-step-unnamed"));
        let told = |id: &'static str| {
            let name = own.program.name.as_str();
            Message::new(id).with("step", by).with("scenario", name)
        };
        match flow {
            Flow::Next | Flow::StopUser | Flow::CutOff | Flow::BranchDone => {}
            Flow::StopScenario => {
                if own.stopper.state() == Stop::Running {
                    self.tell(told("event-scenario-stopped-by-plan"), false);
                }
                own.stopper.stop();
            }
            Flow::StopRun => {
                // Others may have ended it already, for the same reason.
                if self.thread.stopper.state() == Stop::Running {
                    self.tell(told("event-stopped-by-plan"), false);
                }
                self.thread.stopper.stop();
            }
            Flow::StopRunNow => {
                if self.thread.stopper.state() != Stop::CutOff {
                    self.tell(told("event-stopped-by-plan"), false);
                }
                self.thread.stopper.cut_off_by_plan();
            }
        }
    }
}

pin_project! {
    /// A task that the thread waits for. An async block would hold the task twice: as what it was
    /// given, and as what it waits for.
    struct Counted<F> {
        #[pin]
        task: F,
        alive: Alive,
    }
}

impl<F: Future<Output = ()>> Future for Counted<F> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.project().task.poll(cx)
    }
}

/// Tells the end of a task, also of one that panics.
struct Alive(Rc<Tasks>);

impl Drop for Alive {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.tell(Message::new("event-user-lost"), true);
        }
        let alive = &self.0.alive;
        alive.set(alive.get() - 1);
        if alive.get() == 0 {
            self.0.all_done.notify_one();
        }
    }
}

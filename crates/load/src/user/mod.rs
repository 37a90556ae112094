//! A virtual user: a program counter, slots, registers and connections.

mod board;
mod choices;
mod data;
pub(crate) mod due;
mod flow;
mod hold;
mod last_look;
mod loops;
pub(crate) mod open;
pub(crate) mod step;
mod together;
pub mod tracing;
mod transaction;
mod waits;

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

use plimsoll_plan::program::{ElementId, PackageId, PauseTemplate, Pc, SharedId, Template};

use crate::auth::DigestAuth;
use crate::clock::Nanos;
use crate::condition::LastSample;
use crate::cookies::Cookies;
use crate::data::Rows;
use crate::engine::control::{Stop, Stopper};
use crate::engine::thread::Thread;
use crate::extension::{KeptForUser, NewTransaction, Ran, TransactionEnding, Waiting};
use crate::extract::ResponseView;
use crate::functions::{EvalContext, EvalError, ExtensionView, TextExtension, eval_text};
use crate::protocols::http::pool::IdleConnections;
use crate::protocols::http::response::Response;
use crate::random::Random;
use crate::timer::Watch;
use crate::variables::Variables;

pub use due::Due;
pub use open::Open;
pub use step::{Cut, Flow};

/// What the users of one scenario on one thread share.
pub struct ScenarioShare {
    /// Index among setup, scenarios and teardown, in this order.
    pub index: u32,
    /// Number among the scenarios of its wave (setup, load, teardown), from 1: JMeter's
    /// number of a thread group.
    pub group_number: u32,
    /// The most users there can be, over all threads and shares.
    pub most_users: u32,
    /// Which part of the program it is in.
    pub program: Rc<plimsoll_plan::program::ScenarioProgram>,
    /// Users of the scenario at work on this thread.
    pub users: Cell<u32>,
    /// When no new work begins: the planned end, which a change of the load may move.
    pub end_ns: Rc<Cell<Nanos>>,
    /// When requests in flight are cut off: that end plus the grace time.
    pub cut_ns: Cell<Nanos>,
    /// Cookies are forgotten after each iteration.
    pub clears_cookies: bool,
    /// Ends the scenario alone.
    pub stopper: Stopper,
    /// Iterations of all users together, as far as they are limited.
    pub budget: Option<std::sync::Arc<std::sync::atomic::AtomicU64>>,
}

/// What runs, for the users of one load thread, the parts of a plan that the engine does not know.
/// It works for one user at a time.
pub trait UserExtension: TextExtension + TransactionExtension {
    /// A user begins, before its variables have values: what is kept for it is made
    /// ([`User::kept`]).
    fn begin_user(self: Rc<Self>, user: &mut User);

    /// One of its iterations begins.
    fn begin_iteration(self: Rc<Self>, user: &mut User);

    /// An iteration is over, also one that was left: what it has left open ends.
    fn end_iteration(self: Rc<Self>, user: &mut User) -> Waiting<'_, ()>;

    /// Runs a package.
    fn package(self: Rc<Self>, user: &mut User, id: PackageId) -> Waiting<'_, Result<Ran, Cut>>;

    /// A branch of a user begins, the so many-th from 0: what is kept for it is made, or is from its
    /// last pass.
    fn begin_branch(self: Rc<Self>, user: &mut User, branch: &mut User, number: usize);

    /// A branch has ended: what it adds to what is kept for its user.
    fn end_branch(self: Rc<Self>, user: &mut User, branch: &mut User);

    /// Lets an element work because its scope is entered.
    fn pass(self: Rc<Self>, user: &mut User, id: ElementId) -> Waiting<'_, ()>;

    /// Asks for what a value waits for ([`EvalError::waiting`]); the operation is then tried again.
    fn ask(self: Rc<Self>, user: &mut User) -> Waiting<'_, ()>;
}

/// Transactions whose samples are an extension's.
pub trait TransactionExtension {
    /// One begins.
    fn begin_transaction(self: Rc<Self>, user: &mut User, new: NewTransaction);

    /// Some end, and are recorded as far as that ending has it.
    fn end_transactions(
        self: Rc<Self>,
        user: &mut User,
        ending: TransactionEnding,
    ) -> Waiting<'_, ()>;

    /// The flow changes within the innermost: whoever listens is told how far it came.
    fn transaction_so_far(self: Rc<Self>, user: &mut User) -> Waiting<'_, ()>;
}

/// A virtual user.
pub struct User {
    /// What the users of its thread share.
    pub thread: Rc<Thread>,
    /// What the users of its scenario on this thread share.
    pub scenario: Rc<ScenarioShare>,
    /// Number within the scenario, over all threads, from 0.
    pub number: u32,
    /// Its iteration, from 0.
    pub iteration: u64,
    /// Its variables.
    pub vars: Variables,
    /// Its randomness.
    pub random: Random,
    pub(crate) registers: Box<[u64]>,
    pub(crate) connections: IdleConnections,
    pub(crate) cookies: Cookies,
    pub(crate) digest: DigestAuth,
    /// What it keeps for protocols beside HTTP.
    pub(crate) protocols: crate::protocols::kept::ProtocolsKept,
    /// A response to be used again.
    pub spare: Option<Box<Response>>,
    /// Wakes it.
    pub watch: Watch,
    /// End of the last thing this user did.
    pub previous_end_ns: Nanos,
    /// When the next request is meant to start, if not at the end of the last.
    pub intended_ns: Option<Nanos>,
    /// When the arrival was due that it works on, until a request of it begins.
    pub(crate) unbegun_ns: Option<Nanos>,
    /// No new request from here on; a change of the load may move it.
    stop_ns: Rc<Cell<Nanos>>,
    /// What became of the last sample.
    pub last: LastSample,
    /// Its transactions that are open, the innermost last.
    pub transactions: Vec<Open>,
    pub(crate) locks: Vec<SharedId>,
    /// What runs the parts of the plan that the engine does not know, if it has any.
    pub(crate) extension: Option<Rc<dyn UserExtension>>,
    /// What that keeps for this user, once it has begun.
    pub kept: Option<Box<dyn KeptForUser>>,
    /// The rows of files that it named; none: of those that were read before the run.
    pub(crate) named_rows: HashMap<SharedId, Option<Rc<Rows>>>,
    /// It is one of the users that others wait for, and no branch of one.
    counts: bool,
    /// It is a branch of another user that is at work.
    branch_of: Option<Box<board::BranchOf>>,
    /// Its branches that have ended, by their places; they begin again in the next pass.
    branches: Vec<(Pc, Self)>,
    /// The operation at hand is tried again, with values that it waited for.
    pub(crate) retries: bool,
    /// What ended the scenario or the run, if this user did.
    pub(crate) ended_by: Option<plimsoll_text::Message>,
}

impl User {
    /// A user whose first values are set.
    ///
    /// # Errors
    /// When a variable of the plan has no value.
    pub fn new(
        thread: &Rc<Thread>,
        scenario: &Rc<ScenarioShare>,
        number: u32,
        stop_ns: Rc<Cell<Nanos>>,
        extension: Option<&Rc<dyn UserExtension>>,
    ) -> Result<Self, EvalError> {
        let mut user = Self::blank(thread, scenario, number, stop_ns, extension);
        user.counts = true;
        if let Some(extension) = extension {
            Rc::clone(extension).begin_user(&mut user);
        }
        user.set_first_values()?;
        Ok(user)
    }

    /// A user without values.
    fn blank(
        thread: &Rc<Thread>,
        scenario: &Rc<ScenarioShare>,
        number: u32,
        stop_ns: Rc<Cell<Nanos>>,
        extension: Option<&Rc<dyn UserExtension>>,
    ) -> Self {
        let stream = (u64::from(scenario.index) << 32) | u64::from(number);
        Self {
            thread: Rc::clone(thread),
            scenario: Rc::clone(scenario),
            number,
            iteration: 0,
            vars: Variables::new(Rc::clone(&thread.names)),
            random: Random::new(thread.user_seed, stream),
            registers: vec![0; usize::from(scenario.program.registers)].into(),
            connections: IdleConnections::default(),
            cookies: Cookies::default(),
            digest: DigestAuth::default(),
            protocols: crate::protocols::kept::ProtocolsKept::default(),
            spare: None,
            watch: Watch::new(&thread.timers),
            previous_end_ns: thread.clock.now_ns(),
            intended_ns: None,
            unbegun_ns: None,
            stop_ns,
            last: LastSample::default(),
            transactions: Vec::new(),
            locks: Vec::new(),
            extension: extension.map(Rc::clone),
            kept: None,
            named_rows: HashMap::new(),
            counts: false,
            branch_of: None,
            branches: Vec::new(),
            retries: false,
            ended_by: None,
        }
    }

    fn set_first_values(&mut self) -> Result<(), EvalError> {
        let thread = Rc::clone(&self.thread);
        self.evaluate(|ctx| thread.first_values.set(&thread.program, ctx))?;
        for (number, value) in (0..).zip(thread.initial.iter()) {
            if let Some(value) = value {
                self.vars
                    .set(plimsoll_plan::program::Slot(number), value.as_str());
            }
        }
        Ok(())
    }

    /// Runs something that looks at the user's variables.
    pub fn evaluate<T>(&mut self, run: impl FnOnce(&mut EvalContext<'_>) -> T) -> T {
        self.evaluate_on(None, run)
    }

    /// Runs something that looks at the user's variables and at a response.
    pub(crate) fn evaluate_on<T>(
        &mut self,
        response: Option<&ResponseView<'_>>,
        run: impl FnOnce(&mut EvalContext<'_>) -> T,
    ) -> T {
        let clock = self.thread.clock;
        let unix_ns = || clock.unix_ns(clock.now_ns());
        let mut ctx = EvalContext {
            vars: &mut self.vars,
            rng: &mut self.random,
            user: self.number,
            iteration: self.iteration,
            scenario: &self.scenario.program.name,
            shared: &*self.thread.shared,
            scripts: &self.thread.scripts,
            response,
            unix_ns: &unix_ns,
            extension: match (&mut self.kept, &self.extension) {
                (Some(kept), Some(extension)) => Some(ExtensionView {
                    kept: &mut **kept,
                    texts: &**extension,
                }),
                _ => None,
            },
        };
        run(&mut ctx)
    }

    /// A template's text.
    pub(crate) fn text(&mut self, template: &Template) -> Result<String, EvalError> {
        self.evaluate(|ctx| eval_text(template, ctx).map(std::borrow::Cow::into_owned))
    }

    /// A template's value as a number; what is none counts as 0.
    pub(crate) fn number(&mut self, template: &Template) -> Result<f64, EvalError> {
        Ok(self.text(template)?.trim().parse().unwrap_or(0.0))
    }

    /// Whether this user is to begin no new work at that time.
    #[inline]
    pub fn is_over(&self, at_ns: Nanos) -> bool {
        self.thread.stopper.state() != Stop::Running
            || self.scenario.stopper.state() != Stop::Running
            || at_ns >= self.stop_ns()
    }

    /// When it begins no new request any more, as far as is known now.
    #[inline]
    #[must_use]
    pub fn stop_ns(&self) -> Nanos {
        self.stop_ns.get()
    }

    /// Whether this user is to begin no new work now.
    pub fn stopping(&self) -> bool {
        self.is_over(self.thread.clock.now_ns())
    }

    /// Waits until then, or until the user is to stop.
    pub async fn wait_until(&mut self, at_ns: Nanos) {
        if at_ns <= self.thread.clock.now_ns() || self.stopping() {
            return;
        }
        self.meet();
        self.watch.set_interruptible(true);
        // An interruption may be for the users of another scenario, or a change of the load.
        while at_ns > self.thread.clock.now_ns() && !self.stopping() {
            self.watch.set(at_ns.min(self.stop_ns()));
            self.watch.expired().await;
        }
        self.watch.set_interruptible(false);
        self.watch.clear();
        self.meet();
    }

    /// Runs iterations one after the other until the user is to stop.
    pub async fn run_closed(&mut self, iterations: Option<u64>) -> Flow {
        let mut next_tick = self.thread.clock.now_ns();
        self.previous_end_ns = next_tick;
        while iterations.is_none_or(|most| self.iteration < most)
            && !self.is_over(self.previous_end_ns)
        {
            if !self.take_from_budget() {
                break;
            }
            let before_ns = self.previous_end_ns;
            let flow = self.iterate().await;
            if !matches!(flow, Flow::Next) {
                return flow;
            }
            if self.previous_end_ns == before_ns {
                // Nothing was sent: others must run, and the clock must be looked at.
                tokio::task::yield_now().await;
                self.previous_end_ns = self.thread.clock.now_ns();
            }
            if let Some(pace) = self.scenario.program.pace.clone() {
                // Ticks at which nothing might start are not made up for.
                let resumed_ns = self.thread.starts.resumed_ns();
                // What it thought at the end of the iteration was no waiting to be sent.
                let thought_ns = self.intended_ns.take().unwrap_or(0);
                self.previous_end_ns = self.previous_end_ns.max(thought_ns);
                next_tick = self.next_tick(&pace, next_tick).max(resumed_ns);
                self.wait_until(next_tick).await;
                // The tick that was meant, also when the iteration before took longer.
                self.intended_ns = Some(next_tick);
            }
        }
        Flow::Next
    }

    fn take_from_budget(&self) -> bool {
        use std::sync::atomic::Ordering;
        let Some(budget) = &self.scenario.budget else {
            return true;
        };
        budget
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(1)
            })
            .is_ok()
    }

    fn next_tick(&mut self, pace: &PauseTemplate, last: Nanos) -> Nanos {
        last + self.pause_ns(pace).unwrap_or(0)
    }

    /// Runs one iteration that was meant to start then.
    pub async fn run_arrival(&mut self, intended_ns: Nanos) -> Flow {
        self.intended_ns = Some(intended_ns);
        self.unbegun_ns = Some(intended_ns);
        // It was idle until then.
        self.previous_end_ns = intended_ns;
        self.iterate().await
    }

    async fn iterate(&mut self) -> Flow {
        if let Some(extension) = self.extension.clone() {
            extension.begin_iteration(self);
        }
        let flow = self.run_ops().await;
        if let Some(extension) = self.extension.clone() {
            extension.end_iteration(self).await;
        }
        if self.thread.tracer.is_some() {
            self.trace_log();
        }
        self.transactions.clear();
        for lock in std::mem::take(&mut self.locks) {
            self.thread.shared.release(lock);
        }
        self.iteration += 1;
        if !self.scenario.program.same_user_each_iteration {
            self.forget();
        } else if self.scenario.clears_cookies {
            self.cookies.clear();
        }
        flow
    }

    /// Forgets cookies and connections, as a new user would have none.
    fn forget(&mut self) {
        self.connections.clear();
        self.cookies.clear();
        self.branches.clear();
        self.digest = DigestAuth::default();
        self.protocols = crate::protocols::kept::ProtocolsKept::default();
    }

    /// The values of all variables, for the users that come after setup.
    #[must_use]
    pub fn values(&self) -> Vec<Option<String>> {
        let slots = 0..u32::try_from(self.thread.program.slots.len()).unwrap_or(0);
        slots
            .map(|slot| {
                self.vars
                    .get(plimsoll_plan::program::Slot(slot))
                    .map(|v| v.to_string())
            })
            .collect()
    }
}

impl Drop for User {
    fn drop(&mut self) {
        for lock in std::mem::take(&mut self.locks) {
            self.thread.shared.release(lock);
        }
        if self.counts {
            self.thread.expect_users(self.scenario.index, -1);
        }
    }
}

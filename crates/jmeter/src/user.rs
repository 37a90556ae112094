//! What elements keep for one user.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use plimsoll_elements::{Own, SampleResult, Shared, ThreadInfo};
use plimsoll_plan::model::Action;
use plimsoll_plan::program::{PackageId, Pc, SiteId};

use super::changed::Changed;
use super::http::HttpUser;
use super::memo::Memo;
use super::transaction::OpenTransaction;
use crate::element_user::ElementUser;
use plimsoll_load::clock::Nanos;
use plimsoll_load::extension::Kept;

/// What elements and functions of JMeter's keep for one user.
#[derive(Default)]
pub struct JMeterUser {
    /// Who it is; counts of users are those of its start.
    pub info: ThreadInfo,
    /// The thread group's name, for those on other threads.
    pub group: Arc<str>,
    /// The number of the scenario among setup, scenarios and teardown.
    pub scenario: u32,
    /// By site.
    pub own: HashMap<SiteId, Own>,
    /// The last result, when something in the plan looks at it.
    pub previous: Option<Arc<SampleResult>>,
    /// The label of the sampler at work.
    pub sampler_name: Option<Rc<str>>,
    /// The change of flow that was asked for.
    pub asked: Option<Action>,
    /// What HTTP samplers keep.
    pub http: HttpUser,
    /// What calls in texts that are made while the plan runs keep; forgotten after use.
    pub(crate) dynamic: Shared,
    /// What is known of calls that another process computes.
    pub(crate) memo: Memo,
    /// Transactions that have begun, one for each of the engine's own.
    pub(crate) transactions: Vec<OpenTransaction>,
    /// Transactions without steps that were there, by their place.
    pub(crate) empty_transactions: HashSet<u32>,
    /// The listeners of the package that ran last: those of transactions that are samples
    /// beside their requests (JMeter 5.6.3, `TransactionController.notifyListeners`).
    pub(crate) last_listeners: Option<Arc<[u32]>>,
    /// The package that runs, or ran last.
    pub(crate) package: Option<PackageId>,
    /// Its talk with the companion, once it asked it something.
    pub(crate) session: Option<plimsoll_companion::Session>,
    /// The sampler as a script left it, for this sample.
    pub(crate) changed_sampler: Option<Changed>,
    /// What native samplers beside the HTTP sampler keep.
    pub(crate) samplers: super::samplers::Kept,
    /// After how many milliseconds pre-processors want the next sampler interrupted.
    pub(crate) timeout_ms: Option<u64>,
    /// It waited for others until its time was over.
    pub(crate) waited_to_the_end: bool,
    /// The properties of the sampler at work, while a post-processor shows them.
    pub(crate) shown: Vec<(String, String)>,
    /// When the sampler at work is interrupted, if it can be; 0: never.
    interrupt_ns: Nanos,
    /// A package is at work: exceptions end it.
    pub(crate) at_work: bool,
    /// The exception that ends it.
    pub(crate) thrown: Option<String>,
    /// The variable that counts the passes of the thread group.
    pub(crate) index_name: Box<str>,
}

/// Variables that JMeter takes from its properties when a thread begins (5.6.3,
/// `JMeterVariables`).
const FROM_PROPERTIES: [&str; 4] = ["START.MS", "START.YMD", "START.HMS", "TESTSTART.MS"];

impl Kept for JMeterUser {
    fn begin_try(&mut self) {
        self.memo.begin();
    }

    fn end_try(&mut self) {
        self.memo.end();
    }

    fn in_transaction(&self) -> bool {
        !self.transactions.is_empty()
    }

    /// JMeter counts the next sampler once more for each, since the transaction asks itself again
    /// for it.
    fn child_ends(&mut self) {
        if let Some(open) = self.transactions.last_mut() {
            open.ended_steps += 1;
        }
    }

    /// JMeter leaves out controllers that were found to be empty.
    fn is_empty_again(&mut self, at: Pc) -> bool {
        !self.empty_transactions.insert(at)
    }

    fn step_name(&self) -> Option<&str> {
        self.sampler_name.as_deref()
    }
}

impl ElementUser<'_> {
    /// Makes what elements keep for this user, before its variables have values.
    pub(crate) fn begin_user(&mut self) {
        let thread = Rc::clone(&self.thread);
        let scenario = Rc::clone(&self.scenario);
        let name = scenario.program.name.as_str();
        let number = u64::from(self.number) + 1;
        let run = &thread.jmeter;
        let end_unix_ms =
            (self.stop_ns() < Nanos::MAX).then(|| thread.clock.unix_ns(self.stop_ns()) / 1_000_000);
        let user = self.jm();
        user.scenario = scenario.index;
        user.group = name.into();
        user.index_name = format!("__jm__{name}__idx").into();
        user.info = ThreadInfo {
            group: name.into(),
            name: format!("{name} {}-{number}", scenario.group_number).into(),
            number: u32::try_from(number - 1).unwrap_or(u32::MAX),
            group_size: scenario.most_users,
            end_unix_ms,
            plan_file: run.options.plan_file.as_str().into(),
            plan_folder: run.plan_folder.as_path().into(),
            share: thread.shared.share(),
            run_seed: thread.seed,
            renames_parts: !(thread.program.functional || run.keeps_part_names()),
            ..ThreadInfo::default()
        };
        for name in FROM_PROPERTIES {
            if let Some(value) = run.properties.get(name) {
                self.vars.set_by_name(name, value);
            }
        }
        for (name, value) in run.companion.get().iter().flat_map(|it| &it.variables) {
            self.vars.set_by_name(name, value.as_str());
        }
        self.set_last_ok(true);
    }

    /// A sampler begins: from now on counts when it is interrupted.
    pub(crate) fn begin_interruption(&mut self) {
        let now_ns = self.thread.clock.now_ns();
        let user = self.jm();
        user.interrupt_ns = match user.timeout_ms.take() {
            Some(ms) => now_ns.saturating_add(ms.saturating_mul(1_000_000)),
            None => 0,
        };
    }

    /// When the sampler at work is interrupted, if that is still to come.
    pub(crate) fn interrupt_ns(&mut self) -> Nanos {
        let at_ns = self.jm().interrupt_ns;
        match at_ns > self.thread.clock.now_ns() {
            true => at_ns,
            false => Nanos::MAX,
        }
    }

    /// An iteration of the thread group begins.
    pub(crate) fn begin_iteration(&mut self) {
        let iteration = self.iteration;
        let same_user = self.scenario.program.same_user_each_iteration;
        let thread = Rc::clone(&self.thread);
        let resets = same_user || thread.http.options(&thread.jmeter).resets_state;
        let user = self.jm();
        user.info.iteration = iteration + 1;
        user.http.iteration_begins(same_user, resets);
        let name = std::mem::take(&mut user.index_name);
        self.vars.set_by_name(&name, iteration.to_string());
        self.jm().index_name = name;
    }
}

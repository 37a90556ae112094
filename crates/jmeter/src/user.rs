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
use super::open_transaction::OpenTransaction;
use super::samplers::KeptBySamplers;
use plimsoll_load::clock::Nanos;
use plimsoll_load::kit::extension::KeptForUser;

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
    pub(crate) session: Option<plimsoll_companion::CompanionSession>,
    /// The sampler as a script left it, for this sample.
    pub(crate) changed_sampler: Option<Changed>,
    /// What native samplers beside the HTTP sampler keep.
    pub(crate) samplers: KeptBySamplers,
    /// After how many milliseconds pre-processors want the next sampler interrupted.
    pub(crate) timeout_ms: Option<u64>,
    /// It waited for others until its time was over.
    pub(crate) waited_to_the_end: bool,
    /// What works when a scope is entered asked for its end (a list that is passed).
    pub(crate) ended_by_pass: bool,
    /// The properties of the sampler at work, while a post-processor shows them.
    pub(crate) shown: Vec<(String, String)>,
    /// When the sampler at work is interrupted, if it can be; 0: never.
    pub(crate) interrupt_ns: Nanos,
    /// A package is at work: exceptions end it.
    pub(crate) at_work: bool,
    /// The exception that ends it.
    pub(crate) thrown: Option<String>,
    /// The variable that counts the passes of the thread group.
    pub(crate) index_name: Box<str>,
}

impl KeptForUser for JMeterUser {
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

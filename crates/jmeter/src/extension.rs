//! JMeter's elements as the engine asks for them: see [`plimsoll_load::kit::extension`].

use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use plimsoll_access::Access;
use plimsoll_plan::model::Undefined;
use plimsoll_plan::program::{Call, ElementId, PackageId, Program};
use plimsoll_text::Message;

use super::bound::has_elements;
use super::branch::{begin_branch, end_branch};
use super::context::ElementContext;
use super::element_user::ElementUser;
use super::needs::Needs;
use super::options::JMeterOptions;
use super::run::JMeterRun;
use super::thread::ElementThread;
use super::user::JMeterUser;
use plimsoll_load::engine::Event;
use plimsoll_load::engine::thread::Thread;
use plimsoll_load::kit::extension::{
    Extension, ExtensionRun, KeptForUser, NewTransaction, Ran, RunBeginning, TransactionEnding,
    TransactionExtension, UserCounts, UserExtension, Waiting,
};
use plimsoll_load::kit::extract::BindError;
use plimsoll_load::kit::functions::{EvalContext, EvalError, TextExtension};
use plimsoll_load::kit::user::{Cut, User};

impl Extension for JMeterOptions {
    fn bind(
        &self,
        program: &Program,
        access: &Access,
    ) -> Result<Option<Arc<dyn ExtensionRun>>, Vec<BindError>> {
        // Transactions of such plans are JMeter's too.
        if !has_elements(program) && program.undefined != Undefined::KeepLiteral {
            return Ok(None);
        }
        let run = JMeterRun::new(program, self, access)?;
        Ok(Some(run))
    }
}

impl UserCounts for JMeterRun {
    fn count_users(&self, scenario: u32, change: i32) {
        Self::count_users(self, scenario, change);
    }

    fn expect_users(&self, scenario: u32, change: i64) {
        Self::expect_users(self, scenario, change);
    }

    fn due_from(&self, unix_ms: u64) {
        Self::due_from(self, unix_ms);
    }
}

impl TextExtension for JMeterRun {
    fn call(&self, call: &Call, ctx: &mut EvalContext<'_>) -> Result<String, EvalError> {
        super::context::call(call, &mut ElementContext::new(ctx, self))
    }

    fn ask_now(&self, ctx: &mut EvalContext<'_>) -> bool {
        Self::ask_now(self, ctx)
    }

    fn setting(&self, name: &str) -> Option<String> {
        self.properties.get(name)
    }
}

impl ExtensionRun for JMeterRun {
    fn start(&self, program: &Program) -> Result<(), Vec<BindError>> {
        self.start_companion(program)
    }

    fn kept_by_nobody(&self) -> Box<dyn KeptForUser> {
        let mut kept = JMeterUser::default();
        // To functions the start of a test is a thread's with the number 1.
        kept.info.name = "1-1".into();
        Box::new(kept)
    }

    fn prepare(&self, program: &Program, ctx: &mut EvalContext<'_>) -> Result<(), Vec<BindError>> {
        Self::prepare(self, program, ctx)
    }

    fn check(&self, program: &Program) -> Result<(), Vec<BindError>> {
        self.bind_packages(program, &[], Needs::default())
    }

    fn begin(&self, program: &Program, with: &RunBeginning<'_>) -> Result<(), Vec<BindError>> {
        let least = match with.traced {
            true => Needs::ALL,
            false => Needs::default(),
        };
        if with.is_first {
            self.start_table_server()?;
        }
        self.begin_companion(program, with.once)?;
        self.start_listeners(program, with.hosts, least)
    }

    fn warnings(&self) -> Vec<Message> {
        Self::warnings(self).cloned().collect()
    }

    fn starts_at(&self, unix_ms: u64) {
        Self::starts_at(self, unix_ms);
    }

    fn log_to(&self, events: Option<Sender<Event>>) {
        Self::log_to(self, events);
    }

    fn pass_on_log(&self) {
        Self::pass_on_log(self);
    }

    fn of_thread(self: Arc<Self>, thread: &Rc<Thread>) -> Rc<dyn UserExtension> {
        Rc::new(ElementThread::new(self, thread))
    }

    fn end(&self) -> Vec<Message> {
        Self::end(self)
    }
}

impl TextExtension for ElementThread {
    fn call(&self, call: &Call, ctx: &mut EvalContext<'_>) -> Result<String, EvalError> {
        TextExtension::call(&*self.jmeter, call, ctx)
    }

    fn ask_now(&self, ctx: &mut EvalContext<'_>) -> bool {
        self.jmeter.ask_now(ctx)
    }

    fn setting(&self, name: &str) -> Option<String> {
        self.jmeter.setting(name)
    }
}

impl UserExtension for ElementThread {
    fn begin_user(self: Rc<Self>, user: &mut User) {
        ElementUser::new(self, user).begin_user();
    }

    fn begin_iteration(self: Rc<Self>, user: &mut User) {
        ElementUser::new(self, user).begin_iteration();
    }

    fn end_iteration(self: Rc<Self>, user: &mut User) -> Waiting<'_, ()> {
        Box::pin(async move { ElementUser::new(self, user).end_open_transactions().await })
    }

    fn package(self: Rc<Self>, user: &mut User, id: PackageId) -> Waiting<'_, Result<Ran, Cut>> {
        Box::pin(async move { ElementUser::new(self, user).package(id).await })
    }

    fn begin_branch(self: Rc<Self>, user: &mut User, branch: &mut User, number: usize) {
        begin_branch(self, user, branch, number);
    }

    fn end_branch(self: Rc<Self>, user: &mut User, branch: &mut User) {
        end_branch(self, user, branch);
    }

    fn pass(self: Rc<Self>, user: &mut User, id: ElementId) -> Waiting<'_, ()> {
        Box::pin(async move { ElementUser::new(self, user).run_pass(id).await })
    }

    fn ask(self: Rc<Self>, user: &mut User) -> Waiting<'_, ()> {
        Box::pin(async move { ElementUser::new(self, user).ask_companion().await })
    }
}

impl TransactionExtension for ElementThread {
    fn begin_transaction(self: Rc<Self>, user: &mut User, new: NewTransaction) {
        ElementUser::new(self, user).begin_element_transaction(new);
    }

    fn end_transactions(
        self: Rc<Self>,
        user: &mut User,
        ending: TransactionEnding,
    ) -> Waiting<'_, ()> {
        Box::pin(async move {
            let mut user = ElementUser::new(self, user);
            user.end_element_transactions(ending).await;
        })
    }

    fn transaction_so_far(self: Rc<Self>, user: &mut User) -> Waiting<'_, ()> {
        Box::pin(async move { ElementUser::new(self, user).tell_transaction_so_far().await })
    }
}

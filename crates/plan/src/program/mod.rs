//! The program: a plan compiled once, ready to be run.
//!
//! A user of a program is a program counter, its slots (variables) and its registers (loop
//! counts). There is no tree to walk and no name to look up: controllers are jumps, variables
//! are numbers, scoping is resolved into each request.

mod element;
mod exchange;
mod http;
mod ops;
mod origin;
mod print;
mod template;

pub use element::*;
pub use exchange::*;
pub use http::*;
pub use ops::*;
pub use template::*;

use std::sync::Arc;
use std::time::Duration;

use plimsoll_stats::{LabelId, LabelKind};

use crate::model::{CsvData, GoalSpec, Guard, Load, Order, Undefined};

/// Index into [`Program::slots`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub u32);

/// Index of a user's register: a `u64` that starts at 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Register(pub u16);

/// Index into [`Program::shared`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SharedId(pub u32);

/// Index into [`Program::scripts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ScriptId(pub u32);

/// Index into [`Program::requests`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RequestId(pub u32);

/// Index into a scenario's operations.
pub type Pc = u32;

/// A compiled plan.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// The plan's name.
    pub name: String,
    /// Variables.
    pub slots: Vec<SlotDef>,
    /// Labels known before the run. Labels made of variables are added while it runs.
    pub labels: Vec<LabelDef>,
    /// Requests.
    pub requests: Vec<Arc<Request>>,
    /// Connection settings, shared by the requests that have the same.
    pub profiles: Vec<Profile>,
    /// Scripts.
    pub scripts: Vec<ScriptDef>,
    /// Elements, each once, however many packages it is in.
    pub elements: Vec<Arc<ElementProgram>>,
    /// What works on each sampler that is an element.
    pub packages: Vec<Arc<Package>>,
    /// How many sites there are.
    pub sites: u32,
    /// What crosses users.
    pub shared: Vec<SharedDef>,
    /// Steps run once before the load.
    pub setup: Vec<ScenarioProgram>,
    /// The load.
    pub scenarios: Vec<ScenarioProgram>,
    /// Steps run once after the load.
    pub teardown: Vec<ScenarioProgram>,
    /// Whether scenarios run together or one after the other.
    pub order: Order,
    /// Hosts that may be loaded: `host` (any port) or `host:port`, lower case.
    pub allowed_hosts: Vec<String>,
    /// Addresses or hosts whose hosts may be loaded too, known when the run starts: texts of
    /// variables and properties only.
    pub host_templates: Vec<Template>,
    /// Setup and teardown are loads whose samples are recorded, as JMeter's are.
    pub recorded_setup: bool,
    /// Teardown is left out when the run was stopped.
    pub skip_teardown_when_stopped: bool,
    /// Everything that listeners may save is kept (JMeter's functional test mode).
    pub functional: bool,
    /// What must hold for the run to pass.
    pub goals: Vec<GoalSpec>,
    /// What ends a run early.
    pub guards: Vec<Guard>,
    /// Seed of all randomness.
    pub seed: Option<u64>,
    /// The first part of the run that is kept out of the result.
    pub warm_up: Duration,
    /// What `${name}` means while the variable is not set: a failure, or the text as written.
    pub undefined: Undefined,
    /// The folder that relative file names start from.
    pub folder: std::path::PathBuf,
    /// What the compiler wants said although the plan can run.
    pub warnings: Vec<crate::Problem>,
}

impl Program {
    /// The scenarios whose users are the load: with those of setup and teardown where these are
    /// loads themselves.
    pub fn loads(&self) -> impl Iterator<Item = &ScenarioProgram> {
        let waves = [&self.setup, &self.scenarios, &self.teardown];
        let is_load = [self.recorded_setup, true, self.recorded_setup];
        let loads = waves
            .into_iter()
            .zip(is_load)
            .filter(|(_, is_load)| *is_load);
        loads.flat_map(|(wave, _)| wave)
    }

    /// The most users that one of the scenarios of the load has at once.
    #[must_use]
    pub fn most_users(&self) -> u64 {
        let users = self.loads().map(|scenario| scenario.load.most_users());
        users.max().unwrap_or(0)
    }
}

/// A variable.
#[derive(Debug, Clone, Default)]
pub struct SlotDef {
    /// Its name.
    pub name: String,
    /// Its value when a user is made, evaluated in slot order; none: not set.
    pub initial: Option<Template>,
    /// Never shown.
    pub secret: bool,
    /// `initial` is evaluated once before the run and is the same for all users.
    pub once_per_run: bool,
    /// Nothing in the plan sets it after the start: its value was put into the templates.
    /// A script that sets it changes nothing, and should be told so.
    pub constant: bool,
    /// The operations keep a value of their own in it; nobody else finds it by its name.
    pub internal: bool,
}

/// A label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelDef {
    /// Its name.
    pub name: String,
    /// What its samples are.
    pub kind: LabelKind,
    /// Its id: its index.
    pub id: LabelId,
}

/// A script.
#[derive(Debug, Clone)]
pub struct ScriptDef {
    /// JavaScript.
    pub source: String,
    /// Whether its value is used (an expression) or it stands for itself (statements).
    pub expression: bool,
    /// Where it begins in the plan.
    pub at: crate::model::Span,
}

/// A scenario.
#[derive(Debug, Clone)]
pub struct ScenarioProgram {
    /// Its name.
    pub name: String,
    /// How many users or arrivals, when.
    pub load: Load,
    /// Time to its start.
    pub start_delay: Duration,
    /// Time after which no new iteration starts.
    pub end_after: Option<Duration>,
    /// Time requests in flight get at the end.
    pub grace: Duration,
    /// Pacing of iterations.
    pub pace: Option<PauseTemplate>,
    /// Whether cookies and connections last over iterations.
    pub same_user_each_iteration: bool,
    /// Thread groups of its kind before it that are left out.
    pub left_out_before: u32,
    /// What JMeter starts its threads with gives them its name.
    pub named_by_starter: bool,
    /// Its operations; one iteration goes from 0 to [`Op::End`].
    pub ops: Vec<Op>,
    /// Registers a user needs.
    pub registers: u16,
    /// What a failed sample does, for showing: operations after each request do it.
    pub on_error: crate::model::OnError,
}

/// Something that crosses users and cores.
#[derive(Debug, Clone)]
pub enum SharedDef {
    /// A counter.
    Counter {
        /// First value.
        start: i64,
        /// Step.
        step: i64,
        /// After this value it starts again.
        end: Option<i64>,
    },
    /// A cursor over the rows of a file.
    Rows {
        /// The file.
        data: CsvData,
        /// The path, a template over plan-level variables only.
        path: Template,
        /// The cursor that it goes on with, where another set of data goes over the same file.
        cursor: Option<SharedId>,
    },
    /// A rendezvous.
    Rendezvous {
        /// Its name.
        name: String,
        /// Users to wait for; 0: all of the scenario.
        users: u32,
        /// Longest wait.
        timeout: Option<Duration>,
    },
    /// A lock.
    Lock {
        /// Its name.
        name: String,
    },
    /// A pass counter from which shares and turns are computed.
    Passes,
    /// A throughput over all users.
    Throughput,
}

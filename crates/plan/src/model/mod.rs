//! The plan model: what to do, as a person wrote it.
//!
//! One model for every way to write a plan. Our YAML desugars to it, importers translate
//! into it, and [`crate::compile`] turns it into a [`crate::Program`]. It can say all that a
//! JMeter plan says (docs/design/plan-model.md has the table): a tree of [`Step`]s in which
//! every block carries a [`Scope`] that holds for all requests below it.

pub mod defaults;
mod element;
mod exchange;
mod flow;
mod hop;
mod http;
mod load;
mod make;
mod observe;
mod scope;

pub use element::*;
pub use exchange::*;
pub use flow::*;
pub use hop::*;
pub use http::*;
pub use load::*;
pub use observe::*;
pub use scope::*;

/// A place in a plan's source, 1-based; line 0 means "not from a file" (an option, a default).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Span {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// Text that may hold `${…}`, not yet resolved.
#[derive(Debug, Clone, PartialEq, Eq, Default, Hash)]
pub struct Text {
    /// As written.
    pub raw: String,
    /// Where it was written.
    pub at: Span,
}

impl Text {
    /// Text that comes from no file.
    #[must_use]
    pub fn of(raw: impl Into<String>) -> Self {
        Self {
            raw: raw.into(),
            at: Span::default(),
        }
    }
}

/// What `${name}` means when no such variable is defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Undefined {
    /// An error when the plan is checked (our plans).
    #[default]
    Reject,
    /// The text stays as it is written (JMeter plans).
    KeepLiteral,
}

/// A whole plan.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// Name shown in reports.
    pub name: String,
    /// Free text about the plan.
    pub comment: String,
    /// The rule for undefined variables.
    pub undefined: Undefined,
    /// Variables known before any step runs, in order; a later one may use an earlier one.
    pub variables: Vec<Variable>,
    /// What holds for all scenarios: HTTP defaults, headers, data, checks …
    pub scope: Scope,
    /// Steps run once by one user before any scenario starts.
    pub setup: Vec<Scenario>,
    /// The load.
    pub scenarios: Vec<Scenario>,
    /// Steps run once by one user after all scenarios ended.
    pub teardown: Vec<Scenario>,
    /// A run that was stopped leaves `teardown` out (JMeter's, unless it says otherwise).
    pub skip_teardown_when_stopped: bool,
    /// Everything that listeners may save is kept (JMeter's functional test mode).
    pub functional: bool,
    /// Whether scenarios run together or one after the other.
    pub order: Order,
    /// Hosts that may be loaded beside those of the requests' fixed addresses.
    pub hosts: Vec<String>,
    /// What must hold for the run to pass.
    pub goals: Vec<GoalSpec>,
    /// What ends a run early.
    pub guards: Vec<Guard>,
    /// What is watched while the load runs.
    pub watch: Vec<WatchSource>,
    /// The hops that a request goes through, the outermost first: each is loaded alone after
    /// the run.
    pub hops: Vec<ChainHop>,
    /// Who hears the run while it goes on.
    pub outputs: Vec<OutputTarget>,
    /// Seed of all randomness; a run picks and records one if there is none.
    pub seed: Option<u64>,
    /// The first part of the run that is kept out of the result.
    pub warm_up: std::time::Duration,
}

impl Plan {
    /// Makes of scenarios that share a load one scenario each, one after the other: for whoever
    /// wants to see each of them once and not their mix.
    pub fn take_mixes_apart(&mut self) {
        let mut apart = Vec::with_capacity(self.scenarios.len());
        for scenario in std::mem::take(&mut self.scenarios) {
            let Some(branches) = scenario.mixed() else {
                apart.push(scenario);
                continue;
            };
            self.order = Order::InOrder;
            let used = branches.iter().filter(|branch| branch.weight > 0);
            apart.extend(used.map(|branch| {
                let mut one = scenario.clone();
                // What holds for all of them stays around each.
                one.body.steps = vec![Step::new(StepKind::Block(branch.body.clone()), scenario.at)];
                one
            }));
        }
        self.scenarios = apart;
    }
}

/// A variable of the plan.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Variable {
    /// Its name, as in `${name}`.
    pub name: String,
    /// Its value; may use variables defined before it.
    pub value: Text,
    /// Environment variable that overrides the value.
    pub env: Option<String>,
    /// Never shown: not in reports, logs, stores.
    pub secret: bool,
    /// Evaluated once before the run, the same for all users (JMeter's User Defined
    /// Variables); otherwise when a user is made or the scope is entered.
    pub once_per_run: bool,
    /// Where it is defined.
    pub at: Span,
}

impl Variable {
    /// Variables without those that a later one of the same name replaces.
    pub(crate) fn last_of_each_name(all: &[Self]) -> Vec<&Self> {
        let mut names = std::collections::HashSet::new();
        let mut last: Vec<&Self> = all.iter().rev().filter(|v| names.insert(&v.name)).collect();
        last.reverse();
        last
    }
}

/// How several scenarios share the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// All start together.
    #[default]
    Together,
    /// Each starts when the one before it has ended.
    InOrder,
}

/// One kind of user, with its load and its steps (a JMeter thread group).
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// How many users or arrivals, when.
    pub load: Load,
    /// Time from the start of the run (or of its turn) to the scenario's start.
    pub start_delay: std::time::Duration,
    /// Time after which no new iteration starts, from the scenario's start.
    pub end_after: Option<std::time::Duration>,
    /// Time requests in flight get to finish when the end comes.
    pub grace: std::time::Duration,
    /// Shortest time between the starts of two iterations of one user.
    pub pace: Option<Pause>,
    /// What a failed sample does to its user.
    pub on_error: OnError,
    /// Whether cookies, cache and connections last over iterations.
    pub same_user_each_iteration: bool,
    /// Thread groups of its kind before it that run nothing and are left out: JMeter numbers
    /// them as well.
    pub left_out_before: u32,
    /// What JMeter starts its threads with gives them its name: that of a plugin's groups.
    pub named_by_starter: bool,
    /// The steps and what holds for them.
    pub body: Block,
    /// Where it is defined.
    pub at: Span,
}

impl Scenario {
    /// The scenarios that share its load by weight, if it stands for several.
    fn mixed(&self) -> Option<&[Branch]> {
        let [step] = self.body.steps.as_slice() else {
            return None;
        };
        match &step.kind {
            StepKind::Choose {
                by: Choice::MixOfUsers | Choice::MixOfIterations,
                branches,
            } => Some(branches),
            _ => None,
        }
    }
}

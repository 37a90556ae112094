//! Steps and blocks of steps.

use super::{
    Check, Element, HttpRequest, Pause, Processor, Rendezvous, Scope, Script, SharedBy, Span, Text,
    Variable,
};

/// Steps in order, with what holds for all of them and below.
#[derive(Debug, Clone, Default)]
pub struct Block {
    /// What holds here.
    pub scope: Scope,
    /// The steps.
    pub steps: Vec<Step>,
}

/// A sampler that is not HTTP: what holds for requests holds for it too.
#[derive(Debug, Clone, Default)]
pub struct Sampler {
    /// Its label.
    pub label: Text,
    /// What it does.
    pub kind: SamplerKind,
    /// Run before it, after those of the scope.
    pub before: Vec<Processor>,
    /// Run after it, after those of the scope.
    pub after: Vec<Processor>,
    /// Checks of it.
    pub checks: Vec<Check>,
    /// Where it is written.
    pub at: Span,
}

/// What a sampler does.
#[derive(Debug, Clone)]
pub enum SamplerKind {
    /// Waits and changes the flow, without a sample of its own (JMeter's Flow Control
    /// Action); the scope's processors and pauses hold for it.
    Flow {
        /// Milliseconds to wait.
        pause_ms: Option<Text>,
        /// Change of flow.
        action: Option<Action>,
    },
    /// A script is the sample.
    Script(Script),
    /// An element.
    Element(Element),
}

/// A step.
#[derive(Debug, Clone)]
pub struct Step {
    /// What it does.
    pub kind: StepKind,
    /// Not run when false, but kept.
    pub enabled: bool,
    /// Where it is written.
    pub at: Span,
}

/// The kinds of steps.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant)] // A plan has few steps; boxing would only burden who builds them.
pub enum StepKind {
    /// An HTTP request.
    Http(Box<HttpRequest>),
    /// Plain grouping with a scope.
    Block(Block),
    /// Steps timed as one sample.
    Transaction {
        /// Its label.
        label: Text,
        /// Whether think time inside counts.
        include_pauses: bool,
        /// Only the transaction is a sample, its requests become sub-samples of it.
        as_parent: bool,
        /// The steps.
        body: Block,
    },
    /// Runs when the condition holds.
    If {
        /// The condition.
        condition: Condition,
        /// Steps when it holds.
        then: Block,
        /// Steps when it does not.
        otherwise: Block,
    },
    /// Repeats while the condition holds.
    While {
        /// Checked before each pass.
        condition: Condition,
        /// Most passes.
        limit: Option<u64>,
        /// Variable that gets the pass's number, from 0.
        index: Option<String>,
        /// The steps.
        body: Block,
    },
    /// Repeats a number of times.
    Repeat {
        /// How often; empty: for ever.
        times: Option<Text>,
        /// Variable that gets the pass's number, from 0.
        index: Option<String>,
        /// The steps.
        body: Block,
    },
    /// Once for each item.
    ForEach {
        /// The items.
        items: Items,
        /// Variable that gets the item.
        variable: String,
        /// Variable that gets the pass's number, from 0.
        index: Option<String>,
        /// The steps.
        body: Block,
    },
    /// Once in each user's life.
    OnceOnly(Block),
    /// In the first pass of the innermost loop, each time that loop begins; without a loop,
    /// once in each user's life (JMeter's Once Only Controller).
    FirstPass(Block),
    /// In the first so many passes.
    FirstTimes {
        /// How many.
        times: Text,
        /// Whose passes are counted.
        shared_by: SharedBy,
        /// The steps.
        body: Block,
    },
    /// A sampler that is not HTTP.
    Sample(Box<Sampler>),
    /// In a share of the passes.
    Percent {
        /// The share, 0 to 100.
        percent: Text,
        /// How the share is kept.
        shared_by: SharedBy,
        /// The steps.
        body: Block,
    },
    /// For at most so long.
    Runtime {
        /// Seconds.
        seconds: Text,
        /// The steps.
        body: Block,
    },
    /// One of the branches.
    Choose {
        /// How it is chosen.
        by: Choice,
        /// The branches.
        branches: Vec<Branch>,
    },
    /// All branches in random order.
    RandomOrder(Block),
    /// All steps at once, each a branch of its own that the user is in.
    Parallel {
        /// Most branches at a time; none: all.
        most: Option<u64>,
        /// The branches.
        body: Block,
    },
    /// Only one user at a time.
    Critical {
        /// The lock's name.
        lock: Text,
        /// The steps.
        body: Block,
    },
    /// Wait.
    Think(Pause),
    /// Wait for others.
    Rendezvous(Rendezvous),
    /// Set variables.
    Set(Vec<Variable>),
    /// Run a script.
    Script(Script),
    /// Change the flow.
    Action(Action),
}

impl StepKind {
    /// The blocks of steps that it holds.
    #[must_use]
    pub fn blocks(&self) -> Vec<&Block> {
        match self {
            Self::Block(body)
            | Self::Transaction { body, .. }
            | Self::While { body, .. }
            | Self::Repeat { body, .. }
            | Self::ForEach { body, .. }
            | Self::OnceOnly(body)
            | Self::FirstPass(body)
            | Self::FirstTimes { body, .. }
            | Self::Percent { body, .. }
            | Self::Runtime { body, .. }
            | Self::RandomOrder(body)
            | Self::Parallel { body, .. }
            | Self::Critical { body, .. } => vec![body],
            Self::If {
                then, otherwise, ..
            } => vec![then, otherwise],
            Self::Choose { branches, .. } => branches.iter().map(|it| &it.body).collect(),
            Self::Http(_)
            | Self::Sample(_)
            | Self::Think(_)
            | Self::Rendezvous(_)
            | Self::Set(_)
            | Self::Script(_)
            | Self::Action(_) => Vec::new(),
        }
    }
}

/// A branch of a choice.
#[derive(Debug, Clone, Default)]
pub struct Branch {
    /// Its weight among its siblings.
    pub weight: u32,
    /// The value that selects it in a switch.
    pub value: Option<Text>,
    /// Its steps.
    pub body: Block,
}

/// How a branch is chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// At random by weight, anew each time.
    Random,
    /// By weight over users: each user keeps its branch; exact over all users.
    MixOfUsers,
    /// By weight over iterations or arrivals; exact over all of them.
    MixOfIterations,
    /// In turn, a user's own turn or all users' (JMeter's Interleave).
    InTurn {
        /// Whose turn it is.
        shared_by: SharedBy,
    },
    /// In turn, but only one request of the branch at a time: the branch goes on from there
    /// when its turn comes again (JMeter's "ignore sub-controller blocks").
    InTurnByRequest {
        /// Whose turn it is.
        shared_by: SharedBy,
    },
    /// At random, one request of the branch at a time.
    RandomByRequest,
    /// Each user in its own turn, users beginning at different branches by their number
    /// (JMeter's "interleave across threads").
    InTurnFromUser,
    /// The same, one request of the branch at a time.
    InTurnByRequestFromUser,
    /// Each user in its own turns, by weight: the branch that is farthest behind comes next
    /// (the plugins' Weighted Switch Controller).
    InTurnByWeight,
    /// By value or position (JMeter's Switch).
    Switch(Text),
}

/// What a loop goes over.
#[derive(Debug, Clone)]
pub enum Items {
    /// Values written in the plan.
    List(Vec<Text>),
    /// The values of `NAME_1`, `NAME_2` … as saved by an extraction of all matches.
    Matches {
        /// The prefix; in imported plans it may hold variables.
        prefix: Text,
        /// Whether an underscore precedes the number.
        separator: bool,
        /// First number, exclusive (JMeter's start index); 0 without one. With JMeter it is
        /// what it is where the pass of the steps around the loop begins.
        after: Option<Text>,
        /// Last number, inclusive. It is looked at in each pass.
        until: Option<Text>,
    },
    /// The elements of a JSON array in a variable.
    Json(Text),
}

/// When a branch is taken.
#[derive(Debug, Clone)]
pub enum Condition {
    /// A script's value is truthy.
    Script(Script),
    /// The text is `true` after variables are put in (JMeter's default).
    IsTrue(Text),
    /// The text is `false` after variables are put in (the end of JMeter's While).
    IsFalse(Text),
    /// Two texts compared; numbers when both are.
    Compare {
        /// Left side.
        left: Text,
        /// How.
        op: Comparison,
        /// Right side.
        right: Text,
    },
    /// A variable has a value.
    Defined(String),
    /// The last sample succeeded.
    LastOk,
    /// The opposite.
    Not(Box<Condition>),
}

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// contains the text
    Contains,
    /// matches the regular expression
    Matches,
}

/// A change of flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Next pass of the innermost loop.
    Continue,
    /// Leave the innermost loop.
    Break,
    /// Next iteration of the scenario.
    NextIteration,
    /// This user ends.
    StopUser,
    /// The scenario ends; requests in flight finish.
    StopScenario,
    /// The run ends; requests in flight finish.
    StopRun,
    /// The run ends; requests in flight are cut off.
    StopRunNow,
}

/// What a failed sample does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnError {
    /// Nothing.
    #[default]
    GoOn,
    /// The flow changes.
    Act(Action),
}

//! The operations of a scenario.

use plimsoll_stats::LabelId;

use super::{ElementId, PackageId, Pc, Register, RequestId, ScriptId, SharedId, Slot, Template};
use crate::model::{Action, Comparison, PauseTime};

/// An operation. Those with `exit` or `to` may jump; all others go on to the next.
#[derive(Debug, Clone)]
pub enum Op {
    /// Send a request, wait for the response, record a sample.
    Request(RequestId),
    /// Makes an exchange of another protocol and records its sample.
    Exchange(RequestId),
    /// Run a package: pre-processors, timers, sampler, post-processors, assertions, listeners.
    Sample(PackageId),
    /// An element works because its scope is entered.
    Element(ElementId),
    /// Think time.
    Think(PauseTemplate),
    /// Jump.
    Jump(Pc),
    /// Jump when the condition does not hold.
    JumpUnless {
        /// The condition.
        condition: Condition,
        /// Where to.
        to: Pc,
    },
    /// Sets a register.
    SetRegister(Register, u64),
    /// Head of a counted loop: leaves when `passes` reached `times`, else counts.
    Repeat {
        /// Passes so far.
        passes: Register,
        /// How often; none: for ever. In imported plans a negative number is for ever, too.
        times: Option<Template>,
        /// Gets the pass's number from 0.
        index: Option<Slot>,
        /// After the loop.
        exit: Pc,
    },
    /// Head of a loop over items: leaves after the last, else sets the variable.
    ForEach {
        /// Passes so far.
        passes: Register,
        /// The items.
        items: Items,
        /// Gets the item.
        variable: Slot,
        /// Gets the pass's number from 0.
        index: Option<Slot>,
        /// After the loop.
        exit: Pc,
    },
    /// Leaves when the time since `SetNow` is over.
    Runtime {
        /// Start, ns since the run's start; 0: not begun.
        since: Register,
        /// Seconds.
        seconds: Template,
        /// After the loop.
        exit: Pc,
    },
    /// Goes on the first time in a user's life, else jumps.
    OnceOnly {
        /// Whether it was here.
        done: Register,
        /// Where to.
        to: Pc,
    },
    /// Goes on in a share of the passes, else jumps. Of the first n passes, p % of n rounded
    /// to the nearest whole number go on (halves down), as JMeter's Throughput Controller
    /// counts: pass n, from 0, goes on when 100 × (those that went on) + 50 < p × (n + 1).
    Percent {
        /// 0 to 100.
        percent: Template,
        /// Own passes.
        passes: Register,
        /// Passes of all who share; none: own.
        shared: Option<SharedId>,
        /// Where to.
        to: Pc,
    },
    /// Goes on in the first so many passes, else jumps.
    FirstTimes {
        /// How many.
        times: Template,
        /// Own passes.
        passes: Register,
        /// Passes of all who share; none: own.
        shared: Option<SharedId>,
        /// Where to.
        to: Pc,
    },
    /// Goes on where [`Op::Yield`] left: jumps to the place in the register unless it is 0.
    Resume {
        /// Where it was left; 0: nowhere.
        at: Register,
    },
    /// Puts the place of the next operation into the register and jumps.
    Yield {
        /// Gets the place.
        at: Register,
        /// Where to.
        to: Pc,
    },
    /// Jumps to one of the branches.
    Choose {
        /// How.
        by: ChooseBy,
        /// Weight, value for a switch, and place of each branch.
        branches: Vec<(u32, Option<Template>, Pc)>,
        /// When no branch fits.
        exit: Pc,
    },
    /// Enters the next branch in this pass's random order; leaves after the last.
    RandomOrder {
        /// Branches done in this pass, a bit each.
        done: Register,
        /// Branches, at most 64.
        branches: Vec<Pc>,
        /// After the last.
        exit: Pc,
    },
    /// The user goes through all branches at once; each ends at [`Op::BranchEnd`]. A change of flow
    /// beyond them is left for the operations that follow ([`Condition::Asked`]).
    Together {
        /// Where each begins.
        branches: Vec<Pc>,
        /// Most at a time; none: all.
        most: Option<u64>,
        /// After the last has ended.
        exit: Pc,
    },
    /// A branch of [`Op::Together`] ends.
    BranchEnd,
    /// Starts a transaction.
    TransactionStart {
        /// Its label.
        label: Label,
        /// Whether think time inside counts.
        include_pauses: bool,
        /// Its requests become sub-samples.
        as_parent: bool,
        /// What works on the transaction's own sample.
        package: Option<PackageId>,
    },
    /// Ends the innermost transaction and records it.
    TransactionEnd,
    /// Ends the innermost transactions, so many, which the flow leaves before their ends, and records them.
    TransactionsLeft(u32),
    /// Tells of the outermost transaction that is a sample itself as far as it came; it goes on.
    TransactionSoFar,
    /// A controller that is a step of the innermost transaction has come to its end.
    ChildEnds,
    /// Waits for the lock.
    Lock(SharedId),
    /// Gives it back.
    Unlock(SharedId),
    /// Waits for the lock of this name, unless the user has it already or the name is empty;
    /// `held` says for [`Op::UnlockNamed`] which it is.
    LockNamed {
        /// The name.
        name: Template,
        /// 0: none; else one more than the number of the lock.
        held: Register,
    },
    /// Gives the lock back that [`Op::LockNamed`] got.
    UnlockNamed(Register),
    /// Waits for other users.
    Rendezvous(SharedId),
    /// Waits so that the throughput is not exceeded.
    PaceThroughput {
        /// Samples a minute.
        per_minute: Template,
        /// Who shares it; none: this user.
        shared: Option<SharedId>,
        /// Last turn of this user.
        last: Register,
    },
    /// Takes the next row into variables.
    NextRow {
        /// The cursor.
        rows: SharedId,
        /// Variables by column (in the order of the plan's columns; for files whose first
        /// row names them, the loader maps names to these).
        columns: Vec<(String, Slot)>,
        /// Row of this user, plus one (unique rows).
        own_row: Register,
    },
    /// Takes the next value of a counter.
    Count {
        /// The counter, if it is shared.
        shared: Option<SharedId>,
        /// The counter, if it is the user's own: passes so far.
        own: Register,
        /// First value, step, last value.
        start: i64,
        /// Step.
        step: i64,
        /// Last value.
        end: Option<i64>,
        /// Zeros on the left up to so many digits.
        digits: u8,
        /// Gets the value.
        variable: Slot,
    },
    /// Sets a variable.
    Set {
        /// The variable.
        variable: Slot,
        /// Its value.
        value: Template,
    },
    /// Runs a script for its effects.
    Script(ScriptId),
    /// The last sample counts as a success from here on, as JMeter has it after each change
    /// of flow.
    SetLastOk,
    /// Changes the flow beyond this iteration. Jumps inside are resolved to [`Op::Jump`].
    Action(Action),
    /// The iteration ends.
    End,
}

impl Op {
    /// The places this operation may jump to.
    pub fn targets_mut(&mut self) -> Vec<&mut Pc> {
        match self {
            Self::Jump(to)
            | Self::JumpUnless { to, .. }
            | Self::Repeat { exit: to, .. }
            | Self::ForEach { exit: to, .. }
            | Self::Runtime { exit: to, .. }
            | Self::OnceOnly { to, .. }
            | Self::Percent { to, .. }
            | Self::FirstTimes { to, .. }
            | Self::Yield { to, .. } => vec![to],
            Self::Choose { branches, exit, .. } => branches
                .iter_mut()
                .map(|(_, _, to)| to)
                .chain([exit])
                .collect(),
            Self::RandomOrder { branches, exit, .. } | Self::Together { branches, exit, .. } => {
                branches.iter_mut().chain([exit]).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// How a branch is chosen.
#[derive(Debug, Clone)]
pub enum ChooseBy {
    /// At random by weight.
    Random,
    /// Smooth weighted turn by the user's number.
    MixOfUsers,
    /// Smooth weighted turn by the number of the pass over all users.
    MixOfIterations(SharedId),
    /// In turn.
    InTurn {
        /// Own passes.
        passes: Register,
        /// Passes of all who share.
        shared: Option<SharedId>,
        /// The first turn of each user is at the branch of its number.
        from_user: bool,
    },
    /// In turn by weight.
    ByWeight {
        /// The user's passes.
        passes: Register,
        /// Branches in the order of their turns, which then come again.
        order: Box<[u16]>,
    },
    /// By value, else by position from 0, else the branch valued `default`. In imported plans
    /// as JMeter's Switch Controller: a number is the position, one that is too big the first
    /// branch, and so is an empty text; else by value, else the last valued `default`.
    Switch(Template),
}

/// A label, fixed or made of variables.
#[derive(Debug, Clone)]
pub enum Label {
    /// Known before the run.
    Fixed(LabelId),
    /// Made while it runs.
    Made(Template),
}

/// A pause.
#[derive(Debug, Clone)]
pub struct PauseTemplate {
    /// How long.
    pub time: PauseTime,
    /// Milliseconds, when the length depends on variables; wins.
    pub template_ms: Option<Template>,
}

/// What a loop goes over.
#[derive(Debug, Clone)]
pub enum Items {
    /// Values written in the plan.
    List(Vec<Template>),
    /// Values of all matches of an extraction: the name before the number.
    Matches {
        /// The prefix, with its separator.
        prefix: Template,
        /// First number, exclusive; what is no number is 0.
        after: Template,
        /// Last number, inclusive; what is no number is 0.
        until: Option<Template>,
    },
    /// Elements of a JSON array.
    Json(Template),
}

/// A condition.
#[derive(Debug, Clone)]
pub enum Condition {
    /// A script's value is truthy.
    Script(ScriptId),
    /// The text is `true`, whatever its case.
    IsTrue(Template),
    /// The text is `false`, whatever its case.
    IsFalse(Template),
    /// Two texts compared; as numbers when both are.
    Compare {
        /// Left side.
        left: Template,
        /// How.
        op: Comparison,
        /// Right side.
        right: Template,
    },
    /// The variable is set.
    Defined(Slot),
    /// The last sample succeeded.
    LastOk,
    /// The last sample succeeded as far as it was known before its checks.
    LastOkBeforeChecks,
    /// An element of the last package asked for this change of flow.
    Asked(Action),
    /// The opposite.
    Not(Box<Condition>),
}

//! What runs those parts of a plan that the engine does not know: elements and their packages,
//! transactions that are samples of theirs, functions of theirs in texts. JMeter's stand above this
//! crate, in `plimsoll-jmeter`; here nothing of them is known.
//!
//! An [`Extension`] is told of a program before the run and gives what the run has of it
//! ([`ExtensionRun`]); of that each load thread has its own part, which works for one user at a time
//! ([`UserExtension`], [`TransactionExtension`]) and keeps something for each ([`KeptForUser`]).
//! [`TextExtension`] computes functions. Each is defined where it is asked.

use std::any::Any;
use std::pin::Pin;

use plimsoll_plan::program::{PackageId, Pc};
use plimsoll_stats::LabelId;

pub use crate::engine::{Extension, ExtensionRun, RunBeginning};
pub use crate::user::{TransactionExtension, UserExtension};

/// Work that may wait.
pub type Waiting<'w, T> = Pin<Box<dyn Future<Output = T> + 'w>>;

/// What an extension keeps for one user, as far as the engine asks for it.
pub trait KeptForUser: Any {
    /// Work begins that may be done again, once what it waited for is there: what its calls give is
    /// kept for the next try.
    fn begin_try(&mut self);

    /// The work is done: what was kept for it is forgotten.
    fn end_try(&mut self);

    /// Whether a transaction of the extension's is open.
    fn in_transaction(&self) -> bool;

    /// One of the steps of the innermost transaction has ended.
    fn child_ends(&mut self);

    /// Whether the transaction without steps at this place was met before.
    fn is_empty_again(&mut self, at: Pc) -> bool;

    /// The name of the step that was made last.
    fn step_name(&self) -> Option<&str>;
}

/// What hears of users as they come and go, on whatever thread.
pub trait UserCounts: Send + Sync {
    /// So many users of a scenario begin or, below 0, end. Scenarios are numbered over setup, load
    /// and teardown, in this order.
    fn count_users(&self, scenario: u32, change: i32);

    /// So many users of a scenario more or, below 0, less may still come: nobody waits for those who
    /// cannot.
    fn expect_users(&self, scenario: u32, change: i64);

    /// What was due before this time is not made up for: milliseconds since 1970-01-01 UTC.
    fn due_from(&self, unix_ms: u64);
}

/// How a package ended for its user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ran {
    /// The user goes on.
    On,
    /// The user's time is over.
    Over,
}

/// How transactions end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransactionEnding {
    /// The steps of the innermost are done.
    Done,
    /// The flow leaves so many, the innermost ones, for another place.
    Left(usize),
    /// Their user stops, within all but so many of the outermost.
    Stopped(usize),
}

/// A transaction that begins.
#[derive(Debug, Clone)]
pub struct NewTransaction {
    /// Its name.
    pub name: String,
    /// Its label.
    pub label: LabelId,
    /// Time spent waiting on purpose counts.
    pub include_pauses: bool,
    /// It is the sample, and its requests are parts of it.
    pub as_parent: bool,
    /// What looks at its sample.
    pub package: Option<PackageId>,
}

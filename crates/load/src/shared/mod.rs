//! What crosses users and cores: the one seam through which load threads touch each other.
//!
//! It is there only when a plan uses it. [`LocalShared`] is its form within one process. Of a
//! load that is shared by many, share *i* of *n* has the numbers *i*, *i + n*, … and turns *n*
//! times as far apart, so that nobody has to be asked; locks and meetings are not shared over
//! processes ([`crate::engine::shareable`] says so before the run).

mod local;
pub mod meeting;

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use plimsoll_plan::program::SharedId;

use plimsoll_plan::share::Share;

use crate::timer::Timers;
pub use local::LocalShared;

/// How a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waited {
    /// The lock is held, or all who were awaited are here.
    Done,
    /// The meeting's time was over: those who waited go on without the rest.
    TimedOut,
}

/// A wait. Dropping it takes the waiter out again.
pub type Wait<'a> = Pin<Box<dyn Future<Output = Waited> + 'a>>;

/// Things that users share. Ids that name a thing of another kind, or none, count as unused
/// things: they give 0, and nobody waits for them.
pub trait Shared: Send + Sync {
    /// Whose numbers [`Shared::next`] gives: the share of the load among those with users.
    fn share(&self) -> Share;

    /// The next number: a counter's value; for passes and rows how many were before, from 0.
    fn next(&self, id: SharedId) -> i64;

    /// The next turn of a throughput: when to go on, in nanoseconds since the run's start, if
    /// turns are to be `gap_ns` apart. Turns that nobody took are not made up for.
    fn turn(&self, id: SharedId, now_ns: u64, gap_ns: u64) -> u64;

    /// Waits for a lock, or at a rendezvous. `scenario` is the place of the user's scenario
    /// among setup, scenarios and teardown, in this order; `timers` are those of the thread that
    /// waits. Whoever got a lock must [`release`](Self::release) it, also when the user ends.
    fn wait<'a>(&'a self, id: SharedId, scenario: u32, timers: &'a Rc<Timers>) -> Wait<'a>;

    /// The lock of this name, for [`wait`](Self::wait) and [`release`](Self::release).
    fn named_lock(&self, name: &str) -> SharedId;

    /// Gives a lock back.
    fn release(&self, id: SharedId);

    /// Users of a scenario came (the number planned, told before any of them starts) or ended
    /// (told as each ends): meetings wait for nobody who cannot come any more.
    fn users(&self, scenario: u32, change: i64);
}

/// The `n`-th value (from 0) of a counter. After `end` it starts again; a counter without an
/// end wraps around where 64 bits end.
#[must_use]
pub fn counter_value(start: i64, step: i64, end: Option<i64>, n: u64) -> i64 {
    let n = i128::from(n);
    let (start, step) = (i128::from(start), i128::from(step));
    let n = match end.map(i128::from) {
        // As many values as lie between start and end, at least the start.
        Some(end) if step != 0 => n % ((end - start) / step + 1).max(1),
        _ => n,
    };
    #[expect(clippy::cast_possible_truncation)] // Wrapping around is what is promised.
    let value = (start + step * n) as i64;
    value
}

#[cfg(test)]
mod tests;

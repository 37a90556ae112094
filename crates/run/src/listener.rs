//! Who hears of a run while it goes on.

use plimsoll_load::engine::Second;
use plimsoll_stats::LabelInfo;
use plimsoll_text::Message;

/// Hears of a run while it goes on. It is called on the thread that merges and stores, so that it
/// must not wait. Who may wait is an output ([`crate::RunHandle::subscribe`], `outputs:` of the plan).
pub trait Listener: Send {
    /// Something happened that a person must be told of.
    fn event(&mut self, message: &Message);

    /// What is good to know, and no more.
    fn progress(&mut self, message: &Message);

    /// A second of the load is over.
    fn second(&mut self, second: &Second<'_>, labels: &[LabelInfo]);

    /// The load is over.
    fn end(&mut self);

    /// Whether it wants to know what limits the target while the run goes on, which costs this host
    /// some CPU.
    fn wants_diagnosis(&self) -> bool {
        false
    }
}

/// Hears nothing; events are stored with the run all the same.
#[derive(Debug, Clone, Copy, Default)]
pub struct Quiet;

impl Listener for Quiet {
    fn event(&mut self, _: &Message) {}

    fn progress(&mut self, _: &Message) {}

    fn second(&mut self, _: &Second<'_>, _: &[LabelInfo]) {}

    fn end(&mut self) {}
}

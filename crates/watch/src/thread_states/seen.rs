//! A thread, when it is no longer looked at.

use super::account::ThreadShares;
use crate::proc::Pid;

/// All that was seen of one thread.
pub(super) struct ThreadSeen {
    pub(super) pid: Pid,
    pub(super) tid: Pid,
    pub(super) name: String,
    pub(super) class: String,
    pub(super) shares: ThreadShares,
    /// How often it got a CPU.
    pub(super) turns: f64,
}

//! What profiles say of the judged stretch, JVM by JVM, whoever took them.

mod read;

use std::sync::Arc;

use plimsoll_stats::series::Entity;

use super::threads::Stacks;

/// Who took a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Profiler {
    /// The JVM's flight recorder. Each recording holds the last minute.
    FlightRecorder,
    /// async-profiler, for a few seconds under load.
    AsyncProfiler,
    /// The kernel, for a few seconds under load: it sees no calls that the compiler put into their
    /// callers, and no lines.
    Kernel,
    /// The kernel, in any process, with libraries and lines.
    Stacks,
}

/// What the profiles of one JVM by one profiler say.
#[derive(Debug)]
pub struct Profiled {
    /// The JVM.
    pub jvm: Arc<Entity>,
    /// Who took them.
    pub by: Profiler,
    /// The last profile of CPUs, by its number in the run.
    pub capture: i64,
    /// Threads that were seen on a CPU: of those that serve requests, where such can be told.
    pub cpu: Stacks,
    /// Locks that were waited for, the most first.
    pub waits: Vec<LockWaits>,
}

/// Waits for the locks of one class.
#[derive(Debug, Clone, PartialEq)]
pub struct LockWaits {
    /// The class.
    pub class: String,
    /// Threads that waited, on average.
    pub waiting: f64,
    /// How often, where that is told.
    pub count: Option<usize>,
    /// The application's own call in which most of the time was waited.
    pub own: Option<String>,
    /// The last profile that shows it, by its number in the run.
    pub capture: i64,
}

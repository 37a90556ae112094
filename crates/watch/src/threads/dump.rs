//! What a dump tells.

use std::time::Duration;

/// What a thread may be doing, by `java.lang.Thread.State`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum JavaThreadState {
    /// Not started yet.
    New,
    /// Runs, is ready to run, or is in a system call.
    Runnable,
    /// Waits to enter a monitor.
    Blocked,
    /// Waits without a limit: parked, or in `Object.wait`.
    Waiting,
    /// Sleeps, or waits with a limit.
    TimedWaiting,
    /// Has ended.
    Terminated,
}

impl JavaThreadState {
    pub(super) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "NEW" => Self::New,
            "RUNNABLE" => Self::Runnable,
            "BLOCKED" => Self::Blocked,
            "WAITING" => Self::Waiting,
            "TIMED_WAITING" => Self::TimedWaiting,
            "TERMINATED" => Self::Terminated,
            _ => return None,
        })
    }

    /// As Java writes it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::New => "NEW",
            Self::Runnable => "RUNNABLE",
            Self::Blocked => "BLOCKED",
            Self::Waiting => "WAITING",
            Self::TimedWaiting => "TIMED_WAITING",
            Self::Terminated => "TERMINATED",
        }
    }
}

/// A monitor or a `java.util.concurrent` lock.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lock {
    /// What tells it from others in the same dump: its address or its identity hash.
    pub id: String,
    /// Its class: `java.lang.Object`.
    pub class: String,
}

/// For what a thread waits at a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WaitKind {
    /// To enter a monitor.
    Monitor,
    /// To be notified (`Object.wait`).
    Notify,
    /// To be unparked: a lock, a condition, a queue of `java.util.concurrent`.
    Park,
}

impl WaitKind {
    /// Its name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Monitor => "monitor",
            Self::Notify => "notify",
            Self::Park => "park",
        }
    }
}

/// What a thread waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    /// In what way.
    pub kind: WaitKind,
    /// At what.
    pub lock: Lock,
    /// Number of the thread that has it, where the dump says so.
    pub owner: Option<u64>,
}

/// One call on a stack.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StackFrame {
    /// Class and method: `java.lang.Thread.sleep`.
    pub method: String,
    /// Where: `Thread.java:509`, `Native Method`.
    pub place: String,
    /// The library that it belongs to, nothing of the user's own code, where that is known without
    /// its name.
    pub library: Option<String>,
}

/// One thread.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DumpedThread {
    /// Its name; virtual threads often have none.
    pub name: String,
    /// Its number in Java; threads of the JVM itself have none.
    pub number: Option<u64>,
    /// Its number in the operating system.
    pub native_id: Option<u64>,
    /// Whether the JVM ends without waiting for it.
    pub daemon: bool,
    /// Whether it is a virtual thread.
    pub is_virtual: bool,
    /// What it does, in Java's words; JDK 21's JSON does not say.
    pub state: Option<JavaThreadState>,
    /// CPU time it has used (text of JDK 11 and later).
    pub cpu: Option<Duration>,
    /// How long it has lived (text of JDK 11 and later).
    pub elapsed: Option<Duration>,
    /// The number of the virtual thread that runs on it.
    pub carries: Option<u64>,
    /// Its calls, innermost first.
    pub frames: Vec<StackFrame>,
    /// What it waits for.
    pub wait: Option<Wait>,
    /// What it holds. Locks of `java.util.concurrent` are told only where they were asked for.
    pub holds: Vec<Lock>,
    /// The executor or scope it belongs to (JSON).
    pub container: Option<String>,
}

/// The threads of a JVM at one moment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ThreadDump {
    /// The JVM's version, as it says it.
    pub jvm: String,
    /// Its threads, in the dump's order.
    pub threads: Vec<DumpedThread>,
    /// Names of threads that wait for each other in a circle, by circle.
    pub deadlocks: Vec<Vec<String>>,
}

impl ThreadDump {
    /// The thread that holds a lock, as far as the dump tells.
    #[must_use]
    pub fn owner(&self, wait: &Wait) -> Option<&DumpedThread> {
        let holds = |thread: &&DumpedThread| {
            thread.holds.contains(&wait.lock) || wait.owner.is_some() && thread.number == wait.owner
        };
        self.threads.iter().find(holds)
    }
}

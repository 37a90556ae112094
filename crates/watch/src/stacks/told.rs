//! Stacks as they are told: JSON, for the diagnosis and for others.

use plimsoll_profile::NamedFrame;
use serde::{Deserialize, Serialize};

/// The form of the JSON.
pub const FORM: &str = "plimsoll.stacks/1";

/// What the threads of a process and its workers did, as the kernel sampled it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToldStacks {
    /// [`FORM`].
    pub schema: String,
    /// When it began, Unix nanoseconds.
    pub from_unix_ns: u64,
    /// How long it was looked at, s.
    pub lasted_s: f64,
    /// The process.
    pub pid: u32,
    /// How many it was, with its workers.
    pub processes: usize,
    /// The interpreter whose calls are told: `Python 3.11`.
    pub runtime: Option<String>,
    /// CPUs of the host, and how often a second each was looked at: a sample stands for
    /// one part of a second of CPU time by that.
    pub cpus: usize,
    /// See above.
    pub samples_per_cpu_and_second: u64,
    /// Samples of this process on a CPU.
    pub samples: u64,
    /// Looks at all threads for those that wait: so often seen, divided by this, are so many
    /// threads on average.
    #[serde(default)]
    pub looks: u32,
    /// Samples that were not taken up, of whatever process: the kernel had no room, or it would have
    /// cost too much.
    pub lost: u64,
    /// Samples whose stack was followed to its beginning.
    pub whole: u64,
    /// Different places in code made while running that have no name.
    pub unnamed_places: usize,
    /// CPU time that reading and naming took, s; the kernel's own is not in it.
    pub cost_s: f64,
    /// All calls, each once.
    pub frames: Vec<NamedFrame>,
    /// The stacks, the most frequent first.
    pub stacks: Vec<ToldStack>,
    /// Samples of other stacks, for which there was no room.
    pub others: u64,
}

/// A stack, and how often it was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToldStack {
    /// What its thread did: `cpu`, or `running` of a goroutine that waits for nothing, or for what it waited: `read`, `write`, `connect`, `accept`, `fsync`,
    /// `futex` (another thread), `poll`, `sleep`, `child`, `lock_file`, `other`.
    pub state: String,
    /// The name of its thread without numbers.
    pub thread: String,
    /// Samples, or looks.
    pub count: u64,
    /// Places in [`ToldStacks::frames`], innermost call first.
    pub calls: Vec<usize>,
}

impl ToldStacks {
    /// Reads what [`ToldStacks`] was told as; none for another form, and for what is none.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let told: Self = serde_json::from_str(text).ok()?;
        (told.schema == FORM).then_some(told)
    }

    /// The calls of a stack, innermost first.
    pub fn calls<'a>(&'a self, stack: &'a ToldStack) -> impl Iterator<Item = &'a NamedFrame> {
        stack.calls.iter().filter_map(|at| self.frames.get(*at))
    }
}

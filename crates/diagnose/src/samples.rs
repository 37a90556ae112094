//! What profilers say of a JVM's threads: stacks on a CPU, and waits for locks. Whoever took
//! them, rules read this.

use std::collections::HashMap;

use plimsoll_watch::threads::{DumpedThread, StackFrame};
use serde::{Deserialize, Serialize};

/// Frames of a stack that are kept: the innermost.
pub(crate) const MAX_FRAMES: usize = 64;
/// Samples that are kept of a profile.
pub(crate) const MAX_SAMPLES: usize = 200_000;

/// What a profile says of threads.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StackSamples {
    /// Stacks, each once, innermost call first: `shop.Cart.add:17`, or without the line.
    pub stacks: Vec<Vec<String>>,
    /// Samples of threads on a CPU, in the order of the profile.
    pub cpu: Vec<CpuSample>,
    /// Waits for monitors and locks.
    pub waits: Vec<LockWait>,
    /// How long it was taken, in ms; none of what goes on all the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lasted_ms: Option<f64>,
}

/// A thread that was on a CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuSample {
    /// When: ms from the run's start.
    pub at_ms: i64,
    /// Place in [`StackSamples::stacks`].
    pub stack: usize,
}

/// A wait for a monitor or lock, or all waits of one stack together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LockWait {
    /// When it began: ms from the run's start.
    pub at_ms: i64,
    /// How long it took.
    pub lasted_ms: f64,
    /// The lock's class.
    pub class: String,
    /// Place in [`StackSamples::stacks`].
    pub stack: usize,
}

impl StackSamples {
    /// A stack as a thread has it.
    #[must_use]
    pub fn thread(&self, stack: usize) -> DumpedThread {
        let frames = self.stacks.get(stack).map_or(&[][..], Vec::as_slice);
        let frame = |text: &String| {
            let (method, place) = match text.rsplit_once(':') {
                Some((method, line)) => (method, format!("line {line}")),
                None => (text.as_str(), String::new()),
            };
            StackFrame {
                method: method.to_owned(),
                place,
                library: None,
            }
        };
        DumpedThread {
            frames: frames.iter().map(frame).collect(),
            ..DumpedThread::default()
        }
    }
}

/// Samples that are being read.
#[derive(Debug, Default)]
pub(crate) struct SamplesReading {
    known: HashMap<Vec<String>, usize>,
    samples: StackSamples,
}

impl SamplesReading {
    /// How many more samples are taken.
    pub fn room(&self) -> usize {
        let taken = self.samples.cpu.len() + self.samples.waits.len();
        MAX_SAMPLES.saturating_sub(taken)
    }

    /// The number of a stack, innermost call first.
    pub fn stack(&mut self, calls: Vec<String>) -> usize {
        if let Some(known) = self.known.get(&calls) {
            return *known;
        }
        let number = self.samples.stacks.len();
        self.samples.stacks.push(calls.clone());
        self.known.insert(calls, number);
        number
    }

    /// Adds as many samples of a stack as there is room for.
    pub fn on_cpu(&mut self, at_ms: i64, stack: usize, count: usize) {
        let count = count.min(self.room());
        let samples = std::iter::repeat_n(CpuSample { at_ms, stack }, count);
        self.samples.cpu.extend(samples);
    }

    /// Adds a wait.
    pub fn waited(&mut self, wait: LockWait) {
        if self.room() > 0 {
            self.samples.waits.push(wait);
        }
    }

    /// What was read, taken in so long.
    pub fn done(self, lasted_ms: Option<f64>) -> StackSamples {
        StackSamples {
            lasted_ms,
            ..self.samples
        }
    }
}

//! Profiles by the JVM's flight recorder: where threads computed, and what they waited to enter.
//!
//! The recorder samples running threads every 10 or 20 ms without waiting for a safepoint, so
//! its shares of short code are better than those of thread dumps. Of a recording only
//! `jdk.ExecutionSample` and `jdk.JavaMonitorEnter` are read; what they say is kept as a
//! [`Profile`], as JSON in saved evidence.

mod chunk;
mod metadata;
mod value;

use std::collections::HashMap;

use plimsoll_watch::threads::{Frame, Thread};
use serde::{Deserialize, Serialize};

use chunk::Chunk;
use value::Value;

/// Frames of a stack that are kept: the innermost.
const MAX_FRAMES: usize = 64;
/// Samples that are kept of a recording.
const MAX_SAMPLES: usize = 200_000;

/// Why a recording cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JfrError {
    /// It does not begin as one, or is of a version that is not known.
    #[error("no recording of a version that is known")]
    Unknown,
    /// It ends too early, or its parts do not fit together.
    #[error("damaged at byte {0}")]
    Damaged(usize),
}

/// What a recording says of threads.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// Stacks, each once, innermost call first: `shop.Cart.add:17`.
    pub stacks: Vec<Vec<String>>,
    /// Samples of threads on a CPU, in the order of the recording.
    pub cpu: Vec<CpuSample>,
    /// Waits to enter a monitor.
    pub waits: Vec<MonitorWait>,
}

/// A thread that was on a CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuSample {
    /// When: ms from the run's start.
    pub at_ms: i64,
    /// Place in [`Profile::stacks`].
    pub stack: usize,
}

/// A wait to enter a monitor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MonitorWait {
    /// When it began: ms from the run's start.
    pub at_ms: i64,
    /// How long it took.
    pub lasted_ms: f64,
    /// The monitor's class.
    pub class: String,
    /// Place in [`Profile::stacks`].
    pub stack: usize,
}

impl Profile {
    /// Reads a recording; `zero_unix_ns` is the run's start on the wall clock. A chunk that is
    /// damaged ends the reading: what stands before it counts.
    ///
    /// # Errors
    /// What does not begin as a recording, and one whose first chunk is damaged.
    pub fn read(bytes: &[u8], zero_unix_ns: i64) -> Result<Self, JfrError> {
        let mut reading = Reading {
            zero_unix_ns,
            known: HashMap::new(),
            profile: Self::default(),
        };
        let mut at = 0;
        while at < bytes.len() {
            let read = Chunk::read(&bytes[at..]).and_then(|chunk| {
                chunk.each_event(&mut |name, event| reading.take(&chunk, name, event))?;
                Ok(chunk.length)
            });
            match read {
                Ok(length) => at += length,
                Err(error) if at == 0 => return Err(error),
                Err(_) => break,
            }
        }
        Ok(reading.profile)
    }

    /// A stack as a thread on a CPU has it.
    #[must_use]
    pub fn thread(&self, stack: usize) -> Thread {
        let frames = self.stacks.get(stack).map_or(&[][..], Vec::as_slice);
        let frame = |text: &String| {
            let (method, place) = text.rsplit_once(':').unwrap_or((text, ""));
            Frame {
                method: method.to_owned(),
                place: format!("line {place}"),
            }
        };
        Thread {
            frames: frames.iter().map(frame).collect(),
            ..Thread::default()
        }
    }
}

/// A recording that is being read.
struct Reading {
    zero_unix_ns: i64,
    known: HashMap<Vec<String>, usize>,
    profile: Profile,
}

impl Reading {
    fn take(&mut self, chunk: &Chunk<'_>, name: &str, event: &Value) {
        let full = self.profile.cpu.len() + self.profile.waits.len() >= MAX_SAMPLES;
        let wanted = matches!(name, "jdk.ExecutionSample" | "jdk.JavaMonitorEnter");
        if full || !wanted {
            return;
        }
        let at_ns = chunk.unix_ns(event.number("startTime"));
        let at_ms = at_ns.saturating_sub(self.zero_unix_ns) / 1_000_000;
        let trace = chunk.resolve(event.field("stackTrace"));
        let stack = self.stack(chunk, trace);
        if name == "jdk.ExecutionSample" {
            self.profile.cpu.push(CpuSample { at_ms, stack });
            return;
        }
        let class = chunk.resolve(event.field("monitorClass"));
        self.profile.waits.push(MonitorWait {
            at_ms,
            lasted_ms: chunk.ticks_ms(event.number("duration")),
            class: chunk.symbol(class.field("name")).replace('/', "."),
            stack,
        });
    }

    fn stack(&mut self, chunk: &Chunk<'_>, trace: &Value) -> usize {
        let frames = trace.field("frames").items().iter().take(MAX_FRAMES);
        let calls: Vec<String> = frames.map(|frame| call(chunk, frame)).collect();
        if let Some(known) = self.known.get(&calls) {
            return *known;
        }
        let number = self.profile.stacks.len();
        self.profile.stacks.push(calls.clone());
        self.known.insert(calls, number);
        number
    }
}

/// `shop.Cart.add:17`.
fn call(chunk: &Chunk<'_>, frame: &Value) -> String {
    let method = chunk.resolve(frame.field("method"));
    let class = chunk.resolve(method.field("type"));
    let class = chunk.symbol(class.field("name")).replace('/', ".");
    let name = chunk.symbol(method.field("name"));
    format!("{class}.{name}:{}", frame.number("lineNumber"))
}

#[cfg(test)]
mod tests;

//! Flame graphs of the captures that are kept: profiles whoever took them, and thread dumps as one look at all
//! threads.

use plimsoll_diagnose::stacks::place::place;
use plimsoll_diagnose::{collapsed, jfr};
use plimsoll_text::Message;
use plimsoll_watch::stacks::ToldStacks;
use plimsoll_watch::threads::ThreadDump;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::capture::CaptureListed;
use super::flame::{FlameGraph, FlameTree};
use crate::problem::ApiError;

/// What a flame graph is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FlameOf {
    /// Threads on a CPU.
    Cpu,
    /// Waits for locks, by their time; the innermost box is the lock's class.
    Locks,
    /// Threads that wait, on average; the outermost box is for what.
    Waits,
    /// All threads; the outermost box is where they are.
    Threads,
    /// All goroutines of a Go program, on average; the outermost box is what they wait for, or that they run.
    Goroutines,
}

impl FlameOf {
    const fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Locks => "locks",
            Self::Waits => "waits",
            Self::Threads => "threads",
            Self::Goroutines => "goroutines",
        }
    }
}

/// Which flame graph of a capture is wanted.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(crate) struct FlameQuery {
    /// What it is of; by default the first that the capture has.
    of: Option<FlameOf>,
}

/// A flame graph of a capture.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CaptureFlame {
    /// The capture.
    capture: CaptureListed,
    /// What the graph is of.
    of: FlameOf,
    /// What the capture has graphs of.
    known: Vec<FlameOf>,
    /// The graph.
    graph: FlameGraph,
}

/// What a capture of a kind has graphs of.
fn known(kind: &str) -> &'static [FlameOf] {
    match kind {
        "jfr" => &[FlameOf::Cpu, FlameOf::Locks],
        "lock_profile" => &[FlameOf::Locks],
        "stacks" => &[FlameOf::Cpu, FlameOf::Waits],
        "goroutines" => &[FlameOf::Goroutines],
        "thread_dump" | "virtual_threads" => &[FlameOf::Threads],
        _ => &[FlameOf::Cpu],
    }
}

impl CaptureFlame {
    /// The graph that is wanted.
    ///
    /// # Errors
    /// One that the capture does not have, or bytes that are no such capture.
    pub fn of(
        capture: CaptureListed,
        bytes: &[u8],
        zero_unix_ns: i64,
        query: FlameQuery,
    ) -> Result<Self, ApiError> {
        let known = known(&capture.kind);
        let of = query.of.unwrap_or(known[0]);
        if !known.contains(&of) {
            let names: Vec<&str> = known.iter().map(|of| of.name()).collect();
            let message = Message::new("server-no-flame")
                .with("number", capture.number)
                .with("of", of.name())
                .with("known", names.join(", "));
            return Err(ApiError::bad(message));
        }
        let text = || String::from_utf8_lossy(bytes);
        let graph = match (capture.kind.as_str(), of) {
            ("jfr", _) => recording(bytes, zero_unix_ns, of),
            ("stacks" | "goroutines" | "node_profile", _) => sampled(&text(), of),
            (_, FlameOf::Threads) => Ok(threads(&ThreadDump::read(&text()))),
            _ => Ok(profile(&text(), of)),
        };
        let unreadable = |reason: String| {
            let message = Message::new("server-capture-unreadable").with("number", capture.number);
            ApiError::unreadable(message.with("reason", reason))
        };
        Ok(Self {
            graph: graph.map_err(unreadable)?,
            of,
            known: known.to_vec(),
            capture,
        })
    }
}

/// async-profiler's and the kernel's: all calls, also those of the JVM and the kernel. Locks are counted in
/// nanoseconds.
fn profile(text: &str, of: FlameOf) -> FlameGraph {
    let mut tree = FlameTree::default();
    let (unit, scale) = match of {
        FlameOf::Locks => ("ms", 1e-6),
        _ => ("samples", 1.0),
    };
    for (stack, count) in collapsed::lines(text) {
        tree.add(stack.split(';').map(readable), count as f64 * scale);
    }
    tree.told(unit)
}

/// A call without the mark of how it was compiled: `shop/Cart.add_[j]`.
fn readable(call: &str) -> &str {
    let mark = ["_[j]", "_[i]", "_[0]", "_[1]"];
    mark.into_iter()
        .find_map(|mark| call.strip_suffix(mark))
        .unwrap_or(call)
}

/// A flight recording, or what was read of one.
fn recording(bytes: &[u8], zero_unix_ns: i64, of: FlameOf) -> Result<FlameGraph, String> {
    let samples = jfr::read(bytes, zero_unix_ns).map_err(|error| error.to_string())?;
    let mut tree = FlameTree::default();
    let calls = |stack: usize| {
        let stack = samples.stacks.get(stack).map_or(&[][..], Vec::as_slice);
        stack.iter().rev().map(String::as_str)
    };
    if of == FlameOf::Cpu {
        for sample in &samples.cpu {
            tree.add(calls(sample.stack), 1.0);
        }
        return Ok(tree.told("samples"));
    }
    for wait in &samples.waits {
        let class = std::iter::once(wait.class.as_str());
        tree.add(calls(wait.stack).chain(class), wait.lasted_ms);
    }
    Ok(tree.told("ms"))
}

/// Stacks of any process: samples on a CPU, or threads that wait; and goroutines, which are seen whether they wait or not.
fn sampled(text: &str, of: FlameOf) -> Result<FlameGraph, String> {
    let told = ToldStacks::read(text).ok_or_else(|| "schema".to_owned())?;
    let mut tree = FlameTree::default();
    let looks = f64::from(told.looks.max(1));
    for stack in &told.stacks {
        let calls: Vec<&str> = told
            .calls(stack)
            .map(|call| call.function.as_str())
            .collect();
        let calls = calls.into_iter().rev();
        match (of, stack.state == "cpu") {
            (FlameOf::Cpu, true) => tree.add(calls, stack.count as f64),
            (FlameOf::Waits, false) | (FlameOf::Goroutines, _) => {
                let state = std::iter::once(stack.state.as_str());
                tree.add(state.chain(calls), stack.count as f64 / looks);
            }
            _ => {}
        }
    }
    Ok(tree.told(match of {
        FlameOf::Cpu => "samples",
        FlameOf::Goroutines => "goroutines",
        _ => "threads",
    }))
}

/// All threads of a dump.
fn threads(dump: &ThreadDump) -> FlameGraph {
    let mut tree = FlameTree::default();
    for thread in &dump.threads {
        let at = std::iter::once(place(thread).name());
        let calls = thread
            .frames
            .iter()
            .rev()
            .map(|frame| frame.method.as_str());
        tree.add(at.chain(calls), 1.0);
    }
    tree.told("threads")
}

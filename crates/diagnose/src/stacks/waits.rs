//! Where the own code of a process waits, and what those do that are past that place: by the stacks of
//! any runtime, weighted by time.

use std::collections::BTreeMap;

use plimsoll_watch::stacks::{NamedFrame, ToldStack, ToldStacks};

use crate::scene::Scene;

/// A place in own code at which threads wait.
#[derive(Debug, Clone, PartialEq)]
pub struct WaitPlace {
    /// For what, as the capture calls it: `futex`, `read`, `sleep` …
    pub state: String,
    /// The innermost call of the own code, with its line where that is known.
    pub code: String,
    /// The call below it, by which it waits.
    pub call: String,
    /// Threads there, on average.
    pub threads: f64,
    /// Where others are that have passed this place, what they do there, and how many.
    pub past: Option<(String, String, f64)>,
    /// The capture, by its number in the run.
    pub capture: i64,
}

/// Waits for work, not for a request's.
const FOR_WORK: [&str; 3] = ["poll", "accept", "child"];
/// Fewer threads on average are no place to speak of.
const LEAST_THREADS: f64 = 0.5;

impl Scene<'_> {
    /// The place in own code where most threads of a process wait under load, by its last stacks.
    #[must_use]
    pub fn wait_place(&self, process: &str) -> Option<WaitPlace> {
        self.place_of(process, |_| true)
    }

    /// The same of threads that wait in one of those ways.
    #[must_use]
    pub fn wait_place_in(&self, process: &str, states: &[&str]) -> Option<WaitPlace> {
        self.place_of(process, |state| states.contains(&state))
    }

    /// Threads of a process, on average, that are in a call of one of those names, be it of a library; with the
    /// name that most are in.
    #[must_use]
    pub fn threads_within(&self, process: &str, names: &[&str]) -> Option<(f64, String, i64)> {
        let captures = self
            .captures("stacks")
            .filter(|capture| capture.entity.name == process && self.is_under_load(capture.at_ms));
        let capture = captures.max_by_key(|capture| capture.number)?;
        let told = ToldStacks::read(&capture.text).filter(|told| told.looks > 0)?;
        let mut within: BTreeMap<String, u64> = BTreeMap::new();
        for stack in told.stacks.iter().filter(|stack| stack.state != "cpu") {
            let mut calls = told.calls(stack);
            let call = calls.find(|call| names.contains(&call.function.as_str()));
            if let Some(call) = call {
                *within.entry(call.function.clone()).or_default() += stack.count;
            }
        }
        let all: u64 = within.values().sum();
        let (name, _) = within.into_iter().max_by_key(|(_, count)| *count)?;
        Some((mean(all, told.looks), name, capture.number))
    }

    fn place_of(&self, process: &str, counts: impl Fn(&str) -> bool) -> Option<WaitPlace> {
        let captures = self
            .captures("stacks")
            .filter(|capture| capture.entity.name == process && self.is_under_load(capture.at_ms));
        let capture = captures.max_by_key(|capture| capture.number)?;
        let told = ToldStacks::read(&capture.text).filter(|told| told.looks > 0)?;
        let mut places: BTreeMap<(String, String, String), u64> = BTreeMap::new();
        for stack in told.stacks.iter().filter(|stack| counts(&stack.state)) {
            if let Some((code, call)) = waits_at(&told, stack) {
                let place = (stack.state.clone(), code, call);
                *places.entry(place).or_default() += stack.count;
            }
        }
        let ((state, code, call), count) = places.into_iter().max_by_key(|(_, count)| *count)?;
        let threads = mean(count, told.looks);
        (threads >= LEAST_THREADS).then(|| WaitPlace {
            past: past(&told, &code),
            state,
            code,
            call,
            threads,
            capture: capture.number,
        })
    }
}

fn mean(count: u64, looks: u32) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "threads of a few seconds")]
    let count = count as f64;
    count / f64::from(looks.max(1))
}

/// The own code in which a stack waits, and the call by which it does.
fn waits_at(told: &ToldStacks, stack: &ToldStack) -> Option<(String, String)> {
    if stack.state == "cpu" || FOR_WORK.contains(&stack.state.as_str()) {
        return None;
    }
    let calls: Vec<&NamedFrame> = told.calls(stack).collect();
    let own = calls.iter().position(|call| call.library.is_none())?;
    let by = own.checked_sub(1).and_then(|at| calls.get(at));
    Some((
        code(calls[own]),
        by.map(|call| call.function.clone()).unwrap_or_default(),
    ))
}

fn code(call: &NamedFrame) -> String {
    match (&call.file, call.line) {
        (Some(file), Some(line)) => {
            let name = file.rsplit('/').next().unwrap_or(file);
            format!("{} ({name}:{line})", call.function)
        }
        _ => call.function.clone(),
    }
}

/// Where those are that are in the same function, but not at that place: what they wait for holds
/// those up who are.
fn past(told: &ToldStacks, waits_in: &str) -> Option<(String, String, f64)> {
    let function = waits_in.split(" (").next().unwrap_or(waits_in);
    let mut places: BTreeMap<(String, String), u64> = BTreeMap::new();
    for stack in told.stacks.iter().filter(|stack| stack.state != "cpu") {
        let own = || told.calls(stack).filter(|call| call.library.is_none());
        let Some(innermost) = own().next().map(code) else {
            continue;
        };
        let passes = own().any(|call| call.function == function);
        if passes && innermost != waits_in {
            *places.entry((innermost, stack.state.clone())).or_default() += stack.count;
        }
    }
    let ((code, state), count) = places.into_iter().max_by_key(|(_, count)| *count)?;
    let threads = mean(count, told.looks);
    (threads >= LEAST_THREADS).then_some((code, state, threads))
}

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
        let mut places: BTreeMap<(String, String, String), (u64, &ToldStack)> = BTreeMap::new();
        for stack in told.stacks.iter().filter(|stack| counts(&stack.state)) {
            if let Some((code, call)) = waits_at(&told, stack) {
                let place = (stack.state.clone(), code, call);
                places.entry(place).or_insert((0, stack)).0 += stack.count;
            }
        }
        let most = places.into_iter().max_by_key(|(_, (count, _))| *count);
        let ((state, code, call), (count, waiting)) = most?;
        let threads = mean(count, told.looks);
        (threads >= LEAST_THREADS).then(|| WaitPlace {
            past: past(&told, waiting, &code),
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

/// So many callers up those are looked for who hold what others wait for.
const CALLERS: usize = 3;

/// Where those are that have passed the place at which others wait, waiting or on a CPU: what they do holds the
/// others up. They are in the same function, but not at that place; or, where a lock is taken in a function of its
/// own, behind the call of it in one of its callers.
fn past(told: &ToldStacks, waiting: &ToldStack, waits_in: &str) -> Option<(String, String, f64)> {
    let own: Vec<&NamedFrame> = own_calls(told, waiting).take(CALLERS).collect();
    own.iter()
        .enumerate()
        .find_map(|(depth, at)| past_call(told, at, depth, waits_in))
}

fn own_calls<'a>(
    told: &'a ToldStacks,
    stack: &'a ToldStack,
) -> impl Iterator<Item = &'a NamedFrame> {
    told.calls(stack).filter(|call| call.library.is_none())
}

/// Where most are that are in the function of a call, and behind it.
fn past_call(
    told: &ToldStacks,
    at: &NamedFrame,
    depth: usize,
    waits_in: &str,
) -> Option<(String, String, f64)> {
    let passes = |call: &NamedFrame| {
        let same = call.function == at.function && call.file == at.file;
        // Of callers only the line tells who is behind the call.
        let behind = call.line.zip(at.line).is_some_and(|(own, its)| own > its);
        same && (depth == 0 || behind)
    };
    let mut places: BTreeMap<(String, String), f64> = BTreeMap::new();
    for stack in &told.stacks {
        let Some(innermost) = own_calls(told, stack).next().map(code) else {
            continue;
        };
        if own_calls(told, stack).any(passes) && innermost != waits_in {
            let place = (innermost, stack.state.clone());
            *places.entry(place).or_default() += threads(told, stack);
        }
    }
    let most = places.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let ((code, state), threads) = most?;
    (threads >= LEAST_THREADS).then_some((code, state, threads))
}

/// How many threads are in a stack on average: by samples of CPUs, or by looks at those that wait.
#[expect(clippy::cast_precision_loss, reason = "samples of a few seconds")]
fn threads(told: &ToldStacks, stack: &ToldStack) -> f64 {
    match stack.state.as_str() {
        "cpu" => {
            let rate = told.samples_per_cpu_and_second.max(1) as f64;
            stack.count as f64 / rate / told.lasted_s.max(1e-3)
        }
        _ => mean(stack.count, told.looks),
    }
}

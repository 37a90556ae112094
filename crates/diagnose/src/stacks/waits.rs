//! Where the own code of a process waits, and what those do that are past that place: by the stacks of
//! any runtime, weighted by time.

use std::collections::BTreeMap;

use plimsoll_watch::stacks::{NamedFrame, ToldStack, ToldStacks};

use crate::evidence::CapturedText;
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
    /// Who waits there: `threads`, or `goroutines`.
    pub who: &'static str,
    /// So many of them, on average.
    pub threads: f64,
    /// Where others are that have passed this place, what they do there, and how many.
    pub past: Option<(String, String, f64)>,
    /// Whether they wait for a lock, by the name of the call: no thread waits so for work.
    pub is_lock: bool,
    /// The capture, by its number in the run.
    pub capture: i64,
}

/// Waits for work, not for a request's.
const FOR_WORK: [&str; 3] = ["poll", "accept", "child"];
/// Fewer threads on average are no place to speak of.
const LEAST_THREADS: f64 = 0.5;
/// Who holds a lock is one, and it is seen that often at least.
const LEAST_HOLDING: u64 = 5;
/// What calls are named that take a lock and wait for it, in libraries of C and C++, Rust and Go.
const LOCKS: [&str; 7] = [
    "mutex_lock",
    "rwlock_",
    "lll_lock_wait",
    "lock_contended",
    "lock_slow",
    "lockSlow",
    // PHP's sessions: one request of a session at a time, until it writes or ends.
    "session_start",
];
/// Whose code a program carries in itself without its being the program's own.
const STANDARD: [&str; 6] = [
    "std::", "core::", "alloc::", "<std::", "<core::", "<alloc::",
];

impl Scene<'_> {
    /// The place in own code where most threads of a process wait under load, by its last stacks.
    #[must_use]
    pub fn wait_place(&self, host: &str, process: &str) -> Option<WaitPlace> {
        self.place_of((host, process), |_| true)
    }

    /// The same of threads that wait in one of those ways.
    #[must_use]
    pub fn wait_place_in(
        &self,
        (host, process): (&str, &str),
        states: &[&str],
    ) -> Option<WaitPlace> {
        self.place_of((host, process), |state| states.contains(&state))
    }

    /// All places of threads that wait in one of those ways, that with most threads first.
    #[must_use]
    pub fn wait_places_in(&self, (host, process): (&str, &str), states: &[&str]) -> Vec<WaitPlace> {
        self.places_of((host, process), |state| states.contains(&state))
    }

    /// Threads of a process, on average, that are in a call of one of those names, be it of a library; with the
    /// name that most are in.
    #[must_use]
    pub fn threads_within(
        &self,
        (host, process): (&str, &str),
        names: &[&str],
    ) -> Option<(f64, String, i64)> {
        let captures = self
            .captures("stacks")
            .filter(|capture| is_of(capture, (host, process)) && self.is_under_load(capture.at_ms));
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

    fn place_of(&self, process: (&str, &str), counts: impl Fn(&str) -> bool) -> Option<WaitPlace> {
        self.places_of(process, counts).into_iter().next()
    }

    fn places_of(&self, process: (&str, &str), counts: impl Fn(&str) -> bool) -> Vec<WaitPlace> {
        let Some((who, told, capture)) = self.last_stacks(process) else {
            return Vec::new();
        };
        let mut places: BTreeMap<(String, String, String), WaitingSeen<'_>> = BTreeMap::new();
        for stack in told.stacks.iter().filter(|stack| counts(&stack.state)) {
            if let Some((code, call)) = waits_at(&told, stack) {
                let place = (stack.state.clone(), code, call);
                let seen = places.entry(place).or_insert(WaitingSeen::of(stack));
                seen.count += stack.count;
                seen.is_lock |= takes_lock(&told, stack);
            }
        }
        let mut places: Vec<_> = places.into_iter().collect();
        // Of those with as many threads the last by name: the order is the same each time.
        places.sort_by(|a, b| (b.1.count, &b.0).cmp(&(a.1.count, &a.0)));
        let at = places
            .into_iter()
            .map(|((state, code, call), seen)| WaitPlace {
                past: past(&told, &seen, &code, &call),
                who,
                state,
                code,
                call,
                threads: mean(seen.count, told.looks),
                capture,
                is_lock: seen.is_lock,
            });
        at.filter(|place| place.threads >= LEAST_THREADS).collect()
    }

    /// What was last told of who waits in a process under load, whose stacks these are, and the capture's number.
    fn last_stacks(&self, process: (&str, &str)) -> Option<(&'static str, ToldStacks, i64)> {
        let of_kind = |kind| {
            let captures = self
                .captures(kind)
                .filter(|capture| is_of(capture, process) && self.is_under_load(capture.at_ms));
            captures.max_by_key(|capture| capture.number)
        };
        // A runtime that schedules itself has waiters that are no threads.
        let goroutines = of_kind("goroutines");
        let who = match goroutines {
            Some(_) => "goroutines",
            None => "threads",
        };
        let capture = goroutines.or_else(|| of_kind("stacks"))?;
        let told = ToldStacks::read(&capture.text).filter(|told| told.looks > 0)?;
        Some((who, told, capture.number))
    }
}

/// Whether a capture is of a process, by its host and its name.
fn is_of(capture: &CapturedText, (host, process): (&str, &str)) -> bool {
    capture.entity.name == process && capture.entity.host == host
}

fn mean(count: u64, looks: u32) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "threads of a few seconds")]
    let count = count as f64;
    count / f64::from(looks.max(1))
}

/// The own code in which a stack waits, and the call by which it does.
fn waits_at(told: &ToldStacks, stack: &ToldStack) -> Option<(String, String)> {
    if ["cpu", "running"].contains(&stack.state.as_str())
        || FOR_WORK.contains(&stack.state.as_str())
    {
        return None;
    }
    place_in(told, stack)
}

/// The innermost call of the own code, and the call that it makes; that is none where it works itself.
fn place_in(told: &ToldStacks, stack: &ToldStack) -> Option<(String, String)> {
    let calls: Vec<&NamedFrame> = told.calls(stack).collect();
    let own = calls.iter().position(|call| is_own(call))?;
    // What interrupts it is no call of its own.
    let by = own.checked_sub(1).and_then(|at| calls.get(at));
    let by = by.filter(|call| call.library.as_deref() != Some("kernel"));
    Some((
        code(calls[own]),
        by.map(|call| call.function.clone()).unwrap_or_default(),
    ))
}

fn is_own(call: &NamedFrame) -> bool {
    let function = call.function.as_str();
    call.library.is_none() && !STANDARD.iter().any(|start| function.starts_with(start))
}

/// Whether what own code calls there is a lock's.
fn takes_lock(told: &ToldStacks, stack: &ToldStack) -> bool {
    let mut below = told.calls(stack).take_while(|call| !is_own(call));
    below.any(|call| LOCKS.iter().any(|name| call.function.contains(name)))
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

/// Threads that wait at a place.
struct WaitingSeen<'a> {
    count: u64,
    is_lock: bool,
    /// One of their stacks.
    stack: &'a ToldStack,
}

impl<'a> WaitingSeen<'a> {
    fn of(stack: &'a ToldStack) -> Self {
        Self {
            count: 0,
            is_lock: false,
            stack,
        }
    }
}

/// So many callers up those are looked for who hold what others wait for.
const CALLERS: usize = 3;

/// What is seen of threads at a place past another.
#[derive(Default)]
struct SeenPast {
    threads: f64,
    times: u64,
    /// How often in each state but on a CPU.
    states: BTreeMap<String, u64>,
}

impl SeenPast {
    fn add(&mut self, told: &ToldStacks, stack: &ToldStack) {
        self.times += stack.count;
        self.threads += threads(told, stack);
        if stack.state != "cpu" {
            *self.states.entry(stack.state.clone()).or_default() += stack.count;
        }
    }

    /// Who holds a lock is one thread alone, and may be there seldom; to compute there now and then is no holding.
    fn is_enough(&self, is_lock: bool) -> bool {
        let holds = is_lock && self.times >= LEAST_HOLDING && !self.states.is_empty();
        holds || self.threads >= LEAST_THREADS
    }

    fn state(&self) -> String {
        let most = self.states.iter().max_by_key(|(_, count)| **count);
        most.map_or("cpu", |(state, _)| state.as_str()).to_owned()
    }
}

/// Where those are that have passed the place at which others wait, waiting or on a CPU: what they do holds the
/// others up. They are in the same function, but not at that place; or, where a lock is taken in a function of its
/// own, behind the call of it in one of its callers. Without lines, a place is the function and the call that it
/// makes. A lock that a library takes is passed in the library.
fn past(
    told: &ToldStacks,
    waiting: &WaitingSeen<'_>,
    waits_in: &str,
    by: &str,
) -> Option<(String, String, f64)> {
    let own: Vec<&NamedFrame> = own_calls(told, waiting.stack).take(CALLERS).collect();
    let passed = |depth: usize, stack: &ToldStack| {
        let (innermost, call) = place_in(told, stack)?;
        let is_same = innermost == waits_in;
        if is_same && (!waiting.is_lock || call == by || call.is_empty()) {
            return None;
        }
        let is_past = own_calls(told, stack).any(|call| passes(call, own[depth], depth));
        is_past.then_some(if is_same { call } else { innermost })
    };
    let seen = |passed: &dyn Fn(&ToldStack) -> Option<String>| {
        let mut places: BTreeMap<String, SeenPast> = BTreeMap::new();
        for stack in &told.stacks {
            if let Some(place) = passed(stack) {
                places.entry(place).or_default().add(told, stack);
            }
        }
        places
    };
    let in_library = library_calls(told, waiting.stack)
        .into_iter()
        .find_map(|at| all_behind(seen(&|stack| behind_in_library(told, stack, at))));
    in_library.or_else(|| {
        (0..own.len()).find_map(|depth| {
            let enough = seen(&|stack| passed(depth, stack))
                .into_iter()
                .filter(|(_, seen)| seen.is_enough(waiting.is_lock));
            let most = enough.max_by(|a, b| a.1.threads.total_cmp(&b.1.threads))?;
            Some((most.0, most.1.state(), most.1.threads))
        })
    })
}

/// Of all that have passed one line, what most of them do: whatever it is, they hold what others wait for.
fn all_behind(places: BTreeMap<String, SeenPast>) -> Option<(String, String, f64)> {
    let threads: f64 = places.values().map(|seen| seen.threads).sum();
    let most = places
        .into_iter()
        .max_by(|a, b| a.1.threads.total_cmp(&b.1.threads))?;
    (threads >= LEAST_THREADS).then(|| (most.0, most.1.state(), threads))
}

/// The calls of a library with lines through which own code came to where it waits, the innermost first; without those
/// that take locks for anybody.
fn library_calls<'a>(told: &'a ToldStacks, stack: &'a ToldStack) -> Vec<&'a NamedFrame> {
    let below = told.calls(stack).take_while(|call| !is_own(call));
    let mut calls: Vec<&NamedFrame> = below.collect();
    let is_lock = |call: &&NamedFrame| LOCKS.iter().any(|name| call.function.contains(name));
    let from = calls.iter().rposition(is_lock).map_or(0, |at| at + 1);
    calls.drain(..from);
    calls.retain(|call| has_line(call));
    calls
}

fn has_line(call: &NamedFrame) -> bool {
    call.line.is_some_and(|line| line > 0)
}

/// Where a stack is that has passed the line of a call in a library: the innermost function there that has lines.
fn behind_in_library(told: &ToldStacks, stack: &ToldStack, at: &NamedFrame) -> Option<String> {
    let calls: Vec<&NamedFrame> = told.calls(stack).collect();
    let passed = calls.iter().position(|call| passes(call, at, 1))?;
    let within = calls[..=passed].iter().find(|call| has_line(call));
    within.map(|call| call.function.clone())
}

/// Whether a call is in the function of another; of callers, and behind it: only the line tells.
fn passes(call: &NamedFrame, at: &NamedFrame, depth: usize) -> bool {
    let same = call.function == at.function && call.file == at.file;
    let behind = || call.line.zip(at.line).is_some_and(|(own, its)| own > its);
    same && (depth == 0 || behind())
}

fn own_calls<'a>(
    told: &'a ToldStacks,
    stack: &'a ToldStack,
) -> impl Iterator<Item = &'a NamedFrame> {
    told.calls(stack).filter(|call| is_own(call))
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

//! Runs of small plans against a real server, and what they told.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use plimsoll_access::Access;
use plimsoll_load::clock::Clock;
use plimsoll_load::engine::{Ended, Event, Observer, Options, Second, Share, Values, run};
use plimsoll_plan::compile::{CompileOptions, compile};
use plimsoll_plan::parse_yaml;
use plimsoll_plan::program::Program;

/// A plan compiled; the folder is where its files are.
pub fn program_in(folder: &std::path::Path, yaml: &str) -> Arc<Program> {
    let (plan, _) = parse_yaml(yaml, "plan.yaml").unwrap_or_else(|problems| panic!("{problems:?}"));
    let options = CompileOptions {
        folder: folder.to_owned(),
        ..CompileOptions::default()
    };
    Arc::new(compile(&plan, &options).unwrap_or_else(|problems| panic!("{problems:?}")))
}

pub fn program(yaml: &str) -> Arc<Program> {
    program_in(std::path::Path::new("."), yaml)
}

/// What a run told.
#[derive(Default)]
pub struct Seen {
    pub started: Option<Clock>,
    pub found: Values,
    pub withheld: u64,
    pub dropped_iterations: u64,
    /// Seconds that were told.
    pub seconds: Vec<u64>,
    pub events: Vec<Event>,
    /// Told of the clock when the run is ready and when its clock is known.
    pub tells: Option<Sender<Told>>,
}

/// A step on the way to the load.
#[derive(Debug)]
pub enum Told {
    Ready,
    Started(Clock),
}

impl Seen {
    /// With somebody who hears of the way to the load.
    pub fn told() -> (Self, Receiver<Told>) {
        let (tells, told) = channel();
        let seen = Self {
            tells: Some(tells),
            ..Self::default()
        };
        (seen, told)
    }

    /// The ids of events and when they happened.
    pub fn events(&self) -> BTreeMap<&str, u64> {
        let ids = self.events.iter();
        ids.map(|event| (event.message.id.as_str(), event.at_ns))
            .collect()
    }
}

impl Observer for Seen {
    fn ready(&mut self) {
        if let Some(tells) = &self.tells {
            tells.send(Told::Ready).unwrap();
        }
    }

    fn found(&mut self, values: &Values) {
        self.found = values.clone();
    }

    fn started(&mut self, clock: Clock) {
        self.started = Some(clock);
        if let Some(tells) = &self.tells {
            tells.send(Told::Started(clock)).unwrap();
        }
    }

    fn labels(&mut self, _: &[plimsoll_stats::LabelInfo]) {}

    fn second(&mut self, second: &Second<'_>) {
        self.seconds.push(second.second);
        self.withheld += second.generator.withheld;
        for (_, interval) in second.labels.iter() {
            self.dropped_iterations += interval.dropped_iterations;
        }
    }

    fn event(&mut self, event: &Event) {
        self.events.push(event.clone());
    }
}

pub fn share(index: u32, count: u32) -> Options {
    Options {
        share: Share::new(index, count).unwrap(),
        threads: Some(2),
        seed: 7,
        access: Access::of_user(),
        ..Options::default()
    }
}

pub fn run_with(program: &Arc<Program>, options: &Options) -> (Seen, Ended) {
    let mut seen = Seen::default();
    let ended = run(program, options, &mut seen).unwrap();
    (seen, ended)
}

/// Runs all shares side by side.
pub fn run_shares(program: &Arc<Program>, count: u32) -> Vec<(Seen, Ended)> {
    std::thread::scope(|scope| {
        let share = |index| scope.spawn(move || run_with(program, &share(index, count)));
        let runs: Vec<_> = (0..count).map(share).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    })
}

/// Waits until something holds; a test that waits in vain fails.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..3000 {
        if holds() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("never: {what}");
}

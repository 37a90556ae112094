//! What the tests of this folder share.

#![allow(dead_code, clippy::unwrap_used, clippy::expect_used)]

use std::collections::HashMap;
use std::process::Command;

use plimsoll_watch::{Collector, Look, LookNote, Opened, Spec, Trouble};

/// A source whose collectors look when the test says so.
pub struct Source {
    opened: Opened,
    runtime: tokio::runtime::Runtime,
    pub notes: Vec<LookNote>,
    pub facts: HashMap<String, String>,
}

impl Source {
    pub fn open(text: &str) -> Self {
        Self::of(&Spec::parse(text).unwrap())
    }

    pub fn of(spec: &Spec) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        Self {
            opened: spec.open().unwrap(),
            runtime,
            notes: Vec::new(),
            facts: HashMap::new(),
        }
    }

    /// All collectors look once: values by `name{attribute=value,…}`.
    pub fn look(&mut self) -> HashMap<String, f64> {
        self.try_look()
            .unwrap_or_else(|trouble| panic!("{trouble}"))
    }

    /// The same, or the first failure; what was seen before it is lost.
    pub fn try_look(&mut self) -> Result<HashMap<String, f64>, Trouble> {
        let mut look = Look::at(0);
        let mut failure = None;
        for collector in &mut self.opened.collectors {
            let collector: &mut dyn Collector = collector.as_mut();
            let result = self.runtime.block_on(collector.collect(&mut look));
            failure = failure.or(result.err());
        }
        let points = look.points().map(|(key, value)| {
            let attributes: Vec<_> = key
                .attributes
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            (format!("{}{{{}}}", key.name, attributes.join(",")), *value)
        });
        let points = points.collect();
        let facts = look.facts().iter();
        self.facts
            .extend(facts.map(|fact| (fact.name.clone(), fact.value.clone())));
        self.notes.extend(look.notes().iter().cloned());
        failure.map_or(Ok(points), Err)
    }

    /// The ids of the notes so far.
    pub fn noted(&self) -> Vec<&str> {
        self.notes
            .iter()
            .map(|note| note.message.id.as_str())
            .collect()
    }
}

/// A value that must be there.
pub fn get(look: &HashMap<String, f64>, name: &str) -> f64 {
    *look
        .get(name)
        .unwrap_or_else(|| panic!("{name} in {look:#?}"))
}

/// What a tool writes.
pub fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .env("LC_ALL", "C")
        // What nstat remembers of earlier calls must not count.
        .env("NSTAT_HISTORY", "/dev/null")
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(output.status.success(), "{program}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

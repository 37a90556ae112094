//! What holds for all requests of a block.

use std::time::Duration;

use super::{
    Check, CsvData, Element, Extract, Headers, HttpSettings, OnError, Pause, Span, Text, Variable,
};

/// What holds for every request in a block and below it. The compiler resolves it: nearer
/// settings win field by field, lists add up from the outside in.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    /// HTTP settings, the last one nearest.
    pub http: Vec<HttpSettings>,
    /// Headers to set.
    pub headers: Vec<Headers>,
    /// Rows of files that become variables.
    pub data: Vec<CsvData>,
    /// Counters, advanced once an iteration.
    pub counters: Vec<Counter>,
    /// Variables set when the scope is entered.
    pub variables: Vec<Variable>,
    /// Run before each request, outside in.
    pub before: Vec<Processor>,
    /// Waited for before each request; several add up.
    pub pauses: Vec<ScopePause>,
    /// Run after each request, before the checks.
    pub after: Vec<Processor>,
    /// Checked on each response.
    pub checks: Vec<Check>,
    /// What a failed sample does, checks included; the nearest rule wins, that of the
    /// scenario is the farthest.
    pub on_error: Option<OnError>,
    /// Configuration and listeners; each holds for all samplers below it.
    pub elements: Vec<Element>,
    /// Elements that work each time the scope is entered (JMeter's iteration listeners:
    /// counters, random variables).
    pub on_pass: Vec<Element>,
}

impl Scope {
    /// Puts an element that is told of passes behind all that is there.
    pub fn push_on_pass(&mut self, element: Element) {
        self.put_behind(1);
        self.on_pass.push(element);
    }

    /// Puts all that another scope has told of passes behind all that is there.
    pub fn append_told(&mut self, other: &mut Self) {
        self.put_behind(other.on_pass.len() as u64);
        self.data.append(&mut other.data);
        self.on_pass.append(&mut other.on_pass);
    }

    fn put_behind(&mut self, elements: u64) {
        for data in &mut self.data {
            data.elements_behind += elements;
        }
    }
}

/// Something done before or after each request in scope.
#[derive(Debug, Clone)]
pub enum Processor {
    /// Take a value from the response (after only).
    Extract(Extract),
    /// Run a script.
    Script(Script),
    /// Set a variable.
    Set(Variable),
    /// Act on the last sample's failure before its checks (after only; JMeter's Result
    /// Status Action).
    OnError(OnError),
    /// An element.
    Element(Element),
}

/// What delays each request in scope.
#[derive(Debug, Clone)]
pub enum ScopePause {
    /// Think time.
    Think(Pause),
    /// Wait until so many users are here.
    Rendezvous(Rendezvous),
    /// Keep to a throughput, of this user or of all users.
    Throughput {
        /// Samples a minute.
        per_minute: Text,
        /// Who shares it.
        shared_by: SharedBy,
    },
    /// An element.
    Element(Element),
}

/// Who shares a thing that crosses users.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SharedBy {
    /// Each user has its own.
    User,
    /// The users of one scenario share one.
    Scenario,
    /// All users share one.
    #[default]
    All,
}

/// A rendezvous.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rendezvous {
    /// Name; steps of one name share one rendezvous.
    pub name: String,
    /// Users to wait for; 0: all users of the scenario.
    pub users: u32,
    /// Longest wait; those waiting then go on.
    pub timeout: Option<Duration>,
    /// Where it is written.
    pub at: Span,
}

/// A counter.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Counter {
    /// Variable that gets the value.
    pub variable: String,
    /// First value.
    pub start: i64,
    /// Step.
    pub step: i64,
    /// After this value it starts again.
    pub end: Option<i64>,
    /// `printf`-like width: zeros on the left up to so many digits.
    pub digits: u8,
    /// Starts again at each iteration of the user (only with [`SharedBy::User`]).
    pub reset_each_iteration: bool,
    /// A pattern of Java's `DecimalFormat`; wins over `digits`.
    pub format: Option<String>,
    /// Who shares it.
    pub shared_by: SharedBy,
    /// Where it is written.
    pub at: Span,
}

/// A script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// Its language.
    pub language: Language,
    /// Its text; not a template.
    pub source: String,
    /// Where it begins.
    pub at: Span,
}

/// Languages of scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// JavaScript on QuickJS.
    #[default]
    JavaScript,
}

//! Small plans of elements, and what a run of them recorded.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_access::Access;
use plimsoll_jmeter::JMeterOptions;
use plimsoll_load::LoggedSample;
use plimsoll_load::clock::Clock;
use plimsoll_load::engine::{Ended, Event, Observer, Options, Second, run};
use plimsoll_plan::compile::{CompileOptions, compile};
use plimsoll_plan::model::*;
use plimsoll_stats::{LabelId, LabelInfo, LabelKind};

pub fn element(class: &str, name: &str, properties: &[(&str, &str)]) -> Element {
    let text =
        |(key, value): &(&str, &str)| ((*key).to_owned(), ElementValue::Text(Text::of(*value)));
    Element {
        class: class.to_owned(),
        name: Text::of(name),
        properties: properties.iter().map(text).collect(),
        at: Span::default(),
    }
}

/// JMeter's JavaTest sampler, which responds as it is told, at once.
pub fn java(name: &str, arguments: &[(&str, &str)]) -> Element {
    let mut sampler = element(
        "JavaSampler",
        name,
        &[("classname", "org.apache.jmeter.protocol.java.test.JavaTest")],
    );
    let defaults = [
        ("Sleep_Time", "0"),
        ("Status", "OK"),
        ("ResponseCode", "200"),
    ];
    let arguments = defaults.iter().chain(arguments).map(|(name, value)| {
        let argument = [("Argument.name", *name), ("Argument.value", *value)];
        ElementValue::Element(Box::new(element("Argument", name, &argument)))
    });
    let mut list = element("Arguments", "", &[]);
    let all = ElementValue::List(arguments.collect());
    list.properties
        .push(("Arguments.arguments".to_owned(), all));
    let list = ElementValue::Element(Box::new(list));
    sampler.properties.push(("arguments".to_owned(), list));
    sampler
}

pub fn step(kind: StepKind) -> Step {
    Step {
        kind,
        enabled: true,
        at: Span::default(),
    }
}

pub fn sampler(element: Element) -> Sampler {
    Sampler {
        label: element.name.clone(),
        kind: SamplerKind::Element(element),
        before: Vec::new(),
        after: Vec::new(),
        checks: Vec::new(),
        at: Span::default(),
    }
}

pub fn sample(element: Element) -> Step {
    step(StepKind::Sample(Box::new(sampler(element))))
}

/// Rows of a file.
pub fn rows(name: &str, file: &str, columns: &[&str]) -> CsvData {
    CsvData {
        name: name.to_owned(),
        path: Text::of(file),
        columns: columns.iter().map(|&column| column.to_owned()).collect(),
        has_header: columns.is_empty(),
        delimiter: b',',
        separator: None,
        encoding: "UTF-8".to_owned(),
        order: DataOrder::Sequential,
        at_end: AtEnd::Recycle,
        shared_by: SharedBy::All,
        group: None,
        quoted: false,
        verbatim: false,
        elements_behind: 0,
        at: Span { line: 3, column: 5 },
    }
}

pub fn transaction(name: &str, as_parent: bool, steps: Vec<Step>) -> Step {
    step(StepKind::Transaction {
        label: Text::of(name),
        include_pauses: false,
        as_parent,
        body: Block {
            steps,
            ..Block::default()
        },
    })
}

/// A thread group: so many users, so many iterations.
pub fn group(name: &str, users: u32, iterations: u64, steps: Vec<Step>) -> Scenario {
    let stage = UserStage {
        users,
        ramp: Duration::ZERO,
        hold: Duration::ZERO,
    };
    Scenario {
        name: name.to_owned(),
        load: Load::Users(UserLoad {
            stages: vec![stage],
            iterations_per_user: Some(iterations),
            iterations_total: None,
            ends_with_stages: false,
            new_users: false,
        }),
        start_delay: Duration::ZERO,
        end_after: None,
        grace: Duration::from_secs(5),
        pace: None,
        on_error: OnError::GoOn,
        same_user_each_iteration: true,
        left_out_before: 0,
        named_by_starter: false,
        body: Block {
            steps,
            ..Block::default()
        },
        at: Span::default(),
    }
}

pub fn plan(scenarios: Vec<Scenario>) -> Plan {
    Plan {
        name: "plan".to_owned(),
        undefined: Undefined::KeepLiteral,
        scenarios,
        ..Plan::default()
    }
}

/// A sample as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub label: String,
    pub kind: LabelKind,
    pub code: String,
    pub message: String,
    pub failure: String,
    pub ok: bool,
    pub user: u32,
    pub iteration: u64,
    pub service_ms: u64,
}

/// What a run told.
#[derive(Default)]
pub struct Seen {
    labels: HashMap<LabelId, LabelInfo>,
    samples: Vec<LoggedSample>,
    /// Samples of each label in the statistics.
    pub counts: HashMap<LabelId, u64>,
    pub events: Vec<Event>,
}

impl Observer for Seen {
    fn started(&mut self, _: Clock) {}

    fn labels(&mut self, labels: &[LabelInfo]) {
        self.labels
            .extend(labels.iter().map(|info| (info.id, info.clone())));
    }

    fn second(&mut self, second: &Second<'_>) {
        self.samples.extend(second.samples.iter().cloned());
        for (label, interval) in second.labels.iter() {
            *self.counts.entry(label).or_default() +=
                interval.ok.service().count() + interval.err.service().count();
        }
    }

    fn event(&mut self, event: &Event) {
        self.events.push(event.clone());
    }
}

impl Seen {
    pub fn rows(&self) -> Vec<Row> {
        let row = |sample: &LoggedSample| Row {
            label: self.labels[&sample.label].name.clone(),
            kind: sample.kind,
            code: sample.code.to_string(),
            message: sample.message.clone(),
            failure: sample.failure.clone(),
            ok: sample.error.is_none(),
            user: sample.user,
            iteration: sample.iteration,
            service_ms: sample.service_ns / 1_000_000,
        };
        self.samples.iter().map(row).collect()
    }

    /// The labels in the order in which their samples ended.
    pub fn order(&self) -> Vec<String> {
        self.rows().into_iter().map(|row| row.label).collect()
    }

    /// How many samples of a name and kind the statistics count.
    pub fn count(&self, name: &str, kind: LabelKind) -> u64 {
        let of = |info: &&LabelInfo| info.name == name && info.kind == kind;
        let ids = self.labels.values().filter(of).map(|info| info.id);
        ids.filter_map(|id| self.counts.get(&id)).sum()
    }

    pub fn log(&self) -> Vec<String> {
        let text = |event: &Event| plimsoll_text::render(plimsoll_text::Lang::En, &event.message);
        self.events.iter().map(text).collect()
    }
}

pub fn options() -> Options {
    Options {
        threads: Some(1),
        log_samples: true,
        access: Access::of_user(),
        extension: Some(Arc::new(JMeterOptions::default())),
        ..Options::default()
    }
}

pub fn run_with(plan: &Plan, options: &Options) -> (Seen, Ended) {
    let program = compile(plan, &CompileOptions::default()).unwrap();
    let mut seen = Seen::default();
    let ended = run(&Arc::new(program), options, &mut seen).unwrap();
    (seen, ended)
}

pub fn run_plan(plan: &Plan) -> Seen {
    run_with(plan, &options()).0
}

//! A study of `plimsoll tune`: a document of its own, read by the same machinery.

use std::collections::HashSet;
use std::time::Duration;

use plimsoll_text::Message;

use super::base::*;
use super::plan::Goals;
use crate::error::Problem;
use crate::model::Text;
use crate::study::{
    AgentScope, LEAST_MEASURE, ReadBackSpec, Study, StudyComponent, StudyKnob, StudyObjective,
    StudySearch,
};
use crate::yaml::full_width;
use crate::yaml::node::shown;

/// Runs at most, where nothing is said.
const TRIALS: &str = "60";
/// Who errs more often may as well throw a coin, percent.
const MOST_ERROR_RATE: f64 = 50.0;
/// A shorter lease would end at each breath of the link, seconds.
const LEAST_LEASE_S: f64 = 2.0;
/// What the agent's own file says of a component, and a study cannot.
const OF_AGENT: [&str; 7] = [
    "stop",
    "reload",
    "ready",
    "ready-within",
    "stop-within",
    "folder",
    "database",
];

object! { impl Study = "study", {
    ["name" => name: Filled<AnyString>, "study-name"]
    ["plan" => plan: AnyText, "study-plan"]
    ["objective" => objective: Objective = "maximise throughput", "study-objective"]
    ["constraints" => constraints: Filled<Goals>, "study-constraints"]
    ["most-memory" => most_memory: Maybe<Size>, "study-most-memory"]
    ["most-cpu" => most_cpu: Maybe<Cpus>, "study-most-cpu"]
    ["components" => components: MapEntries<OneComponent>, "study-components"]
    ["knobs" => knobs: MapEntries<OneKnob>, "study-knobs"]
    ["relations" => relations: Filled<List<AnyText>>, "study-relations"]
    ["allow" => allow: Filled<List<AnyText>>, "study-allow"]
    ["never" => never: Filled<List<AnyText>>, "study-never"]
    ["reset" => reset: Maybe<AnyText>, "study-reset"]
    ["search" => search: StudySearch = "model", "study-search"]
    ["users" => users: Maybe<Count>, "study-users"]
    ["measure" => measure: Maybe<Time> = "20s", "study-measure"]
    ["warm-up" => warm_up: Maybe<Time> = "60s", "study-warm-up"]
    ["trials" => trials: Count = "60", "study-trials"]
    ["time" => time: Maybe<Time>, "study-time"]
    ["error-rate" => error_rate: Maybe<Percent> = "5%", "study-error-rate"]
    ["smallest-gain" => smallest_gain: Maybe<Percent> = "3%", "study-smallest-gain"]
    ["seed" => seed: Maybe<LongCountOrZero>, "study-seed"]
} then study_is_whole; }

object! { impl AgentScope = "agent-scope", {
    ["components" => components: MapEntries<OneComponent>, "study-components"]
    ["knobs" => knobs: MapEntries<OneKnob>, "study-knobs"]
    ["relations" => relations: Filled<List<AnyText>>, "study-relations"]
    ["allow" => allow: Filled<List<AnyText>>, "study-allow"]
    ["never" => never: Filled<List<AnyText>>, "study-never"]
    ["lease" => lease: Maybe<Time> = "15s", "agent-scope-lease"]
} then scope_is_whole; }

words! { impl StudySearch {
    "model" = StudySearch::Model,
    "random" = StudySearch::Random,
    "one-at-a-time" = StudySearch::OneAtATime,
    "advice-only" = StudySearch::AdviceOnly,
} }

/// `maximise throughput`, `minimise p99` …
pub(crate) struct Objective;

impl Form for Objective {
    type Of = StudyObjective;

    fn kind() -> Kind {
        static LEAF: Leaf = Leaf {
            id: "objective",
            accept: Accept::Form {
                pattern: r"^\s*(maximi[sz]e\s+(throughput|capacity)|minimi[sz]e\s+(mean|memory|p(50|90|95|99|99\.9)))\b",
                numbers: None,
                test: |text| StudyObjective::parse(text).is_some(),
            },
        };
        Kind::Leaf(&LEAF)
    }

    fn read(_: &mut Decoder<'_>, node: &Node) -> Option<StudyObjective> {
        StudyObjective::parse(node.scalar()?)
    }

    fn write(objective: &StudyObjective) -> Yaml {
        Yaml::Text(objective.text())
    }
}

object! { impl StudyComponent = "study-component", {
    ["start" => start: Maybe<AnyText>, "component-start"]
    ["systemd" => systemd: Maybe<AnyText>, "component-systemd"]
    ["compose" => compose: Maybe<AnyText>, "component-compose"]
    ["running" => running: Flag = "false", "component-running"]
    ["agent" => agent: Maybe<AnyText>, "component-agent"]
    ["compose-file" => compose_file: Maybe<AnyText>, "component-compose-file"]
    ["folder" => folder: Maybe<AnyText>, "component-folder"]
    ["environment" => environment: Filled<MapEntries<Named<AnyText>>>, "component-environment"]
    ["stop" => stop: Maybe<AnyText>, "component-stop"]
    ["reload" => reload: Maybe<AnyText>, "component-reload"]
    ["ready" => ready: Maybe<AnyText>, "component-ready"]
    ["ready-within" => ready_within: Maybe<Time> = "60s", "component-ready-within"]
    ["stop-within" => stop_within: Maybe<Time> = "20s", "component-stop-within"]
    ["watch" => watch: Filled<List<AnyText>>, "component-watch"]
    ["database" => database: Maybe<AnyText>, "component-database"]
} exclude &[exactly_one(&["start", "systemd", "compose", "running", "agent"])]; then how_it_runs; }

object! { impl StudyKnob = "study-knob", {
    ["knob" => knob: Maybe<AnyText>, "knob-knob"]
    ["key" => key: Maybe<AnyText>, "knob-key"]
    ["argument" => argument: Maybe<AnyText>, "knob-argument"]
    ["env" => env: Maybe<AnyText>, "knob-env"]
    ["command" => command: Maybe<AnyText>, "knob-command"]
    ["sql" => sql: Maybe<AnyText>, "knob-sql"]
    ["of" => of: Maybe<AnyText>, "knob-of"]
    ["file" => file: Maybe<AnyText>, "knob-file"]
    ["format" => format: Maybe<AnyText>, "knob-format"]
    ["range" => range: Maybe<RangeText>, "knob-range"]
    ["step" => step: Maybe<AnyText>, "knob-step"]
    ["unit" => unit: Maybe<AnyText>, "knob-unit"]
    ["by-ratio" => by_ratio: Flag = "false", "knob-by-ratio"]
    ["values" => values: Filled<List<AnyText>>, "knob-values"]
    ["default" => default: Maybe<AnyText>, "knob-default"]
    ["only-if" => only_if: Maybe<AnyText>, "knob-only-if"]
    ["by-reload" => by_reload: Flag = "false", "knob-by-reload"]
    ["read-back" => read_back: Maybe<ReadBackSpec>, "knob-read-back"]
} exclude &[
    at_most_one(&["key", "argument", "env", "command", "sql"]),
    at_most_one(&["knob", "argument", "env", "command", "sql"]),
    at_most_one(&["range", "values"]),
]; then knob_is_whole; }

tagged! { impl ReadBackSpec = "read-back", {
    "read-back-http" => (ReadBackSpec::Http(url, pointer)), {
        ["http" => url: Url, "read-back-http"]
        ["pointer" => pointer: Maybe<AnyText>, "read-back-pointer"]
    }
    "read-back-command" => (ReadBackSpec::Command(command)), { ["command" => command: AnyText, "read-back-command"] }
    "read-back-sql" => (ReadBackSpec::Sql(question)), { ["sql" => question: AnyText, "read-back-sql"] }
    "read-back-nothing" => (ReadBackSpec::Nothing(unseen)), { ["nothing" => unseen: Flag, "read-back-nothing"] }
} }

/// A component under its name.
struct OneComponent;

impl MapEntry for OneComponent {
    type Of = StudyComponent;

    fn entry_kind() -> Kind {
        StudyComponent::kind()
    }

    fn read_entry(decoder: &mut Decoder<'_>, name: &Name, node: &Node) -> Option<StudyComponent> {
        let component = decoder.value::<StudyComponent>(node)?;
        let (name, at) = (name.name.clone(), name.at);
        Some(StudyComponent {
            name,
            at,
            ..component
        })
    }

    fn write_entry(component: &StudyComponent) -> (String, Yaml) {
        (component.name.clone(), StudyComponent::write(component))
    }
}

/// A knob under its name.
struct OneKnob;

impl MapEntry for OneKnob {
    type Of = StudyKnob;

    fn entry_kind() -> Kind {
        StudyKnob::kind()
    }

    fn read_entry(decoder: &mut Decoder<'_>, name: &Name, node: &Node) -> Option<StudyKnob> {
        let mut knob = decoder.value::<StudyKnob>(node)?;
        let says_nothing = knob.range.is_none() && knob.values.is_empty();
        // Names of the registry have a point; one that says its place and not what it may be is meant to be known.
        let is_known = says_nothing && is_placed(&knob) && name.name.contains('.');
        if knob.knob.is_none() && (!is_own(&knob) || is_known) {
            knob.knob = Some(Text {
                at: name.at,
                ..Text::of(&name.name)
            });
        }
        if knob.knob.is_none() && says_nothing {
            decoder.error(node.at, "study-knob-without-values");
        }
        let (name, at) = (name.name.clone(), name.at);
        Some(StudyKnob { name, at, ..knob })
    }

    fn write_entry(knob: &StudyKnob) -> (String, Yaml) {
        (knob.name.clone(), StudyKnob::write(knob))
    }
}

/// A whole study.
pub(crate) fn read_study(root: &Node, problems: &mut Vec<Problem>) -> Study {
    full_width::in_study(root, problems);
    let mut decoder = Decoder {
        problems,
        any_name: true,
    };
    let trials = TRIALS.parse().unwrap_or_default();
    Study::read(&mut decoder, root).unwrap_or_else(|| Study {
        trials,
        ..Study::default()
    })
}

/// What an agent lets studies change.
pub(crate) fn read_agent_scope(root: &Node, problems: &mut Vec<Problem>) -> AgentScope {
    full_width::in_study(root, problems);
    let mut decoder = Decoder {
        problems,
        any_name: true,
    };
    AgentScope::read(&mut decoder, root).unwrap_or_default()
}

/// An agent has its components itself.
fn scope_is_whole(decoder: &mut Decoder<'_>, node: &Node, scope: &mut AgentScope) {
    names_are_known(decoder, node, &scope.components, &scope.knobs);
    for component in &scope.components {
        if let Some(agent) = &component.agent {
            let message = Message::new("agent-scope-chained").with("name", shown(&component.name));
            decoder.tell(agent.at, message);
        }
    }
    let too_short = |lease: &std::time::Duration| lease.as_secs_f64() < LEAST_LEASE_S;
    if scope.lease.as_ref().is_some_and(too_short) {
        let at = node.get("lease").map_or(node.at, |value| value.at);
        let message = Message::new("agent-scope-lease-short").with("least", LEAST_LEASE_S);
        decoder.tell(at, message);
    }
}

/// What a component can do hangs on how it is run.
fn how_it_runs(decoder: &mut Decoder<'_>, node: &Node, component: &mut StudyComponent) {
    if component.running && component.reload.is_none() {
        decoder.error(node.at, "study-running-without-reload");
    }
    if component.agent.is_some() {
        for (key, value) in OF_AGENT
            .iter()
            .filter_map(|key| Some((key, node.get(key)?)))
        {
            let message = Message::new("study-says-the-agent").with("key", *key);
            decoder.tell(value.at, message);
        }
    }
    if component.ready_within.is_some_and(|it| it.is_zero()) {
        cannot_judge(decoder, node, "ready-within");
    }
    let mut only_with = |key: &'static str, is_there: bool, other: &'static str| {
        if let (Some(value), false) = (node.get(key), is_there) {
            let message = Message::new("study-only-with")
                .with("key", key)
                .with("other", other);
            decoder.tell(value.at, message);
        }
    };
    only_with("environment", component.start.is_some(), "start");
    let elsewhere = component.agent.is_some();
    only_with("folder", component.start.is_some() || elsewhere, "start");
    only_with("stop", component.start.is_some() || elsewhere, "start");
    only_with("compose-file", component.compose.is_some(), "compose");
}

/// Whether a knob says itself where it is, so that its name is the study's alone.
const fn is_own(knob: &StudyKnob) -> bool {
    knob.key.is_some() || is_set_otherwise(knob)
}

const fn is_set_otherwise(knob: &StudyKnob) -> bool {
    knob.argument.is_some() || knob.env.is_some() || knob.command.is_some() || knob.sql.is_some()
}

/// Whether it says its place in a file, as a knob by name may, too.
const fn is_placed(knob: &StudyKnob) -> bool {
    knob.key.is_some() && !is_set_otherwise(knob)
}

/// A knob says where it is, and each value once.
fn knob_is_whole(decoder: &mut Decoder<'_>, node: &Node, knob: &mut StudyKnob) {
    if knob.key.is_some() && knob.file.is_none() {
        let message = Message::new("study-only-with")
            .with("key", "key")
            .with("other", "file");
        decoder.tell(node.at, message);
    }
    let mut seen = HashSet::new();
    for value in &knob.values {
        if !seen.insert(&value.raw) {
            let message = Message::new("study-value-twice").with("value", shown(&value.raw));
            decoder.tell(value.at, message);
        }
    }
    let with_value = [
        ("argument", &knob.argument),
        ("command", &knob.command),
        ("sql", &knob.sql),
    ];
    for (key, text) in with_value {
        if let Some(text) = text.as_ref().filter(|text| !text.raw.contains("{}")) {
            let message = Message::new("study-no-place-for-value")
                .with("place", key)
                .with("text", shown(&text.raw));
            decoder.tell(text.at, message);
        }
    }
}

/// Names in one place of the study are those of another, and something can come out.
fn study_is_whole(decoder: &mut Decoder<'_>, node: &Node, study: &mut Study) {
    names_are_known(decoder, node, &study.components, &study.knobs);
    let percent = |text: &Option<Text>| text.as_ref()?.raw.trim().parse::<f64>().ok();
    let not_within = |text: &Option<Text>, least: f64, most: f64| {
        percent(text).is_some_and(|it| it <= least || it > most)
    };
    // Nothing can fall by all that it is.
    let falls = study.objective.parts.first().is_some_and(|it| !it.maximise);
    let is_whole = falls && percent(&study.smallest_gain).is_some_and(|it| it >= 100.0);
    let seconds = |time: &Option<Duration>| time.map(|it| it.as_secs_f64());
    let too_short = study.measure.is_some_and(|it| it < LEAST_MEASURE);
    let without_time = seconds(&study.time).is_some_and(|it| it <= 0.0);
    for (key, is_wrong) in [
        (
            "error-rate",
            not_within(&study.error_rate, 0.0, MOST_ERROR_RATE),
        ),
        ("smallest-gain", is_whole),
        ("measure", too_short),
        ("time", without_time),
    ] {
        if is_wrong {
            cannot_judge(decoder, node, key);
        }
    }
}

/// A value with which no trial, or no study, says anything.
fn cannot_judge(decoder: &mut Decoder<'_>, node: &Node, key: &'static str) {
    let value = node.get(key);
    let text = value.and_then(Node::scalar).unwrap_or_default();
    let at = value.map_or(node.at, |value| value.at);
    decoder.tell(at, crate::study::cannot_judge(key, shown(text)));
}

fn names_are_known(
    decoder: &mut Decoder<'_>,
    node: &Node,
    components: &[StudyComponent],
    knobs: &[StudyKnob],
) {
    if components.is_empty() {
        decoder.error(node.at, "study-without-components");
    }
    if knobs.is_empty() {
        decoder.error(node.at, "study-without-knobs");
    }
    let names: Vec<&str> = components.iter().map(|it| it.name.as_str()).collect();
    for knob in knobs {
        match &knob.of {
            Some(of) if !names.contains(&of.raw.as_str()) => {
                let message = Message::new("study-unknown-component")
                    .with("name", shown(&of.raw))
                    .with("known", names.join(", "));
                decoder.tell(of.at, message);
            }
            None if names.len() > 1 => {
                let message = Message::new("study-knob-of-which")
                    .with("name", shown(&knob.name))
                    .with("known", names.join(", "));
                decoder.tell(knob.at, message);
            }
            _ => {}
        }
    }
}

//! What holds for the requests of a plan, a scenario or a block of steps, and what is done before
//! and after each.

use super::base::*;
use super::checks::Checks;
use super::saves::Saves;
use super::settings::TargetKey;
use super::texts::HeaderLists;
use super::variables::{DataFiles, VariableKeys};
use crate::model::{
    Action, Counter, Element, Extract, HttpSettings, OnError, Pause, Processor, Scope, ScopePause,
    Script, Variable,
};

keys! { impl Scope, shared "scope" {
    [..TargetKey]
    ["headers" => headers: Filled<HeaderLists>, "headers"]
    ["variables" => variables: Filled<VariableKeys>, "variables"]
    ["data" => data: Filled<DataFiles>, "data"]
    ["counters" => counters: Filled<MapEntries<Counter>>, "counters"]
    ["think" >> pauses: Maybe<Pause>, "think-scope"]
    ["pauses" => +pauses: Filled<List<ScopePause>>, "pauses"]
    ["before" => before: Filled<Before>, "before"]
    ["save" >> after: Filled<Saves>, "save-scope"]
    ["after" => +after: Filled<After>, "after"]
    ["check" => checks: Filled<Checks>, "check-scope"]
    ["elements" => elements: Filled<List<Element>>, "element-scope"]
    ["on-pass" => on_pass: Filled<List<Element>>, "on-pass"]
} }

keys! {
    /// The scope of a block, with its own rule for failures.
    struct BlockScope: Scope, {
        [.. @2 Scope => *]
        [..ScopeSettings => http]
        ["on-error" @3 => on_error: Maybe<OnError>, "on-error-block"]
    }
}

/// The settings of a scope, its target among them.
pub(crate) struct ScopeSettings;

impl Keys for ScopeSettings {
    type Of = Vec<HttpSettings>;
    const PARTS: &'static [Part] = HttpSettings::PARTS;

    fn read_keys(decoder: &mut Decoder<'_>, node: &Node, into: &mut Vec<HttpSettings>) {
        let mut settings = HttpSettings::default();
        HttpSettings::read_keys(decoder, node, &mut settings);
        TargetKey::read_keys(decoder, node, &mut settings);
        if settings != HttpSettings::default() {
            into.push(settings);
        }
    }

    fn write_keys(all: &Vec<HttpSettings>, map: &mut Map) {
        for settings in all {
            TargetKey::write_keys(settings, map);
            HttpSettings::write_keys(settings, map);
        }
    }
}

/// An item of what is done before or after each request; some stand for several things.
enum AfterTask {
    Script(Script),
    Set(Vec<Variable>),
    Save(Vec<Extract>),
    OnError(OnError),
    Element(Element),
}

tagged! { impl AfterTask = "after-item", {
    "js-item" => (AfterTask::Script(script)), { ["js" => script: ScriptText, "js"] }
    "set-item" => (AfterTask::Set(variables)), { ["set" => variables: VariableKeys, "set"] }
    "save-item" => (AfterTask::Save(values)), { ["save" => values: Saves, "save"] }
    "on-error-item" => (AfterTask::OnError(rule)), { ["on-error" => rule: OnError, "on-error"] }
    "element-item" => (AfterTask::Element(element)), { ["element" => element: Element, "element"] }
} }

impl AfterTask {
    fn processors(self) -> Vec<Processor> {
        match self {
            Self::Script(script) => vec![Processor::Script(script)],
            Self::Set(variables) => variables.into_iter().map(Processor::Set).collect(),
            Self::Save(values) => values.into_iter().map(Processor::Extract).collect(),
            Self::OnError(rule) => vec![Processor::OnError(rule)],
            Self::Element(element) => vec![Processor::Element(element)],
        }
    }

    fn of(processor: &Processor) -> Self {
        match processor.clone() {
            Processor::Script(script) => Self::Script(script),
            Processor::Set(variable) => Self::Set(vec![variable]),
            Processor::Extract(extract) => Self::Save(vec![extract]),
            Processor::OnError(rule) => Self::OnError(rule),
            Processor::Element(element) => Self::Element(element),
        }
    }
}

/// What is done before or after each request.
pub(crate) struct AfterTasks;

impl Form for AfterTasks {
    type Of = Vec<Processor>;

    fn kind() -> Kind {
        List::<AfterTask>::kind()
    }

    fn read(decoder: &mut Decoder<'_>, node: &Node) -> Option<Vec<Processor>> {
        let tasks = List::<AfterTask>::read(decoder, node)?.into_iter();
        Some(tasks.flat_map(AfterTask::processors).collect())
    }

    fn write(processors: &Vec<Processor>) -> Yaml {
        let tasks = processors
            .iter()
            .map(|processor| AfterTask::write(&AfterTask::of(processor)));
        Yaml::List(tasks.collect())
    }
}

form_as! {
    /// What may be done after a request, before its checks.
    After = AfterTasks, AfterTasks::kind();
    /// What may be done before a request.
    Before = AfterTasks, Kind::List(|| Kind::Tagged(const { &Tagged {
        id: "before-item",
        cases: &[&[AfterTask::CASES[0], AfterTask::CASES[1], AfterTask::CASES[4]]],
    } }));
}

impl From<Extract> for Processor {
    fn from(extract: Extract) -> Self {
        Self::Extract(extract)
    }
}

words! { impl OnError {
    "continue" = OnError::GoOn,
    "next-pass" = OnError::Act(Action::Continue),
    "leave-loop" = OnError::Act(Action::Break),
    "next-iteration" = OnError::Act(Action::NextIteration),
    "stop-user" = OnError::Act(Action::StopUser),
    "stop-scenario" = OnError::Act(Action::StopScenario),
    "stop-run" = OnError::Act(Action::StopRun),
    "stop-run-now" = OnError::Act(Action::StopRunNow),
} }

words! { impl Action {
    "next-pass" = Action::Continue,
    "leave-loop" = Action::Break,
    "next-iteration" = Action::NextIteration,
    "stop-user" = Action::StopUser,
    "stop-scenario" = Action::StopScenario,
    "stop-run" = Action::StopRun,
    "stop-run-now" = Action::StopRunNow,
} }

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod controllers;
mod groups;
mod links;
mod scopes;
mod variables;

use std::collections::HashMap;
use std::io;
use std::path::Path;

use plimsoll_plan::Problem;
use plimsoll_plan::model::{
    Block, CheckOf, Choice, Condition, Items, Plan, Processor, SamplerKind, Scope, ScopePause,
    Step, StepKind, Text,
};

use super::{TranslateOptions, Translated, translate};
use crate::properties;
use crate::read::read;

/// A plan around what stands below the test plan, with properties and files to include.
struct Given<'g> {
    inner: &'g str,
    attributes: &'g str,
    properties: &'g str,
    files: HashMap<&'static str, String>,
    allow_unsupported: bool,
}

fn given(inner: &str) -> Given<'_> {
    Given {
        inner,
        attributes: "",
        properties: "",
        files: HashMap::new(),
        allow_unsupported: false,
    }
}

/// A file with a test plan of this name and properties.
fn file(properties: &str, inner: &str) -> String {
    format!(
        "<jmeterTestPlan version='1.2'><hashTree><TestPlan testname='plan'>{properties}</TestPlan>\
         <hashTree>{inner}</hashTree></hashTree></jmeterTestPlan>"
    )
}

/// A thread group with 1 thread and 1 loop around steps.
fn group(inner: &str) -> String {
    format!(
        "<ThreadGroup testname='tg'><stringProp name='ThreadGroup.num_threads'>1</stringProp>{}\
         </ThreadGroup><hashTree>{inner}</hashTree>",
        loops("1")
    )
}

fn loops(loops: &str) -> String {
    format!(
        "<elementProp name='ThreadGroup.main_controller' elementType='LoopController'>\
         <boolProp name='LoopController.continue_forever'>false</boolProp>\
         <stringProp name='LoopController.loops'>{loops}</stringProp></elementProp>"
    )
}

/// An element with properties and children.
fn el(class: &str, name: &str, properties: &[(&str, &str)], children: &str) -> String {
    let properties: String = properties
        .iter()
        .map(|(name, value)| format!("<stringProp name='{name}'>{value}</stringProp>"))
        .collect();
    format!("<{class} testname='{name}'>{properties}</{class}><hashTree>{children}</hashTree>")
}

fn sampler(name: &str) -> String {
    el("HTTPSamplerProxy", name, &[], "")
}

impl Given<'_> {
    fn translate(&self) -> Result<Translated, Vec<Problem>> {
        let tree = read(file(self.attributes, self.inner).as_bytes()).unwrap();
        let properties = properties::parse(self.properties.as_bytes());
        let read_file = |path: &Path| {
            let found = path.to_str().and_then(|path| self.files.get(path));
            let bytes = found.map(|text| text.clone().into_bytes());
            bytes.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
        };
        translate(
            &tree,
            &TranslateOptions {
                properties: &properties,
                folder: "dir".into(),
                plan_file: "p.jmx".to_owned(),
                allow_unsupported: self.allow_unsupported,
                read_file: &read_file,
            },
        )
    }

    fn plan(&self) -> Plan {
        self.translate().unwrap().plan
    }

    /// The ids of what is wrong.
    fn problems(&self) -> Vec<String> {
        let problems = match self.translate() {
            Ok(translated) => translated.warnings,
            Err(problems) => problems,
        };
        problems.into_iter().map(|it| it.message.id).collect()
    }
}

/// The steps in a thread group, as an outline.
fn outline(steps: &str) -> String {
    let inner = group(steps);
    let plan = given(&inner).plan();
    let mut out = String::new();
    block(&plan.scenarios[0].body, &mut out);
    out.trim().to_owned()
}

fn block(block: &Block, out: &mut String) {
    scope(&block.scope, out);
    for item in &block.steps {
        step(item, out);
    }
}

fn body(head: &str, inner: &Block, out: &mut String) {
    out.push_str(head);
    out.push_str("{ ");
    block(inner, out);
    out.push_str("} ");
}

fn scope(scope: &Scope, out: &mut String) {
    let mut items: Vec<String> = Vec::new();
    items.extend(scope.data.iter().map(|it| format!("data {}", it.path.raw)));
    items.extend(
        scope
            .counters
            .iter()
            .map(|it| format!("counter {}", it.variable)),
    );
    items.extend(
        scope
            .on_pass
            .iter()
            .map(|it| format!("pass {}", it.name.raw)),
    );
    items.extend(
        scope
            .elements
            .iter()
            .map(|it| format!("config {}", it.name.raw)),
    );
    let processor = |it: &Processor| match it {
        Processor::Element(element) => element.name.raw.clone(),
        other => format!("{other:?}"),
    };
    items.extend(
        scope
            .before
            .iter()
            .map(|it| format!("before {}", processor(it))),
    );
    items.extend(scope.pauses.iter().map(|it| match it {
        ScopePause::Element(element) => format!("timer {}", element.name.raw),
        other => format!("{other:?}"),
    }));
    items.extend(
        scope
            .after
            .iter()
            .map(|it| format!("after {}", processor(it))),
    );
    items.extend(scope.checks.iter().map(|it| match &it.of {
        CheckOf::Element(element) => format!("check {}", element.name.raw),
        other => format!("{other:?}"),
    }));
    if !items.is_empty() {
        out.push_str(&format!("[{}] ", items.join(", ")));
    }
}

fn condition(of: &Condition) -> String {
    match of {
        Condition::IsTrue(text) => format!("true?{}", text.raw),
        Condition::IsFalse(text) => format!("false?{}", text.raw),
        Condition::Not(inner) => format!("not {}", condition(inner)),
        other => format!("{other:?}"),
    }
}

fn step(step: &Step, out: &mut String) {
    match &step.kind {
        StepKind::Sample(sampler) => match &sampler.kind {
            SamplerKind::Flow { pause_ms, action } => {
                let pause = pause_ms.as_ref().map(|text| text.raw.as_str());
                out.push_str(&format!("flow({pause:?} {action:?}) "));
            }
            _ => out.push_str(&format!("{} ", sampler.label.raw)),
        },
        StepKind::Block(inner) => body("", inner, out),
        StepKind::Transaction {
            label,
            include_pauses,
            as_parent,
            body: inner,
        } => body(
            &format!("transaction {} {include_pauses} {as_parent}", label.raw),
            inner,
            out,
        ),
        StepKind::If {
            condition: of,
            then,
            ..
        } => body(&format!("if {} ", condition(of)), then, out),
        StepKind::While {
            condition: of,
            index,
            body: inner,
            ..
        } => body(&format!("while {} {index:?}", condition(of)), inner, out),
        StepKind::Repeat {
            times,
            index,
            body: inner,
        } => {
            let times = times.as_ref().map_or("ever", |text| text.raw.as_str());
            body(&format!("repeat {times} {index:?}"), inner, out);
        }
        StepKind::ForEach {
            items,
            variable,
            body: inner,
            ..
        } => {
            let Items::Matches {
                prefix,
                separator,
                after,
                until,
            } = items
            else {
                panic!("{items:?}")
            };
            let bound = |text: &Option<Text>| match text {
                Some(text) => text.raw.clone(),
                None => "-".to_owned(),
            };
            let (after, until) = (bound(after), bound(until));
            let head = format!(
                "each {} {separator} {after} {until} as {variable}",
                prefix.raw
            );
            body(&head, inner, out);
        }
        StepKind::OnceOnly(inner) => body("once ", inner, out),
        StepKind::FirstPass(inner) => body("first-pass ", inner, out),
        StepKind::FirstTimes {
            times,
            shared_by,
            body: inner,
        } => body(&format!("first {} {shared_by:?} ", times.raw), inner, out),
        StepKind::Percent {
            percent,
            shared_by,
            body: inner,
        } => body(
            &format!("percent {} {shared_by:?} ", percent.raw),
            inner,
            out,
        ),
        StepKind::Runtime {
            seconds,
            body: inner,
        } => body(&format!("runtime {} ", seconds.raw), inner, out),
        StepKind::Choose { by, branches } => {
            let by = match by {
                Choice::Switch(text) => format!("switch {}", text.raw),
                other => format!("{other:?}"),
            };
            out.push_str(&format!("choose {by} "));
            for branch in branches {
                let value = branch.value.as_ref().unwrap();
                body(&format!("{}=", value.raw), &branch.body, out);
            }
        }
        StepKind::RandomOrder(inner) => body("any-order ", inner, out),
        StepKind::Critical { lock, body: inner } => {
            body(&format!("lock {} ", lock.raw), inner, out);
        }
        StepKind::Action(action) => out.push_str(&format!("{action:?} ")),
        other => panic!("{other:?}"),
    }
}

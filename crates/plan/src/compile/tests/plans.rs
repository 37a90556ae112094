//! Short ways to write plans.

use std::time::Duration;

use crate::model::*;
use crate::program::Program;
use crate::{CompileOptions, Problem, compile};

pub(super) fn step(kind: StepKind) -> Step {
    Step::new(kind, Span::default())
}

pub(super) fn block(steps: Vec<Step>) -> Block {
    Block {
        steps,
        ..Block::default()
    }
}

/// A GET request whose label is its name.
pub(super) fn http(name: &str) -> HttpRequest {
    let url = Text::of(format!("http://127.0.0.1:8080/{name}"));
    let mut request = HttpRequest::new(Text::of("GET"), url, Span::default());
    request.label = Some(Text::of(name));
    request
}

pub(super) fn req(name: &str) -> Step {
    step(StepKind::Http(Box::new(http(name))))
}

pub(super) fn reqs(names: &str) -> Vec<Step> {
    names.split_whitespace().map(req).collect()
}

pub(super) fn repeat(times: u64, steps: Vec<Step>) -> Step {
    let times = Some(Text::of(times.to_string()));
    step(StepKind::Repeat {
        times,
        index: None,
        body: block(steps),
    })
}

pub(super) fn transaction(name: &str, steps: Vec<Step>) -> Step {
    let label = Text::of(name);
    let body = block(steps);
    step(StepKind::Transaction {
        label,
        include_pauses: false,
        as_parent: false,
        body,
    })
}

pub(super) fn choose(by: Choice, branches: Vec<Vec<Step>>) -> Step {
    let branch = |steps| Branch {
        weight: 1,
        value: None,
        body: block(steps),
    };
    step(StepKind::Choose {
        by,
        branches: branches.into_iter().map(branch).collect(),
    })
}

pub(super) fn in_turn(branches: Vec<Vec<Step>>) -> Step {
    choose(
        Choice::InTurn {
            shared_by: SharedBy::User,
        },
        branches,
    )
}

pub(super) fn act(action: Action) -> Step {
    step(StepKind::Action(action))
}

pub(super) fn critical(lock: &str, steps: Vec<Step>) -> Step {
    step(StepKind::Critical {
        lock: Text::of(lock),
        body: block(steps),
    })
}

pub(super) fn if_true(text: &str, then: Vec<Step>, otherwise: Vec<Step>) -> Step {
    let condition = Condition::IsTrue(Text::of(text));
    step(StepKind::If {
        condition,
        then: block(then),
        otherwise: block(otherwise),
    })
}

pub(super) fn set(name: &str, value: &str) -> Step {
    step(StepKind::Set(vec![variable(name, value)]))
}

pub(super) fn variable(name: &str, value: &str) -> Variable {
    Variable {
        name: name.to_owned(),
        value: Text::of(value),
        ..Variable::default()
    }
}

pub(super) fn think(ms: u64) -> Pause {
    let time = PauseTime::Fixed(Duration::from_millis(ms));
    Pause {
        time,
        template_ms: None,
        at: Span::default(),
    }
}

pub(super) fn save(variable: &str, which: Which, default: Option<&str>) -> Extract {
    let how = Extractor::JsonPath("$.x".to_owned());
    let default = default.map(Text::of);
    Extract {
        variable: variable.to_owned(),
        how,
        which,
        default,
        at: Span::default(),
    }
}

pub(super) fn plan(steps: Vec<Step>) -> Plan {
    let mut scenario = Scenario::new("s", Load::once());
    scenario.body = block(steps);
    Plan {
        name: "p".to_owned(),
        scenarios: vec![scenario],
        ..Plan::default()
    }
}

pub(super) fn compiled(plan: &Plan) -> Program {
    compiled_with(plan, &CompileOptions::default())
}

pub(super) fn compiled_with(plan: &Plan, options: &CompileOptions) -> Program {
    compile(plan, options).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

pub(super) fn problems(plan: &Plan) -> Vec<Problem> {
    compile(plan, &CompileOptions::default()).expect_err("compiles")
}

/// The message ids of a plan that does not compile.
pub(super) fn ids(plan: &Plan) -> Vec<String> {
    problems(plan)
        .into_iter()
        .map(|problem| problem.message.id)
        .collect()
}

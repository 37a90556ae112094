//! The plan and its scenarios.

use super::emit::{Map, Yaml, plain};
use super::scope::{ON_ERROR, scope_keys, variables, word};
use super::time::{duration, pause};
use super::{load, steps};
use crate::model::{
    Guard, GuardMetric, OnError, Order, OutputTarget, Plan, Scenario, Undefined, Variable,
    WatchSource, defaults,
};

pub(super) fn plan(plan: &Plan) -> Map {
    let mut map = Map::default();
    if !plan.name.is_empty() {
        map.put("name", &plan.name);
    }
    if !plan.comment.is_empty() {
        map.put("description", &plan.comment);
    }
    if plan.undefined == Undefined::KeepLiteral {
        map.put("undefined", plain("keep-literal"));
    }
    map.put_some("seed", plan.seed.map(plain));
    map.put_list("hosts", plan.hosts.iter().map(Yaml::from).collect());
    if plan.order == Order::InOrder {
        map.put("order", plain("in-order"));
    }
    let skip = plan.skip_teardown_when_stopped;
    map.put_bool("skip-teardown-when-stopped", skip, false);
    map.put_bool("functional", plan.functional, false);
    map.put_map("variables", variables(&plan.variables));
    scope_keys(&plan.scope, &mut map, false);
    if !plan.warm_up.is_zero() {
        map.put("warm-up", duration(plan.warm_up));
    }
    let goals = plan.goals.iter().map(|spec| {
        let mut map = Map::default();
        map.put("goal", &spec.goal.to_string());
        map.put_some("abort-after", spec.abort_after.map(duration));
        map.into()
    });
    map.put_list("goals", goals.collect());
    map.put_list("guards", plan.guards.iter().map(guard).collect());
    map.put_list("watch", plan.watch.iter().map(watch).collect());
    let mut hops = Map::default();
    for hop in &plan.hops {
        hops.put(&hop.name, &hop.address);
    }
    map.put_map("hops", hops);
    map.put_list("outputs", plan.outputs.iter().map(output).collect());
    for (key, list) in [
        ("setup", &plan.setup),
        ("scenarios", &plan.scenarios),
        ("teardown", &plan.teardown),
    ] {
        map.put_map(key, scenarios(list, plan));
    }
    map
}

fn output(output: &OutputTarget) -> Yaml {
    let mut map = Map::default();
    map.put(&output.output, &output.address);
    for (name, value) in &output.settings {
        map.put(name, value);
    }
    let mut tags = Map::default();
    for (name, value) in &output.tags {
        tags.put(name, value);
    }
    map.put_map("tags", tags);
    map.into()
}

fn watch(watch: &WatchSource) -> Yaml {
    let mut map = Map::default();
    if watch.address.is_empty() && watch.options.is_empty() {
        return Yaml::from(&watch.source);
    }
    map.put(&watch.source, &watch.address);
    for (name, value) in &watch.options {
        // The settings that are no text.
        match name.as_str() {
            "insecure" | "tls" => map.put(name, plain(value)),
            _ => map.put(name, value),
        }
    }
    map.into()
}

fn guard(guard: &Guard) -> Yaml {
    let mut map = Map::default();
    match &guard.metric {
        GuardMetric::Goal(goal) => map.put("goal", &goal.to_string()),
        GuardMetric::SendLateness(limit) => map.put("send-lateness", duration(*limit)),
    }
    map.put("for", duration(guard.for_at_least));
    map.into()
}

/// Scenarios by their names. Several may have one name: then it is written beside the key.
fn scenarios(scenarios: &[Scenario], plan: &Plan) -> Map {
    let mut map = Map::default();
    for scenario in scenarios {
        let name = match scenario.name.is_empty() {
            true => "scenario",
            false => &scenario.name,
        };
        let mut key = name.to_owned();
        let mut number = 2;
        while map.0.iter().any(|(known, _)| *known == key) {
            key = format!("{name} ({number})");
            number += 1;
        }
        let value = scenario_value(scenario, plan, key != scenario.name);
        map.put(key, value);
    }
    map
}

fn scenario_value(scenario: &Scenario, plan: &Plan, named: bool) -> Map {
    let mut map = Map::default();
    if named {
        map.put("name", &scenario.name);
    }
    load::load(&scenario.load, &mut map);
    if !scenario.start_delay.is_zero() {
        map.put("start-delay", duration(scenario.start_delay));
    }
    map.put_some("end-after", scenario.end_after.map(duration));
    if scenario.grace != defaults::GRACE {
        map.put("grace", duration(scenario.grace));
    }
    map.put_some("pace", scenario.pace.as_ref().map(pause));
    let scope = &scenario.body.scope;
    // The nearest rule is the one that counts, and here there is a place for one only.
    let rule = scope.on_error.or(plan.scope.on_error);
    let rule = rule.unwrap_or(scenario.on_error);
    if rule != OnError::GoOn {
        map.put("on-error", word(ON_ERROR, rule));
    }
    map.put_bool("same-user", scenario.same_user_each_iteration, true);
    scope_keys(scope, &mut map, false);
    // The plan's scope has no place for variables of its own.
    let all: Vec<Variable> = plan
        .scope
        .variables
        .iter()
        .chain(&scope.variables)
        .cloned()
        .collect();
    map.put_map("variables", variables(&all));
    let steps = match scenario.body.steps.is_empty() {
        true => vec![steps::nothing()],
        false => steps::steps(&scenario.body.steps),
    };
    map.put("steps", steps);
    map
}

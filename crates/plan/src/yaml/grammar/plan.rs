//! The plan itself and its scenarios.

use std::time::Duration;

use plimsoll_text::Message;

use super::base::*;
use super::load::{LOAD_GROUPS, key_at, load_key};
use super::scope::{BlockScope, ScopeSettings};
use super::steps::Steps;
use super::variables::VariableKeys;
use super::watch::{HopChain, OutputList, WatchList};
use crate::error::Problem;
use crate::model::{
    Block, Branch, Choice, GoalSpec, Guard, GuardMetric, Load, OnError, Order, Pause, Plan,
    Scenario, Scope, Span, Step, StepKind, Undefined, Variable,
};

// What excludes each other is judged here as well, where it hangs on whether the plan has one scenario or several.
object! { impl Plan = "plan", {
    ["name" => name: Filled<AnyString>, "name"]
    ["description" => comment: Filled<AnyString>, "description"]
    ["hosts" @2 => hosts: Filled<List<AnyString>>, "hosts"]
    ["undefined" => undefined: Undefined = "reject", "undefined"]
    ["seed" => seed: Maybe<LongCountOrZero>, "seed"]
    ["scenarios": Maybe<Scenarios>, "scenarios"]
    ["order" @2 => order: Order = "together", "order"]
    ["users-keep-scenario": Flag = "false", "users-keep-scenario"]
    ["setup": Maybe<Once>, "setup"]
    ["teardown": Maybe<Once>, "teardown"]
    ["skip-teardown-when-stopped" @2 => skip_teardown_when_stopped: Flag = "false", "skip-teardown"]
    ["functional" @2 => functional: Flag = "false", "functional"]
    [..Load]
    [..Scenario]
    [.. @3 OwnVariables => variables]
    [.. @5 BareScope => scope]
    [.. @4 ScopeSettings => scope.http]
    ["steps": Maybe<Steps>, "steps"]
    ["warm-up" @6 => warm_up: Time = "0", "warm-up"]
    ["goals" @6 => goals: Filled<Goals>, "goals"]
    ["guards" @6 => guards: Filled<List<OrShort<Guard>>>, "guards"]
    ["watch" @6 => watch: Filled<WatchList>, "watch"]
    ["hops" @6 => hops: Filled<HopChain>, "hops"]
    ["outputs" @6 => outputs: Filled<OutputList>, "outputs"]
} exclude LOAD_GROUPS; then scenarios_of_plan; }

words! { impl Undefined { "reject" = Undefined::Reject, "keep-literal" = Undefined::KeepLiteral, } }

words! { impl Order { "together" = Order::Together, "in-order" = Order::InOrder, } }

// How the users of a scenario live; what a scenario does not say itself the plan may say for all.
keys! { impl Scenario, shared "rhythm" {
    ["start-delay" => start_delay: Kept<Time> = "0", "start-delay"]
    ["end-after" => end_after: KeptMaybe<Time>, "end-after"]
    ["grace" => grace: Kept<Time> = "30s", "grace"]
    ["pace" => pace: KeptMaybe<Pause>, "pace"]
    ["on-error" => on_error: Kept<OnError> = "continue", "on-error"]
    ["same-user" => same_user_each_iteration: Kept<Flag> = "true", "same-user"]
} }

object! {
    /// A scenario among others.
    struct OneScenario: Scenario = "scenario", {
        ["name": Maybe<AnyString>, "scenario-name"]
        ["weight": Count = "1", "weight"]
        [..Load => load]
        [..Scenario => *]
        [.. @3 BareScope => body.scope]
        [.. @2 ScopeSettings => body.scope.http]
        ["steps": Steps, "steps"]
    } exclude LOAD_GROUPS;
}

kinds! {
    /// Scenarios by their names.
    Scenarios = Kind::Map(OneScenario::kind);
    /// Steps run once: a list, or scenarios of their own.
    Once = Kind::OneOf(&[Steps::kind, Scenarios::kind]);
}

/// A scope whose variables are written elsewhere.
struct BareScope;

impl Keys for BareScope {
    type Of = Scope;
    const PARTS: &'static [Part] = Scope::PARTS;

    fn read_keys(decoder: &mut Decoder<'_>, node: &Node, scope: &mut Scope) {
        Scope::read_keys(decoder, node, scope);
    }

    fn write_keys(scope: &Scope, map: &mut Map) {
        let bare = Scope {
            variables: Vec::new(),
            ..scope.clone()
        };
        Scope::write_keys(&bare, map);
    }
}

/// The plan's variables, which are read with its scope.
struct OwnVariables;

impl Keys for OwnVariables {
    type Of = Vec<Variable>;
    const PARTS: &'static [Part] = &[];

    fn read_keys(_: &mut Decoder<'_>, _: &Node, _: &mut Vec<Variable>) {}

    fn write_keys(variables: &Vec<Variable>, map: &mut Map) {
        map.put_some("variables", Filled::<VariableKeys>::put(variables, ""));
    }
}

/// A whole plan.
pub(crate) fn read(root: &Node, problems: &mut Vec<Problem>) -> Plan {
    let undefined = root.get("undefined").and_then(Node::scalar);
    let any_name = undefined == Some("keep-literal");
    let mut decoder = Decoder { problems, any_name };
    Plan::read(&mut decoder, root).unwrap_or_default()
}

/// The text of a whole plan.
pub(crate) fn write(plan: &Plan) -> Map {
    let mut map = Map::default();
    <Plan as Keys>::write_keys(plan, &mut map);
    let lists = [
        ("setup", &plan.setup),
        ("scenarios", &plan.scenarios),
        ("teardown", &plan.teardown),
    ];
    for (key, list) in lists {
        if !list.is_empty() {
            map.put(key, written_scenarios(list, plan));
        }
    }
    map
}

fn scenarios_of_plan(decoder: &mut Decoder<'_>, node: &Node, plan: &mut Plan) {
    plan.variables = std::mem::take(&mut plan.scope.variables);
    let mut usual = Scenario::default();
    Scenario::read_keys(decoder, node, &mut usual);
    plan.scenarios = scenarios(decoder, node, &plan.name, &usual);
    usual.start_delay = Duration::ZERO;
    usual.end_after = None;
    plan.setup = once(decoder, node, "setup", &usual);
    plan.teardown = once(decoder, node, "teardown", &usual);
}

fn scenarios(
    decoder: &mut Decoder<'_>,
    node: &Node,
    name: &str,
    usual: &Scenario,
) -> Vec<Scenario> {
    let name = if name.is_empty() { "main" } else { name };
    let is_mix = load_key(node).is_some();
    let (steps, scenarios) = (key_at(node, "steps"), key_at(node, "scenarios"));
    if steps.is_some() != scenarios.is_some() && (steps.is_some() || is_mix) {
        tell_at_key(decoder, node, "order", "plan-order-of-one");
    }
    if steps.is_some() != scenarios.is_some() && (steps.is_some() || !is_mix) {
        // Only users of a load that scenarios share can keep one of them.
        tell_at_key(
            decoder,
            node,
            "users-keep-scenario",
            "plan-keep-without-mix",
        );
    }
    match (steps, scenarios) {
        (Some(_), None) => vec![short_form(decoder, node, name, usual)],
        (None, Some(at)) if is_mix => vec![mix(decoder, node, name, usual, at)],
        (None, Some(at)) => several(decoder, node, usual, at),
        (Some(_), Some(at)) => {
            let message = Message::new("plan-keys-exclude")
                .with("first", "steps")
                .with("second", "scenarios");
            let remedy = Message::new("plan-steps-and-scenarios.remedy");
            decoder
                .problems
                .push(Problem::error(at, message).remedy(remedy));
            Vec::new()
        }
        (None, None) => {
            decoder.error(node.at, "plan-without-steps");
            Vec::new()
        }
    }
}

fn tell_at_key(decoder: &mut Decoder<'_>, node: &Node, key: &str, id: &str) {
    if let Some(at) = key_at(node, key) {
        decoder.error(at, id);
    }
}

/// The same of keys that are named in the message.
fn tell_of_keys(decoder: &mut Decoder<'_>, node: &Node, keys: &[&str], id: &str) {
    for key in keys {
        if let Some(at) = key_at(node, key) {
            decoder.tell(at, Message::new(id).with("key", *key));
        }
    }
}

/// One scenario, written at the top. What holds for all is in the plan's scope already.
fn short_form(decoder: &mut Decoder<'_>, node: &Node, name: &str, usual: &Scenario) -> Scenario {
    let mut scenario = Scenario {
        name: name.to_owned(),
        at: node.at,
        ..usual.clone()
    };
    Load::read_keys(decoder, node, &mut scenario.load);
    scenario.body.steps = own_steps(decoder, node);
    scenario
}

fn own_steps(decoder: &mut Decoder<'_>, node: &Node) -> Vec<Step> {
    let steps = present::<Steps>(decoder, node, "steps").unwrap_or_default();
    let list = node
        .get("steps")
        .filter(|list| list.list().is_some_and(<[Node]>::is_empty));
    if let Some(list) = list {
        decoder.error(list.at, "plan-steps-empty");
    }
    steps
}

/// The entries of `scenarios`, of which there must be some.
fn entries<'n>(decoder: &mut Decoder<'_>, node: &'n Node, empty_at: Span) -> &'n [(Name, Node)] {
    let entries = node
        .get("scenarios")
        .and_then(Node::map)
        .unwrap_or_default();
    if entries.is_empty() {
        decoder.error(empty_at, "plan-scenarios-empty");
    }
    entries
}

fn several(decoder: &mut Decoder<'_>, node: &Node, usual: &Scenario, at: Span) -> Vec<Scenario> {
    tell_of_keys(
        decoder,
        node,
        &["start-delay", "end-after"],
        "plan-key-of-scenario",
    );
    let empty_at = node.get("scenarios").map_or(at, |node| node.at);
    let mut scenarios = Vec::new();
    for (name, value) in entries(decoder, node, empty_at) {
        tell_at_key(decoder, value, "weight", "plan-weight-without-load");
        scenarios.push(scenario(decoder, name, value, usual));
    }
    scenarios
}

fn scenario(decoder: &mut Decoder<'_>, name: &Name, node: &Node, usual: &Scenario) -> Scenario {
    let shown = present::<AnyString>(decoder, node, "name");
    let mut scenario = Scenario {
        name: shown.unwrap_or_else(|| name.name.clone()),
        at: name.at,
        start_delay: Duration::ZERO,
        end_after: None,
        ..usual.clone()
    };
    OneScenario::read_keys(decoder, node, &mut scenario);
    scenario.body.steps = own_steps(decoder, node);
    scenario
}

/// Several scenarios that share the plan's load by weight: a choice inside one scenario.
fn mix(decoder: &mut Decoder<'_>, node: &Node, name: &str, usual: &Scenario, at: Span) -> Scenario {
    let mut scenario = Scenario {
        name: name.to_owned(),
        at,
        ..usual.clone()
    };
    Load::read_keys(decoder, node, &mut scenario.load);
    // The mix must not depend on the number of users, so that loads can be compared.
    let by = match present::<Flag>(decoder, node, "users-keep-scenario") {
        Some(true) => Choice::MixOfUsers,
        _ => Choice::MixOfIterations,
    };
    if by == Choice::MixOfUsers && scenario.load.arrivals().is_some() {
        tell_at_key(
            decoder,
            node,
            "users-keep-scenario",
            "plan-keep-without-mix",
        );
    }
    let mut branches = Vec::new();
    for (_, value) in entries(decoder, node, at) {
        if let Some(at) = load_key(value) {
            decoder.error(at, "plan-load-twice");
        }
        let own = ["start-delay", "end-after", "grace", "pace", "same-user"];
        tell_of_keys(decoder, value, &own, "plan-key-with-shared-load");
        let mut branch = Branch {
            weight: present::<Count>(decoder, value, "weight").unwrap_or(1),
            ..Branch::default()
        };
        BlockScope::read_keys(decoder, value, &mut branch.body.scope);
        branch.body.steps = own_steps(decoder, value);
        branches.push(branch);
    }
    scenario.body.steps = vec![Step::new(StepKind::Choose { by, branches }, at)];
    scenario
}

/// Steps run once: a list, or scenarios of their own.
fn once(decoder: &mut Decoder<'_>, node: &Node, key: &str, usual: &Scenario) -> Vec<Scenario> {
    let Some(value) = node.get(key) else {
        return Vec::new();
    };
    if let Some(entries) = value.map() {
        let entries = entries.iter();
        return entries
            .map(|(name, node)| scenario(decoder, name, node, usual))
            .collect();
    }
    let mut scenario = Scenario::new(key, Load::once());
    scenario.grace = usual.grace;
    scenario.body.steps = decoder.value::<Steps>(value).unwrap_or_default();
    scenario.at = value.at;
    vec![scenario]
}

/// Scenarios by their names. Several may have one name: then it is written beside the key.
fn written_scenarios(scenarios: &[Scenario], plan: &Plan) -> Map {
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
        let value = written_scenario(scenario, plan, key != scenario.name);
        map.put(key, value);
    }
    map
}

fn written_scenario(scenario: &Scenario, plan: &Plan, named: bool) -> Map {
    let mut map = Map::default();
    if named {
        map.put("name", &scenario.name);
    }
    let scope = &scenario.body.scope;
    // The nearest rule is the one that counts, and here there is a place for one only.
    let rule = scope.on_error.or(plan.scope.on_error);
    let shown = Scenario {
        on_error: rule.unwrap_or(scenario.on_error),
        ..scenario.clone()
    };
    OneScenario::write_keys(&shown, &mut map);
    // The plan's scope has no place for variables of its own.
    let variables = [plan.scope.variables.as_slice(), scope.variables.as_slice()].concat();
    OwnVariables::write_keys(&variables, &mut map);
    let nothing = Step::new(StepKind::Block(Block::default()), Span::default());
    let steps = match scenario.body.steps.is_empty() {
        true => Steps::write(&vec![nothing]),
        false => Steps::write(&scenario.body.steps),
    };
    map.put("steps", steps);
    map
}

form_as! {
    /// One goal, or several.
    Goals = List<OrShort<GoalSpec>>, Kind::OneOf(&[GoalText::kind, List::<OrShort<GoalSpec>>::kind]);
}

pattern! { impl GoalSpec = "goal" => (GoalSpec { goal, abort_after, at }), {
    ["goal" => goal: GoalText, "goal"]
    ["abort-after" => abort_after: Maybe<Time>, "abort-after"]
    [at]
} }

tagged! { impl Guard = "guard", {
    "goal-guard" => (Guard { metric: GuardMetric::Goal(goal), for_at_least, at }), {
        ["goal" => goal: GoalText, "guard-goal"]
        ["for" => for_at_least: Always<Time> = "10s", "guard-for"]
        [at]
    }
    "lateness-guard" => (Guard { metric: GuardMetric::SendLateness(limit), for_at_least, at }), {
        ["send-lateness" => limit: Time, "send-lateness"]
        ["for" => for_at_least: Always<Time> = "10s", "guard-for"]
        [at]
    }
} }

shortened! {
    GoalSpec = GoalText, "goal";
    Guard = GoalText, "goal";
}

//! Steps.

use super::element::element;
use super::emit::{Map, Yaml, plain};
use super::scope::{self, ACTIONS, SHARED_BY, block_keys, word};
use super::time::pause;
use super::{request, responses};
use crate::model::{
    Block, Branch, Choice, Comparison, Condition, Items, Sampler, SamplerKind, SharedBy, Step,
    StepKind, Text, Variable,
};
use crate::yaml::decode::COMPARISONS;
use crate::yaml::table::is_template;

/// A list of steps.
pub(super) fn steps(steps: &[Step]) -> Vec<Yaml> {
    let all = steps.iter().map(|one| {
        let mut map = step(&one.kind);
        map.put_bool("enabled", one.enabled, true);
        Yaml::from(map)
    });
    all.collect()
}

/// A step that does nothing.
pub(super) fn nothing() -> Yaml {
    let mut map = Map::default();
    map.put("group", Vec::new());
    map.into()
}

fn step(kind: &StepKind) -> Map {
    let mut map = Map::default();
    match kind {
        StepKind::Http(http) => map = request::request(http),
        StepKind::Sample(each) => map = sampler(each),
        StepKind::Think(time) => map.put("think", pause(time)),
        StepKind::Rendezvous(meeting) => map.put("rendezvous", scope::rendezvous(meeting)),
        StepKind::Set(variables) => return set(variables),
        StepKind::Script(script) => map.put("js", &script.source),
        StepKind::Action(action) => map.put("action", word(ACTIONS, *action)),
        StepKind::Block(block) => own_list("group", block, &mut map),
        StepKind::OnceOnly(block) => own_list("once", block, &mut map),
        StepKind::FirstPass(block) => own_list("first-pass", block, &mut map),
        StepKind::RandomOrder(block) => own_list("random-order", block, &mut map),
        StepKind::If {
            condition: holds,
            then,
            otherwise,
        } => {
            map.put("if", condition(holds));
            map.put("then", bare(then));
            if !otherwise.steps.is_empty() {
                map.put("else", bare(otherwise));
            }
        }
        StepKind::Choose { by, branches } => choose(by, branches, &mut map),
        other => with_body(other, &mut map),
    }
    map
}

/// Steps with a head and steps of their own.
fn with_body(kind: &StepKind, map: &mut Map) {
    match kind {
        StepKind::Transaction {
            label,
            include_pauses,
            as_parent,
            ..
        } => {
            map.put("transaction", label);
            map.put_bool("include-pauses", *include_pauses, false);
            map.put_bool("as-parent", *as_parent, false);
        }
        StepKind::While {
            condition: holds,
            limit,
            index,
            ..
        } => {
            map.put("while", condition(holds));
            map.put_some("at-most", limit.map(plain));
            map.put_some("index", index.as_ref());
        }
        StepKind::Repeat { times, index, .. } => {
            match times {
                Some(times) => map.put("repeat", number(times)),
                None => map.put("repeat", plain("forever")),
            }
            map.put_some("index", index.as_ref());
        }
        StepKind::ForEach {
            items: each,
            variable,
            index,
            ..
        } => {
            map.put("for-each", variable);
            items(each, map);
            map.put_some("index", index.as_ref());
        }
        StepKind::FirstTimes {
            times, shared_by, ..
        } => {
            map.put("first-times", number(times));
            map.put("shared-by", word(SHARED_BY, *shared_by));
        }
        StepKind::Percent {
            percent, shared_by, ..
        } => {
            map.put("percent", number(percent));
            map.put("shared-by", word(SHARED_BY, *shared_by));
        }
        StepKind::Runtime { seconds, .. } => map.put("run-for", in_seconds(seconds)),
        StepKind::Critical { lock, .. } => map.put("critical", lock),
        _ => {}
    }
    for body in kind.blocks() {
        block_keys(&body.scope, map);
        map.put("steps", steps(&body.steps));
    }
}

/// A number as such; a text with variables as it is.
fn number(text: &Text) -> Yaml {
    match is_template(&text.raw) {
        true => text.into(),
        false => plain(text.raw.trim()),
    }
}

/// Seconds as a duration.
fn in_seconds(text: &Text) -> Yaml {
    let raw = text.raw.trim();
    match raw.parse::<f64>() {
        Ok(seconds) if seconds >= 0.0 => plain(format!("{raw}s")),
        _ if is_template(raw) => text.into(),
        _ => plain("0s"),
    }
}

/// A block whose steps stand under the key itself.
fn own_list(key: &str, block: &Block, map: &mut Map) {
    block_keys(&block.scope, map);
    map.put(key, steps(&block.steps));
}

/// The steps of a block that has no place for a scope: with one they are a group.
fn bare(block: &Block) -> Vec<Yaml> {
    let mut scope = Map::default();
    block_keys(&block.scope, &mut scope);
    if scope.0.is_empty() {
        return steps(&block.steps);
    }
    scope.put("group", steps(&block.steps));
    vec![scope.into()]
}

/// Variables to set; one that is set twice needs a second step, both in a group.
fn set(variables: &[Variable]) -> Map {
    let mut all: Vec<Map> = vec![Map::default()];
    for variable in variables {
        let known = |map: &Map| map.0.iter().any(|(name, _)| *name == variable.name);
        if all.last().is_none_or(known) {
            all.push(Map::default());
        }
        if let Some(map) = all.last_mut() {
            map.put(variable.name.as_str(), scope::variable(variable));
        }
    }
    let mut steps = all.into_iter().map(|values| {
        let mut map = Map::default();
        map.put("set", values);
        map
    });
    let first = steps.next().unwrap_or_default();
    let mut rest: Vec<Yaml> = steps.map(Yaml::from).collect();
    if rest.is_empty() {
        return first;
    }
    rest.insert(0, first.into());
    let mut group = Map::default();
    group.put("group", rest);
    group
}

fn items(items: &Items, map: &mut Map) {
    match items {
        Items::List(texts) => map.put("in", texts.iter().map(Yaml::from).collect::<Vec<_>>()),
        Items::Json(text) => map.put("in-json", text),
        Items::Matches {
            prefix,
            separator,
            after,
            until,
        } => {
            let mut matches = Map::default();
            matches.put("prefix", prefix);
            matches.put_bool("separator", *separator, true);
            matches.put_some("after", after.as_ref());
            matches.put_some("until", until.as_ref());
            map.put("in-matches", matches);
        }
    }
}

fn choose(by: &Choice, branches: &[Branch], map: &mut Map) {
    if branches.is_empty() {
        map.put("group", Vec::new());
        return;
    }
    let by_user = |shared_by: SharedBy, start: &str| match shared_by {
        SharedBy::User => plain(start),
        SharedBy::Scenario => plain(format!("{start}-of-scenario")),
        SharedBy::All => plain(format!("{start}-of-all")),
    };
    let how = match by {
        Choice::Random => plain("random"),
        Choice::MixOfUsers => plain("by-users"),
        Choice::MixOfIterations => plain("by-iterations"),
        Choice::InTurn { shared_by } => by_user(*shared_by, "in-turn"),
        Choice::InTurnByRequest { shared_by } => by_user(*shared_by, "in-turn-by-request"),
        Choice::RandomByRequest => plain("random-by-request"),
        Choice::InTurnFromUser => plain("in-turn-from-user"),
        Choice::InTurnByRequestFromUser => plain("in-turn-by-request-from-user"),
        Choice::Switch(value) => {
            let mut switch = Map::default();
            switch.put("value", value);
            switch.into()
        }
    };
    map.put("choose", how);
    let branches = branches.iter().map(|branch| {
        let mut map = Map::default();
        if branch.weight != 1 {
            map.put("weight", plain(branch.weight));
        }
        map.put_some("value", branch.value.as_ref());
        block_keys(&branch.body.scope, &mut map);
        map.put("steps", steps(&branch.body.steps));
        Yaml::from(map)
    });
    map.put("branches", branches.collect::<Vec<_>>());
}

fn sampler(sampler: &Sampler) -> Map {
    let mut map = Map::default();
    map.put("sample", &sampler.label);
    match &sampler.kind {
        SamplerKind::Script(script) => map.put("js", &script.source),
        SamplerKind::Element(each) => map.put("element", element(each)),
        SamplerKind::Flow { pause_ms, action } => {
            let mut flow = Map::default();
            flow.put_some("pause-ms", pause_ms.as_ref());
            flow.put_some("action", action.map(|action| word(ACTIONS, action)));
            map.put("flow", flow);
        }
    }
    map.put_list("before", scope::processors(&sampler.before));
    map.put_list("after", scope::processors(&sampler.after));
    map.put_list("check", responses::checks(&sampler.checks));
    map
}

fn condition(holds: &Condition) -> Yaml {
    let mut map = Map::default();
    match holds {
        Condition::LastOk => return plain("last-ok"),
        Condition::Script(script) => map.put("js", &script.source),
        Condition::IsTrue(text) => map.put("is-true", text),
        Condition::IsFalse(text) => map.put("is-false", text),
        Condition::Compare { left, op, right } => {
            map.put("compare", left);
            if *op != Comparison::Equal {
                // In quotes: `>` begins a block of text.
                let (Yaml::Plain(op) | Yaml::Text(op)) = word(COMPARISONS, *op) else {
                    return map.into();
                };
                map.put("op", Yaml::Text(op));
            }
            map.put("with", right);
        }
        Condition::Defined(name) => map.put("defined", name),
        Condition::Not(inner) => map.put("not", condition(inner)),
    }
    map.into()
}

//! The steps.

use super::base::*;
use super::checks::Checks;
use super::protocols;
use super::request::{Enabled, REQUEST_TAGS};
use super::request_step::RequestStep;
use super::scope::{After, Before, BlockScope};
use super::variables::{VariableKeys, written};
use crate::model::{
    Action, Block, Branch, Choice, Condition, Element, HttpRequest, Items, Pause, Rendezvous,
    Sampler, SamplerKind, SharedBy, Step, StepKind, Text, Variable,
};

/// Steps in order.
pub(crate) struct Steps;

impl Form for Steps {
    type Of = Vec<Step>;

    fn kind() -> Kind {
        List::<Step>::kind()
    }

    fn read(decoder: &mut Decoder<'_>, node: &Node) -> Option<Vec<Step>> {
        let items = node.list()?.iter();
        Some(items.filter_map(|item| Step::read(decoder, item)).collect())
    }

    fn write(steps: &Vec<Step>) -> Yaml {
        List::<Step>::write(steps)
    }

    fn stand_in() -> Option<Vec<Step>> {
        Some(Vec::new())
    }
}

keys! {
    /// The steps inside, and what holds for them.
    struct Inside: Block, {
        ["steps" @2 => steps: Steps, "inner-steps"]
        [..BlockScope => scope]
    }
}

choice! { impl StepKind, ..Enabled, {
    "transaction" => (StepKind::Transaction { label, include_pauses, as_parent, body }), {
        ["transaction" => label: AnyText, "transaction"]
        ["include-pauses" => include_pauses: Flag = "false", "include-pauses"]
        ["as-parent" => as_parent: Flag = "false", "as-parent"]
        [..Inside => body]
    }
    "group" => (StepKind::Block(Block { scope, steps })), {
        ["group" @2 => steps: Steps, "group"]
        [..BlockScope => scope]
    }
    "if" => (StepKind::If { condition, then, otherwise }), {
        ["if" => condition: Condition, "if"]
        ["then" => then: BareSteps, "then"]
        ["else" => otherwise: ElseSteps, "else"]
    }
    "while" => (StepKind::While { condition, limit, index, body }), {
        ["while" => condition: Condition, "while"]
        ["at-most" => limit: Maybe<LongCount>, "while-at-most"]
        ["index" => index: Maybe<VariableName>, "index"]
        [..Inside => body]
    }
    "repeat" => (StepKind::Repeat { times, index, body }), {
        ["repeat" => times: TimesOrForever, "repeat"]
        ["index" => index: Maybe<VariableName>, "index"]
        [..Inside => body]
    }
    "run-for" => (StepKind::Runtime { seconds, body }), {
        ["run-for" => seconds: Seconds, "run-for"]
        [..Inside => body]
    }
    "for-each" => (StepKind::ForEach { items, variable, index, body }),
    exclude &[exactly_one(&["in", "in-json", "in-matches"])], {
        ["for-each" => variable: VariableName, "for-each"]
        [|Items => items]
        ["index" => index: Maybe<VariableName>, "index"]
        [..Inside => body]
    }
    "choose" => (StepKind::Choose { by, branches }), {
        ["choose" => by: Choice, "choose"]
        ["branches" => branches: List<Branch>, "branches"]
    }
    "random-order" => (StepKind::RandomOrder(Block { scope, steps })), {
        ["random-order" @2 => steps: Steps, "random-order"]
        [..BlockScope => scope]
    }
    "parallel" => (StepKind::Parallel { most, body: Block { scope, steps } }), {
        ["parallel" @2 => steps: Steps, "parallel"]
        ["at-most" => most: Maybe<LongCount>, "parallel-at-most"]
        [..BlockScope => scope]
    }
    "percent" => (StepKind::Percent { percent, shared_by, body }), {
        ["percent" => percent: Percent, "percent"]
        ["shared-by" => shared_by: Always<SharedBy> = "all", "shared-by"]
        [..Inside => body]
    }
    "once" => (StepKind::OnceOnly(Block { scope, steps })), {
        ["once" @2 => steps: Steps, "once"]
        [..BlockScope => scope]
    }
    "first-pass" => (StepKind::FirstPass(Block { scope, steps })), {
        ["first-pass" @2 => steps: Steps, "first-pass"]
        [..BlockScope => scope]
    }
    "first-times" => (StepKind::FirstTimes { times, shared_by, body }), {
        ["first-times" => times: Times, "first-times"]
        ["shared-by" => shared_by: Always<SharedBy> = "all", "shared-by"]
        [..Inside => body]
    }
    "sample" => (StepKind::Sample(sampler)), exclude &[exactly_one(&["js", "flow", "element"])], {
        ["sample" ..Box<Sampler> => sampler]
    }
    "critical" => (StepKind::Critical { lock, body }), {
        ["critical" => lock: AnyText, "critical"]
        [..Inside => body]
    }
    "think" => (StepKind::Think(pause)), { ["think" => pause: Pause, "think"] }
    "rendezvous" => (StepKind::Rendezvous(meeting)), { ["rendezvous" => meeting: OrShort<Rendezvous>, "rendezvous"] }
    "set" => (StepKind::Set(variables)), { ["set" => variables: VariableKeys, "set"] }
    "js" => (StepKind::Script(script)), { ["js" => script: ScriptText, "js"] }
    "action" => (StepKind::Action(action)), { ["action" => action: Action, "action"] }
} }

impl Form for Step {
    type Of = Self;

    fn kind() -> Kind {
        const REQUEST: Case = Case {
            tags: REQUEST_TAGS,
            object: HttpRequest::OBJECT,
        };
        Kind::Tagged(
            const {
                &Tagged {
                    id: "step",
                    cases: &[&[REQUEST], StepKind::CASES, protocols::CASES],
                }
            },
        )
    }

    fn read(decoder: &mut Decoder<'_>, node: &Node) -> Option<Self> {
        let is_request = REQUEST_TAGS.iter().any(|tag| node.get(tag).is_some());
        let protocol = protocols::steps().find(|step| node.get(step.id).is_some());
        let kind = match (is_request, protocol) {
            (true, _) => RequestStep::read(decoder, node)?,
            (false, Some(step)) => {
                let request = step.read(decoder, node);
                RequestStep::with_rule(decoder, node, request)
            }
            (false, None) => StepKind::read_case(decoder, node)?,
        };
        if let StepKind::Choose { by, branches } = &kind {
            check_branches(decoder, node, by, branches);
        }
        let mut step = Self::new(kind, node.at);
        Enabled::read_keys(decoder, node, &mut step);
        Some(step)
    }

    fn write(step: &Self) -> Yaml {
        let mut map = Map::default();
        match &step.kind {
            StepKind::Http(request) => RequestStep::write(request, &mut map),
            StepKind::Set(variables) => set(variables, &mut map),
            StepKind::Choose { branches, .. } if branches.is_empty() => {
                map.put("group", Vec::new())
            }
            kind => StepKind::write_case(kind, &mut map),
        }
        Enabled::write_keys(step, &mut map);
        map.into()
    }
}

/// Variables to set; one that is set twice needs a second step, both in a group.
fn set(variables: &[Variable], map: &mut Map) {
    let mut all = vec![Map::default()];
    for variable in variables {
        let is_there = |map: &Map| map.0.iter().any(|(name, _)| *name == variable.name);
        if all.last().is_none_or(is_there) {
            all.push(Map::default());
        }
        if let Some(map) = all.last_mut() {
            map.put(variable.name.as_str(), written(variable));
        }
    }
    let step = |values: Map| Map(vec![("set".to_owned(), values.into())]);
    let mut steps: Vec<Map> = all.into_iter().map(step).collect();
    match steps.len() {
        1 => map.put_all(steps.remove(0)),
        _ => map.put(
            "group",
            steps.into_iter().map(Yaml::from).collect::<Vec<_>>(),
        ),
    }
}

/// Steps without a place for a scope: with one they are a group.
struct BareSteps;

impl Form for BareSteps {
    type Of = Block;

    fn kind() -> Kind {
        Steps::kind()
    }

    fn read(decoder: &mut Decoder<'_>, node: &Node) -> Option<Block> {
        Some(Block {
            steps: Steps::read(decoder, node)?,
            ..Block::default()
        })
    }

    fn write(block: &Block) -> Yaml {
        let mut scope = Map::default();
        BlockScope::write_keys(&block.scope, &mut scope);
        if scope.0.is_empty() {
            return Steps::write(&block.steps);
        }
        scope.put("group", Steps::write(&block.steps));
        Yaml::List(vec![scope.into()])
    }

    fn stand_in() -> Option<Block> {
        Some(Block::default())
    }
}

/// The same, left out without steps.
struct ElseSteps;

impl KeyField for ElseSteps {
    type Field = Block;
    const REQUIRED: bool = false;

    fn takes() -> Kind {
        Steps::kind()
    }

    fn get(decoder: &mut Decoder<'_>, node: &Node, key: &str, usual: &str) -> Option<Block> {
        Filled::<BareSteps>::get(decoder, node, key, usual)
    }

    fn put(block: &Block, _: &str) -> Option<Yaml> {
        (!block.steps.is_empty()).then(|| BareSteps::write(block))
    }
}

object! { impl Branch = "branch", {
    ["weight" => weight: CountOrZero = "1", "branch-weight"]
    ["value" => value: Maybe<AnyText>, "branch-value"]
    [..Inside => body]
} }

fn check_branches(decoder: &mut Decoder<'_>, node: &Node, by: &Choice, branches: &[Branch]) {
    let weighted = matches!(
        by,
        Choice::Random | Choice::MixOfUsers | Choice::MixOfIterations | Choice::InTurnByWeight
    );
    let none =
        branches.is_empty() || (weighted && branches.iter().all(|branch| branch.weight == 0));
    if let Some(list) = node.get("branches").filter(|_| none) {
        decoder.error(list.at, "plan-branches-empty");
    }
}

words! {
    /// How a branch is chosen, in a word.
    struct ChoiceWord: Choice {
        "random" = Choice::Random,
        "by-users" = Choice::MixOfUsers,
        "by-iterations" = Choice::MixOfIterations,
        "in-turn" = Choice::InTurn { shared_by: SharedBy::User },
        "in-turn-of-scenario" = Choice::InTurn { shared_by: SharedBy::Scenario },
        "in-turn-of-all" = Choice::InTurn { shared_by: SharedBy::All },
        "in-turn-from-user" = Choice::InTurnFromUser,
        "in-turn-by-request-from-user" = Choice::InTurnByRequestFromUser,
        "in-turn-by-weight" = Choice::InTurnByWeight,
        "random-by-request" = Choice::RandomByRequest,
        "in-turn-by-request" = Choice::InTurnByRequest { shared_by: SharedBy::User },
        "in-turn-by-request-of-scenario" = Choice::InTurnByRequest { shared_by: SharedBy::Scenario },
        "in-turn-by-request-of-all" = Choice::InTurnByRequest { shared_by: SharedBy::All },
    }
}

pattern! {
    /// A branch by the value of a text.
    struct Switch: Choice = "switch" => (Choice::Switch(value)), { ["value" => value: Template, "switch-value"] }
}

impl Form for Choice {
    type Of = Self;

    fn kind() -> Kind {
        Kind::OneOf(&[ChoiceWord::kind, Switch::kind])
    }

    fn read(decoder: &mut Decoder<'_>, node: &Node) -> Option<Self> {
        match node.scalar() {
            Some(_) => ChoiceWord::read(decoder, node),
            None => Switch::read(decoder, node),
        }
    }

    fn write(choice: &Self) -> Yaml {
        match choice {
            Self::Switch(_) => Switch::write(choice),
            word => ChoiceWord::write(word),
        }
    }
}

choice! { impl Items, {
    "" => (Items::List(texts)), { ["in" => texts: List<AnyText>, "for-each-in"] }
    "" => (Items::Json(text)), { ["in-json" => text: Template, "for-each-in-json"] }
    "" => (Items::Matches { prefix, separator, after, until }), {
        ["in-matches" => (prefix, separator, after, until): OrShort<Matches>, "for-each-in-matches"]
    }
} }

pattern! {
    /// What an extraction of all matches has saved.
    struct Matches: (Text, bool, Option<Text>, Option<Text>) = "matches" => (prefix, separator, after, until), {
        ["prefix" => prefix: NameText, "matches-prefix"]
        ["separator" => separator: Flag = "true", "matches-separator"]
        ["after" => after: Maybe<Template>, "matches-after"]
        ["until" => until: Maybe<Template>, "matches-until"]
    }
}

shortened! { Matches = NameText, "prefix"; }

keys! { impl Sampler, {
    ["sample" => label: AnyText, "sample"]
    [|SamplerKind => kind]
    ["before" => before: Filled<Before>, "before-request"]
    ["after" => after: Filled<After>, "after-request"]
    ["check" => checks: Filled<Checks>, "check"]
    [at]
} }

choice! { impl SamplerKind, {
    "" => (SamplerKind::Script(script)), { ["js" => script: ScriptText, "sample-js"] }
    "" => (SamplerKind::Flow { pause_ms, action }), { ["flow" => (pause_ms, action): FlowKeys, "sample-flow"] }
    "" => (SamplerKind::Element(element)), { ["element" => element: Element, "element"] }
} }

pattern! {
    /// A wait and a change of flow.
    struct FlowKeys: (Option<Text>, Option<Action>) = "flow" => (pause_ms, action), {
        ["pause-ms" => pause_ms: Maybe<Template>, "flow-pause"]
        ["action" => action: Maybe<Action>, "action"]
    }
}

//! Steps made from choices.

use plimsoll_plan::model::*;

use super::{
    Choices, action, checks, element, meeting, pause, processors, scope, script, shared_by,
    variable,
};

pub fn steps(c: &mut Choices<'_>, depth: u8) -> Vec<Step> {
    c.some(3, |c| Step {
        kind: step(c, depth),
        enabled: c.below(8) != 1,
        at: Span::default(),
    })
}

fn block(c: &mut Choices<'_>, depth: u8) -> Block {
    Block {
        scope: scope(c, true),
        steps: steps(c, depth),
    }
}

fn step(c: &mut Choices<'_>, depth: u8) -> StepKind {
    match c.below(if depth == 0 { 6 } else { 20 }) {
        0 | 1 => StepKind::Sample(Box::new(sampler(c))),
        2 => StepKind::Think(pause(c)),
        3 => StepKind::Set(c.some(3, variable)),
        4 => StepKind::Script(script(c)),
        5 => match c.yes() {
            true => StepKind::Action(action(c)),
            false => StepKind::Rendezvous(meeting(c)),
        },
        kind => controller(c, kind, depth - 1),
    }
}

fn controller(c: &mut Choices<'_>, kind: u8, depth: u8) -> StepKind {
    let body = block(c, depth);
    match kind {
        6 => StepKind::Transaction {
            label: c.text(),
            include_pauses: c.yes(),
            as_parent: c.yes(),
            body,
        },
        7 => StepKind::If {
            condition: condition(c, 2),
            then: body,
            otherwise: block(c, depth),
        },
        8 => StepKind::While {
            condition: condition(c, 2),
            limit: c.maybe(|c| u64::from(c.below(5)) + 1),
            index: c.maybe(Choices::name),
            body,
        },
        9 => StepKind::Repeat {
            times: c.maybe(number),
            index: c.maybe(Choices::name),
            body,
        },
        10 => StepKind::ForEach {
            items: items(c),
            variable: c.name(),
            index: c.maybe(Choices::name),
            body,
        },
        11 => StepKind::OnceOnly(body),
        12 => StepKind::FirstPass(body),
        13 => StepKind::FirstTimes {
            times: number(c),
            shared_by: shared_by(c),
            body,
        },
        14 => StepKind::Percent {
            percent: number(c),
            shared_by: shared_by(c),
            body,
        },
        15 => StepKind::Runtime {
            seconds: number(c),
            body,
        },
        16 => StepKind::RandomOrder(body),
        17 => StepKind::Critical {
            lock: c.text(),
            body,
        },
        18 => choose(c, body),
        _ => StepKind::Block(body),
    }
}

fn number(c: &mut Choices<'_>) -> Text {
    Text::of(c.pick(&["1", "20", "${x}", "${__P(n,3)}"]))
}

fn items(c: &mut Choices<'_>) -> Items {
    match c.below(3) {
        1 => Items::List(c.some(3, Choices::text)),
        2 => Items::Json(c.text()),
        _ => Items::Matches {
            prefix: c.text(),
            separator: c.yes(),
            after: c.maybe(number),
            until: c.maybe(number),
        },
    }
}

fn choose(c: &mut Choices<'_>, body: Block) -> StepKind {
    let shared_by = shared_by(c);
    let by = c.pick(&[
        Choice::Random,
        Choice::MixOfUsers,
        Choice::MixOfIterations,
        Choice::InTurn { shared_by },
        Choice::InTurnByRequest { shared_by },
        Choice::RandomByRequest,
        Choice::InTurnFromUser,
        Choice::InTurnByRequestFromUser,
        Choice::InTurnByWeight,
        Choice::Switch(Text::of("${x}")),
    ]);
    let first = Branch {
        weight: 1,
        value: c.maybe(Choices::text),
        body,
    };
    let branch = |c: &mut Choices<'_>| Branch {
        weight: u32::from(c.below(4)),
        value: c.maybe(Choices::text),
        body: block(c, 0),
    };
    let mut branches = vec![first];
    branches.extend(c.some(2, branch));
    StepKind::Choose { by, branches }
}

fn sampler(c: &mut Choices<'_>) -> Sampler {
    let kind = match c.below(4) {
        1 => SamplerKind::Flow {
            pause_ms: c.maybe(Choices::text),
            action: c.maybe(action),
        },
        _ => SamplerKind::Element(element(c)),
    };
    Sampler {
        label: c.text(),
        kind,
        before: processors(c, false),
        after: processors(c, true),
        checks: checks(c),
        at: Span::default(),
    }
}

fn condition(c: &mut Choices<'_>, depth: u8) -> Condition {
    match c.below(7) {
        1 => Condition::Script(script(c)),
        2 => Condition::IsTrue(c.text()),
        3 => Condition::IsFalse(c.text()),
        4 => Condition::Compare {
            left: c.text(),
            op: c.pick(&[
                Comparison::Equal,
                Comparison::NotEqual,
                Comparison::Less,
                Comparison::AtMost,
                Comparison::Greater,
                Comparison::AtLeast,
                Comparison::Contains,
            ]),
            right: c.text(),
        },
        5 => Condition::Defined(c.name()),
        6 if depth > 0 => Condition::Not(Box::new(condition(c, depth - 1))),
        _ => Condition::LastOk,
    }
}

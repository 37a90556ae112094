//! Changes of flow: from where they jump, where they go, what they end on the way.

use super::machine::{Machine, Outcome, trace};
use super::plans::*;
use crate::model::*;

#[test]
fn break_and_continue_belong_to_the_innermost_loop() {
    let steps = |action| {
        vec![
            repeat(
                2,
                vec![
                    req("a"),
                    repeat(2, vec![req("b"), act(action), req("c")]),
                    req("d"),
                ],
            ),
            req("e"),
        ]
    };
    assert_eq!(trace(&plan(steps(Action::Break)), 1), "a b d a b d e");
    assert_eq!(
        trace(&plan(steps(Action::Continue)), 1),
        "a b b d a b b d e"
    );
    assert_eq!(trace(&plan(steps(Action::NextIteration)), 2), "a b | a b");
}

#[test]
fn jumps_end_transactions_and_give_locks_back() {
    let inside = |action| {
        let inner = transaction(
            "u",
            vec![critical("l", vec![req("a"), act(action), req("b")])],
        );
        vec![transaction("t", vec![repeat(2, vec![inner]), req("c")])]
    };
    assert_eq!(trace(&plan(inside(Action::Break)), 1), "<t <u a u> c t>");
    assert_eq!(
        trace(&plan(inside(Action::Continue)), 1),
        "<t <u a u> <u a u> c t>"
    );
    assert_eq!(
        trace(&plan(inside(Action::NextIteration)), 1),
        "<t <u a u> t>"
    );
    assert_eq!(
        trace(&plan(inside(Action::StopUser)), 2),
        "<t <u a u> t> !StopUser"
    );
    assert_eq!(
        trace(&plan(inside(Action::StopRunNow)), 2),
        "<t <u a !StopRunNow"
    );
}

#[test]
fn the_iterations_are_the_outermost_loop() {
    let plan_of = |action| {
        plan(vec![
            transaction("t", vec![req("a"), act(action)]),
            req("b"),
        ])
    };
    assert_eq!(trace(&plan_of(Action::Continue), 2), "<t a t> | <t a t>");
    assert_eq!(trace(&plan_of(Action::Break), 2), "<t a t> !StopUser");
    assert_eq!(
        trace(&plan_of(Action::StopScenario), 2),
        "<t a t> !StopScenario"
    );
}

#[test]
fn a_conditional_break_ends_a_loop() {
    let last = if_true("${stop}", vec![act(Action::Break)], vec![]);
    let steps = vec![
        set("stop", "false"),
        repeat(3, vec![req("a"), last, set("stop", "true")]),
    ];
    assert_eq!(trace(&plan(steps), 1), "a a");
}

#[test]
fn jumps_out_of_choices() {
    let steps = vec![
        repeat(
            3,
            vec![
                in_turn(vec![reqs("a"), vec![req("b"), act(Action::Break)]]),
                req("c"),
            ],
        ),
        step(StepKind::RandomOrder(block(vec![act(
            Action::NextIteration,
        )]))),
        req("never"),
    ];
    assert_eq!(trace(&plan(steps), 1), "a c b");
}

/// A failing request `a` in a transaction in a loop, under a rule of the scenario.
fn failing(rule: OnError, outcome: Outcome) -> String {
    let inner = transaction("t", reqs("a b"));
    let mut plan = plan(vec![repeat(2, vec![inner]), req("c")]);
    plan.scenarios[0].on_error = rule;
    let program = compiled(&plan);
    let mut machine = Machine::new(&program);
    machine.outcomes.insert("a".to_owned(), outcome);
    machine.run(2)
}

#[test]
fn a_failure_acts_as_the_scenario_says() {
    let act = OnError::Act;
    let run = |rule| failing(rule, Outcome::CheckFailed);
    assert_eq!(
        run(OnError::GoOn),
        "<t a b t> <t a b t> c | <t a b t> <t a b t> c"
    );
    assert_eq!(run(act(Action::NextIteration)), "<t a t> | <t a t>");
    assert_eq!(
        run(act(Action::Continue)),
        "<t a t> <t a t> c | <t a t> <t a t> c"
    );
    assert_eq!(run(act(Action::Break)), "<t a t> c | <t a t> c");
    assert_eq!(run(act(Action::StopUser)), "<t a t> !StopUser");
    assert_eq!(run(act(Action::StopScenario)), "<t a t> !StopScenario");
    assert_eq!(run(act(Action::StopRun)), "<t a t> !StopRun");
    assert_eq!(run(act(Action::StopRunNow)), "<t a !StopRunNow");
    assert_eq!(
        failing(act(Action::StopUser), Outcome::Ok),
        failing(OnError::GoOn, Outcome::Ok)
    );
}

#[test]
fn the_nearest_rule_wins() {
    let mut gentle = block(reqs("a"));
    gentle.scope.on_error = Some(OnError::GoOn);
    let mut plan = plan(vec![step(StepKind::Block(gentle)), req("b"), req("c")]);
    plan.scenarios[0].on_error = OnError::Act(Action::StopUser);
    let program = compiled(&plan);
    let mut machine = Machine::new(&program);
    for name in ["a", "b"] {
        machine.outcomes.insert(name.to_owned(), Outcome::Failed);
    }
    assert_eq!(machine.run(1), "a b !StopUser");
}

#[test]
fn a_processor_acts_on_failures_before_the_checks() {
    let run = |outcome| {
        let mut inner = block(reqs("a b"));
        inner.scope.after = vec![Processor::OnError(OnError::Act(Action::Break))];
        let looped = repeat(2, vec![step(StepKind::Block(inner))]);
        let mut plan = plan(vec![looped, req("c")]);
        plan.scenarios[0].on_error = OnError::Act(Action::StopUser);
        let program = compiled(&plan);
        let mut machine = Machine::new(&program);
        machine.outcomes.insert("a".to_owned(), outcome);
        machine.run(1)
    };
    assert_eq!(run(Outcome::Failed), "a c");
    assert_eq!(run(Outcome::CheckFailed), "a !StopUser");
    assert_eq!(run(Outcome::Ok), "a b a b c");
}

fn jmeter(steps: Vec<Step>) -> Plan {
    let mut plan = plan(steps);
    plan.undefined = Undefined::KeepLiteral;
    plan
}

#[test]
fn with_jmeter_conditions_that_do_not_hold_set_their_controllers_back() {
    let steps = || {
        let once = step(StepKind::OnceOnly(block(reqs("login"))));
        let turns = in_turn(vec![reqs("b"), reqs("c")]);
        let first = step(StepKind::FirstTimes {
            times: Text::of("1"),
            shared_by: SharedBy::User,
            body: block(reqs("first")),
        });
        let inner = if_true("true", vec![once, first, turns], vec![]);
        let asked = if_true("${on}", vec![inner], vec![]);
        let looped = repeat(2, vec![asked, set("on", "false")]);
        vec![set("on", "true"), looped]
    };
    // Passes: it holds, it does not; then the same again.
    let jmeters = trace(&jmeter(steps()), 3);
    assert_eq!(jmeters, "login first b | login b | login b");
    assert_eq!(trace(&plan(steps()), 3), "login first b | c | b");
}

#[test]
fn with_jmeter_a_change_of_flow_tells_of_the_transaction_around_the_loop() {
    let steps = |as_parent| {
        let looped = repeat(2, vec![req("a"), act(Action::Continue), req("b")]);
        vec![step(StepKind::Transaction {
            label: Text::of("t"),
            include_pauses: false,
            as_parent,
            body: block(vec![looped]),
        })]
    };
    assert_eq!(trace(&jmeter(steps(true)), 1), "<t a t… a t… t>");
    assert_eq!(trace(&jmeter(steps(false)), 1), "<t a a t>");
    assert_eq!(trace(&plan(steps(true)), 1), "<t a a t>");
}

#[test]
fn what_jmeter_leaves_begins_anew_and_what_stops_leaves_nothing() {
    let run = |steps: Vec<Step>, undefined, rule| {
        let mut plan = plan(steps);
        plan.undefined = undefined;
        plan.scenarios[0].on_error = OnError::Act(rule);
        let program = compiled(&plan);
        let mut machine = Machine::new(&program);
        machine
            .outcomes
            .insert("f".to_owned(), Outcome::CheckFailed);
        machine.run(3)
    };
    let once = || {
        let once = StepKind::OnceOnly(block(reqs("a f b")));
        vec![step(once), req("c")]
    };
    let (jmeter, own) = (Undefined::KeepLiteral, Undefined::default());
    let next = Action::NextIteration;
    assert_eq!(run(once(), jmeter, next), "a f | a f | a f");
    assert_eq!(run(once(), own, next), "a f | c | c");
    let whole = || {
        let once = StepKind::OnceOnly(block(reqs("a")));
        vec![step(once), req("f"), req("c")]
    };
    assert_eq!(run(whole(), jmeter, next), "a f | f | f");
    let within = || vec![transaction("t", vec![transaction("u", reqs("a f b"))])];
    assert_eq!(
        run(within(), jmeter, next),
        "<t <u a f u> t> | <t <u a f u> t> | <t <u a f u> t>"
    );
    assert_eq!(
        run(within(), jmeter, Action::StopUser),
        "<t <u a f !StopUser"
    );
    assert_eq!(
        run(within(), own, Action::StopUser),
        "<t <u a f u> t> !StopUser"
    );
}

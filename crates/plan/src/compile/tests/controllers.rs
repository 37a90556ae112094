//! Every controller: in which order what runs, how often.

use super::machine::{Machine, trace};
use super::plans::*;
use crate::model::*;

#[test]
fn steps_run_in_order() {
    let nested = step(StepKind::Block(block(reqs("b c"))));
    let mut off = req("off");
    off.enabled = false;
    let plan = plan(vec![req("a"), nested, off, req("d")]);
    assert_eq!(trace(&plan, 2), "a b c d | a b c d");
}

#[test]
fn loops_in_loops() {
    let inner = repeat(2, reqs("b"));
    let plan = plan(vec![repeat(3, vec![req("a"), inner]), req("c")]);
    assert_eq!(trace(&plan, 2), "a b b a b b a b b c | a b b a b b a b b c");
    assert_eq!(
        trace(&super::plans::plan(vec![repeat(0, reqs("a")), req("b")]), 1),
        "b"
    );
}

#[test]
fn a_loop_has_an_index_and_its_times_may_be_a_variable() {
    let body = block(reqs("a${i}"));
    let times = Some(Text::of("${n}"));
    let kind = StepKind::Repeat {
        times,
        index: Some("i".to_owned()),
        body,
    };
    // The times are those of the loop's beginning.
    let StepKind::Repeat {
        times,
        index,
        mut body,
    } = kind
    else {
        panic!()
    };
    body.steps.push(set("n", "1"));
    let kind = StepKind::Repeat { times, index, body };
    let plan = plan(vec![set("n", "3"), step(kind)]);
    assert_eq!(trace(&plan, 2), "a0 a1 a2 | a0 a1 a2");
}

#[test]
fn if_and_else() {
    let plan = |value: &str| {
        let steps = vec![
            set("x", value),
            if_true("${x}", reqs("yes"), reqs("no")),
            if_true("${x}", reqs("only"), vec![]),
            req("end"),
        ];
        plan(steps)
    };
    assert_eq!(trace(&plan("TRUE"), 1), "yes only end");
    assert_eq!(trace(&plan("no"), 1), "no end");
}

#[test]
fn while_has_a_condition_and_a_limit() {
    let condition = || Condition::Compare {
        left: Text::of("${i}"),
        op: Comparison::Less,
        right: Text::of("2"),
    };
    let looped = |limit| StepKind::While {
        condition: condition(),
        limit,
        index: Some("i".to_owned()),
        body: block(reqs("a${i}")),
    };
    assert_eq!(trace(&plan(vec![step(looped(None))]), 2), "a0 a1 | a0 a1");
    assert_eq!(trace(&plan(vec![step(looped(Some(1)))]), 1), "a0");
    let never = StepKind::While {
        condition: Condition::Not(Box::new(Condition::LastOk)),
        limit: Some(5),
        index: None,
        body: block(reqs("a")),
    };
    assert_eq!(trace(&plan(vec![step(never), req("b")]), 1), "b");
}

#[test]
fn for_each_goes_over_lists_matches_and_json() {
    let each = |items| StepKind::ForEach {
        items,
        variable: "v".to_owned(),
        index: Some("i".to_owned()),
        body: block(reqs("${i}${v}")),
    };
    let list = Items::List(vec![Text::of("x"), Text::of("${y}")]);
    assert_eq!(
        trace(&plan(vec![set("y", "z"), step(each(list))]), 2),
        "0x 1z | 0x 1z"
    );
    let json = Items::Json(Text::of("[1,2]"));
    assert_eq!(trace(&plan(vec![step(each(json))]), 1), "01 12");

    let matches = |after: u64, until: Option<u64>| {
        let of = |number: u64| Text::of(number.to_string());
        let (after, until) = (Some(of(after)), until.map(of));
        let prefix = Text::of("id");
        let items = Items::Matches {
            prefix,
            separator: true,
            after,
            until,
        };
        let plan = plan(vec![step(each(items))]);
        let program = compiled(&plan);
        let mut machine = Machine::new(&program);
        for (name, value) in [("id_1", "a"), ("id_2", "b"), ("id_3", "c"), ("id_5", "e")] {
            machine.put(name, value);
        }
        machine.run(1)
    };
    assert_eq!(matches(0, None), "0a 1b 2c");
    assert_eq!(matches(1, Some(2)), "0b");
}

#[test]
fn once_only_is_once_in_a_life_and_first_pass_once_a_loop() {
    let once = || step(StepKind::OnceOnly(block(reqs("login"))));
    let first = || step(StepKind::FirstPass(block(reqs("first"))));
    let looped = vec![repeat(2, vec![once(), first(), req("a")])];
    assert_eq!(trace(&plan(looped), 2), "login first a a | first a a");
    // Beside no loop, the first pass is the user's first.
    assert_eq!(trace(&plan(vec![first(), req("a")]), 2), "first a | a");
    // Of the innermost loop, each time it begins.
    let inner = repeat(2, vec![first(), req("b")]);
    assert_eq!(
        trace(&plan(vec![repeat(2, vec![inner])]), 1),
        "first b b first b b"
    );
}

#[test]
fn shares_and_totals_are_exact() {
    let percent = |share: &str, name: &str| {
        let (percent, shared_by) = (Text::of(share), SharedBy::User);
        step(StepKind::Percent {
            percent,
            shared_by,
            body: block(reqs(name)),
        })
    };
    let steps = vec![repeat(
        10,
        vec![percent("30", "a"), percent("50", "b"), percent("0", "c")],
    )];
    let trace_ = trace(&plan(steps), 1);
    assert_eq!(trace_.matches('a').count(), 3);
    assert_eq!(trace_.matches('b').count(), 5);
    assert!(!trace_.contains('c'));

    let (times, shared_by) = (Text::of("3"), SharedBy::User);
    let first = StepKind::FirstTimes {
        times,
        shared_by,
        body: block(reqs("x")),
    };
    assert_eq!(
        trace(&plan(vec![repeat(2, vec![step(first)])]), 3),
        "x x | x | "
    );
}

#[test]
fn what_users_share_is_counted_over_all_users() {
    let (times, shared_by) = (Text::of("3"), SharedBy::All);
    let first = StepKind::FirstTimes {
        times,
        shared_by,
        body: block(reqs("x")),
    };
    let mix = StepKind::Choose {
        by: Choice::MixOfIterations,
        branches: ["l", "m"]
            .map(|name| Branch {
                weight: 1,
                value: None,
                body: block(reqs(name)),
            })
            .into(),
    };
    let plan = plan(vec![step(first), step(mix)]);
    let program = compiled(&plan);
    let mut one = Machine::new(&program);
    assert_eq!(one.run(2), "x l | x m");
    let mut two = Machine::new(&program);
    two.shared = one.shared;
    assert_eq!(two.run(2), "x l | m");
}

#[test]
fn interleave_takes_turns() {
    let plan = plan(vec![
        req("a"),
        in_turn(vec![reqs("b"), reqs("c d"), reqs("e")]),
        req("f"),
    ]);
    assert_eq!(trace(&plan, 4), "a b f | a c d f | a e f | a b f");
}

#[test]
fn interleave_by_request_goes_on_where_it_left() {
    let by = Choice::InTurnByRequest {
        shared_by: SharedBy::User,
    };
    let steps = vec![choose(by, vec![reqs("a"), reqs("b c")]), req("x")];
    // A branch at its end begins again in the same turn.
    assert_eq!(
        trace(&plan(steps), 8),
        "a x | b x | a x | c x | a x | b x | a x | c x"
    );
}

#[test]
fn interleave_by_request_in_transactions_and_loops() {
    let by = || Choice::InTurnByRequest {
        shared_by: SharedBy::User,
    };
    let steps = vec![choose(by(), vec![reqs("a"), vec![repeat(2, reqs("b c"))]])];
    assert_eq!(trace(&plan(steps), 8), "a | b | a | c | a | b | a | c");
    // Nested: the inner one takes one turn each time the outer one comes to it.
    let inner = choose(by(), vec![reqs("p q"), reqs("r")]);
    let steps = vec![choose(by(), vec![vec![inner, req("z")], reqs("a")])];
    assert_eq!(trace(&plan(steps), 6), "p | a | z | a | r | a");
}

#[test]
fn empty_branches_end_a_turn() {
    let by = Choice::InTurnByRequest {
        shared_by: SharedBy::User,
    };
    let empty = || vec![set("v", "1"), set("v", "2")];
    assert_eq!(
        trace(&plan(vec![choose(by, vec![empty(), empty()]), req("x")]), 2),
        "x | x"
    );
}

#[test]
fn switch_by_value_position_and_default() {
    let plan = |value: &str| {
        let branch = |name: &str, weight| Branch {
            weight,
            value: Some(Text::of(name)),
            body: block(reqs(name)),
        };
        let by = Choice::Switch(Text::of("${which}"));
        let branches = vec![branch("red", 1), branch("default", 1), branch("blue", 0)];
        plan(vec![
            set("which", value),
            step(StepKind::Choose { by, branches }),
            req("x"),
        ])
    };
    assert_eq!(trace(&plan("blue"), 1), "blue x");
    assert_eq!(trace(&plan("0"), 1), "red x");
    assert_eq!(trace(&plan("green"), 1), "default x");
    let none = choose(Choice::Switch(Text::of("7")), vec![reqs("a")]);
    assert_eq!(trace(&super::plans::plan(vec![none, req("x")]), 1), "x");
}

#[test]
fn random_chooses_one_and_random_order_all() {
    let random = plan(vec![choose(
        Choice::Random,
        vec![reqs("a"), reqs("b"), reqs("c")],
    )]);
    let seen = trace(&random, 60);
    assert!(
        ["a", "b", "c"].iter().all(|name| seen.contains(name)),
        "{seen}"
    );
    assert!(
        seen.split(" | ").all(|iteration| iteration.len() == 1),
        "{seen}"
    );

    let order = plan(vec![
        step(StepKind::RandomOrder(block(reqs("a b c")))),
        req("x"),
    ]);
    let mut orders: Vec<String> = trace(&order, 60).split(" | ").map(str::to_owned).collect();
    for seen in &orders {
        assert!(seen.ends_with(" x"), "{seen}");
        let mut names: Vec<&str> = seen.split(' ').collect();
        names.sort_unstable();
        assert_eq!(names, ["a", "b", "c", "x"]);
    }
    orders.sort();
    orders.dedup();
    assert_eq!(orders.len(), 6, "every order comes");
}

#[test]
fn mix_of_users_keeps_the_branch() {
    let plan = plan(vec![choose(Choice::MixOfUsers, vec![reqs("a"), reqs("b")])]);
    let program = compiled(&plan);
    let mut machine = Machine::new(&program);
    machine.user = 1;
    assert_eq!(machine.run(3), "b | b | b");
}

#[test]
fn runtime_ends_before_a_request() {
    // Each request takes a second.
    let timed = |seconds: &str, steps| {
        step(StepKind::Runtime {
            seconds: Text::of(seconds),
            body: block(steps),
        })
    };
    assert_eq!(
        trace(&plan(vec![timed("3", reqs("a b")), req("x")]), 2),
        "a b a x | a b a x"
    );
    assert_eq!(trace(&plan(vec![timed("0", reqs("a")), req("x")]), 1), "x");
    let inner = transaction("t", vec![critical("l", reqs("a b"))]);
    assert_eq!(
        trace(&plan(vec![timed("3", vec![inner]), req("x")]), 1),
        "<t a b t> <t a t> x"
    );
}

#[test]
fn transactions_locks_and_random_pieces_nest() {
    let plan = plan(vec![
        transaction("t", vec![req("a"), critical("l", reqs("b"))]),
        req("c"),
    ]);
    assert_eq!(trace(&plan, 1), "<t a b t> c");
}

#[test]
fn rows_and_counters_advance_where_they_stand() {
    let mut inner = block(reqs("${n}${row}"));
    inner.scope.counters = vec![Counter {
        variable: "n".to_owned(),
        start: 5,
        step: 10,
        end: None,
        digits: 0,
        reset_each_iteration: true,
        format: None,
        shared_by: SharedBy::User,
        at: Span::default(),
    }];
    let times = Some(Text::of("2"));
    let looped = step(StepKind::Repeat {
        times,
        index: None,
        body: inner,
    });
    let mut plan = plan(vec![looped]);
    plan.scenarios[0].body.scope.data = vec![data()];
    assert_eq!(trace(&plan, 2), "5row0 15row0 | 5row1 15row1");
}

/// A file with one column.
pub(super) fn data() -> CsvData {
    CsvData {
        name: "d".to_owned(),
        path: Text::of("d.csv"),
        columns: vec!["row".to_owned()],
        has_header: false,
        delimiter: b',',
        separator: None,
        encoding: "utf-8".to_owned(),
        order: DataOrder::Sequential,
        at_end: AtEnd::Recycle,
        shared_by: SharedBy::All,
        group: None,
        quoted: true,
        verbatim: false,
        elements_behind: 0,
        at: Span::default(),
    }
}

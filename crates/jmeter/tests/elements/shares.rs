//! JMeter plans whose load is shared, and packages without a lease.

use std::sync::Arc;

use plimsoll_load::Lease;
use plimsoll_load::engine::control::Stopper;
use plimsoll_load::engine::{Options, Share, can_join_late, run, shareable};
use plimsoll_plan::compile::{CompileOptions, compile};
use plimsoll_plan::model::*;
use plimsoll_plan::program::Program;

use crate::support::*;

fn program(plan: &Plan) -> Program {
    compile(plan, &CompileOptions::default()).unwrap()
}

fn ids(result: Result<(), Vec<plimsoll_load::kit::extract::BindError>>) -> Vec<String> {
    let errors = result.err().unwrap_or_default();
    errors.into_iter().map(|error| error.message.id).collect()
}

fn labels_of(plan: &Plan, index: u32, count: u32) -> Vec<String> {
    let options = Options {
        share: Share::new(index, count).unwrap(),
        ..options()
    };
    run_with(plan, &options).0.order()
}

#[test]
fn counters_and_users_of_all_shares_are_those_of_the_plan() {
    let steps = || vec![sample(java("${__threadNum} ${__counter(FALSE)} ${c}", &[]))];
    let counter = [
        ("CounterConfig.start", "10"),
        ("CounterConfig.incr", "5"),
        ("CounterConfig.name", "c"),
    ];
    let mut group = group("g", 6, 2, steps());
    group
        .body
        .scope
        .on_pass
        .push(element("CounterConfig", "c", &counter));
    let plan = plan(vec![group]);
    let part = |labels: &[String], at: usize| {
        let mut parts: Vec<String> = labels
            .iter()
            .map(|label| label.split(' ').nth(at).unwrap().to_owned())
            .collect();
        parts.sort();
        parts
    };
    let whole = labels_of(&plan, 0, 1);
    assert_eq!(whole.len(), 12);
    let shared: Vec<String> = (0..3)
        .flat_map(|index| labels_of(&plan, index, 3))
        .collect();
    for at in 0..3 {
        assert_eq!(part(&whole, at), part(&shared, at), "{shared:?}");
    }
    let refused = ids(can_join_late(&program(&plan)));
    assert_eq!(refused, ["late-iterations", "late-counter"]);
}

#[test]
fn users_that_wait_for_each_other_cannot_be_shared() {
    let meets = element("SyncTimer", "all", &[("groupSize", "2")]);
    let mut group_a = group("a", 2, 1, vec![sample(java("x", &[]))]);
    group_a.body.scope.pauses.push(ScopePause::Element(meets));
    let mut plan = plan(vec![
        group_a,
        group("b", 1, 1, vec![sample(java("y", &[]))]),
    ]);
    assert_eq!(ids(shareable(&program(&plan), 2)), ["share-meeting"]);
    plan.scenarios.remove(0);
    plan.scenarios
        .push(group("c", 2, 1, vec![sample(java("z", &[]))]));
    assert!(shareable(&program(&plan), 2).is_ok());
    plan.order = Order::InOrder;
    plan.setup = vec![group("set", 1, 1, vec![sample(java("s", &[]))])];
    let refused = ids(shareable(&program(&plan), 2));
    assert_eq!(refused, ["share-in-order", "share-setup-groups"]);
}

#[test]
fn packages_wait_for_the_lease() {
    let plan = plan(vec![group("g", 2, 1, vec![sample(java("a", &[]))])]);
    let program = Arc::new(program(&plan));
    for renewed in [true, false] {
        let (lease, stopper) = (Lease::until(0), Stopper::default());
        let options = Options {
            lease: lease.clone(),
            stopper: stopper.clone(),
            ..options()
        };
        let program = Arc::clone(&program);
        let run = std::thread::spawn(move || {
            let mut seen = Seen::default();
            run(&program, &options, &mut seen).unwrap();
            seen
        });
        if renewed {
            lease.renew(1, u64::MAX);
        } else {
            stopper.stop();
        }
        let seen = run.join().unwrap();
        assert_eq!(seen.rows().len(), if renewed { 2 } else { 0 });
    }
}

//! The load is changed while workers make it, by the library: who asks does not tell workers from one
//! machine.

use std::time::Duration;

use plimsoll_load::schedule::Course;
use plimsoll_run::{
    FleetSettings, LoadChange, LoadSettings, NatsSettings, NewLoad, PlanSource, RunHandle, RunNews,
    RunRequest,
};

use crate::fleet::Fleet;

fn over(fleet: &Fleet, load: &str, workers: usize) -> RunRequest {
    fleet.bench.write("plan.yaml", fleet.plan(load));
    let plan = fleet.bench.path("plan.yaml");
    let source = PlanSource::new(plan.to_str().unwrap());
    let root = fleet.bench.path("steered");
    let request = RunRequest::new(source, LoadSettings::default(), root);
    RunRequest {
        fleet: Some(FleetSettings {
            workers,
            workers_with: Vec::new(),
            workers_within: Duration::from_secs(30),
            each: false,
            bundle: Vec::new(),
            clock_error: Duration::from_secs(1),
            lease: Duration::from_secs(10),
            nats: NatsSettings {
                servers: fleet.urls(),
                ..NatsSettings::default()
            },
        }),
        ..request.ok().unwrap()
    }
}

fn second(run: &RunHandle, wanted: u64) {
    for news in run.subscribe().unwrap() {
        if matches!(&news, RunNews::Interval(interval) if interval.to_s >= wanted) {
            return;
        }
    }
    panic!("the run ended before second {wanted}");
}

#[test]
fn arrivals_of_all_workers_follow_a_change() {
    let fleet = Fleet::start(&["w1", "w2", "w3"]);
    let asked = || over(&fleet, "rate: 31/s\nduration: 6s\nmax-in-flight: 3000", 3);
    let run = asked().begin().unwrap();
    second(&run, 1);
    let change = |to| LoadChange { scenario: None, to };
    let more = run
        .change(&change(NewLoad::rate_times(4.0).unwrap()))
        .unwrap();
    let longer = run.extend(Duration::from_secs(3)).unwrap();
    let made = run.join().unwrap();

    let request = asked();
    let scenario = &request.ready.plan.scenarios[0];
    let mut course = Course::new(&scenario.load, scenario.end_after);
    for timed in [&more, &longer] {
        course.change(timed.at_ns, timed.change.to, "").unwrap();
    }
    let planned = course.arrivals(0).count();
    let events = made.run.events().unwrap();
    assert_eq!(fleet.target.seen().len(), planned, "{events:?}");
    assert_eq!(made.summary.total.samples, planned as u64);
    assert!(
        (made.summary.duration_s - 9.0).abs() < 0.01,
        "{}",
        made.summary.duration_s
    );
    assert_eq!(made.summary.load_changes.len(), 2);
    let spoils = ["change-late", "fleet-not-changed", "fleet-missing"];
    let told = events
        .iter()
        .filter(|event| spoils.contains(&event.kind.as_str()));
    assert_eq!(told.count(), 0, "{events:?}");
    assert!(made.summary.fleet.unwrap().lost.is_empty());
    fleet.end();
}

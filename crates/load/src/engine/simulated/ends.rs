//! How runs end.

use super::*;
use crate::engine::control::Stopper;

#[test]
fn what_is_in_flight_at_the_end_gets_its_grace() {
    let yaml = "users: 3\nduration: 10s\ngrace: 5s\nsteps: [{get: /}]\n";
    let (heard, ended) = simulate(yaml, steady(4 * S));
    // The third of each user begins at 8 s and ends at 12 s.
    assert_eq!(heard.samples.len(), 9);
    assert_eq!((heard.cut_off, heard.after_load), (0, 3));
    assert_eq!(ended.load_end_ns, 10 * S);
    assert_eq!(ended.end_ns, 3 * (4 * S + WAYS_NS) + CONNECT_NS);
}

#[test]
fn what_takes_longer_than_the_grace_is_cut_off_and_counted() {
    let yaml = "users: 3\nduration: 10s\ngrace: 1s\nsteps: [{get: /}]\n";
    let (heard, ended) = simulate(yaml, steady(4 * S));
    assert_eq!((heard.samples.len(), heard.cut_off), (6, 3));
    assert_eq!((ended.load_end_ns, ended.stopped), (10 * S, false));
}

#[test]
fn who_connects_when_the_grace_is_over_is_no_sample() {
    let world = World::new(|| {
        |_: std::net::SocketAddr, _: u64| crate::driver::simulated::Admission::Silence
    });
    let yaml = "duration: 10s\ngrace: 1s\nconnect-timeout: 1m\ntimeout: 1m\nsteps: [{get: /}]\n";
    let (heard, _) = simulate(yaml, world);
    assert_eq!((heard.samples.len(), heard.cut_off), (0, 0));
}

#[test]
fn a_stop_lets_nothing_new_begin_and_what_is_in_flight_end() {
    let stopper = Stopper::default();
    let (count, stops) = (Count::default(), stopper.clone());
    let world = respond(move |_, _| {
        if count.add() == 20 {
            stops.stop_from_outside();
        }
        after(2 * S, response(200, "", b""))
    });
    let options = Options {
        stopper,
        ..Options::default()
    };
    let yaml = "rate: 10/s\nduration: 1h\nsteps: [{get: /}]\n";
    let (heard, ended) = simulate_with(yaml, world, options);
    assert_eq!((heard.samples.len(), heard.cut_off), (21, 0));
    assert!(ended.stopped);
    assert_eq!(ended.load_end_ns / (100 * MS), 20);
    assert_eq!(heard.after_load, 20);
}

#[test]
fn a_plan_stops_the_run_when_it_says_so() {
    let world = respond(|_, request| {
        let status = if request.number == 2 { 500 } else { 200 };
        after(S, response(status, "", b""))
    });
    let yaml = "duration: 1h\non-error: stop-run\nsteps: [{get: /}]\n";
    let (heard, ended) = simulate(yaml, world);
    assert_eq!((heard.samples.len(), ended.stopped), (3, true));
    let told = heard.events.iter().map(|event| event.message.id.as_str());
    assert!(told.into_iter().any(|id| id == "event-stopped-by-plan"));
}

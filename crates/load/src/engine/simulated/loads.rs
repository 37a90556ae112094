//! When users and arrivals start, also over long times.

use super::*;

#[test]
fn arrivals_come_at_their_time_whatever_becomes_of_those_before() {
    let yaml = "rate: 10/s\nduration: 1m\nsteps: [{get: /}]\n";
    let (heard, ended) = simulate(yaml, steady(3 * S));
    let expected: Vec<u64> = (0..600).map(|n| n * 100 * MS).collect();
    assert_eq!(heard.starts(), expected);
    // Connections are made ahead or with the request.
    let time = 3 * S + WAYS_NS;
    assert!(
        heard
            .times()
            .iter()
            .all(|ns| [time, time + CONNECT_NS].contains(ns))
    );
    assert_eq!(heard.lateness_max_ns, 0);
    assert_eq!((ended.load_end_ns, ended.stopped), (60 * S, false));
    assert_eq!(ended.end_ns, 59_900 * MS + 3 * S + WAYS_NS);
    // Those of the last three seconds ended after the load.
    assert_eq!(heard.after_load, 30);
}

#[test]
fn arrivals_beyond_the_most_in_flight_are_dropped_and_counted() {
    let yaml = "rate: 10/s\nduration: 10s\nmax-in-flight: 5\nsteps: [{get: /}]\n";
    let (heard, _) = simulate(yaml, steady(995 * MS));
    // Five of each second find room.
    assert_eq!((heard.samples.len(), heard.dropped), (50, 50));
    assert!(heard.starts().iter().all(|at| at % S < 500 * MS));
}

#[test]
fn a_ramp_of_a_rate_has_as_many_arrivals_as_its_area() {
    let yaml = "stages: [{rate: 0/s..100/s, for: 1m}, {rate: 100/s, for: 30s}]\n\
        steps: [{get: /}]\n";
    let (heard, _) = simulate(yaml, steady(MS));
    assert_eq!(heard.samples.len(), 6_000);
    let first_half = heard.starts().iter().filter(|at| **at < 30 * S).count();
    assert!((749..=751).contains(&first_half), "{first_half}");
}

#[test]
fn a_paced_user_keeps_its_pace() {
    let yaml = "duration: 1m\npace: 10s\nsteps: [{get: /}]\n";
    let starts = |after_ns| simulate(yaml, steady(after_ns)).0.starts();
    assert_eq!(starts(3 * S), [0, 10, 20, 30, 40, 50].map(|s| s * S));
    // One that comes late is not waited for longer.
    let late = simulate(
        yaml,
        respond(|_, request| {
            let slow = request.number == 1;
            after(if slow { 14 * S } else { S }, response(200, "", b""))
        }),
    );
    assert_eq!(late.0.starts()[..2], [0, 10 * S]);
    assert_eq!(late.0.starts()[2], 24 * S + WAYS_NS);
    assert_eq!(late.0.starts()[3..], [30 * S, 40 * S, 50 * S]);
}

#[test]
fn think_time_follows_the_end_of_the_response() {
    let yaml = "duration: 1m\nsteps: [{get: /}, {think: 5s}]\n";
    let (heard, _) = simulate(yaml, steady(2 * S));
    let step = 7 * S + WAYS_NS;
    let expected: Vec<u64> = (0..9)
        .map(|n| n * step + CONNECT_NS * u64::from(n > 0))
        .collect();
    assert_eq!(heard.starts(), expected);
}

#[test]
fn users_come_and_go_by_their_ramp() {
    let yaml = "users: 10\nramp-up: 10s\nduration: 30s\nsteps: [{get: /}, {think: 1s}]\n";
    let (heard, _) = simulate(yaml, steady(MS));
    for user in 0..10 {
        let own = heard.samples.iter().filter(|sample| sample.user == user);
        let first = own
            .map(|sample| sample.start_unix_ns - heard.begin_unix_ns)
            .min();
        let first = first.unwrap();
        assert!(
            first.is_multiple_of(S / 2) && first <= 10 * S,
            "{user}: {first}"
        );
    }
}

#[test]
fn eight_hours_of_a_closed_load() {
    let yaml = "users: 5\nduration: 8h\nsteps: [{get: /}, {think: 9s}]\n";
    let (heard, ended) = simulate(yaml, steady(S - WAYS_NS));
    // Each ten seconds one for each user, from the connection on.
    assert_eq!(heard.samples.len(), 5 * 8 * 360);
    assert_eq!(heard.errors(), [""; 0]);
    assert_eq!(heard.times().iter().max(), Some(&(S + CONNECT_NS)));
    assert_eq!((ended.load_end_ns, ended.stopped), (8 * 3_600 * S, false));
    let all = (0..8 * 3_600).collect::<Vec<_>>();
    assert!(heard.seconds.starts_with(&all));
}

#[test]
fn eight_hours_of_an_open_load_come_on_the_nanosecond() {
    let yaml = "rate: 0.5/s\nduration: 8h\nsteps: [{get: /}]\n";
    let (heard, _) = simulate(yaml, steady(3 * S));
    let expected: Vec<u64> = (0..4 * 3_600).map(|n| n * 2 * S).collect();
    assert_eq!(heard.starts(), expected);
    assert_eq!((heard.lateness_max_ns, heard.dropped), (0, 0));
}

#[test]
fn what_is_slept_through_is_timed_by_the_kernel() {
    let yaml = "rate: 5000/s\nduration: 2s\nready-users: 4\nsteps: [{get: /}]\n";
    let (heard, _) = simulate(yaml, steady(130 * US));
    assert_eq!(heard.samples.len(), 10_000);
    assert_eq!(heard.lateness_max_ns, 0);
    // Responses were noticed with the next arrival only, and are timed as they came.
    assert!(heard.lag_max_ns > 60 * US, "{}", heard.lag_max_ns);
    let time = 130 * US + WAYS_NS;
    let exact = heard.times().iter().filter(|ns| **ns == time).count();
    assert!(exact > 9_900, "{exact}");
}

#[test]
fn the_same_seed_is_the_same_run() {
    let yaml = "rate: 20/s\narrivals: poisson\nduration: 10m\n\
        steps: [{get: /}, {think: {exponential: 2s}}, {get: /b}]\n";
    let world = || {
        respond(|connection, request| {
            let ms = (connection * 31 + request.number * 7) % 90 + 1;
            after(ms * MS, response(200, "", b""))
        })
    };
    let [a, b] = [(), ()].map(|()| simulate(yaml, world()).0);
    assert!(a.samples.len() > 20_000, "{}", a.samples.len());
    assert_eq!((a.starts(), a.times()), (b.starts(), b.times()));
}

#[test]
fn users_meet_when_all_are_there_or_the_time_of_the_first_is_over() {
    let starts = |ramp_s: u64| {
        let yaml = format!(
            "users: 4\nramp-up: {ramp_s}s\nduration: 5m\nsteps:\n  \
             - rendezvous: {{name: all, users: 4, timeout: 1m}}\n  \
             - get: /\n  - think: 10m\n"
        );
        simulate(&yaml, steady(MS)).0.starts()
    };
    // They come each ten seconds.
    assert_eq!(starts(40), [30 * S; 4]);
    // Each fifty.
    assert_eq!(starts(200), [60 * S, 60 * S, 160 * S, 160 * S]);
}

#[test]
fn who_has_done_its_iterations_is_followed_by_a_new_user() {
    let yaml = "users: 2\niterations: 3\nnew-users: true\nduration: 10s\nsteps: [{get: /}]\n";
    let (heard, ended) = simulate(yaml, steady(S));
    // Two at any time: each of a place's ten seconds has one.
    assert_eq!(heard.samples.len(), 2 * 10);
    let of = |user| heard.samples.iter().filter(|one| one.user == user).count();
    // Each is a user of its own, with connections of its own.
    let each: Vec<usize> = (0..8).map(of).collect();
    assert_eq!(each, [3, 3, 3, 3, 3, 3, 1, 1]);
    let connected = heard.times().into_iter().filter(|ns| *ns > S + CONNECT_NS);
    assert_eq!(connected.count(), 8);
    assert_eq!((ended.load_end_ns, ended.stopped), (10 * S, false));
}

#[test]
fn who_ends_by_an_error_is_followed_by_a_new_user_too() {
    let world = || {
        respond(|_, request| {
            let status = if request.number == 1 { 500 } else { 200 };
            after(S, response(status, "", b""))
        })
    };
    let samples = |more: &str| {
        let yaml = format!("duration: 9s\non-error: stop-user\n{more}steps: [{{get: /}}]\n");
        let (heard, _) = simulate(&yaml, world());
        (heard.samples.len(), heard.errors().len())
    };
    assert_eq!(samples(""), (2, 1));
    assert_eq!(samples("new-users: true\n"), (9, 4));
}

//! Beginning at an agreed moment, being called off before, and joining late.

use std::time::Duration;

use plimsoll_load::clock::boottime_ns;
use plimsoll_load::engine::control::Stopper;
use plimsoll_load::engine::{Begin, Options, run};

use crate::http::HttpServer;
use crate::support::{Seen, Told, program, run_with, share};

const SECOND_NS: u64 = 1_000_000_000;

#[test]
fn a_run_is_ready_before_it_knows_when_it_begins() {
    let server = HttpServer::hello();
    let yaml = format!(
        "target: {}\nusers: 3\niterations: 2\nsteps:\n  - get: /\n",
        server.url()
    );
    let program = program(&yaml);
    let begin = Begin::default();
    let options = Options {
        begin: Some(begin.clone()),
        ..Options::default()
    };
    let (mut seen, told) = Seen::told();
    let run = std::thread::spawn(move || run(&program, &options, &mut seen).unwrap());
    assert!(matches!(told.recv().unwrap(), Told::Ready));
    assert!(told.try_recv().is_err(), "the clock is not known yet");
    let at_ns = boottime_ns() + SECOND_NS / 2;
    begin.tell(at_ns);
    let Told::Started(clock) = told.recv().unwrap() else {
        panic!("ready twice");
    };
    assert_eq!(clock.kernel_ns(0), at_ns);
    if clock.until_zero() > Duration::ZERO {
        // Looked at before the moment: nothing may have come by then.
        let seen = server.seen().len();
        assert!(seen == 0 || clock.until_zero().is_zero());
    }
    assert!(!run.join().unwrap().stopped);
    assert!(boottime_ns() >= at_ns);
    assert_eq!(server.seen().len(), 6);
}

#[test]
fn a_run_can_be_called_off_before_it_begins() {
    let server = HttpServer::hello();
    let yaml = format!(
        "target: {}\nusers: 3\nduration: 1h\nsteps:\n  - get: /\n",
        server.url()
    );
    let program = program(&yaml);
    let hour_ns = 3600 * SECOND_NS;
    for begin in [Begin::default(), Begin::at(boottime_ns() + hour_ns)] {
        let stopper = Stopper::default();
        let options = Options {
            begin: Some(begin),
            stopper: stopper.clone(),
            ..Options::default()
        };
        let (mut seen, told) = Seen::told();
        let program = std::sync::Arc::clone(&program);
        let run = std::thread::spawn(move || run(&program, &options, &mut seen).unwrap());
        assert!(matches!(told.recv().unwrap(), Told::Ready));
        stopper.stop();
        let ended = run.join().unwrap();
        assert!(ended.stopped);
        assert_eq!(ended.load_end_ns, 0);
    }
    assert!(server.seen().is_empty());
}

#[test]
fn who_joins_late_makes_the_rest_of_its_share() {
    // Arrival k of 100/s is due at k × 10 ms: joined at 2 s of 3, share 1 of 2 has 50 left.
    let server = HttpServer::hello();
    let yaml = format!(
        "target: {}\nrate: 100/s\nduration: 3s\nsteps:\n  - get: /\n",
        server.url()
    );
    let options = Options {
        begin: Some(Begin::at(boottime_ns() - SECOND_NS)),
        from: Some(Duration::from_secs(2)),
        ..share(1, 2)
    };
    let (seen, ended) = run_with(&program(&yaml), &options);
    assert_eq!(server.seen().len() as u64 + seen.withheld, 50);
    assert_eq!(seen.withheld, 0, "those before are not its own");
    assert_eq!(seen.seconds.first(), Some(&2));
    assert_eq!(ended.load_end_ns, 3 * SECOND_NS);
}

#[test]
fn users_whose_time_goes_on_begin_when_their_share_is_joined() {
    // One user more each second up to 4, then one less each second.
    let server = HttpServer::hello();
    let yaml = format!(
        "target: {}\nstages:\n  - {{users: 4, ramp: 4s}}\n  - {{users: 0, ramp: 4s}}\n\
         steps:\n  - get: /u${{user()}}\n  - think: 100ms\n",
        server.url()
    );
    let options = Options {
        begin: Some(Begin::at(boottime_ns() - 5 * SECOND_NS - SECOND_NS / 2)),
        from: Some(Duration::from_millis(6_500)),
        ..share(0, 1)
    };
    run_with(&program(&yaml), &options);
    let mut users = server.targets();
    users.sort();
    users.dedup();
    // User 4 was gone at 5 s and user 3 at 6 s.
    assert_eq!(users, ["/u1", "/u2"]);
}

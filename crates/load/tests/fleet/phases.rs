//! Setup, load and teardown apart.

use plimsoll_load::engine::{Options, Phases, Values};

use crate::http::{HttpServer, Response};
use crate::support::{program, run_with};

#[test]
fn setup_finds_values_for_the_load_and_the_teardown_of_others() {
    let server = HttpServer::start(|request| match request.path() {
        "/login" => Response::ok(r#"{"token": "s3cret"}"#),
        _ => Response::ok("ok"),
    });
    let yaml = format!(
        "target: {}\nusers: 2\niterations: 1\nsetup:\n  - post: /login\n    \
         save: {{token: $.token}}\nsteps:\n  - get: /load/${{token}}\n\
         teardown:\n  - get: /bye/${{token}}\n",
        server.url()
    );
    let program = program(&yaml);
    let phase = |phases, initial: &Values| {
        let options = Options {
            phases,
            initial: initial.clone(),
            ..Options::default()
        };
        let before = server.seen().len();
        let (seen, ended) = run_with(&program, &options);
        assert!(!ended.stopped && !ended.setup_failed);
        (seen, server.targets().split_off(before))
    };
    let none = Values::default();
    let (seen, targets) = phase(Phases::Setup, &none);
    assert_eq!(targets, ["/login"]);
    let found = seen.found;
    assert_eq!(found, Values(vec![("token".into(), "s3cret".into())]));
    assert!(!format!("{found:?}").contains("s3cret"));
    let (_, targets) = phase(Phases::Load, &found);
    assert_eq!(targets, ["/load/s3cret"; 2]);
    let (_, targets) = phase(Phases::Teardown, &found);
    assert_eq!(targets, ["/bye/s3cret"]);
    let (_, targets) = phase(Phases::Whole, &none);
    assert_eq!(
        targets,
        ["/login", "/load/s3cret", "/load/s3cret", "/bye/s3cret"]
    );
}

#[test]
fn a_setup_that_fails_says_so() {
    let server = HttpServer::start(|_| Response::new(500, "no"));
    let yaml = format!(
        "target: {}\nusers: 1\niterations: 1\nsetup:\n  - get: /login\nsteps:\n  - get: /\n",
        server.url()
    );
    let options = Options {
        phases: Phases::Setup,
        ..Options::default()
    };
    let (seen, ended) = run_with(&program(&yaml), &options);
    assert!(ended.setup_failed);
    assert!(seen.events().contains_key("event-setup-failed"));
    assert_eq!(server.targets(), ["/login"]);
}

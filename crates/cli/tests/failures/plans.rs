//! Plans that are wrong, lack a file or have steps that send nothing.

use crate::support;
use crate::support::Bench;
use crate::support::http::{HttpServer, Response};

#[test]
fn a_plan_that_cannot_be_read() {
    let bench = Bench::new();
    for plan in ["missing.yaml", "/", "latin1.yaml"] {
        bench.write("latin1.yaml", b"name: caf\xe9\n");
        let told = bench.call(&["run", plan]);
        assert_eq!(told.code, Some(2), "{told:?}");
        assert!(told.err.contains(plan), "{told:?}");
    }
    assert!(support::runs_in(bench.dir.path()).is_empty());
}

#[test]
fn a_wrong_plan_lists_every_mistake() {
    let bench = Bench::new();
    bench.write(
        "plan.yaml",
        "target: http://127.0.0.1:1\nusers: many\nduration: 5 parsecs\nsteps:\n  - gett: /x\n  - get: /${nobody}\n",
    );
    let told = bench.call(&["run", "plan.yaml"]);
    assert_eq!(told.code, Some(2), "{told:?}");
    for place in ["plan.yaml:2:8", "plan.yaml:3:11", "plan.yaml:5:5"] {
        assert!(told.err.contains(place), "{place}: {}", told.err);
    }
    assert!(
        told.err.contains("parsecs") && told.err.contains("gett"),
        "{}",
        told.err
    );
    bench.write(
        "plan.yaml",
        "target: http://127.0.0.1:1\nsteps:\n  - get: /${nobody}\n  - get: /${somebody}\n",
    );
    let told = bench.call(&["run", "plan.yaml"]);
    assert_eq!(told.code, Some(2), "{told:?}");
    assert!(
        told.err.contains("nobody") && told.err.contains("somebody"),
        "{}",
        told.err
    );
}

#[test]
fn missing_files() {
    let server = HttpServer::hello();
    let bench = Bench::new();
    let plan = |more: &str| format!("target: {}\nusers: 1\niterations: 2\n{more}", server.url());
    let told = bench.plan(
        &plan("data: users.csv\nsteps: [{get: \"/${user}\"}]\n"),
        &[],
    );
    assert_eq!(told.code, Some(2), "{told:?}");
    assert!(told.err.contains("users.csv"), "{}", told.err);
    bench.write("users.csv", "user,password\n");
    let told = bench.plan(
        &plan("data: users.csv\nsteps: [{get: \"/${user}\"}]\n"),
        &[],
    );
    assert_eq!(told.code, Some(2), "{told:?}");
    for body in ["file: body.bin", "multipart: {a: {file: body.bin}}"] {
        let told = bench.plan(&plan(&format!("steps:\n  - post: /x\n    {body}\n")), &[]);
        assert_eq!(told.code, Some(2), "{told:?}");
        assert!(told.err.contains("body.bin"), "{}", told.err);
    }
    for tls in ["ca: ca.pem", "certificate: me.pem, key: me.key"] {
        let told = bench.plan(
            &plan(&format!(
                "tls: {{{tls}}}\nsteps: [{{get: \"https://127.0.0.1:1/\"}}]\n"
            )),
            &[],
        );
        assert_eq!(told.code, Some(2), "{told:?}");
    }
    assert!(
        server.seen().is_empty(),
        "a plan whose files are missing was run"
    );
}

#[test]
fn a_variable_without_a_value_is_not_sent() {
    let server = HttpServer::start(|_| Response::ok("{}"));
    let told = Bench::new().steps(
        &server.url(),
        "  - if: ${user()} > 5\n    then: [{set: {token: abc}}]\n  - get: /a?t=${token}\n  - get: /b\n",
    );
    told.assert_code(0).assert_all_errors_are("script_failed");
    assert_eq!(server.targets(), ["/b"]);
}

/// Steps that never wait must keep neither other users nor the end of the run from their turn.
#[test]
fn steps_that_send_nothing_do_not_hang() {
    let server = HttpServer::hello();
    let unset = "set: {a: \"${token}\"}";
    for steps in [
        "js: \"vars.x = 1\"",
        "if: \"nobody.knows == 1\"\n            then: [{get: /x}]",
        unset,
        "get: \"/${token}\"",
        "get: \"http://other.test/\"",
        "repeat: 1000000000\n            steps: [{set: {a: b}}]",
        "while: \"${user()} > 0\"\n            at-most: 1000000000\n            steps: [{js: \"1\"}]",
    ] {
        let plan = format!(
            "target: {}
variables: {{x: \"\", a: \"\"}}
hosts: [127.0.0.1]
scenarios:
    busy:
        users: 2
        duration: 1s
        steps:
          - {steps}
          - if: ${{user()}} > 5
            then: [{{set: {{token: abc}}}}]
    other:
        users: 1
        iterations: 20
        steps: [{{get: /hello}}]
",
            server.url()
        );
        let bench = Bench::new();
        let told = bench.plan(&plan, &["--threads", "1", "--seed", "1"]);
        assert!(matches!(told.code, Some(0 | 4)), "{steps}: {told:?}");
        let hello = support::count(&told.label("GET /hello"), "samples");
        assert_eq!(hello, 20, "{steps}");
    }
}

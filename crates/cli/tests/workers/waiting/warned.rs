//! A connection to NATS that leaves this host without TLS is warned of, by workers and controllers, in
//! both languages; one that stays here is not.

use crate::fleet::{Fleet, Servers};

const ENGLISH: &str = "need not be encrypted";
const CHINESE: &str = "不要求加密";

#[test]
fn a_connection_without_tls_to_elsewhere_is_warned_of() {
    let fleet = Fleet::start(&[]);
    let Servers::One(server) = &fleet.servers else {
        unreachable!("one server");
    };
    // The wildcard address leads to this host, which only the kernel knows.
    let elsewhere = format!("nats://joe:a-password@0.0.0.0:{}", server.port);
    let here = server.url();
    let listed = |url: &str, more: &[&str]| {
        let args = [&["workers", "--nats", url], more].concat();
        let told = fleet.bench.call(&args);
        assert_eq!(told.code, Some(0), "{told:?}");
        told.err
    };
    let told = listed(&elsewhere, &[]);
    let address = format!("nats://0.0.0.0:{}", server.port);
    assert!(told.contains(ENGLISH) && told.contains(&address), "{told}");
    assert!(!told.contains("a-password"), "{told}");
    assert!(listed(&elsewhere, &["--lang", "zh"]).contains(CHINESE));
    assert!(!listed(&here, &[]).contains(ENGLISH));
    let args = ["worker", "--name", "w1", "--nats", &elsewhere];
    let worker = fleet.bench.start(fleet.bench.command(&args));
    fleet.wait_for(1);
    fleet
        .bench
        .write("plan.yaml", fleet.plan("users: 1\niterations: 1"));
    let run = ["run", "plan.yaml", "--workers", "1", "--nats", &elsewhere];
    let told = fleet.bench.call(&run);
    assert!(told.err.contains(ENGLISH), "{told:?}");
    worker.signal("INT");
    let told = worker.end();
    assert!(told.err.contains(ENGLISH), "{told:?}");
}

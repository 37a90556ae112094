//! What the machine has too little of: descriptors, room on disks.

use std::time::Duration;

use crate::support::Bench;
use crate::support::http::{Answer, HttpServer};

#[test]
fn file_descriptors_run_out() {
    let server = HttpServer::start(|_| {
        std::thread::sleep(Duration::from_millis(300));
        Answer::ok("hello")
    });
    let bench = Bench::new();
    let plan = format!(
        "target: {}\nusers: 100\niterations: 2\nsteps: [{{get: /x}}]\n",
        server.url()
    );
    bench.write("plan.yaml", plan);
    let told = bench.shell(
        "ulimit -n 64 && exec \"$PLIMSOLL\" run plan.yaml --quiet --summary-json summary.json",
    );
    told.assert_code(4)
        .assert_all_errors_are("out_of_file_descriptors")
        .assert_readable();
    let summary = told.summary();
    assert_eq!(summary["generator"]["limited"], true);
    let reasons = summary["generator"]["reasons"].to_string();
    assert!(reasons.contains("fds"), "{reasons}");
    assert!(
        told.total("samples") > told.total("errors"),
        "some had a descriptor"
    );
}

#[test]
fn the_disk_is_full() {
    let server = HttpServer::start(|_| {
        std::thread::sleep(Duration::from_millis(5));
        Answer::ok("hello")
    });
    let bench = Bench::new();
    bench.write(
        "plan.yaml",
        format!(
            "target: {}\nusers: 2\nduration: 3s\nsteps: [{{get: /x}}]\n",
            server.url()
        ),
    );
    // No file may grow beyond 24 KiB; the signal that this brings is ignored, as a disk
    // that is full brings none.
    let told = bench.shell(
        "trap '' XFSZ; ulimit -f 48; \"$PLIMSOLL\" run plan.yaml --quiet --summary-json summary.json; exit $?",
    );
    told.assert_code(0);
    assert!(told.total("samples") > 0 && told.total("errors") == 0);
    assert!(!told.err.trim().is_empty(), "the user is told");
}

#[test]
fn files_that_cannot_be_written() {
    let server = HttpServer::hello();
    let bench = Bench::new();
    bench.write(
        "plan.yaml",
        format!(
            "target: {}\nusers: 1\niterations: 3\nsteps: [{{get: /x}}]\n",
            server.url()
        ),
    );
    let told = bench.call(&[
        "run",
        "plan.yaml",
        "--quiet",
        "--jtl",
        "/dev/full",
        "--summary-json",
        "summary.json",
    ]);
    told.assert_code(0).assert_all_ok(3).assert_readable();
    assert!(told.err.contains("/dev/full"), "{told:?}");
    // A folder for runs that cannot be made: the run goes on, in memory.
    let told = bench.call(&[
        "run",
        "plan.yaml",
        "--quiet",
        "--out",
        "/dev/null/runs",
        "--summary-json",
        "summary.json",
    ]);
    told.assert_code(0).assert_all_ok(3);
    assert!(told.err.contains("/dev/null/runs"), "{told:?}");
    let told = bench.call(&["run", "plan.yaml", "--quiet", "--summary-json", "/dev/full"]);
    assert!(told.err.contains("/dev/full"), "{told:?}");
    assert_ne!(told.code, Some(0));
}

/// So few that not even the load threads can begin: that is no run that passed.
#[test]
fn hardly_any_file_descriptors() {
    let server = HttpServer::hello();
    let bench = Bench::new();
    let plan = format!(
        "target: {}\nusers: 4\niterations: 5\nsteps: [{{get: /x}}]\n",
        server.url()
    );
    bench.write("plan.yaml", plan);
    for descriptors in [5, 8, 10, 12, 14, 16, 18, 20, 22, 26] {
        let told = bench.shell(&format!(
            "ulimit -n {descriptors} && exec \"$PLIMSOLL\" run plan.yaml --quiet --threads 2 \
             --summary-json summary.json"
        ));
        if told.code == Some(0) {
            told.assert_all_ok(20);
        } else {
            assert!(
                !told.err.is_empty() || told.total("errors") > 0,
                "{descriptors}: {told:?}"
            );
        }
    }
}

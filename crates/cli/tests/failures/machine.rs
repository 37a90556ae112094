//! What the machine has too little of: descriptors, room on disks.

use std::path::Path;
use std::time::Duration;

use crate::support::http::{HttpServer, Response};
use crate::support::{Bench, eventually};

#[test]
fn file_descriptors_run_out() {
    let server = HttpServer::start(|_| {
        std::thread::sleep(Duration::from_millis(300));
        Response::ok("hello")
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
        Response::ok("hello")
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
    told.assert_kept(7, 0);
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
    // The process says what the run's own summary cannot know.
    told.assert_kept(7, 0).assert_all_ok(3).assert_readable();
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
    told.assert_kept(7, 0).assert_all_ok(3);
    assert!(told.err.contains("/dev/null/runs"), "{told:?}");
    let told = bench.call(&["run", "plan.yaml", "--quiet", "--summary-json", "/dev/full"]);
    assert!(told.err.contains("/dev/full"), "{told:?}");
    assert!(matches!(told.code, Some(7 | 4)), "{told:?}");
}

/// Whoever reads the output of a run learns that some of it is missing.
#[test]
fn standard_output_that_cannot_be_written() {
    let server = HttpServer::hello();
    let bench = Bench::new();
    let plan = "target: URL\nusers: 1\niterations: 3\nsteps: [{get: /x}]\n";
    bench.write("plan.yaml", plan.replace("URL", &server.url()));
    let told = bench.shell("exec $PLIMSOLL run plan.yaml --summary-json summary.json > /dev/full");
    told.assert_kept(7, 0).assert_all_ok(3).assert_readable();
    assert!(told.err.contains("Standard output"), "{told:?}");
    // A reader that went away needs no telling; the run goes on to its end all the same.
    let gone = "$PLIMSOLL run plan.yaml --summary-json summary.json 2> err; echo $? > code";
    bench.shell(&format!(
        "{{ {gone}; }} | true; while ! test -s code; do sleep 0.02; done"
    ));
    assert!(
        matches!(bench.read("code").trim(), "7" | "4"),
        "{}",
        bench.read("code")
    );
    assert!(!bench.read("err").contains("Standard output"));
    // What did fail outranks that.
    let told = bench.shell("exec $PLIMSOLL show nothing > /dev/full");
    assert_eq!(told.code, Some(2), "{told:?}");
    let told = bench.shell("exec $PLIMSOLL list > /dev/full");
    assert_eq!(told.code, Some(7), "{told:?}");
}

/// `last` is the last run that was made, and never in silence an older one.
#[test]
fn a_run_that_was_not_stored_is_not_taken_for_an_older_one() {
    let server = HttpServer::hello();
    let bench = Bench::new();
    let plan = "target: URL\nusers: 1\niterations: 3\nsteps: [{get: /x}]\n";
    bench.write("plan.yaml", plan.replace("URL", &server.url()));
    let run = [
        "run",
        "plan.yaml",
        "--quiet",
        "--summary-json",
        "summary.json",
    ];
    bench.call(&run).assert_code(0);
    let report = ["report", "last", "-o", "r.html"];
    let told = bench.call(&report);
    let name = |run: &Path| run.file_name().unwrap().to_str().unwrap().to_owned();
    let first = name(&told.runs()[0]);
    assert!(told.err.contains(&first), "says which run: {told:?}");
    // A file stands where the runs should lie.
    let runs = bench.path("plimsoll-runs");
    std::fs::rename(&runs, bench.path("aside")).unwrap();
    std::fs::write(&runs, "").unwrap();
    bench.call(&run).assert_kept(7, 0).assert_all_ok(3);
    std::fs::remove_file(&runs).unwrap();
    std::fs::rename(bench.path("aside"), &runs).unwrap();
    for command in [
        &report[..],
        &["show", "last"],
        &["diagnose", "last"],
        &["show", "last~1"],
    ] {
        let told = bench.call(command);
        assert_eq!(told.code, Some(2), "{told:?}");
        assert!(told.err.contains("could not be stored") && told.err.contains(&first));
    }
    assert_eq!(bench.call(&["show", &first]).code, Some(0));
    // The next run is the last again.
    bench.call(&run).assert_code(0);
    let told = bench.call(&report);
    assert!(told.err.contains(&name(&told.runs()[1])), "{told:?}");
}

/// Samples are on disk as the run goes, so that a killed run keeps them, and no other run
/// writes into the same file.
#[test]
fn a_sample_log_is_one_runs_and_written_as_it_goes() {
    let server = HttpServer::hello();
    let bench = Bench::new();
    let plan = "target: URL\nrate: 5/s\nduration: 5m\nsteps: [{get: /x}]\n";
    let long = plan.replace("URL", &server.url());
    let running = bench.start_plan(&long, &["--jtl", "samples.jtl"]);
    let lines = || std::fs::read_to_string(bench.path("samples.jtl")).unwrap_or_default();
    eventually("samples are written", || lines().lines().count() > 3);
    assert!(lines().len() < 4_096, "not when a buffer is full");
    let other = long.replace("5m", "1s");
    bench.write("other.yaml", other);
    let told = bench.call(&["run", "other.yaml", "--quiet", "--jtl", "samples.jtl"]);
    assert_eq!(told.code, Some(2), "{told:?}");
    assert!(
        told.err.contains("Another run is writing samples.jtl"),
        "{told:?}"
    );
    running.signal("KILL");
    running.end();
    let kept = lines();
    assert!(kept.ends_with('\n') && kept.lines().count() > 3, "{kept}");
    // A file that nobody writes is begun anew.
    bench.call(&["run", "other.yaml", "--quiet", "--jtl", "samples.jtl"]);
    assert!(lines().starts_with("timeStamp,") && lines().lines().count() < 10);
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
        } else if told.code == Some(4) && told.err.is_empty() {
            // A busy machine, or descriptors that just did: the summary says so.
            told.assert_code(0);
        } else {
            assert!(
                !told.err.is_empty() || told.total("errors") > 0,
                "{descriptors}: {told:?}"
            );
        }
    }
}

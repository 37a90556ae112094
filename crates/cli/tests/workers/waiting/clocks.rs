//! Workers' clocks: one that is not known well enough is refused; one that is suspended goes on.

use std::fs;
use std::os::unix::fs::FileExt;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::fleet::Fleet;
use crate::support::{count, eventually};

#[test]
fn a_worker_whose_clock_is_not_known_well_enough_is_refused() {
    let fleet = Fleet::start(&["w1", "w2"]);
    let plan = fleet.plan("users: 2\niterations: 3");
    // No exchange is that good.
    let told = fleet
        .begin(&plan, &["--workers", "2", "--clock-error", "0ms"])
        .end();
    assert_eq!(told.code, Some(2), "{told:?}");
    for says in ["The clock of worker w", "at most 0.0 ms", "--clock-error"] {
        assert!(told.err.contains(says), "{says}: {told:?}");
    }
    assert!(fleet.target.seen().is_empty());
    // The workers are free, and good enough for others.
    let told = fleet.begin(&plan, &["--workers", "2"]).end();
    told.assert_code(0).assert_all_ok(6);
    for worker in told.summary()["fleet"]["workers"].as_array().unwrap() {
        let clocks = worker["clocks"].as_array().unwrap();
        assert_eq!(clocks.len(), 1, "{worker}");
        assert!(clocks[0]["at_s"].as_f64().unwrap() < 0.0, "{worker}");
        assert_eq!(clocks[0]["error_ms"], worker["clock_error_ms"], "{worker}");
    }
    fleet.end();
}

/// What a host's clocks read that was suspended: the one that counts since the start of the machine
/// goes on meanwhile (as the test's own does), the monotonic one stands. A file says for how long
/// it stood in all.
const SUSPENDED: &str = r#"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile long long *stood_ns;

__attribute__((constructor)) static void look(void) {
    const char *path = getenv("STOOD_NS");
    int file = path ? open(path, O_RDONLY) : -1;
    if (file < 0) return;
    void *at = mmap(0, sizeof *stood_ns, PROT_READ, MAP_SHARED, file, 0);
    if (at != MAP_FAILED) stood_ns = at;
    close(file);
}

int clock_gettime(clockid_t id, struct timespec *now) {
    int failed = syscall(SYS_clock_gettime, id, now);
    if (!failed && stood_ns && id == CLOCK_MONOTONIC) {
        long long ns = now->tv_sec * 1000000000LL + now->tv_nsec - *stood_ns;
        now->tv_sec = ns / 1000000000LL;
        now->tv_nsec = ns % 1000000000LL;
    }
    return failed;
}
"#;

#[test]
fn a_suspended_host_finds_its_lease_over_and_makes_nothing_up() {
    let mut fleet = Fleet::start(&[]);
    let [source, clocks, stood] =
        ["suspended.c", "suspended.so", "stood"].map(|of| fleet.bench.path(of));
    fs::write(&source, SUSPENDED).unwrap();
    fs::write(&stood, 0_i64.to_ne_bytes()).unwrap();
    let made = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&clocks, &source])
        .status();
    assert!(made.unwrap().success());
    fleet.worker_with("w1", &[], &[("LD_PRELOAD", &clocks), ("STOOD_NS", &stood)]);
    fleet.wait_for(1);
    let plan = fleet.plan("rate: 60/s\nduration: 20s");
    let run = fleet.begin(&plan, &["--workers", "1", "--lease", "4s"]);
    eventually("load", || fleet.target.seen().len() > 150);
    fleet.workers[0].0.signal("STOP");
    let stopped = Instant::now();
    std::thread::sleep(Duration::from_secs(8));
    let stood_ns = i64::try_from(stopped.elapsed().as_nanos()).unwrap();
    let file = fs::OpenOptions::new().write(true).open(&stood).unwrap();
    file.write_all_at(&stood_ns.to_ne_bytes(), 0).unwrap();
    fleet.workers[0].0.signal("CONT");
    let told = run.end();
    let summary = told.summary();
    let reached = fleet.target.seen().len() as u64;
    let withheld = count(&summary["fleet"], "withheld");
    assert_eq!(told.total("samples"), reached, "{summary}");
    // By the clock that stood it would have gone on where it was, and have made all of them.
    assert!(withheld >= 6 * 60, "{withheld} {reached} {summary}");
    assert!(reached + withheld <= 1200, "{withheld} {reached}");
    fleet.end();
}

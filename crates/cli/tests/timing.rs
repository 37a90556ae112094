//! Who waits for whom, what is charged to whom, and what ends a run.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use support::http::{HttpServer, Response};
use support::{Bench, count, eventually};

#[test]
fn a_rendezvous_lets_all_go_together() {
    let arrived = Arc::<AtomicU64>::default();
    let seen = Arc::clone(&arrived);
    let server = HttpServer::start(move |request| {
        match request.path() {
            "/before" => _ = seen.fetch_add(1, Ordering::SeqCst),
            _ => assert_eq!(
                seen.load(Ordering::SeqCst),
                12,
                "one went on before all were there"
            ),
        }
        Response::ok("")
    });
    for threads in ["1", "2"] {
        arrived.store(0, Ordering::SeqCst);
        let plan = format!(
            "target: {}\nusers: 12\nramp-up: 600ms\niterations: 1\nsteps: [{{get: /before}}, {{rendezvous: all}}, {{get: /after}}]\n",
            server.url()
        );
        Bench::new()
            .plan(&plan, &["--threads", threads])
            .assert_code(0)
            .assert_all_ok(24);
    }
}

#[test]
fn a_rendezvous_does_not_hang_when_users_end_or_the_run_does() {
    let server = HttpServer::start(|request| match request.path() {
        "/sometimes" => Response::new(500, ""),
        _ => Response::ok(""),
    });
    // Every second user ends before it comes to the rendezvous.
    let plan = format!(
        "target: {}\nusers: 6\niterations: 3\nsteps:\n  - choose: by-users\n    branches:\n\
         \x20     - steps: [{{get: /ok}}]\n      - steps: [{{get: /sometimes, on-error: stop-user}}]\n\
         \x20 - rendezvous: all\n  - get: /after\n",
        server.url()
    );
    let told = Bench::new().plan(&plan, &["--threads", "2"]);
    told.assert_code(0);
    assert_eq!(count(&told.label("GET /after"), "samples"), 9);
    // More users are awaited than there are for as long as the run lasts.
    let plan = format!(
        "target: {}\nusers: 2\nduration: 1s\nsteps: [{{get: /ok}}, {{choose: by-users, branches: [{{steps: [{{rendezvous: all}}]}}, {{steps: [{{think: 1h}}]}}]}}, {{get: /after}}]\n",
        server.url()
    );
    Bench::new()
        .plan(&plan, &["--threads", "2"])
        .assert_code(0)
        .assert_all_ok(2);
    // With a time-out, those who wait go on.
    let plan = format!(
        "target: {}\nusers: 2\niterations: 1\nsteps: [{{get: /ok}}, {{choose: by-users, branches: [{{steps: [{{rendezvous: {{name: all, users: 2, timeout: 300ms}}}}]}}, {{steps: [{{think: 1s}}]}}]}}, {{get: /after}}]\n",
        server.url()
    );
    Bench::new()
        .plan(&plan, &[])
        .assert_code(0)
        .assert_all_ok(4);
}

#[test]
fn a_critical_section_holds_one_user() {
    let inside = Arc::<AtomicU64>::default();
    let seen = Arc::clone(&inside);
    let overlap = Arc::<AtomicBool>::default();
    let overlapped = Arc::clone(&overlap);
    let server = HttpServer::start(move |_| {
        overlapped.fetch_or(seen.fetch_add(1, Ordering::SeqCst) > 0, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(3));
        seen.fetch_sub(1, Ordering::SeqCst);
        Response::ok("")
    });
    let plan = format!(
        "target: {}\nusers: 8\niterations: 5\nsteps: [{{critical: door, steps: [{{get: /}}]}}]\n",
        server.url()
    );
    Bench::new()
        .plan(&plan, &["--threads", "2"])
        .assert_code(0)
        .assert_all_ok(40);
    assert!(!overlap.load(Ordering::SeqCst), "two users were inside");
}

fn p(of: &serde_json::Value, times: &str, name: &str) -> f64 {
    of[times][name]
        .as_f64()
        .unwrap_or_else(|| panic!("no {times}.{name} in {of}"))
}

#[test]
fn a_frozen_server_shows_in_the_response_times_of_an_open_load() {
    // One connection at a time is served, and one response takes 600 ms.
    let frozen = Arc::new(std::sync::Mutex::new(0_u32));
    let server = HttpServer::start(move |_| {
        let mut responded = frozen.lock().unwrap();
        *responded += 1;
        if *responded == 20 {
            std::thread::sleep(Duration::from_millis(600));
        }
        Response::ok("")
    });
    let plan = format!(
        "target: {}\nrate: 100/s\nduration: 2s\nsteps: [{{get: /}}]\n",
        server.url()
    );
    let told = Bench::new().plan(&plan, &[]);
    told.assert_code(0).assert_all_ok(200);
    let total = told.summary()["total"].clone();
    // About 60 of 200 arrivals fell into the freeze: the 90th percentile shows it, in spite
    // of the one request that caused it.
    assert!(p(&total, "response_time_ms", "p90") >= 300.0, "{total}");
    assert!(p(&total, "response_time_ms", "max") >= 590.0, "{total}");
}

#[test]
fn a_blocked_user_is_charged_from_its_tick() {
    // Each response takes 150 ms, an iteration is due every 50 ms: the n-th is late by n × 100 ms.
    let server = HttpServer::start(|_| {
        std::thread::sleep(Duration::from_millis(150));
        Response::ok("")
    });
    let plan = format!(
        "target: {}\nusers: 1\niterations: 10\npace: 50ms\nsteps: [{{get: /}}]\n",
        server.url()
    );
    let told = Bench::new().plan(&plan, &[]);
    told.assert_code(0).assert_all_ok(10);
    let total = told.summary()["total"].clone();
    assert!(
        p(&total, "response_time_ms", "max") >= 1050.0 * 0.999,
        "{total}"
    );
    for name in ["mean", "min", "p50", "p90", "p95", "p99", "p99_9", "max"] {
        let (response, service) = (
            p(&total, "response_time_ms", name),
            p(&total, "service_time_ms", name),
        );
        assert!(response >= service, "{name}: {total}");
    }
}

#[test]
fn think_time_is_not_charged_and_is_kept() {
    let server = HttpServer::hello();
    let plan = format!(
        "target: {}\nusers: 1\niterations: 5\nsteps: [{{get: /}}, {{think: 200ms}}]\n",
        server.url()
    );
    let begin = std::time::Instant::now();
    let told = Bench::new().plan(&plan, &[]);
    assert!(
        begin.elapsed() >= Duration::from_millis(800),
        "think times were left out"
    );
    told.assert_code(0).assert_all_ok(5);
    let total = told.summary()["total"].clone();
    assert!(p(&total, "response_time_ms", "p50") < 200.0, "{total}");
}

#[test]
fn throughput_is_kept_over_all_users() {
    let server = HttpServer::hello();
    let plan = format!(
        "target: {}\nusers: 4\niterations: 5\npauses: [{{throughput: \"1200\"}}]\nsteps: [{{get: /}}]\n",
        server.url()
    );
    let begin = std::time::Instant::now();
    Bench::new()
        .plan(&plan, &["--threads", "2"])
        .assert_code(0)
        .assert_all_ok(20);
    // 20 a second: 20 requests take 19 gaps of 50 ms at least.
    assert!(begin.elapsed() >= Duration::from_millis(950));
}

#[test]
fn stop_conditions() {
    let server = HttpServer::start(|request| match request.path() {
        "/bad" => Response::new(503, ""),
        _ => Response::ok(""),
    });
    let run = |action: &str, steps: &str| {
        let plan = format!(
            "target: {}\nusers: 1\niterations: 3\non-error: {action}\nsteps:\n{steps}",
            server.url()
        );
        let told = Bench::new().plan(&plan, &[]);
        told.assert_code(0);
        told.total("samples")
    };
    let steps = "  - repeat: 2\n    steps: [{get: /a}, {get: /bad}, {get: /b}]\n  - get: /c\n";
    for (action, samples) in [
        ("continue", 3 * 7),
        ("next-pass", 3 * 5),
        ("leave-loop", 3 * 3),
        ("next-iteration", 3 * 2),
        ("stop-user", 2),
        ("stop-scenario", 2),
        ("stop-run", 2),
        ("stop-run-now", 2),
    ] {
        assert_eq!(run(action, steps), samples, "{action}");
    }
}

#[test]
fn a_scenario_that_stops_leaves_the_others() {
    let server = HttpServer::hello();
    let plan = format!(
        "target: {}\nscenarios:\n  short: {{users: 3, duration: 1h, steps: [{{get: /short}}, {{action: stop-scenario}}]}}\n\
         \x20 long: {{users: 1, iterations: 10, steps: [{{get: /long}}, {{think: 30ms}}]}}\n",
        server.url()
    );
    let told = Bench::new().plan(&plan, &["--threads", "2"]);
    told.assert_code(0);
    assert_eq!(count(&told.label("GET /long"), "samples"), 10);
    assert!(count(&told.label("GET /short"), "samples") <= 3);
}

#[test]
fn guards_and_aborting_goals_end_a_run() {
    let server = HttpServer::start(|_| {
        std::thread::sleep(Duration::from_millis(5));
        Response::new(500, "")
    });
    for ends in [
        "guards: [{goal: errors < 20 %, for: 1s}]",
        "goals: [{goal: errors < 1 %, abort-after: 1s}]",
    ] {
        let plan = format!(
            "target: {}\nusers: 1\nduration: 1h\n{ends}\nsteps: [{{get: /}}]\n",
            server.url()
        );
        let told = Bench::new().plan(&plan, &[]);
        told.assert_code(5).assert_readable();
        assert_eq!(told.summary()["verdict"], "aborted");
    }
}

#[test]
fn a_guard_on_latency_ends_a_run() {
    let server = HttpServer::start(|_| {
        std::thread::sleep(Duration::from_millis(20));
        Response::ok("late")
    });
    let plan = format!(
        "target: {}\nusers: 1\nduration: 1h\nguards: [{{goal: p50 < 1 ms, for: 1s}}]\n\
         steps: [{{get: /}}]\n",
        server.url()
    );
    let told = Bench::new().plan(&plan, &[]);
    told.assert_code(5).assert_readable();
}

/// One user at a time, and more arrivals than it can serve: sends get later and later.
#[test]
fn a_guard_on_send_lateness_ends_a_run_of_a_slow_generator() {
    let server = HttpServer::hello();
    let plan = format!(
        "target: {}\nrate: 100/s\nduration: 1h\n\
         guards: [{{send-lateness: 50ms, for: 1s}}]\nsteps: [{{get: /}}]\n",
        server.url()
    );
    let mut run = Bench::new().start_plan(&plan, &[]);
    eventually("a request", || !server.seen().is_empty());
    // It has a fifth of the time, so that every second has requests that leave late.
    eventually("the guard's end", || {
        run.signal("STOP");
        std::thread::sleep(Duration::from_millis(200));
        run.signal("CONT");
        std::thread::sleep(Duration::from_millis(50));
        run.has_ended()
    });
    let told = run.end();
    told.assert_code(5).assert_readable();
}

#[test]
fn goals_decide_between_passed_and_failed() {
    let server = HttpServer::hello();
    let plan = format!(
        "target: {}\nusers: 1\niterations: 5\nsteps: [{{get: /}}]\n",
        server.url()
    );
    let told = Bench::new().plan(&plan, &["--goal", "errors < 1 %", "--goal", "p95 < 60 s"]);
    told.assert_code(0);
    let told = Bench::new().plan(
        &plan,
        &[
            "--goal",
            "errors < 1 %",
            "--goal",
            "throughput > 100000000 /s",
        ],
    );
    told.assert_code(1);
    let goals = told.summary()["goals"].clone();
    assert_eq!(
        (&goals[0]["met"], &goals[1]["met"]),
        (&true.into(), &false.into())
    );
}

#[test]
fn repeated_runs_are_runs_of_their_own() {
    let server = HttpServer::hello();
    let plan = format!(
        "target: {}\nusers: 2\niterations: 3\nsteps: [{{get: /}}]\n",
        server.url()
    );
    let bench = Bench::new();
    let told = bench.plan(&plan, &["--repeat", "3"]);
    assert!(matches!(told.code, Some(0 | 4)), "{told:?}");
    assert_eq!(told.runs().len(), 3);
    assert_eq!(server.seen().len(), 18);
    for name in ["summary.json", "summary-2.json", "summary-3.json"] {
        let json: serde_json::Value = serde_json::from_str(&bench.read(name)).unwrap();
        assert_eq!(json["total"]["samples"], 6);
    }
}

#[test]
fn warm_up_is_left_out() {
    let server = HttpServer::hello();
    let plan = format!(
        "target: {}\nrate: 20/s\nduration: 3s\nwarm-up: 1s\nsteps: [{{get: /}}]\n",
        server.url()
    );
    let told = Bench::new().plan(&plan, &[]);
    told.assert_code(0);
    assert_eq!(server.seen().len(), 60);
    // Those that arrive just before the second ends may end after it.
    assert!(
        (40..=45).contains(&told.total("samples")),
        "{}",
        told.total("samples")
    );
}

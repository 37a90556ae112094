//! The numbers of a run are the server's numbers: requests, arrivals, users.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use support::http::{Answer, HttpServer};
use support::nginx::Nginx;
use support::raw::{RawServer, read_head, read_to_end};
use support::{Bench, Told, count, eventually};

/// Requests whose last byte was written.
fn written(told: &Told) -> u64 {
    told.total("samples") + told.total("cut_off")
}

#[test]
fn nginx_counts_what_the_run_counts() {
    let Some(nginx) = Nginx::start() else { return };
    for threads in ["1", "2"] {
        let plan = format!(
            "target: {}\nusers: 10\niterations: 30\nsteps: [{{get: /}}]\n",
            nginx.url()
        );
        let (told, counted) = nginx.counted(|| Bench::new().plan(&plan, &["--threads", threads]));
        told.assert_code(0).assert_all_ok(300);
        assert_eq!(counted, 300, "{threads} threads");
        let plan = format!(
            "target: {}\nusers: 10\nramp-up: 500ms\nduration: 1500ms\nsteps: [{{get: /}}]\n",
            nginx.url()
        );
        let (told, counted) = nginx.counted(|| Bench::new().plan(&plan, &["--threads", threads]));
        told.assert_code(0);
        assert_eq!(counted, written(&told), "{threads} threads");
    }
}

#[test]
fn nginx_counts_what_the_run_counts_after_an_interrupt() {
    let Some(nginx) = Nginx::start() else { return };
    for threads in ["1", "2"] {
        let plan = format!(
            "target: {}\nusers: 20\nduration: 1h\nsteps: [{{get: /}}]\n",
            nginx.url()
        );
        let (told, counted) = nginx.counted(|| {
            let bench = Bench::new();
            let process = bench.start_plan(&plan, &["--threads", threads]);
            std::thread::sleep(Duration::from_millis(1300));
            process.signal("INT");
            process.end()
        });
        told.assert_code(130).assert_readable();
        assert!(told.total("samples") > 0);
        assert_eq!(counted, written(&told), "{threads} threads");
    }
}

#[test]
fn a_run_that_is_cut_off_still_counts_what_it_wrote() {
    let begun = Arc::<AtomicU64>::default();
    let seen = Arc::clone(&begun);
    let server = RawServer::start(move |mut stream| {
        read_head(&mut stream)?;
        seen.fetch_add(1, Ordering::SeqCst);
        read_to_end(&mut stream);
        Ok(())
    });
    let plan = format!(
        "target: {}\nusers: 7\nduration: 200ms\ngrace: 300ms\nsteps: [{{get: /}}]\n",
        server.url()
    );
    let told = Bench::new().plan(&plan, &[]);
    told.assert_code(0);
    assert_eq!((told.total("samples"), told.total("cut_off")), (0, 7));
    assert_eq!(begun.load(Ordering::SeqCst), 7);
}

#[test]
fn a_second_interrupt_cuts_off_and_a_first_one_waits() {
    let server = RawServer::start(|mut stream| {
        read_head(&mut stream)?;
        read_to_end(&mut stream);
        Ok(())
    });
    let bench = Bench::new();
    let plan = format!(
        "target: {}\nusers: 3\nduration: 1h\ntimeout: 1h\ngrace: 1h\nsteps: [{{get: /}}]\n",
        server.url()
    );
    let process = bench.start_plan(&plan, &[]);
    eventually("three requests", || server.connections() == 3);
    std::thread::sleep(Duration::from_millis(200));
    process.signal("INT");
    // Requests in flight have an hour of grace; only the second signal ends them.
    std::thread::sleep(Duration::from_millis(700));
    assert!(
        std::path::Path::new(&format!("/proc/{}/exe", process.id()))
            .read_link()
            .is_ok()
    );
    process.signal("INT");
    let told = process.end();
    told.assert_code(130).assert_readable();
    assert_eq!(told.summary()["verdict"], "interrupted");
    assert_eq!((told.total("samples"), told.total("cut_off")), (0, 3));
}

#[test]
fn an_interrupt_lets_requests_in_flight_finish() {
    let server = HttpServer::start(|_| {
        std::thread::sleep(Duration::from_millis(700));
        Answer::ok("hello")
    });
    let bench = Bench::new();
    let plan = format!(
        "target: {}\nusers: 4\nduration: 1h\nsteps: [{{get: /}}]\n",
        server.url()
    );
    let process = bench.start_plan(&plan, &["--jtl", "log.jtl"]);
    eventually("four requests", || server.seen().len() == 4);
    process.signal("INT");
    let told = process.end();
    told.assert_code(130).assert_all_ok(4).assert_readable();
    assert_eq!(told.total("cut_off"), 0);
    assert_eq!(bench.read("log.jtl").lines().count(), 5);
}

#[test]
fn a_killed_run_is_readable_and_says_that_it_was_cut_short() {
    let server = HttpServer::hello();
    let bench = Bench::new();
    let plan = format!(
        "target: {}\nusers: 2\nduration: 1h\nsteps: [{{get: /}}, {{think: 5ms}}]\n",
        server.url()
    );
    let process = bench.start_plan(&plan, &[]);
    // By the clock of the run: what is older than two seconds must be kept.
    std::thread::sleep(Duration::from_millis(500));
    eventually("a first request", || !server.seen().is_empty());
    let early = server.seen().len() as u64;
    std::thread::sleep(Duration::from_secs(3));
    process.signal("KILL");
    let told = process.end();
    assert_eq!(told.code, None);
    let shown = bench.call(&["show", "last"]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    assert!(
        shown.out.contains("cut short") || shown.err.contains("cut short"),
        "{shown:?}"
    );
    let report = bench.call(&["report", "last", "--format", "json", "-o", "report.json"]);
    assert_eq!(report.code, Some(0), "{report:?}");
    let json: serde_json::Value = serde_json::from_str(&bench.read("report.json")).unwrap();
    let total = if json["total"].is_object() {
        &json["total"]
    } else {
        &json["summary"]["total"]
    };
    assert!(
        count(total, "samples") >= early,
        "{early} requests were seconds before the end: {total}"
    );
}

#[test]
fn an_open_load_has_exactly_the_arrivals_of_its_schedule() {
    let server = HttpServer::hello();
    for threads in ["1", "2"] {
        let plan = format!(
            "target: {}\nrate: 50/s\nduration: 3s\nsteps: [{{get: /}}]\n",
            server.url()
        );
        let told = Bench::new().plan(&plan, &["--threads", threads]);
        told.assert_code(0);
        assert_eq!(
            written(&told) + told.total("not_started"),
            150,
            "{threads} threads"
        );
    }
}

#[test]
fn stuck_users_leave_arrivals_not_started() {
    let server = RawServer::start(|mut stream| {
        read_to_end(&mut stream);
        Ok(())
    });
    for threads in ["1", "2"] {
        let plan = format!(
            "target: {}\nrate: 10/s\nduration: 950ms\nmax-in-flight: 5\ntimeout: 2s\nsteps: [{{get: /}}]\n",
            server.url()
        );
        let told = Bench::new().plan(&plan, &["--threads", threads]);
        told.assert_code(0).assert_all_errors_are("read_timeout");
        assert_eq!(
            (told.total("samples"), told.total("not_started")),
            (5, 5),
            "{threads} threads"
        );
    }
}

#[test]
fn stages_ramps_and_spikes_have_their_arrivals() {
    let server = HttpServer::hello();
    let stages =
        "stages: [{rate: 20/s, for: 1s}, {rate: 20/s..60/s, for: 1s}, {rate: 0/s, for: 300ms}]";
    let told = Bench::new().plan(
        &format!("target: {}\n{stages}\nsteps: [{{get: /}}]\n", server.url()),
        &[],
    );
    told.assert_code(0);
    assert_eq!(written(&told) + told.total("not_started"), 60);
    let spike = "rate: 10/s\nduration: 2s\nspike: {at: 500ms, for: 500ms, rate: 100/s}";
    let told = Bench::new().plan(
        &format!("target: {}\n{spike}\nsteps: [{{get: /}}]\n", server.url()),
        &[],
    );
    told.assert_code(0);
    assert_eq!(written(&told) + told.total("not_started"), 65);
}

#[test]
fn arrivals_at_random_are_the_same_for_any_number_of_threads() {
    let server = HttpServer::hello();
    let plan = format!(
        "target: {}\nseed: 7\nrate: 40/s\nduration: 2s\narrivals: poisson\nsteps: [{{get: /}}]\n",
        server.url()
    );
    let arrivals = |threads| {
        let told = Bench::new().plan(&plan, &["--threads", threads]);
        written(told.assert_code(0)) + told.total("not_started")
    };
    let one = arrivals("1");
    assert_eq!(one, arrivals("2"));
    assert!((40..=130).contains(&one), "{one}");
}

/// Counts how often each text comes.
fn tally(texts: impl IntoIterator<Item = String>) -> BTreeMap<String, u64> {
    texts.into_iter().fold(BTreeMap::new(), |mut tally, text| {
        *tally.entry(text).or_default() += 1;
        tally
    })
}

/// The requests of a plan, sorted, run with so many threads.
fn targets(plan: impl Fn(&str) -> String, files: &[(&str, &str)], threads: &str) -> Vec<String> {
    let server = HttpServer::hello();
    let bench = Bench::new();
    for (name, text) in files {
        bench.write(name, text);
    }
    bench
        .plan(&plan(&server.url()), &["--threads", threads])
        .assert_code(0);
    let mut targets = server.targets();
    targets.sort();
    targets
}

#[test]
fn rows_and_counters_are_shared_over_threads() {
    let users: String = (0..40).map(|n| format!("u{n},p{n}\n")).collect();
    let files = [("users.csv", &*format!("user,password\n{users}"))];
    let plan = |url: &str| {
        format!(
            "target: {url}\nusers: 8\niterations: 5\ndata: users.csv\ncounters: {{n: 100}}\n\
             steps: [{{get: \"/${{user}}/${{password}}\"}}, {{get: \"/n/${{n}}\"}}]\n"
        )
    };
    let one = targets(plan, &files, "1");
    assert_eq!(one.len(), 80);
    assert_eq!(one, targets(plan, &files, "2"));
    for n in 0..40 {
        assert!(one.contains(&format!("/u{n}/p{n}")) && one.contains(&format!("/n/{}", 100 + n)));
    }
}

#[test]
fn unique_rows_belong_to_one_user_each() {
    let files = [("users.csv", "name\na\nb\nc\nd\n")];
    let plan = |url: &str| {
        format!(
            "target: {url}\nusers: 6\niterations: 3\ndata: {{csv: users.csv, order: unique, at-end: stop}}\n\
             steps: [{{get: \"/${{name}}/${{user()}}\"}}]\n"
        )
    };
    for threads in ["1", "2"] {
        // Six users, four rows: two users end at once, the others keep theirs.
        let told = tally(targets(plan, &files, threads));
        assert_eq!(told.len(), 4, "{told:?}");
        assert!(told.values().all(|times| *times == 3), "{told:?}");
    }
}

#[test]
fn choices_of_a_seeded_plan_do_not_depend_on_threads() {
    let plan = |url: &str| {
        format!(
            "target: {url}\nseed: 42\nusers: 6\niterations: 4\nsteps:\n\
             \x20 - get: \"/${{user()}}/${{iteration()}}/${{random(1, 1000000)}}\"\n\
             \x20 - choose: random\n    branches:\n      - {{weight: 1, steps: [{{get: /a}}]}}\n\
             \x20     - {{weight: 3, steps: [{{get: /b}}]}}\n"
        )
    };
    let one = targets(plan, &[], "1");
    assert_eq!(one.len(), 48);
    assert_eq!(one, targets(plan, &[], "2"));
}

#[test]
fn weights_are_exact() {
    let server = HttpServer::hello();
    let scenarios = "scenarios:\n  look: {weight: 4, steps: [{get: /look}]}\n  buy: {weight: 1, steps: [{get: /buy}]}\n";
    for (load, look, buy) in [
        ("users: 10\niterations: 3", 24, 6),
        ("rate: 50/s\nduration: 1s", 40, 10),
    ] {
        for threads in ["1", "2"] {
            let told = Bench::new().plan(
                &format!("target: {}\n{load}\n{scenarios}", server.url()),
                &["--threads", threads],
            );
            told.assert_code(0);
            let of = |label| count(&told.label(label), "samples");
            assert_eq!(
                (of("GET /look"), of("GET /buy")),
                (look, buy),
                "{load} {threads}"
            );
        }
    }
    let choose = |by: &str, load: &str| {
        format!(
            "target: {}\n{load}\nsteps:\n  - choose: {by}\n    branches:\n\
             \x20     - {{weight: 3, steps: [{{get: /a}}]}}\n      - {{weight: 1, steps: [{{get: /b}}]}}\n",
            server.url()
        )
    };
    for (by, load) in [
        ("by-iterations", "users: 5\niterations: 8"),
        ("by-users", "users: 8\niterations: 5"),
    ] {
        let told = Bench::new().plan(&choose(by, load), &["--threads", "2"]);
        told.assert_code(0);
        let of = |label| count(&told.label(label), "samples");
        assert_eq!((of("GET /a"), of("GET /b")), (30, 10), "{by}");
    }
}

#[test]
fn iterations_in_all_are_shared_out() {
    let server = HttpServer::hello();
    for threads in ["1", "2"] {
        let plan = format!(
            "target: {}\nusers: 7\ntotal-iterations: 50\nsteps: [{{get: /}}]\n",
            server.url()
        );
        Bench::new()
            .plan(&plan, &["--threads", threads])
            .assert_code(0)
            .assert_all_ok(50);
    }
}

#[test]
fn shares_and_first_times_are_counted_over_all_users() {
    let server = HttpServer::hello();
    let plan = format!(
        "target: {}\nusers: 4\niterations: 25\nsteps:\n  - percent: 30\n    steps: [{{get: /share}}]\n\
         \x20 - first-times: 7\n    steps: [{{get: /first}}]\n  - once: [{{get: /once}}]\n\
         \x20 - repeat: 2\n    steps: [{{get: /twice}}]\n",
        server.url()
    );
    let told = Bench::new().plan(&plan, &["--threads", "2"]);
    told.assert_code(0);
    let of = |label| count(&told.label(label), "samples");
    assert_eq!(
        (
            of("GET /share"),
            of("GET /first"),
            of("GET /once"),
            of("GET /twice")
        ),
        (30, 7, 4, 200)
    );
}

#[test]
fn scenarios_in_order_follow_each_other() {
    let server = HttpServer::hello();
    let plan = format!(
        "target: {}\norder: in-order\nscenarios:\n  first: {{users: 3, iterations: 4, steps: [{{get: /1}}]}}\n\
         \x20 second: {{rate: 20/s, duration: 1s, steps: [{{get: /2}}]}}\n  third: {{users: 2, iterations: 2, steps: [{{get: /3}}]}}\n",
        server.url()
    );
    let told = Bench::new().plan(&plan, &[]);
    told.assert_code(0)
        .assert_all_ok(12 + 20 + 4)
        .assert_readable();
    let targets = server.targets();
    assert!(targets.is_sorted(), "{targets:?}");
    let scenarios = told.summary()["scenarios"].clone();
    assert_eq!(scenarios.as_array().unwrap().len(), 3);
}

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
        Answer::ok("")
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
        "/sometimes" => Answer::new(500, ""),
        _ => Answer::ok(""),
    });
    // Every second user ends before it comes to the meeting point.
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
        Answer::ok("")
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
    // One connection at a time is answered, and one answer takes 600 ms.
    let frozen = Arc::new(std::sync::Mutex::new(0_u32));
    let server = HttpServer::start(move |_| {
        let mut answered = frozen.lock().unwrap();
        *answered += 1;
        if *answered == 20 {
            std::thread::sleep(Duration::from_millis(600));
        }
        Answer::ok("")
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
    // Each answer takes 150 ms, an iteration is due every 50 ms: the n-th is late by n × 100 ms.
    let server = HttpServer::start(|_| {
        std::thread::sleep(Duration::from_millis(150));
        Answer::ok("")
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
        "/bad" => Answer::new(503, ""),
        _ => Answer::ok(""),
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
        Answer::new(500, "")
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

#[test]
fn a_server_without_backlog_of_its_own_gets_all_bytes() {
    // A body that does not fit into any buffer is written whole before it counts.
    let server = RawServer::start(|mut stream| {
        read_head(&mut stream)?;
        std::thread::sleep(Duration::from_millis(200));
        let mut left = 8_000_000_usize;
        let mut buffer = vec![0; 65536];
        // The head's reader may have taken some of the body already.
        stream.set_read_timeout(Some(Duration::from_millis(500)))?;
        while let Ok(read) = stream.read(&mut buffer) {
            left = left.saturating_sub(read);
            if read == 0 || left == 0 {
                break;
            }
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    });
    let bench = Bench::new();
    bench.write("big.bin", vec![b'x'; 8_000_000]);
    let told = bench.steps(&server.url(), "  - post: /\n    file: big.bin\n");
    told.assert_code(0).assert_all_ok(1);
    assert!(told.total("sent_bytes") > 8_000_000);
}

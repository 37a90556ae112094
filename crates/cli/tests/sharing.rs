//! What users share is shared exactly, on any number of threads.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::collections::BTreeMap;

use support::http::HttpServer;
use support::{Bench, count};

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

/// One user or many, on one thread or more than there are processors: the same workload.
#[test]
fn the_mix_is_the_same_at_every_load() {
    let server = HttpServer::hello();
    let scenarios = "scenarios:\n  a: {weight: 7, steps: [{get: /a}]}\n  b: {weight: 2, steps: [{get: /b}]}\n  c: {steps: [{get: /c}]}\n";
    let mix = |more: &str, users: u64, iterations: u64, threads: &str| {
        let load = format!("users: {users}\niterations: {iterations}\n{more}");
        let plan = format!("target: {}\n{load}{scenarios}", server.url());
        let told = Bench::new().plan(&plan, &["--threads", threads]);
        told.assert_code(0);
        ["GET /a", "GET /b", "GET /c"].map(|label| count(&told.label(label), "samples"))
    };
    for (users, iterations, threads) in [
        (1, 10, "1"),
        (1, 7, "1"),
        (2, 8, "2"),
        (6, 7, "1"),
        (6, 7, "4"),
        (45, 3, "7"),
    ] {
        let seen = mix("", users, iterations, threads);
        let all = users * iterations;
        assert_eq!(seen.iter().sum::<u64>(), all);
        for (seen, weight) in seen.iter().zip([0.7, 0.2, 0.1]) {
            let wanted = all as f64 * weight;
            assert!(
                (*seen as f64 - wanted).abs() <= 1.0,
                "{users} users on {threads}: {seen}, not {wanted}"
            );
        }
    }
    // By name a user keeps its scenario: one user has one.
    let kept = mix("users-keep-scenario: true\n", 1, 10, "1");
    assert_eq!(kept.iter().filter(|n| **n == 10).count(), 1, "{kept:?}");
}

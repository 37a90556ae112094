//! All shares together are the load, each user, arrival and number once.

use std::collections::BTreeMap;

use crate::http::HttpServer;
use crate::support::{program, program_in, run_shares, run_with, share};

/// How often each target was asked for.
fn counted(targets: &[String]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for target in targets {
        *counts.entry(target.as_str()).or_default() += 1;
    }
    counts
}

/// Runs a plan whole, and in shares; gives what the server saw of each.
fn whole_and_shares(yaml: impl Fn(&str) -> String, count: u32) -> (Vec<String>, Vec<String>) {
    let (whole, shared) = (HttpServer::hello(), HttpServer::hello());
    run_with(&program(&yaml(&whole.url())), &share(0, 1));
    run_shares(&program(&yaml(&shared.url())), count);
    (whole.targets(), shared.targets())
}

#[test]
fn users_of_all_shares_are_the_users_of_the_plan() {
    for (users, count) in [(1, 3), (7, 3), (4, 5), (6, 2)] {
        let yaml = |url: &str| {
            format!(
                "target: {url}\nusers: {users}\niterations: 3\nsteps:\n  \
                 - get: /u${{user()}}/${{iteration()}}\n"
            )
        };
        let (whole, shared) = whole_and_shares(yaml, count);
        assert_eq!(whole.len(), users * 3);
        assert_eq!(counted(&whole), counted(&shared), "{users} over {count}");
    }
}

#[test]
fn users_draw_numbers_of_their_own() {
    let yaml = |url: &str| {
        format!(
            "target: {url}\nusers: 6\niterations: 2\nsteps:\n  \
             - get: /${{random(1, 1000000000000)}}\n"
        )
    };
    let (whole, shared) = whole_and_shares(yaml, 3);
    assert_eq!(counted(&shared).len(), 12, "{shared:?}");
    assert_eq!(counted(&whole), counted(&shared));
}

#[test]
fn a_share_without_users_ends_at_once() {
    let server = HttpServer::hello();
    let yaml = format!(
        "target: {}\nusers: 1\nduration: 1h\nsteps:\n  - get: /\n",
        server.url()
    );
    let (seen, ended) = run_with(&program(&yaml), &share(2, 3));
    assert!(!ended.stopped && ended.lost_threads == 0);
    assert!(seen.events.is_empty(), "{:?}", seen.events);
    assert!(server.seen().is_empty());
}

#[test]
fn iterations_of_all_together_are_divided_among_shares_with_users() {
    for (users, count, iterations) in [(1, 3, 10), (2, 3, 11), (5, 3, 11), (6, 4, 2)] {
        let server = HttpServer::hello();
        let yaml = format!(
            "target: {}\nusers: {users}\ntotal-iterations: {iterations}\nsteps:\n  - get: /\n",
            server.url()
        );
        run_shares(&program(&yaml), count);
        assert_eq!(server.seen().len(), iterations, "{users} over {count}");
    }
}

#[test]
fn arrivals_of_all_shares_are_the_arrivals_of_the_plan() {
    for spacing in ["even", "poisson"] {
        let yaml = |url: &str| {
            format!(
                "target: {url}\nrate: 1000/s\nduration: 1s\narrivals: {spacing}\n\
                 max-in-flight: 7000\nsteps:\n  - get: /\n"
            )
        };
        let (whole, shared) = whole_and_shares(yaml, 7);
        assert!(whole.len() > 800, "{}", whole.len());
        assert_eq!(whole.len(), shared.len(), "{spacing}");
    }
}

#[test]
fn rows_and_counters_are_used_once() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..12).map(|n| format!("r{n}\n")).collect();
    std::fs::write(folder.path().join("rows.csv"), format!("row\n{rows}")).unwrap();
    let (whole, shared) = (HttpServer::hello(), HttpServer::hello());
    let yaml = |url: &str| {
        format!(
            "target: {url}\ndata: {{csv: rows.csv, at-end: stop}}\nusers: 6\niterations: 2\nsteps:\n  \
             - get: /${{row}}\n  - get: /c${{counter(n)}}\n"
        )
    };
    run_with(
        &program_in(folder.path(), &yaml(&whole.url())),
        &share(0, 1),
    );
    run_shares(&program_in(folder.path(), &yaml(&shared.url())), 3);
    let (whole, shared) = (whole.targets(), shared.targets());
    assert_eq!(counted(&whole).len(), 24);
    assert_eq!(counted(&whole), counted(&shared));
}

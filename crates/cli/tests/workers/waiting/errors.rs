//! Errors of a run over workers: counts by the target's own log, and samples of both.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::fleet::{Fleet, assert_fits};
use crate::support::count;
use crate::support::http::{HttpServer, Response};

#[test]
fn errors_over_two_workers_are_told_as_one() {
    let log: Arc<[AtomicU64; 3]> = Arc::default();
    let written = Arc::clone(&log);
    let turn = AtomicU64::new(0);
    let target = HttpServer::start(move |_| {
        let (status, at) = match turn.fetch_add(1, Ordering::SeqCst) % 5 {
            0 | 1 => (503, 1),
            2 => (404, 2),
            _ => (200, 0),
        };
        written[at].fetch_add(1, Ordering::SeqCst);
        Response::new(status, "password=hunter22 and more")
    });
    let fleet = Fleet::before(&["w1", "w2"], target);
    let plan = fleet.plan("users: 4\niterations: 50");
    let told = fleet.begin(&plan, &["--workers", "2", "--lang=en"]).end();
    let summary = told.summary();
    assert_fits(
        include_str!("../../../../../schema/summary.schema.json"),
        &summary,
    );
    let errors = summary["errors"].as_array().unwrap();
    for (code, at) in [("503", 1), ("404", 2)] {
        let group = errors.iter().find(|group| group["code"] == code).unwrap();
        assert_eq!(
            count(group, "count"),
            log[at].load(Ordering::SeqCst),
            "{code}"
        );
        let samples = group["samples"].as_array().unwrap();
        assert_eq!(samples.len(), 5);
        let at_s: Vec<f64> = samples
            .iter()
            .map(|it| it["at_s"].as_f64().unwrap())
            .collect();
        assert!(
            at_s.is_sorted() && group["first_s"] == samples[0]["at_s"],
            "{group}"
        );
        let response = samples[0]["response"].as_str().unwrap();
        assert!(response.ends_with("password=***"), "{response}");
    }
    assert_eq!(errors.len(), 2);
    fleet.end();
}

//! What ten people who watch a run cost the server, and whether they change its figures: runs with and without them in
//! turn, made by the command line, so that the server's CPU is its own. It takes minutes and wants a quiet machine, so
//! it is asked for by name:
//!
//!     cargo test -p plimsoll-cli --test serve -- --ignored --nocapture ten_who_watch
//!
//! `PLIMSOLL_PROGRAM=../../target/release/plimsoll` (seen from `crates/cli`, or a whole path) measures another binary.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use crate::client::Served;
use crate::common::{Server, folder, plimsoll_started};

const VIEWERS: usize = 10;
const PAIRS: usize = 5;
const SECONDS: u32 = 30;

/// A run without anybody, or with ten who watch it from its first seconds on. Gives the server's CPU, in CPUs, and the
/// run's throughput and 99th percentile.
fn round(dir: &tempfile::TempDir, target: &Server, served: &Served, viewers: usize) -> [f64; 3] {
    let before = served.get("/runs")["items"].as_array().unwrap().len();
    let duration = format!("{SECONDS}s");
    let url = target.url("/hello");
    let run = ["run", &url, "--rate", "200/s", "--duration", &duration];
    let mut child = plimsoll_started(dir, &run);
    let id = loop {
        let runs = served.get("/runs");
        let items = runs["items"].as_array().unwrap();
        if items.len() > before {
            break items[0]["id"].as_str().unwrap().to_owned();
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    };
    let (begin, began) = (served.cpu_s(), std::time::Instant::now());
    let heard = Arc::new(AtomicBool::new(false));
    let watching: Vec<JoinHandle<usize>> = (0..viewers)
        .map(|_| {
            let (events, heard) = (served.watch(&id, "", None), Arc::clone(&heard));
            std::thread::spawn(move || {
                events
                    .inspect(|event| {
                        heard.fetch_or(event.name == "interval", Ordering::Relaxed);
                    })
                    .count()
            })
        })
        .collect();
    child.wait().unwrap();
    let cpus = (served.cpu_s() - begin) / began.elapsed().as_secs_f64();
    for one in watching {
        assert!(one.join().unwrap() >= SECONDS as usize);
    }
    assert_eq!(heard.load(Ordering::Relaxed), viewers > 0);
    let summary = served.get(&format!("/runs/{id}"));
    let figure = |path: &str| {
        summary
            .pointer(path)
            .and_then(serde_json::Value::as_f64)
            .unwrap()
    };
    [
        cpus,
        figure("/total/throughput_per_s"),
        figure("/total/response_time_ms/p99"),
    ]
}

#[test]
#[ignore = "takes minutes, and wants a quiet machine"]
fn ten_who_watch_cost_next_to_nothing() {
    let (dir, target) = (folder(), Server::start());
    let served = Served::start(dir.path());
    println!("viewers  server (CPUs)  throughput/s  p99 (ms)");
    let mut cpus = [Vec::new(), Vec::new()];
    for pair in 0..PAIRS {
        // The order alternates, so that what drifts meets both alike.
        let order = if pair % 2 == 0 {
            [0, VIEWERS]
        } else {
            [VIEWERS, 0]
        };
        for viewers in order {
            let [cpu, throughput, p99] = round(&dir, &target, &served, viewers);
            println!("{viewers:7}  {cpu:13.4}  {throughput:12.2}  {p99:8.3}");
            cpus[usize::from(viewers > 0)].push(cpu);
        }
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    println!(
        "ten who watch cost {:.4} CPUs",
        mean(&cpus[1]) - mean(&cpus[0])
    );
}

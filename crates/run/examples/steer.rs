//! The load of a run is changed while it goes on, by what is heard of it:
//! `cargo run -p plimsoll-run --example steer http://127.0.0.1:8080/`
//!
//! It begins with 20 requests a second, and doubles them every 5 seconds as long as responses take less
//! than 50 ms.

use std::time::Duration;

use plimsoll_plan::LoadOptions;
use plimsoll_plan::units::parse_rate;
use plimsoll_run::{LoadChange, LoadSettings, NewLoad, PlanSource, RunNews, RunRequest};
use plimsoll_text::{Lang, Message, render};

fn main() -> Result<(), String> {
    let url = std::env::args().nth(1).ok_or("which URL?")?;
    let load = LoadSettings {
        load: LoadOptions {
            rate: parse_rate("20/s"),
            duration: Some(Duration::from_secs(30)),
            ..LoadOptions::default()
        },
        ..LoadSettings::default()
    };
    let request = RunRequest::new(PlanSource::new(url), load, "plimsoll-runs")
        .map_err(|rejected| rejected.in_words(Lang::En))?;
    let in_words = |message: Message| render(Lang::En, &message);
    let run = request.begin().map_err(in_words)?;
    let news = run.subscribe().map_err(in_words)?;
    let twice = LoadChange {
        scenario: None,
        to: NewLoad::rate_times(2.0).map_err(|error| in_words(error.message()))?,
    };
    for news in news {
        let RunNews::Interval(interval) = news else {
            continue;
        };
        let Some(part) = interval.labels.first() else {
            continue;
        };
        let p95_ms = part.did.all_response().percentile_ns(0.95) / 1_000_000;
        println!(
            "{} s: {} requests, p95 {p95_ms} ms",
            interval.to_s,
            part.did.samples()
        );
        if interval.to_s % 5 == 0 && p95_ms < 50 {
            // Near its end the load is not changed any more.
            let _ = run.change(&twice);
        }
    }
    let result = run.join().map_err(in_words)?.summary;
    println!("{:?}: {} requests", result.verdict, result.total.samples);
    Ok(())
}

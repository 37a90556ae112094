//! From a URL to a verdict: `cargo run -p plimsoll-run --example verdict http://127.0.0.1:8080/`

use plimsoll_run::{LoadSettings, PlanSource, RunRequest};
use plimsoll_text::{Lang, Message, render};

fn main() -> Result<(), String> {
    let url = std::env::args().nth(1).ok_or("which URL?")?;
    let load = LoadSettings {
        goals: vec!["p95 < 200ms".to_owned()],
        ..LoadSettings::default()
    };
    let request = RunRequest::new(PlanSource::new(url), load, "plimsoll-runs")
        .map_err(|rejected| rejected.in_words(Lang::En))?;
    let in_words = |message: Message| render(Lang::En, &message);
    let run = request.begin().map_err(in_words)?;
    let result = run.join().map_err(in_words)?.summary;
    println!(
        "{:?}: {:.1} requests/s",
        result.verdict, result.total.throughput_per_s
    );
    Ok(())
}

//! From a URL to a verdict: `cargo run -p plimsoll-run --example verdict http://127.0.0.1:8080/`

use std::path::Path;

use plimsoll_run::{Interrupt, LoadSettings, PlanSource, Quiet, RunSetting, make, ready};
use plimsoll_text::{Lang, Message, render};

fn main() -> Result<(), String> {
    let url = std::env::args().nth(1).ok_or("which URL?")?;
    let load = LoadSettings {
        goals: vec!["p95 < 200ms".to_owned()],
        ..LoadSettings::default()
    };
    let plan = ready::load(&PlanSource::new(url), &load)
        .map_err(|rejected| rejected.in_words(Lang::En))?;
    let interrupt = Interrupt::default();
    let setting = RunSetting::new(Path::new("plimsoll-runs"), &interrupt);
    let in_words = |message: Message| render(Lang::En, &message);
    let made = make(&plan, &load, &setting, Box::new(Quiet), None).map_err(in_words)?;
    println!(
        "{:?}: {:.1} requests/s",
        made.summary.verdict, made.summary.total.throughput_per_s
    );
    Ok(())
}

//! `plimsoll capacity`: the most load that meets the goals.

use plimsoll_plan::LoadOptions;
use plimsoll_run::measure::RunSeries;
use plimsoll_run::measure::capacity::{self, CapacityDocument, CapacitySettings};
use plimsoll_run::reasons::file_failed;
use plimsoll_run::{LoadSettings, PlanSource, ReadyPlan};
use plimsoll_stats::search::SearchEnd;
use plimsoll_text::{Lang, Message, render};

use crate::args::CapacityArgs;
use crate::ended::EndedBy;
use crate::interrupt::interrupt_by_signals;
use crate::live::listener;
use crate::outputs::all_writable;
use crate::say::out;
use crate::tell::{BAD_USE, progress};
use crate::{kept, problems};

/// No load meets the goals.
const MISSED: u8 = 1;
/// The generator was the bottleneck.
const LIMITED: u8 = 4;
/// The user interrupted.
const INTERRUPTED: u8 = 130;

/// Runs `plimsoll capacity`; gives the exit code: 0 with a result, 1 if no load meets the
/// goals, 2 for bad use, 3 if the target cannot be reached, 4 if the generator was the bottleneck,
/// 130 when interrupted.
#[must_use]
pub fn run(args: &CapacityArgs, lang: Lang) -> u8 {
    match search(args, lang) {
        Ok(document) => match document.found.result.end {
            SearchEnd::Interrupted => INTERRUPTED,
            _ if document.found.generator_limited => LIMITED,
            SearchEnd::MissedAtSmallest => MISSED,
            _ => 0,
        },
        Err(ended) => ended.exit(lang),
    }
}

fn search(args: &CapacityArgs, lang: Lang) -> Result<CapacityDocument, EndedBy> {
    let source = PlanSource::from(&args.source);
    let (load, settings) = (load_settings(args, &source), settings(args));
    let ready = problems::ready(&source, &load, lang).ok_or(EndedBy::Said(BAD_USE))?;
    capacity::check(&ready, &settings)?;
    all_writable(args.output.as_deref())?;
    let interrupt = interrupt_by_signals();
    let listen = |ready: &ReadyPlan| listener(args.quiet, Some(ready), lang);
    let tell = |message: &Message| progress(args.quiet, lang, message);
    let series = RunSeries::new(&args.runs.out, &interrupt, &listen, &tell)
        .asked_by(std::env::args().collect());
    let found = capacity::search(&ready, &source, &load, &settings, &series);
    if !series.is_kept() {
        kept::lost();
    }
    let document = CapacityDocument::of(found?, lang);
    if !args.quiet {
        out(&document.text());
    }
    write(&document, args, lang)?;
    Ok(document)
}

fn settings(args: &CapacityArgs) -> CapacitySettings {
    CapacitySettings {
        from: args.from,
        to: args.to,
        step_seconds: args.step_seconds,
        max_measurements: args.max_measurements,
        precision: args.precision / 100.0,
        repeats: args.repeats,
        cool_down: args.cool_down,
        warm_up: args.warm_up.unwrap_or_default(),
        reach: None,
    }
}

fn load_settings(args: &CapacityArgs, source: &PlanSource) -> LoadSettings {
    LoadSettings {
        load: LoadOptions {
            max_in_flight: args.max_in_flight.filter(|_| source.is_url()),
            ..LoadOptions::default()
        },
        goals: args.goals.clone(),
        threads: args.threads,
        seed: args.seed,
        watch: args.watch.clone(),
        watch_allow_capture: args.watch_allow_capture,
        ..LoadSettings::default()
    }
}

fn write(document: &CapacityDocument, args: &CapacityArgs, lang: Lang) -> Result<(), Message> {
    let path = match &args.output {
        Some(path) => path.clone(),
        None => args.runs.out.join("capacity.json"),
    };
    let json = document
        .json()
        .and_then(|json| serde_json::to_string_pretty(&json));
    let mut json = json.map_err(|error| file_failed(&path, &error))?;
    json.push('\n');
    std::fs::write(&path, json).map_err(|error| file_failed(&path, &error))?;
    if !args.quiet {
        let written = Message::new("run-written").with("path", path.display().to_string());
        out(&format!("{}\n", render(lang, &written)));
    }
    Ok(())
}

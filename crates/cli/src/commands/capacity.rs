//! `plimsoll capacity`: the most load that meets the goals.

pub(super) mod document;
mod measure;
pub(super) mod scale;

use std::path::Path;
use std::time::{Duration, Instant};

use plimsoll_diagnose::{Evidence, diagnose, json};
use plimsoll_plan::LoadOptions;
use plimsoll_report::diagnosis_text;
use plimsoll_run::reasons::file_failed;
use plimsoll_run::{Interrupt, LoadSettings, PlanSource, ReadyPlan};
use plimsoll_stats::Goal;
use plimsoll_stats::curve::{LoadModel, mix_difference};
use plimsoll_stats::search::{Phase, Search, SearchEnd, SearchOptions, SearchResult, is_limit};
use plimsoll_store::Run;
use plimsoll_text::{Lang, Message, render};

use self::document::{Beyond, Document, Measurement, SCHEMA_VERSION, load_text};
use self::measure::Measurer;
use self::scale::Shape;
use super::ended::Ended;
use super::run::interrupt_by_signals;
use super::{BAD_USE, out};
use crate::args::{CapacityArgs, CapacityLoad};
use crate::outputs::all_writable;
use crate::problems;

/// No load meets the goals.
const MISSED: u8 = 1;
/// The target cannot be reached.
const UNREACHABLE: u8 = 3;
/// The generator was the bottleneck.
const LIMITED: u8 = 4;
/// The user interrupted.
const INTERRUPTED: u8 = 130;

/// Loads that are searched when nobody says otherwise.
const USERS: (f64, f64) = (1.0, 10_000.0);
const RATES: (f64, f64) = (10.0, 100_000.0);

/// Runs `plimsoll capacity`; gives the exit code: 0 with a result, 1 if no load meets the
/// goals, 2 for bad use, 3 if the target cannot be reached, 4 if the generator was the bottleneck,
/// 130 when interrupted.
#[must_use]
pub fn run(args: &CapacityArgs, lang: Lang) -> u8 {
    match search(args, lang) {
        Ok(document) => match document.result.end {
            SearchEnd::Interrupted => INTERRUPTED,
            _ if document.generator_limited => LIMITED,
            SearchEnd::MissedAtSmallest => MISSED,
            _ => 0,
        },
        Err(ended) => ended.exit(lang),
    }
}

fn search(args: &CapacityArgs, lang: Lang) -> Result<Document, Ended> {
    let source = PlanSource::from(&args.source);
    let load = load_settings(args, &source);
    let ready = problems::ready(&source, &load, lang).ok_or(Ended::Said(BAD_USE))?;
    let goals = goals(&ready)?;
    let options = options(args, &ready)?;
    all_writable(args.output.as_deref())?;
    let shape = Shape::of(&ready.plan)?.counted_in(options.model);
    let measurer = Measurer {
        args,
        lang,
        source: &source,
        load: &load,
        shape: &shape,
        goals: &goals,
        interrupt: &interrupt_by_signals(),
    };
    if let Some(time) = args.warm_up.filter(|time| !time.is_zero()) {
        tell(
            args,
            lang,
            &Message::new("capacity-warm-up").with("seconds", time.as_secs_f64()),
        );
        measurer.warm_up(options.from, time)?;
    }
    let (found, measurements) = measure_all(&measurer, options)?;
    let document = document(
        &ready,
        &goals,
        found,
        measurements,
        options.model,
        (&args.runs.out, lang),
    );
    if !args.quiet {
        out(&document.text(lang));
    }
    write(&document, args, lang)?;
    Ok(document)
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

/// The goals of the plan and of the command line.
fn goals(ready: &ReadyPlan) -> Result<Vec<Goal>, Message> {
    let goals: Vec<Goal> = ready
        .plan
        .goals
        .iter()
        .map(|spec| spec.goal.clone())
        .collect();
    if goals.is_empty() {
        return Err(Message::new("capacity-no-goal"));
    }
    match goals.iter().find(|goal| !is_limit(goal)) {
        Some(goal) => Err(Message::new("capacity-bad-goal").with("goal", goal.to_string())),
        None => Ok(goals),
    }
}

fn options(args: &CapacityArgs, ready: &ReadyPlan) -> Result<SearchOptions, Message> {
    let own = Shape::of(&ready.plan)?.model;
    let said: Vec<CapacityLoad> = [args.from, args.to].into_iter().flatten().collect();
    if let [from, to] = said.as_slice()
        && from.model != to.model
    {
        return Err(Message::new("capacity-two-units"));
    }
    let model = said.first().map_or(own, |load| load.model);
    let (from, to) = match model {
        LoadModel::Users => USERS,
        LoadModel::Rate => RATES,
    };
    let to = args.to.map_or(to, |load| load.value);
    let from = args.from.map_or(from.min(to), |load| load.value);
    if from > to {
        return Err(Message::new("capacity-from-above-to"));
    }
    Ok(SearchOptions {
        precision: args.precision / 100.0,
        most_measurements: args.max_measurements,
        repeats: args.repeats,
        ..SearchOptions::new(model, from, to)
    })
}

/// Measures until the search has its result, the user interrupts, or nothing can be reached.
fn measure_all(
    measurer: &Measurer<'_>,
    options: SearchOptions,
) -> Result<(SearchResult, Vec<Measurement>), Ended> {
    let (args, lang) = (measurer.args, measurer.lang);
    let mut search = Search::new(options);
    let mut measurements: Vec<Measurement> = Vec::new();
    let interrupted = || measurer.interrupt.is_hit();
    while let Some((load, phase)) = search.next() {
        if !measurements.is_empty() {
            cool_down(args.cool_down, measurer.interrupt);
        }
        if interrupted() {
            return so_far(&search, measurements);
        }
        tell(
            args,
            lang,
            &announcement(measurements.len() + 1, load, phase, &options, lang),
        );
        let per_load = measurements
            .iter()
            .find(|m| m.met)
            .map(|m| m.throughput_per_s.value / m.load);
        let (measurement, outcome, exit_code) = measurer.measure(load, phase, per_load)?;
        // A measurement that was cut short says nothing.
        if interrupted() {
            return so_far(&search, measurements);
        }
        // A target that responded before and does not now has failed under the load.
        if exit_code == UNREACHABLE && !measurements.iter().any(|m| m.met) {
            return Err(Ended::Say(
                Message::new("capacity-unreachable"),
                UNREACHABLE,
            ));
        }
        search.report(load, outcome);
        measurements.push(measurement);
    }
    Ok((search.result(), measurements))
}

/// What is known when the user has ended the search.
fn so_far(
    search: &Search,
    measurements: Vec<Measurement>,
) -> Result<(SearchResult, Vec<Measurement>), Ended> {
    if measurements.is_empty() {
        return Err(Ended::Say(
            Message::new("capacity-interrupted"),
            INTERRUPTED,
        ));
    }
    Ok((search.interrupted(), measurements))
}

fn announcement(
    number: usize,
    load: f64,
    phase: Phase,
    options: &SearchOptions,
    lang: Lang,
) -> Message {
    let why = match phase {
        Phase::Bracket => "capacity-phase-bracket",
        Phase::Narrow => "capacity-phase-narrow",
        Phase::Repeat => "capacity-phase-repeat",
    };
    Message::new("capacity-measuring")
        .with("number", number)
        .with("most", options.most_measurements)
        .with("load", load_text(options.model, load, lang))
        .with("phase", render(lang, &Message::new(why)))
}

fn tell(args: &CapacityArgs, lang: Lang, message: &Message) {
    if !args.quiet {
        crate::say::err(&render(lang, message));
    }
}

/// Leaves the target alone for a while, unless the user has no patience.
fn cool_down(time: Duration, interrupt: &Interrupt) {
    let until = Instant::now() + time;
    while Instant::now() < until && !interrupt.is_hit() {
        std::thread::sleep(Duration::from_millis(50).min(time));
    }
}

fn document(
    ready: &ReadyPlan,
    goals: &[Goal],
    result: SearchResult,
    measurements: Vec<Measurement>,
    model: LoadModel,
    (root, lang): (&Path, Lang),
) -> Document {
    let missed = measurements.iter().filter(|m| !m.met);
    let lowest = missed.min_by(|a, b| a.load.total_cmp(&b.load));
    let beyond = lowest.and_then(|m| {
        let goal = m.goals.get(m.worst_goal).cloned()?;
        let (words, json) = diagnosis(root, &m.run, lang).unzip();
        Some(Beyond {
            run: m.run.clone(),
            load: m.load,
            goal,
            diagnosis: json,
            diagnosis_words: words,
        })
    });
    Document {
        schema_version: SCHEMA_VERSION,
        plan: ready.plan.name.clone(),
        target: ready.target.clone(),
        model,
        goals: goals.iter().map(ToString::to_string).collect(),
        generator_limited: lowest.is_some_and(|m| m.generator_limited),
        result,
        beyond,
        mix: mix_difference(measurements.iter().map(|m| (m.load, &m.labels))),
        measurements,
    }
}

/// What limited the target just beyond the limit: the diagnosis of that run, for people and
/// for programs. None if it was not stored.
fn diagnosis(root: &Path, run: &str, lang: Lang) -> Option<(String, serde_json::Value)> {
    let run = Run::open(&root.join(run)).ok()?;
    let diagnosis = diagnose(&Evidence::of_run(&run).ok()?);
    let document = json::document(&run.id(), &diagnosis, lang);
    let value = serde_json::to_value(document).ok()?;
    Some((diagnosis_text(&diagnosis, lang), value))
}

fn write(document: &Document, args: &CapacityArgs, lang: Lang) -> Result<(), Message> {
    let path = match &args.output {
        Some(path) => path.clone(),
        None => args.runs.out.join("capacity.json"),
    };
    let mut json =
        serde_json::to_string_pretty(document).map_err(|error| file_failed(&path, &error))?;
    json.push('\n');
    std::fs::write(&path, json).map_err(|error| file_failed(&path, &error))?;
    if !args.quiet {
        let written = Message::new("run-written").with("path", path.display().to_string());
        out(&format!("{}\n", render(lang, &written)));
    }
    Ok(())
}

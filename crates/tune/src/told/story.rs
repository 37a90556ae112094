//! The story of a study, as people hand it in: what is kept and what it brings, every trial and why it was made.

use std::collections::BTreeSet;
use std::io::Write;

use crate::effects::EffectLevel;
use crate::outcome::{Effect, StudyResult, TrialRecord};
use crate::trial::{FailedTrial, Measured, TrialEnd};
use plimsoll_report::paper::{Paper, PaperLine, picture};
use plimsoll_report::{
    AcceptanceForm, NoticeLevel, ReportBlock, ReportError, ReportGrid, Say, duration, short,
};
use plimsoll_text::{Lang, Message};

use super::document::{
    after_id, before_after, joined, limits_text, note_text, result, verdict, why,
};
use super::effect::{EffectForm, metric};

/// Writes the story of a study.
///
/// # Errors
/// If it cannot be written.
pub fn write(
    study: &StudyResult,
    form: AcceptanceForm,
    lang: Lang,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let say = Say(lang);
    let title = Message::new("tune-story-title").with("name", study.study.as_str());
    let paper = Paper {
        say,
        title: say.message(&title),
        blocks: blocks(study, say),
    };
    paper.write(form, out)
}

fn blocks(study: &StudyResult, say: Say) -> Vec<ReportBlock> {
    let level = match (study.end.as_str(), &study.kept) {
        ("done", Some(_)) => NoticeLevel::Good,
        ("done", None) => NoticeLevel::Plain,
        _ => NoticeLevel::Warn,
    };
    let mut blocks = vec![ReportBlock::Notice(level, say.message(&verdict(study)))];
    let notes = study.notes.iter().map(note_text);
    blocks.extend(notes.map(|note| ReportBlock::Notice(NoticeLevel::Warn, say.message(&note))));
    let mut section = |id: &str, own: Vec<ReportBlock>| {
        if !own.is_empty() {
            blocks.push(ReportBlock::Heading(say.text(id)));
            blocks.extend(own);
        }
    };
    section("tune-story-before-after", figures(study, say));
    section("tune-story-kept", kept(study, say));
    section("tune-story-changes", changes(study));
    section("tune-story-limits", limits(study, say));
    section("tune-story-way", way(study, say));
    section("tune-story-effects", effects(study, say));
    section("tune-story-unmeasured", unmeasured(study, say));
    section("tune-story-trials", trials(study, say));
    section(
        "tune-story-facts",
        vec![ReportBlock::Facts(facts(study, say))],
    );
    blocks
}

fn figures(study: &StudyResult, say: Say) -> Vec<ReportBlock> {
    let (Some(before), Some(after)) = (&study.before, &study.after) else {
        return Vec::new();
    };
    let heads = [
        ("tune-story-figure", false),
        ("tune-before", true),
        (after_id(study), true),
        ("tune-change", true),
    ];
    let mut grid = ReportGrid::new(say, &heads);
    for (name, cells) in before_after(study, before, after) {
        grid.row(std::iter::once(say.message(&name)).chain(cells).collect());
    }
    let runs = Message::new("tune-story-runs")
        .with("kept", if study.kept.is_some() { "yes" } else { "no" })
        .with("before", before.runs)
        .with("after", after.runs);
    vec![
        ReportBlock::Table(grid),
        ReportBlock::Text(say.message(&runs)),
    ]
}

/// What each change brings by itself, and what it gives up.
fn kept(study: &StudyResult, say: Say) -> Vec<ReportBlock> {
    let grid = each_change(study, say);
    let mut blocks = Vec::new();
    if !grid.rows.is_empty() {
        blocks.push(ReportBlock::Table(grid));
        blocks.push(ReportBlock::Text(say.text("tune-story-alone-note")));
    }
    if !study.not_tested_alone.is_empty() {
        blocks.push(ReportBlock::Text(say.text("tune-story-untested-note")));
    }
    for given in &study.given_up {
        let message = Message::new("tune-given-up")
            .with("knob", given.knob.as_str())
            .with("value", given.value.as_str())
            .with("what", Message::new(format!("knobs-gives-{}", given.what)));
        blocks.push(ReportBlock::Notice(
            NoticeLevel::Warn,
            say.message(&message),
        ));
    }
    blocks
}

fn each_change(study: &StudyResult, say: Say) -> ReportGrid {
    let form = EffectForm::of(study);
    let found = |knob: &str| {
        let state = study.knobs.iter().find(|it| it.name == knob);
        let found = state.and_then(|it| it.found.clone());
        found.unwrap_or_else(|| "–".to_owned())
    };
    let heads = [
        ("tune-story-knob", false),
        ("tune-story-found", false),
        ("tune-story-value", false),
        ("tune-story-alone", true),
        ("tune-story-interval", false),
        ("tune-story-verdict", false),
    ];
    let mut grid = ReportGrid::new(say, &heads);
    let mut row = |knob: &str, value: &str, effect: Option<&Effect>, is_kept: bool| {
        let is_untested = study.not_tested_alone.iter().any(|it| it == knob);
        let id = match is_kept {
            true if is_untested => "tune-story-untested",
            true => "tune-story-needed",
            false => "tune-story-put-back",
        };
        let told = |of: &dyn Fn(&Effect) -> String| effect.map_or_else(|| "–".to_owned(), of);
        let cells = vec![
            knob.to_owned(),
            found(knob),
            value.to_owned(),
            told(&|it| form.of_effect(it)),
            told(&|it| form.interval(it)),
            say.text(id),
        ];
        match is_kept && !is_untested {
            true => grid.strong_row(cells),
            false => grid.row(cells),
        }
    };
    for each in &study.each {
        let effect = Some(&each.effect).filter(|effect| effect.pairs > 0);
        row(&each.knob, &each.value, effect, each.kept);
    }
    // A single change has no test of its own: the effect of all is its effect.
    let untold = |knob: &String| study.each.iter().all(|it| it.knob != *knob);
    for (knob, value) in study.kept.iter().flatten().filter(|(knob, _)| untold(knob)) {
        let is_single = study.kept.iter().flatten().count() == 1;
        let effect = study.effect.as_ref().filter(|_| is_single);
        row(knob, value, effect, true);
    }
    grid
}

fn changes(study: &StudyResult) -> Vec<ReportBlock> {
    let all = study.changes.iter().flat_map(|change| {
        [
            ReportBlock::Text(change.of.clone()),
            ReportBlock::Verbatim(change.lines.join("\n")),
        ]
    });
    all.collect()
}

fn limits(study: &StudyResult, say: Say) -> Vec<ReportBlock> {
    let said = limits_text(study, say.0);
    said.map(|said| ReportBlock::Text(say.message(&said)))
        .into_iter()
        .collect()
}

fn measured(trial: &TrialRecord) -> Option<&Measured> {
    match &trial.result {
        TrialEnd::Measured(measured) => Some(measured),
        _ => None,
    }
}

/// The objective of each trial, and the best mean of a configuration so far.
fn way(study: &StudyResult, say: Say) -> Vec<ReportBlock> {
    let seen = study
        .trials
        .iter()
        .filter_map(|it| Some((it, measured(it)?)));
    let points: Vec<(f64, f64)> = seen
        .clone()
        .map(|(trial, it)| (f64::from(trial.number), it.objective))
        .collect();
    let mut means: Vec<(&TrialRecord, f64, f64)> = Vec::new();
    let mut best = Vec::new();
    for (trial, it) in seen.filter(|(_, it)| it.broken.is_empty()) {
        match means.iter_mut().find(|(of, ..)| of.values == trial.values) {
            Some((_, sum, count)) => {
                *sum += it.objective;
                *count += 1.0;
            }
            None => means.push((trial, it.objective, 1.0)),
        }
        let all = means.iter().map(|(_, sum, count)| sum / count);
        let so_far = match study.maximise {
            true => all.fold(f64::NEG_INFINITY, f64::max),
            false => all.fold(f64::INFINITY, f64::min),
        };
        best.push((f64::from(trial.number), so_far));
    }
    if points.is_empty() {
        return Vec::new();
    }
    let line = |id: &str, points, dots| PaperLine {
        name: say.text(id),
        points,
        dots,
    };
    let lines = [
        line("tune-story-each-trial", points, true),
        line("tune-story-best-so-far", best, false),
    ];
    let x_name = say.text("tune-story-number");
    let name = say.message(&metric(study));
    vec![picture(&name, &study.unit, &x_name, &lines)]
}

fn effects(study: &StudyResult, say: Say) -> Vec<ReportBlock> {
    let heads = [
        ("tune-story-knob", false),
        ("tune-story-level", false),
        ("tune-story-count", true),
        ("tune-story-effect", true),
        ("tune-story-interval", false),
    ];
    let mut grid = ReportGrid::new(say, &heads);
    let form = EffectForm::of(study);
    for effect in &study.main_effects {
        let level = match (effect.level, &effect.value) {
            (EffectLevel::Less, _) => say.text("tune-story-less"),
            (EffectLevel::More, _) => say.text("tune-story-more"),
            (EffectLevel::Value, Some(value)) => value.clone(),
            (EffectLevel::Value, None) => say.text("tune-story-changed"),
        };
        grid.row(vec![
            effect.knob.clone(),
            level,
            effect.trials.to_string(),
            effect
                .share
                .map_or_else(|| "–".to_owned(), |share| form.share(share)),
            form.ends(effect),
        ]);
    }
    match grid.rows.is_empty() {
        true => Vec::new(),
        false => vec![
            ReportBlock::Table(grid),
            ReportBlock::Text(say.text(match study.main_effects_matched {
                true => "tune-story-effects-matched",
                false => "tune-story-effects-note",
            })),
        ],
    }
}

/// Trials without a figure: what was void, and what did not work.
fn unmeasured(study: &StudyResult, say: Say) -> Vec<ReportBlock> {
    let heads = [
        ("tune-story-number", true),
        ("tune-story-tried", false),
        ("tune-story-result", false),
    ];
    let mut grid = ReportGrid::new(say, &heads);
    for trial in study.trials.iter().filter(|it| measured(it).is_none()) {
        let told = match &trial.result {
            TrialEnd::Void { instead } => {
                let all = instead.iter().map(|one| {
                    let one = TrialEnd::Void {
                        instead: vec![one.clone()],
                    };
                    say.message(&result(&one, &study.unit))
                });
                all.collect::<Vec<_>>().join("\n")
            }
            end => say.message(&result(end, &study.unit)),
        };
        grid.row(vec![trial.number.to_string(), tried(trial, say), told]);
    }
    match grid.rows.is_empty() {
        true => Vec::new(),
        false => vec![ReportBlock::Table(grid)],
    }
}

fn trials(study: &StudyResult, say: Say) -> Vec<ReportBlock> {
    let heads = [
        ("tune-story-number", true),
        ("tune-story-why", false),
        ("tune-story-tried", false),
        ("tune-story-result", false),
        ("tune-throughput", true),
        ("tune-p99", true),
        ("tune-errors", true),
        ("tune-story-read-back", false),
        ("tune-story-seconds", true),
    ];
    let mut grid = ReportGrid::new(say, &heads);
    let names = study.trials.iter().flat_map(|trial| trial.values.keys());
    let names: BTreeSet<&str> = names.map(String::as_str).collect();
    for trial in &study.trials {
        let own = measured(trial);
        let figure = |of: fn(&Measured) -> f64| own.map_or_else(String::new, |it| short(of(it)));
        let reason = say.message(&why(&trial.why));
        grid.row(vec![
            trial.number.to_string(),
            reason.trim_end_matches([':', '：']).to_owned(),
            tried(trial, say),
            said(trial, study, say),
            figure(|it| it.throughput_per_s),
            figure(|it| it.p99_ms),
            figure(|it| it.error_rate * 100.0),
            own.map_or_else(String::new, |it| read_back(it, &names, say)),
            short(trial.seconds),
        ]);
    }
    vec![ReportBlock::Table(grid)]
}

/// The values that a trial had, one a line.
fn tried(trial: &TrialRecord, say: Say) -> String {
    match trial.values.is_empty() {
        true => say.text("tune-why-baseline"),
        false => joined(&trial.values, "\n"),
    }
}

/// What came of a trial, in a few words: details stand in a table of their own.
fn said(trial: &TrialRecord, study: &StudyResult, say: Say) -> String {
    match &trial.result {
        TrialEnd::Void { .. } => say.text("tune-story-void"),
        TrialEnd::Failed { what, .. } if *what != FailedTrial::NotApproved => {
            say.text(&format!("{}-short", what.id()))
        }
        end => say.message(&result(end, &study.unit)),
    }
}

/// What the target showed of knobs that some trial changed: without a study there are many that are not its own.
fn read_back(measured: &Measured, names: &BTreeSet<&str>, say: Say) -> String {
    let seen = measured.read_back.iter();
    let seen = seen
        .filter(|it| names.contains(it.knob.as_str()))
        .map(|it| format!("{}={} ({})", it.knob, it.has, it.by));
    let unseen = measured.not_confirmed.iter().map(|knob| {
        say.message(&Message::new("tune-story-not-confirmed").with("knob", knob.as_str()))
    });
    seen.chain(unseen).collect::<Vec<_>>().join("\n")
}

fn facts(study: &StudyResult, say: Say) -> Vec<(String, String)> {
    let fact = |id: &str, value: String| (say.text(id), value);
    let percent = |share: f64| format!("{} %", short(share * 100.0));
    let mut facts = vec![
        fact("tune-story-plan", study.plan.clone()),
        fact("tune-story-load", study.load.clone()),
        fact("tune-story-objective", study.objective.clone()),
        fact("tune-story-error-rate", percent(study.error_rate)),
        fact("tune-story-smallest-gain", percent(study.smallest_gain)),
        fact("tune-story-seed", study.seed.to_string()),
        fact("tune-story-took", duration(study.seconds)),
    ];
    facts.retain(|(_, value)| !value.is_empty());
    if let Some(noise) = study.noise {
        let at = facts.len() - 2;
        facts.insert(at, fact("tune-story-noise", percent(noise)));
    }
    // Without a study any knob of a start command may be advised: those that never were say nothing.
    let tried = |name: &String| study.trials.iter().any(|it| it.values.contains_key(name));
    let tried = study.knobs.iter().filter(|knob| tried(&knob.name));
    let knobs = tried.map(|knob| {
        let found = knob.found.as_deref().unwrap_or("–");
        format!("{}={found}", knob.name)
    });
    let knobs: Vec<String> = knobs.collect();
    if !knobs.is_empty() {
        facts.push(fact("tune-story-knobs", knobs.join("\n")));
    }
    facts
}

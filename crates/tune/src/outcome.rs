//! What came of a study, as programs and people are told it (`schema/tune.schema.json`).

use std::collections::BTreeMap;
use std::f64::consts::SQRT_2;
use std::path::Path;

use plimsoll_access::Access;
use plimsoll_plan::limits::read_file;
use plimsoll_text::Message;
use serde::{Deserialize, Serialize};

use crate::effects::{MainEffect, MainEffects, ScoredTrial, main_effects};
use crate::engine::{
    Duel, Ending, EngineSettings, NeededBudget, Record, StudyEnd, Tuned, mean_objective, runs_of,
    scale_of, score_of,
};
use crate::given_file::{file_unread, why_no_file};
use crate::judge::Verdict;
use crate::notes::{JudgedRuns, StudyNote, notes};
use crate::space::{Configuration, Space};
use crate::target::{Fragment, TargetKnob};
use crate::trial::{Limits, Measured, Reason, TrialEnd};

/// Version of the JSON; rises when a field changes its meaning.
pub const SCHEMA_VERSION: u32 = 1;
/// A result that is larger is none.
const RESULT_BYTES: usize = 256 << 20;

/// The values of knobs that differ from what was found.
pub type Values = BTreeMap<String, String>;

/// A study and its result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StudyResult {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The study's name.
    pub study: String,
    /// The plan.
    pub plan: String,
    /// The load of each run, in the plan's words; empty where it is searched.
    #[serde(default)]
    pub load: String,
    /// The objective, as it is written.
    pub objective: String,
    /// Its unit.
    pub unit: String,
    /// More of it is better.
    #[serde(default = "more")]
    pub maximise: bool,
    /// How it ended: `done`, `not_judged` (trials or time were over before anything could be compared, or what
    /// was to be compared died),
    /// `nothing_tried` (there was nothing to change), `none_measured` (no trial with changed settings could be
    /// measured), `no_baseline`, `interrupted`, `broken`.
    pub end: String,
    /// What a judgement would have taken, where there is none.
    #[serde(default)]
    pub needs: Option<NeededBudget>,
    /// Seed of the search.
    pub seed: u64,
    /// The share of studies without anything to gain that keep something, at most.
    pub error_rate: f64,
    /// Effects below this share were none that matter.
    pub smallest_gain: f64,
    /// The standard deviation of one run, as a share; null before two were made.
    pub noise: Option<f64>,
    /// Seconds that all trials took.
    pub seconds: f64,
    /// The knobs and what each was found to be.
    pub knobs: Vec<KnobState>,
    /// All trials, in order.
    pub trials: Vec<TrialRecord>,
    /// The best that was found, whatever the end says of it.
    pub best: Values,
    /// The smallest change that brings the gain; null where no gain was shown.
    pub kept: Option<Values>,
    /// The effect of what is kept, or of the best, against the baseline.
    pub effect: Option<Effect>,
    /// What that effect was measured with, where it is not what is kept: a change was put back at the end, and nothing
    /// was left to measure the rest on its own.
    #[serde(default)]
    pub effect_of: Option<Values>,
    /// What each change brings by itself.
    pub each: Vec<KnobEffect>,
    /// Changes that are kept without a test of their own: trials or time were over, or another knob needs them.
    #[serde(default)]
    pub not_tested_alone: Vec<String>,
    /// What each knob did on the whole, over all trials.
    #[serde(default)]
    pub main_effects: Vec<MainEffect>,
    /// A model of sums does not fit the trials: the main effects are of those that differ in nothing else.
    #[serde(default)]
    pub main_effects_matched: bool,
    /// Figures before and after: means over the runs of the pairs by which `effect` was judged; of all runs where there
    /// are none.
    pub before: Option<Figures>,
    /// The same of what it was measured with: what is kept, or the candidate that was not.
    pub after: Option<Figures>,
    /// What limits the target as it remains: with what is kept, else as it was found.
    pub limits: Option<Limits>,
    /// The changes, ready to be taken over.
    pub changes: Vec<Fragment>,
    /// What is given up for speed with what is kept.
    #[serde(default)]
    pub given_up: Vec<GivenUp>,
    /// What is to be known beside it.
    #[serde(default)]
    pub notes: Vec<StudyNote>,
}

const fn more() -> bool {
    true
}

/// What a knob that is kept gives up for speed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenUp {
    /// The knob.
    pub knob: String,
    /// Its value.
    pub value: String,
    /// What: `durability`, `isolation`, `data`, `logs`.
    pub what: String,
}

/// A knob and what it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnobState {
    /// Its name.
    pub name: String,
    /// What it was found to be; null where nobody knows.
    pub found: Option<String>,
}

/// A trial, with the names of knobs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialRecord {
    /// Its number, from 1.
    pub number: u32,
    /// Why it was made.
    pub why: Reason,
    /// What was changed.
    pub values: Values,
    /// Seconds that it took in all.
    pub seconds: f64,
    /// What came of it.
    pub result: TrialEnd,
}

/// A difference, as a share of what it is compared with; positive is better.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// The best estimate.
    pub share: f64,
    /// The low end of its interval; null where there is none so far.
    pub low: Option<f64>,
    /// The high end.
    pub high: Option<f64>,
    /// Pairs of runs.
    pub pairs: usize,
    /// What they say.
    pub verdict: Verdict,
}

/// What a change brings by itself: the loss without it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnobEffect {
    /// The knob.
    pub knob: String,
    /// The value that was put back.
    pub value: String,
    /// What it brings.
    pub effect: Effect,
    /// Whether it is kept.
    pub kept: bool,
}

/// Figures of runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Runs.
    pub runs: usize,
    /// The objective.
    pub objective: f64,
    /// Successful samples a second.
    pub throughput_per_s: f64,
    /// Mean response time, ms.
    pub mean_ms: f64,
    /// Its 99th percentile, ms.
    pub p99_ms: f64,
    /// Failed samples in all, 0 to 1.
    pub error_rate: f64,
    /// Most resident memory, bytes.
    pub memory_bytes: f64,
}

/// What a study is called, and what it was told.
pub struct StudyFacts<'a> {
    /// Its name.
    pub name: &'a str,
    /// The plan.
    pub plan: &'a str,
    /// The load of each run, in the plan's words.
    pub load: &'a str,
    /// The objective.
    pub objective: &'a plimsoll_plan::study::StudyObjective,
    /// What the engine was told.
    pub settings: &'a EngineSettings,
    /// What may be changed.
    pub space: &'a Space,
    /// The same knobs, on the target.
    pub knobs: &'a [TargetKnob],
}

fn values(space: &Space, of: &Configuration) -> Values {
    let all = space.knobs.iter().enumerate();
    let changed = all.filter_map(|(at, knob)| Some((knob.name.clone(), masked(space, of, at)?)));
    changed.collect()
}

/// The value of a knob that a configuration changes, without secrets.
fn masked(space: &Space, of: &Configuration, at: usize) -> Option<String> {
    let value = of.0[at].as_ref()?;
    Some(space.knobs[at].shown(value).into_owned())
}

impl Effect {
    fn of(duel: &Duel, settings: &EngineSettings) -> Self {
        let end = |end: f64| end.is_finite().then(|| share_of(end, settings));
        Self {
            share: share_of(duel.pairs.mean(), settings),
            low: end(duel.interval.0),
            high: end(duel.interval.1),
            pairs: duel.pairs.count(),
            verdict: duel.verdict,
        }
    }
}

impl Figures {
    fn of(runs: &[&Measured]) -> Option<Self> {
        let count = runs.len() as f64;
        let mean = |of: fn(&Measured) -> f64| runs.iter().map(|run| of(run)).sum::<f64>() / count;
        (!runs.is_empty()).then(|| Self {
            runs: runs.len(),
            objective: mean(|run| run.objective),
            throughput_per_s: mean(|run| run.throughput_per_s),
            mean_ms: mean(|run| run.mean_ms),
            p99_ms: mean(|run| run.p99_ms),
            error_rate: mean(|run| run.error_rate),
            memory_bytes: mean(|run| run.memory_bytes as f64),
        })
    }
}

impl StudyResult {
    /// Reads what a study has written.
    ///
    /// # Errors
    /// The file cannot be read, or is none.
    pub fn read(path: &Path) -> Result<Self, Message> {
        if let Some(reason) = why_no_file(path) {
            return Err(file_unread(path, reason));
        }
        let opened = Access::of_user().open(path);
        let bytes = read_file(opened, RESULT_BYTES)
            .map_err(|error| file_unread(path, error.to_string()))?;
        serde_json::from_slice(&bytes).map_err(|error| {
            Message::new("tune-shown-unreadable")
                .with("path", path.display().to_string())
                .with("reason", error.to_string())
        })
    }

    /// Of what the engine says.
    #[must_use]
    pub fn of(facts: &StudyFacts<'_>, tuned: &Tuned, changes: Vec<Fragment>) -> Self {
        let space = &with_found(facts.space, &tuned.records);
        let settings = facts.settings;
        let ending = tuned.ending.as_ref();
        let kept = ending.and_then(|ending| ending.kept.as_ref());
        let best = kept.unwrap_or(&tuned.best);
        let baseline = Configuration::unchanged(space.knobs.len());
        let effect = ending.and_then(|ending| ending.against_baseline.as_ref());
        let each = ending.into_iter().flat_map(|ending| &ending.put_back);
        let each = each.map(|put_back| KnobEffect {
            knob: space.knobs[put_back.knob].name.clone(),
            value: masked(space, &tuned.best, put_back.knob).unwrap_or_default(),
            effect: Effect::of(&put_back.duel, settings),
            kept: put_back.kept,
        });
        let noise = effect.and_then(|duel| Some(duel.pairs.noise().deviation()? / SQRT_2));
        let judged = JudgedRuns::of(&tuned.records, effect, best, noise, kept);
        let main_effects = effects(&tuned.records, space, settings, &judged);
        let unit = match facts.objective.parts.as_slice() {
            [part] => part.metric.unit(),
            _ => "",
        };
        Self {
            schema_version: SCHEMA_VERSION,
            study: facts.name.to_owned(),
            plan: plimsoll_secrets::text(facts.plan).into_owned(),
            load: plimsoll_secrets::text(facts.load).into_owned(),
            objective: facts.objective.text(),
            unit: unit.to_owned(),
            maximise: settings.maximise,
            end: end_of(tuned).to_owned(),
            needs: tuned.needs,
            seed: settings.seed,
            error_rate: settings.error_rate,
            smallest_gain: settings.matters,
            noise,
            seconds: tuned.records.iter().map(|record| record.seconds).sum(),
            knobs: space.knobs.iter().map(KnobState::of).collect(),
            trials: tuned
                .records
                .iter()
                .map(|it| TrialRecord::of(it, space))
                .collect(),
            best: values(space, &tuned.best),
            kept: kept.map(|kept| values(space, kept)),
            effect: effect.map(|duel| Effect::of(duel, settings)),
            effect_of: ending
                .filter(|ending| kept.is_some_and(|kept| *kept != ending.measured))
                .map(|ending| values(space, &ending.measured)),
            not_tested_alone: kept.map_or_else(Vec::new, |kept| untested(space, kept, ending)),
            each: each.collect(),
            main_effects: main_effects.each,
            main_effects_matched: main_effects.matched,
            before: Figures::of(&judged.before),
            after: Figures::of(&judged.after),
            limits: limits(&tuned.records, kept.unwrap_or(&baseline)),
            given_up: kept.map_or_else(Vec::new, |kept| given_up(space, facts.knobs, kept)),
            notes: notes(&judged),
            changes,
        }
    }
}

/// A difference of scores, as a share of what it is compared with; positive is better.
fn share_of(difference: f64, settings: &EngineSettings) -> f64 {
    match (settings.by_ratio, settings.maximise) {
        (false, _) => difference,
        (true, true) => difference.exp_m1(),
        // So much less of it.
        (true, false) => -(-difference).exp_m1(),
    }
}

fn end_of(tuned: &Tuned) -> &'static str {
    let mut changed = tuned.records.iter().filter(|it| it.is_changed()).peekable();
    match &tuned.end {
        StudyEnd::Done if tuned.needs.is_some() => "not_judged",
        StudyEnd::Done if changed.peek().is_none() => "nothing_tried",
        StudyEnd::Done if changed.all(|it| it.measured().is_none()) => "none_measured",
        // One of the final pairs died before there was anything to judge.
        StudyEnd::Done if !tuned.is_judged => "not_judged",
        StudyEnd::Done => "done",
        StudyEnd::NoBaseline => "no_baseline",
        StudyEnd::Interrupted => "interrupted",
        StudyEnd::Broken(_) => "broken",
    }
}

/// Changes that are kept without a test of their own. A single one has the test of all, if that was made with it.
fn untested(space: &Space, kept: &Configuration, ending: Option<&Ending>) -> Vec<String> {
    let changed: Vec<usize> = kept.changed().collect();
    if changed.len() < 2 && ending.is_some_and(|ending| ending.measured == *kept) {
        return Vec::new();
    }
    let tested = |knob: &usize| {
        let mut effects = ending.into_iter().flat_map(|ending| &ending.put_back);
        effects.any(|effect| effect.knob == *knob)
    };
    let untested = changed.into_iter().filter(|knob| !tested(knob));
    untested.map(|at| space.knobs[at].name.clone()).collect()
}

/// Knobs of which the first start showed what they are.
fn with_found(space: &Space, records: &[Record]) -> Space {
    let mut space = space.clone();
    let first = records.first().and_then(Record::measured);
    for seen in first.into_iter().flat_map(|it| &it.read_back) {
        let mut knobs = space.knobs.iter_mut();
        if let Some(knob) = knobs.find(|knob| knob.name == seen.knob && knob.found.is_none()) {
            knob.found = Some(seen.has.clone());
        }
    }
    space
}

/// Configurations that broke a constraint count, too: what a knob did to the objective is what is asked.
fn effects(
    records: &[Record],
    space: &Space,
    settings: &EngineSettings,
    judged: &JudgedRuns<'_>,
) -> MainEffects {
    let scale = mean_objective(judged.before.iter().copied());
    let scale = scale.unwrap_or_else(|| scale_of(records, space.knobs.len()));
    let scored = records.iter().filter_map(|record| {
        let score = score_of(record, settings, scale)?;
        Some((&record.configuration, f64::from(record.number), score))
    });
    let scored: Vec<ScoredTrial<'_>> = scored.collect();
    main_effects(space, &scored, &|score| share_of(score, settings))
}

fn given_up(space: &Space, knobs: &[TargetKnob], kept: &Configuration) -> Vec<GivenUp> {
    let given = knobs.iter().enumerate().filter_map(|(at, knob)| {
        Some(GivenUp {
            knob: knob.name.clone(),
            value: masked(space, kept, at)?,
            what: knob.gives?.name().to_owned(),
        })
    });
    given.collect()
}

impl KnobState {
    fn of(knob: &crate::space::SpaceKnob) -> Self {
        let shown = |found: &String| knob.shown(found).into_owned();
        Self {
            name: knob.name.clone(),
            found: knob.found.as_ref().map(shown),
        }
    }
}

impl TrialRecord {
    /// A trial with the names of knobs.
    #[must_use]
    pub fn of(record: &Record, space: &Space) -> Self {
        Self {
            number: record.number,
            why: record.why.clone(),
            values: values(space, &record.configuration),
            seconds: record.seconds,
            result: record.result.clone(),
        }
    }
}

/// What limited the last run of a configuration of which that is known.
fn limits(records: &[Record], of: &Configuration) -> Option<Limits> {
    let mut measured = runs_of(records, of).rev().filter_map(Record::measured);
    measured.find_map(|it| it.limits.clone())
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests;

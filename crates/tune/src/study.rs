//! A study from its file to its result.

use std::path::{Path, PathBuf};

use plimsoll_access::Access;
use plimsoll_plan::limits::{PLAN_BYTES, read_file};
use plimsoll_plan::model::Span;
use plimsoll_plan::study::{ObjectiveMetric, Study, StudyObjective};
use plimsoll_plan::{Problem, parse_study};
use plimsoll_run::{Interrupt, Listener, ReadyPlan, RejectedPlan, random_seed};
use plimsoll_stats::GoalMetric;
use plimsoll_text::{Arg, Message};

use crate::engine::{
    EarlierTrial, EngineSettings, Record, StudyEnd, Tuned, runs_of, scale_of, score_of, tune,
};
use crate::fingerprint::fingerprint;
use crate::given_file::why_no_file;
use crate::outcome::{KnobState, StudyFacts, StudyResult, Values};
use crate::remote::TuneAgent;
use crate::resumed::Resumed;
use crate::senseless::{no_study, senseless};
use crate::space::{Configuration, Space};
use crate::target::{
    Approve, BenchSettings, Entry, Fragment, JOURNAL_VERSION, Journal, Load, Prepared, Restored,
    TargetBench, Watched, fragments_of, journal_failed, never_of_nothing, prepare_asking, restore,
    state_folder, together, unwritable,
};
use crate::trial::TrialEnd;

const ERROR_RATE: f64 = 0.05;
const SMALLEST_GAIN: f64 = 0.03;
/// Where no constraint is on errors, so many more than before are none that matter, as a share of the samples …
const MORE_FAILURES: f64 = 0.01;
/// … and as a share of the tail that a percentile looks at: who refuses the whole tail has none.
const MORE_OF_TAIL: f64 = 0.1;

/// How a study is made.
pub struct StudyRequest<'a> {
    /// Folder of the runs.
    pub runs: PathBuf,
    /// Ends it.
    pub interrupt: Interrupt,
    /// It goes on where it stopped.
    pub resume: bool,
    /// The result of an earlier study, whose trials the search knows from the start.
    pub earlier: Option<StudyResult>,
    /// What is found is left in the files.
    pub keep_best: bool,
    /// Watched beside what the plan names.
    pub watch: Vec<String>,
    /// Captures may disturb the target, whatever is watched.
    pub allow_capture: bool,
    /// Who hears of each run that counts.
    pub listen: &'a dyn Fn(&ReadyPlan) -> Box<dyn Listener>,
    /// Who is told what is done next.
    pub tell: &'a dyn Fn(&Message),
    /// Hears of each trial.
    pub hear: &'a mut dyn FnMut(&Record, &Prepared),
    /// Asks whether a change may be made; none: all may.
    pub approve: Option<Approve<'a>>,
}

/// Why a study has no result.
pub enum StudyError {
    /// The study or its plan is not valid.
    Rejected(RejectedPlan),
    /// It could not be made, or not be brought back.
    Failed(Message),
    /// It has a result, and what it changed could not be brought back, or not as it was left, or cannot be told.
    Left(Box<StudyResult>, Message),
}

impl StudyError {
    /// What it says in a sentence.
    #[must_use]
    pub fn message(&self) -> Message {
        match self {
            Self::Rejected(rejected) => {
                Message::new("server-plan-rejected").with("count", rejected.problems.len())
            }
            Self::Failed(message) | Self::Left(_, message) => message.clone(),
        }
    }
}

impl From<Message> for StudyError {
    fn from(message: Message) -> Self {
        Self::Failed(message)
    }
}

/// Reads a study and looks at all that it names.
///
/// # Errors
/// All that is wrong with it.
pub fn read(file: &Path) -> Result<(Prepared, Vec<Problem>, String), RejectedPlan> {
    let name = file.display().to_string();
    let unread = |reason: Arg| RejectedPlan {
        text: String::new(),
        problems: vec![
            Problem::error(
                Span::default(),
                Message::new("tune-study-unreadable")
                    .with("path", name.as_str())
                    .with("reason", reason),
            )
            .remedy(Message::new("tune-study-unreadable.remedy")),
        ],
    };
    if let Some(reason) = why_no_file(file) {
        return Err(unread(reason.into()));
    }
    let opened = Access::of_user().open(file);
    let bytes = read_file(opened, PLAN_BYTES).map_err(|error| unread(error.to_string().into()))?;
    let text = String::from_utf8(bytes);
    let text = text.map_err(|error| unread(error.utf8_error().to_string().into()))?;
    let rejected = |problems: Vec<Problem>| RejectedPlan {
        text: text.clone(),
        problems,
    };
    let parsed = parse_study(&text, &name);
    let parsed = parsed.map_err(|problems| no_study(&text).map_or(problems, |it| vec![it]));
    let (mut study, mut warnings) = parsed.map_err(rejected)?;
    if study.name.is_empty() {
        let stem = file.file_stem().unwrap_or_default();
        study.name = stem.to_string_lossy().into_owned();
    }
    let prepared = prepare_asking(study, file, None, &TuneAgent::connect).map_err(rejected)?;
    let wrong = senseless(&prepared).chain(unwritable(&prepared));
    let placed = |problem: Problem| problem.in_file(&name);
    let wrong: Vec<Problem> = wrong.map(placed).collect();
    if !wrong.is_empty() {
        return Err(rejected(wrong));
    }
    warnings.extend(never_of_nothing(&prepared).into_iter().map(placed));
    Ok((prepared, warnings, text))
}

/// What a study's engine is told.
#[must_use]
pub fn engine_settings(study: &Study, seed: u64) -> EngineSettings {
    let share = |text: &Option<plimsoll_plan::model::Text>, usual: f64, most: f64| {
        let percent = text
            .as_ref()
            .and_then(|text| text.raw.trim().parse::<f64>().ok());
        percent.map_or(usual, |percent| (percent / 100.0).clamp(1e-4, most))
    };
    let objective = &study.objective;
    EngineSettings {
        maximise: objective.parts.first().is_none_or(|part| part.maximise),
        by_ratio: objective.parts.len() == 1,
        trials: study.trials,
        seconds: study.time.map(|time| time.as_secs_f64()),
        error_rate: share(&study.error_rate, ERROR_RATE, 0.5),
        matters: share(&study.smallest_gain, SMALLEST_GAIN, 1.0),
        search: study.search,
        seed,
        earlier: Vec::new(),
        most_more_failures: says_nothing_of_errors(study).then(|| more_failures(&study.objective)),
    }
}

fn more_failures(objective: &StudyObjective) -> f64 {
    let of_tail = objective.parts.iter().filter_map(|part| match part.metric {
        ObjectiveMetric::Percentile(p) => Some(MORE_OF_TAIL * (1.0 - p / 100.0)),
        _ => None,
    });
    of_tail.fold(MORE_FAILURES, f64::min)
}

fn says_nothing_of_errors(study: &Study) -> bool {
    let mut constraints = study.constraints.iter();
    let says = constraints.any(|it| it.goal.metric == GoalMetric::Errors);
    let mut parts = study.objective.parts.iter();
    // A capacity has its own goals.
    !says && !parts.any(|part| part.metric == ObjectiveMetric::Capacity)
}

/// Makes a study: brings back what an earlier one has left, makes its trials, and brings the target back.
///
/// # Errors
/// What is wrong with the plan, and what could not be done.
pub fn run(prepared: &Prepared, request: StudyRequest<'_>) -> Result<StudyResult, StudyError> {
    let study = &prepared.study;
    let watch = watched_of(study, &request.watch);
    let watched = Watched {
        sources: &watch,
        allow_capture: request.allow_capture,
    };
    let load = Load::of(prepared, watched).map_err(StudyError::Rejected)?;
    let mut journal = open(&request.runs, &study.name)?;
    let prepared = &prepared.with_originals(journal.open_entries());
    let left = restore(&mut journal)?;
    // What others have done meanwhile is looked at by somebody before the study goes on.
    if let Some(message) = together(left.failed.into_iter().chain(left.notes)) {
        return Err(message.into());
    }
    let known = request.earlier.as_ref();
    let known = known.map_or(Ok(Vec::new()), |earlier| known_from(earlier, prepared))?;
    let fingerprint = fingerprint(prepared, load.plan(), &known);
    let (seed, made) = match request.resume {
        true => resumed(study, journal.entries(), &fingerprint)?,
        false => (study.seed.unwrap_or_else(random_seed), Vec::new()),
    };
    let mark = format!("{:016x}", fastrand::u64(..));
    begin(
        &mut journal,
        prepared,
        &mark,
        (fingerprint, seed, request.resume),
    )?;
    let settings = EngineSettings {
        earlier: known,
        ..engine_settings(study, seed)
    };
    let bench_settings = BenchSettings {
        runs: request.runs,
        interrupt: request.interrupt,
        listen: request.listen,
        tell: request.tell,
        approve: request.approve,
    };
    let load_in_words = load.in_words();
    if let Some(message) = load.rate_decides(&study.objective) {
        (request.tell)(&message);
    }
    let mut bench = TargetBench::new(prepared, load, &mut journal, &mark, bench_settings);
    bench.begin()?;
    let hear = request.hear;
    let tuned = {
        let mut resumed = Resumed::new(made, &mut bench);
        tune(
            &prepared.space,
            &settings,
            &mut resumed,
            &mut |record, _| {
                hear(record, prepared);
            },
        )
    };
    let told = (&settings, load_in_words.as_str());
    conclude(prepared, told, bench, tuned, request.keep_best)
}

/// The seed and the trials of the study that goes on.
fn resumed(
    study: &Study,
    entries: &[Entry],
    fingerprint: &str,
) -> Result<(u64, Vec<Record>), Message> {
    let before = earlier(entries, fingerprint);
    let before = before.filter(|(seed, _)| study.seed.is_none_or(|asked| asked == *seed));
    before.ok_or_else(|| {
        let is_begun = |entry: &Entry| matches!(entry, Entry::Begun { .. });
        let begun = if entries.iter().any(is_begun) {
            "yes"
        } else {
            "no"
        };
        let message = Message::new("tune-nothing-to-resume").with("begun", begun);
        message.with("name", study.name.as_str())
    })
}

/// Sources that are watched: those that were asked for, and those of the study's components.
fn watched_of(study: &Study, asked: &[String]) -> Vec<String> {
    let sources = study.components.iter().flat_map(|it| &it.watch);
    let sources = sources.map(|text| text.raw.clone());
    let sources = sources.filter(|source| !asked.contains(source));
    asked.iter().cloned().chain(sources).collect()
}

fn begin(
    journal: &mut Journal,
    prepared: &Prepared,
    mark: &str,
    (fingerprint, seed, resumed): (String, u64, bool),
) -> Result<(), StudyError> {
    let folder = journal.folder().to_owned();
    let whole = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
    let begun = Entry::Begun {
        version: JOURNAL_VERSION,
        mark: mark.to_owned(),
        study: whole(&prepared.file),
        folder: Some(whole(&prepared.folder)),
        fingerprint,
        seed,
        resumed,
        asked_by: None,
    };
    journal
        .write(begun)
        .map_err(|error| plimsoll_run::reasons::file_failed(&folder, &error).into())
}

fn conclude(
    prepared: &Prepared,
    (settings, load): (&EngineSettings, &str),
    bench: TargetBench<'_>,
    tuned: Tuned,
    keep_best: bool,
) -> Result<StudyResult, StudyError> {
    let kept = tuned.ending.as_ref().and_then(|ending| ending.kept.clone());
    let changes = kept.as_ref().map(|kept| fragments_of(prepared, kept));
    let changes = changes.unwrap_or_else(|| Ok(Vec::new()));
    // First of all the target is brought back, whatever else there is to tell.
    let finished = bench.finish(kept.as_ref().filter(|_| keep_best));
    let left = finished.err();
    if let StudyEnd::Broken(message) = &tuned.end {
        let all = together(Some(message.clone()).into_iter().chain(left));
        return Err(all.unwrap_or_else(|| message.clone()).into());
    }
    let (changes, beside) = told_beside(changes, left);
    let study = &prepared.study;
    let facts = StudyFacts {
        name: &study.name,
        plan: &study.plan.raw,
        load,
        objective: &study.objective,
        settings,
        space: &prepared.space,
        knobs: &prepared.knobs,
    };
    let result = StudyResult::of(&facts, &tuned, changes);
    match beside {
        Some(message) => Err(StudyError::Left(Box::new(result), message)),
        None => Ok(result),
    }
}

/// The changes of a result, and what is to be said beside it: what was measured is not lost where they cannot be told.
fn told_beside(
    changes: Result<Vec<Fragment>, Message>,
    left: Option<Message>,
) -> (Vec<Fragment>, Option<Message>) {
    match changes {
        Ok(changes) => (changes, left),
        Err(why) => {
            let untold = Message::new("tune-changes-untold").with("reason", why);
            // They are told against originals, which may be gone: then that is what is said.
            (Vec::new(), left.or(Some(untold)))
        }
    }
}

/// The journal of a study.
///
/// # Errors
/// One that another process has, or that cannot be written.
pub fn open(runs: &Path, name: &str) -> Result<Journal, Message> {
    let folder = state_folder(runs, name);
    Journal::open(&folder).map_err(|error| journal_failed(&folder, error))
}

/// Brings back what studies have left below a folder of runs, each whatever comes of the others.
#[must_use]
pub fn restore_each(runs: &Path, names: &[String]) -> Vec<Result<Restored, Message>> {
    let all = names.iter();
    all.map(|name| restore(&mut open(runs, name)?)).collect()
}

/// The trials of an earlier study that are of this one's space.
fn known_from(earlier: &StudyResult, prepared: &Prepared) -> Result<Vec<EarlierTrial>, Message> {
    let objective = prepared.study.objective.text();
    if earlier.objective != objective {
        return Err(Message::new("tune-earlier-other-objective")
            .with("objective", objective)
            .with("earlier", earlier.objective.as_str()));
    }
    let settings = engine_settings(&prepared.study, 0);
    let space = &prepared.space;
    let records = earlier.trials.iter().filter_map(|trial| {
        Some(Record {
            number: trial.number,
            why: trial.why.clone(),
            configuration: of_today(space, &earlier.knobs, &trial.values)?,
            seconds: trial.seconds,
            result: trial.result.clone(),
        })
    });
    let records: Vec<Record> = records.collect();
    let scale = scale_of(&records, space.knobs.len());
    let baseline = Configuration::unchanged(space.knobs.len());
    let scored = |record: &Record| score_of(record, &settings, scale);
    let found = runs_of(&records, &baseline);
    let found: Vec<f64> = found.filter_map(scored).collect();
    if found.is_empty() {
        return Err(Message::new("tune-earlier-without-baseline"));
    }
    let mean = found.iter().sum::<f64>() / found.len() as f64;
    let all = records.iter().filter_map(|record| {
        let score = match &record.result {
            TrialEnd::Interrupted => return None,
            TrialEnd::Measured(measured) if measured.broken.is_empty() => Some(scored(record)?),
            _ => None,
        };
        Some(EarlierTrial {
            of: record.configuration.clone(),
            score: score.map(|score| score - mean),
        })
    });
    Ok(all.collect())
}

/// The configuration of an earlier trial, by what is found today: a knob that it left as it was had the value that was
/// found then. None where today's study cannot have it.
fn of_today(space: &Space, then: &[KnobState], values: &Values) -> Option<Configuration> {
    let mut of = Configuration::unchanged(space.knobs.len());
    for (name, value) in values {
        let at = space.knobs.iter().position(|knob| knob.name == *name)?;
        of.0[at] = Some(space.knobs[at].domain.allowed(value)?);
    }
    for (at, knob) in space.knobs.iter().enumerate() {
        let was = then.iter().find(|it| it.name == knob.name);
        let was = was.and_then(|it| it.found.as_ref());
        let (None, Some(was), Some(today)) = (&of.0[at], was, &knob.found) else {
            continue;
        };
        // A result has secrets masked.
        let today = knob.shown(today);
        if !knob.domain.same(was, &today) {
            of.0[at] = Some(knob.domain.allowed(was)?);
        }
    }
    Some(space.normal(&of))
}

/// The seed and the trials of the last study of a journal, with those of it that went on, if it was the same.
fn earlier(entries: &[Entry], fingerprint: &str) -> Option<(u64, Vec<Record>)> {
    let mut found: Option<(u64, Vec<Record>)> = None;
    for entry in entries {
        match entry {
            Entry::Begun {
                version,
                fingerprint: of,
                seed,
                resumed,
                ..
            } => {
                found = match found {
                    _ if of != fingerprint || *version != JOURNAL_VERSION => None,
                    Some(known) if *resumed => Some(known),
                    _ => Some((*seed, Vec::new())),
                };
            }
            Entry::Trial(record) => {
                // What stood in a line that cannot be read is missing: the rest does not follow on it.
                let follows = |records: &[Record]| record.number as usize <= records.len() + 1;
                if let Some((_, records)) = &mut found
                    && follows(records)
                {
                    // What was asked for otherwise when it went on takes the place of what was there.
                    records.truncate((record.number as usize).saturating_sub(1));
                    records.push((**record).clone());
                }
            }
            Entry::Unreadable { .. } => found = None,
            _ => {}
        }
    }
    found
}

/// A configuration as `name=value` texts, without secrets.
#[must_use]
pub fn in_words(prepared: &Prepared, of: &Configuration) -> String {
    let pairs = prepared.space.knobs.iter().zip(&of.0);
    let changed = pairs.filter_map(|(knob, value)| {
        let value = value.as_ref()?;
        Some(format!("{}={}", knob.name, knob.shown(value)))
    });
    let all: Vec<String> = changed.collect();
    all.join(" ")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests;

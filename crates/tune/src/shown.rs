//! What is known of a study while it goes on and after it, for who looks on from another process: a file beside its
//! journal, whole or not at all. Whether it goes on says the journal's lock.

use std::cell::RefCell;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use plimsoll_plan::limits::{PLAN_BYTES, read_file};
use plimsoll_store::{private, rfc3339};
use plimsoll_text::{Lang, Message, render};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::engine::Record;
use crate::outcome::{StudyResult, TrialRecord};
use crate::study::{self, StudyError, StudyRequest};
use crate::target::{Prepared, peeked, state_folder};
use crate::told::{better, trial_line};

/// Version of the file; another one is not read.
const VERSION: u32 = 1;
/// Name of the file.
const FILE: &str = "shown.json";
/// A longer file is not ours.
const MOST_BYTES: u64 = 64 << 20;
/// Steps that are kept; what comes later is told no more.
const MOST_STEPS: usize = 10_000;

/// A text in both languages, without secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownText {
    /// English.
    pub en: String,
    /// Chinese.
    pub zh: String,
}

impl ShownText {
    fn of(text: impl Fn(Lang) -> String) -> Self {
        let masked = |lang| plimsoll_secrets::text(text(lang).trim()).into_owned();
        Self {
            en: masked(Lang::En),
            zh: masked(Lang::Zh),
        }
    }
}

/// What was said on the way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownStep {
    /// When, UTC.
    pub at: String,
    /// What.
    pub text: ShownText,
}

/// What is known of a study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StudyShown {
    version: u32,
    /// Its name.
    pub study: String,
    /// When it began, UTC.
    pub began: String,
    /// When it ended, UTC; none: it goes on, or its process was killed.
    pub ended: Option<String>,
    /// The plan, or the URL.
    pub plan: String,
    /// What is to become better.
    pub objective: String,
    /// Its unit.
    pub unit: String,
    /// More of it is better.
    pub maximise: bool,
    /// Trials at most.
    pub most_trials: u32,
    /// Seconds at most.
    pub most_s: Option<f64>,
    /// The study as it is written; empty: it was begun without a file.
    pub text: String,
    /// The trials so far.
    pub trials: Vec<TrialRecord>,
    /// What was said on the way.
    pub steps: Vec<ShownStep>,
    /// What came out, by `schema/tune.schema.json`.
    pub result: Option<Value>,
    /// Why nothing did.
    pub error: Option<ShownText>,
}

impl StudyShown {
    fn of(prepared: &Prepared) -> Self {
        let study = &prepared.study;
        let parts = study.objective.parts.as_slice();
        let opened = plimsoll_access::Access::of_user().open(&prepared.file);
        let text = read_file(opened, PLAN_BYTES).unwrap_or_default();
        Self {
            version: VERSION,
            study: plimsoll_secrets::text(&study.name).into_owned(),
            began: now_text(),
            ended: None,
            plan: plimsoll_secrets::text(&study.plan.raw).into_owned(),
            objective: study.objective.text(),
            unit: match parts {
                [part] => part.metric.unit().to_owned(),
                _ => String::new(),
            },
            maximise: parts.first().is_none_or(|part| part.maximise),
            most_trials: study.trials,
            most_s: study.time.map(|time| time.as_secs_f64()),
            text: plimsoll_secrets::text(&String::from_utf8_lossy(&text)).into_owned(),
            trials: Vec::new(),
            steps: Vec::new(),
            result: None,
            error: None,
        }
    }
}

fn now_text() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    rfc3339(u64::try_from(now.unwrap_or_default().as_nanos()).unwrap_or(u64::MAX))
}

/// Makes a study as [`study::run`] does, and writes down what is known of it, from the first thing that is done on.
///
/// # Errors
/// As there.
pub fn run(prepared: &Prepared, request: StudyRequest<'_>) -> Result<StudyResult, StudyError> {
    let folder = state_folder(&request.runs, &prepared.study.name);
    // By then the journal is this process's.
    let log: RefCell<Option<ShownLog>> = RefCell::default();
    let (tell, hear) = (request.tell, request.hear);
    let tell = |message: &Message| {
        let mut log = log.borrow_mut();
        log.get_or_insert_with(|| ShownLog::begin(&folder, prepared))
            .say(message);
        tell(message);
    };
    let mut hear = |record: &Record, prepared: &Prepared| {
        let mut log = log.borrow_mut();
        log.get_or_insert_with(|| ShownLog::begin(&folder, prepared))
            .add(record, prepared);
        hear(record, prepared);
    };
    let request = StudyRequest {
        tell: &tell,
        hear: &mut hear,
        ..request
    };
    let result = study::run(prepared, request);
    if let Some(log) = log.into_inner() {
        log.end(&result);
    }
    result
}

/// Writes down what is known of a study that this process makes.
struct ShownLog {
    path: PathBuf,
    shown: StudyShown,
    best: Option<f64>,
    spent_s: f64,
}

impl ShownLog {
    /// It begins; its journal lies in that folder, and is this process's.
    fn begin(folder: &Path, prepared: &Prepared) -> Self {
        let log = Self {
            path: folder.join(FILE),
            shown: StudyShown::of(prepared),
            best: None,
            spent_s: 0.0,
        };
        log.keep();
        log
    }

    /// A disk that is full is told of by the journal, without which nothing is done.
    fn keep(&self) {
        let _ = serde_json::to_vec(&self.shown)
            .map_err(std::io::Error::from)
            .and_then(|json| private::replace(&self.path, &json));
    }

    fn step(&mut self, text: ShownText) {
        if self.shown.steps.len() < MOST_STEPS {
            let at = now_text();
            self.shown.steps.push(ShownStep { at, text });
        }
    }

    /// What is done next.
    fn say(&mut self, message: &Message) {
        self.step(ShownText::of(|lang| render(lang, message)));
        self.keep();
    }

    /// A trial is over.
    fn add(&mut self, record: &Record, prepared: &Prepared) {
        self.spent_s += record.seconds;
        let (best, spent_s) = (self.best, self.spent_s);
        self.step(ShownText::of(|lang| {
            trial_line(record, prepared, best, spent_s, lang)
        }));
        self.best = better(best, record, prepared);
        let trial = TrialRecord::of(record, &prepared.space);
        self.shown.trials.push(trial);
        self.keep();
    }

    /// It has ended, with a result or without.
    fn end(mut self, result: &Result<StudyResult, StudyError>) {
        self.shown.ended = Some(now_text());
        match result {
            Ok(result) => self.shown.result = serde_json::to_value(result).ok(),
            Err(error) => {
                if let StudyError::Left(result, _) = error {
                    self.shown.result = serde_json::to_value(result).ok();
                }
                let message = error.message();
                self.shown.error = Some(ShownText::of(|lang| render(lang, &message)));
            }
        }
        self.keep();
    }
}

/// A study of the command line, as another process sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenStudy {
    /// What is known of it.
    pub shown: StudyShown,
    /// Its process makes it at this moment.
    pub goes_on: bool,
    /// Something is left to be brought back.
    pub is_open: bool,
    /// When something was last known of it, UTC.
    pub known_at: String,
}

/// What is known of the study whose state has that name below a folder of runs; none: there is none of the command
/// line, or it cannot be read.
#[must_use]
pub fn seen(runs: &Path, name: &str) -> Option<SeenStudy> {
    let folder = state_folder(runs, name);
    let file = File::open(folder.join(FILE)).ok()?;
    let known = file.metadata().ok()?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).ok()?;
    // One that ends meanwhile was looked at before: what is read afterwards has its end.
    let peeked = peeked(&folder);
    let shown: StudyShown = serde_json::from_slice(&bytes).ok()?;
    let written = known.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let whole = bytes.len() as u64 <= MOST_BYTES && shown.version == VERSION;
    whole.then(|| SeenStudy {
        known_at: rfc3339(u64::try_from(written.as_nanos()).unwrap_or(u64::MAX)),
        goes_on: shown.ended.is_none() && peeked.goes_on,
        is_open: !peeked.goes_on && peeked.is_open,
        shown,
    })
}

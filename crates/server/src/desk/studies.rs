//! Studies: what is known of each.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use plimsoll_text::Message;
use plimsoll_tune::outcome::{TrialRecord, Values};
use plimsoll_tune::trial::TrialEnd;
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::book::{
    BothTexts, Undertaking, UndertakingBook, UndertakingDocument, UndertakingStep, add_step,
};
use crate::now::now_text;
use crate::problem::ApiError;

/// A longer file of settings is not read.
const MOST_BYTES: u64 = 64 << 20;

/// How far a study got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StudyState {
    /// Others are made before it.
    Queued,
    /// It goes on.
    Running,
    /// It has a result.
    Finished,
    /// Somebody ended it, or its server went; the trials until then are there.
    Interrupted,
    /// It could not be made, or not be brought back.
    Failed,
}

/// The best trial so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub(crate) struct BestTrial {
    /// Its number.
    pub trial: u32,
    /// The objective, in its unit.
    pub objective: f64,
    /// The unit.
    pub unit: String,
    /// By how much it is better than the mean of the target as it was found, as a share; null: not known. Only the
    /// result says whether that is more than noise.
    pub gain: Option<f64>,
}

/// A file that a study changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub(crate) struct StudiedFile {
    /// Where it lies.
    pub path: String,
    /// SHA-256 of its bytes before the study, in hexadecimal; null: it could not be read, or is longer than 64 MiB.
    pub sha256: Option<String>,
    /// It had the same bytes when it was read after the study; null: it was not read yet.
    pub as_before: Option<bool>,
}

/// What was read at the end of a study.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub(crate) struct BroughtBack {
    /// All is as it was before: nothing is left to be undone, and each file was read and has its bytes.
    pub as_before: bool,
    /// What could not be brought back.
    pub trouble: Vec<BothTexts>,
}

/// A study with all that is known of it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub(crate) struct StudyDocument {
    /// What it is called: its name, with a number where there was one of that name before.
    pub study: String,
    /// How far it got.
    pub state: StudyState,
    /// When it was asked for, UTC.
    pub begin: String,
    /// When it ended, UTC; null: it has not.
    pub end: Option<String>,
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
    /// Seconds at most; null: the trials alone end it.
    pub most_s: Option<f64>,
    /// Who asked for it; null: nobody has to say here.
    pub by: Option<String>,
    /// `plimsoll tune` makes it in the same folder of runs: it alone can end it.
    #[serde(default)]
    pub command_line: bool,
    /// The trials so far, each as `trials` of `schema/tune.schema.json` has it.
    #[schema(value_type = Vec<Object>)]
    pub trials: Vec<TrialRecord>,
    /// What the best of them changed, by the knobs' names; empty: nothing; null: none so far.
    #[schema(value_type = Option<std::collections::BTreeMap<String, String>>)]
    pub best: Option<Values>,
    /// How good that is; null: none so far.
    pub best_trial: Option<BestTrial>,
    /// Seconds that are left by the time that trials took so far; null: not known, or over.
    pub left_s: Option<f64>,
    /// What was said on the way.
    pub progress: Vec<UndertakingStep>,
    /// The files that its knobs stand in.
    pub files: Vec<StudiedFile>,
    /// What the study is, as it was sent.
    pub text: String,
    /// What was read at the end; null: it goes on, or nobody has looked since.
    pub brought_back: Option<BroughtBack>,
    /// Its server went before all was brought back: `POST /studies/{study}/restore` does it.
    #[serde(default)]
    pub needs_restore: bool,
    /// What came out, by `schema/tune.schema.json`; null: nothing so far.
    #[schema(value_type = Option<Object>)]
    pub result: Option<Value>,
    /// Why there is no result; null: there is, or not yet.
    pub error: Option<BothTexts>,
}

impl UndertakingDocument for StudyDocument {
    fn has_ended(&self) -> bool {
        self.end.is_some()
    }

    fn cut_off(&mut self) {
        self.state = StudyState::Interrupted;
        self.left_s = None;
        self.error = Some(BothTexts::of(&Message::new("server-study-cut")));
    }
}

impl StudyDocument {
    /// Mean objective of the target as it was found.
    fn baseline(&self) -> Option<f64> {
        let found = self.trials.iter().filter(|trial| trial.values.is_empty());
        let values: Vec<f64> = found.filter_map(objective).collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    }

    /// Reads its files again and says whether all is as it was.
    pub fn look_back(&mut self, is_open: bool, trouble: Vec<BothTexts>) {
        for file in &mut self.files {
            let now = sha256_of(Path::new(&file.path));
            file.as_before = Some(now.is_some() && now == file.sha256);
        }
        let files_are = self.files.iter().all(|file| file.as_before == Some(true));
        self.brought_back = Some(BroughtBack {
            as_before: !is_open && files_are,
            trouble,
        });
    }

    /// A trial more.
    pub fn add(&mut self, trial: TrialRecord) {
        self.trials.push(trial);
        let baseline = self.baseline().filter(|mean| *mean > 0.0);
        let measured = self
            .trials
            .iter()
            .filter_map(|trial| Some((trial, objective(trial)?)));
        let sign = if self.maximise { 1.0 } else { -1.0 };
        let best = measured.max_by(|(_, a), (_, b)| (a * sign).total_cmp(&(b * sign)));
        let found = best.map(|(trial, objective)| {
            let found = BestTrial {
                trial: trial.number,
                objective,
                unit: self.unit.clone(),
                gain: baseline.map(|mean| sign * (objective - mean) / mean),
            };
            (trial.values.clone(), found)
        });
        (self.best, self.best_trial) = found.unzip();
        let spent: f64 = self.trials.iter().map(|trial| trial.seconds).sum();
        let made = self.trials.len() as f64;
        let by_trials = spent / made * (f64::from(self.most_trials) - made).max(0.0);
        let by_time = self.most_s.map(|most| (most - spent).max(0.0));
        self.left_s = Some(by_time.map_or(by_trials, |left| left.min(by_trials)));
    }
}

/// The objective of a trial that counts: all that it had to keep it kept.
fn objective(trial: &TrialRecord) -> Option<f64> {
    match &trial.result {
        TrialEnd::Measured(it) if it.broken.is_empty() && !it.cut_short => Some(it.objective),
        _ => None,
    }
}

/// What a file's bytes come to; none: it cannot be read, or is longer than settings are.
pub(super) fn sha256_of(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    let file = File::open(path).ok()?;
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).ok()?;
    let digest = (bytes.len() as u64 <= MOST_BYTES).then(|| digest(&SHA256, &bytes))?;
    Some(
        digest
            .as_ref()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect(),
    )
}

/// One that this process makes, or has made.
pub(crate) type StudyEntry = Undertaking<StudyDocument>;

/// All of them.
pub(crate) type StudyBook = UndertakingBook<StudyDocument>;

impl Undertaking<StudyDocument> {
    /// It begins.
    pub fn begin_trials(&self, files: Vec<StudiedFile>) {
        self.change(|document| {
            document.state = StudyState::Running;
            document.files = files;
        });
    }

    /// What is done next.
    pub fn say(&self, message: &Message) {
        self.change(|document| add_step(&mut document.progress, BothTexts::of(message)));
    }

    /// A trial is over; and what it came to, in words.
    pub fn add_trial(&self, trial: TrialRecord, words: BothTexts) {
        self.change(|document| {
            document.add(trial);
            add_step(&mut document.progress, words);
        });
    }

    /// It has ended, with a result or without.
    pub fn conclude(&self, result: Result<Value, Message>, is_open: bool) {
        let is_hit = self.interrupt.is_hit();
        self.change(|document| {
            document.end = Some(now_text());
            document.left_s = None;
            document.needs_restore = is_open;
            let trouble = result.as_ref().err().filter(|_| is_open);
            document.look_back(is_open, trouble.map(BothTexts::of).into_iter().collect());
            document.state = match &result {
                Ok(_) if is_hit => StudyState::Interrupted,
                Ok(_) => StudyState::Finished,
                Err(_) => StudyState::Failed,
            };
            match result {
                Ok(value) => document.result = Some(value),
                Err(message) => document.error = Some(BothTexts::of(&message)),
            }
        });
    }

    /// It was taken back before it began.
    pub fn withdraw(&self) {
        self.change(|document| {
            document.end = Some(now_text());
            document.state = StudyState::Interrupted;
            document.error = Some(BothTexts::of(&Message::new("server-measurement-withdrawn")));
        });
    }
}

impl UndertakingBook<StudyDocument> {
    /// One by its name.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn study(&self, name: &str) -> Result<StudyDocument, ApiError> {
        let missing = || ApiError::not_found(Message::new("server-no-study").with("name", name));
        self.find(name).ok_or_else(missing)
    }

    /// All of them, the newest first.
    pub fn all(&self) -> Vec<StudyDocument> {
        let names = self.names();
        let mut found: Vec<StudyDocument> =
            names.iter().filter_map(|name| self.find(name)).collect();
        found.sort_by(|a, b| (&b.begin, &b.study).cmp(&(&a.begin, &a.study)));
        found
    }

    /// A study whose server went: what was found, or done, since.
    ///
    /// # Errors
    /// There is none, or the folder cannot be written.
    pub fn settle(
        &self,
        name: &str,
        found: impl FnOnce(&mut StudyDocument),
    ) -> Result<StudyDocument, ApiError> {
        let mut document = self.study(name)?;
        document.end.get_or_insert_with(now_text);
        found(&mut document);
        self.put(name, &document)?;
        Ok(document)
    }
}

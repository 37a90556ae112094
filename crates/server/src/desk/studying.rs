//! A study that is asked for over HTTP, and making it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_plan::limits::PLAN_BYTES;
use plimsoll_plan::model::Plan;
use plimsoll_plan::study::{ObjectiveMetric, Study};
use plimsoll_plan::{LoadOptions, parse_study};
use plimsoll_run::{Listener, LoadSettings, Quiet, ReadyPlan, RejectedPlan, ready};
use plimsoll_text::{Lang, Message};
use plimsoll_tune::engine::Record;
use plimsoll_tune::outcome::{StudyResult, TrialRecord};
use plimsoll_tune::study::{self, StudyRequest};
use plimsoll_tune::target::{Place, Prepared, peeked, prepare, source, state_folder};
use plimsoll_tune::told::{better, trial_line};
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::book::BothTexts;
use super::journal::{DeskJournal, HeldFolder};
use super::sent::{self, SentFile};
use super::studies::{StudiedFile, StudyBook, StudyDocument, StudyEntry, StudyState, sha256_of};
use crate::now::now_text;
use crate::problem::ApiError;
use crate::shared::RunBounds;

/// A study that is asked for.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StudyOrder {
    /// The study's text: YAML, as `plimsoll schema study` has it. Paths start where the server was started.
    pub study: String,
    /// Files that it names, such as its plan; a study that comes with them, even with none, has a folder of its own,
    /// which paths start from.
    #[serde(default)]
    pub files: Option<Vec<SentFile>>,
}

/// A study that is asked for, ready to be made.
pub(crate) struct StudyReady {
    prepared: Prepared,
    text: String,
    held: HeldFolder,
}

impl StudyReady {
    /// Trials at most.
    pub const fn trials(&self) -> u32 {
        self.prepared.study.trials
    }
}

impl StudyOrder {
    /// Reads what is asked for and looks at all that it names.
    ///
    /// # Errors
    /// All that is wrong with it, and what may not be.
    pub fn ready(&self, journal: &DeskJournal, bounds: &RunBounds) -> Result<StudyReady, ApiError> {
        if self.study.len() > PLAN_BYTES {
            let message = Message::new("plan-too-long").with("limit_mib", PLAN_BYTES >> 20);
            return Err(ApiError::bad(message));
        }
        let (study, _) =
            parse_study(&self.study, "").map_err(|problems| self.rejected(problems))?;
        let held = journal.plan_folder("studied");
        let held = held.map_err(|error| ApiError::cannot_keep(&error))?;
        let prepared = self.prepared(study, held.path(), bounds);
        if prepared.is_err() {
            // What is not made is not kept.
            let _ = std::fs::remove_dir_all(held.path());
        }
        Ok(StudyReady {
            prepared: prepared?,
            text: plimsoll_secrets::text(&self.study).into_owned(),
            held,
        })
    }

    /// The study, kept in a folder, with all that it names.
    fn prepared(
        &self,
        study: Study,
        held: &Path,
        bounds: &RunBounds,
    ) -> Result<Prepared, ApiError> {
        let cannot = |error: std::io::Error| ApiError::cannot_keep(&error);
        let path = sent::write(&self.study, "study.yaml", self.files.as_deref(), held)?;
        let is_apart = self.files.is_some() || bounds.is_bounded();
        let folder = match is_apart {
            true => std::path::absolute(held).map_err(cannot)?,
            false => std::env::current_dir().map_err(cannot)?,
        };
        let unpacked = match is_apart {
            true => Some(sent::own_folder(held, bounds).map_err(cannot)?),
            false => None,
        };
        let prepared = prepare(study, &path, Some(&folder)).map_err(|mut problems| {
            // Where the server keeps what was sent is nobody's business.
            problems.iter_mut().for_each(|it| it.file.clear());
            self.rejected(problems)
        })?;
        let prepared = Prepared {
            unpacked,
            ..prepared
        };
        check(&prepared, bounds)?;
        Ok(prepared)
    }

    fn rejected(&self, problems: Vec<plimsoll_plan::Problem>) -> ApiError {
        RejectedPlan {
            text: self.study.clone(),
            problems,
        }
        .into()
    }
}

/// Whether its runs may be: how much they load, what they watch.
fn check(prepared: &Prepared, bounds: &RunBounds) -> Result<(), ApiError> {
    let study = &prepared.study;
    let sources = study.components.iter().flat_map(|it| &it.watch);
    let settings = LoadSettings {
        load: LoadOptions {
            users: study.users,
            duration: study.measure,
            ..LoadOptions::default()
        },
        watch: sources.map(|text| text.raw.clone()).collect(),
        ..LoadSettings::default()
    };
    let as_is = |_: &mut Plan| Ok(());
    let plan = ready::load_changed(&source(prepared), &settings, &as_is);
    let plan = plan.map_err(|mut rejected| {
        // See above.
        for problem in &mut rejected.problems {
            let below = Path::new(&problem.file).strip_prefix(&prepared.folder);
            if let Ok(below) = below.map(|below| below.display().to_string()) {
                problem.file = below;
            }
        }
        rejected
    })?;
    bounds.check(&plan)?;
    bounds.check_length(study.warm_up.unwrap_or(Duration::ZERO))?;
    let mut parts = study.objective.parts.iter();
    match parts.any(|part| part.metric == ObjectiveMetric::Capacity) {
        true => bounds.check_most(None),
        false => Ok(()),
    }
}

impl StudyReady {
    /// Its name, or one for what has none.
    pub fn name(&self) -> &str {
        match self.prepared.study.name.trim() {
            "" => "study",
            name => name,
        }
    }

    /// Enters it into the book, and takes the name that it gets there.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn enter(
        &mut self,
        book: &StudyBook,
        root: &Path,
        by: Option<String>,
    ) -> Result<Arc<StudyEntry>, ApiError> {
        let name = plimsoll_secrets::text(self.name()).into_owned();
        let folder = state_folder(root, &name);
        let first = folder.file_name().unwrap_or_default().to_string_lossy();
        let names = (1_u64..).map(|number| match number {
            1 => first.clone().into_owned(),
            number => format!("{first}-{number}"),
        });
        // Those of the command line have theirs.
        let names = names.filter(|name| !state_folder(root, name).exists());
        let study = &self.prepared.study;
        let objective = &study.objective;
        let unit = match objective.parts.as_slice() {
            [part] => part.metric.unit(),
            _ => "",
        };
        let entry = book.add(names, |name| StudyDocument {
            study: name.to_owned(),
            state: StudyState::Queued,
            begin: now_text(),
            end: None,
            plan: plimsoll_secrets::text(&study.plan.raw).into_owned(),
            objective: objective.text(),
            unit: unit.to_owned(),
            maximise: objective.parts.first().is_none_or(|part| part.maximise),
            most_trials: study.trials,
            most_s: study.time.map(|time| time.as_secs_f64()),
            by,
            command_line: false,
            trials: Vec::new(),
            best: None,
            best_trial: None,
            left_s: None,
            progress: Vec::new(),
            files: Vec::new(),
            text: self.text.clone(),
            brought_back: None,
            needs_restore: false,
            result: None,
            error: None,
        })?;
        self.prepared.study.name = entry.document().study;
        Ok(entry)
    }

    /// Makes it as `plimsoll tune` does; what comes of it stands in the entry.
    pub fn make(self, entry: &StudyEntry, root: &Path) {
        entry.begin_trials(studied(&self.prepared));
        let listen = |_: &ReadyPlan| -> Box<dyn Listener> { Box::new(Quiet) };
        let tell = |message: &Message| entry.say(message);
        let (mut best, mut spent_s) = (None, 0.0);
        let mut hear = |record: &Record, prepared: &Prepared| {
            spent_s += record.seconds;
            let line = |lang| {
                let line = trial_line(record, prepared, best, spent_s, lang);
                plimsoll_secrets::text(line.trim()).into_owned()
            };
            let (en, zh) = (line(Lang::En), line(Lang::Zh));
            best = better(best, record, prepared);
            let trial = TrialRecord::of(record, &prepared.space);
            entry.add_trial(trial, BothTexts { en, zh });
        };
        let request = StudyRequest {
            runs: root.to_owned(),
            interrupt: entry.interrupt.clone(),
            resume: false,
            earlier: None,
            keep_best: false,
            watch: Vec::new(),
            allow_capture: false,
            listen: &listen,
            tell: &tell,
            hear: &mut hear,
            approve: None,
        };
        let result = study::run(&self.prepared, request);
        let result = result.map_err(|error| error.message());
        let result = result.and_then(|result| json_of(&result));
        let is_open = left_open(root, &self.prepared.study.name);
        entry.conclude(result, is_open);
        if !is_open {
            // The study's text stands in its document, too.
            let _ = std::fs::remove_dir_all(self.held.path());
        }
    }
}

fn json_of(result: &StudyResult) -> Result<Value, Message> {
    serde_json::to_value(result).map_err(|_| Message::new("server-internal"))
}

/// The files that its knobs stand in, as they are now.
fn studied(prepared: &Prepared) -> Vec<StudiedFile> {
    let paths = prepared.knobs.iter().filter_map(|knob| match &knob.place {
        Place::File { path, .. } | Place::Value(path) => Some(path.clone()),
        _ => None,
    });
    let mut paths: Vec<_> = paths.collect();
    paths.sort();
    paths.dedup();
    let files = paths.iter().map(|path| StudiedFile {
        path: path.display().to_string(),
        sha256: sha256_of(path),
        as_before: None,
    });
    files.collect()
}

/// Whether a study has left something that is to be brought back; one that another process makes has not.
pub(super) fn left_open(root: &Path, name: &str) -> bool {
    let peeked = peeked(&state_folder(root, name));
    !peeked.goes_on && peeked.is_open
}

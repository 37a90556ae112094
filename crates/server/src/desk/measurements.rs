//! Several runs as one undertaking: what is known of each while it goes on and after it. Each is a file beside the
//! runs, so that it outlives the server.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use plimsoll_run::Interrupt;
use plimsoll_store::private;
use plimsoll_text::{Lang, Message, render};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::now::now_text;
use crate::problem::ApiError;

/// So many are kept.
const MOST: usize = 1_000;
/// Steps that are told of one; what comes later is told no more.
const MOST_STEPS: usize = 10_000;
/// A longer file is not ours.
const MOST_BYTES: u64 = 64 << 20;

/// What is measured with several runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MeasurementKind {
    /// One run several times.
    Repeat,
    /// The most load that meets the goals.
    Capacity,
    /// Each hop of a chain loaded alone.
    Hops,
    /// Two plans in turn, compared.
    Interleave,
}

/// How far it got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MeasurementState {
    /// Others are made before it.
    Queued,
    /// It goes on.
    Running,
    /// It has a result.
    Finished,
    /// Somebody ended it; there may be a result of what was measured until then.
    Stopped,
    /// It has no result.
    Failed,
}

/// A text in both languages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub(crate) struct BothTexts {
    /// English.
    pub en: String,
    /// Chinese.
    pub zh: String,
}

impl BothTexts {
    /// A message, without secrets.
    pub fn of(message: &Message) -> Self {
        let text = |lang| plimsoll_secrets::text(&render(lang, message)).into_owned();
        Self {
            en: text(Lang::En),
            zh: text(Lang::Zh),
        }
    }
}

/// A step of an undertaking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub(crate) struct MeasurementStep {
    /// When, UTC.
    pub at: String,
    #[serde(flatten)]
    pub texts: BothTexts,
}

/// An undertaking, as it is listed.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub(crate) struct MeasurementListed {
    /// What it is called.
    pub id: String,
    /// What is measured.
    pub kind: MeasurementKind,
    /// The plan's name.
    pub name: String,
    /// When it was asked for, UTC.
    pub begin: String,
    /// When it ended, UTC; null: it has not.
    pub end: Option<String>,
    /// How far it got.
    pub state: MeasurementState,
    /// Its runs, as far as they are kept.
    pub runs: Vec<String>,
    /// Who asked for it; null: nobody has to say here.
    pub by: Option<String>,
}

/// An undertaking, with all that is known of it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub(crate) struct MeasurementDocument {
    #[serde(flatten)]
    pub listed: MeasurementListed,
    /// What was said on the way.
    pub progress: Vec<MeasurementStep>,
    /// What came out, by `schema/capacity.schema.json`, `hops.schema.json` or `comparison.schema.json`; of a
    /// repeated run `{"runs": […]}` with summaries. Null: nothing so far.
    #[schema(value_type = Option<Object>)]
    pub result: Option<Value>,
    /// Why there is no result; null: there is, or not yet.
    pub error: Option<BothTexts>,
}

/// One that this process makes, or has made.
pub(crate) struct MeasurementEntry {
    folder: PathBuf,
    document: Mutex<MeasurementDocument>,
    /// Ends it.
    pub interrupt: Interrupt,
}

impl MeasurementEntry {
    fn lock(&self) -> MutexGuard<'_, MeasurementDocument> {
        self.document.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All that is known of it.
    pub fn document(&self) -> MeasurementDocument {
        self.lock().clone()
    }

    /// It begins.
    pub fn begin(&self) {
        self.change(|document| document.listed.state = MeasurementState::Running);
    }

    /// A step of it.
    pub fn tell(&self, message: &Message) {
        let step = MeasurementStep {
            at: now_text(),
            texts: BothTexts::of(message),
        };
        self.change(|document| {
            if document.progress.len() < MOST_STEPS {
                document.progress.push(step);
            }
        });
    }

    /// A run of it has begun.
    pub fn add_run(&self, run: &str) {
        self.change(|document| {
            let runs = &mut document.listed.runs;
            if runs.last().is_none_or(|last| last != run) {
                runs.push(run.to_owned());
            }
        });
    }

    /// It has ended.
    pub fn end(&self, result: Result<Value, Message>) {
        let is_hit = self.interrupt.is_hit();
        self.change(|document| {
            document.listed.end = Some(now_text());
            document.listed.state = match (&result, is_hit) {
                (_, true) => MeasurementState::Stopped,
                (Ok(_), false) => MeasurementState::Finished,
                (Err(_), false) => MeasurementState::Failed,
            };
            match result {
                Ok(value) => document.result = Some(value),
                Err(message) => document.error = Some(BothTexts::of(&message)),
            }
        });
    }

    /// Changes it, and keeps it: whole or not at all.
    fn change(&self, change: impl FnOnce(&mut MeasurementDocument)) {
        let mut document = self.lock();
        change(&mut document);
        let path = self.folder.join(format!("{}.json", document.listed.id));
        // Where nothing can be written any more it is known as long as this process lives.
        let _ = serde_json::to_vec(&*document)
            .map_err(std::io::Error::from)
            .and_then(|json| private::replace(&path, &json));
    }
}

/// All undertakings.
pub(crate) struct MeasurementBook {
    folder: PathBuf,
    known: Mutex<BTreeMap<String, Arc<MeasurementEntry>>>,
}

impl MeasurementBook {
    /// Those of a workbench's own folder.
    pub fn open(own: &Path) -> Self {
        Self {
            folder: own.join("measurements"),
            known: Mutex::default(),
        }
    }

    /// A new one.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn add(
        &self,
        kind: MeasurementKind,
        name: &str,
        by: Option<String>,
    ) -> Result<Arc<MeasurementEntry>, ApiError> {
        private::folders(&self.folder).map_err(|error| ApiError::cannot_keep(&error))?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let begin = now_text();
        let stamp: String = begin
            .chars()
            .filter(char::is_ascii_digit)
            .take(14)
            .collect();
        let mut number = 1;
        let id = loop {
            let id = format!("m-{stamp}-{number}");
            if !known.contains_key(&id) && !self.folder.join(format!("{id}.json")).exists() {
                break id;
            }
            number += 1;
        };
        let listed = MeasurementListed {
            id: id.clone(),
            kind,
            name: name.to_owned(),
            begin,
            end: None,
            state: MeasurementState::Queued,
            runs: Vec::new(),
            by,
        };
        let entry = Arc::new(MeasurementEntry {
            folder: self.folder.clone(),
            document: Mutex::new(MeasurementDocument {
                listed,
                progress: Vec::new(),
                result: None,
                error: None,
            }),
            interrupt: Interrupt::default(),
        });
        entry.change(|_| {});
        known.retain(|_, known| known.document().listed.end.is_none());
        known.insert(id, Arc::clone(&entry));
        drop(known);
        self.clear_away();
        Ok(entry)
    }

    /// The oldest go when there are many.
    fn clear_away(&self) {
        let names = self.names();
        for name in names.iter().skip(MOST) {
            // It is tried again the next time.
            let _ = std::fs::remove_file(self.folder.join(format!("{name}.json")));
        }
    }

    /// Their names, the newest first.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.folder)
            .into_iter()
            .flatten()
            .flatten();
        let names = entries.filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            Some(name.strip_suffix(".json")?.to_owned())
        });
        let mut names: Vec<String> = names.filter(|name| name.starts_with("m-")).collect();
        names.sort_by(|a, b| b.cmp(a));
        names
    }

    /// One that this process makes, or has made lately.
    pub fn entry(&self, id: &str) -> Option<Arc<MeasurementEntry>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(id).cloned()
    }

    /// One by its name.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn find(&self, id: &str) -> Result<MeasurementDocument, ApiError> {
        if let Some(entry) = self.entry(id) {
            return Ok(entry.document());
        }
        let missing = || ApiError::not_found(Message::new("server-no-measurement").with("id", id));
        let is_name =
            id.starts_with("m-") && id.chars().all(|c| c.is_ascii_digit() || "m-".contains(c));
        let path = self.folder.join(format!("{id}.json"));
        let known = std::fs::metadata(&path)
            .ok()
            .filter(|_| is_name)
            .ok_or_else(missing)?;
        if known.len() > MOST_BYTES {
            return Err(missing());
        }
        let bytes = std::fs::read(&path).map_err(|_| missing())?;
        let mut document: MeasurementDocument =
            serde_json::from_slice(&bytes).map_err(|_| missing())?;
        let state = &mut document.listed.state;
        if [MeasurementState::Queued, MeasurementState::Running].contains(state) {
            // Its server has gone.
            *state = MeasurementState::Failed;
            document.error = Some(BothTexts::of(&Message::new("server-measurement-cut")));
        }
        Ok(document)
    }
}

//! Undertakings that take long: what is known of each while it goes on and after it. Each is a file beside the
//! runs, so that it outlives the server.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use plimsoll_run::Interrupt;
use plimsoll_store::private;
use plimsoll_text::{Lang, Message};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::language::told;
use crate::now::now_text;
use crate::problem::ApiError;

/// So many are kept.
const MOST_ORDERS: usize = 1_000;
/// A longer file is not ours.
const MOST_BYTES: u64 = 64 << 20;
/// Steps that are told of one; what comes later is told no more.
const MOST_STEPS: usize = 10_000;

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
        let text = |lang| told(lang, message);
        Self {
            en: text(Lang::En),
            zh: text(Lang::Zh),
        }
    }
}

/// A step of an undertaking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub(crate) struct UndertakingStep {
    /// When, UTC.
    pub at: String,
    #[serde(flatten)]
    pub texts: BothTexts,
}

/// Adds what is done next, or was done, to the steps of an undertaking.
pub(super) fn add_step(steps: &mut Vec<UndertakingStep>, texts: BothTexts) {
    if steps.len() < MOST_STEPS {
        let at = now_text();
        steps.push(UndertakingStep { at, texts });
    }
}

/// What is known of an undertaking.
pub(crate) trait UndertakingDocument: Clone + Serialize + DeserializeOwned {
    /// It is over.
    fn has_ended(&self) -> bool;
    /// Its server has gone before it was over.
    fn cut_off(&mut self);
}

/// One that this process makes, or has made.
pub(crate) struct Undertaking<D> {
    path: PathBuf,
    document: Mutex<D>,
    /// Ends it.
    pub interrupt: Interrupt,
}

impl<D: UndertakingDocument> Undertaking<D> {
    fn lock(&self) -> MutexGuard<'_, D> {
        self.document.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All that is known of it.
    pub fn document(&self) -> D {
        self.lock().clone()
    }

    /// Changes it, and keeps it: whole or not at all.
    pub fn change(&self, change: impl FnOnce(&mut D)) {
        let mut document = self.lock();
        change(&mut document);
        // Where nothing can be written any more it is known as long as this process lives.
        let _ = serde_json::to_vec(&*document)
            .map_err(std::io::Error::from)
            .and_then(|json| private::replace(&self.path, &json));
    }
}

/// All undertakings of a kind.
pub(crate) struct UndertakingBook<D> {
    folder: PathBuf,
    known: Mutex<BTreeMap<String, Arc<Undertaking<D>>>>,
}

impl<D: UndertakingDocument> UndertakingBook<D> {
    /// Those of a folder, which is theirs alone.
    pub fn open(folder: PathBuf) -> Self {
        Self {
            folder,
            known: Mutex::default(),
        }
    }

    /// A new one, by the first of the names that is free.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn add(
        &self,
        mut names: impl Iterator<Item = String>,
        document: impl FnOnce(&str) -> D,
    ) -> Result<Arc<Undertaking<D>>, ApiError> {
        private::folders(&self.folder).map_err(|error| ApiError::cannot_keep(&error))?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let is_free = |name: &String| !known.contains_key(name) && !self.path(name).exists();
        let name = names.find(is_free).unwrap_or_default();
        let entry = Arc::new(Undertaking {
            path: self.path(&name),
            document: Mutex::new(document(&name)),
            interrupt: Interrupt::default(),
        });
        entry.change(|_| {});
        known.retain(|_, known| !known.document().has_ended());
        known.insert(name, Arc::clone(&entry));
        drop(known);
        self.clear_away();
        Ok(entry)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.json"))
    }

    /// The oldest go when there are many.
    fn clear_away(&self) {
        let mut names = self.names();
        if names.len() <= MOST_ORDERS {
            return;
        }
        let written = |name: &String| std::fs::metadata(self.path(name))?.modified();
        names.sort_by_key(|name| std::cmp::Reverse(written(name).ok()));
        for name in names.iter().skip(MOST_ORDERS) {
            // It is tried again the next time.
            let _ = std::fs::remove_file(self.path(name));
        }
    }

    /// Their names, the greatest first.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.folder)
            .into_iter()
            .flatten()
            .flatten();
        let names = entries.filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            Some(name.strip_suffix(".json")?.to_owned())
        });
        let mut names: Vec<String> = names.filter(|name| is_name(name)).collect();
        names.sort_by(|a, b| b.cmp(a));
        names
    }

    /// One that this process makes, or has made lately.
    pub fn entry(&self, name: &str) -> Option<Arc<Undertaking<D>>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(name).cloned()
    }

    /// Keeps one anew that nobody makes any more.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn put(&self, name: &str, document: &D) -> Result<(), ApiError> {
        if let Some(entry) = self.entry(name) {
            entry.change(|known| known.clone_from(document));
            return Ok(());
        }
        serde_json::to_vec(document)
            .map_err(std::io::Error::from)
            .and_then(|json| private::replace(&self.path(name), &json))
            .map_err(|error| ApiError::cannot_keep(&error))
    }

    /// One by its name; none: there is none, or it cannot be read.
    pub fn find(&self, name: &str) -> Option<D> {
        if let Some(entry) = self.entry(name) {
            return Some(entry.document());
        }
        let path = self.path(Some(name).filter(|name| is_name(name))?);
        let known = std::fs::metadata(&path).ok()?;
        if known.len() > MOST_BYTES {
            return None;
        }
        let mut document: D = serde_json::from_slice(&std::fs::read(&path).ok()?).ok()?;
        if !document.has_ended() {
            document.cut_off();
        }
        Some(document)
    }
}

/// Whether it can be a name: no way out of the folder.
fn is_name(text: &str) -> bool {
    let fits = |c: char| c.is_alphanumeric() || "-_".contains(c);
    !text.is_empty() && text.len() <= 240 && text.chars().all(fits)
}

//! Lists that are kept over restarts, each in a file of its own.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use plimsoll_store::private;
use plimsoll_text::Message;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::problem::ApiError;

/// What such a list is of.
pub(crate) trait KeptItem: Clone + Serialize + DeserializeOwned {
    /// What its ids begin with; a number follows.
    const LETTER: char;
    /// So many are kept at most.
    const MOST_KEPT: usize;
    /// A longer file is not ours.
    const MOST_BYTES: u64;

    /// Its id.
    fn id(&self) -> &str;

    /// There is none of that id.
    fn missing(id: &str) -> ApiError;
}

/// All that are kept.
pub(crate) struct KeptList<T> {
    path: PathBuf,
    kept: Mutex<Vec<T>>,
}

impl<T: KeptItem> KeptList<T> {
    /// Those of a file; none where there is no file yet.
    ///
    /// # Errors
    /// A file that cannot be read: nobody is to think that what he ordered is done.
    pub(crate) fn open(path: PathBuf) -> Result<Self, Message> {
        let kept = match std::fs::metadata(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error.to_string()),
            Ok(known) if known.len() > T::MOST_BYTES => Err(format!("{} B", known.len())),
            Ok(_) => std::fs::read(&path)
                .map_err(|error| error.to_string())
                .and_then(|bytes| serde_json::from_slice(&bytes).map_err(|it| it.to_string())),
        };
        let failed = |reason: String| {
            Message::new("run-file-failed")
                .with("path", path.display().to_string())
                .with("reason", reason)
        };
        let kept = Mutex::new(kept.map_err(failed)?);
        Ok(Self { path, kept })
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Vec<T>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One of them.
    ///
    /// # Errors
    /// There is none of that id.
    pub(crate) fn find(&self, id: &str) -> Result<T, ApiError> {
        let kept = self.lock();
        let found = kept.iter().find(|kept| kept.id() == id);
        found.cloned().ok_or_else(|| T::missing(id))
    }

    /// Changes what is kept: whole or not at all.
    ///
    /// # Errors
    /// What the change refuses; a disk that is full.
    pub(crate) fn change<R>(
        &self,
        change: impl FnOnce(&mut Vec<T>) -> Result<R, ApiError>,
    ) -> Result<R, ApiError> {
        let mut kept = self.lock();
        let mut fresh = kept.clone();
        let made = change(&mut fresh)?;
        serde_json::to_vec(&fresh)
            .map_err(std::io::Error::from)
            .and_then(|json| private::replace(&self.path, &json))
            .map_err(|error| ApiError::cannot_keep(&error))?;
        *kept = fresh;
        Ok(made)
    }

    /// A new one, made of its id.
    ///
    /// # Errors
    /// Too many; a disk that is full.
    pub(crate) fn add(&self, make: impl FnOnce(String) -> T) -> Result<T, ApiError> {
        self.change(|kept| {
            if kept.len() >= T::MOST_KEPT {
                let message = Message::new("server-too-many").with("most", T::MOST_KEPT);
                return Err(ApiError::conflict(message));
            }
            let numbers = kept
                .iter()
                .filter_map(|it| it.id().strip_prefix(T::LETTER)?.parse::<u64>().ok());
            let made = make(format!("{}{}", T::LETTER, numbers.max().unwrap_or(0) + 1));
            kept.push(made.clone());
            Ok(made)
        })
    }

    /// Changes one.
    ///
    /// # Errors
    /// There is none of that name; what the change refuses; a disk that is full.
    pub(crate) fn alter(
        &self,
        id: &str,
        change: impl FnOnce(&mut T) -> Result<(), ApiError>,
    ) -> Result<T, ApiError> {
        self.change(|kept| {
            let found = kept.iter_mut().find(|kept| kept.id() == id);
            let found = found.ok_or_else(|| T::missing(id))?;
            change(found)?;
            Ok(found.clone())
        })
    }

    /// Takes one away.
    ///
    /// # Errors
    /// There is none of that name; a disk that is full.
    pub(crate) fn remove(&self, id: &str) -> Result<(), ApiError> {
        self.change(|kept| {
            let before = kept.len();
            kept.retain(|kept| kept.id() != id);
            match kept.len() < before {
                true => Ok(()),
                false => Err(T::missing(id)),
            }
        })
    }
}

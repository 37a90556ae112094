//! The samples of a worker's shares, one by one, in files of its own: they are too many to travel.

use std::path::{Path, PathBuf};

use plimsoll_text::Message;

use crate::reasons::file_failed;

/// Where a worker writes the samples of the runs that it has a part in.
#[derive(Debug, Clone)]
pub struct SampleFolder {
    folder: PathBuf,
    worker: String,
}

impl SampleFolder {
    /// A folder, which is made if it is not there.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn new(folder: &Path, worker: &str) -> Result<Self, Message> {
        let whole = std::path::absolute(folder);
        let made = whole.and_then(|whole| plimsoll_store::private::folders(&whole).map(|()| whole));
        Ok(Self {
            folder: made.map_err(|error| file_failed(folder, &error))?,
            worker: worker.to_owned(),
        })
    }

    /// The file of one assignment's samples: no other has its name.
    #[must_use]
    pub fn file(&self, run: &str, assignment: u32) -> PathBuf {
        // The run is named by somebody else: nothing of it may lead elsewhere.
        let harmless = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let run: String = run.chars().filter(harmless).take(64).collect();
        let name = format!("{run}-{}-{assignment}.jtl", self.worker);
        self.folder.join(name)
    }

    /// What the run's result says of such a file.
    #[must_use]
    pub fn told(&self, file: &Path) -> Message {
        Message::new("event-fleet-jtl")
            .with("name", self.worker.as_str())
            .with("path", file.display().to_string())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_run_s_name_leads_nowhere_else() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("a/b");
        let samples = SampleFolder::new(&folder, "w1").unwrap();
        assert!(folder.is_dir());
        let file = samples.file("../../etc/x", 3);
        assert_eq!(file, folder.join("etcx-w1-3.jtl"));
        let taken = dir.path().join("file");
        std::fs::write(&taken, "").unwrap();
        assert!(SampleFolder::new(&taken, "w1").is_err());
    }
}

//! What an administrator sets: kept beside the runs.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use plimsoll_access::Reach;
use plimsoll_run::watching::from_texts;
use plimsoll_store::private;
use plimsoll_text::{Lang, Message};
use plimsoll_watch::Level;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::problem::ApiError;

/// A longer file is not ours.
const MOST_BYTES: u64 = 1 << 20;
/// Entries of a list.
const MOST_ENTRIES: usize = 500;

/// How long things are kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Retention {
    /// Runs go to the trash after so many days; null: never.
    pub runs_days: Option<u32>,
    /// What was thrown away goes for good after so many days; null: never.
    pub trash_days: Option<u32>,
    /// Plans that were sent, with their files, go after so many days; null: never.
    pub plans_days: Option<u32>,
    /// So many plans that were sent are kept at most, those of runs that wait or go on aside.
    pub plans: u32,
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            runs_days: None,
            trash_days: Some(30),
            plans_days: Some(30),
            plans: 200,
        }
    }
}

/// What a run may be at most; null: as it is asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct RunLimits {
    /// Users at once, of all scenarios together.
    pub users: Option<u64>,
    /// Arrivals a second, of all scenarios together.
    pub rate_per_s: Option<f64>,
    /// Seconds; a run that lasts longer is ended.
    pub duration_s: Option<u64>,
    /// Runs that wait.
    pub queue: u32,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            users: None,
            rate_per_s: None,
            duration_s: None,
            queue: 50,
        }
    }
}

/// What an administrator has set.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct DeskSettings {
    /// The language of texts unless a caller says his own: `en` or `zh`; null: English.
    pub language: Option<String>,
    /// How long things are kept.
    pub retention: Retention,
    /// Who hears of each run while it goes on, as `--output` has it.
    pub outputs: Vec<String>,
    /// The hosts that may be loaded: `HOST[:PORT]`, `*.DOMAIN`, `NETWORK/BITS`, `*`; null: what the command line
    /// says, else any on loopback without a login and none with one.
    pub hosts: Option<Vec<String>>,
    /// What a run may be at most.
    pub limits: RunLimits,
    /// What is watched without load, as `--watch` has it.
    pub monitor: Vec<String>,
}

/// What is to be set anew; what is absent stays.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct SettingsChange {
    /// `en`, `zh`, or an empty text for none.
    pub language: Option<String>,
    /// How long things are kept.
    pub retention: Option<Retention>,
    /// Who hears of each run.
    pub outputs: Option<Vec<String>>,
    /// The hosts that may be loaded.
    pub hosts: Option<Vec<String>>,
    /// What a run may be at most.
    pub limits: Option<RunLimits>,
    /// What is watched without load.
    pub monitor: Option<Vec<String>>,
}

fn bad(name: &str, value: &str) -> ApiError {
    let message = Message::new("server-bad-setting");
    ApiError::bad(message.with("name", name).with("value", value))
}

impl SettingsChange {
    /// Whether all of it can be.
    fn check(&self) -> Result<(), ApiError> {
        if let Some(language) = &self.language
            && !language.is_empty()
            && Lang::parse(language).is_none()
        {
            return Err(bad("language", language));
        }
        for (name, list) in [
            ("outputs", &self.outputs),
            ("hosts", &self.hosts),
            ("monitor", &self.monitor),
        ] {
            if list.as_ref().is_some_and(|list| list.len() > MOST_ENTRIES) {
                return Err(bad(name, &format!("> {MOST_ENTRIES}")));
            }
        }
        if let Some(hosts) = &self.hosts {
            Reach::parse(hosts.iter().map(String::as_str)).map_err(|wrong| bad("hosts", &wrong))?;
        }
        if let Some(sources) = &self.monitor {
            from_texts(sources, Level::Observe).map_err(ApiError::bad)?;
        }
        for output in self.outputs.iter().flatten() {
            let spec = plimsoll_outputs::OutputSpec::parse(output);
            plimsoll_outputs::open(&spec).map_err(ApiError::bad)?;
        }
        if let Some(limits) = &self.limits
            && let Some(rate) = limits.rate_per_s
            && !(rate.is_finite() && rate > 0.0)
        {
            return Err(bad("limits.rate_per_s", &rate.to_string()));
        }
        Ok(())
    }
}

/// The settings and their file.
pub(crate) struct SettingsStore {
    path: PathBuf,
    now: Mutex<DeskSettings>,
}

impl SettingsStore {
    /// Those of a workbench's own folder.
    ///
    /// # Errors
    /// A file that cannot be read: what it forbids must not be allowed.
    pub fn open(folder: &Path) -> Result<Self, Message> {
        let path = folder.join("settings.json");
        let failed = |reason: String| {
            Message::new("run-file-failed")
                .with("path", path.display().to_string())
                .with("reason", reason)
        };
        let now = match std::fs::metadata(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => DeskSettings::default(),
            Err(error) => return Err(failed(error.to_string())),
            Ok(known) if known.len() > MOST_BYTES => {
                return Err(failed(format!("{} B", known.len())));
            }
            Ok(_) => std::fs::read(&path)
                .map_err(|error| failed(error.to_string()))
                .and_then(|bytes| {
                    serde_json::from_slice(&bytes).map_err(|error| failed(error.to_string()))
                })?,
        };
        Ok(Self {
            path,
            now: Mutex::new(now),
        })
    }

    /// As they are now.
    pub fn now(&self) -> DeskSettings {
        self.now
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Sets what is named.
    ///
    /// # Errors
    /// What cannot be set, or not be kept; then nothing is.
    pub fn change(&self, change: SettingsChange) -> Result<DeskSettings, ApiError> {
        change.check()?;
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        let mut fresh = now.clone();
        if let Some(language) = change.language {
            fresh.language = Some(language).filter(|language| !language.is_empty());
        }
        fresh.retention = change.retention.unwrap_or(fresh.retention);
        fresh.outputs = change.outputs.unwrap_or(fresh.outputs);
        fresh.hosts = change.hosts.or(fresh.hosts);
        fresh.limits = change.limits.unwrap_or(fresh.limits);
        fresh.monitor = change.monitor.unwrap_or(fresh.monitor);
        let written = serde_json::to_vec_pretty(&fresh)
            .map_err(std::io::Error::from)
            .and_then(|json| private::replace(&self.path, &json));
        written.map_err(|error| ApiError::cannot_keep(&error))?;
        *now = fresh.clone();
        Ok(fresh)
    }
}

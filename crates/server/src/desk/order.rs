//! A run that is asked for over HTTP, and what it is made of.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use plimsoll_access::Access;
use plimsoll_load::engine::Second;
use plimsoll_plan::LoadOptions;
use plimsoll_plan::limits::PLAN_BYTES;
use plimsoll_plan::model::Plan;
use plimsoll_plan::units::{parse_duration, parse_rate};
use plimsoll_run::{
    Listener, LoadSettings, PlanSource, RunRequest, RunSetting, UnpackedPlan, ready,
};
use plimsoll_stats::LabelInfo;
use plimsoll_store::private;
use plimsoll_text::Message;
use serde::Deserialize;
use utoipa::ToSchema;

use super::DeskJournal;
use crate::problem::ApiError;

/// A run that is asked for: a plan, or a URL.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct RunOrder {
    /// The plan's text: YAML, or JMeter's XML. Files that it names lie where the server was started.
    pub plan: Option<String>,
    /// The URL to load, in place of a plan.
    pub url: Option<String>,
    /// Users at once, in place of the plan's.
    pub users: Option<u32>,
    /// Arrivals, such as `50/s`, in place of the plan's.
    pub rate: Option<String>,
    /// How long, such as `90s`, in place of the plan's.
    pub duration: Option<String>,
    /// How long the load takes to be whole, such as `10s`.
    pub ramp_up: Option<String>,
    /// What is left out at the start, such as `5s`.
    pub warm_up: Option<String>,
    /// What is watched, as `--watch` has it: `auto`.
    pub watch: Option<String>,
    /// Captures that disturb the target may be taken: thread dumps, class histograms, profiles.
    pub watch_allow_capture: bool,
    /// Goals, such as `p95 < 300 ms`.
    pub goals: Vec<String>,
    /// What the run is called, in place of the plan's name.
    pub name: Option<String>,
    /// Tags that it gets.
    pub tags: Vec<String>,
}

/// Hears nothing aloud; what limits the target is to be said while the run goes on.
pub(crate) struct WatchingQuietly;

impl Listener for WatchingQuietly {
    fn event(&mut self, _: &Message) {}

    fn progress(&mut self, _: &Message) {}

    fn second(&mut self, _: &Second<'_>, _: &[LabelInfo]) {}

    fn end(&mut self) {}

    fn wants_diagnosis(&self) -> bool {
        true
    }
}

impl RunOrder {
    /// What the run is called until its plan is read.
    pub fn title(&self) -> String {
        let named = self.name.clone().or_else(|| self.url.clone());
        plimsoll_secrets::text(&named.unwrap_or_default()).into_owned()
    }

    /// The request for the run, kept below a folder.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn request(&self, root: &Path, journal: &DeskJournal) -> Result<RunRequest, ApiError> {
        let load = self.load()?;
        let source = self.source(journal)?;
        let rename = |plan: &mut Plan| {
            if let Some(name) = &self.name {
                plan.name.clone_from(name);
            }
            Ok(())
        };
        let ready = ready::load_changed(&source, &load, &rename).map_err(|mut rejected| {
            // Where the server keeps what was sent is nobody's business.
            for problem in &mut rejected.problems {
                if problem.file == source.plan {
                    problem.file.clear();
                }
            }
            rejected
        })?;
        let setting = RunSetting::new(root);
        Ok(RunRequest {
            listener: Box::new(WatchingQuietly),
            ..RunRequest::of(Arc::new(ready), source, load, setting)
        })
    }

    fn source(&self, journal: &DeskJournal) -> Result<PlanSource, ApiError> {
        match (&self.plan, &self.url) {
            (None, Some(url)) if url.starts_with("http://") || url.starts_with("https://") => {
                Ok(PlanSource::new(url.clone()))
            }
            (None, Some(url)) => Err(ApiError::bad(
                Message::new("server-no-url").with("url", url.as_str()),
            )),
            (Some(text), None) => sent_plan(text, journal),
            _ => Err(ApiError::bad(Message::new("server-plan-or-url"))),
        }
    }

    fn load(&self) -> Result<LoadSettings, ApiError> {
        let duration = |name: &'static str, text: &Option<String>| read(name, text, parse_duration);
        Ok(LoadSettings {
            load: LoadOptions {
                users: self.users,
                rate: read("rate", &self.rate, parse_rate)?,
                duration: duration("duration", &self.duration)?,
                ramp_up: duration("ramp_up", &self.ramp_up)?,
                ..LoadOptions::default()
            },
            warm_up: duration("warm_up", &self.warm_up)?,
            goals: self.goals.clone(),
            watch: self.watch.clone().into_iter().collect(),
            watch_allow_capture: self.watch_allow_capture,
            ..LoadSettings::default()
        })
    }
}

/// A value that is written as in plans.
fn read<T>(
    name: &'static str,
    text: &Option<String>,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, ApiError> {
    let Some(text) = text else {
        return Ok(None);
    };
    let value = parse(text).ok_or_else(|| {
        ApiError::bad(
            Message::new("server-bad-value")
                .with("name", name)
                .with("value", text.as_str())
                .with("example", if name == "rate" { "50/s" } else { "90s" }),
        )
    })?;
    Ok(Some(value))
}

/// Keeps a plan that was sent where the run reads it.
fn sent_plan(text: &str, journal: &DeskJournal) -> Result<PlanSource, ApiError> {
    if text.len() > PLAN_BYTES {
        let message = Message::new("plan-too-long").with("limit_mib", PLAN_BYTES >> 20);
        return Err(ApiError::bad(message));
    }
    let name = match text.trim_start().starts_with('<') {
        true => "plan.jmx",
        false => "plan.yaml",
    };
    let kept = journal.plan_folder().and_then(|folder| {
        let path = folder.join(name);
        private::write(&path, text.as_bytes())?;
        Ok(path)
    });
    let path = kept.map_err(|error| ApiError::cannot_keep(&error))?;
    let own = std::env::vars_os();
    let own =
        own.filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    Ok(PlanSource {
        unpacked: Some(UnpackedPlan {
            folder: std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
            env: own.collect(),
            access: Access::of_user(),
        }),
        ..PlanSource::new(path.display().to_string())
    })
}

/// A load that may be asked for while a run goes on lasts at most so much longer.
pub(crate) const LONGEST_EXTENSION: Duration = Duration::from_secs(7 * 86_400);

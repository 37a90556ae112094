//! A run that is asked for over HTTP, and what it is made of.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_load::engine::Second;
use plimsoll_plan::LoadOptions;
use plimsoll_plan::units::{parse_duration, parse_rate};
use plimsoll_run::{
    Listener, LoadProbe, LoadSettings, PlanSource, ReadyPlan, RunRequest, RunSetting, ready,
};
use plimsoll_stats::LabelInfo;
use plimsoll_text::Message;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::journal::{DeskJournal, HeldFolder};
use super::sent::{self, SentFile};
use crate::notes::checked_tags;
use crate::problem::ApiError;
use crate::shared::{RunBounds, is_title};

/// Characters of a name, and entries of a list at most.
const NAME: usize = 200;
const ENTRIES: usize = 500;

/// A run that is asked for: a plan, or a URL.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
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
    /// Iterations of each user, in place of the plan's.
    pub iterations: Option<u64>,
    /// Users in flight over which an arrival counts as not started (of a URL).
    pub max_in_flight: Option<u32>,
    /// Seed of all randomness.
    pub seed: Option<u64>,
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
    /// Variables of the plan that are set.
    pub set: BTreeMap<String, String>,
    /// The files that the plan needs; a plan that comes with them, even with none, has no others.
    pub files: Option<Vec<SentFile>>,
}

/// A run that is asked for, ready to begin.
pub(crate) struct OrderReady {
    pub request: RunRequest,
    /// Its plan's folder stays until this goes.
    pub _held: Option<HeldFolder>,
    /// It is ended once it has lasted so long.
    pub most: Option<Duration>,
}

/// A plan that is asked for, ready to run.
pub(crate) struct OrderPlanned {
    pub ready: Arc<ReadyPlan>,
    pub source: PlanSource,
    pub load: LoadSettings,
    /// Its folder stays until this goes.
    pub held: Option<HeldFolder>,
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

    /// Names, tags and lists that are no longer than they need be: everybody who looks at the runs gets them.
    fn check(&self) -> Result<(), ApiError> {
        if self
            .name
            .as_deref()
            .is_some_and(|name| !is_title(name, NAME))
        {
            return Err(ApiError::bad(Message::new("server-bad-name")));
        }
        checked_tags(&self.tags)?;
        let lists = [("goals", self.goals.len()), ("set", self.set.len())];
        match lists.iter().find(|(_, count)| *count > ENTRIES) {
            Some((name, count)) => Err(ApiError::bad(
                Message::new("server-too-many-of")
                    .with("name", *name)
                    .with("count", *count)
                    .with("most", ENTRIES),
            )),
            None => Ok(()),
        }
    }

    /// Its tags, without secrets.
    pub fn own_tags(&self) -> Vec<String> {
        let masked = |tag: &String| plimsoll_secrets::text(tag.trim()).into_owned();
        self.tags.iter().map(masked).collect()
    }

    /// The request for the run, kept below a folder.
    ///
    /// # Errors
    /// All that is wrong with it, and what may not be.
    pub fn request(
        &self,
        root: &Path,
        journal: &DeskJournal,
        bounds: &RunBounds,
    ) -> Result<OrderReady, ApiError> {
        let planned = self.planned(journal, bounds)?;
        let most = bounds.limits.duration_s.map(Duration::from_secs);
        let setting = RunSetting {
            // Where there is a longest duration, a load goes on for no longer than was asked for.
            probe: LoadProbe::of_watched(&planned.ready).filter(|_| most.is_none()),
            ..RunSetting::new(root)
        };
        Ok(OrderReady {
            request: RunRequest {
                listener: Box::new(WatchingQuietly),
                ..RunRequest::of(planned.ready, planned.source, planned.load, setting)
            },
            _held: planned.held,
            most,
        })
    }

    /// The plan that is asked for, ready to run, and how much.
    ///
    /// # Errors
    /// All that is wrong with it, and what may not be.
    pub fn planned(
        &self,
        journal: &DeskJournal,
        bounds: &RunBounds,
    ) -> Result<OrderPlanned, ApiError> {
        self.check()?;
        let load = LoadSettings {
            outputs: bounds.outputs.clone(),
            ..self.load()?
        };
        let (mut source, held) = self.source(journal, bounds)?;
        source.set = self.set.clone().into_iter().collect();
        let mut ready = ready::load(&source, &load).map_err(|mut rejected| {
            // Where the server keeps what was sent is nobody's business.
            for problem in &mut rejected.problems {
                if problem.file == source.plan {
                    problem.file.clear();
                }
                if let Some(held) = &held {
                    held.hide(&mut problem.message);
                    if let Some(remedy) = &mut problem.remedy {
                        held.hide(remedy);
                    }
                }
            }
            rejected
        })?;
        bounds.check(&ready)?;
        if bounds.is_bounded() {
            for spec in &mut ready.watch {
                spec.reach.clone_from(&bounds.reach);
            }
        }
        let name = self.name.as_deref();
        ready.run_name = name.map(|name| plimsoll_secrets::text(name).into_owned());
        Ok(OrderPlanned {
            ready: Arc::new(ready),
            source,
            load,
            held,
        })
    }

    fn source(
        &self,
        journal: &DeskJournal,
        bounds: &RunBounds,
    ) -> Result<(PlanSource, Option<HeldFolder>), ApiError> {
        match (&self.plan, &self.url) {
            (None, Some(url)) if url.starts_with("http://") || url.starts_with("https://") => {
                sent::url(url, journal, bounds)
            }
            (None, Some(url)) => Err(ApiError::bad(
                Message::new("server-no-url").with("url", url.as_str()),
            )),
            (Some(text), None) => {
                let (source, held) = sent::keep(text, self.files.as_deref(), journal, bounds)?;
                Ok((source, Some(held)))
            }
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
                iterations_per_user: self.iterations,
                max_in_flight: self.max_in_flight,
                ..LoadOptions::default()
            },
            warm_up: duration("warm_up", &self.warm_up)?,
            seed: self.seed,
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

/// A load that may be asked for while a run goes on lasts at most so much longer.
pub(crate) const LONGEST_EXTENSION: Duration = Duration::from_secs(7 * 86_400);

//! What a run that is asked for over HTTP may do and be at most. Plans cannot widen it: which hosts are sent to is
//! held where connections are opened, files, scripts and processes where they are used ([`Access`]), and the
//! length by whoever makes the run.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use plimsoll_access::{Access, Reach, Right};
use plimsoll_plan::model::Load;
use plimsoll_run::{NewLoad, ReadyPlan};
use plimsoll_text::Message;

use super::settings::RunLimits;
use crate::problem::ApiError;

/// Bytes of a body that is looked into, decoded: a small response may be unpacked to any length.
const MOST_BODY: u64 = 64 << 20;
/// Sources that look at this host and at what the run loads, and at nothing else that somebody names.
const OF_TARGET: [&str; 2] = ["auto", "host"];

/// What runs may do.
#[derive(Debug, Clone)]
pub(crate) struct RunBounds {
    /// Plans have their user's rights here, as on the command line: loopback without a login, where who calls
    /// could run them himself.
    pub is_own_host: bool,
    /// The hosts that may be sent to; none: any.
    pub reach: Option<Reach>,
    /// What plans may do beside that.
    pub rights: Vec<Right>,
    /// The server's own files and those of the runs, which no plan has, whatever its rights.
    pub withheld: Vec<PathBuf>,
    /// What a run may be at most.
    pub limits: RunLimits,
    /// Who hears of each run.
    pub outputs: Vec<String>,
    /// Sources that may be watched beside those of the target.
    pub watchable: Vec<String>,
}

impl RunBounds {
    /// Whether plans have fewer rights than their user.
    pub fn is_bounded(&self) -> bool {
        !self.is_own_host || self.reach.is_some()
    }

    /// What a plan whose files lie in a folder may do here.
    ///
    /// # Errors
    /// A folder that cannot be opened.
    pub fn access(&self, folder: &Path) -> io::Result<Access> {
        Access::bounded(folder, &self.rights, self.reach.clone(), &self.withheld)
    }

    /// Whether a plan may run: what it says itself, before anything is sent.
    ///
    /// # Errors
    /// What is not allowed, and what is.
    pub fn check(&self, ready: &ReadyPlan) -> Result<(), ApiError> {
        self.check_load(ready)?;
        if !self.is_bounded() {
            return Ok(());
        }
        let requests = ready.program.requests.iter();
        let body = requests.map(|request| request.max_body_bytes).max();
        if let Some(body) = body.filter(|body| *body > MOST_BODY) {
            let shown = |bytes: u64| format!("{}MiB", bytes >> 20);
            return Err(over("max-body", &shown(MOST_BODY), &shown(body)));
        }
        if !ready.plan.outputs.is_empty() {
            return Err(ApiError::forbidden(Message::new("server-plan-outputs")));
        }
        for spec in &ready.watch {
            let shown = spec.to_string();
            let is_of_target = OF_TARGET.contains(&spec.source.as_str())
                && spec.options.is_empty()
                && (spec.address.is_empty() || self.may_watch(&spec.address));
            let is_listed = self.watchable.iter().any(|text| {
                let known = plimsoll_run::watching::from_texts(
                    std::slice::from_ref(text),
                    plimsoll_watch::Level::Observe,
                );
                known.is_ok_and(|known| {
                    known.iter().any(|known| {
                        (&known.source, &known.address, &known.options)
                            == (&spec.source, &spec.address, &spec.options)
                    })
                })
            });
            if !is_of_target && !is_listed {
                let message = Message::new("server-plan-watch").with("source", shown);
                return Err(ApiError::forbidden(message));
            }
        }
        Ok(())
    }

    /// An address that is looked at must be one that may be loaded.
    fn may_watch(&self, address: &str) -> bool {
        let Some(reach) = &self.reach else {
            return true;
        };
        let place = address.split("://").last().unwrap_or_default();
        let place = place.split(['/', '?', '#']).next().unwrap_or_default();
        match place.rsplit_once(':') {
            Some((host, port)) if !place.ends_with(']') => {
                port.parse().is_ok_and(|port| reach.names(host, port))
            }
            _ => reach.names_host(place),
        }
    }

    fn check_load(&self, ready: &ReadyPlan) -> Result<(), ApiError> {
        let (mut users, mut rate) = (0, 0.0);
        for scenario in ready.program.loads() {
            match &scenario.load {
                Load::Users(_) => users += scenario.load.most_users(),
                Load::Arrivals(load) => {
                    let rates = load.stages.iter().flat_map(|stage| [stage.from, stage.to]);
                    rate += rates.map(|rate| rate.as_per_second()).fold(0.0, f64::max);
                }
            }
        }
        self.check_users(users)?;
        self.check_rate(rate)?;
        let most = self.limits.duration_s.map(Duration::from_secs);
        let planned = plimsoll_run::planned(ready);
        match (most, planned) {
            (Some(most), Some(planned)) if planned > most => Err(over(
                "duration_s",
                &most.as_secs().to_string(),
                &planned.as_secs().to_string(),
            )),
            _ => Ok(()),
        }
    }

    /// Whether a search may go as far as this: users or not, and how many; none: as far as it finds.
    ///
    /// # Errors
    /// It is more than allowed, or not said where there is a limit.
    pub fn check_most(&self, most: Option<(bool, f64)>) -> Result<(), ApiError> {
        let limits = &self.limits;
        match most {
            Some((true, users)) => self.check_users(users.max(0.0) as u64),
            Some((false, rate)) => self.check_rate(rate),
            None if limits.users.is_some() || limits.rate_per_s.is_some() => {
                Err(ApiError::forbidden(Message::new("server-say-most")))
            }
            None => Ok(()),
        }
    }

    /// Whether one run may last so long.
    ///
    /// # Errors
    /// It is more than allowed.
    pub fn check_length(&self, length: Duration) -> Result<(), ApiError> {
        match self.limits.duration_s {
            Some(most) if length.as_secs() > most => Err(over(
                "duration_s",
                &most.to_string(),
                &length.as_secs().to_string(),
            )),
            _ => Ok(()),
        }
    }

    fn check_users(&self, users: u64) -> Result<(), ApiError> {
        match self.limits.users {
            Some(most) if users > most => Err(over("users", &most.to_string(), &users.to_string())),
            _ => Ok(()),
        }
    }

    fn check_rate(&self, rate: f64) -> Result<(), ApiError> {
        match self.limits.rate_per_s {
            Some(most) if rate > most => {
                Err(over("rate_per_s", &most.to_string(), &rate.to_string()))
            }
            _ => Ok(()),
        }
    }

    /// Whether the load of a run that goes on may be changed to this. It is one scenario's: with several the
    /// sum may become larger than when it began, never one of them.
    ///
    /// # Errors
    /// It is more than allowed.
    pub fn check_change(&self, to: &NewLoad) -> Result<(), ApiError> {
        match to {
            NewLoad::Users(users) => self.check_users(u64::from(*users)),
            NewLoad::Rate(rate) => self.check_rate(rate.as_per_second()),
            // Nobody asks for these over HTTP; how long it lasts is held by whoever makes it.
            NewLoad::RateTimes(_) | NewLoad::Longer(_) => Ok(()),
        }
    }
}

fn over(name: &str, most: &str, asked: &str) -> ApiError {
    ApiError::forbidden(
        Message::new("server-over-limit")
            .with("name", name)
            .with("most", most)
            .with("asked", asked),
    )
}

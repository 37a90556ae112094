//! Makes trials on a real target.

mod looks;
mod measured;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Instant;

use plimsoll_run::measure::capacity::CapacityLoad;
use plimsoll_run::{Interrupt, Listener, ReadyPlan};
use plimsoll_secrets::Known;
use plimsoll_text::Message;

use super::changes::fragments_of;
use super::commands;
use super::file_messages::together;
use super::fragment::Fragment;
use super::hands::{Hands, failed_command};
use super::journal::{Entry, Journal};
use super::measure::Load;
use super::originals;
use super::place::Place;
use super::prepared::{HostPlace, Prepared};
use super::resolve::COMMAND;
use crate::engine::Record;
use crate::remote::TuneAgent;
use crate::remote::wire::AgentArrived;
use crate::space::Configuration;
use crate::trial::{FailedTrial, Measured, SeenValue, Stopped, TrialAsk, TrialBench, TrialEnd};
use looks::Looks;

/// Asks whether a change may be made.
pub type Approve<'a> = &'a dyn Fn(&[Fragment]) -> bool;

/// What trials are made with.
pub struct BenchSettings<'a> {
    /// Folder of the runs.
    pub runs: PathBuf,
    /// Ends the study.
    pub interrupt: Interrupt,
    /// Who hears of each run that counts.
    pub listen: &'a dyn Fn(&ReadyPlan) -> Box<dyn Listener>,
    /// Who is told what is done next.
    pub tell: &'a dyn Fn(&Message),
    /// Asks whether a change may be made; none: all may.
    pub approve: Option<Approve<'a>>,
}

/// What a target showed of a configuration.
#[derive(Debug, Default)]
struct WhatArrived {
    /// Values that it showed.
    seen: Vec<SeenValue>,
    /// Knobs whose values nothing could show.
    not_confirmed: Vec<String>,
}

impl WhatArrived {
    /// What an agent's components showed; what they were found with counts in the first trial alone.
    fn add(&mut self, there: AgentArrived, first: bool) {
        self.seen.extend(there.seen);
        self.not_confirmed.extend(there.not_confirmed);
        if first {
            self.seen.extend(there.as_found);
        }
    }
}

/// A real target.
pub struct TargetBench<'a> {
    prepared: &'a Prepared,
    settings: BenchSettings<'a>,
    load: Load,
    hands: Hands<'a>,
    /// The capacity that was found last: the next search begins near it.
    near: Option<CapacityLoad>,
    looks: Looks,
    /// What is secret in the files that are changed: a target may say it when it fails.
    secrets: Known,
}

/// What is secret in the files of a study's knobs.
fn secrets_of_files(prepared: &Prepared) -> Known {
    let paths = prepared.knobs.iter().filter_map(|knob| match &knob.place {
        Place::File { path, .. } => Some(path),
        _ => None,
    });
    let paths: BTreeSet<&PathBuf> = paths.collect();
    let mut secrets = Vec::new();
    for bytes in paths
        .into_iter()
        .filter_map(|path| originals::read(path).ok())
    {
        let text = String::from_utf8_lossy(&bytes);
        let places = plimsoll_secrets::places(&text).into_iter();
        // Without the end of a line of Windows.
        secrets.extend(places.filter_map(|at| Some(text.get(at)?.trim().to_owned())));
    }
    Known::new(secrets)
}

impl<'a> TargetBench<'a> {
    /// Of a study whose processes carry a mark.
    #[must_use]
    pub fn new(
        prepared: &'a Prepared,
        load: Load,
        journal: &'a mut Journal,
        mark: &str,
        settings: BenchSettings<'a>,
    ) -> Self {
        let components = prepared.study.components.iter().enumerate();
        let here = components.filter(|(_, it)| it.agent.is_none());
        let here = here.map(|(at, _)| at).collect();
        let interrupt = settings.interrupt.clone();
        Self {
            hands: Hands::new(prepared, here, journal, mark, interrupt),
            prepared,
            settings,
            load,
            near: None,
            looks: Looks::default(),
            secrets: secrets_of_files(prepared),
        }
    }

    /// Says what stands in the way before anything is done, and has the components on other hosts for the study.
    ///
    /// # Errors
    /// What it is, and what is to be done.
    pub fn begin(&self) -> Result<(), Message> {
        self.hands.check_free()?;
        for (at, agent) in self.prepared.agents.iter().enumerate() {
            let components = self.prepared.components_at(at);
            let name = &self.prepared.study.name;
            match agent.begin(name, components, &self.settings.interrupt) {
                // The first trial says that somebody ended it.
                Ok(()) | Err(Stopped::End(_)) => {}
                Err(Stopped::Broken(message)) => return Err(message),
            }
        }
        Ok(())
    }

    /// Brings everything back, or leaves a configuration there, on all hosts.
    ///
    /// # Errors
    /// What could not be, and what somebody must know of what was; the rest is brought back all the same.
    pub fn finish(self, keep: Option<&Configuration>) -> Result<(), Message> {
        let prepared = self.prepared;
        let there = |(at, agent): (usize, &std::sync::Arc<TuneAgent>)| {
            agent.finish(keep.map(|of| prepared.values_at(at, of)))
        };
        let mut told = self
            .hands
            .finish(keep)
            .unwrap_or_else(|failed| vec![failed]);
        let there = prepared.agents.iter().enumerate().map(there);
        told.extend(there.filter_map(Result::err));
        together(told).map_or(Ok(()), Err)
    }

    /// Brings the target to a configuration; gives what it shows of it.
    fn apply(&mut self, of: &Configuration, first: bool) -> Result<WhatArrived, Stopped> {
        let mut arrived = WhatArrived::default();
        for place in self.prepared.hosts() {
            match place {
                HostPlace::Here => self.hands.apply(of)?,
                HostPlace::Agent(at) => {
                    let agent = &self.prepared.agents[at];
                    let there =
                        agent.apply(&self.prepared.values_at(at, of), &self.settings.interrupt);
                    arrived.add(there?, first);
                }
            }
        }
        if let Some(reset) = &self.prepared.study.reset {
            let (folder, interrupt) = (&self.prepared.folder, &self.settings.interrupt);
            match commands::run_unless(&reset.raw, folder, COMMAND, interrupt).failure() {
                None => {}
                Some(detail) => return Err(failed_command(detail)),
            }
        }
        let (seen, not_confirmed) = self.hands.read_back(of)?;
        arrived.seen.extend(seen);
        arrived.not_confirmed.extend(not_confirmed);
        if first {
            arrived.seen.extend(self.hands.as_found());
        }
        Ok(arrived)
    }

    fn attempt(&mut self, of: &Configuration, ask: &TrialAsk) -> Result<Measured, Stopped> {
        if let Some(approve) = self.settings.approve
            && of.changed().next().is_some()
            && !approve(&fragments_of(self.prepared, of)?)
        {
            return Err(Stopped::End(TrialEnd::Failed {
                what: FailedTrial::NotApproved,
                detail: String::new(),
            }));
        }
        let arrived = self.apply(of, ask.number == 1)?;
        let interrupt = self.settings.interrupt.clone();
        let scratch = self.hands.journal.folder().join("warm-up");
        let warm = self.load.warm_up(&scratch, &interrupt);
        // Nobody looks at it afterwards.
        let _ = std::fs::remove_dir_all(&scratch);
        let warm = warm?;
        self.still_there()?;
        let mut measured = self.measure(ask)?;
        if !arrived.seen.is_empty() {
            // A value may be lost meanwhile, by whoever manages the target.
            self.hands.read_back(of)?;
        }
        let look_s = self.look(of, &ask.reason)?;
        self.looks.tell(of, look_s, &mut measured);
        measured.read_back = arrived.seen;
        measured.not_confirmed = arrived.not_confirmed;
        measured.warm_up_s = warm.seconds;
        measured.steady = warm.steady;
        Ok(measured)
    }

    /// What a target said, without what is secret in its files.
    fn without_secrets(&self, end: TrialEnd) -> TrialEnd {
        match end {
            TrialEnd::Failed { what, detail } => {
                let detail = self.secrets.text(&detail).into_owned();
                TrialEnd::Failed { what, detail }
            }
            end => end,
        }
    }

    /// What died under load died of the configuration.
    fn still_there(&mut self) -> Result<(), Stopped> {
        self.hands.still_there()?;
        for agent in &self.prepared.agents {
            agent.still_there(&self.settings.interrupt)?;
        }
        Ok(())
    }
}

impl TrialBench for TargetBench<'_> {
    fn trial(&mut self, of: &Configuration, ask: &TrialAsk) -> Result<(TrialEnd, f64), Message> {
        if self.settings.interrupt.is_hit() {
            return Ok((TrialEnd::Interrupted, 0.0));
        }
        let begun = Instant::now();
        let end = match self.attempt(of, ask) {
            Ok(measured) => TrialEnd::Measured(Box::new(measured)),
            // What fails while the user ends the study fails because of that.
            Err(Stopped::End(_)) if self.settings.interrupt.is_hit() => TrialEnd::Interrupted,
            Err(Stopped::End(end)) => self.without_secrets(end),
            Err(Stopped::Broken(message)) => return Err(message),
        };
        let record = Record {
            number: ask.number,
            why: ask.reason.clone(),
            configuration: of.clone(),
            seconds: begun.elapsed().as_secs_f64(),
            result: end,
        };
        self.hands
            .write_down(Entry::Trial(Box::new(record.clone())))?;
        Ok((record.result, record.seconds))
    }
}

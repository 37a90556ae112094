//! Makes trials on a real target.

mod looks;
mod measured;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Instant;

use plimsoll_run::measure::capacity::CapacityLoad;
use plimsoll_run::{Interrupt, Listener, ReadyPlan};
use plimsoll_text::Message;

use super::changes::fragments_of;
use super::commands;
use super::file_messages::together;
use super::fragment::Fragment;
use super::hands::{Hands, failed_command};
use super::journal::{Entry, Journal};
use super::measure::Load;
use super::prepared::{HostPlace, Prepared};
use super::resolve::COMMAND;
use crate::engine::Record;
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
    /// The agents that have not heard yet that a trial failed.
    in_doubt: BTreeSet<usize>,
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
            in_doubt: BTreeSet::new(),
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
        let (mut told, is_left) = match self.hands.finish(keep) {
            Ok(notes) => (notes, keep.is_some()),
            Err(not) => (vec![not.message], not.is_left),
        };
        // What could not be left here is left on no other host either.
        let keep = keep.filter(|_| is_left);
        for (at, agent) in self.prepared.agents.iter().enumerate() {
            let values = keep.map(|of| self.prepared.values_at(at, of));
            told.extend(agent.finish(values).err());
        }
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
                    let values = self.prepared.values_at(at, of);
                    let anew = self.in_doubt.remove(&at);
                    let there = agent.apply(&values, anew, &self.settings.interrupt);
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
        // A value may be lost meanwhile, by whoever manages the target.
        self.hands.still_has()?;
        let look_s = self.look(of, &ask.reason)?;
        self.looks.tell(of, look_s, &mut measured);
        measured.read_back = arrived.seen;
        measured.not_confirmed = arrived.not_confirmed;
        measured.warm_up_s = warm.seconds;
        measured.steady = warm.steady;
        Ok(measured)
    }

    /// What died under load died of the configuration. On other hosts it is looked for the values, too.
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
            Err(Stopped::End(end)) => end,
            Err(Stopped::Broken(message)) => return Err(self.hands.secrets.message(message)),
        };
        self.hands.heard(&end);
        if end.casts_doubt() {
            self.in_doubt.extend(0..self.prepared.agents.len());
        }
        let record = Record {
            number: ask.number,
            why: ask.reason.clone(),
            configuration: of.clone(),
            seconds: begun.elapsed().as_secs_f64(),
            // Whoever has said it, here or on another host.
            result: self.hands.secrets.end(end),
        };
        self.hands
            .write_down(Entry::Trial(Box::new(record.clone())))?;
        Ok((record.result, record.seconds))
    }
}

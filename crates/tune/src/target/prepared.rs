//! A study with all that it names, ready to be made.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use plimsoll_plan::study::Study;
use plimsoll_run::UnpackedPlan;
use plimsoll_text::Message;
use plimsoll_watch::Spec;

use super::database::ComponentDatabase;
use super::journal::Entry;
use super::outstanding::outstanding;
use super::place::{Place, TargetKnob};
use crate::remote::TuneAgent;
use crate::remote::wire::AgentValues;
use crate::space::{Configuration, Space};

/// A study that can be made.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The study.
    pub study: Study,
    /// Its file.
    pub file: PathBuf,
    /// What paths in it start from.
    pub folder: PathBuf,
    /// What may be changed.
    pub space: Space,
    /// The same knobs, on the target.
    pub knobs: Vec<TargetKnob>,
    /// What shows settings of each component, where the study says it.
    pub sources: Vec<Vec<Spec>>,
    /// The agents that change components on their hosts.
    pub agents: Vec<Arc<TuneAgent>>,
    /// The agent of each component, by its place; none: it is changed here.
    pub agent_of: Vec<Option<usize>>,
    /// There is no study file: a start command was given.
    pub of_start: bool,
    /// What its plan may do, where that is less than its user may.
    pub unpacked: Option<UnpackedPlan>,
}

/// Where components are changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostPlace {
    /// On this host.
    Here,
    /// By the agent of this place.
    Agent(usize),
}

impl Prepared {
    /// The same study, with what the kernel's values were before one that was killed has set them.
    #[must_use]
    pub fn with_originals(&self, open: &[Entry]) -> Self {
        let mut prepared = self.clone();
        // What is back by now is what is found there.
        let open = outstanding(open);
        if open.contains(&Entry::Left) {
            // That one has left what it found best.
            return prepared;
        }
        for (knob, in_space) in prepared.knobs.iter().zip(&mut prepared.space.knobs) {
            if !matches!(knob.place, Place::Value(_)) {
                continue;
            }
            let set = open.iter().find_map(|entry| match entry {
                Entry::Set { knob, was, .. } if *knob == in_space.name => Some(was),
                _ => None,
            });
            if let Some(was) = set {
                in_space.found = Some(was.clone());
            }
        }
        prepared
    }

    /// The hosts in the order in which their first components stand in the study.
    #[must_use]
    pub fn hosts(&self) -> Vec<HostPlace> {
        let mut hosts = Vec::new();
        for agent in &self.agent_of {
            let host = agent.map_or(HostPlace::Here, HostPlace::Agent);
            if !hosts.contains(&host) {
                hosts.push(host);
            }
        }
        hosts
    }

    /// The names of the components that an agent changes.
    #[must_use]
    pub fn components_at(&self, agent: usize) -> Vec<String> {
        let all = self.study.components.iter().zip(&self.agent_of);
        let there = all.filter(|(_, of)| **of == Some(agent));
        there.map(|(component, _)| component.name.clone()).collect()
    }

    /// Whether a reload of a component is enough for all its knobs.
    #[must_use]
    pub fn reload_does(&self, component: usize) -> bool {
        let spec = &self.study.components[component];
        let mut own = self.knobs.iter().filter(|it| it.component == component);
        spec.reload.is_some() && own.all(|knob| knob.by_reload)
    }

    /// The database of a component.
    ///
    /// # Errors
    /// What is wrong with how it is written, or that there is none.
    pub fn database(&self, component: usize) -> Result<ComponentDatabase, Message> {
        let written = self.study.components[component].database.as_ref();
        let text = written.map_or("", |text| text.raw.as_str());
        ComponentDatabase::parse(text, &self.folder)
    }

    /// What a configuration changes of an agent's components.
    #[must_use]
    pub fn values_at(&self, agent: usize, of: &Configuration) -> AgentValues {
        let all = self.knobs.iter().zip(&of.0);
        let there = all.filter_map(|(knob, value)| match &knob.place {
            Place::Agent(name) if self.agent_of[knob.component] == Some(agent) => {
                Some((name.clone(), value.clone()?))
            }
            _ => None,
        });
        there.collect()
    }
}

/// Asks an agent what it lets studies change.
pub type AskAgent<'a> = &'a dyn Fn(&str, &Path) -> Result<TuneAgent, Message>;

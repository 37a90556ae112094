//! What an agent lets studies change: its own file, made ready.

use std::path::Path;
use std::time::Duration;

use plimsoll_plan::limits::{PLAN_BYTES, read_file};
use plimsoll_plan::model::Span;
use plimsoll_plan::study::Study;
use plimsoll_plan::{Problem, parse_agent_scope};
use plimsoll_run::RejectedPlan;
use plimsoll_text::Message;

use super::wire::{AgentValues, HostDescription, HostKnob, VERSION};
use crate::space::Configuration;
use crate::target::{Prepared, prepare, unwritable};

/// How long after a study was last heard of everything is put back, where the file does not say it.
const LEASE: Duration = Duration::from_secs(15);

/// An agent's file, with all that it names.
#[derive(Debug, Clone)]
pub struct HostScope {
    pub(super) prepared: Prepared,
    pub(super) lease: Duration,
}

impl HostScope {
    /// Reads the file and looks at all that it names.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn read(file: &Path) -> Result<(Self, Vec<Problem>, String), RejectedPlan> {
        let name = file.display().to_string();
        let unread = |reason: String| RejectedPlan {
            text: String::new(),
            problems: vec![Problem::error(
                Span::default(),
                Message::new("agent-scope-unreadable")
                    .with("path", name.as_str())
                    .with("reason", reason),
            )],
        };
        let opened = plimsoll_access::Access::of_user().open(file);
        let bytes = read_file(opened, PLAN_BYTES).map_err(|error| unread(error.to_string()))?;
        let text =
            String::from_utf8(bytes).map_err(|error| unread(error.utf8_error().to_string()))?;
        let rejected = |problems: Vec<Problem>| RejectedPlan {
            text: text.clone(),
            problems,
        };
        let (scope, warnings) = parse_agent_scope(&text, &name).map_err(rejected)?;
        let lease = scope.lease.unwrap_or(LEASE);
        let study = Study {
            name: "agent".to_owned(),
            components: scope.components,
            knobs: scope.knobs,
            relations: scope.relations,
            allow: scope.allow,
            never: scope.never,
            ..Study::default()
        };
        let prepared = prepare(study, file, None).map_err(rejected)?;
        let unwritable = unwritable(&prepared);
        if !unwritable.is_empty() {
            return Err(rejected(unwritable));
        }
        Ok((Self { prepared, lease }, warnings, text))
    }

    /// The same, with what stands there now.
    ///
    /// # Errors
    /// What it names is not there any more.
    pub(super) fn looked_at_again(&self) -> Result<Self, Message> {
        let known = &self.prepared;
        let prepared = prepare(known.study.clone(), &known.file, None);
        let prepared = prepared.map_err(|problems| {
            let first = problems.into_iter().next();
            // It is refused for a problem, so that there is one.
            first.map_or_else(|| Message::new("agent-confused"), |it| it.message)
        })?;
        let lease = self.lease;
        Ok(Self { prepared, lease })
    }

    /// What it lets studies change.
    #[must_use]
    pub fn description(&self) -> HostDescription {
        let components = &self.prepared.study.components;
        let all = self.prepared.space.knobs.iter().zip(&self.prepared.knobs);
        let knob = |(space, target): (&crate::space::SpaceKnob, &crate::target::TargetKnob)| {
            let shown = |value: &String| space.shown(value) == *value;
            HostKnob {
                name: space.name.clone(),
                component: components[target.component].name.clone(),
                domain: space.domain.clone(),
                // Of a secret nobody elsewhere hears.
                found: space.found.clone().filter(shown),
                knob: target.setting.map(|setting| setting.knob.id.to_owned()),
            }
        };
        HostDescription {
            version: VERSION,
            lease_s: self.lease.as_secs_f64(),
            components: components.iter().map(|it| it.name.clone()).collect(),
            knobs: all.map(knob).collect(),
        }
    }

    /// The places of components by their names.
    ///
    /// # Errors
    /// One that the file does not have.
    pub fn components(&self, names: &[String]) -> Result<Vec<usize>, Message> {
        let known = &self.prepared.study.components;
        let place = |name: &String| {
            let at = known.iter().position(|component| component.name == *name);
            at.ok_or_else(|| {
                let names: Vec<&str> = known.iter().map(|it| it.name.as_str()).collect();
                Message::new("agent-tune-no-component")
                    .with("name", shown(name))
                    .with("known", names.join(", "))
            })
        };
        let mut places: Vec<usize> = names.iter().map(place).collect::<Result<_, _>>()?;
        places.sort_unstable();
        places.dedup();
        Ok(places)
    }

    /// The configuration that values mean: knobs of these components, values of their ranges.
    ///
    /// # Errors
    /// What may not be, and what may.
    pub fn configuration(
        &self,
        values: &AgentValues,
        components: Option<&[usize]>,
    ) -> Result<Configuration, Message> {
        let space = &self.prepared.space;
        let mut of = Configuration::unchanged(space.knobs.len());
        for (name, value) in values {
            let is = |at: &usize| {
                let owner = self.prepared.knobs[*at].component;
                space.knobs[*at].name == *name && components.is_none_or(|all| all.contains(&owner))
            };
            let at = (0..space.knobs.len()).find(is).ok_or_else(|| {
                let names: Vec<&str> = space.knobs.iter().map(|it| it.name.as_str()).collect();
                Message::new("agent-tune-no-knob")
                    .with("name", shown(name))
                    .with("known", names.join(", "))
            })?;
            let allowed = space.knobs[at].domain.allowed(value);
            let allowed = allowed.ok_or_else(|| {
                Message::new("agent-tune-no-value")
                    .with("name", name.as_str())
                    .with("value", shown(&space.knobs[at].shown(value)))
                    .with("allowed", space.knobs[at].domain.text())
            })?;
            of = of.with(at, Some(allowed));
        }
        Ok(of)
    }

    /// Whether what must hold between the knobs of a configuration does.
    ///
    /// # Errors
    /// What does not.
    pub fn holds(&self, of: &Configuration) -> Result<(), Message> {
        match self.prepared.space.broken(of) {
            None => Ok(()),
            Some(relation) => {
                Err(Message::new("agent-tune-relation").with("relation", relation.text()))
            }
        }
    }
}

/// What came over the network, as it may stand in a log.
#[must_use]
pub fn shown(text: &str) -> String {
    let plain = text.chars().filter(|c| !c.is_control());
    plain.take(120).collect()
}

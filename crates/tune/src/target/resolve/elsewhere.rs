//! Components and knobs on other hosts: the agent there says what may be changed, the study what of it.

use std::sync::Arc;

use plimsoll_plan::Problem;
use plimsoll_plan::study::{StudyComponent, StudyKnob};
use plimsoll_text::Message;

use super::Resolver;
use crate::remote::wire::HostKnob;
use crate::space::{Domain, SpaceKnob};
use crate::target::place::{NamedSetting, Place, TargetKnob};
use crate::target::prepared::AskAgent;

impl Resolver<'_> {
    /// The agent of a component, if it has one.
    pub(super) fn agent(&mut self, component: &StudyComponent, ask: AskAgent<'_>) {
        let Some(text) = &component.agent else {
            self.agent_of.push(None);
            return;
        };
        let known = self.agents.iter().position(|agent| agent.is(&text.raw));
        let at = match known {
            Some(at) => at,
            None => match ask(&text.raw, self.folder) {
                Ok(agent) => {
                    self.agents.push(Arc::new(agent));
                    self.agents.len() - 1
                }
                Err(message) => {
                    self.problems.push(Problem::error(text.at, message));
                    self.agent_of.push(None);
                    return;
                }
            },
        };
        self.agent_of.push(Some(at));
        let names = &self.agents[at].description().components;
        if !names.contains(&component.name) {
            let message = Message::new("agent-tune-no-component")
                .with("name", component.name.as_str())
                .with("known", names.join(", "));
            self.wrong(component.at, message);
        }
    }

    /// Whether a knob is of a component that an agent changes.
    pub(super) fn is_elsewhere(&self, knob: &StudyKnob) -> bool {
        let component = self.component_of(knob);
        component.is_some_and(|at| self.study.components[at].agent.is_some())
    }

    /// A knob on an agent's host: the agent's file says where it is, and what it may be at most.
    pub(super) fn of_agent(&mut self, knob: &StudyKnob) -> Option<(SpaceKnob, TargetKnob)> {
        let component = self.component_of(knob)?;
        // An agent that does not say anything was told of already.
        let agent = self.agents[self.agent_of.get(component).copied().flatten()?].clone();
        let says_where = [
            &knob.file,
            &knob.argument,
            &knob.env,
            &knob.command,
            &knob.sql,
            &knob.key,
        ];
        if says_where.iter().any(|it| it.is_some()) || knob.read_back.is_some() {
            let message = Message::new("tune-agent-says-where").with("name", knob.name.as_str());
            self.wrong(knob.at, message);
            return None;
        }
        let name = knob.knob.as_ref().map_or(&knob.name, |name| &name.raw);
        let owner = &self.study.components[component].name;
        let is = |there: &&HostKnob| there.name == *name && there.component == *owner;
        let knobs = &agent.description().knobs;
        let Some(there) = knobs.iter().find(is) else {
            let own = knobs.iter().filter(|there| there.component == *owner);
            let names: Vec<&str> = own.map(|there| there.name.as_str()).collect();
            let message = Message::new("agent-tune-no-knob")
                .with("name", name.as_str())
                .with("known", names.join(", "));
            self.wrong(knob.at, message);
            return None;
        };
        let domain = self.domain_there(knob, there)?;
        let setting = there.knob.as_deref().and_then(plimsoll_knobs::find);
        let gives = setting.and_then(|setting| setting.gives);
        self.is_allowed(knob, setting.map_or("", |setting| setting.id), gives);
        self.not_never(knob, setting.map(|setting| setting.id), None);
        let only_if = self.only_if(knob);
        let default = knob.default.as_ref().map(|default| default.raw.clone());
        let of_space = SpaceKnob {
            name: knob.name.clone(),
            domain,
            found: default.or_else(|| there.found.clone()),
            only_if,
            is_hidden: false,
        };
        let setting = setting.and_then(|knob| {
            let place = knob.places.first()?;
            Some(NamedSetting { knob, place })
        });
        let of_target = TargetKnob {
            name: knob.name.clone(),
            place: Place::Agent(there.name.clone()),
            component,
            by_reload: false,
            read_back: None,
            setting,
            gives,
        };
        Some((of_space, of_target))
    }

    /// What a study lets a knob be, if the agent does, too; without a word of the study all that the agent does.
    fn domain_there(&mut self, knob: &StudyKnob, there: &HostKnob) -> Option<Domain> {
        if knob.range.is_none() && knob.values.is_empty() {
            return Some(there.domain.clone());
        }
        let own = self.domain(knob)?;
        let own = match (own, &there.domain) {
            (
                Domain::Number {
                    from,
                    to,
                    step,
                    by_ratio,
                    unit,
                },
                Domain::Number { unit: theirs, .. },
            ) if unit.is_empty() => Domain::numbers(from, to, step, by_ratio, theirs),
            (own, _) => own,
        };
        let values = match &own {
            Domain::Choice(values) => values.clone(),
            number @ Domain::Number { .. } => vec![number.at(0.0), number.at(1.0)],
        };
        let beyond = values
            .iter()
            .find(|value| there.domain.allowed(value).is_none());
        if let Some(value) = beyond {
            let message = Message::new("agent-tune-no-value")
                .with("name", knob.name.as_str())
                .with("value", value.as_str())
                .with("allowed", there.domain.text());
            self.wrong(knob.at, message);
            return None;
        }
        Some(own)
    }
}

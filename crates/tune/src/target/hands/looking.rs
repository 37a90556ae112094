//! What the running target shows of its values.

use std::cell::OnceCell;
use std::time::{Duration, Instant};

use plimsoll_text::Message;

use super::Hands;
use crate::space::{Configuration, Domain, reads_as};
use crate::target::addresses::{listeners, listens};
use crate::target::place::{Place, TargetKnob};
use crate::target::readback::{ComponentSeen, Shown, as_found, look, look_by_name};
use crate::trial::{NotArrived, SeenValue, Stopped, TrialEnd};

/// A reload returns before the new settings hold: so long they are waited for at most,
const SETTLES_WITHIN: Duration = Duration::from_secs(5);
/// and it is looked for them so often.
const LOOK: Duration = Duration::from_millis(100);

impl Hands<'_> {
    /// Looks for all values in the running target, also for those that a reload or a command has just brought back; gives
    /// those that it showed, and the changed knobs that nothing could show.
    ///
    /// # Errors
    /// A value that did not arrive.
    pub fn read_back(
        &mut self,
        of: &Configuration,
    ) -> Result<(Vec<SeenValue>, Vec<String>), Stopped> {
        let looked = self.looked_for(of);
        let (seen, unseen) = looked.map_err(|stopped| self.because(stopped))?;
        self.shown = (!seen.is_empty()).then(|| of.clone());
        Ok((self.secrets.seen(seen), unseen))
    }

    /// Looks once more for what the target has shown: something else may have set it back.
    ///
    /// # Errors
    /// A value that did not stay.
    pub fn still_has(&mut self) -> Result<(), Stopped> {
        match self.shown.clone() {
            Some(of) => self.read_back(&of).map(|_| ()),
            None => Ok(()),
        }
    }

    fn looked_for(&mut self, of: &Configuration) -> Result<(Vec<SeenValue>, Vec<String>), Stopped> {
        self.look_at_found(of)?;
        let (mut instead, mut seen, mut unseen) = (Vec::new(), Vec::new(), Vec::new());
        for component in self.mine.iter().copied() {
            for (at, shown) in self.settled(of, component) {
                match shown {
                    Shown::Arrived(value) => seen.push(value),
                    Shown::Other(other) | Shown::Nothing(other) => instead.push(other),
                    Shown::NotConfirmed if of.0[at].is_some() => {
                        unseen.push(self.prepared.knobs[at].name.clone());
                    }
                    Shown::NotConfirmed => {}
                }
            }
        }
        match instead.is_empty() {
            true => Ok((seen, unseen)),
            false => Err(Stopped::End(TrialEnd::Void { instead })),
        }
    }

    /// Looks once whether the target shows the value of a knob that was found: only then it can be held to it later.
    fn look_at_found(&mut self, of: &Configuration) -> Result<(), Message> {
        for component in self.mine.clone() {
            let knobs = self.prepared.knobs.iter().enumerate();
            let new = knobs.filter(|(at, knob)| {
                let is_found = knob.component == component && of.0[*at].is_none();
                is_found && !self.found_shown.contains_key(at) && self.comes_while_it_runs(knob)
            });
            let new: Vec<usize> = new.map(|(at, _)| at).collect();
            self.look_at(component, &new)?;
        }
        Ok(())
    }

    /// The same of a knob that is about to be set for the first time.
    pub(super) fn look_before_it_is_set(&mut self, at: usize) -> Result<(), Message> {
        match self.found_shown.contains_key(&at) {
            true => Ok(()),
            false => self.look_at(self.prepared.knobs[at].component, &[at]),
        }
    }

    fn look_at(&mut self, component: usize, knobs: &[usize]) -> Result<(), Message> {
        let shown = self.shown_as_found(component, knobs)?;
        self.found_shown.extend(shown);
        Ok(())
    }

    /// Whether a component shows what was found of each of these knobs. What a study sets while the target runs must be
    /// what the study says that it is: that is what is brought back.
    fn shown_as_found(
        &self,
        component: usize,
        knobs: &[usize],
    ) -> Result<Vec<(usize, bool)>, Message> {
        let seen = OnceCell::new();
        let mut shown = Vec::new();
        for at in knobs {
            let (knob, in_space) = (&self.prepared.knobs[*at], &self.prepared.space.knobs[*at]);
            let now = in_space.found.as_deref().map(|found| {
                let seen = seen.get_or_init(|| self.seen(component));
                self.look_for(knob, &in_space.domain, found, seen)
            });
            if let Some(Shown::Other(other)) = &now
                && matches!(knob.place, Place::Command(_) | Place::Sql(_))
                && !self.set.contains_key(at)
                && is_clear(&in_space.domain, other)
            {
                return Err(Message::new("tune-another-default")
                    .with("name", other.knob.as_str())
                    .with("default", other.wanted.as_str())
                    .with("has", other.has.as_str()));
            }
            shown.push((*at, matches!(now, Some(Shown::Arrived(_)))));
        }
        Ok(shown)
    }

    /// Whether a value comes to a target that goes on, and may come late or not at all.
    fn comes_while_it_runs(&self, knob: &TargetKnob) -> bool {
        self.reloaded.contains(&knob.component)
            || matches!(knob.place, Place::Command(_) | Place::Sql(_))
    }

    fn look_for(
        &self,
        knob: &TargetKnob,
        domain: &Domain,
        wanted: &str,
        component: &ComponentSeen<'_>,
    ) -> Shown {
        match (&knob.setting, &knob.read_back) {
            (Some(setting), None) => look_by_name(knob, setting, wanted, component),
            _ => look(knob, domain, wanted, component),
        }
    }

    /// What a component shows of what a configuration wants, by the places of knobs; after a reload once it shows that.
    fn settled(&self, of: &Configuration, component: usize) -> Vec<(usize, Shown)> {
        let until = Instant::now() + SETTLES_WITHIN;
        loop {
            let seen = self.seen(component);
            let all = self.wanted(of, component).map(|(at, wanted)| {
                let (knob, in_space) = (&self.prepared.knobs[at], &self.prepared.space.knobs[at]);
                (at, self.look_for(knob, &in_space.domain, wanted, &seen))
            });
            let all: Vec<_> = all.collect();
            let settles = |(at, shown): &(usize, Shown)| {
                let is_told_later = self.comes_while_it_runs(&self.prepared.knobs[*at]);
                is_told_later && matches!(shown, Shown::Other(_) | Shown::Nothing(_))
            };
            let is_over = Instant::now() >= until || self.interrupt.is_hit();
            if is_over || !all.iter().any(settles) {
                return all;
            }
            std::thread::sleep(LOOK);
        }
    }

    /// What the target that was just started shows of knobs of which nobody knows yet what they are.
    #[must_use]
    pub fn as_found(&self) -> Vec<SeenValue> {
        let mut all = Vec::new();
        for at in self.mine.iter().copied() {
            let knobs = self.prepared.knobs.iter().zip(&self.prepared.space.knobs);
            let unknown = knobs.filter(|(knob, it)| knob.component == at && it.found.is_none());
            let named = unknown.filter_map(|(knob, _)| Some((knob, knob.setting.as_ref()?)));
            let named: Vec<_> = named.collect();
            if !named.is_empty() {
                let component = self.seen(at);
                all.extend(as_found(&named, &component));
            }
        }
        self.secrets.seen(all)
    }

    /// The knobs of a component of which it is known what they should be: those that a configuration changes, and those
    /// that are brought back while it runs, where it can show them.
    fn wanted<'c>(
        &'c self,
        of: &'c Configuration,
        component: usize,
    ) -> impl Iterator<Item = (usize, &'c str)> {
        let knobs = self.prepared.knobs.iter().enumerate();
        let own = knobs.filter(move |(_, knob)| knob.component == component);
        own.filter_map(move |(at, knob)| match &of.0[at] {
            Some(value) => Some((at, value.as_str())),
            None if self.comes_while_it_runs(knob) && self.found_shown.get(&at) == Some(&true) => {
                let found = self.prepared.space.knobs[at].found.as_deref()?;
                Some((at, found))
            }
            None => None,
        })
    }

    /// A component as it is asked for its settings.
    fn seen(&self, at: usize) -> ComponentSeen<'_> {
        let spec = &self.prepared.study.components[at];
        let component = &self.components[at];
        let listens = spec.ready.as_ref().and_then(|ready| listens(&ready.raw));
        ComponentSeen {
            mark: component.is_ours().then(|| component.mark()),
            folder: &self.prepared.folder,
            sources: &self.prepared.sources[at],
            found: OnceCell::new(),
            listeners: listens.as_deref().map(listeners).unwrap_or_default(),
            listens,
            database: self.prepared.database(at).ok(),
            interrupt: self.interrupt.clone(),
        }
    }
}

/// Whether what a target shows instead of what the study says is clearly a value, and not another form of it.
fn is_clear(domain: &Domain, other: &NotArrived) -> bool {
    let is_number = |text: &str| text.trim().parse::<f64>().is_ok();
    let is_one = |value: &String| domain.same(value, &other.has) || reads_as(value, &other.has);
    match domain {
        Domain::Number { .. } => domain.number(&other.has).is_some(),
        Domain::Choice(values) => {
            values.iter().any(is_one) || is_number(&other.wanted) && is_number(&other.has)
        }
    }
}

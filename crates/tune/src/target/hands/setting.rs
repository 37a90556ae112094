//! Knobs that are set while the target runs, or in the kernel.

use std::time::Instant;

use plimsoll_text::Message;

use super::{Hands, failed_command};
use crate::space::Configuration;
use crate::target::domains::in_domain;
use crate::target::journal::{Entry, KernelText};
use crate::target::named::of_kernel;
use crate::target::place::{Place, TargetKnob};
use crate::target::values::{SetLimit, set_value};
use crate::trial::Stopped;

impl Hands<'_> {
    /// Knobs that commands set, or that are the kernel's, before what asks for them begins; one that was set
    /// before and is no more gets what it was.
    pub(super) fn set_values(
        &mut self,
        of: &Configuration,
        of_the_kernel: bool,
    ) -> Result<(), Stopped> {
        let prepared = self.prepared;
        let limit = SetLimit::until(&self.interrupt);
        for (at, knob) in prepared.knobs.iter().enumerate() {
            let is_turn = match knob.place {
                Place::Command(_) | Place::Sql(_) => !of_the_kernel,
                Place::Value(_) => of_the_kernel,
                _ => false,
            };
            if !is_turn || !self.mine.contains(&knob.component) {
                continue;
            }
            let Some(value) = self.value_to_set(of, at) else {
                continue;
            };
            if !of_the_kernel && !self.set.contains_key(&at) {
                self.look_before_it_is_set(at)?;
            }
            if !self.is_noted(at)? {
                continue;
            }
            let begun = Instant::now();
            set_value(prepared, knob, &value, &limit).map_err(failed_command)?;
            self.slowest = self.slowest.max(begun.elapsed());
        }
        Ok(())
    }

    /// What a knob is set to: its value, or what it was where it was set before.
    pub(super) fn value_to_set(&self, of: &Configuration, at: usize) -> Option<String> {
        of.0[at].clone().or_else(|| self.set.get(&at).cloned())
    }

    /// Writes down what a knob is before it is set for the first time; says whether anybody knows that.
    pub(super) fn is_noted(&mut self, at: usize) -> Result<bool, Message> {
        if self.set.contains_key(&at) {
            return Ok(true);
        }
        let Some(was) = self.is_before(at)? else {
            return Ok(false);
        };
        let entry = set_entry(&self.prepared.knobs[at], &was);
        self.write_down(entry)?;
        self.set.insert(at, was);
        Ok(true)
    }

    /// What a knob is before it is set for the first time: in the kernel it may have changed since the study was
    /// read, also by another study.
    fn is_before(&self, at: usize) -> Result<Option<String>, Message> {
        let (knob, in_space) = (&self.prepared.knobs[at], &self.prepared.space.knobs[at]);
        let now = match (&knob.place, &knob.setting) {
            (Place::Value(path), Some(setting)) => of_kernel(setting, path)?
                .map(|value| in_domain(setting.knob, &value, &in_space.domain)),
            _ => None,
        };
        Ok(now.or_else(|| in_space.found.clone()))
    }
}

/// That a knob is about to be set which is so far as it was.
fn set_entry(knob: &TargetKnob, was: &str) -> Entry {
    let kernel = match &knob.place {
        Place::Value(path) => Some(KernelText {
            path: path.clone(),
            text: knob.spelled(was),
        }),
        _ => None,
    };
    Entry::Set {
        knob: knob.name.clone(),
        was: was.to_owned(),
        kernel,
    }
}

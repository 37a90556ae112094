//! A context of no user, before the run.

use std::borrow::Cow;
use std::cell::Cell;
use std::rc::Rc;

use plimsoll_access::Access;
use plimsoll_plan::model::Action;
use plimsoll_plan::program::{SiteId, Template};

use super::{Context, Fault, Own, Properties, Shared, ThreadInfo};
use crate::result::SampleResult;

/// Nobody, before the run: nothing is known but the arguments of a call, and it is noted whether anything else
/// was asked for, or was to be changed.
#[derive(Default)]
pub(crate) struct Nobody {
    asked: Cell<bool>,
    access: Access,
    properties: Properties,
    own: Own,
    shared: Shared,
}

impl Nobody {
    /// Whether something was asked for that only a user in a run has.
    pub(crate) fn was_asked(&self) -> bool {
        self.asked.get()
    }

    fn unknown<T: Default>(&self) -> T {
        self.asked.set(true);
        T::default()
    }

    fn refused<T>(&self) -> Result<T, Fault> {
        self.asked.set(true);
        Err(Fault::new("is known in a run alone"))
    }
}

impl Context for Nobody {
    fn text<'t>(&mut self, template: &'t Template) -> Result<Cow<'t, str>, Fault> {
        template
            .as_text()
            .map_or_else(|| self.refused(), |text| Ok(Cow::Borrowed(text)))
    }

    fn evaluate(&mut self, _: &str) -> Result<String, Fault> {
        self.refused()
    }

    fn get(&self, _: &str) -> Option<Rc<str>> {
        self.unknown()
    }

    fn set(&mut self, _: &str, _: &str) {
        self.unknown()
    }

    fn remove(&mut self, _: &str) {
        self.unknown()
    }

    fn names(&self) -> Vec<String> {
        self.unknown()
    }

    fn access(&self) -> &Access {
        self.asked.set(true);
        &self.access
    }

    fn properties(&self) -> &Properties {
        self.asked.set(true);
        &self.properties
    }

    fn random_bits(&mut self) -> u64 {
        self.unknown()
    }

    fn unix_ms(&self) -> u64 {
        self.unknown()
    }

    fn thread(&self) -> ThreadInfo {
        self.unknown()
    }

    fn own(&mut self, _: SiteId) -> &mut Own {
        &mut self.own
    }

    fn shared(&self, _: SiteId) -> &Shared {
        &self.shared
    }

    fn sampler_name(&self) -> Option<Rc<str>> {
        self.unknown()
    }

    fn previous(&self) -> Option<&SampleResult> {
        self.unknown()
    }

    fn ask(&mut self, _: Action) {
        self.unknown()
    }

    fn javascript(&mut self, _: &str, _: &[(&str, &str)]) -> Result<String, Fault> {
        self.refused()
    }

    fn remote(&mut self, _: &str, _: SiteId, _: &[String]) -> Result<String, Fault> {
        self.refused()
    }

    /// What is written to the log is an error nearly always: the run shall say it.
    fn log(&mut self, _: &str) {
        self.unknown()
    }
}

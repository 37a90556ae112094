//! What makes two uses of something one thing that users share.

use std::collections::HashMap;

use crate::model::SharedBy;
use crate::program::{Register, SharedId};

/// What makes two uses one thing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum SharedKey {
    /// Things with a name of their own: locks, rendezvous, counters of functions.
    Named(&'static str, String),
    /// An element of the plan, by its address in the model: an element of an outer scope is
    /// met again in every request and scenario below it.
    Element(usize),
    /// The same, apart for each scenario.
    OfScenario(usize, u32),
}

/// The things that are shared, by their keys.
#[derive(Default)]
pub(super) struct SharedKeys {
    pub(super) known: HashMap<SharedKey, SharedId>,
    pub(super) scenario: u32,
    /// Registers of elements of scopes, in this scenario.
    registers: HashMap<usize, Register>,
    /// Where rendezvous are used: name and scenario.
    pub(super) meetings: Vec<(String, u32)>,
}

impl SharedKeys {
    pub fn begin_scenario(&mut self) {
        self.scenario += 1;
        self.registers.clear();
    }

    /// The key of an element shared by these users; none: each user has its own.
    pub fn key<T>(&self, element: &T, shared_by: SharedBy) -> Option<SharedKey> {
        let address = std::ptr::from_ref(element).addr();
        match shared_by {
            SharedBy::User => None,
            SharedBy::Scenario => Some(SharedKey::OfScenario(address, self.scenario)),
            SharedBy::All => Some(SharedKey::Element(address)),
        }
    }

    /// The register of an element that several requests share.
    pub fn register<T>(&mut self, element: &T, new: impl FnOnce() -> Register) -> Register {
        *self
            .registers
            .entry(std::ptr::from_ref(element).addr())
            .or_insert_with(new)
    }
}

//! The parts of an account while they are found: one line for what is the same.

use super::model::{AccountBasis, AccountPart, PartKind};
use super::seen::Whose;

/// Less of the response time than this is no line of its own.
const LEAST_SHARE: f64 = 0.000_5;

/// Parts so far.
#[derive(Debug, Default)]
pub(super) struct Parts {
    found: Vec<AccountPart>,
}

impl Parts {
    pub fn add(&mut self, kind: PartKind, whose: &Whose, ms: f64, basis: AccountBasis) {
        self.add_one((kind, "", ""), whose, ms, basis);
    }

    /// The same of what waits for a peer.
    pub fn add_for(&mut self, whose: &Whose, peer: &str, ms: f64, basis: AccountBasis) {
        self.add_one((PartKind::WaitingFor, peer, ""), whose, ms, basis);
    }

    /// The same of packets on their way to a peer, or back.
    pub fn add_between(&mut self, whose: &Whose, peer: &str, ms: f64) {
        let kind = (PartKind::Network, peer, "");
        self.add_one(kind, whose, ms, AccountBasis::Wire);
    }

    /// The same of threads that wait inside.
    pub fn add_state(&mut self, whose: &Whose, state: &'static str, ms: f64) {
        let kind = (PartKind::WaitingInside, "", state);
        self.add_one(kind, whose, ms, AccountBasis::Threads);
    }

    fn add_one(
        &mut self,
        (kind, peer, state): (PartKind, &str, &'static str),
        whose: &Whose,
        ms: f64,
        basis: AccountBasis,
    ) {
        if ms <= 0.0 || !ms.is_finite() {
            return;
        }
        let same = |part: &&mut AccountPart| {
            part.kind == kind
                && part.process == whose.process
                && part.host == whose.host
                && part.peer == peer
                && part.state == state
        };
        match self.found.iter_mut().find(same) {
            Some(part) => part.ms += ms,
            None => self.found.push(AccountPart {
                kind,
                process: whose.process.clone(),
                host: whose.host.clone(),
                peer: peer.to_owned(),
                state,
                ms,
                basis,
            }),
        }
    }

    /// Takes up to so much from parts of which something holds; gives what was taken.
    pub fn take(&mut self, wanted_ms: f64, holds: impl Fn(&AccountPart) -> bool) -> f64 {
        let mut left_ms = wanted_ms;
        for part in self.found.iter_mut().filter(|part| holds(part)) {
            let taken = part.ms.min(left_ms);
            part.ms -= taken;
            left_ms -= taken;
        }
        wanted_ms - left_ms
    }

    /// The parts of that time, in the order in which they were found, what is not accounted for
    /// last; what is too little for a line is not accounted for.
    pub fn of(mut self, response_ms: f64) -> Vec<AccountPart> {
        self.found
            .retain(|part| part.ms >= LEAST_SHARE * response_ms);
        let sum_ms: f64 = self.found.iter().map(|part| part.ms).sum();
        let rest_ms = response_ms - sum_ms;
        if rest_ms >= LEAST_SHARE * response_ms {
            let nobody = Whose::default();
            self.add(PartKind::Unaccounted, &nobody, rest_ms, AccountBasis::Load);
        }
        self.found
            .sort_by_key(|part| part.kind == PartKind::Unaccounted);
        self.found
    }
}

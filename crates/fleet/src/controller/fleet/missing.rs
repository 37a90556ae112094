//! Load that nobody made although it was planned.

use serde::{Deserialize, Serialize};

use crate::share::Assignment;

/// Load that nobody made although it was planned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnmadeLoad {
    /// The worker that should have made it.
    pub worker: usize,
    /// The share.
    pub share: u32,
    /// Since when, on the run's clock.
    pub from_ns: u64,
    /// Until when; none: until the end.
    pub to_ns: Option<u64>,
}

/// What was missing so far.
#[derive(Debug, Default)]
pub(super) struct MissingSoFar(Vec<UnmadeLoad>);

impl MissingSoFar {
    pub(super) fn of(known: &[UnmadeLoad]) -> Self {
        Self(known.to_vec())
    }

    pub(super) fn all(&self) -> &[UnmadeLoad] {
        &self.0
    }

    /// Nobody makes the share of an assignment from that moment on.
    pub(super) fn begin(&mut self, of: &Assignment, from_ns: u64) {
        // Nobody made it in between: what was missing goes on to be so.
        let known = self.0.iter_mut().find(|missing| {
            missing.share == of.share && missing.to_ns.is_none_or(|to_ns| to_ns >= from_ns)
        });
        match known {
            Some(known) => known.to_ns = None,
            None => self.add(of, from_ns, None),
        }
    }

    /// An assignment, which is `over` if another has its share, had no lease for a while.
    pub(super) fn without_lease(&mut self, of: &Assignment, over: bool, from_ns: u64, to_ns: u64) {
        let known = self.0.iter_mut().find(|missing| {
            let overlaps = missing.from_ns <= to_ns && missing.to_ns.is_none_or(|to| to >= from_ns);
            missing.share == of.share && missing.worker == of.worker && overlaps
        });
        match known {
            Some(known) => {
                known.from_ns = known.from_ns.min(from_ns);
                // A share that has moved is made by another from then on.
                if !over {
                    known.to_ns = known.to_ns.map(|known_ns| known_ns.max(to_ns));
                }
            }
            None => self.add(of, from_ns, Some(to_ns)),
        }
    }

    fn add(&mut self, of: &Assignment, from_ns: u64, to_ns: Option<u64>) {
        self.0.push(UnmadeLoad {
            worker: of.worker,
            share: of.share,
            from_ns,
            to_ns,
        });
    }

    /// An assignment made load in the second that ends then.
    pub(super) fn made(&mut self, of: &Assignment, end_ns: u64) {
        for missing in &mut self.0 {
            let begins_in = missing.from_ns < end_ns && missing.from_ns + 1_000_000_000 >= end_ns;
            if missing.share == of.share && missing.worker == of.worker && begins_in {
                missing.from_ns = end_ns;
            }
        }
        self.0
            .retain(|missing| missing.to_ns.is_none_or(|to_ns| to_ns > missing.from_ns));
    }

    /// A worker is there again, with the shares that it kept.
    pub(super) fn back(&mut self, worker: usize, kept: &[u32], at_ns: u64) {
        let is = |missing: &UnmadeLoad| missing.worker == worker && kept.contains(&missing.share);
        self.close(is, at_ns);
    }

    /// Somebody makes a share from that moment on.
    pub(super) fn end(&mut self, share: u32, at_ns: u64) {
        self.close(|missing| missing.share == share, at_ns);
    }

    fn close(&mut self, is: impl Fn(&UnmadeLoad) -> bool, at_ns: u64) {
        let open = self.0.iter_mut().filter(|missing| missing.to_ns.is_none());
        for missing in open.filter(|missing| is(missing)) {
            missing.to_ns = Some(at_ns);
        }
    }

    /// Since when the share of an assignment is missing.
    pub(super) fn since(&self, of: &Assignment) -> u64 {
        let open = |missing: &&UnmadeLoad| missing.share == of.share && missing.to_ns.is_none();
        let open = self.0.iter().find(open);
        open.map_or(of.from_ns, |missing| missing.from_ns)
    }
}

//! Workers that do not come back: whether they ended or may have worked on unheard, and what they
//! have taken with them.

use super::{Fleet, HeldAssignment, KnownWorker};
use crate::controller::Planned;
use crate::lost::{AFTER_LIFE_NS, Pulse};
use crate::share::Assignment;

/// A worker that was not heard for this long is worth asking whether it is there.
const QUIET_NS: u64 = 1_000_000_000;

/// A connection that is found closed within this time of the last sign of life was closed by the
/// end of its process: one that had only broken would have been made again.
const CLOSED_WITHIN_NS: u64 = 3_000_000_000;

impl Fleet {
    /// Workers from which nothing was heard for a while.
    #[must_use]
    pub fn quiet(&self, now_ns: u64) -> Vec<usize> {
        let quiet = |worker: &KnownWorker| {
            !worker.closed && now_ns.saturating_sub(worker.heard_ns) >= QUIET_NS
        };
        let all = self.workers.iter().enumerate();
        all.filter(|(_, worker)| quiet(worker))
            .map(|(at, _)| at)
            .collect()
    }

    /// The controller's own connection broke: what is not heard says nothing of workers until they
    /// were heard again.
    pub fn doubted(&mut self, now_ns: u64) {
        self.doubted_ns = now_ns;
    }

    /// A worker's connection is closed: nobody takes its orders.
    pub fn closed(&mut self, worker: usize, now_ns: u64) {
        let doubted_ns = self.doubted_ns;
        if let Some(worker) = self.workers.get_mut(worker) {
            worker.closed |= worker.heard_ns > doubted_ns
                && now_ns.saturating_sub(worker.heard_ns) <= CLOSED_WITHIN_NS;
        }
    }

    /// What assignments have started and reported that have not come to their ends, moments on the
    /// run's clock: for a controller that takes the run up again.
    #[must_use]
    pub fn pulses(&self) -> Vec<(u32, Pulse)> {
        let open = self.held.iter().filter(|(_, held)| !held.pulse.complete);
        let on_run = |(number, held): (&u32, &HeldAssignment)| {
            let mut pulse = held.pulse;
            pulse.heard_ns = pulse.heard_ns.saturating_sub(self.zero_ns);
            (*number, pulse)
        };
        open.map(on_run).collect()
    }

    /// Takes up what a controller before this one knew.
    pub fn restore_pulses(&mut self, known: &[(u32, Pulse)]) {
        for (number, pulse) in known {
            if let Some(held) = self.held.get_mut(number) {
                let complete = held.pulse.complete;
                held.pulse = *pulse;
                held.pulse.heard_ns = self.zero_ns.saturating_add(pulse.heard_ns);
                held.pulse.complete = complete;
            }
        }
    }

    /// What workers that never came back may have lost: of which assignment, from, to on the run's
    /// clock, and how many requests at most. Nothing can be lost that was not `planned`.
    #[must_use]
    pub fn losses(&self, planned: &Planned) -> Vec<(Assignment, u64, u64, u64)> {
        // Shares are equal, so that any of them tells how quick one can become.
        let of_any = self.held.values().map(|held| held.pulse.peak_per_s);
        let of_any = of_any.fold(0.0, f64::max);
        let losses = self.held.values().filter_map(|held| {
            let pulse = &held.pulse;
            let after_life_ns = pulse.heard_ns + AFTER_LIFE_NS;
            let worker = self.workers.get(held.assignment.worker)?;
            let (until_ns, per_s) = match worker.closed {
                true if pulse.peak_per_s > 0.0 => (after_life_ns, pulse.peak_per_s),
                true => (after_life_ns, of_any),
                // It may have worked on unheard.
                false => (after_life_ns.max(worker.given.over_ns()), of_any),
            };
            // Nothing begins after the load's end.
            let until_ns = until_ns.min(self.load_end_ns.max(pulse.heard_ns));
            let (from_ns, to_ns, most) = pulse.loss(self.zero_ns, until_ns, per_s)?;
            let most = match planned(&held.assignment, to_ns) {
                Some(planned) => most.min(planned.saturating_sub(pulse.counted)),
                None => most,
            };
            (most > 0).then_some((held.assignment, from_ns, to_ns, most))
        });
        losses.collect()
    }
}

//! A session whose load is raised at its end.

use plimsoll_load::clock::Nanos;
use plimsoll_load::engine::Second;
use plimsoll_load::schedule::{NewLoad, TimedChange};
use plimsoll_stats::LabelInfo;
use plimsoll_text::Message;

use super::Session;
use super::probe::{AHEAD_NS, SECOND_NS};
use crate::changes;
use crate::watching::load_second;

impl Session {
    /// Raises the load where that was asked for; gives whether the second is no part of the result.
    pub(super) fn probe_second(&mut self, second: &Second<'_>, labels: &[LabelInfo]) -> bool {
        let Some(mut probe) = self.probe.take() else {
            return false;
        };
        let ends = self.aborted || self.unreachable || self.control.interrupt.is_hit();
        if !second.after_load && !ends {
            let load = load_second(second, labels);
            let before = probe.ends_s();
            let told = probe.second(second.second, load, &self.control.steer);
            if let Some((at_ns, message)) = told {
                self.tell(at_ns, &message);
            }
            if let Some(from_s) = probe.ends_s().filter(|_| before.is_none()) {
                self.result_ends(from_s);
            }
        }
        let is_probed = probe.ends_s().is_some_and(|from_s| second.second >= from_s);
        self.probe = Some(probe);
        is_probed
    }

    /// From that second on nothing is in the result.
    pub(super) fn result_ends(&mut self, from_s: u64) {
        self.hearers.sums.ends(from_s);
        let from_s = u32::try_from(from_s).unwrap_or(u32::MAX);
        self.meta.probe_from_s = Some(from_s);
        let stored = self.hearers.store.writer.probe_begins(from_s);
        self.check_store(stored);
    }

    /// Keeps what came of it, of a load that ended then.
    pub(super) fn probe_ends(&mut self, load_end_ns: Nanos) {
        let probe = self.probe.take();
        self.probed = probe.and_then(|probe| probe.summary(load_end_ns));
    }

    /// The changes of the load that are told as such: not those by which it is raised after the result.
    pub(super) fn told_changes(&self) -> Vec<TimedChange> {
        let all = self.control.steer.changes_from(0);
        let asked = |timed: &&TimedChange| !self.is_probes_own(timed);
        all.iter().filter(asked).cloned().collect()
    }

    pub(super) fn is_probes_own(&self, timed: &TimedChange) -> bool {
        let is_named = matches!(timed.change.to, NewLoad::Users(_) | NewLoad::Rate(_));
        let from_ns = self
            .meta
            .probe_from_s
            .map(|from_s| u64::from(from_s) * SECOND_NS);
        let Some(from_ns) = from_ns else {
            return false;
        };
        let goes_on = matches!(timed.change.to, NewLoad::Longer(_))
            && timed.at_ns.saturating_add(AHEAD_NS + 4 * SECOND_NS) >= from_ns;
        goes_on || (is_named && timed.at_ns >= from_ns)
    }

    /// What is told of changes from a number on.
    pub(super) fn changes_to_tell(&self, number: usize) -> Vec<(Nanos, Message)> {
        let fresh = self.control.steer.changes_from(number).into_iter();
        let fresh = fresh.filter(|timed| !self.is_probes_own(timed));
        fresh
            .map(|timed| (timed.at_ns, changes::event_of(&timed)))
            .collect()
    }
}

//! Seconds that are complete are kept, and only then confirmed to the journal.

use std::time::Duration;

use plimsoll_text::Message;

use super::conductor::Conductor;
use crate::controller::tell::{add_end, name_of};
use crate::controller::{Note, Results, refusal, stored};
use crate::merge::Merged;
use crate::wire::report::ReportEnd;

/// What could not be kept is offered again after this time.
const STORE_AGAIN_NS: u64 = 1_000_000_000;

/// Confirming what was kept may take this long; what is not confirmed is so with what follows.
const CONFIRM_WAIT: Duration = Duration::from_millis(500);

/// What workers have started is kept so often.
const PULSES_EVERY_NS: u64 = 5_000_000_000;

impl Conductor<'_> {
    /// Keeps all seconds that are complete, then confirms what they are made of.
    pub(super) async fn tell(&mut self, results: &mut dyn Results) {
        if self.unkept.is_some() && (self.desk.now)() < self.again_ns {
            return;
        }
        while let Some((merged, notes)) = self.unkept.take().or_else(|| self.next(results)) {
            if let Err(reason) = results.second(&merged, &notes) {
                self.cannot_keep(&reason, results);
                self.unkept = Some((merged, notes));
                return;
            }
            self.merger.kept(&merged);
            self.kept(results);
            for event in &merged.events {
                results.event(event.at_ns, &Message::from(&event.said), event.is_error);
            }
            let from_ns = merged.second * 1_000_000_000;
            for (of, withheld) in &merged.withheld {
                // What a lost worker withheld after another had its share was made by that one.
                if !self.fleet.is_replaced(*of, from_ns) {
                    self.run.withheld += withheld;
                    self.unkept_run = true;
                }
            }
            self.confirm(&merged.places).await;
        }
        for (of, end, place) in self.merger.ended() {
            self.ended(of, &end, place, results).await;
        }
    }

    /// Confirms entries of the journal that are kept. A link that is cut holds up nothing: what is
    /// not confirmed now is known when it is read again.
    pub(super) async fn confirm(&self, places: &[u64]) {
        let _ = tokio::time::timeout(CONFIRM_WAIT, self.journal.acknowledge(places)).await;
    }

    fn next(&mut self, results: &mut dyn Results) -> Option<(Merged, Vec<Note>)> {
        let merged = self.merger.take_next()?;
        let fresh = self.merger.labels.fresh();
        if !fresh.is_empty() {
            results.labels(&fresh);
        }
        let note = |of: &u32| {
            let ids = serde_json::to_string(&self.merger.labels.of(*of)).unwrap_or_default();
            (stored::labels_key(*of), ids)
        };
        let notes = merged.named.iter().map(note).collect();
        Some((merged, notes))
    }

    async fn ended(&mut self, of: u32, end: &ReportEnd, place: u64, results: &mut dyn Results) {
        let json = serde_json::to_string(end).unwrap_or_default();
        // What is not kept is not confirmed: a controller that takes over hears it again.
        if results.note(&[(stored::end_key(of), json)]).is_ok() {
            self.confirm(&[place]).await;
        }
        for event in &end.events {
            results.event(event.at_ns, &Message::from(&event.said), event.is_error);
        }
        let name = self.name_of_assignment(of);
        if let Some(why) = &end.failed {
            let message = refusal(&name, why);
            results.event(end.load_end_ns, &message, true);
        } else if end.released {
            let message = Message::new("event-fleet-released").with("name", name);
            results.event(end.load_end_ns, &message, true);
        }
        add_end(&mut self.end, end, self.any_end);
        self.any_end = true;
    }

    fn name_of_assignment(&self, of: u32) -> String {
        let assignment = self.fleet.assignments().find(|a| a.number == of);
        assignment.map_or_else(String::new, |a| name_of(&self.run, a.worker))
    }

    fn cannot_keep(&mut self, reason: &str, results: &mut dyn Results) {
        self.again_ns = (self.desk.now)() + STORE_AGAIN_NS;
        if !self.told_full {
            self.told_full = true;
            let message = Message::new("event-fleet-store-waits").with("reason", reason);
            let at_ns = self.run_ns();
            results.event(at_ns, &message, true);
        }
    }

    fn kept(&mut self, results: &mut dyn Results) {
        if self.told_full {
            self.told_full = false;
            let at_ns = self.run_ns();
            results.event(at_ns, &Message::new("event-fleet-store-goes-on"), false);
        }
    }

    /// Keeps who works on what, when that has changed.
    pub(super) fn keep_run(&mut self, results: &mut dyn Results) {
        self.keep_clocks(results);
        if !self.unkept_run {
            return;
        }
        self.run.assignments = self.fleet.assignments().copied().collect();
        self.run.missing = self.fleet.missing().to_vec();
        let json = serde_json::to_string(&self.run).unwrap_or_default();
        self.unkept_run = results.note(&[(stored::RUN.to_owned(), json)]).is_err();
    }

    /// Keeps what workers have started and reported, from time to time: of what came after it the
    /// most is taken to be lost.
    pub(super) fn keep_pulses(&mut self, now_ns: u64, results: &mut dyn Results) {
        if now_ns.saturating_sub(self.pulses_ns) < PULSES_EVERY_NS {
            return;
        }
        self.pulses_ns = now_ns;
        let json = serde_json::to_string(&self.fleet.pulses()).unwrap_or_default();
        // A disk that is full now gets the next one.
        let _ = results.note(&[(stored::PULSES.to_owned(), json)]);
    }

    /// What is left when nobody is awaited any more.
    pub(super) async fn tell_rest(&mut self, results: &mut dyn Results) {
        let all: Vec<u32> = self.fleet.assignments().map(|of| of.number).collect();
        all.into_iter()
            .for_each(|number| self.merger.wait_for(number, false));
        self.tell(results).await;
    }
}

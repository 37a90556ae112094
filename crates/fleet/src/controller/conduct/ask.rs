//! What the controller asks workers while a run goes on: what their clocks read, and whether those
//! that are not heard are there at all.

use std::time::Duration;

use super::conductor::{Aside, Conductor};
use crate::controller::clocks::{self, ClockFix, EXCHANGES};
use crate::controller::stored;
use crate::controller::{Results, tell};
use crate::link::LinkError;
use crate::wire::{self, WorkerOrder};

/// Clocks are measured again so often.
const CLOCKS_EVERY_NS: u64 = 30_000_000_000;

/// A worker that is not heard is asked so often whether it is there, and gets so long to respond.
const ASK_EVERY_NS: u64 = 500_000_000;
const ASK_WAIT: Duration = Duration::from_millis(500);

impl Conductor<'_> {
    /// Asks what is due.
    pub(super) fn ask(&mut self, now_ns: u64) {
        let connections = self.desk.link.connections();
        if connections != self.asked.connections {
            self.asked.connections = connections;
            self.fleet.doubted(now_ns);
        }
        if now_ns.saturating_sub(self.asked.quiet_ns) >= ASK_EVERY_NS {
            self.asked.quiet_ns = now_ns;
            for worker in self.fleet.quiet(now_ns) {
                self.ask_quiet(worker);
            }
        }
        if now_ns.saturating_sub(self.asked.clocks_ns) > CLOCKS_EVERY_NS {
            self.asked.clocks_ns = now_ns;
            self.measure_again();
        }
    }

    /// Asks whether a worker's connection stands: a process that was killed has none, one whose
    /// link was cut seems to have one still.
    fn ask_quiet(&self, worker: usize) {
        let Ok(question) = wire::encode(&WorkerOrder::Announce) else {
            return;
        };
        let (desk, aside) = (self.desk.clone(), self.aside.clone());
        let (subject, connections) = (self.subject_of(worker), self.asked.connections);
        tokio::spawn(async move {
            let response = desk.link.request(&subject, question, ASK_WAIT).await;
            let same = desk.link.connections() == connections;
            if same && matches!(response, Err(LinkError::Nobody { .. })) {
                // The loop may have ended.
                let _ = aside.send(Aside::Closed { worker });
            }
        });
    }

    fn measure_again(&self) {
        for worker in 0..self.run.workers.len() {
            if self.fleet.is_silent(worker) {
                continue;
            }
            let (desk, aside) = (self.desk.clone(), self.aside.clone());
            let (subject, to_unix_ns) = (self.subject_of(worker), self.to_unix_ns);
            tokio::spawn(async move {
                if let Ok(fix) = clocks::measure(&desk, &subject, EXCHANGES, to_unix_ns).await {
                    // The loop may have ended.
                    let _ = aside.send(Aside::Clock { worker, fix });
                }
            });
        }
    }

    /// A clock was measured again. One that became worse known than a run may begin with is told
    /// of, once.
    pub(super) fn measured(&mut self, at: usize, fix: ClockFix, results: &mut dyn Results) {
        let Some(worker) = self.run.workers.get_mut(at) else {
            return;
        };
        let limit_ns = self.run.clock_error_ns;
        let was_known = worker.worst_error_ns <= limit_ns;
        worker.clock = fix;
        worker.worst_error_ns = worker.worst_error_ns.max(fix.error_ns);
        if was_known && fix.error_ns > limit_ns {
            let message = tell::clock(worker);
            results.event(self.run_ns(), &message, true);
        }
        self.unkept_run = true;
        self.see_clock(at);
    }

    /// Keeps measurements that are not kept yet, under a key of their own.
    pub(super) fn keep_clocks(&mut self, results: &mut dyn Results) {
        let fresh = self.clocks.get(self.kept_clocks..).unwrap_or_default();
        if fresh.is_empty() {
            return;
        }
        let json = serde_json::to_string(fresh).unwrap_or_default();
        let key = stored::clocks_key(self.kept_clocks);
        if results.note(&[(key, json)]).is_ok() {
            self.kept_clocks = self.clocks.len();
        }
    }
}

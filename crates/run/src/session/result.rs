//! How a session ends: its result, judged and kept.

use plimsoll_load::engine::Ended;
use plimsoll_stats::{
    GeneratorSummary, LabelInterval, Outcome, ScenarioSummary, Summary, Times, goal,
    judge_generator,
};
use plimsoll_store::{StoreError, rfc3339};
use plimsoll_text::Message;

use super::{Made, Session};
use crate::hearers::Hearer as _;

impl Session {
    /// Ends the session: the run's summary is made and kept.
    ///
    /// # Errors
    /// When the run cannot be read back.
    pub fn finish(mut self, ended: Option<&Ended>) -> Result<Made, StoreError> {
        self.hear_changes();
        self.hearers.take_in(self.control.take_fresh());
        let lost = self.hearers.load_over();
        self.lost(0, lost);
        if let Some(ended) = ended {
            self.probe_ends(ended.load_end_ns);
            #[expect(clippy::cast_precision_loss)]
            self.hearers.sums.set_end(ended.load_end_ns as f64 / 1e9);
            self.lost_threads = ended.lost_threads;
            if ended.discarded > 0 {
                let message = Message::new("event-discarded").with("count", ended.discarded);
                self.tell(ended.end_ns, &message);
            }
        }
        if let Some(target) = self.target.take() {
            let heard = target.finish(&mut self.hearers);
            self.hear(heard);
        }
        if self.control.interrupt.is_hit() {
            let at_ns = ended.map_or(0, |ended| ended.load_end_ns);
            let reason = self.control.reason.get().cloned();
            let message = reason.unwrap_or_else(|| Message::new("event-interrupted"));
            self.keep(at_ns, &message);
        }
        let failed = ended.is_none_or(|ended| ended.setup_failed);
        if !failed && self.made_no_request() {
            self.tell_of_no_request(ended.map_or(0, |ended| ended.load_end_ns));
        }
        let summary = self.summary(failed);
        let lost = self.hearers.end(&summary);
        self.lost(ended.map_or(0, |ended| ended.end_ns), lost);
        let lost = self.hearers.store.end(&summary);
        self.lost(0, lost.err());
        Ok(Made {
            summary,
            is_kept: self.is_kept,
            run: self.hearers.store.writer.into_run()?,
        })
    }

    /// Whether no request was made, and nobody broke the run off before one could be.
    fn made_no_request(&self) -> bool {
        let total = self.hearers.sums.sum.total();
        let begun = total.samples() + total.cut_off + total.dropped_iterations;
        begun == 0 && !self.control.interrupt.is_hit() && !self.unreachable
    }

    /// A run without a request says why.
    fn tell_of_no_request(&mut self, load_end_ns: u64) {
        let message = match self.hearers.sums.seen_in_warm_up {
            true => crate::no_request::in_warm_up(f64::from(self.meta.warm_up_s)),
            false => self.no_request.clone(),
        };
        self.tell(load_end_ns, &message);
    }

    fn summary(&self, failed: bool) -> Summary {
        let sums = &self.hearers.sums;
        let total = sums.sum.total_summary();
        let mut judged = judge_generator(&sums.seconds, &self.result());
        judged.limited |= self.lost_threads > 0;
        let goals: Vec<_> = self
            .program
            .goals
            .iter()
            .map(|spec| goal::evaluate(&spec.goal, &sums.sum))
            .collect();
        let outcome = Outcome {
            bad_plan: false,
            unreachable: self.unreachable || failed || self.never_connected(),
            interrupted: self.control.interrupt.is_hit(),
            aborted: self.aborted,
            limited: judged.limited,
            ..Outcome::default()
        };
        let (verdict, exit_code) = outcome.with_results(&total, &goals).verdict();
        Summary {
            schema_version: plimsoll_stats::summary::SCHEMA_VERSION,
            run: self.run_name(),
            plan: self.meta.plan_name.clone(),
            started_at: rfc3339(self.meta.started_at_unix_ns),
            duration_s: sums.sum.window().seconds(),
            warm_up_s: f64::from(self.meta.warm_up_s),
            verdict,
            exit_code,
            generator: GeneratorSummary {
                send_lateness_ms: Times::from(&sums.lateness),
                receive_lag_ms: (!sums.receive_lag.is_empty())
                    .then(|| Times::from(&sums.receive_lag)),
                ..GeneratorSummary::new(judged, &sums.seconds)
            },
            labels: sums.sum.label_summaries(),
            errors_by_kind: total.errors_by_kind.clone(),
            status_codes: total.status_codes.clone(),
            total,
            errors: plimsoll_stats::failures::groups(&sums.sum),
            goals,
            scenarios: self
                .meta
                .scenarios
                .iter()
                .map(|s| ScenarioSummary {
                    name: s.name.clone(),
                    load: s.load.clone(),
                })
                .collect(),
            load_changes: self.meta.load_changes.clone(),
            probe: self.probed.clone(),
            fleet: self.fleet.clone(),
        }
    }

    /// What all requests did so far.
    pub fn result(&self) -> LabelInterval {
        self.hearers.sums.sum.total()
    }

    /// The run's name: that of its folder, where it has one.
    pub(super) fn run_name(&self) -> String {
        self.hearers.store.writer.dir().file_name().map_or_else(
            || self.meta.name.clone(),
            |name| name.to_string_lossy().into_owned(),
        )
    }
}

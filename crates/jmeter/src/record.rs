//! From a result to the recorder.

use plimsoll_elements::SampleResult;
use plimsoll_stats::{Code, LabelId, LabelKind, Sample};

use super::bound::BoundPackage;
use super::sampled::{FailedExchange, SampleTimes};
use super::verdict::{error_of, failure_of, group_of};
use crate::element_user::ElementUser;
use plimsoll_load::kit::user::Due;

impl ElementUser<'_> {
    /// Puts the milliseconds that JMeter knows beside the times on the run's clock.
    pub(crate) fn stamp(&self, result: &mut SampleResult, times: &SampleTimes) {
        times.stamp(result, self.thread.clock);
    }

    /// Says whose result it is, and whose its parts are.
    pub(crate) fn fill_thread(&mut self, result: &mut SampleResult) {
        self.fill_own(result);
        for part in &mut result.parts {
            self.fill_own(part);
        }
    }

    /// Says whose result it is; the parts of a transaction know it already.
    pub(crate) fn fill_own(&mut self, result: &mut SampleResult) {
        let (group_threads, all_threads) = self.thread.jmeter.users(self.scenario.index);
        let name: &str = &self.jm().info.name;
        name.clone_into(&mut result.thread_name);
        result.group_threads = group_threads;
        result.all_threads = all_threads;
    }

    /// Sets what the flow and the plan know of the last sample.
    pub(crate) fn set_last_ok(&mut self, ok: bool) {
        self.last.ok = ok;
        let value = std::rc::Rc::clone(&self.thread.truths[usize::from(ok)]);
        self.vars.set_by_name("JMeterThread.last_sample_ok", value);
    }

    /// Records a sampler's result.
    pub(crate) fn record_sampled(
        &mut self,
        package: &BoundPackage,
        result: &SampleResult,
        times: &SampleTimes,
        failed: Option<FailedExchange>,
        due: Due,
    ) {
        let kind = self.request_kind();
        let label = match &package.label {
            Some(label) if *label == result.label => {
                self.thread.package_label(package.id, label, kind)
            }
            _ => self.thread.labels.made(&result.label, kind),
        };
        let parent = self
            .transactions
            .last()
            .map(plimsoll_load::kit::user::Open::label);
        let sample = Sample {
            intended_ns: due.intended_ns.min(times.start_ns),
            ready_ns: due.ready_ns.min(times.start_ns),
            ..self.sample_from(result, times, label, kind, parent)
        };
        self.record_parts(label, result, times);
        let recorder = &self.thread.recorder;
        if let Some(note) = recorder.record_masked(&sample, |text| self.vars.redact(text)) {
            self.keep_failed_result(note, &sample, result, times, failed.as_ref());
        }
        if self.thread.recorder.logs() {
            self.log_result(&sample, result);
        }
        if !self.transactions.is_empty() {
            self.add_to_transactions(&sample);
        }
    }

    /// Records what a result consists of.
    pub(crate) fn record_parts(&self, parent: LabelId, result: &SampleResult, times: &SampleTimes) {
        for (part, times) in times.with_parts(result, self.thread.clock) {
            let kind = LabelKind::SubRequest;
            let label = self.thread.labels.made(&part.label, kind);
            let sample = self.sample_from(part, &times, label, kind, Some(parent));
            let recorder = &self.thread.recorder;
            recorder.record_masked(&sample, |text| self.vars.redact(text));
            self.record_parts(label, part, &times);
        }
    }

    /// A result as the recorder knows samples.
    pub(crate) fn sample_from<'r>(
        &self,
        result: &'r SampleResult,
        times: &SampleTimes,
        label: LabelId,
        kind: LabelKind,
        parent: Option<LabelId>,
    ) -> Sample<'r> {
        Sample {
            label,
            kind,
            parent,
            user: self.number,
            iteration: self.iteration,
            code: Code::from_text(&result.code),
            message: failure_of(result).map_or(&result.message, |found| group_of(found)),
            error: error_of(result, times),
            sent_bytes: result.sent_bytes,
            received_bytes: result.received_bytes,
            intended_ns: times.start_ns,
            ready_ns: times.start_ns,
            start_ns: times.start_ns,
            dns_ns: times.dns_ns,
            connect_ns: times.connect_ns,
            tls_ns: times.tls_ns,
            first_byte_ns: times.first_byte_ns,
            end_ns: times.end_ns,
            lag_ns: self.lag_of_times(times),
        }
    }

    /// How much of a sample's time was the generator's, from its start on.
    fn lag_of_times(&self, times: &SampleTimes) -> u64 {
        let connected_ns = times.start_ns + times.dns_ns + times.connect_ns + times.tls_ns;
        let turns = &self.thread.turns;
        turns.lag_ns(times.start_ns, connected_ns, times.end_ns, times.lag_ns)
    }

    /// Keeps a sample for the log.
    pub(crate) fn log_result(&self, sample: &Sample<'_>, result: &SampleResult) {
        let message = self.vars.redact(&result.message);
        let failure = failure_of(result).map(|found| self.vars.redact(found.text()));
        let url = result.url.as_deref().unwrap_or_default();
        let text = result.data_type == plimsoll_elements::DataType::Text;
        self.log_sample(sample, message, failure.unwrap_or_default(), url, text);
    }
}

//! From a result to the recorder.

use plimsoll_elements::SampleResult;
use plimsoll_stats::{Code, ErrorKind, LabelId, LabelKind, Sample};

use super::bound::BoundPackage;
use super::failed::{failure_of, group_of};
use super::sampled::{FailedExchange, Times};
use crate::clock::{Clock, Nanos};
use crate::recorder::LoggedSample;
use crate::user::User;
use crate::user::request::Due;

/// Nanoseconds of a millisecond.
const MS: u64 = 1_000_000;

impl User {
    /// Puts the milliseconds that JMeter knows beside the times on the run's clock. Like
    /// JMeter's they are readings of a clock of milliseconds, and their differences.
    pub(crate) fn stamp(&self, result: &mut SampleResult, times: &Times) {
        stamp(result, times, self.thread.clock);
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
        times: &Times,
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
            .map(crate::user::transaction::Open::label);
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
    pub(crate) fn record_parts(&self, parent: LabelId, result: &SampleResult, times: &Times) {
        let own = times.parts.iter().map(Some).chain(std::iter::repeat(None));
        for (part, own) in result.parts.iter().zip(own) {
            let made;
            let times = match own {
                Some(times) => times,
                None => {
                    made = times_of(part, self.thread.clock);
                    &made
                }
            };
            let kind = LabelKind::SubRequest;
            let label = self.thread.labels.made(&part.label, kind);
            let sample = self.sample_from(part, times, label, kind, Some(parent));
            let recorder = &self.thread.recorder;
            recorder.record_masked(&sample, |text| self.vars.redact(text));
            self.record_parts(label, part, times);
        }
    }

    /// A result as the recorder knows samples.
    pub(crate) fn sample_from<'r>(
        &self,
        result: &'r SampleResult,
        times: &Times,
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
    fn lag_of_times(&self, times: &Times) -> u64 {
        let connected_ns = times.start_ns + times.dns_ns + times.connect_ns + times.tls_ns;
        let turns = &self.thread.turns;
        turns.lag_ns(times.start_ns, connected_ns, times.end_ns, times.lag_ns)
    }

    /// Keeps a sample for the log.
    pub(crate) fn log_result(&self, sample: &Sample<'_>, result: &SampleResult) {
        let recorder = &self.thread.recorder;
        let redact = |text: &str| self.vars.redact(text);
        let failure = failure_of(result);
        let url = result.url.as_deref().unwrap_or_default();
        recorder.log(LoggedSample {
            label: sample.label,
            kind: sample.kind,
            code: sample.code,
            message: redact(&result.message),
            failure: failure.map_or_else(String::new, |found| redact(found.text())),
            error: sample.error,
            scenario: self.scenario.index,
            user: self.number,
            iteration: self.iteration,
            url: redact(&crate::user::conclude::without_credentials(url)),
            sent_bytes: sample.sent_bytes,
            received_bytes: sample.received_bytes,
            start_unix_ns: self.thread.clock.unix_ns(sample.start_ns),
            service_ns: sample.service_ns(),
            response_ns: sample.response_ns(),
            latency_ns: sample.first_byte_ns.saturating_sub(sample.start_ns),
            connect_ns: sample.dns_ns + sample.connect_ns + sample.tls_ns,
            group_users: self.scenario.users.get(),
            all_users: recorder.users.get(),
            text: result.data_type == plimsoll_elements::DataType::Text,
        });
    }
}

/// Why a result counts as failed.
pub(crate) fn error_of(result: &SampleResult, times: &Times) -> Option<ErrorKind> {
    if result.success {
        return None;
    }
    let found = result.assertions.iter().any(|it| it.failure || it.error);
    match times.error {
        Some(error) if !found || error != ErrorKind::Other => Some(error),
        _ if !found && is_error_status(&result.code) => Some(ErrorKind::HttpStatus),
        _ => Some(ErrorKind::CheckFailed),
    }
}

fn is_error_status(code: &str) -> bool {
    code.parse()
        .is_ok_and(|status: u16| (400..600).contains(&status))
}

fn stamp(result: &mut SampleResult, times: &Times, clock: Clock) {
    let unix_ms = |at_ns: Nanos| clock.unix_ns(at_ns) / MS;
    if times.end_ns > 0 {
        result.start_unix_ms = unix_ms(times.start_ns);
        result.end_unix_ms = unix_ms(times.end_ns);
        let whole = result.end_unix_ms.saturating_sub(result.start_unix_ms);
        result.elapsed_ms = whole.saturating_sub(result.idle_ms);
        if times.first_byte_ns > 0 {
            result.latency_ms = unix_ms(times.first_byte_ns).saturating_sub(result.start_unix_ms);
        }
        let connect_ns = times.dns_ns + times.connect_ns + times.tls_ns;
        if connect_ns > 0 {
            let connected = unix_ms(times.start_ns + connect_ns);
            result.connect_ms = connected.saturating_sub(result.start_unix_ms);
        }
    }
    for (part, times) in result.parts.iter_mut().zip(&times.parts) {
        stamp(part, times, clock);
    }
}

/// The times of a result that has only milliseconds.
pub(crate) fn times_of(result: &SampleResult, clock: Clock) -> Times {
    let zero_ns = clock.unix_ns(0);
    let at = |unix_ms: u64| (unix_ms * MS).saturating_sub(zero_ns);
    let start_ns = at(result.start_unix_ms);
    let first_byte_ns = match result.latency_ms {
        0 => 0,
        latency_ms => start_ns + latency_ms * MS,
    };
    Times {
        start_ns,
        connect_ns: result.connect_ms * MS,
        first_byte_ns,
        end_ns: start_ns + result.elapsed_ms * MS,
        ..Times::default()
    }
}

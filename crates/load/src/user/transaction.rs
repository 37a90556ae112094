//! Steps timed as one.

use plimsoll_stats::{Code, ErrorKind, LabelId, LabelKind, Sample};

use super::User;
use super::request::Due;
use crate::clock::Nanos;
use crate::recorder::LoggedSample;

/// A transaction that has begun.
#[derive(Debug)]
pub struct Open {
    label: LabelId,
    include_pauses: bool,
    /// Its requests are sub-samples and it is the sample.
    pub as_parent: bool,
    due: Due,
    start_ns: Nanos,
    /// Time spent waiting on purpose.
    pauses_ns: u64,
    sent_bytes: u64,
    received_bytes: u64,
    code: Code,
    error: Option<ErrorKind>,
    samples: u64,
    /// Those of them that failed.
    failures: u64,
    /// What of its samples' time was the generator's: before their start, and after.
    late_ns: u64,
    lag_ns: u64,
}

impl Open {
    /// How much of its time was the generator's, apart from how late it began itself.
    pub fn lag_ns(&self) -> u64 {
        match self.include_pauses {
            true => {
                // It is as late as the first of them, and that counts once.
                let began_late_ns = self.start_ns.saturating_sub(self.due.ready_ns);
                (self.lag_ns + self.late_ns).saturating_sub(began_late_ns)
            }
            false => self.lag_ns,
        }
    }

    /// Its label.
    pub fn label(&self) -> LabelId {
        self.label
    }
}

impl User {
    /// Begins a transaction.
    pub(crate) fn begin_transaction(
        &mut self,
        label: LabelId,
        include_pauses: bool,
        as_parent: bool,
    ) {
        let now = self.thread.clock.now_ns();
        self.transactions.push(Open {
            label,
            include_pauses,
            as_parent,
            due: match self.intended_ns {
                Some(at_ns) => Due::of(Some(at_ns), self.previous_end_ns, now),
                None => Due::of(None, now, now),
            },
            start_ns: now,
            pauses_ns: 0,
            sent_bytes: 0,
            received_bytes: 0,
            code: Code::None,
            error: None,
            samples: 0,
            failures: 0,
            late_ns: 0,
            lag_ns: 0,
        });
    }

    /// What requests are here: samples, or parts of a transaction that is the sample.
    pub(crate) fn request_kind(&self) -> LabelKind {
        let inside = self.transactions.iter().any(|open| open.as_parent);
        if inside {
            LabelKind::SubRequest
        } else {
            LabelKind::Request
        }
    }

    /// What a transaction is here.
    pub(crate) fn transaction_kind(&self, as_parent: bool) -> LabelKind {
        if as_parent {
            self.request_kind()
        } else {
            LabelKind::Transaction
        }
    }

    /// Ends the innermost transaction and records it.
    pub(crate) fn end_transaction(&mut self) {
        let Some(open) = self.transactions.pop() else {
            return;
        };
        let now = self.thread.clock.now_ns();
        let pauses_ns = if open.include_pauses {
            0
        } else {
            open.pauses_ns
        };
        let failed = open.error.is_some();
        let sample = Sample {
            label: open.label,
            kind: self.transaction_kind(open.as_parent),
            parent: self.transactions.last().map(|outer| outer.label),
            user: self.number,
            iteration: self.iteration,
            code: open.code,
            message: "",
            error: open.error,
            sent_bytes: open.sent_bytes,
            received_bytes: open.received_bytes,
            intended_ns: open.due.intended_ns + pauses_ns,
            ready_ns: open.due.ready_ns + pauses_ns,
            start_ns: open.start_ns + pauses_ns,
            dns_ns: 0,
            connect_ns: 0,
            tls_ns: 0,
            first_byte_ns: 0,
            end_ns: now,
            lag_ns: open.lag_ns(),
        };
        if open.samples > 0 {
            self.thread.recorder.record(&sample);
            self.log_transaction(&open, &sample);
        }
        if let (Some(outer), true) = (self.transactions.last_mut(), failed) {
            outer.error = outer.error.or(open.error);
        }
    }

    /// Logs a transaction as JMeter does its own.
    fn log_transaction(&self, open: &Open, sample: &Sample<'_>) {
        let recorder = &self.thread.recorder;
        if !recorder.logs() || sample.kind == LabelKind::SubRequest {
            return;
        }
        let (samples, failures) = (open.samples, open.failures);
        recorder.log(LoggedSample {
            label: sample.label,
            kind: sample.kind,
            code: match sample.error {
                None => Code::Http(200),
                Some(_) => sample.code,
            },
            message: format!(
                "Number of samples in transaction : {samples}, number of failing samples : {failures}"
            ),
            failure: String::new(),
            error: sample.error,
            scenario: self.scenario.index,
            user: self.number,
            iteration: self.iteration,
            url: String::new(),
            sent_bytes: sample.sent_bytes,
            received_bytes: sample.received_bytes,
            start_unix_ns: self.thread.clock.unix_ns(sample.start_ns),
            service_ns: sample.service_ns(),
            response_ns: sample.response_ns(),
            latency_ns: 0,
            connect_ns: 0,
            group_users: self.scenario.users.get(),
            all_users: recorder.users.get(),
            text: false,
        });
    }

    /// Adds time spent waiting on purpose to all open transactions.
    pub(crate) fn add_pause(&mut self, pause_ns: u64) {
        for open in &mut self.transactions {
            open.pauses_ns += pause_ns;
        }
    }

    /// Adds a sample to all open transactions.
    pub(crate) fn add_to_transactions(&mut self, sample: &Sample<'_>) {
        for open in &mut self.transactions {
            open.sent_bytes += sample.sent_bytes;
            open.received_bytes += sample.received_bytes;
            open.samples += 1;
            open.failures += u64::from(sample.error.is_some());
            open.late_ns += sample.lateness_ns();
            open.lag_ns += sample.lag_ns;
            if open.error.is_none() {
                open.error = sample.error;
                open.code = sample.code;
            }
        }
    }
}

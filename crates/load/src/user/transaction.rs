//! Steps timed as one.

use plimsoll_stats::{Code, LabelId, LabelKind, Sample};

use super::User;
use super::due::Due;
use super::open::Open;
use crate::recorder::LoggedSample;

impl User {
    /// Begins a transaction.
    pub fn begin_transaction(&mut self, label: LabelId, include_pauses: bool, as_parent: bool) {
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
    pub fn request_kind(&self) -> LabelKind {
        let inside = self.transactions.iter().any(|open| open.as_parent);
        if inside {
            LabelKind::SubRequest
        } else {
            LabelKind::Request
        }
    }

    /// What a transaction is here.
    pub fn transaction_kind(&self, as_parent: bool) -> LabelKind {
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
    pub fn add_pause(&mut self, pause_ns: u64) {
        for open in &mut self.transactions {
            open.pauses_ns += pause_ns;
        }
    }

    /// Adds a sample to all open transactions.
    pub fn add_to_transactions(&mut self, sample: &Sample<'_>) {
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

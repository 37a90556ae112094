//! A transaction that has begun, as JMeter counts it (5.6.3, `TransactionController`,
//! `TransactionSampler`).

use plimsoll_elements::SampleResult;
use plimsoll_plan::program::PackageId;
use plimsoll_stats::LabelId;

use super::sampled::SampleTimes;
use plimsoll_load::clock::Nanos;
use plimsoll_load::kit::extension::NewTransaction;
use plimsoll_load::kit::user::Due;

/// A transaction that has begun.
#[derive(Debug, Clone)]
pub(crate) struct OpenTransaction {
    pub(crate) package: Option<PackageId>,
    pub(crate) as_parent: bool,
    include_pauses: bool,
    pub(crate) label: LabelId,
    due: Due,
    times: SampleTimes,
    /// What it is told as; its parts are added while it runs.
    pub(crate) result: SampleResult,
    pub(crate) calls: u32,
    /// Controllers among its steps that ended since the last sample.
    pub(crate) ended_steps: u32,
    /// Samples that it was told of.
    total_samples: u32,
    failing: u32,
    /// Time of its samples together.
    total_ms: u64,
    total_ns: u64,
    last_end_ns: Nanos,
    /// The package of the sampler whose sample it is: it says itself what its code and message are, whatever its
    /// parts say.
    pub(crate) sampler: Option<PackageId>,
    /// It was told of already, as far as it had come, and whether it was a success then.
    pub(crate) told: Option<bool>,
}

impl OpenTransaction {
    /// One that begins now.
    pub(crate) fn new(new: NewTransaction, due: Due, now: Nanos) -> Self {
        Self {
            package: new.package,
            as_parent: new.as_parent,
            include_pauses: new.include_pauses,
            label: new.label,
            due,
            times: SampleTimes {
                start_ns: now,
                ..SampleTimes::default()
            },
            result: SampleResult {
                success: true,
                ..SampleResult::new(new.name)
            },
            calls: 0,
            ended_steps: 0,
            total_samples: 0,
            failing: 0,
            total_ms: 0,
            total_ns: 0,
            last_end_ns: now,
            sampler: None,
            told: None,
        }
    }

    /// The same transaction to a branch within it, without what it was told of.
    pub(crate) fn shadow(&self) -> Self {
        Self {
            package: self.package,
            as_parent: self.as_parent,
            include_pauses: self.include_pauses,
            label: self.label,
            due: self.due,
            times: SampleTimes::default(),
            result: SampleResult {
                success: true,
                ..SampleResult::default()
            },
            calls: 0,
            ended_steps: 0,
            total_samples: 0,
            failing: 0,
            total_ms: 0,
            total_ns: 0,
            last_end_ns: 0,
            sampler: self.sampler,
            told: None,
        }
    }

    /// Adds what a branch within it was told of. One beside its samples counts all branches as one
    /// call, which was counted as they began.
    pub(crate) fn absorb(&mut self, branch: Self) {
        let (own, new) = (&mut self.result, branch.result);
        if self.failing == 0 && self.sampler.is_none() && !new.code.is_empty() {
            own.code = new.code;
        }
        own.success &= new.success;
        own.latency_ms += new.latency_ms;
        own.connect_ms += new.connect_ms;
        own.received_bytes += new.received_bytes;
        own.sent_bytes += new.sent_bytes;
        own.header_bytes += new.header_bytes;
        own.body_bytes += new.body_bytes;
        own.parts.extend(new.parts);
        self.times.error = self.times.error.or(branch.times.error);
        self.times.parts.extend(branch.times.parts);
        if self.as_parent {
            self.calls += branch.calls;
        }
        self.total_samples += branch.total_samples;
        self.failing += branch.failing;
        self.total_ms += branch.total_ms;
        self.total_ns += branch.total_ns;
        self.last_end_ns = self.last_end_ns.max(branch.last_end_ns);
    }

    /// It is a sample of the Parallel Controller, which is 200 and OK whatever becomes of its parts, and begins
    /// now: timers wait before samples.
    pub(crate) fn describe(&mut self, sampler: PackageId, sampler_data: String, now: Nanos) {
        self.sampler = Some(sampler);
        let waited_ns = now.saturating_sub(self.times.start_ns);
        self.times.start_ns = now;
        self.due.intended_ns += waited_ns;
        self.due.ready_ns += waited_ns;
        "200".clone_into(&mut self.result.code);
        "OK".clone_into(&mut self.result.message);
        self.result.sampler_data = Some(sampler_data);
    }

    /// Whether it was told of samples.
    pub(crate) fn has_samples(&self) -> bool {
        self.total_samples > 0
    }

    /// It is told of a sample beside it.
    pub(crate) fn tell(&mut self, result: &SampleResult, times: &SampleTimes) {
        self.result.latency_ms += result.latency_ms;
        self.add(result, times);
    }

    /// A result becomes a part of it.
    pub(crate) fn add_part(&mut self, result: SampleResult, times: SampleTimes) {
        self.calls += 1;
        if self.failing == 0 && self.sampler.is_none() {
            result.code.clone_into(&mut self.result.code);
        }
        if !result.success {
            let other = plimsoll_stats::ErrorKind::CheckFailed;
            let error = times.error.unwrap_or(other);
            self.times.error.get_or_insert(error);
        }
        self.result.header_bytes += result.header_bytes;
        self.result.body_bytes += result.body_bytes;
        self.add(&result, &times);
        self.result.parts.push(result);
        self.times.parts.push(times);
    }

    fn add(&mut self, result: &SampleResult, times: &SampleTimes) {
        self.result.received_bytes += result.received_bytes;
        self.result.sent_bytes += result.sent_bytes;
        self.result.connect_ms += result.connect_ms;
        self.add_time(result, times);
        if !result.success {
            self.result.success = false;
            self.failing += 1;
        }
    }

    fn add_time(&mut self, result: &SampleResult, times: &SampleTimes) {
        self.total_samples += 1;
        self.total_ms += result.elapsed_ms;
        self.total_ns += times.end_ns.saturating_sub(times.start_ns);
        self.last_end_ns = self.last_end_ns.max(times.end_ns);
    }

    /// The sample of a transaction that ends now.
    /// One whose user is stopped meanwhile is as its parts have left it.
    /// Without pauses, it is as long as its samples together and ends when it does; it was due
    /// as long before its start as it was when it began.
    pub(crate) fn ended(
        self,
        now: Nanos,
        clock: plimsoll_load::clock::Clock,
        stopped: bool,
    ) -> (SampleResult, SampleTimes, Due) {
        let Self {
            mut result,
            mut times,
            mut due,
            ..
        } = self;
        if !stopped && self.sampler.is_none() {
            result.message = format!(
                "Number of samples in transaction : {}, number of failing samples : {}",
                self.calls, self.failing
            );
            if result.success {
                "200".clone_into(&mut result.code);
            }
        }
        let unix_ms = |at_ns: Nanos| clock.unix_ns(at_ns) / 1_000_000;
        let end_ns = if stopped || self.as_parent && self.include_pauses {
            self.last_end_ns
        } else {
            now
        };
        result.start_unix_ms = unix_ms(times.start_ns);
        result.end_unix_ms = unix_ms(end_ns);
        let whole_ms = result.end_unix_ms.saturating_sub(result.start_unix_ms);
        times.end_ns = end_ns;
        if stopped || self.include_pauses {
            result.elapsed_ms = whole_ms;
        } else {
            result.elapsed_ms = self.total_ms;
            result.idle_ms = whole_ms.saturating_sub(self.total_ms);
            let start_ns = end_ns.saturating_sub(self.total_ns).max(times.start_ns);
            let paused_ns = start_ns - times.start_ns;
            times.start_ns = start_ns;
            due.intended_ns += paused_ns;
            due.ready_ns += paused_ns;
        }
        (result, times, due)
    }
}

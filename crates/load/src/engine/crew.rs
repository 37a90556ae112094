//! The load threads of a phase: what each is to do, their start and their end.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;

use super::collect::{self, SecondsCollector};
use super::control::Stopper;
use super::event::Event;
use super::job::{Job, ScenarioRun, Values};
use super::runner::Runner;
use super::worker::{self, Gate};
use super::{Observer, RunError};
use crate::clock::{Clock, Nanos, nanos};
use crate::shared::Shared;
use crate::trace::{Traced, Tracer};

/// Load threads, each of which says whether it came to its end, and what they tell.
type Crew = (Vec<JoinHandle<bool>>, collect::Sources);

impl Runner<'_> {
    /// When the load is joined, on the run's clock; 0: it begins with it.
    pub(super) fn joined_ns(&self) -> Nanos {
        self.options.from.map_or(0, nanos)
    }

    pub(super) fn job(
        &self,
        scenarios: Vec<ScenarioRun>,
        threads: usize,
        thread: usize,
        clock: Clock,
        initial: &Arc<[Option<String>]>,
        values: Option<&Values>,
    ) -> Job {
        let cpus = &self.allowance.cpus;
        Job {
            program: Arc::clone(self.program),
            prepared: Arc::clone(&self.prepared),
            ready: Arc::clone(&self.ready),
            labels: Arc::clone(&self.labels),
            shared: Arc::clone(&self.shared) as Arc<dyn Shared>,
            extension: self.extension.clone(),
            access: self.options.access.clone(),
            hosts: Arc::clone(&self.hosts),
            initial: Arc::clone(initial),
            scenarios,
            thread,
            threads,
            driver: self.options.driver.clone(),
            clock,
            seed: self.options.seed,
            stopper: self.options.stopper.clone(),
            steer: self.options.steer.clone(),
            log_samples: self.options.log_samples,
            tracer: None,
            timed_every: self.options.timed_every,
            pin_to: self.options.pin.then(|| cpus[thread % cpus.len()]),
            values: values.cloned(),
            lease: self.options.lease.clone(),
            skip_late_ns: self.options.skip_late.map(nanos),
            from_ns: self.joined_ns(),
        }
    }

    /// Runs the jobs on threads and collects their reports until all have ended.
    pub(super) fn phase<'c>(
        &self,
        jobs: Vec<Job>,
        mut collector: SecondsCollector<'c>,
        stopper: &Stopper,
        observer: &mut dyn Observer,
    ) -> Result<SecondsCollector<'c>, RunError> {
        let (handles, mut sources) = self.spawn_all(jobs, stopper)?;
        // A plan that cut itself off has its teardown all the same.
        let by_plan = stopper.was_cut_by_plan() || self.options.stopper.was_cut_by_plan();
        let run = if by_plan {
            stopper
        } else {
            &self.options.stopper
        };
        collector.collect(&mut sources, run, stopper, observer);
        if let Some(extension) = &self.extension {
            extension.log_to(None);
        }
        for handle in handles {
            // The thread itself tells of what befell it.
            collector.add_lost(u32::from(!handle.join().unwrap_or(false)));
        }
        Ok(collector)
    }

    /// Starts the threads and lets them begin together; gives them, and what they tell.
    fn spawn_all(&self, jobs: Vec<Job>, stopper: &Stopper) -> Result<Crew, RunError> {
        let (reports, incoming) = channel();
        let (events, happened) = channel();
        let (traces, traced) = channel();
        let (ready, all_ready) = channel();
        let gate = Gate {
            ready,
            closed: Arc::default(),
        };
        let closed = Arc::clone(&gate.closed);
        let until_ready = closed.lock().unwrap_or_else(PoisonError::into_inner);
        let spawn = |job| {
            let (reports, events, traces) = (reports.clone(), events.clone(), traces.clone());
            self.spawn(job, gate.clone(), reports, events, traces)
        };
        let handles: Result<Vec<_>, _> = jobs.into_iter().map(spawn).collect();
        if let Some(extension) = &self.extension {
            extension.log_to(Some(events.clone()));
        }
        drop((gate, reports, events, traces));
        let handles = handles.inspect_err(|_| stopper.cut_off())?;
        // Nothing is ever sent: it ends when the last thread is ready or gone.
        let _ = all_ready.recv();
        drop(until_ready);
        let sources = collect::Sources {
            reports: incoming,
            events: happened,
            traced,
            extension: self.extension.clone(),
        };
        Ok((handles, sources))
    }

    fn spawn(
        &self,
        mut job: Job,
        gate: Gate,
        reports: Sender<crate::recorder::ThreadReport>,
        events: Sender<Event>,
        traces: Sender<Traced>,
    ) -> std::io::Result<JoinHandle<bool>> {
        job.tracer = self.options.trace.then_some(Tracer(traces));
        let name = format!("load-{}", job.thread);
        std::thread::Builder::new()
            .name(name)
            .stack_size(STACK_BYTES)
            .spawn(move || worker::run(job, gate, reports, &events))
    }
}

/// Stack of a load thread: scripts and expressions of plans may be nested as deep as their
/// own limits allow. Pages that are not touched cost nothing.
const STACK_BYTES: usize = 16 * 1024 * 1024;

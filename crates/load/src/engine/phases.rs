//! The phases of a run: setup, the load, teardown; each is a set of load threads.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use plimsoll_plan::program::{ScenarioProgram, SlotDef};
use plimsoll_text::Message;

use super::collect::SecondsCollector;
use super::control::{Stop, Stopper};
use super::event::Event;
use super::runner::Runner;
use super::steer::{LEAD, Steer};
use super::wave::{Begins, GroupBegin, Wave};
use super::{Ended, Observer, Phases, RunError, Values, collect};
use crate::clock::{Clock, nanos};
use crate::lease::Lease;
use plimsoll_plan::share::Share;

/// Values and failures of the users of setup.
#[derive(Default)]
struct SetupOutcome {
    values: Vec<Option<String>>,
    failed: bool,
}

impl Runner<'_> {
    pub fn run(&self, observer: &mut dyn Observer) -> Result<Ended, RunError> {
        let mut initial = self.initial();
        let program = self.program;
        let phases = self.options.phases;
        if program.recorded_setup {
            return match phases {
                Phases::Whole | Phases::Load => self.waves(&initial, observer),
                Phases::Setup | Phases::Teardown => Ok(Ended::without_load()),
            };
        }
        if matches!(phases, Phases::Whole | Phases::Setup) && !program.setup.is_empty() {
            match self.set_up(&initial, observer)? {
                Some(values) => initial = values,
                None => return Ok(Ended::not_begun(true)),
            }
        }
        let ended = match phases {
            Phases::Whole | Phases::Load => self.only_load(&initial, observer)?,
            Phases::Setup | Phases::Teardown => Ended::without_load(),
        };
        match phases {
            Phases::Setup => observer.found(&self.named(&initial)),
            Phases::Whole | Phases::Teardown => self.tear_down(&initial, observer)?,
            Phases::Load => {}
        }
        Ok(ended)
    }

    /// What variables begin with by the options, by slot.
    fn initial(&self) -> Arc<[Option<String>]> {
        let given = &self.options.initial.0;
        if given.is_empty() {
            return Arc::from(Vec::new());
        }
        let value = |slot: &SlotDef| {
            let found = given.iter().find(|(name, _)| *name == slot.name);
            found.map(|(_, value)| value.clone())
        };
        self.program.slots.iter().map(value).collect()
    }

    /// Values by slot, with their names.
    fn named(&self, values: &[Option<String>]) -> Values {
        let pairs = self.program.slots.iter().zip(values);
        let pairs = pairs.filter(|(slot, _)| !slot.internal);
        let pairs = pairs.filter_map(|(slot, value)| Some((slot.name.clone(), value.clone()?)));
        Values(pairs.collect())
    }

    /// Runs setup; gives the values it found, or none when it failed.
    fn set_up(
        &self,
        initial: &Arc<[Option<String>]>,
        observer: &mut dyn Observer,
    ) -> Result<Option<Arc<[Option<String>]>>, RunError> {
        let stopper = &self.options.stopper;
        let outcome = self.serial(&self.program.setup, 0, initial, stopper, observer)?;
        if !outcome.failed {
            return Ok(Some(outcome.values.into()));
        }
        let clock = Clock::start();
        observer.started(clock);
        let message = Message::new("event-setup-failed");
        observer.event(&Event {
            at_ns: 0,
            message,
            is_error: true,
        });
        Ok(None)
    }

    /// Runs teardown. What ends the load early does not leave it uncleared: only a cut-off does.
    fn tear_down(
        &self,
        initial: &Arc<[Option<String>]>,
        observer: &mut dyn Observer,
    ) -> Result<(), RunError> {
        let program = self.program;
        if program.teardown.is_empty() || self.options.stopper.state() == Stop::CutOff {
            return Ok(());
        }
        let base = program.setup.len() + program.scenarios.len();
        let stopper = Stopper::default();
        self.serial(&program.teardown, base, initial, &stopper, observer)?;
        Ok(())
    }

    /// Runs the load between setup and teardown.
    fn only_load(
        &self,
        initial: &Arc<[Option<String>]>,
        observer: &mut dyn Observer,
    ) -> Result<Ended, RunError> {
        let Some(clock) = self.clock(observer) else {
            return Ok(Ended::not_begun(false));
        };
        let wave = Wave {
            scenarios: &self.program.scenarios,
            base: self.program.setup.len(),
            stopper: &self.options.stopper,
            begins: Begins::NextSecond,
        };
        let ended = self.load(&wave, clock, None, initial, observer)?;
        Ok(ended.unwrap_or(Ended::not_begun(false)))
    }

    /// The clock of the load, once it is known when it begins; none when the run was called off
    /// before.
    fn clock(&self, observer: &mut dyn Observer) -> Option<Clock> {
        observer.ready();
        let clock = match &self.options.begin {
            // Threads need a moment to start; the load begins for all of them at once.
            None => self.options.driver.clock_in(Duration::from_millis(2)),
            Some(begin) => {
                let clock = Clock::at_boottime(begin.wait(&self.options.stopper)?);
                if let Some(extension) = &self.extension {
                    extension.starts_at(clock.unix_ns(0) / 1_000_000);
                }
                clock
            }
        };
        if let (Some(from), Some(extension)) = (self.options.from, &self.extension) {
            let from_unix_ns = clock.unix_ns(nanos(from));
            extension.due_from(from_unix_ns / 1_000_000);
        }
        let (steer, share) = (&self.options.steer, self.options.share);
        steer.begins(self.program, clock, LEAD, share.count());
        observer.started(clock);
        Some(clock)
    }

    /// Setup or teardown: one user runs each once, one after the other, unrecorded.
    fn serial(
        &self,
        scenarios: &[ScenarioProgram],
        base: usize,
        initial: &Arc<[Option<String>]>,
        stopper: &Stopper,
        observer: &mut dyn Observer,
    ) -> Result<SetupOutcome, RunError> {
        let mut outcome = SetupOutcome {
            values: initial.to_vec(),
            failed: false,
        };
        for (at, scenario) in scenarios.iter().enumerate() {
            let shared: Arc<[Option<String>]> = outcome.values.clone().into();
            // Its one user is nobody's share.
            let run = self.scenario_run(scenario, base + at, GroupBegin::at(0), Share::WHOLE, 0);
            let mut quiet = collect::QuietObserver {
                observer: &mut *observer,
                failed: false,
            };
            let values = Arc::new(Mutex::new(None));
            let clock = self.options.driver.clock_in(Duration::ZERO);
            let mut job = self.job(vec![run], 1, 0, clock, &shared, Some(&values));
            job.stopper = stopper.clone();
            job.steer = Steer::default();
            // Its clock is its own.
            (job.lease, job.skip_late_ns, job.from_ns) = (Lease::default(), None, 0);
            let collector = SecondsCollector::new(&self.labels, &self.allowance, 1, 0);
            self.phase(vec![job], collector, stopper, &mut quiet)?;
            outcome.failed |= quiet.failed;
            if let Some(found) = values.lock().unwrap_or_else(PoisonError::into_inner).take() {
                let known = std::mem::take(&mut outcome.values).into_iter();
                let known = known.chain(std::iter::repeat(None));
                outcome.values = found
                    .into_iter()
                    .zip(known)
                    .map(|(new, old)| new.or(old))
                    .collect();
            }
            if outcome.failed {
                break;
            }
        }
        Ok(outcome)
    }

    /// Setup, load and teardown as JMeter has them: three loads, one after the other, all
    /// recorded (5.6.3, `StandardJMeterEngine`).
    fn waves(
        &self,
        initial: &Arc<[Option<String>]>,
        observer: &mut dyn Observer,
    ) -> Result<Ended, RunError> {
        let program = self.program;
        let stopper = &self.options.stopper;
        let Some(clock) = self.clock(observer) else {
            return Ok(Ended::not_begun(false));
        };
        let extension = self.extension.iter();
        for message in extension.flat_map(|it| it.warnings()) {
            observer.event(&Event {
                at_ns: 0,
                message,
                is_error: false,
            });
        }
        let mut ended = None;
        let mut base = 0;
        let mut stopped_in_setup = false;
        for scenarios in [&program.setup, &program.scenarios] {
            stopped_in_setup = !program.setup.is_empty() && stopper.state() != Stop::Running;
            let wave = Wave {
                scenarios,
                base,
                stopper,
                begins: Begins::Rested,
            };
            ended = self.load(&wave, clock, ended, initial, observer)?;
            base += scenarios.len();
        }
        let stopped = stopper.state() != Stop::Running;
        // Nobody would let it begin.
        let is_barred = stopped && self.options.lease.is_over(clock.now_ns());
        // A test that is stopped in its setUp groups never began: it is not cleared either.
        let left_out = is_barred
            || stopped_in_setup
            || stopped && program.skip_teardown_when_stopped
            || stopper.state() == Stop::CutOff && !stopper.was_cut_by_plan();
        if !program.teardown.is_empty() && !left_out {
            let wave = Wave {
                scenarios: &program.teardown,
                base,
                stopper: if stopped {
                    &Stopper::default()
                } else {
                    stopper
                },
                begins: Begins::AtOnce,
            };
            let load = ended;
            ended = self.load(&wave, clock, ended, initial, observer)?;
            if let (Some(ended), Some(load)) = (&mut ended, load) {
                ended.stopped |= load.stopped;
            }
        }
        Ok(ended.unwrap_or(Ended::not_begun(false)))
    }
}

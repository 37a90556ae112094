//! Operations that wait: think time, meetings, locks, throughput.

use std::rc::Rc;

use plimsoll_plan::model::PauseTime;
use plimsoll_plan::program::{Op, PauseTemplate, Pc, SharedId, Template};

use super::User;
use super::step::{Flow, NextStep};
use crate::clock::nanos;
use crate::functions::EvalError;

impl User {
    /// Operations that may wait.
    pub(crate) async fn wait_op(&mut self, op: &Op, pc: Pc) -> Result<NextStep, EvalError> {
        let begin = self.thread.clock.now_ns();
        match op {
            Op::Think(pause) => {
                let pause_ns = self.pause_ns(pause)?;
                let from = self.intended_ns.unwrap_or(self.previous_end_ns);
                // Think time follows the end of what came before, also when noticing it or
                // working on the response took a while.
                let until = from.max(self.previous_end_ns).saturating_add(pause_ns);
                self.wait_until(until).await;
                self.intended_ns = Some(until);
            }
            Op::Rendezvous(id) => {
                self.wait_shared(*id).await;
                self.after_wait();
            }
            Op::Lock(id) => {
                if self.wait_shared(*id).await {
                    self.locks.push(*id);
                }
                self.after_wait();
            }
            Op::LockNamed { name, held } => {
                let name = self.text(name)?;
                let id = self.thread.shared.named_lock(&name);
                let held = usize::from(held.0);
                self.registers[held] = 0;
                // Who has a lock may take it again.
                let takes = !name.is_empty() && !self.locks.contains(&id);
                if takes && self.wait_shared(id).await {
                    self.locks.push(id);
                    self.registers[held] = u64::from(id.0) + 1;
                }
                self.after_wait();
            }
            Op::PaceThroughput {
                per_minute,
                shared,
                last,
            } => {
                self.pace(per_minute, *shared, last.0).await?;
            }
            _ => {}
        }
        let waited = self.thread.clock.now_ns().saturating_sub(begin);
        self.add_pause(waited);
        if self.stopping() {
            return Ok(NextStep::Over(Flow::Next));
        }
        Ok(NextStep::To(pc + 1))
    }

    /// What follows a wait for others is meant to start when the wait ended.
    fn after_wait(&mut self) {
        let now = self.thread.clock.now_ns();
        self.previous_end_ns = now;
        self.intended_ns = None;
    }

    /// Waits at a shared thing; `false` when the run ended first.
    async fn wait_shared(&mut self, id: SharedId) -> bool {
        if self.stopping() {
            return false;
        }
        let thread = Rc::clone(&self.thread);
        let mut wait = thread.shared.wait(id, self.scenario.index, &thread.timers);
        self.watch.set(self.stop_ns());
        let done = loop {
            tokio::select! {
                biased;
                _ = &mut wait => break true,
                // It may be for the users of another scenario, or the load may have changed.
                () = thread.stopping.notified() => {
                    if self.stopping() {
                        break false;
                    }
                    self.watch.set(self.stop_ns());
                }
                () = self.watch.expired() => break false,
            }
        };
        self.watch.clear();
        done
    }

    async fn pace(
        &mut self,
        per_minute: &Template,
        shared: Option<SharedId>,
        last: u16,
    ) -> Result<(), EvalError> {
        let per_minute = self.number(per_minute)?;
        if per_minute <= 0.0 {
            return Ok(());
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let gap_ns = (60e9 / per_minute) as u64;
        let now = self.thread.clock.now_ns();
        let turn_ns = match shared {
            Some(id) => self.thread.shared.turn(id, now, gap_ns),
            None => {
                let register = &mut self.registers[usize::from(last)];
                *register = if *register == 0 {
                    now
                } else {
                    (*register + gap_ns).max(now)
                };
                *register
            }
        };
        self.wait_until(turn_ns).await;
        self.intended_ns = Some(turn_ns.max(self.previous_end_ns));
        Ok(())
    }

    /// The length of a pause, ns.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss
    )]
    pub(crate) fn pause_ns(&mut self, pause: &PauseTemplate) -> Result<u64, EvalError> {
        if let Some(template) = &pause.template_ms {
            return Ok((self.number(template)? * 1e6).max(0.0) as u64);
        }
        let random = &mut self.random;
        Ok(match pause.time {
            PauseTime::Fixed(time) => nanos(time),
            PauseTime::Uniform(low, high) => {
                let (low, high) = (nanos(low) as f64, nanos(high) as f64);
                (low + (high - low) * random.unit()).max(0.0) as u64
            }
            PauseTime::Normal(mean, deviation) => {
                (nanos(mean) as f64 + nanos(deviation) as f64 * random.normal()).max(0.0) as u64
            }
            PauseTime::Exponential(mean) => (nanos(mean) as f64 * random.exponential()) as u64,
            PauseTime::Poisson { lambda, offset } => {
                nanos(offset) + random.poisson(lambda.as_secs_f64() * 1e3) * 1_000_000
            }
        })
    }
}

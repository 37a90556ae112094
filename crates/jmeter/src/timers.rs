//! Timers: their delays are added up and slept once.

use std::rc::Rc;
use std::time::Duration;

use plimsoll_plan::program::ElementId;

use super::bound::BoundElement;
use crate::element_user::ElementUser;
use plimsoll_load::clock::Nanos;
use plimsoll_load::kit::shared::Patience;

/// Timers whose delay the property `timer.factor` stretches (JMeter's `ModifiableTimer`).
const MODIFIABLE: [&str; 3] = [
    "UniformRandomTimer",
    "GaussianRandomTimer",
    "PoissonRandomTimer",
];

impl ElementUser<'_> {
    /// The delays of timers together, milliseconds. Those that wait for other users do so
    /// here.
    pub(crate) async fn delay_ms(&mut self, timers: &[ElementId]) -> u64 {
        let thread = Rc::clone(&self.thread);
        let mut total_ms: u64 = 0;
        for id in timers {
            if let BoundElement::Meeting = thread.jmeter.bound.elements[id.0 as usize] {
                self.meet(*id).await;
                continue;
            }
            let mut delay_ms = self.run_timer(*id).await;
            let factor = thread.jmeter.timer_factor;
            let class = &thread.program.elements[id.0 as usize].class;
            #[expect(clippy::float_cmp)] // It is 1 unless somebody set it.
            if factor != 1.0 && MODIFIABLE.contains(&class.as_str()) {
                delay_ms = stretched(delay_ms, factor);
            }
            total_ms = total_ms.saturating_add(delay_ms);
        }
        total_ms
    }
}

impl ElementUser<'_> {
    /// Waits for other users of the group, until enough of them are here, the timer's time is
    /// over, or the user's. The sampler works after that too: JMeter's wait without a time-out
    /// ends with the group's schedule, and what follows it looks at no clock (5.6.3,
    /// `SyncTimer`). Only where nothing would ever end the wait it does not outlast those who
    /// may come.
    async fn meet(&mut self, id: ElementId) {
        let thread = Rc::clone(&self.thread);
        let Some(meeting) = thread.jmeter.meetings.get(&id) else {
            return;
        };
        let timeout = (meeting.timeout_ms > 0).then(|| Duration::from_millis(meeting.timeout_ms));
        let patience = match (timeout, self.stop_ns()) {
            (None, Nanos::MAX) => Patience::WhileOthersMayCome,
            _ => Patience::ToTheEnd,
        };
        let over = timeout.map(|timeout| thread.timers.sleep(timeout));
        let wait = meeting.point.wait(self.scenario.index, over, patience);
        let mut wait = std::pin::pin!(wait);
        self.watch.set(self.stop_ns());
        loop {
            tokio::select! {
                biased;
                _ = &mut wait => break,
                // It may be for the users of another scenario, or the load may have changed.
                () = thread.stopping.notified() => {
                    if self.stopping() {
                        break;
                    }
                    self.watch.set(self.stop_ns());
                }
                () = self.watch.expired() => {
                    self.jm().waited_to_the_end = true;
                    break;
                }
            }
        }
        self.watch.clear();
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss
)] // Milliseconds of a delay; what is not a time is none.
fn stretched(delay_ms: u64, factor: f64) -> u64 {
    (delay_ms as f64 * factor).round().max(0.0) as u64
}

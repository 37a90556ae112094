//! What watching itself costs.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

/// CPU time of the calling thread.
pub(crate) fn thread_cpu() -> Duration {
    read(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// CPU time of this process.
pub(crate) fn process_cpu() -> Duration {
    read(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// Reads one of the two clocks of CPU time.
fn read(clock: libc::clockid_t) -> Duration {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` is a valid timespec; both clocks exist for every thread on Linux.
    unsafe { libc::clock_gettime(clock, &raw mut now) };
    let nanos = u32::try_from(now.tv_nsec).unwrap_or(0);
    Duration::new(u64::try_from(now.tv_sec).unwrap_or(0), nanos)
}

/// A future that counts the CPU time of its own polls: tasks share the thread.
pub(crate) struct Costed<'a, F> {
    future: Pin<Box<F>>,
    cpu: &'a mut Duration,
}

impl<'a, F> Costed<'a, F> {
    /// Adds what `future` costs to `cpu`.
    pub(crate) fn new(future: F, cpu: &'a mut Duration) -> Self {
        Self {
            future: Box::pin(future),
            cpu,
        }
    }
}

impl<F: Future> Future for Costed<'_, F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let before = thread_cpu();
        let polled = self.future.as_mut().poll(context);
        *self.cpu += thread_cpu().saturating_sub(before);
        polled
    }
}

//! The loop of a load thread: what runs its tasks, sleeps while none can go on, and makes what
//! they wait for.
//!
//! Two forms: Tokio's over the kernel, and one in memory on virtual time. Another way of doing I/O
//! (io_uring) is a third: a loop, its alarm, its [`Stream`](super::Stream).

use std::io;
#[cfg(test)]
use std::rc::Rc;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::task::LocalSet;

use super::alarm::Alarm;
use super::dialer::Dialer;
#[cfg(test)]
use super::simulated::{Network, World};
use crate::clock::Clock;

/// The way of doing I/O that a run has.
#[derive(Debug, Clone, Default)]
pub enum Driver {
    /// The kernel's, by Tokio.
    #[default]
    Tokio,
    /// None: a world in memory on virtual time.
    #[cfg(test)]
    Simulated(World),
}

impl Driver {
    /// A clock that will read 0 after `lead`, or as soon as threads can have started.
    #[must_use]
    pub fn clock_in(&self, lead: Duration) -> Clock {
        match self {
            Self::Tokio => Clock::start_in(lead),
            #[cfg(test)]
            Self::Simulated(world) => world.clock(),
        }
    }

    /// The most load threads that it serves at once.
    #[must_use]
    pub fn most_threads(&self) -> usize {
        match self {
            Self::Tokio => usize::MAX,
            #[cfg(test)]
            Self::Simulated(_) => 1,
        }
    }

    /// The loop of the load thread that calls; `woke` is told whenever it has slept.
    ///
    /// # Errors
    /// When the kernel gives no file descriptor.
    pub fn event_loop(&self, woke: impl Fn() + Send + Sync + 'static) -> io::Result<EventLoop> {
        let form = match self {
            Self::Tokio => {
                let mut builder = Builder::new_current_thread();
                EventLoopForm::Tokio(builder.enable_all().on_thread_unpark(woke).build()?)
            }
            #[cfg(test)]
            Self::Simulated(world) => EventLoopForm::Simulated(Network::new(world, Box::new(woke))),
        };
        let tasks = LocalSet::new();
        Ok(EventLoop { tasks, form })
    }
}

/// The loop of a load thread.
pub struct EventLoop {
    /// Dropped before what they wait for.
    tasks: LocalSet,
    form: EventLoopForm,
}

enum EventLoopForm {
    Tokio(Runtime),
    #[cfg(test)]
    Simulated(Rc<Network>),
}

impl EventLoop {
    /// What wakes the thread's timers on this clock.
    ///
    /// # Errors
    /// When the kernel gives no file descriptor.
    pub fn alarm(&self, clock: Clock) -> io::Result<Alarm> {
        match &self.form {
            EventLoopForm::Tokio(runtime) => {
                let _inside = runtime.enter();
                Alarm::of_kernel(clock)
            }
            #[cfg(test)]
            EventLoopForm::Simulated(network) => Ok(Alarm::simulated(network)),
        }
    }

    /// What the thread opens its connections with; see [`Dialer`].
    #[must_use]
    pub fn dialer(&self, clock: Clock, timed: bool) -> Dialer {
        match &self.form {
            EventLoopForm::Tokio(_) => Dialer::of_kernel(clock, timed),
            #[cfg(test)]
            EventLoopForm::Simulated(network) => Dialer::simulated(clock, timed, network),
        }
    }

    /// Runs a future to its end, and meanwhile the tasks that it spawns (`spawn_local`).
    pub fn run<T>(&self, main: impl Future<Output = T>) -> T {
        match &self.form {
            EventLoopForm::Tokio(runtime) => self.tasks.block_on(runtime, main),
            #[cfg(test)]
            EventLoopForm::Simulated(network) => network.run(self.tasks.run_until(main)),
        }
    }

    /// Drops all tasks.
    pub fn drop_tasks(&mut self) {
        self.tasks = LocalSet::new();
    }
}

//! What wakes the timers of a load thread, with the kernel's own grain: a `timerfd`.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
#[cfg(test)]
use std::rc::Rc;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

#[cfg(test)]
use super::simulated::Network;
use crate::clock::Clock;

/// Rings once at the time that it was last set to.
pub struct Alarm(AlarmForm);

enum AlarmForm {
    Kernel(AsyncFd<OwnedFd>),
    #[cfg(test)]
    Simulated(Rc<Network>),
}

impl Alarm {
    /// An alarm on the kernel's clock that this one is read from. Must be called inside a runtime.
    ///
    /// # Errors
    /// When the kernel gives no file descriptor.
    pub fn of_kernel(clock: Clock) -> io::Result<Self> {
        let id = clock.kernel_id().ok_or(io::ErrorKind::Unsupported)?;
        // SAFETY: a plain system call; the result is checked before it is owned.
        let fd = unsafe { libc::timerfd_create(id, libc::TFD_NONBLOCK | libc::TFD_CLOEXEC) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: `fd` is open and owned by nobody else.
        let fd = unsafe { OwnedFd::from_raw_fd(fd) };
        // SAFETY: the descriptor is owned, moves with the AsyncFd, and is closed by it.
        let fd = unsafe { AsyncFd::register_with_interest(fd, Interest::READABLE) }?;
        Ok(Self(AlarmForm::Kernel(fd)))
    }

    /// An alarm in virtual time.
    #[cfg(test)]
    pub(super) fn simulated(network: &Rc<Network>) -> Self {
        Self(AlarmForm::Simulated(Rc::clone(network)))
    }

    /// Sets it, on the clock that the run's is read from.
    #[inline]
    pub fn set(&self, source_ns: u64) {
        match &self.0 {
            AlarmForm::Kernel(fd) => arm(fd.get_ref(), source_ns),
            #[cfg(test)]
            AlarmForm::Simulated(network) => network.set_alarm(source_ns),
        }
    }

    /// Waits until it rings; `false` when it never will.
    pub async fn rings(&self) -> bool {
        match &self.0 {
            AlarmForm::Kernel(fd) => {
                let Ok(mut ready) = fd.readable().await else {
                    return false;
                };
                // No read: the next `timerfd_settime` takes the expiration back.
                ready.clear_ready();
                true
            }
            #[cfg(test)]
            AlarmForm::Simulated(network) => {
                network.alarm_rings().await;
                true
            }
        }
    }
}

fn arm(fd: &OwnedFd, source_ns: u64) {
    // A zero time would disarm; the clock's zero is never the machine's boot.
    let at = source_ns.max(1);
    let spec = libc::itimerspec {
        it_interval: libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        },
        it_value: libc::timespec {
            tv_sec: (at / 1_000_000_000).cast_signed(),
            tv_nsec: (at % 1_000_000_000).cast_signed(),
        },
    };
    // SAFETY: the descriptor is a timerfd of ours and `spec` is valid; it cannot fail
    // for a valid time.
    unsafe {
        libc::timerfd_settime(
            fd.as_raw_fd(),
            libc::TFD_TIMER_ABSTIME,
            &raw const spec,
            std::ptr::null_mut(),
        )
    };
}

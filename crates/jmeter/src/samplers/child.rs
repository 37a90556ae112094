//! A program of the system that was started.

use std::io;
use std::os::fd::{FromRawFd as _, OwnedFd};
use std::process::{Command, ExitStatus};

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// A program that was started; it is killed when nobody keeps it.
///
/// Its end is awaited by its descriptor (pidfd_open(2)). Tokio's own children need a signal
/// driver in every load thread, which a process without spare descriptors cannot have.
pub struct Child {
    pub(crate) process: std::process::Child,
    end: AsyncFd<OwnedFd>,
}

impl Child {
    pub(crate) fn start(command: &mut Command) -> io::Result<Self> {
        let mut process = command.spawn()?;
        let end = descriptor(process.id()).and_then(|end| {
            // SAFETY: it owns the descriptor, which so stays open while it is registered.
            let watched = unsafe { AsyncFd::register_with_interest(end, Interest::READABLE) };
            watched.map_err(io::Error::from)
        });
        match end {
            Ok(end) => Ok(Self { process, end }),
            Err(error) => {
                // It is gone at once, and so is waited for.
                let _ = process.kill();
                let _ = process.wait();
                Err(error)
            }
        }
    }

    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        loop {
            if let Some(status) = self.process.try_wait()? {
                return Ok(status);
            }
            self.end.readable().await?.clear_ready();
        }
    }

    /// Whether it has ended.
    pub(crate) fn has_ended(&mut self) -> bool {
        !matches!(self.process.try_wait(), Ok(None))
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if !self.has_ended() {
            // A killed process is gone at once, and so is waited for.
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
    }
}

/// A descriptor that can be read once the process has ended.
fn descriptor(id: u32) -> io::Result<OwnedFd> {
    // SAFETY: a plain system call without pointers; the child was not waited for, so the
    // number is still its own.
    let found = unsafe { libc::syscall(libc::SYS_pidfd_open, id, 0) };
    match i32::try_from(found) {
        // SAFETY: the system has just made this descriptor, and nobody else knows it.
        Ok(fd) if fd >= 0 => Ok(unsafe { OwnedFd::from_raw_fd(fd) }),
        _ => Err(io::Error::last_os_error()),
    }
}

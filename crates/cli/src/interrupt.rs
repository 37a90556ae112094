//! What signals do to runs.

use plimsoll_run::{Interrupt, Signalled};

/// Exit code of what was interrupted.
pub const INTERRUPTED: u8 = 130;

/// Ends runs when this process is told to: first no new work, then cut off, then the process.
#[must_use]
pub fn interrupt_by_signals() -> Interrupt {
    let interrupt = Interrupt::default();
    let signalled = interrupt.clone();
    let handler = move || {
        if signalled.signal() == Signalled::Again {
            std::process::exit(INTERRUPTED.into());
        }
    };
    quit_is_interrupt();
    // Refused only when another handler is there, which nobody installs.
    let _ = ctrlc::set_handler(handler);
    interrupt
}

/// Ctrl-\ is taken as Ctrl-C: otherwise it ends this process at once, and what was changed for a run stays changed.
pub fn quit_is_interrupt() {
    extern "C" fn interrupt(_: libc::c_int) {
        // SAFETY: both are among the functions that a handler may call, and take no pointers.
        unsafe { libc::kill(libc::getpid(), libc::SIGINT) };
    }
    on_signal(libc::SIGQUIT, interrupt);
}

/// Has a signal call a handler, which does nothing that a handler may not.
fn on_signal(signal: libc::c_int, handler: extern "C" fn(libc::c_int)) {
    // SAFETY: the handler is there as long as the process.
    unsafe { libc::signal(signal, handler as libc::sighandler_t) };
}

/// A file that may not grow any more (`ulimit -f`) is an error of the write, as a full disk is: otherwise the signal ends
/// this process at once, and what was changed stays changed. Processes that it starts have the signal as usual.
pub fn too_large_is_an_error() {
    extern "C" fn nothing(_: libc::c_int) {}
    on_signal(libc::SIGXFSZ, nothing);
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_file_that_may_not_grow_does_not_end_the_process() {
        super::too_large_is_an_error();
        // SAFETY: it takes no pointers; without the handler this test ends here.
        let raised = unsafe { libc::raise(libc::SIGXFSZ) };
        assert_eq!(raised, 0);
    }
}

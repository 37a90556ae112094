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
    // Refused only when another handler is there, which nobody installs.
    let _ = ctrlc::set_handler(handler);
    interrupt
}

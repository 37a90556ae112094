//! Whether what came out of this process was kept: runs that could not be stored, files and
//! standard output that could not be written. The exit code says it.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use plimsoll_stats::summary::{NOT_KEPT, worst_exit_code};
use plimsoll_text::{Lang, Message, render};

static LOST: AtomicBool = AtomicBool::new(false);

/// Something was not kept; a person was told of it.
pub fn lost() {
    LOST.store(true, Ordering::SeqCst);
}

/// The process's exit code, of the one that its command gives; tells of standard output.
pub fn exit_code(code: u8, lang: Lang) -> u8 {
    let stdout = crate::say::stdout_error();
    // A reader that went away knows it.
    if let Some(error) = stdout.filter(|error| error.kind() != io::ErrorKind::BrokenPipe) {
        let message = Message::new("stdout-failed").with("reason", error.to_string());
        crate::say::err(&render(lang, &message));
    }
    let lost = stdout.is_some() || LOST.load(Ordering::SeqCst);
    worst_exit_code([code, if lost { NOT_KEPT } else { 0 }])
}

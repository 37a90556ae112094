//! Command lines, without the secrets that people put there.

use super::{Pid, file};

/// Longer command lines (class paths) are cut.
const MAX_BYTES: usize = 4096;

/// The command line of a process; empty for a thread of the kernel or one that has ended.
pub(crate) fn of(pid: Pid) -> Option<String> {
    let text = file::read(format!("/proc/{pid}/cmdline")).ok()?;
    let words: Vec<&str> = text.trim_end_matches('\0').split('\0').collect();
    let mut line = plimsoll_secrets::command_line(&words);
    if line.len() > MAX_BYTES {
        let end = (0..=MAX_BYTES).rev().find(|at| line.is_char_boundary(*at));
        line.truncate(end.unwrap_or(0));
        line.push('…');
    }
    Some(line)
}

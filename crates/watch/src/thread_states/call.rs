//! System calls in which threads wait, by `/proc/PID/task/TID/syscall`.

use libc::c_long;

/// Where a thread is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallPlace {
    /// On a CPU, or about to be.
    Running,
    /// In a system call with that number and these arguments.
    Call(i64, [u64; 6]),
    /// It waits outside of any call: for a page of memory.
    Outside,
}

/// Reads the line: `running`, `-1 SP PC` or `NUMBER ARG … SP PC`.
pub(crate) fn parse(line: &str) -> Option<CallPlace> {
    let mut words = line.split_ascii_whitespace();
    let first = words.next()?;
    if first == "running" {
        return Some(CallPlace::Running);
    }
    let number: i64 = first.parse().ok()?;
    if number < 0 {
        return Some(CallPlace::Outside);
    }
    let mut arguments = [0; 6];
    for argument in &mut arguments {
        let digits = words.next()?.strip_prefix("0x")?;
        *argument = u64::from_str_radix(digits, 16).ok()?;
    }
    Some(CallPlace::Call(number, arguments))
}

/// What a call waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallKind {
    /// Bytes of the descriptor in the first argument.
    Read,
    /// Room for bytes of the descriptor in the first argument.
    Write,
    /// A connection to be made by the descriptor in the first argument.
    Connect,
    /// A connection to be accepted.
    Accept,
    /// Bytes to be on the disk.
    Sync,
    /// Another thread: a lock, a condition, a semaphore.
    Futex,
    /// Any of the descriptors of an epoll set, the first argument.
    Epoll,
    /// Any of an array of descriptors: address and count.
    Poll,
    /// Any of sets of descriptors: count, to be read, to be written.
    Select,
    /// Requests of the kernel's own queues.
    Queue,
    /// Time to pass.
    Sleep,
    /// A child to end or to let go of the memory.
    Child,
    /// A file to be unlocked.
    FileLock,
    /// A message of another process.
    Message,
    /// Changes to the address space.
    Memory,
    /// Anything else.
    Other,
}

/// Calls that both processors have.
const CALLS: &[(c_long, CallKind)] = &[
    (libc::SYS_read, CallKind::Read),
    (libc::SYS_readv, CallKind::Read),
    (libc::SYS_pread64, CallKind::Read),
    (libc::SYS_preadv, CallKind::Read),
    (libc::SYS_preadv2, CallKind::Read),
    (libc::SYS_recvfrom, CallKind::Read),
    (libc::SYS_recvmsg, CallKind::Read),
    (libc::SYS_recvmmsg, CallKind::Read),
    (libc::SYS_splice, CallKind::Read),
    (libc::SYS_write, CallKind::Write),
    (libc::SYS_writev, CallKind::Write),
    (libc::SYS_pwrite64, CallKind::Write),
    (libc::SYS_pwritev, CallKind::Write),
    (libc::SYS_pwritev2, CallKind::Write),
    (libc::SYS_sendto, CallKind::Write),
    (libc::SYS_sendmsg, CallKind::Write),
    (libc::SYS_sendmmsg, CallKind::Write),
    (libc::SYS_sendfile, CallKind::Write),
    (libc::SYS_connect, CallKind::Connect),
    (libc::SYS_accept, CallKind::Accept),
    (libc::SYS_accept4, CallKind::Accept),
    (libc::SYS_fsync, CallKind::Sync),
    (libc::SYS_fdatasync, CallKind::Sync),
    (libc::SYS_sync, CallKind::Sync),
    (libc::SYS_syncfs, CallKind::Sync),
    (libc::SYS_sync_file_range, CallKind::Sync),
    (libc::SYS_msync, CallKind::Sync),
    (libc::SYS_futex, CallKind::Futex),
    // futex_wait, futex_waitv: the same number everywhere.
    (449, CallKind::Futex),
    (455, CallKind::Futex),
    (libc::SYS_semop, CallKind::Futex),
    (libc::SYS_semtimedop, CallKind::Futex),
    (libc::SYS_epoll_pwait, CallKind::Epoll),
    (libc::SYS_epoll_pwait2, CallKind::Epoll),
    (libc::SYS_ppoll, CallKind::Poll),
    (libc::SYS_pselect6, CallKind::Select),
    (libc::SYS_io_getevents, CallKind::Queue),
    // io_pgetevents is not known to every version of the library.
    (libc::SYS_io_uring_enter, CallKind::Queue),
    (libc::SYS_nanosleep, CallKind::Sleep),
    (libc::SYS_clock_nanosleep, CallKind::Sleep),
    (libc::SYS_wait4, CallKind::Child),
    (libc::SYS_waitid, CallKind::Child),
    (libc::SYS_clone, CallKind::Child),
    (libc::SYS_clone3, CallKind::Child),
    (libc::SYS_flock, CallKind::FileLock),
    (libc::SYS_mq_timedreceive, CallKind::Message),
    (libc::SYS_mq_timedsend, CallKind::Message),
    (libc::SYS_msgrcv, CallKind::Message),
    (libc::SYS_msgsnd, CallKind::Message),
    (libc::SYS_mmap, CallKind::Memory),
    (libc::SYS_munmap, CallKind::Memory),
    (libc::SYS_mprotect, CallKind::Memory),
    (libc::SYS_madvise, CallKind::Memory),
    (libc::SYS_mremap, CallKind::Memory),
    (libc::SYS_brk, CallKind::Memory),
];

/// Calls that only the older of the two has.
#[cfg(target_arch = "x86_64")]
const OLD_CALLS: &[(c_long, CallKind)] = &[
    (libc::SYS_epoll_wait, CallKind::Epoll),
    (libc::SYS_poll, CallKind::Poll),
    (libc::SYS_select, CallKind::Select),
    (libc::SYS_vfork, CallKind::Child),
];
#[cfg(not(target_arch = "x86_64"))]
const OLD_CALLS: &[(c_long, CallKind)] = &[];

/// Commands of `fcntl` that wait for a lock.
const WAITS_FOR_LOCK: [u64; 2] = [libc::F_SETLKW as u64, libc::F_OFD_SETLKW as u64];

/// What that call waits for.
pub(crate) fn kind(number: i64, arguments: &[u64; 6]) -> CallKind {
    if number == libc::SYS_fcntl && WAITS_FOR_LOCK.contains(&arguments[1]) {
        return CallKind::FileLock;
    }
    let mut known = CALLS.iter().chain(OLD_CALLS);
    let found = known.find(|(known, _)| *known == number);
    found.map_or(CallKind::Other, |(_, kind)| *kind)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_line_is_a_call_or_none() {
        let line = "270 0xfb 0x7fff26dc9820 0x0 0x0 0x7fff26dc9730 0x7fff26dc9740 0x7fff 0x7f72\n";
        let arguments = [
            0xfb,
            0x7fff_26dc_9820,
            0,
            0,
            0x7fff_26dc_9730,
            0x7fff_26dc_9740,
        ];
        assert_eq!(parse(line), Some(CallPlace::Call(270, arguments)));
        assert_eq!(parse("running\n"), Some(CallPlace::Running));
        assert_eq!(parse("-1 0x7ffd 0x7f\n"), Some(CallPlace::Outside));
        for wrong in ["", "1", "1 2 3 4 5 6 7", "x 0x1"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn only_locking_makes_fcntl_wait() {
        let with = |command| kind(libc::SYS_fcntl, &[3, command, 0, 0, 0, 0]);
        assert_eq!(with(libc::F_SETLKW as u64), CallKind::FileLock);
        assert_eq!(with(libc::F_SETLK as u64), CallKind::Other);
        assert_eq!(kind(libc::SYS_getpid, &[0; 6]), CallKind::Other);
        assert_eq!(kind(libc::SYS_fdatasync, &[0; 6]), CallKind::Sync);
    }

    #[test]
    fn no_call_is_in_the_table_twice() {
        let mut numbers: Vec<_> = CALLS.iter().chain(OLD_CALLS).map(|(n, _)| *n).collect();
        let all = numbers.len();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), all);
    }

    proptest! {
        #[test]
        fn never_panics(line in "(running|-?[0-9]{1,20}|0x[0-9a-f]{0,20}| |.){0,12}") {
            if let Some(CallPlace::Call(number, arguments)) = parse(&line) {
                let _ = kind(number, &arguments);
            }
        }
    }
}

//! What a thread does at one look, in few kinds.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use super::call::{CallKind, CallPlace, kind};

/// The other side of a socket.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Whom {
    /// A server that this process called.
    Server(SocketAddr),
    /// Who called this process.
    Client(IpAddr),
    /// A server behind a socket in the file system.
    UnixServer(Arc<str>),
    /// Who called this process by a socket in the file system.
    UnixClient(Arc<str>),
    /// Not to be seen, or no longer there.
    Unknown,
}

impl Whom {
    /// Its address; empty if it is not known.
    pub(super) fn address(&self) -> String {
        match self {
            Self::Server(address) => address.to_string(),
            Self::Client(address) => address.to_string(),
            Self::UnixServer(path) | Self::UnixClient(path) => format!("unix:{path}"),
            Self::Unknown => String::new(),
        }
    }

    /// Whether it called this process.
    pub(super) fn is_client(&self) -> bool {
        matches!(self, Self::Client(_) | Self::UnixClient(_))
    }
}

/// What a thread waits for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum ThreadWait {
    Disk,
    Sync,
    Futex,
    Poll,
    Accept,
    Sleep,
    Write,
    Pipe,
    Child,
    FileLock,
    Other,
    /// Bytes of a socket.
    Read(Whom),
    /// A connection that it makes.
    Connect(Whom),
}

/// What a thread does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ThreadDoing {
    /// It is on a CPU or wants one.
    Runs,
    /// It waits.
    Waits(ThreadWait),
}

/// What a descriptor is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FdKind {
    /// A socket that listens.
    Listener,
    /// A connected socket, or one that is being connected.
    Socket(Whom),
    Pipe,
    File,
    /// An event, a timer, an epoll set, a terminal.
    Other,
}

/// A descriptor that a call waits for, among others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PolledFd {
    pub(super) fd: i32,
    /// Only for room to write.
    pub(super) to_write: bool,
}

/// What can be asked of the thread's process.
pub(super) trait OpenFds {
    /// What that descriptor is of.
    fn kind(&mut self, fd: i32) -> FdKind;

    /// The descriptors that a call of that kind waits for; none if they are many or cannot be
    /// seen.
    fn polled(&mut self, kind: CallKind, arguments: &[u64; 6]) -> Option<Vec<PolledFd>>;
}

/// What a thread in that state (a letter of `stat`) does; `wchan` is the kernel's function in which
/// it waits, and empty where that is not needed or not to be seen.
pub(super) fn doing(
    state: char,
    place: Option<CallPlace>,
    wchan: &str,
    fds: &mut impl OpenFds,
) -> ThreadDoing {
    let wait = match (state, place) {
        ('R', _) | (_, Some(CallPlace::Running)) => return ThreadDoing::Runs,
        ('D', place) => on_disk(place, wchan),
        ('S', Some(CallPlace::Call(number, arguments))) => {
            let known = in_call(kind(number, &arguments), &arguments, fds);
            known
                .or_else(|| by_wchan(wchan))
                .unwrap_or(ThreadWait::Other)
        }
        ('S', _) => by_wchan(wchan).unwrap_or(ThreadWait::Other),
        _ => ThreadWait::Other,
    };
    ThreadDoing::Waits(wait)
}

/// Whether the kernel's function is needed to tell what the thread waits for.
pub(super) fn needs_wchan(state: char, place: Option<CallPlace>) -> bool {
    match place {
        Some(CallPlace::Call(number, arguments)) => {
            state == 'D' || kind(number, &arguments) == CallKind::Other
        }
        Some(CallPlace::Outside) | None => matches!(state, 'S' | 'D'),
        Some(CallPlace::Running) => false,
    }
}

/// A wait that no signal ends: for a disk, unless the call says otherwise.
fn on_disk(place: Option<CallPlace>, wchan: &str) -> ThreadWait {
    let call = match place {
        Some(CallPlace::Call(number, arguments)) => kind(number, &arguments),
        _ if wchan.contains("vfork") => CallKind::Child,
        _ => CallKind::Memory,
    };
    match call {
        CallKind::Sync => ThreadWait::Sync,
        CallKind::Child => ThreadWait::Child,
        // Another thread changes the address space.
        CallKind::Memory if wchan.contains("rwsem") || wchan.contains("mutex") => ThreadWait::Other,
        _ => ThreadWait::Disk,
    }
}

fn in_call(call: CallKind, arguments: &[u64; 6], fds: &mut impl OpenFds) -> Option<ThreadWait> {
    let fd = fd_of(arguments[0]);
    Some(match call {
        CallKind::Read => match fds.kind(fd) {
            FdKind::Socket(whom) => ThreadWait::Read(whom),
            FdKind::Pipe => ThreadWait::Pipe,
            FdKind::Listener => ThreadWait::Accept,
            FdKind::File | FdKind::Other => return None,
        },
        CallKind::Write => match fds.kind(fd) {
            FdKind::Socket(_) => ThreadWait::Write,
            FdKind::Pipe => ThreadWait::Pipe,
            _ => return None,
        },
        CallKind::Connect => match fds.kind(fd) {
            FdKind::Socket(whom) => ThreadWait::Connect(whom),
            _ => ThreadWait::Connect(Whom::Unknown),
        },
        CallKind::Epoll | CallKind::Poll | CallKind::Select => match fds.polled(call, arguments) {
            Some(polled) => in_poll(&polled, call, fds),
            None => ThreadWait::Poll,
        },
        CallKind::Accept => ThreadWait::Accept,
        CallKind::Sync => ThreadWait::Sync,
        CallKind::Futex => ThreadWait::Futex,
        CallKind::Queue => ThreadWait::Poll,
        CallKind::Sleep => ThreadWait::Sleep,
        CallKind::Child => ThreadWait::Child,
        CallKind::FileLock => ThreadWait::FileLock,
        CallKind::Message => ThreadWait::Pipe,
        CallKind::Memory | CallKind::Other => return None,
    })
}

/// A call for several descriptors that has but one connection among them is a read with a time
/// limit, or one that can be woken.
fn in_poll(polled: &[PolledFd], call: CallKind, fds: &mut impl OpenFds) -> ThreadWait {
    if polled.is_empty() && call != CallKind::Epoll {
        return ThreadWait::Sleep;
    }
    let mut connection = None;
    let (mut connections, mut listeners, mut pipes) = (0, 0, 0);
    for one in polled {
        match fds.kind(one.fd) {
            FdKind::Listener => listeners += 1,
            FdKind::Socket(whom) => {
                connections += 1;
                connection = Some((whom, one.to_write));
            }
            FdKind::Pipe => pipes += 1,
            FdKind::File | FdKind::Other => {}
        }
    }
    match connection {
        Some((_, true)) if connections == 1 && listeners == 0 => ThreadWait::Write,
        Some((whom, false)) if connections == 1 && listeners == 0 => ThreadWait::Read(whom),
        None if listeners > 0 && call != CallKind::Epoll => ThreadWait::Accept,
        None if pipes == 1 && polled.len() == 1 => ThreadWait::Pipe,
        _ => ThreadWait::Poll,
    }
}

/// A descriptor is an `int`, whatever the upper half of its register holds.
#[expect(clippy::cast_possible_truncation, reason = "the lower half is meant")]
pub(super) fn fd_of(argument: u64) -> i32 {
    (argument as u32).cast_signed()
}

/// Parts of the names of the kernel's functions, the more telling first.
const FUNCTIONS: &[(&str, ThreadWait)] = &[
    ("futex", ThreadWait::Futex),
    ("ep_poll", ThreadWait::Poll),
    ("poll_schedule", ThreadWait::Poll),
    ("do_poll", ThreadWait::Poll),
    ("do_sys_poll", ThreadWait::Poll),
    ("do_select", ThreadWait::Poll),
    ("io_cqring_wait", ThreadWait::Poll),
    ("read_events", ThreadWait::Poll),
    ("csk_accept", ThreadWait::Accept),
    ("csk_wait_for_connect", ThreadWait::Accept),
    ("unix_accept", ThreadWait::Accept),
    ("jbd2_log_wait", ThreadWait::Sync),
    ("nanosleep", ThreadWait::Sleep),
    ("pipe", ThreadWait::Pipe),
    ("do_wait", ThreadWait::Child),
    ("locks_lock", ThreadWait::FileLock),
    ("posix_lock", ThreadWait::FileLock),
    ("flock", ThreadWait::FileLock),
    ("wait_memory", ThreadWait::Write),
    ("sk_wait_data", ThreadWait::Read(Whom::Unknown)),
    ("wait_for_more_packets", ThreadWait::Read(Whom::Unknown)),
    ("unix_stream_read", ThreadWait::Read(Whom::Unknown)),
    ("unix_stream_data_wait", ThreadWait::Read(Whom::Unknown)),
    ("wait_for_connect", ThreadWait::Connect(Whom::Unknown)),
    ("io_schedule", ThreadWait::Disk),
    ("wait_on_page", ThreadWait::Disk),
    ("folio_wait", ThreadWait::Disk),
];

/// By the kernel's function alone: where the call may not be seen, or says nothing.
fn by_wchan(wchan: &str) -> Option<ThreadWait> {
    let mut known = FUNCTIONS.iter();
    let found = known.find(|(part, _)| wchan.contains(part))?;
    Some(found.1.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A process whose descriptors are listed, from 0 on; its calls wait for `polled`.
    struct Listed {
        kinds: Vec<FdKind>,
        polled: Option<Vec<PolledFd>>,
    }

    impl OpenFds for Listed {
        fn kind(&mut self, fd: i32) -> FdKind {
            let at = usize::try_from(fd).ok();
            let kind = at.and_then(|at| self.kinds.get(at).cloned());
            kind.unwrap_or(FdKind::Other)
        }

        fn polled(&mut self, _: CallKind, _: &[u64; 6]) -> Option<Vec<PolledFd>> {
            self.polled.clone()
        }
    }

    fn whom() -> Whom {
        Whom::Server(([127, 0, 0, 1], 3306).into())
    }

    fn process() -> Listed {
        let kinds = vec![
            FdKind::Socket(whom()),
            FdKind::Listener,
            FdKind::Pipe,
            FdKind::File,
            FdKind::Other,
        ];
        Listed {
            kinds,
            polled: None,
        }
    }

    fn at(number: libc::c_long, fd: u64) -> Option<CallPlace> {
        Some(CallPlace::Call(number, [fd, 0, 0, 0, 0, 0]))
    }

    fn waits(state: char, place: Option<CallPlace>, wchan: &str) -> Option<ThreadWait> {
        match doing(state, place, wchan, &mut process()) {
            ThreadDoing::Runs => None,
            ThreadDoing::Waits(wait) => Some(wait),
        }
    }

    #[test]
    fn a_call_says_what_a_thread_waits_for() {
        for (place, wait) in [
            (at(libc::SYS_read, 0), ThreadWait::Read(whom())),
            (
                at(libc::SYS_recvfrom, 0xffff_0000_0000_0000),
                ThreadWait::Read(whom()),
            ),
            (at(libc::SYS_read, 2), ThreadWait::Pipe),
            (at(libc::SYS_read, 4), ThreadWait::Other),
            (at(libc::SYS_sendto, 0), ThreadWait::Write),
            (at(libc::SYS_connect, 0), ThreadWait::Connect(whom())),
            (at(libc::SYS_accept4, 1), ThreadWait::Accept),
            (at(libc::SYS_futex, 0), ThreadWait::Futex),
            (at(libc::SYS_clock_nanosleep, 0), ThreadWait::Sleep),
            (at(libc::SYS_wait4, 0), ThreadWait::Child),
            (at(libc::SYS_flock, 3), ThreadWait::FileLock),
            (at(libc::SYS_ppoll, 0), ThreadWait::Poll),
            (at(libc::SYS_getrandom, 0), ThreadWait::Other),
        ] {
            assert_eq!(waits('S', place, ""), Some(wait), "{place:?}");
        }
        assert_eq!(waits('R', at(libc::SYS_read, 0), ""), None);
        assert_eq!(waits('S', Some(CallPlace::Running), ""), None);
        assert_eq!(waits('T', None, ""), Some(ThreadWait::Other));
    }

    #[test]
    fn what_no_signal_ends_is_a_disk_unless_the_call_says_otherwise() {
        for (place, wchan, wait) in [
            (
                at(libc::SYS_write, 3),
                "balance_dirty_pages",
                ThreadWait::Disk,
            ),
            (
                at(libc::SYS_fdatasync, 3),
                "jbd2_log_wait_commit",
                ThreadWait::Sync,
            ),
            (
                at(libc::SYS_fsync, 3),
                "rwsem_down_write_slowpath",
                ThreadWait::Sync,
            ),
            (at(libc::SYS_clone, 0), "", ThreadWait::Child),
            (
                at(libc::SYS_mmap, 0),
                "rwsem_down_write_slowpath",
                ThreadWait::Other,
            ),
            (
                Some(CallPlace::Outside),
                "folio_wait_bit_common",
                ThreadWait::Disk,
            ),
            (
                Some(CallPlace::Outside),
                "rwsem_down_read_slowpath",
                ThreadWait::Other,
            ),
            (None, "", ThreadWait::Disk),
        ] {
            assert_eq!(waits('D', place, wchan), Some(wait), "{wchan}");
        }
    }

    #[test]
    fn without_the_call_the_kernels_function_says_it() {
        for (wchan, wait) in [
            ("futex_wait_queue", ThreadWait::Futex),
            ("ep_poll", ThreadWait::Poll),
            ("inet_csk_accept", ThreadWait::Accept),
            ("wait_woken.sk_wait_data", ThreadWait::Read(Whom::Unknown)),
            ("0", ThreadWait::Other),
        ] {
            assert_eq!(waits('S', None, wchan), Some(wait), "{wchan}");
        }
    }

    #[test]
    fn a_poll_of_one_connection_is_a_read() {
        let polled = |fds: &[(i32, bool)]| {
            let fds = fds.iter().map(|(fd, to_write)| PolledFd {
                fd: *fd,
                to_write: *to_write,
            });
            let mut process = Listed {
                polled: Some(fds.collect()),
                ..process()
            };
            doing('S', at(libc::SYS_ppoll, 0), "", &mut process)
        };
        for (fds, wait) in [
            (&[][..], ThreadWait::Sleep),
            (&[(0, false)], ThreadWait::Read(whom())),
            (&[(0, false), (2, false)], ThreadWait::Read(whom())),
            (&[(0, true)], ThreadWait::Write),
            (&[(0, false), (0, false)], ThreadWait::Poll),
            (&[(0, false), (1, false)], ThreadWait::Poll),
            (&[(1, false), (2, false)], ThreadWait::Accept),
            (&[(2, false)], ThreadWait::Pipe),
            (&[(9, false)], ThreadWait::Poll),
        ] {
            assert_eq!(polled(fds), ThreadDoing::Waits(wait), "{fds:?}");
        }
    }

    proptest! {
        #[test]
        fn every_line_is_something(state in any::<char>(), line in "(running|-?[0-9]{1,4}|0x[0-9a-f]{1,16}| ){0,20}", wchan in ".{0,20}") {
            let place = super::super::call::parse(&line);
            let _ = needs_wchan(state, place);
            let _ = doing(state, place, &wchan, &mut process());
        }
    }
}

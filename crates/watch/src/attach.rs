//! Asks a running JVM of this host: our own client of HotSpot's attach mechanism.
//!
//! A JVM that nobody has attached to yet is woken: a file `.attach_pidN` in its `/tmp`, then
//! SIGQUIT, upon which it opens the socket `/tmp/.java_pidN`. A request is the protocol's
//! version, a command and three arguments, each ended by NUL; the response is a code, a line end
//! and text until the JVM closes (HotSpot, `attachListener_posix.cpp`).
//!
//! SIGQUIT ends a process that does not catch it, so it is only sent to a HotSpot JVM that
//! does, and to that very process. The JVM responds to its own user and, from JDK 11 on, root; so root
//! speaks as the JVM's user, on a thread of its own. All files are those below the JVM's own root,
//! with its user's rights; the socket must be its user's, and the JVM must be who listens there.
//! Only who may take captures may call this: it is no looking.

use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use plimsoll_text::Message;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};
use tokio::sync::oneshot;

use crate::collector::Trouble;
use crate::collectors::jvm::target::JvmProcess;
use crate::proc::root::{Root, fd_path};

/// How often a wait looks whether it is still wanted.
const STEP: Duration = Duration::from_millis(20);
/// An error's text is cut after so many bytes.
const MAX_REFUSAL: usize = 300;

/// What is asked of a JVM.
#[derive(Debug, Clone)]
pub(crate) struct AttachRequest {
    /// `threaddump`, `jcmd`, `inspectheap`, `load`.
    pub(crate) command: &'static str,
    /// Up to three arguments; never from the network.
    pub(crate) arguments: Vec<String>,
    /// The response is cut after so many bytes.
    pub(crate) max_bytes: usize,
    /// How long all of it may take.
    pub(crate) limit: Duration,
}

/// What a JVM responded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AttachResponse {
    /// The text behind the code.
    pub(crate) bytes: Vec<u8>,
    /// Whether it was longer than it might be.
    pub(crate) cut: bool,
}

impl AttachRequest {
    /// A request with the usual limits: 10 s, 8 MiB.
    pub(crate) fn new(command: &'static str, arguments: &[&str]) -> Self {
        Self {
            command,
            arguments: arguments
                .iter()
                .map(|&argument| argument.to_owned())
                .collect(),
            max_bytes: 8 << 20,
            limit: Duration::from_secs(10),
        }
    }

    /// A diagnostic command, as `jcmd` sends it.
    pub(crate) fn jcmd(line: impl Into<String>) -> Self {
        Self {
            arguments: vec![line.into()],
            ..Self::new("jcmd", &[])
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = b"1\0".to_vec();
        let arguments = self.arguments.iter().map(String::as_str);
        let empty = std::iter::repeat("");
        for part in std::iter::once(self.command).chain(arguments.chain(empty).take(3)) {
            bytes.extend_from_slice(part.as_bytes());
            bytes.push(0);
        }
        bytes
    }
}

/// Tells the thread of a request that nobody waits for it any more.
struct AttachWanted(Arc<AtomicBool>);

impl Drop for AttachWanted {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// Asks the JVM. Dropped, the request is given up.
///
/// # Errors
/// Why it could not be asked, or what it said instead.
pub(crate) async fn ask(
    process: &JvmProcess,
    request: AttachRequest,
) -> Result<AttachResponse, Trouble> {
    let wanted = AttachWanted(Arc::new(AtomicBool::new(true)));
    let attempt = Attempt {
        process: process.clone(),
        deadline: Instant::now() + request.limit,
        wanted: Arc::clone(&wanted.0),
        request,
    };
    let (tell, told) = oneshot::channel();
    // A thread of its own: it may change whose it is, and ends with the request.
    let started = std::thread::Builder::new()
        .name("attach".to_owned())
        .spawn(move || {
            let _ = tell.send(attempt.run());
        });
    if let Err(error) = started {
        return Err(failed(process, &error));
    }
    told.await.unwrap_or_else(|_| {
        let gone = io::Error::from(io::ErrorKind::BrokenPipe);
        Err(failed(process, &gone))
    })
}

struct Attempt {
    process: JvmProcess,
    request: AttachRequest,
    deadline: Instant,
    wanted: Arc<AtomicBool>,
}

impl Attempt {
    fn run(&self) -> Result<AttachResponse, Trouble> {
        if !self.process.alive() {
            return Err(self.gone());
        }
        let failed = |error: io::Error| self.trouble(&error);
        let root = self.process.root().map_err(failed)?;
        let socket = match self.socket(&root).map_err(failed)? {
            Some(socket) => socket,
            None => self.wake(&root)?,
        };
        root.take_rights().map_err(failed)?;
        let mut stream = self.connect(&fd_path(&socket)).map_err(failed)?;
        self.check_peer(&stream).map_err(failed)?;
        stream.write_all(&self.request.bytes()).map_err(failed)?;
        self.response(&mut stream)
    }

    fn gone(&self) -> Trouble {
        let pid = self.process.pid.to_string();
        Trouble::new(Message::new("watch-jvm-no-process").with("pid", pid))
    }

    /// The JVM's socket; none: it has not opened one yet.
    fn socket(&self, root: &Root) -> io::Result<Option<OwnedFd>> {
        let path = Path::new("/tmp").join(self.file("java"));
        let uid = self.process.uid;
        match root.visit(move |files| files.socket(&path, uid)) {
            Ok(socket) => Ok(Some(socket)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn file(&self, kind: &str) -> String {
        format!(".{kind}_pid{}", self.process.inner_pid)
    }

    /// Has the JVM open its socket.
    fn wake(&self, root: &Root) -> Result<OwnedFd, Trouble> {
        let failed = |error: io::Error| self.trouble(&error);
        let held = self.hold()?;
        self.is_ready_for_sigquit()?;
        let trigger = self.file("attach");
        let name = trigger.clone();
        let folder = root.visit(move |files| {
            let folder = files.folder(Path::new("/tmp"))?;
            match folder.touch(&name) {
                // Somebody else is about to attach.
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
                _ => Ok(folder),
            }
        });
        let folder = folder.map_err(failed)?;
        let woken = self
            .signal(held.as_ref())
            .and_then(|()| self.wait_for(root));
        // The JVM may have removed it.
        let _ = root.visit(move |_| folder.remove(&trigger));
        woken.map_err(failed)
    }

    /// Holds on to this very process, so that no other of its number gets the signal; none where
    /// the kernel cannot do so (before 5.3).
    fn hold(&self) -> Result<Option<OwnedFd>, Trouble> {
        let pid = i32::try_from(self.process.pid).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or_else(|| self.gone())?;
        let held = match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(held) => Some(held),
            Err(Errno::NOSYS | Errno::PERM) => None,
            Err(error) => return Err(self.trouble(&error.into())),
        };
        // Else it may be another's already.
        self.process
            .alive()
            .then_some(held)
            .ok_or_else(|| self.gone())
    }

    /// Whether SIGQUIT does what it is meant to do: else it would end the process.
    fn is_ready_for_sigquit(&self) -> Result<(), Trouble> {
        let arguments = self.process.arguments();
        let refused = |reason: &str| {
            Trouble::new(
                Message::new("watch-jvm-attach-off")
                    .with("pid", self.process.pid.to_string())
                    .with("reason", reason),
            )
        };
        if let Some(option) = arguments
            .iter()
            .find(|argument| *argument == "-XX:+DisableAttachMechanism")
        {
            return Err(refused(option));
        }
        let maps = fs::read_to_string(format!("/proc/{}/maps", self.process.pid))
            .map_err(|error| self.trouble(&error))?;
        if !maps.contains("/libjvm.so") {
            return Err(refused("libjvm.so"));
        }
        if self.catches_sigquit() {
            Ok(())
        } else {
            Err(refused("SIGQUIT"))
        }
    }

    fn catches_sigquit(&self) -> bool {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.pid));
        let status = status.unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        caught
            .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
            .is_some_and(|mask| mask & (1 << (libc::SIGQUIT - 1)) != 0)
    }

    fn signal(&self, held: Option<&OwnedFd>) -> io::Result<()> {
        if let Some(held) = held {
            return Ok(pidfd_send_signal(held, Signal::QUIT)?);
        }
        let pid = i32::try_from(self.process.pid).ok().and_then(Pid::from_raw);
        match pid.filter(|_| self.process.alive()) {
            Some(pid) => Ok(kill_process(pid, Signal::QUIT)?),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn wait_for(&self, root: &Root) -> io::Result<OwnedFd> {
        loop {
            if let Some(socket) = self.socket(root)? {
                return Ok(socket);
            }
            self.still_wanted()?;
            std::thread::sleep(STEP);
        }
    }

    fn still_wanted(&self) -> io::Result<()> {
        if Instant::now() >= self.deadline || !self.wanted.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        Ok(())
    }

    fn connect(&self, path: &Path) -> io::Result<UnixStream> {
        // SAFETY: opens a descriptor; touches no memory.
        let descriptor =
            unsafe { libc::socket(libc::AF_UNIX, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0) };
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor was just opened and is nobody else's.
        let stream = UnixStream::from(unsafe { OwnedFd::from_raw_fd(descriptor) });
        let left = self.deadline.saturating_duration_since(Instant::now());
        // Bounds the wait for a place in the JVM's queue too.
        stream.set_write_timeout(Some(left.max(STEP)))?;
        stream.set_read_timeout(Some(STEP * 10))?;
        // SAFETY: all zeros is a valid `sockaddr_un`.
        let mut address: libc::sockaddr_un = unsafe { std::mem::zeroed() };
        address.sun_family = libc::sa_family_t::try_from(libc::AF_UNIX).unwrap_or(1);
        let path = path.as_os_str().as_bytes();
        if path.len() >= address.sun_path.len() {
            return Err(io::ErrorKind::InvalidFilename.into());
        }
        for (to, from) in address.sun_path.iter_mut().zip(path) {
            *to = from.cast_signed() as libc::c_char;
        }
        let size = libc::socklen_t::try_from(size_of_val(&address)).unwrap_or(0);
        // SAFETY: `address` lives through the call and is `size` bytes long.
        let connected =
            unsafe { libc::connect(stream.as_raw_fd(), (&raw const address).cast(), size) };
        if connected == 0 {
            Ok(stream)
        } else {
            Err(io::Error::last_os_error())
        }
    }

    /// Whether it is the JVM that listens there, and not another that has put its socket in the
    /// place.
    fn check_peer(&self, stream: &UnixStream) -> io::Result<()> {
        let mut peer = libc::ucred {
            pid: 0,
            uid: 0,
            gid: 0,
        };
        let mut size = libc::socklen_t::try_from(size_of_val(&peer)).unwrap_or(0);
        // SAFETY: `peer` lives through the call and is `size` bytes long.
        let told = unsafe {
            libc::getsockopt(
                stream.as_raw_fd(),
                libc::SOL_SOCKET,
                libc::SO_PEERCRED,
                (&raw mut peer).cast(),
                &raw mut size,
            )
        };
        if told != 0 {
            return Err(io::Error::last_os_error());
        }
        let same = peer.uid == self.process.uid && peer.pid.cast_unsigned() == self.process.pid;
        match same {
            true => Ok(()),
            false => Err(io::ErrorKind::PermissionDenied.into()),
        }
    }

    fn response(&self, stream: &mut UnixStream) -> Result<AttachResponse, Trouble> {
        let mut bytes = Vec::new();
        let mut chunk = [0; 32 << 10];
        let mut cut = false;
        loop {
            self.still_wanted().map_err(|error| self.trouble(&error))?;
            match stream.read(&mut chunk) {
                Ok(0) => break,
                Ok(n) => bytes.extend_from_slice(&chunk[..n]),
                Err(error) if is_wait(&error) => {}
                Err(error) => return Err(self.trouble(&error)),
            }
            if bytes.len() > self.request.max_bytes {
                bytes.truncate(self.request.max_bytes);
                cut = true;
                break;
            }
        }
        self.judge(bytes, cut)
    }

    /// Takes the code off the response.
    fn judge(&self, bytes: Vec<u8>, cut: bool) -> Result<AttachResponse, Trouble> {
        let line = bytes.iter().position(|byte| *byte == b'\n');
        let (code, rest) = match line {
            Some(end) => (&bytes[..end], &bytes[end + 1..]),
            None => (bytes.as_slice(), &[][..]),
        };
        if code == b"0" {
            let bytes = rest.to_vec();
            return Ok(AttachResponse { bytes, cut });
        }
        let text = String::from_utf8_lossy(&rest[..rest.len().min(MAX_REFUSAL)]);
        Err(Trouble::new(
            Message::new("watch-jvm-attach-refused")
                .with("pid", self.process.pid.to_string())
                .with("command", self.request.command)
                .with("answer", text.lines().next().unwrap_or_default()),
        ))
    }

    fn trouble(&self, error: &io::Error) -> Trouble {
        if is_wait(error) {
            return Trouble::new(
                Message::new("watch-jvm-attach-silent")
                    .with("pid", self.process.pid.to_string())
                    .with("seconds", self.request.limit.as_secs()),
            );
        }
        failed(&self.process, error)
    }
}

fn failed(process: &JvmProcess, error: &io::Error) -> Trouble {
    let id = match error.kind() {
        io::ErrorKind::PermissionDenied => "watch-jvm-attach-denied",
        _ => "watch-jvm-attach-failed",
    };
    Trouble::new(
        Message::new(id)
            .with("pid", process.pid.to_string())
            .with("reason", error.to_string()),
    )
}

fn is_wait(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), TimedOut | WouldBlock | Interrupted)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    #[test]
    fn a_request_has_three_arguments() {
        let bytes = AttachRequest::new("threaddump", &["-l"]).bytes();
        assert_eq!(bytes, b"1\0threaddump\0-l\0\0\0");
        let bytes = AttachRequest::jcmd("VM.version").bytes();
        assert_eq!(bytes, b"1\0jcmd\0VM.version\0\0\0");
    }

    #[test]
    fn a_process_that_is_no_jvm_gets_no_signal() {
        let child = std::process::Command::new("sleep").arg("60").spawn();
        let mut child = child.unwrap();
        let process = JvmProcess::of(child.id()).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let asked = runtime.block_on(ask(&process, AttachRequest::new("threaddump", &[])));
        let alive = child.try_wait().unwrap().is_none();
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(asked.unwrap_err().message.id, "watch-jvm-attach-off");
        assert!(alive);
    }
}

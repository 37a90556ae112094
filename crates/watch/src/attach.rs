//! Asks a running JVM of this host: our own client of HotSpot's attach mechanism.
//!
//! A JVM that nobody has attached to yet is woken: a file `.attach_pidN` in its `/tmp`, then
//! SIGQUIT, upon which it opens the socket `/tmp/.java_pidN`. A request is the protocol's
//! version, a command and three arguments, each ended by NUL; the answer is a code, a line end
//! and text until the JVM closes (HotSpot, `attachListener_posix.cpp`).
//!
//! SIGQUIT ends a process that does not catch it, so it is only sent to a HotSpot JVM that
//! does. The JVM answers its own user and, from JDK 11 on, root; so root speaks as the JVM's
//! user, on a thread of its own. Only who may take captures may call this: it is no looking.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use plimsoll_text::Message;
use tokio::sync::oneshot;

use crate::collector::Trouble;
use crate::collectors::jvm::target::Process;

/// How often a wait looks whether it is still wanted.
const STEP: Duration = Duration::from_millis(20);
/// An error's text is cut after so many bytes.
const MAX_REFUSAL: usize = 300;

/// What is asked of a JVM.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// `threaddump`, `jcmd`, `inspectheap`, `load`.
    pub(crate) command: &'static str,
    /// Up to three arguments; never from the network.
    pub(crate) arguments: Vec<String>,
    /// The answer is cut after so many bytes.
    pub(crate) max_bytes: usize,
    /// How long all of it may take.
    pub(crate) limit: Duration,
}

/// What a JVM answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The text behind the code.
    pub(crate) bytes: Vec<u8>,
    /// Whether it was longer than it might be.
    pub(crate) cut: bool,
}

impl Request {
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
struct Wanted(Arc<AtomicBool>);

impl Drop for Wanted {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// Asks the JVM. Dropped, the request is given up.
///
/// # Errors
/// Why it could not be asked, or what it said instead.
pub(crate) async fn ask(process: &Process, request: Request) -> Result<Answer, Trouble> {
    let wanted = Wanted(Arc::new(AtomicBool::new(true)));
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
    process: Process,
    request: Request,
    deadline: Instant,
    wanted: Arc<AtomicBool>,
}

impl Attempt {
    fn run(&self) -> Result<Answer, Trouble> {
        if !self.process.alive() {
            return Err(Trouble::new(
                Message::new("watch-jvm-no-process").with("pid", self.process.pid.to_string()),
            ));
        }
        let path = self.inner_file("java");
        if !is_socket(&path) {
            self.wake(&path)?;
        }
        let failed = |error: io::Error| self.trouble(&error);
        become_user(self.process.uid, self.process.gid).map_err(failed)?;
        let mut stream = self.connect(&path).map_err(failed)?;
        stream.write_all(&self.request.bytes()).map_err(failed)?;
        self.answer(&mut stream)
    }

    fn inner_file(&self, kind: &str) -> PathBuf {
        let name = format!("/tmp/.{kind}_pid{}", self.process.inner_pid);
        self.process.path(&name)
    }

    /// Has the JVM open its socket.
    fn wake(&self, socket: &Path) -> Result<(), Trouble> {
        self.is_ready_for_sigquit()?;
        let trigger = self.inner_file("attach");
        let made = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&trigger);
        match made {
            Ok(file) => {
                let owner = (Some(self.process.uid), Some(self.process.gid));
                // Refused to who is not root, and then the file has the right owner already.
                let _ = std::os::unix::fs::fchown(&file, owner.0, owner.1);
            }
            // Somebody else is about to attach.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(self.trouble(&error)),
        }
        let woken = self.signal().and_then(|()| self.wait_for(socket));
        // The JVM may have removed it.
        let _ = fs::remove_file(&trigger);
        woken
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

    fn signal(&self) -> Result<(), Trouble> {
        let pid = i32::try_from(self.process.pid).unwrap_or(-1);
        if pid <= 0 || !self.process.alive() {
            return Err(self.trouble(&io::Error::from_raw_os_error(libc::ESRCH)));
        }
        // SAFETY: sends a signal; touches no memory of this process.
        if unsafe { libc::kill(pid, libc::SIGQUIT) } == 0 {
            Ok(())
        } else {
            Err(self.trouble(&io::Error::last_os_error()))
        }
    }

    fn wait_for(&self, socket: &Path) -> Result<(), Trouble> {
        while !is_socket(socket) {
            self.still_wanted().map_err(|error| self.trouble(&error))?;
            std::thread::sleep(STEP);
        }
        Ok(())
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

    fn answer(&self, stream: &mut UnixStream) -> Result<Answer, Trouble> {
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

    /// Takes the code off the answer.
    fn judge(&self, bytes: Vec<u8>, cut: bool) -> Result<Answer, Trouble> {
        let line = bytes.iter().position(|byte| *byte == b'\n');
        let (code, rest) = match line {
            Some(end) => (&bytes[..end], &bytes[end + 1..]),
            None => (bytes.as_slice(), &[][..]),
        };
        if code == b"0" {
            let bytes = rest.to_vec();
            return Ok(Answer { bytes, cut });
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

fn failed(process: &Process, error: &io::Error) -> Trouble {
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

fn is_socket(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.file_type().is_socket())
}

/// Makes the calling thread, and only this one, speak as another user, if this is root. The
/// thread must end soon: it cannot go back.
fn become_user(uid: u32, gid: u32) -> io::Result<()> {
    // SAFETY: reads numbers of this thread.
    let own = unsafe { (libc::geteuid(), libc::getegid()) };
    if own == (uid, gid) || own.0 != 0 {
        return Ok(());
    }
    // The C library's own functions would change all threads.
    // SAFETY: system calls on numbers; they change the calling thread's credentials only.
    let changed = unsafe {
        libc::syscall(libc::SYS_setresgid, gid, gid, gid) == 0
            && libc::syscall(libc::SYS_setresuid, uid, uid, uid) == 0
    };
    if changed {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    #[test]
    fn a_request_has_three_arguments() {
        let bytes = Request::new("threaddump", &["-l"]).bytes();
        assert_eq!(bytes, b"1\0threaddump\0-l\0\0\0");
        let bytes = Request::jcmd("VM.version").bytes();
        assert_eq!(bytes, b"1\0jcmd\0VM.version\0\0\0");
    }

    #[test]
    fn a_process_that_is_no_jvm_gets_no_signal() {
        let child = std::process::Command::new("sleep").arg("60").spawn();
        let mut child = child.unwrap();
        let process = Process::of(child.id()).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let asked = runtime.block_on(ask(&process, Request::new("threaddump", &[])));
        let alive = child.try_wait().unwrap().is_none();
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(asked.unwrap_err().message.id, "watch-jvm-attach-off");
        assert!(alive);
    }
}

//! A program of the system at work: its input, its output, its end.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};

use plimsoll_access::Access;
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;

use super::waits::{said, until};
use crate::element_user::ElementUser;
use crate::samplers::child::Child;
use plimsoll_load::clock::Nanos;
use plimsoll_load::kit::user::Cut;

/// Most bytes that are read at once.
const CHUNK_BYTES: usize = 64 * 1024;

/// What is to run, and how.
pub(super) struct ProgramOrder {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Variables beside those of this process.
    pub environment: Vec<(String, String)>,
    /// Where it runs.
    pub directory: PathBuf,
    /// Files for input, output and errors; empty: none.
    pub files: [String; 3],
    /// Longest run; 0: any.
    pub timeout_ms: u64,
}

/// Why there is no return code.
#[derive(Debug)]
pub(super) enum ProgramTrouble {
    /// Java's exception and its message.
    Io(&'static str, String),
    /// It took longer than it may, milliseconds.
    Late(u64),
}

/// Where output goes.
enum ProgramOutput<'o> {
    Memory(&'o mut Vec<u8>),
    File(File),
}

/// Runs a program to its end. Output that goes to no file is put into `output`, also when it
/// does not come to its end.
pub(super) async fn run(
    user: &mut ElementUser<'_>,
    order: &ProgramOrder,
    output: &mut Vec<u8>,
) -> Result<Result<i32, ProgramTrouble>, Cut> {
    let access = user.thread.jmeter.access.clone();
    let started = match start(order, &access) {
        Ok(started) => started,
        Err(trouble) => return Ok(Err(trouble)),
    };
    let (mut child, pipes, [out_file, err_file]) = started;
    let target = match out_file {
        Some(file) => ProgramOutput::File(file),
        None => ProgramOutput::Memory(output),
    };
    let [out_pipe, err_pipe] = pipes;
    let copies = async {
        let errors = async {
            if let (Some(pipe), Some(file)) = (err_pipe, err_file) {
                copy(pipe, ProgramOutput::File(file)).await;
            }
        };
        let out = async {
            if let Some(pipe) = out_pipe {
                copy(pipe, target).await;
            }
        };
        tokio::join!(out, errors);
    };
    let mut copies = std::pin::pin!(copies);
    let mut copied = false;
    let ends = async {
        loop {
            tokio::select! {
                biased;
                () = &mut copies, if !copied => copied = true,
                status = child.wait() => return status,
            }
        }
    };
    let until_ns = match order.timeout_ms {
        0 => Nanos::MAX,
        ms => {
            let now = user.thread.clock.now_ns();
            now.saturating_add(ms.saturating_mul(1_000_000))
        }
    };
    let Some(status) = until(user, until_ns, ends).await? else {
        terminate(user, child);
        return Ok(Err(ProgramTrouble::Late(order.timeout_ms)));
    };
    // Whoever else has its output may still write.
    if !copied {
        until(user, Nanos::MAX, copies).await?;
    }
    Ok(status
        .map(code_of)
        .map_err(|error| ProgramTrouble::Io("java.io.IOException", said(&error))))
}

type Started = (Child, [Option<pipe::Receiver>; 2], [Option<File>; 2]);

fn start(order: &ProgramOrder, access: &Access) -> Result<Started, ProgramTrouble> {
    let [stdin, stdout, stderr] = &order.files;
    let program = program(order, access);
    // Asked first: nothing is made for what may not run.
    let command = access.command(&program);
    let mut command = command
        .map_err(|refused| ProgramTrouble::Io("java.io.IOException", refused.to_string()))?;
    let input = file(stdin, |path| access.open(path))?;
    let files = [
        file(stdout, |path| access.create(path))?,
        file(stderr, |path| access.create(path))?,
    ];
    let cannot = |why: String| {
        let text = format!(
            "Cannot run program \"{}\" (in directory \"{}\"): {why}",
            order.command,
            order.directory.display()
        );
        ProgramTrouble::Io("java.io.IOException", text)
    };
    let system = |error: io::Error| {
        let number = error.raw_os_error().unwrap_or(0);
        cannot(format!("error={number}, {}", said(&error)))
    };
    let words = std::iter::once(&order.command).chain(&order.arguments);
    if words.into_iter().any(|word| word.contains('\0')) {
        let text = "invalid null character in command".to_owned();
        return Err(ProgramTrouble::Io("java.io.IOException", text));
    }
    command
        .arg0(&order.command)
        .args(&order.arguments)
        .envs(order.environment.iter().map(|(name, value)| (name, value)))
        .current_dir(&order.directory)
        .stdin(input.map_or_else(Stdio::null, Stdio::from));
    let (reader, writer) = io::pipe().map_err(system)?;
    let err_reader = if files[1].is_some() {
        let (reader, writer) = io::pipe().map_err(system)?;
        command.stderr(writer);
        Some(reader)
    } else {
        // One pipe for both, so that their order is kept.
        command.stderr(writer.try_clone().map_err(system)?);
        None
    };
    command.stdout(writer);
    let child = Child::start(&mut command).map_err(system)?;
    let receiver = |reader: io::PipeReader| pipe::Receiver::from_owned_fd(OwnedFd::from(reader));
    let out = receiver(reader).map_err(system)?;
    let err = err_reader.map(receiver).transpose().map_err(system)?;
    Ok((child, [Some(out), err], files))
}

/// A file that is named.
fn file(
    name: &str,
    open: impl FnOnce(&Path) -> io::Result<File>,
) -> Result<Option<File>, ProgramTrouble> {
    let name = name.trim();
    if name.is_empty() {
        return Ok(None);
    }
    open(Path::new(name)).map(Some).map_err(|error| {
        let text = format!("{name} ({})", said(&error));
        ProgramTrouble::Io("java.io.FileNotFoundException", text)
    })
}

/// The program's file. Java looks along the path of its own process, whatever path the new one
/// has.
fn program(order: &ProgramOrder, access: &Access) -> OsString {
    let own_path = order.environment.iter().any(|(name, _)| name == "PATH");
    if own_path && !order.command.contains('/') && !order.command.is_empty() {
        #[expect(
            clippy::disallowed_methods,
            reason = "where this process looks, as Java does"
        )]
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut places = std::env::split_paths(&path).map(|folder| folder.join(&order.command));
        if let Some(found) = places.find(|place| access.is_file(place)) {
            return found.into();
        }
    }
    order.command.clone().into()
}

/// Copies output to where it goes, to its end.
async fn copy(mut from: pipe::Receiver, mut to: ProgramOutput<'_>) {
    let mut chunk = Vec::with_capacity(CHUNK_BYTES);
    loop {
        chunk.clear();
        match from.read_buf(&mut chunk).await {
            Ok(1..) => {}
            _ => return,
        }
        to = match to {
            ProgramOutput::Memory(output) => {
                output.extend_from_slice(&chunk);
                ProgramOutput::Memory(output)
            }
            ProgramOutput::File(mut file) => {
                let bytes = std::mem::take(&mut chunk);
                // A disk may block, a load thread may not.
                let written = tokio::task::spawn_blocking(move || {
                    file.write_all(&bytes).map(|()| (file, bytes))
                });
                match written.await {
                    Ok(Ok((file, bytes))) => {
                        chunk = bytes;
                        ProgramOutput::File(file)
                    }
                    // The program sees that nobody reads any more, as with JMeter.
                    _ => return,
                }
            }
        };
    }
}

/// Asks a program to end, and keeps it: it is killed when its user ends.
fn terminate(user: &mut ElementUser<'_>, child: Child) {
    if let Ok(id) = i32::try_from(child.process.id()) {
        // SAFETY: a plain system call; nobody has waited for this child, so the number is
        // still its own.
        unsafe { libc::kill(id, libc::SIGTERM) };
    }
    let kept = &mut user.jm().samplers.processes;
    kept.retain_mut(|child| !child.has_ended());
    kept.push(child);
}

/// The return code, as a shell and Java have it.
fn code_of(status: ExitStatus) -> i32 {
    let signal = status.signal().map(|signal| 128 + signal);
    status.code().or(signal).unwrap_or(-1)
}

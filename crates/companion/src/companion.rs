//! The companion's handle: starting it, and what concerns the whole test.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use plimsoll_access::Right;

use crate::call::TestStart;
use crate::error::{CallError, StartError};
use crate::link::CompanionLink;
use crate::options::CompanionOptions;
use crate::process::{CompanionProcess, LogLine, SharedSaid, last_words, spawn, take_lines};
use crate::properties::{Given, SharedProperties};
use crate::protocol::{self, ask, response, write_element};
use crate::wire::{FrameReader, FrameWriter, MalformedFrame};

/// A running companion. Clones share it; when the last is gone the process ends.
#[derive(Clone)]
pub struct Companion(Arc<CompanionInner>);

struct CompanionInner {
    link: CompanionLink,
    said: SharedSaid,
    properties: Arc<SharedProperties>,
    next_user: AtomicU64,
}

impl std::fmt::Debug for Companion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Companion").finish_non_exhaustive()
    }
}

impl Companion {
    /// Starts the companion and waits until it is ready (about a second). Not for a load
    /// thread.
    ///
    /// # Errors
    /// Why it did not start, or may not.
    #[expect(clippy::disallowed_methods, reason = "the socket is Plimsoll's own")]
    pub fn start(options: CompanionOptions) -> Result<Self, StartError> {
        let asked = options.access.ask(Right::Scripts, "JMeter's companion");
        asked.map_err(StartError::Refused)?;
        let deadline = Instant::now() + options.start_timeout;
        let folder = tempfile::tempdir().map_err(system("a temporary folder"))?;
        let path = folder.path().join("socket");
        let listener = UnixListener::bind(&path).map_err(system("a local socket"))?;
        let mut process = spawn(&options, &path)?;
        let greeted = greet(&listener, &mut process, &options, deadline);
        let (stream, known) = match greeted {
            Ok(ready) => ready,
            Err(why) => {
                // It may have ended meanwhile.
                let _ = process.child.kill();
                let _ = process.child.wait();
                return Err(why);
            }
        };
        let said = Arc::clone(&process.said);
        let properties = Arc::new(SharedProperties::new(options.properties, known));
        let link = CompanionLink::serve(stream, process, Arc::clone(&properties));
        let link = link.map_err(system("a thread for the companion"))?;
        Ok(Self(Arc::new(CompanionInner {
            link,
            said,
            properties,
            next_user: AtomicU64::new(1),
        })))
    }

    /// Tells of the start of the test and gives the variables that elements set then (a
    /// connection pool's name, say): each user begins with them. Waits for the response; not
    /// for a load thread.
    ///
    /// # Errors
    /// When the companion has ended or takes longer than five minutes.
    pub fn begin(&self, test: &TestStart<'_>) -> Result<Vec<(String, String)>, CallError> {
        self.send_properties();
        let id = self.0.link.next_id();
        let mut frame = FrameWriter::frame(ask::BEGIN);
        frame.u32(id);
        frame.count(test.variables.len());
        for (name, value) in &test.variables {
            frame.text(name);
            frame.text(value);
        }
        frame.count(test.elements.len());
        for site in &test.elements {
            frame.u32(site.site.0);
            write_element(&mut frame, site.element);
        }
        let most = Duration::from_secs(300);
        let response = self.0.link.ask_and_wait(id, frame.finish(), most)?;
        let changes = protocol::read_changes(&mut FrameReader::new(&response));
        let changes =
            changes.map_err(|MalformedFrame(why)| CallError::Unreadable(why.to_owned()))?;
        let set = changes.into_iter();
        Ok(set
            .filter_map(|(name, value)| Some((name, value?)))
            .collect())
    }

    /// Tells of the end of the test: listeners close their files, pools their connections.
    /// Waits for the response; not for a load thread.
    ///
    /// # Errors
    /// When the companion has ended or takes longer than a minute.
    pub fn end(&self) -> Result<(), CallError> {
        let id = self.0.link.next_id();
        let mut frame = FrameWriter::frame(ask::END);
        frame.u32(id);
        let most = Duration::from_secs(60);
        self.0.link.ask_and_wait(id, frame.finish(), most)?;
        Ok(())
    }

    /// Takes the lines that were written to JMeter's log and to the output since the last
    /// time.
    #[must_use]
    pub fn take_log(&self) -> Vec<LogLine> {
        take_lines(&self.0.said)
    }

    /// Why nothing can be asked any more, if so.
    #[must_use]
    pub fn dead(&self) -> Option<CallError> {
        self.0.link.dead()
    }

    /// The process's number, for measuring it.
    #[must_use]
    pub fn process_id(&self) -> u32 {
        self.0.link.process_id()
    }

    pub(crate) fn next_user(&self) -> u64 {
        self.0.next_user.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn link(&self) -> &CompanionLink {
        &self.0.link
    }

    /// Sends JMeter's properties as far as they changed.
    pub(crate) fn send_properties(&self) {
        if let Some(frame) = self.0.properties.changes() {
            self.0.link.send(frame);
        }
    }
}

fn system(what: &'static str) -> impl Fn(std::io::Error) -> StartError {
    move |why| StartError::System {
        what: what.to_owned(),
        why: why.to_string(),
    }
}

type Greeted = (UnixStream, Given);

/// Waits for the companion's connection and gives it what it must know first.
fn greet(
    listener: &UnixListener,
    process: &mut CompanionProcess,
    options: &CompanionOptions,
    deadline: Instant,
) -> Result<Greeted, StartError> {
    let slow = |said: &SharedSaid| StartError::Slow {
        after_s: options.start_timeout.as_secs(),
        said: last_words(said),
    };
    let mut stream = accept(listener, process, deadline)?.ok_or_else(|| slow(&process.said))?;
    let failed = |error: std::io::Error, process: &CompanionProcess| match error.kind() {
        std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut => slow(&process.said),
        _ => {
            // What it said may still be on its way through the pipe.
            std::thread::sleep(Duration::from_millis(100));
            StartError::Ended(last_words(&process.said))
        }
    };
    let hello = read_frame(&mut stream, deadline).map_err(|error| failed(error, process))?;
    let mut reader = FrameReader::new(&hello);
    let found = match (reader.u8(), reader.u32()) {
        (Ok(response::HELLO), Ok(version)) => version,
        _ => 0,
    };
    if found != protocol::VERSION {
        return Err(StartError::OtherVersion {
            found,
            wanted: protocol::VERSION,
        });
    }
    let generation = options.properties.generation();
    let properties = options.properties.all();
    let setup = setup(options, &properties);
    stream
        .write_all(&setup)
        .map_err(|error| failed(error, process))?;
    let ready = read_frame(&mut stream, deadline).map_err(|error| failed(error, process))?;
    if ready.first() != Some(&response::READY) {
        let mut reader = FrameReader::new(ready.get(1..).unwrap_or_default());
        let why = reader.text().unwrap_or_default();
        return Err(StartError::Ended(why));
    }
    Ok((stream, (generation, properties)))
}

fn setup(options: &CompanionOptions, properties: &BTreeMap<String, String>) -> Vec<u8> {
    let mut frame = FrameWriter::frame(ask::SETUP);
    frame.text(&options.plan_file);
    frame.text(&options.plan_folder.to_string_lossy());
    frame.count(properties.len());
    for (name, value) in properties {
        frame.text(name);
        frame.text(value);
    }
    frame.count(options.system.len());
    for (name, value) in &options.system {
        frame.text(name);
        frame.text(value);
    }
    frame.finish()
}

/// None: nobody came in time.
fn accept(
    listener: &UnixListener,
    process: &mut CompanionProcess,
    deadline: Instant,
) -> Result<Option<UnixStream>, StartError> {
    listener
        .set_nonblocking(true)
        .map_err(system("a local socket"))?;
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                stream
                    .set_nonblocking(false)
                    .map_err(system("a local socket"))?;
                return Ok(Some(stream));
            }
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(system("a local socket")(error)),
        }
        if let Ok(Some(status)) = process.child.try_wait() {
            std::thread::sleep(Duration::from_millis(100)); // its last words are in the pipe
            let said = last_words(&process.said);
            return Err(StartError::Ended(format!("{status}\n{said}")));
        }
        if Instant::now() >= deadline {
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn read_frame(stream: &mut UnixStream, deadline: Instant) -> std::io::Result<Vec<u8>> {
    let left = deadline.saturating_duration_since(Instant::now());
    stream.set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
    let mut length = [0u8; 4];
    stream.read_exact(&mut length)?;
    let mut payload = Vec::new();
    let length = u64::from(u32::from_be_bytes(length));
    stream.take(length).read_to_end(&mut payload)?;
    Ok(payload)
}

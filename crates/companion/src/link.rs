//! The socket to the companion: one thread writes and reads it for all users.

use std::collections::HashMap;
use std::os::unix::net::UnixStream as StdStream;
use std::process::Child;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc as std_mpsc};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{mpsc, oneshot};

use crate::error::CallError;
use crate::process::{CompanionProcess, SharedSaid, finish, last_words};
use crate::properties::SharedProperties;
use crate::protocol::read_changes;
use crate::protocol::response;
use crate::wire::FrameReader;

/// What a response's payload is: the frame after its kind and id.
pub type Response = Result<Vec<u8>, CallError>;

/// Who waits for a response.
enum ResponseWaiter {
    Task(oneshot::Sender<Response>),
    Thread(std_mpsc::SyncSender<Response>),
}

impl ResponseWaiter {
    fn give(self, response: Response) {
        // Who no longer waits has dropped its call.
        match self {
            Self::Task(to) => drop(to.send(response)),
            Self::Thread(to) => drop(to.send(response)),
        }
    }
}

/// Who waits, or why there is nothing to wait for.
#[derive(Default)]
struct LinkWaiting {
    by_id: HashMap<u32, ResponseWaiter>,
    dead: Option<CallError>,
}

/// The engine's end of the socket.
pub struct CompanionLink {
    frames: mpsc::UnboundedSender<Vec<u8>>,
    waiting: Arc<Mutex<LinkWaiting>>,
    next_id: AtomicU32,
    process_id: u32,
}

fn lock(waiting: &Mutex<LinkWaiting>) -> MutexGuard<'_, LinkWaiting> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}

impl CompanionLink {
    /// Serves a connected socket until every handle is gone or the companion ends; then ends
    /// the process.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn serve(
        stream: StdStream,
        process: CompanionProcess,
        properties: Arc<SharedProperties>,
    ) -> std::io::Result<Self> {
        stream.set_nonblocking(true)?;
        let (frames, queue) = mpsc::unbounded_channel();
        let waiting = Arc::new(Mutex::new(LinkWaiting::default()));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .build()?;
        let for_thread = Arc::clone(&waiting);
        let CompanionProcess { child, said } = process;
        let process_id = child.id();
        let work = move || {
            let heard = HeardFrames {
                waiting: &for_thread,
                properties: &properties,
            };
            let served = runtime.block_on(serve(stream, queue, &heard));
            end(child, &said, &for_thread, served.err());
        };
        std::thread::Builder::new()
            .name("companion".into())
            .spawn(work)?;
        Ok(Self {
            frames,
            waiting,
            next_id: AtomicU32::new(1),
            process_id,
        })
    }

    /// A number for a call; its response will bear it.
    pub fn next_id(&self) -> u32 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// Sends a frame that has no response.
    pub fn send(&self, frame: Vec<u8>) {
        // When the thread is gone the process is, and so is whoever this was for.
        let _ = self.frames.send(frame);
    }

    /// Sends a frame; its response comes to the receiver.
    pub fn ask(&self, id: u32, frame: Vec<u8>) -> oneshot::Receiver<Response> {
        let (to, from) = oneshot::channel();
        self.wait_for(id, ResponseWaiter::Task(to), frame);
        from
    }

    /// Sends a frame and waits for its response.
    ///
    /// # Errors
    /// When the companion has ended, or has not responded in time.
    pub fn ask_and_wait(&self, id: u32, frame: Vec<u8>, most: Duration) -> Response {
        let (to, from) = std_mpsc::sync_channel(1);
        self.wait_for(id, ResponseWaiter::Thread(to), frame);
        from.recv_timeout(most).unwrap_or_else(|_| {
            lock(&self.waiting).by_id.remove(&id);
            Err(CallError::Late {
                after_s: most.as_secs(),
            })
        })
    }

    fn wait_for(&self, id: u32, waiter: ResponseWaiter, frame: Vec<u8>) {
        let mut waiting = lock(&self.waiting);
        if let Some(why) = waiting.dead.clone() {
            drop(waiting);
            waiter.give(Err(why));
            return;
        }
        waiting.by_id.insert(id, waiter);
        drop(waiting);
        self.send(frame);
    }

    /// The companion's process.
    pub const fn process_id(&self) -> u32 {
        self.process_id
    }

    /// Why nothing can be asked any more, if so.
    pub fn dead(&self) -> Option<CallError> {
        lock(&self.waiting).dead.clone()
    }
}

/// Ends the process; all who wait, and all who will ask, are told why.
fn end(mut child: Child, said: &SharedSaid, waiting: &Mutex<LinkWaiting>, why: Option<String>) {
    finish(&mut child, Duration::from_secs(2));
    let status = child.try_wait().ok().flatten();
    let status = status.map_or_else(String::new, |status| status.to_string());
    let words = [why.unwrap_or_default(), status, last_words(said)];
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let words: Vec<&str> = words.into_iter().filter(|text| !text.is_empty()).collect();
    let why = CallError::Ended(words.join("; "));
    let left = {
        let mut waiting = lock(waiting);
        waiting.dead = Some(why.clone());
        std::mem::take(&mut waiting.by_id)
    };
    for waiter in left.into_values() {
        waiter.give(Err(why.clone()));
    }
}

/// What the companion's frames are for.
struct HeardFrames<'a> {
    waiting: &'a Mutex<LinkWaiting>,
    properties: &'a SharedProperties,
}

async fn serve(
    stream: StdStream,
    queue: mpsc::UnboundedReceiver<Vec<u8>>,
    heard: &HeardFrames<'_>,
) -> Result<(), String> {
    let stream = UnixStream::from_std(stream).map_err(|error| error.to_string())?;
    let (read, write) = stream.into_split();
    tokio::select! {
        written = write_all(write, queue) => written.map_err(|error| error.to_string()),
        read = read_all(read, heard) => read,
    }
}

async fn write_all(
    mut socket: OwnedWriteHalf,
    mut queue: mpsc::UnboundedReceiver<Vec<u8>>,
) -> std::io::Result<()> {
    while let Some(mut frames) = queue.recv().await {
        while frames.len() < 65_536
            && let Ok(more) = queue.try_recv()
        {
            frames.extend_from_slice(&more);
        }
        socket.write_all(&frames).await?;
    }
    Ok(())
}

async fn read_all(mut socket: OwnedReadHalf, heard: &HeardFrames<'_>) -> Result<(), String> {
    let mut buffer = Vec::with_capacity(65_536);
    loop {
        let length = socket.read_buf(&mut buffer).await;
        if length.map_err(|error| error.to_string())? == 0 {
            return Ok(());
        }
        let mut used = 0;
        while let Some(frame) = frame_at(&buffer, used) {
            used += 4 + frame.len();
            heard.dispatch(frame)?;
        }
        buffer.drain(..used);
    }
}

/// The payload of the frame that begins at `start`, if all of it is there.
fn frame_at(buffer: &[u8], start: usize) -> Option<&[u8]> {
    let (length, rest) = buffer.get(start..)?.split_first_chunk::<4>()?;
    rest.get(..u32::from_be_bytes(*length) as usize)
}

impl HeardFrames<'_> {
    fn dispatch(&self, frame: &[u8]) -> Result<(), String> {
        let mut reader = FrameReader::new(frame);
        let (kind, id) = match (reader.u8(), reader.u32()) {
            (Ok(kind), Ok(id)) => (kind, id),
            _ => return Err("a frame without an id".to_owned()),
        };
        match kind {
            response::RESULT => {
                let waiter = lock(self.waiting).by_id.remove(&id);
                if let Some(waiter) = waiter {
                    waiter.give(Ok(frame.get(5..).unwrap_or_default().to_vec()));
                }
            }
            response::PROPERTIES => {
                let changes = read_changes(&mut reader);
                let changes = changes.map_err(|error| error.0.to_owned())?;
                self.properties.changed(changes);
            }
            _ => return Err(format!("an unknown kind of frame: {kind}")),
        }
        Ok(())
    }
}

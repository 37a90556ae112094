//! One run that is watched: a thread looks at its files and writes what is new, once for all.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use plimsoll_store::{Run, StoreError};
use tokio::sync::watch;

use super::chunk::{ChunkWriter, LiveChunk};
use super::cursor::LiveCursor;
use crate::library::{FileStamp, file_stamp};

/// How often the files are looked at.
const PERIOD: Duration = Duration::from_millis(200);
/// A run is asked whether it goes on at least so often: the death of its process changes no file.
const STATE_PERIOD: Duration = Duration::from_secs(1);
/// A run that nobody watches is followed so long.
const PATIENCE: Duration = Duration::from_secs(30);
/// Chunks that are kept for those who are a little behind.
const KEPT: usize = 120;

/// What is new in a run.
pub(crate) struct LiveFeed {
    dir: PathBuf,
    told: Mutex<ToldChunks>,
    changed: watch::Sender<LiveCursor>,
    is_over: AtomicBool,
}

/// What was written, and how far that goes.
#[derive(Default)]
struct ToldChunks {
    chunks: VecDeque<Arc<LiveChunk>>,
    /// What lies before this the store has.
    to: LiveCursor,
}

/// What there is behind a place.
pub(crate) enum BehindPlace {
    /// This, which all share.
    Chunk(Arc<LiveChunk>),
    /// What the store has up to that place.
    Stored(LiveCursor),
    /// Nothing yet.
    Nothing,
    /// Nothing any more.
    End,
}

impl LiveFeed {
    /// Begins to follow the run in a folder.
    pub fn begin(dir: PathBuf) -> Arc<Self> {
        let feed = Arc::new(Self {
            dir,
            told: Mutex::default(),
            changed: watch::Sender::new(LiveCursor::default()),
            is_over: AtomicBool::new(false),
        });
        let following = Arc::clone(&feed);
        let thread = std::thread::Builder::new().name("follow".to_owned());
        if thread.spawn(move || following.follow()).is_err() {
            feed.is_over.store(true, Ordering::SeqCst);
        }
        feed
    }

    /// The run's folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// It is not followed any more.
    pub fn is_over(&self) -> bool {
        self.is_over.load(Ordering::SeqCst)
    }

    /// Tells when there is something new.
    pub fn subscribe(&self) -> watch::Receiver<LiveCursor> {
        self.changed.subscribe()
    }

    /// What there is behind a place.
    pub fn behind(&self, cursor: LiveCursor) -> BehindPlace {
        let is_over = self.is_over();
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(chunk) = told.chunks.iter().find(|chunk| chunk.from == cursor) {
            return BehindPlace::Chunk(Arc::clone(chunk));
        }
        match (told.to == cursor, is_over) {
            (true, true) => BehindPlace::End,
            (true, false) => BehindPlace::Nothing,
            (false, _) => BehindPlace::Stored(told.chunks.back().map_or(told.to, |last| last.from)),
        }
    }

    fn follow(&self) {
        // A failure ends the feed; who watches asks again, and is told.
        let _ = self.followed();
        self.is_over.store(true, Ordering::SeqCst);
        self.changed.send_modify(|_| {});
    }

    fn followed(&self) -> Result<(), StoreError> {
        let mut writer = self.begun()?;
        let (mut files, mut asked) = (None, Instant::now());
        let mut watched = Instant::now();
        loop {
            let now = Instant::now();
            if self.changed.receiver_count() > 0 {
                watched = now;
            }
            if now.duration_since(watched) > PATIENCE {
                return Ok(());
            }
            let seen = Some(files_of(&self.dir));
            if seen != files || now.duration_since(asked) >= STATE_PERIOD {
                (files, asked) = (seen, now);
                // It is closed again at once: whoever writes it can then end it in one file.
                let run = Run::open(&self.dir)?;
                while let Some(chunk) = writer.next(&run, None, 0)? {
                    let is_last = chunk.is_last;
                    self.add(chunk);
                    if is_last {
                        return Ok(());
                    }
                }
            }
            std::thread::sleep(PERIOD);
        }
    }

    /// Begins with what is written from now on: what was written before those who watch read themselves.
    fn begun(&self) -> Result<ChunkWriter, StoreError> {
        let run = Run::open(&self.dir)?;
        let end = LiveCursor::end_of(&run)?;
        let writer = ChunkWriter::behind(end, &run)?;
        self.told.lock().unwrap_or_else(PoisonError::into_inner).to = end;
        self.changed.send_replace(end);
        Ok(writer)
    }

    fn add(&self, chunk: LiveChunk) {
        let to = chunk.to;
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.to = to;
        told.chunks.push_back(Arc::new(chunk));
        if told.chunks.len() > KEPT {
            told.chunks.pop_front();
        }
        drop(told);
        self.changed.send_replace(to);
    }
}

/// The files of a run as they are.
fn files_of(dir: &Path) -> [FileStamp; 2] {
    ["run.sqlite", "run.sqlite-wal"].map(|name| file_stamp(&dir.join(name)))
}

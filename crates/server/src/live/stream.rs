//! What one who watches is sent: what the store has behind his place, then what is new.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{Stream, unfold};
use plimsoll_store::{Run, StoreError};
use tokio::sync::watch;

use super::chunk::{ChunkWriter, LiveChunk};
use super::cursor::LiveCursor;
use super::feed::{BehindPlace, LiveFeed};

/// Nothing new for so long: a comment says that the connection lives.
const QUIET: Duration = Duration::from_secs(15);

/// One who watches a run.
pub(crate) struct Watching {
    feed: Arc<LiveFeed>,
    cursor: LiveCursor,
    from_s: u32,
    news: watch::Receiver<LiveCursor>,
    /// Reads what was written before; none: it was read.
    past: Option<ChunkWriter>,
    /// The end was told, which moves no place.
    is_over: bool,
}

impl Watching {
    /// From behind a place on; seconds before `from_s` are left out.
    pub fn new(feed: Arc<LiveFeed>, cursor: LiveCursor, from_s: u32) -> Self {
        Self {
            news: feed.subscribe(),
            feed,
            cursor,
            from_s,
            past: None,
            is_over: false,
        }
    }

    /// The next that is sent; none: the run is over, or cannot be read.
    async fn next(&mut self) -> Option<Bytes> {
        while !self.is_over {
            // What comes from here on is seen below, or ends the wait.
            self.news.mark_unchanged();
            match self.feed.behind(self.cursor) {
                BehindPlace::End => return None,
                BehindPlace::Chunk(chunk) => {
                    self.past = None;
                    self.cursor = chunk.to;
                    self.is_over = chunk.is_last;
                    return Some(chunk.text.clone());
                }
                BehindPlace::Stored(to) => match self.stored(to).await {
                    Ok(Some(chunk)) => {
                        self.cursor = chunk.to;
                        return Some(chunk.text);
                    }
                    // A place that no run of ours has given: he hears what is new.
                    Ok(None) => self.cursor = to,
                    Err(_) => return None,
                },
                BehindPlace::Nothing => {
                    let changed = tokio::time::timeout(QUIET, self.news.changed());
                    match changed.await {
                        Ok(Ok(())) => {}
                        Ok(Err(_)) => return None,
                        Err(_) => return Some(Bytes::from_static(b":\n\n")),
                    }
                }
            }
        }
        None
    }

    async fn stored(&mut self, to: LiveCursor) -> Result<Option<LiveChunk>, StoreError> {
        let (past, cursor, from_s) = (self.past.take(), self.cursor, self.from_s);
        let dir = self.feed.dir().to_owned();
        let read = move || {
            let run = Run::open(&dir)?;
            let mut past = match past {
                Some(past) => past,
                None => ChunkWriter::behind(cursor, &run)?,
            };
            let chunk = past.next(&run, Some(to), from_s)?;
            Ok((past, chunk))
        };
        let Ok(read) = tokio::task::spawn_blocking(read).await else {
            return Ok(None);
        };
        let (past, chunk) = read?;
        self.past = Some(past);
        Ok(chunk)
    }
}

/// The events that one who watches is sent.
pub(crate) fn watch(watching: Watching) -> impl Stream<Item = Result<Bytes, Infallible>> {
    unfold(watching, |mut watching| async move {
        let text = watching.next().await?;
        Some((Ok(text), watching))
    })
}

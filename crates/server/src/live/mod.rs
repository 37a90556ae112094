//! What happens in a run, as server-sent events. It is read from the store, whoever makes the run, and written
//! once for all who watch.

mod chunk;
mod cursor;
mod feed;
mod stream;
mod window;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) use chunk::event_json;
pub(crate) use cursor::LiveCursor;
use feed::LiveFeed;
pub(crate) use stream::{Watching, watch};

/// The runs that somebody watches.
#[derive(Default)]
pub(crate) struct LiveHub(Mutex<HashMap<PathBuf, Arc<LiveFeed>>>);

impl LiveHub {
    /// The feed of the run in a folder; it begins with the first who watches.
    pub fn feed(&self, dir: PathBuf) -> Arc<LiveFeed> {
        let mut feeds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        feeds.retain(|_, feed| !feed.is_over());
        let feed = feeds
            .entry(dir.clone())
            .or_insert_with(|| LiveFeed::begin(dir));
        Arc::clone(feed)
    }
}

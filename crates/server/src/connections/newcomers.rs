//! Connections that have not asked for anything yet: in a handshake, or before their first request's head. There is
//! room for so many of them beside those that have; beyond it the one that came first goes, so that who opens many
//! and says nothing keeps nobody out.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// So many at most.
const MOST_NEWCOMERS: usize = 256;

/// All that there are, by their numbers.
#[derive(Default)]
pub(super) struct Newcomers(Mutex<(u64, BTreeMap<u64, Arc<Notify>>)>);

impl Newcomers {
    fn lock(&self) -> MutexGuard<'_, (u64, BTreeMap<u64, Arc<Notify>>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One more.
    pub fn join(self: &Arc<Self>) -> Newcomer {
        let mut known = self.lock();
        let (next, waiting) = &mut *known;
        if waiting.len() >= MOST_NEWCOMERS
            && let Some((_, first)) = waiting.pop_first()
        {
            first.notify_one();
        }
        let (number, sent_away) = (*next, Arc::new(Notify::new()));
        *next += 1;
        waiting.insert(number, Arc::clone(&sent_away));
        Newcomer {
            number,
            sent_away,
            among: Arc::clone(self),
        }
    }
}

/// A connection among them.
pub(super) struct Newcomer {
    number: u64,
    sent_away: Arc<Notify>,
    among: Arc<Newcomers>,
}

impl Newcomer {
    /// It has asked for something, and stays.
    pub fn settles(&self) {
        self.among.lock().1.remove(&self.number);
    }

    /// Ends once it has to make room; never for one that has settled.
    pub async fn sent_away(&self) {
        self.sent_away.notified().await;
    }
}

impl Drop for Newcomer {
    fn drop(&mut self) {
        self.settles();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn who_came_first_makes_room_unless_he_has_asked() {
        let among = Arc::new(Newcomers::default());
        let asks = among.join();
        asks.settles();
        let mut silent: Vec<Newcomer> = (0..MOST_NEWCOMERS).map(|_| among.join()).collect();
        assert!(
            silent
                .iter()
                .all(|one| one.sent_away().now_or_never().is_none())
        );
        let more: Vec<Newcomer> = (0..3).map(|_| among.join()).collect();
        let gone = silent
            .iter()
            .map(|one| one.sent_away().now_or_never().is_some());
        let expected = (0..MOST_NEWCOMERS).map(|at| at < 3);
        assert!(gone.eq(expected));
        assert!(asks.sent_away().now_or_never().is_none());
        // Who goes leaves room.
        silent.drain(..10);
        silent.pop();
        drop(among.join());
        assert!(silent[0].sent_away().now_or_never().is_none());
        drop((silent, more, asks));
        assert!(among.lock().1.is_empty());
    }
}

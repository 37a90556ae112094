//! The workers that this server is told of: a thread asks who is there, and what was heard is kept.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use plimsoll_run::NatsSettings;
use plimsoll_run::fleet::present::{WorkerPresent, present};
use plimsoll_text::Message;

use crate::now::now_s;

/// How often it is asked who is there.
const PERIOD: Duration = Duration::from_secs(15);
/// One that was not heard for so long is forgotten.
const FORGOTTEN_S: u64 = 86_400;
/// Workers that are remembered.
const MOST_WORKERS: usize = 2_000;

/// A worker that was heard.
#[derive(Debug, Clone)]
pub(crate) struct WorkerHeard {
    /// What it said last.
    pub said: WorkerPresent,
    /// When, Unix seconds.
    pub heard_s: u64,
    /// It responded when it was asked last.
    pub is_there: bool,
}

#[derive(Default)]
struct MachineState {
    heard: BTreeMap<(String, String), WorkerHeard>,
    trouble: Option<Message>,
}

/// The workers that are known.
#[derive(Default)]
pub(crate) struct MachineBook {
    asks: bool,
    state: Mutex<MachineState>,
}

impl MachineBook {
    /// Asks for workers from now on; none: nobody is asked.
    ///
    /// # Errors
    /// A thread that the system refuses.
    pub fn open(nats: Option<NatsSettings>) -> std::io::Result<Arc<Self>> {
        let book = Arc::new(Self {
            asks: nats.is_some(),
            state: Mutex::default(),
        });
        let Some(nats) = nats else {
            return Ok(book);
        };
        let asking = Arc::downgrade(&book);
        let thread = std::thread::Builder::new().name("machines".to_owned());
        thread.spawn(move || {
            loop {
                // The warning stands on the terminal of whoever starts it, once.
                let found = present(&nats, "plimsoll serve", &|_| {});
                let Some(book) = asking.upgrade() else {
                    return;
                };
                book.take(found, now_s());
                drop(book);
                std::thread::sleep(PERIOD);
            }
        })?;
        Ok(book)
    }

    fn state(&self) -> MutexGuard<'_, MachineState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in who was there, and who was not.
    fn take(&self, found: Result<Vec<WorkerPresent>, Message>, at_s: u64) {
        let mut state = self.state();
        for worker in state.heard.values_mut() {
            worker.is_there = false;
        }
        match found {
            Ok(workers) => {
                state.trouble = None;
                for said in workers.into_iter().take(MOST_WORKERS) {
                    let heard = WorkerHeard {
                        said,
                        heard_s: at_s,
                        is_there: true,
                    };
                    let key = (heard.said.name.clone(), heard.said.host.clone());
                    state.heard.insert(key, heard);
                }
            }
            Err(message) => state.trouble = Some(message),
        }
        state
            .heard
            .retain(|_, worker| at_s.saturating_sub(worker.heard_s) < FORGOTTEN_S);
    }

    /// Whether anybody is asked.
    pub fn asks(&self) -> bool {
        self.asks
    }

    /// The workers, by name, and why none could be asked for the last time.
    pub fn workers(&self) -> (Vec<WorkerHeard>, Option<Message>) {
        let state = self.state();
        (
            state.heard.values().cloned().collect(),
            state.trouble.clone(),
        )
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use plimsoll_run::fleet::present::WorkerHealth;

    use super::*;

    fn worker(name: &str) -> WorkerPresent {
        WorkerPresent {
            name: name.to_owned(),
            host: "h".to_owned(),
            state: Default::default(),
            run: None,
            cores: 2.0,
            memory_bytes: 0,
            version: "1".to_owned(),
            labels: BTreeMap::new(),
            allows: Vec::new(),
            clock_offset_ms: Some(0.5),
            clock_error_ms: Some(0.1),
            health: WorkerHealth::Healthy,
        }
    }

    #[test]
    fn who_was_heard_stays_known_for_a_day() {
        let book = MachineBook::default();
        book.take(Ok(vec![worker("a"), worker("b")]), 1_000);
        book.take(Ok(vec![worker("b")]), 1_015);
        let (workers, trouble) = book.workers();
        assert!(trouble.is_none());
        assert_eq!((workers[0].is_there, workers[0].heard_s), (false, 1_000));
        assert_eq!((workers[1].is_there, workers[1].heard_s), (true, 1_015));
        book.take(Err(Message::new("server-internal")), 1_030);
        let (workers, trouble) = book.workers();
        assert!(trouble.is_some() && workers.iter().all(|it| !it.is_there));
        book.take(Ok(Vec::new()), 1_000 + FORGOTTEN_S);
        let (workers, _) = book.workers();
        assert_eq!(workers.len(), 1, "the one that was heard later");
        assert_eq!(workers[0].said.name, "b");
    }
}

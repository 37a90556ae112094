//! Who watches: a thread that takes in what was seen each second, and tells those who look on.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use plimsoll_run::watching::{from_texts, open};
use plimsoll_stats::names::agent::CLOCK_OFFSET;
use plimsoll_stats::series::Entity;
use plimsoll_text::Message;
use plimsoll_watch::{Level, Seen, Watcher, WatcherOptions};
use serde::Serialize;
use serde_json::json;
use tokio::sync::watch;
use utoipa::ToSchema;

use super::kept::MonitorKept;
use crate::desk::BothTexts;

/// How often what was seen is taken in.
const PERIOD: Duration = Duration::from_secs(1);
/// What an agent says of itself.
const AGENT_VERSION: &str = "plimsoll.version";
/// Troubles that are remembered.
const MOST_TROUBLES: usize = 200;

/// A source that is watched.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct MonitorSource {
    /// What it is, without secrets.
    pub name: String,
    /// Why nothing is seen of it, or of a part of it; null: all is well.
    pub trouble: Option<BothTexts>,
}

/// An agent that was heard.
#[derive(Debug, Clone, Default)]
pub(crate) struct AgentHeard {
    /// Version of its program; none: it has not said.
    pub version: Option<String>,
    /// What its clock is ahead of this one, seconds; none: not known.
    pub clock_offset_s: Option<f64>,
    /// When it was heard last, Unix seconds.
    pub heard_s: u64,
}

#[derive(Default)]
struct MonitorState {
    sources: Vec<String>,
    kept: MonitorKept,
    troubles: BTreeMap<String, BothTexts>,
    /// By what they and their hosts are called.
    agents: BTreeMap<(String, String), AgentHeard>,
    ends: Arc<AtomicBool>,
}

/// What is watched without load.
pub(crate) struct MonitorDesk {
    state: Mutex<MonitorState>,
    news: watch::Sender<Bytes>,
}

impl MonitorDesk {
    /// One that watches nothing yet.
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::default(),
            news: watch::Sender::new(Bytes::new()),
        })
    }

    fn state(&self) -> MutexGuard<'_, MonitorState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Watches these sources from now on, and no others; what was kept of others goes.
    ///
    /// # Errors
    /// What is no source, a thread that the system refuses.
    pub fn watch(self: &Arc<Self>, sources: &[String]) -> Result<(), Message> {
        if self.state().sources == sources {
            return Ok(());
        }
        let specs = from_texts(sources, Level::Observe)?;
        let ends = Arc::new(AtomicBool::new(false));
        let mut state = self.state();
        state.ends.store(true, Ordering::Relaxed);
        *state = MonitorState {
            sources: sources.to_vec(),
            ends: Arc::clone(&ends),
            ..MonitorState::default()
        };
        drop(state);
        if specs.is_empty() {
            return Ok(());
        }
        let cannot = |error: std::io::Error| {
            Message::new("run-cannot-start").with("reason", error.to_string())
        };
        // What cannot be opened is told by the source itself.
        let watcher = Watcher::start(move || open(&specs, |_| {}), WatcherOptions::default());
        let (watcher, desk) = (watcher.map_err(cannot)?, Arc::clone(self));
        let thread = std::thread::Builder::new().name("monitor".to_owned());
        let started = thread.spawn(move || desk.follow(watcher, &ends));
        started.map(drop).map_err(cannot)
    }

    fn follow(&self, mut watcher: Watcher, ends: &AtomicBool) {
        while !ends.load(Ordering::Relaxed) {
            std::thread::sleep(PERIOD);
            let seen = watcher.drain();
            let mut state = self.state();
            // Others are watched meanwhile: what these saw is theirs no more.
            if ends.load(Ordering::Relaxed) {
                return;
            }
            seen.into_iter().for_each(|seen| state.take(seen));
            let (at_s, fresh) = state.kept.fresh();
            drop(state);
            if !fresh.is_empty() {
                let values: serde_json::Map<String, serde_json::Value> = fresh
                    .iter()
                    .map(|(id, value)| (format!("target:{}", id.0), json!(value)))
                    .collect();
                let data = json!({"at_unix_s": at_s, "values": values});
                let text = format!("id: {at_s}\nevent: series\ndata: {data}\n\n");
                self.news.send_replace(text.into());
            }
        }
    }

    /// What is watched.
    pub fn sources(&self) -> Vec<MonitorSource> {
        let state = self.state();
        let mut sources: Vec<MonitorSource> = state
            .sources
            .iter()
            .map(|name| MonitorSource {
                name: plimsoll_secrets::text(name).into_owned(),
                trouble: None,
            })
            .collect();
        sources.extend(state.troubles.iter().map(|(name, trouble)| MonitorSource {
            name: plimsoll_secrets::text(name).into_owned(),
            trouble: Some(trouble.clone()),
        }));
        sources
    }

    /// The agents that were heard, by what they and their hosts are called.
    pub fn agents(&self) -> BTreeMap<(String, String), AgentHeard> {
        self.state().agents.clone()
    }

    /// Looks at what is kept.
    pub fn look<T>(&self, look: impl FnOnce(&MonitorKept) -> T) -> T {
        look(&self.state().kept)
    }

    /// Hears what is new.
    pub fn news(&self) -> watch::Receiver<Bytes> {
        self.news.subscribe()
    }
}

impl MonitorState {
    fn take(&mut self, seen: Seen) {
        match seen {
            Seen::Points(parts) => {
                for part in parts {
                    let at_ms = i64::try_from(part.at_unix_ns / 1_000_000).unwrap_or(i64::MAX);
                    for (key, value) in part.points {
                        if key.name == CLOCK_OFFSET.name {
                            let heard = self.agent(&key.entity, part.at_unix_ns);
                            heard.clock_offset_s = Some(value);
                        }
                        self.kept.take(key, at_ms, value);
                    }
                }
            }
            Seen::Source { about, trouble, .. } => match trouble {
                Some(trouble) if self.troubles.len() < MOST_TROUBLES => {
                    self.troubles.insert(about, BothTexts::of(&trouble));
                }
                _ => {
                    self.troubles.remove(&about);
                }
            },
            Seen::Fact(at_unix_ns, fact) if fact.name == AGENT_VERSION => {
                self.agent(&fact.entity, at_unix_ns).version = Some(fact.value);
            }
            _ => {}
        }
    }

    /// An agent that was heard at a moment.
    fn agent(&mut self, entity: &Entity, at_unix_ns: u64) -> &mut AgentHeard {
        let key = (entity.name.clone(), entity.host.clone());
        let heard = self.agents.entry(key).or_default();
        heard.heard_s = heard.heard_s.max(at_unix_ns / 1_000_000_000);
        heard
    }
}

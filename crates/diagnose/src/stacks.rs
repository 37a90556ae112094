//! What the threads of a JVM did under load, by its thread dumps.
//!
//! A dump is a sample: over several of them the share of serving threads at a place estimates
//! the share of the response time that is spent there (Little's law for each place: threads there
//! = throughput × time there). Dumps are taken at safepoints, so shares of short code are rough;
//! shares of waiting are not.

mod hot;
mod locks;
pub mod place;

use std::sync::Arc;

use plimsoll_stats::series::Entity;
use plimsoll_watch::threads::{Thread, ThreadDump};

pub use hot::{Hot, library_of};
pub use locks::LockCluster;
pub use place::{Peer, Place};

use crate::scene::Scene;

/// A thread in a dump.
#[derive(Debug, Clone)]
pub struct Seen {
    /// The capture, by its number in the run.
    pub capture: i64,
    /// The thread.
    pub thread: Thread,
    /// Where it is.
    pub place: Place,
    /// Whether it has taken up a request.
    pub serves: bool,
}

/// What the threads of one JVM did under load.
#[derive(Debug)]
pub struct Stacks {
    /// The JVM.
    pub jvm: Arc<Entity>,
    /// How many dumps.
    pub dumps: usize,
    /// All their threads.
    pub threads: Vec<Seen>,
    /// Threads that wait for each other in a circle.
    pub deadlocks: Vec<Vec<String>>,
}

impl Stacks {
    /// Threads that serve requests.
    pub fn serving(&self) -> impl Iterator<Item = &Seen> {
        self.threads.iter().filter(|seen| seen.serves)
    }

    /// Serving threads in a dump, on average.
    #[must_use]
    pub fn busy(&self) -> f64 {
        mean(self.serving().count(), self.dumps)
    }

    /// Serving threads for which something holds, in a dump on average.
    #[must_use]
    pub fn count(&self, holds: impl Fn(&Seen) -> bool) -> f64 {
        mean(
            self.serving().filter(|seen| holds(seen)).count(),
            self.dumps,
        )
    }

    /// Their share of the serving threads; 0 without any.
    #[must_use]
    pub fn share(&self, holds: impl Fn(&Seen) -> bool) -> f64 {
        let busy = self.busy();
        if busy > 0.0 {
            self.count(holds) / busy
        } else {
            0.0
        }
    }

    /// The share of serving threads at a place.
    #[must_use]
    pub fn at(&self, place: Place) -> f64 {
        self.share(|seen| seen.place == place)
    }

    /// The application's own calls that most of those threads share: the innermost one.
    #[must_use]
    pub fn code(&self, holds: impl Fn(&Seen) -> bool) -> Option<String> {
        let mut counts = std::collections::BTreeMap::new();
        for seen in self.serving().filter(|seen| holds(seen)) {
            if let Some(frame) = own_frame(&seen.thread) {
                *counts.entry(frame.to_owned()).or_insert(0_usize) += 1;
            }
        }
        let most = counts.into_iter().max_by_key(|(_, count)| *count);
        most.map(|(frame, _)| frame)
    }

    /// The lines of a stack that matter, of the thread that stands for those: the one whose own
    /// code is the most frequent; and its capture.
    #[must_use]
    pub fn example(&self, holds: impl Fn(&Seen) -> bool) -> Option<(i64, Vec<String>)> {
        let code = self.code(&holds);
        let mut all = self.serving().filter(|seen| holds(seen));
        let wanted = |seen: &&Seen| own_frame(&seen.thread).map(str::to_owned) == code;
        let seen = all.find(wanted)?;
        Some((seen.capture, lines(&seen.thread)))
    }
}

#[expect(clippy::cast_precision_loss, reason = "threads of a few dumps")]
fn mean(count: usize, dumps: usize) -> f64 {
    count as f64 / dumps.max(1) as f64
}

/// The innermost call of the application's own code.
#[must_use]
pub fn own_frame(thread: &Thread) -> Option<&str> {
    let mut frames = thread.frames.iter();
    let own = frames.find(|frame| !place::is_library(&frame.method));
    own.map(|frame| frame.method.as_str())
}

/// Lines that are shown of a stack.
const LINES: usize = 14;

/// A stack as it is shown: the innermost calls, and the application's own.
fn lines(thread: &Thread) -> Vec<String> {
    let mut lines = vec![format!("\"{}\"", thread.name)];
    if let Some(wait) = &thread.wait {
        lines.push(format!("- {} ({})", wait.lock.id, wait.lock.class));
    }
    for (index, frame) in thread.frames.iter().enumerate() {
        let own = !place::is_library(&frame.method);
        if (own || index < 4) && lines.len() < LINES {
            lines.push(format!("at {}({})", frame.method, frame.place));
        }
    }
    lines
}

/// Reads the dumps that were taken under load, JVM by JVM.
pub(crate) fn read(scene: &Scene<'_>) -> Vec<Stacks> {
    let mut found: Vec<Stacks> = Vec::new();
    for kind in ["thread_dump", "virtual_threads"] {
        for capture in scene.captures(kind) {
            let under_load = !matches!(capture.moment.as_str(), "start" | "end");
            if !under_load || !scene.is_under_load(capture.at_ms) {
                continue;
            }
            let dump = ThreadDump::read(&capture.text);
            let seen = seen(capture.number, dump.threads);
            let known = found.iter_mut().find(|known| *known.jvm == capture.entity);
            // A JSON dump of virtual threads adds what the text beside it does not show.
            let adds = kind == "thread_dump" || seen.iter().any(|seen| seen.thread.is_virtual);
            if !adds {
                continue;
            }
            match known {
                Some(known) if kind == "virtual_threads" && known.busy() >= 1.0 => {}
                Some(known) => {
                    if kind == "virtual_threads"
                        && known.serving().all(|seen| !seen.thread.is_virtual)
                    {
                        known.threads.clear();
                        known.dumps = 0;
                    }
                    known.dumps += 1;
                    known.threads.extend(seen);
                    known.deadlocks.extend(dump.deadlocks);
                }
                None => found.push(Stacks {
                    jvm: Arc::new(capture.entity.clone()),
                    dumps: 1,
                    threads: seen,
                    deadlocks: dump.deadlocks,
                }),
            }
        }
    }
    found
}

fn seen(capture: i64, threads: Vec<Thread>) -> Vec<Seen> {
    let all = threads.into_iter().map(|thread| {
        let place = place::place(&thread);
        Seen {
            capture,
            serves: place != Place::Idle && place::serves(&thread),
            place,
            thread,
        }
    });
    all.collect()
}

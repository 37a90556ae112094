//! The threads of a JVM as its dumps show them, and how many of them are where.

use std::collections::BTreeMap;
use std::sync::Arc;

use plimsoll_stats::series::Entity;
use plimsoll_watch::threads::DumpedThread;

use super::frames::{belongs_to, is_of_library, own_frame};
use super::place::{StackPlace, awaits_task};

/// A thread in a dump.
#[derive(Debug, Clone)]
pub struct SeenThread {
    /// The capture, by its number in the run.
    pub capture: i64,
    /// The thread.
    pub thread: DumpedThread,
    /// Where it is.
    pub place: StackPlace,
    /// Whether it has taken up a request.
    pub serves: bool,
}

impl SeenThread {
    /// Whether it waits for a task that it has handed to others, and no client of another system.
    #[must_use]
    pub fn awaits_task(&self) -> bool {
        self.place == StackPlace::Wait && awaits_task(&self.thread)
    }

    /// The lines of its stack that matter.
    pub(crate) fn lines(&self) -> Vec<String> {
        lines(&self.thread)
    }

    /// Whether a call of that library, or that begins so, is on its stack.
    pub(crate) fn is_in(&self, prefix: &str) -> bool {
        let mut frames = self.thread.frames.iter();
        frames.any(|frame| belongs_to(frame, prefix))
    }

    /// Whether a call is on its stack.
    pub(crate) fn is_within(&self, call: &str) -> bool {
        self.thread.frames.iter().any(|frame| frame.method == call)
    }
}

/// What the threads of one JVM did under load.
#[derive(Debug)]
pub struct Stacks {
    /// The JVM.
    pub jvm: Arc<Entity>,
    /// How many dumps.
    pub dumps: usize,
    /// All their threads.
    pub threads: Vec<SeenThread>,
    /// Threads that wait for each other in a circle.
    pub deadlocks: Vec<Vec<String>>,
    /// The full pool of threads for whose tasks they wait, if there is one.
    pub tasks: Option<TaskPool>,
    /// The share of the requests that these threads work for: 1, or where they run tasks, the
    /// share that waits for tasks.
    pub(super) weight: f64,
}

/// A pool of threads that run tasks, all busy while more requests wait for theirs.
#[derive(Debug)]
pub struct TaskPool {
    /// The name of its threads without their numbers.
    pub name: String,
    /// Its threads, in a dump on average.
    pub threads: f64,
    /// Serving threads that wait for a task, in a dump on average.
    pub waiting: f64,
    /// Their share of the serving threads.
    pub share: f64,
    /// What its threads do, as if each served a request.
    pub stacks: Box<Stacks>,
}

impl Stacks {
    pub(super) fn empty(jvm: Arc<Entity>) -> Self {
        Self {
            jvm,
            dumps: 0,
            threads: Vec::new(),
            deadlocks: Vec::new(),
            tasks: None,
            weight: 1.0,
        }
    }

    /// Adds a dump. Virtual threads take the place of platform threads where these serve
    /// nobody, and are left out where they do.
    pub(super) fn add(
        &mut self,
        seen: Vec<SeenThread>,
        deadlocks: Vec<Vec<String>>,
        is_virtual: bool,
    ) {
        if is_virtual {
            let platform = self.serving().any(|seen| !seen.thread.is_virtual);
            if platform && self.busy() >= 1.0 {
                return;
            }
            if self.threads.iter().all(|seen| !seen.thread.is_virtual) {
                self.threads.clear();
                self.dumps = 0;
            }
        }
        self.dumps += 1;
        self.threads.extend(seen);
        self.deadlocks.extend(deadlocks);
    }

    /// Threads that serve requests.
    pub fn serving(&self) -> impl Iterator<Item = &SeenThread> {
        self.threads.iter().filter(|seen| seen.serves)
    }

    /// So many threads of all dumps, in a dump on average.
    #[must_use]
    pub fn per_dump(&self, threads: usize) -> f64 {
        mean(threads, self.dumps)
    }

    /// Serving threads in a dump, on average.
    #[must_use]
    pub fn busy(&self) -> f64 {
        mean(self.serving().count(), self.dumps)
    }

    /// Serving threads for which something holds, in a dump on average.
    #[must_use]
    pub fn count(&self, holds: impl Fn(&SeenThread) -> bool) -> f64 {
        mean(
            self.serving().filter(|seen| holds(seen)).count(),
            self.dumps,
        )
    }

    /// Their share of the serving threads; 0 without any.
    #[must_use]
    pub fn share(&self, holds: impl Fn(&SeenThread) -> bool) -> f64 {
        self.share_of(self.count(holds))
    }

    /// The share of the requests that so many serving threads in a dump work for.
    pub(super) fn share_of(&self, threads: f64) -> f64 {
        let busy = self.busy();
        if busy > 0.0 {
            self.weight * threads / busy
        } else {
            0.0
        }
    }

    /// The share of serving threads at a place.
    #[must_use]
    pub fn at(&self, place: StackPlace) -> f64 {
        self.share(|seen| seen.place == place)
    }

    /// The share of the serving threads that computes or waits for a CPU.
    #[must_use]
    pub fn computing(&self) -> f64 {
        self.at(StackPlace::Cpu) + self.at(StackPlace::File)
    }

    /// The application's own calls that most of those threads share: the innermost one.
    #[must_use]
    pub fn code(&self, holds: impl Fn(&SeenThread) -> bool) -> Option<String> {
        let there = self.serving().filter(|seen| holds(seen));
        most_frequent(there.filter_map(|seen| own_frame(&seen.thread)))
    }

    /// The lines of a stack that matter, of the thread that stands for those: the one whose own
    /// code is the most frequent; and its capture.
    #[must_use]
    pub fn example(&self, holds: impl Fn(&SeenThread) -> bool) -> Option<(i64, Vec<String>)> {
        let code = self.code(&holds);
        let mut all = self.serving().filter(|seen| holds(seen));
        let wanted = |seen: &&SeenThread| own_frame(&seen.thread).map(str::to_owned) == code;
        let seen = all.find(wanted)?;
        Some((seen.capture, lines(&seen.thread)))
    }
}

#[expect(clippy::cast_precision_loss, reason = "threads of a few dumps")]
pub(super) fn mean(count: usize, dumps: usize) -> f64 {
    count as f64 / dumps.max(1) as f64
}

/// The name that comes most often; of several, the last in the order of names.
pub(crate) fn most_frequent<'a>(names: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut counts = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_insert(0_usize) += 1;
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    most.map(|(name, _)| name.to_owned())
}

/// The application's own call in which most of those threads are, and one that is there.
pub(crate) fn most_common<'a>(
    threads: impl Iterator<Item = &'a SeenThread> + Clone,
) -> Option<(String, &'a SeenThread)> {
    let own = |seen: &'a SeenThread| own_frame(&seen.thread);
    let code = most_frequent(threads.clone().filter_map(own))?;
    let mut there = threads.filter(|seen| own(seen) == Some(&code));
    let seen = there.next()?;
    Some((code, seen))
}

/// Lines that are shown of a stack.
const LINES: usize = 14;

/// A stack as it is shown: the innermost calls, and the application's own.
pub(super) fn lines(thread: &DumpedThread) -> Vec<String> {
    let mut lines = vec![format!("\"{}\"", thread.name)];
    if let Some(wait) = &thread.wait {
        lines.push(format!("- {} ({})", wait.lock.id, wait.lock.class));
    }
    for (index, frame) in thread.frames.iter().enumerate() {
        let own = !is_of_library(frame);
        if (own || index < 4) && lines.len() < LINES {
            lines.push(format!("at {}({})", frame.method, frame.place));
        }
    }
    lines
}

/// A thread's name without its number, or without a part of an identifier: that of its pool.
pub(crate) fn pool_of(name: &str) -> &str {
    /// Fewer hexadecimal digits may be a word.
    const LEAST: usize = 4;
    let behind = name
        .rfind(['-', '_', '#', ':'])
        .map_or(name.len(), |at| at + 1);
    let last = &name[behind..];
    let is_hex = last
        .bytes()
        .all(|c| c.is_ascii_digit() || (b'a'..=b'f').contains(&c));
    match last.len() >= LEAST && is_hex && last.bytes().any(|c| c.is_ascii_digit()) {
        true => &name[..behind],
        false => name.trim_end_matches(|c: char| c.is_ascii_digit()),
    }
}

#[cfg(test)]
mod tests {
    use super::pool_of;

    #[test]
    fn threads_of_a_pool_have_one_name_but_for_what_numbers_them() {
        for (name, pool) in [
            ("http-nio-8080-exec-12", "http-nio-8080-exec-"),
            ("quote-77d93e", "quote-"),
            ("worker#0af1c2d3", "worker#"),
            ("pool-1-thread-7", "pool-1-thread-"),
            ("facade", "facade"),
            ("io-decade", "io-decade"),
            ("a-b1", "a-b"),
            ("", ""),
        ] {
            assert_eq!(pool_of(name), pool, "{name}");
        }
    }
}

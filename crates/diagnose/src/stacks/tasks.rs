//! Tasks that serving threads have handed to a pool of threads, and wait for.

use std::collections::BTreeMap;
use std::iter;
use std::sync::Arc;

use plimsoll_watch::threads::DumpedThread;

use super::place::{at_work, runs_task};
use super::threads::{SeenThread, Stacks, TaskPool, pool_of};

/// So much of the serving threads must wait for a task.
const SHARE_WAITING_FOR_TASK: f64 = 0.3;
/// And so many threads.
const LEAST: f64 = 1.5;
/// A pool is exhausted from this share on.
const FULL: f64 = 0.9;
/// Who waits for any of several connections, in so many innermost calls.
const SELECTOR: &str = "sun.nio.ch.SelectorImpl.";
const SELECTING: usize = 6;
/// So many more requests must wait than tasks are in work.
const MORE: f64 = 1.3;

/// Whether a thread asks for work itself, as consumers of queues do: they are in their own code all the time.
fn polls(thread: &DumpedThread) -> bool {
    let mut innermost = thread.frames.iter().take(SELECTING);
    innermost.any(|frame| frame.method.starts_with(SELECTOR))
}

impl Stacks {
    /// The pool whose tasks requests wait for, if it is exhausted.
    pub(super) fn full_task_pool(&self) -> Option<TaskPool> {
        let waiting = self.count(SeenThread::awaits_task);
        if waiting < LEAST || waiting < SHARE_WAITING_FOR_TASK * self.busy() {
            return None;
        }
        let mut pools: BTreeMap<&str, (usize, Vec<&SeenThread>)> = BTreeMap::new();
        for seen in self.threads.iter().filter(|seen| !seen.serves) {
            let (all, busy) = pools.entry(pool_of(&seen.thread.name)).or_default();
            *all += 1;
            let works = runs_task(&seen.thread) && !polls(&seen.thread);
            busy.extend(works.then_some(seen));
        }
        let is_full = |(_, (all, busy)): &(&str, (usize, Vec<&SeenThread>))| {
            let (threads, in_work) = (self.per_dump(*all), self.per_dump(busy.len()));
            in_work > 0.0 && in_work >= FULL * threads && waiting >= MORE * in_work
        };
        let full = pools.into_iter().filter(is_full);
        let (name, (all, busy)) = full.max_by_key(|(_, (_, busy))| busy.len())?;
        let share = self.share_of(waiting);
        Some(TaskPool {
            name: name.to_owned(),
            threads: self.per_dump(all),
            waiting,
            share,
            stacks: Box::new(self.of_tasks(&busy, share)),
        })
    }

    fn of_tasks(&self, busy: &[&SeenThread], weight: f64) -> Self {
        let works = |seen: &&SeenThread| SeenThread {
            serves: true,
            place: at_work(&seen.thread, true),
            ..(**seen).clone()
        };
        Self {
            dumps: self.dumps,
            threads: busy.iter().map(works).collect(),
            weight,
            ..Self::empty(Arc::clone(&self.jvm))
        }
    }

    /// These threads, and those that run the tasks they wait for.
    pub fn with_tasks(&self) -> impl Iterator<Item = &Self> {
        let tasks = self.tasks.iter().map(|pool| &*pool.stacks);
        iter::once(self).chain(tasks)
    }
}

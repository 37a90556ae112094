//! Tasks that serving threads have handed to a pool of threads, and wait for.

use std::collections::BTreeMap;
use std::iter;
use std::sync::Arc;

use super::place::{at_work, runs_task};
use super::threads::{SeenThread, Stacks, TaskPool, pool_of};

/// So much of the serving threads must wait for a task.
const SHARE_WAITING_FOR_TASK: f64 = 0.3;
/// And so many threads.
const LEAST: f64 = 1.5;
/// A pool is exhausted from this share on.
const FULL: f64 = 0.9;
/// So many more requests must wait than tasks are in work.
const MORE: f64 = 1.3;

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
            busy.extend(runs_task(&seen.thread).then_some(seen));
        }
        let (name, (all, busy)) = pools.into_iter().max_by_key(|(_, (_, busy))| busy.len())?;
        let (threads, in_work) = (self.per_dump(all), self.per_dump(busy.len()));
        let is_full = in_work > 0.0 && in_work >= FULL * threads && waiting >= MORE * in_work;
        let share = self.share_of(waiting);
        is_full.then(|| TaskPool {
            name: name.to_owned(),
            threads,
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

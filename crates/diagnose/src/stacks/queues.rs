//! Serving threads that wait at a queue of the application's own: to put something in, since it
//! is full, or to take something out that others have.

use std::collections::BTreeMap;

use super::frames::{is_logging, own_frame};
use super::place::{QueueCall, StackPlace, queue_call};
use super::threads::{SeenThread, Stacks};

/// So much of the serving threads must wait there.
const SHARE_WAITING_IN_QUEUE: f64 = 0.25;
/// And so many threads.
const LEAST: f64 = 1.5;
/// So many threads must have something of a queue before it is a pool of things.
const INSIDE: f64 = 0.5;

/// Threads that wait at a queue.
#[derive(Debug)]
pub struct QueueWait<'a> {
    /// Whether they want to put something in or to take something out.
    pub call: QueueCall,
    /// The application's own call in which they wait.
    pub own: &'a str,
    /// How many, in a dump on average.
    pub waiting: f64,
    /// Their share of the requests.
    pub share: f64,
    /// Threads in the same own call that do not wait there, in a dump on average.
    pub inside: f64,
}

impl Stacks {
    /// Queues that are full, and those from which more threads want something than is in them.
    /// A thread that waits for a response to come in by a queue is none of these: nobody is past it.
    #[must_use]
    pub fn queues(&self) -> Vec<QueueWait<'_>> {
        let mut groups: BTreeMap<(QueueCall, &str), usize> = BTreeMap::new();
        for seen in self.serving() {
            if let Some((call, own)) = waits_at(seen) {
                *groups.entry((call, own)).or_default() += 1;
            }
        }
        let all = groups.into_iter().map(|((call, own), threads)| {
            let waiting = self.per_dump(threads);
            QueueWait {
                call,
                own,
                waiting,
                share: self.share_of(waiting),
                inside: self.count(|seen| waits_at(seen).is_none() && seen.is_within(own)),
            }
        });
        all.filter(|queue| queue.share >= SHARE_WAITING_IN_QUEUE && queue.waiting >= LEAST)
            .filter(|queue| queue.call == QueueCall::Put || queue.inside >= INSIDE)
            .collect()
    }

    /// Threads that serve nobody and have something to do in the application's own code: one of
    /// them may be who empties a queue. The main one starts others, and waits for the end.
    pub(crate) fn at_work_elsewhere(&self) -> impl Iterator<Item = &SeenThread> + Clone {
        let works = |seen: &&SeenThread| {
            !seen.serves
                && seen.place != StackPlace::Idle
                && seen.thread.name != "main"
                && own_frame(&seen.thread).is_some()
                && queue_call(&seen.thread).is_none()
        };
        self.threads.iter().filter(works)
    }
}

/// The queue at which a serving thread waits, and the own call from which. Logging has rules of
/// its own.
pub(crate) fn waits_at(seen: &SeenThread) -> Option<(QueueCall, &str)> {
    let call = queue_call(&seen.thread)
        .filter(|_| seen.place == StackPlace::Wait && !is_logging(&seen.thread))?;
    Some((call, own_frame(&seen.thread)?))
}

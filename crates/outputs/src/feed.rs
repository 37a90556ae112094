//! One output's thread and queue.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::output::{LoadInterval, Output, OutputError, RunBegin, RunEnd, RunEvent, TargetMoment};

/// Intervals that wait at most; with more of them the last of its part is merged with the next.
const MOST_INTERVALS: usize = 64;
/// Events that wait at most; more are counted and lost.
const MOST_EVENTS: usize = 256;
/// Moments of the target that wait at most; with more of them the last is merged with the next.
const MOST_MOMENTS: usize = 64;

/// How patient a feed is.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// The first wait after something was not taken; it doubles …
    pub first: Duration,
    /// … up to this.
    pub most: Duration,
    /// Time after the run's end in which what waits may still be taken.
    pub grace: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            first: Duration::from_millis(250),
            most: Duration::from_secs(5),
            grace: Duration::from_secs(5),
        }
    }
}

/// What became of all that an output should hear.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeedDelivery {
    /// Seconds of the load that it did not take.
    pub lost_seconds: u64,
    /// Events, the run's begin or its end that it did not take.
    pub lost_events: u64,
    /// Moments of the target that it did not take.
    pub lost_moments: u64,
    /// Intervals and moments that it got merged with the one before.
    pub merged: u64,
    /// Why something was not taken, the last time.
    pub reason: Option<String>,
}

impl FeedDelivery {
    /// Whether it heard everything.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.lost_seconds == 0 && self.lost_events == 0 && self.lost_moments == 0
    }
}

enum FeedItem {
    Begin(RunBegin),
    Interval(Box<LoadInterval>),
    Event(Box<RunEvent>),
    Target(Box<TargetMoment>),
    End(RunEnd),
}

#[derive(Default)]
struct FeedWaiting {
    items: VecDeque<FeedItem>,
    delivery: FeedDelivery,
    /// Nothing comes any more, and until when what waits may be taken.
    until: Option<Instant>,
}

#[derive(Default)]
struct FeedQueue {
    waiting: Mutex<FeedWaiting>,
    changed: Condvar,
}

impl FeedQueue {
    fn lock(&self) -> MutexGuard<'_, FeedWaiting> {
        // Whatever panicked left whole items.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Feeds one output from a thread of its own.
pub struct Feed {
    name: String,
    queue: Arc<FeedQueue>,
    thread: Option<JoinHandle<()>>,
    pace: Pace,
}

impl Feed {
    /// Begins; `name` is what people know the output by.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn start(name: String, output: Box<dyn Output>, pace: Pace) -> std::io::Result<Self> {
        let queue = Arc::new(FeedQueue::default());
        let other = Arc::clone(&queue);
        let thread = std::thread::Builder::new().name("output".to_owned());
        let thread = thread.spawn(move || work(&other, output, pace))?;
        Ok(Self {
            name,
            queue,
            thread: Some(thread),
            pace,
        })
    }

    /// What people know the output by.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The load begins.
    pub fn begin(&self, run: RunBegin) {
        self.push(FeedItem::Begin(run));
    }

    /// What the load did. Never waits.
    pub fn interval(&self, interval: LoadInterval) {
        let mut waiting = self.queue.lock();
        let is_interval = |item: &&FeedItem| matches!(item, FeedItem::Interval(_));
        if waiting.items.iter().filter(is_interval).count() >= MOST_INTERVALS {
            let last = waiting.items.iter_mut().rev().find_map(|item| match item {
                FeedItem::Interval(last) if last.part == interval.part => Some(last),
                _ => None,
            });
            if let Some(last) = last {
                last.merge(interval);
                waiting.delivery.merged += 1;
                return;
            }
        }
        waiting
            .items
            .push_back(FeedItem::Interval(Box::new(interval)));
        drop(waiting);
        self.queue.changed.notify_one();
    }

    /// Something happened. Never waits.
    pub fn event(&self, event: RunEvent) {
        let mut waiting = self.queue.lock();
        let is_event = |item: &&FeedItem| matches!(item, FeedItem::Event(_));
        if waiting.items.iter().filter(is_event).count() >= MOST_EVENTS {
            waiting.delivery.lost_events += 1;
            return;
        }
        drop(waiting);
        self.push(FeedItem::Event(Box::new(event)));
    }

    /// What was seen of the target. Never waits.
    pub fn target(&self, moment: TargetMoment) {
        let mut waiting = self.queue.lock();
        let is_moment = |item: &&FeedItem| matches!(item, FeedItem::Target(_));
        if waiting.items.iter().filter(is_moment).count() >= MOST_MOMENTS {
            let last = waiting.items.iter_mut().rev().find_map(|item| match item {
                FeedItem::Target(last) => Some(last),
                _ => None,
            });
            if let Some(last) = last {
                last.merge(moment);
                waiting.delivery.merged += 1;
                return;
            }
        }
        drop(waiting);
        self.push(FeedItem::Target(Box::new(moment)));
    }

    /// The run is over.
    pub fn end(&self, end: RunEnd) {
        self.push(FeedItem::End(end));
    }

    fn push(&self, item: FeedItem) {
        self.queue.lock().items.push_back(item);
        self.queue.changed.notify_one();
    }

    /// Nothing comes any more: what waits is taken within the grace, or counted as lost.
    pub fn close(&self) {
        self.queue.lock().until = Some(Instant::now() + self.pace.grace);
        self.queue.changed.notify_one();
    }

    /// Waits until the output has ended; what became of all it should hear.
    #[must_use]
    pub fn finish(mut self) -> FeedDelivery {
        self.close();
        if let Some(thread) = self.thread.take() {
            // An output that panicked has not taken what still waits.
            let _ = thread.join();
        }
        let mut waiting = self.queue.lock();
        let left: Vec<FeedItem> = waiting.items.drain(..).collect();
        left.iter().for_each(|item| waiting.delivery.lose(item));
        waiting.delivery.clone()
    }
}

impl FeedDelivery {
    fn lose(&mut self, item: &FeedItem) {
        match item {
            FeedItem::Interval(interval) => self.lost_seconds += interval.to_s - interval.from_s,
            FeedItem::Target(_) => self.lost_moments += 1,
            FeedItem::Begin(_) | FeedItem::Event(_) | FeedItem::End(_) => self.lost_events += 1,
        }
    }
}

/// Hands on what comes, in its order, until nothing comes any more or time is over.
fn work(queue: &FeedQueue, mut output: Box<dyn Output>, pace: Pace) {
    let mut wait = pace.first;
    while let Some(item) = next(queue) {
        let taken = match &item {
            FeedItem::Begin(run) => output.begin(run),
            FeedItem::Interval(interval) => output.interval(interval),
            FeedItem::Event(event) => output.event(event),
            FeedItem::Target(moment) => output.target(moment),
            FeedItem::End(end) => output.end(end),
        };
        let mut waiting = queue.lock();
        match taken {
            Ok(()) => wait = pace.first,
            Err(OutputError::Refused(reason)) => {
                waiting.delivery.lose(&item);
                waiting.delivery.reason = Some(reason);
            }
            Err(OutputError::Later(reason)) => {
                waiting.delivery.reason = Some(reason);
                waiting.items.push_front(item);
                if !rest(queue, waiting, wait) {
                    return;
                }
                wait = (wait * 2).min(pace.most);
            }
        }
    }
}

/// The next item; none when nothing comes any more or time is over.
fn next(queue: &FeedQueue) -> Option<FeedItem> {
    let mut waiting = queue.lock();
    loop {
        if waiting.until.is_some_and(|until| Instant::now() >= until) {
            return None;
        }
        if let Some(item) = waiting.items.pop_front() {
            return Some(item);
        }
        if waiting.until.is_some() {
            return None;
        }
        let woken = queue.changed.wait(waiting);
        waiting = woken.unwrap_or_else(PoisonError::into_inner);
    }
}

/// Waits before another attempt, but not past the end of the grace; whether there is time for one.
fn rest(queue: &FeedQueue, mut waiting: MutexGuard<'_, FeedWaiting>, wait: Duration) -> bool {
    let again = Instant::now() + wait;
    loop {
        let until = waiting.until.map_or(again, |until| until.min(again));
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return waiting.until.is_none_or(|until| Instant::now() < until);
        }
        let woken = queue.changed.wait_timeout(waiting, left);
        waiting = woken.unwrap_or_else(PoisonError::into_inner).0;
    }
}

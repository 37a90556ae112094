//! Takes captures: of one thing one after the other, so that they do not disturb it together.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use plimsoll_stats::series::Entity;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, sleep_until, timeout};

use plimsoll_text::Message;

use super::masked;
use super::options::WatcherOptions;
use super::seen::{Captured, Seen};
use crate::capture::{Asked, Capture, Moment};
use crate::clock::WallClock;
use crate::collector::Trouble;

/// What a watcher is told.
pub(super) enum WatcherCommand {
    /// Take that, then say so.
    Capture(Asked, oneshot::Sender<()>),
}

impl WatcherCommand {
    /// What is asked for.
    fn asked(&self) -> Asked {
        let Self::Capture(asked, _) = self;
        *asked
    }
}

/// Takes what is asked for, and hands it on.
pub(super) struct CaptureTaker {
    captures: Vec<Box<dyn Capture>>,
    options: WatcherOptions,
    tell: UnboundedSender<Seen>,
    bytes: usize,
}

impl CaptureTaker {
    pub(super) fn new(options: WatcherOptions, tell: UnboundedSender<Seen>) -> Self {
        Self {
            captures: Vec::new(),
            options,
            tell,
            bytes: 0,
        }
    }

    /// Serves commands until none can come. Captures may join at any time; those that join
    /// after the start take theirs of the start then.
    pub(super) async fn run(
        mut self,
        mut told: UnboundedReceiver<WatcherCommand>,
        mut more: UnboundedReceiver<Vec<Box<dyn Capture>>>,
    ) {
        let mut started = false;
        let mut waiting = VecDeque::new();
        let end = LoadEnd::new(self.options.capture_limit);
        loop {
            while let Ok(command) = told.try_recv() {
                end.notice(command.asked());
                waiting.push_back(command);
            }
            drop_overdue(&mut waiting);
            tokio::select! {
                biased;
                Some(captures) = more.recv() => {
                    let known = self.captures.len();
                    self.captures.extend(captures);
                    if started {
                        let taking = self.take(Moment::Start.into(), known, &end);
                        hearing(taking, &mut told, &mut waiting, &end).await;
                    }
                }
                command = next(&mut waiting, &mut told) => {
                    let Some(WatcherCommand::Capture(asked, done)) = command else { break };
                    end.notice(asked);
                    started |= asked.moment == Moment::Start;
                    let taking = self.take(asked, 0, &end);
                    hearing(taking, &mut told, &mut waiting, &end).await;
                    let _ = self.tell.send(Seen::Taken(asked));
                    // Nobody need wait for it.
                    let _ = done.send(());
                }
            }
        }
    }

    /// Takes what is asked for, from the capture of that place on. Things are looked at side by
    /// side, so that all are seen at the same moment; one thing's captures are taken one after
    /// the other, each kind once, by the first source that can, and those that disturb nothing
    /// beside them.
    async fn take(&mut self, asked: Asked, from: usize, end: &LoadEnd) {
        let options = &self.options;
        let mut things: Vec<((Arc<Entity>, bool), OfThing<'_>)> = Vec::new();
        for capture in self.captures.iter_mut().skip(from) {
            if capture.is_asked(asked) {
                let thing = (capture.entity(), capture.is_aside());
                match things.iter_mut().find(|(known, _)| *known == thing) {
                    Some((_, captures)) => captures.push(capture),
                    None => things.push((thing, vec![capture])),
                }
            }
        }
        let of_thing = |(_, captures)| take_of_thing(captures, asked, options, end);
        let all: Vec<Pending<'_>> = things.into_iter().map(of_thing).collect();
        for seen in side_by_side(all).await.into_iter().flatten() {
            let seen = self.within_limit(seen);
            // The run may have ended.
            let _ = self.tell.send(seen);
        }
    }

    /// What was captured, or that there is no room for it.
    fn within_limit(&mut self, seen: Seen) -> Seen {
        let Seen::Captured(captured) = &seen else {
            return seen;
        };
        self.bytes += captured.artifact.bytes.len();
        if self.bytes <= self.options.max_capture_bytes {
            return seen;
        }
        let message = Message::new("watch-captures-full")
            .with("megabytes", self.options.max_capture_bytes >> 20);
        let about = format!("{} of {}", captured.artifact.kind, captured.artifact.entity);
        trouble(&self.options.clock, about, message)
    }
}

/// The end of the load: from then on all captures together have the time of one, since each
/// thing that does not respond would hold the run once more.
struct LoadEnd {
    limit: Duration,
    over: watch::Sender<Option<Instant>>,
}

impl LoadEnd {
    fn new(limit: Duration) -> Self {
        let over = watch::Sender::new(None);
        Self { limit, over }
    }

    /// Takes note of what is asked for.
    fn notice(&self, asked: Asked) {
        if asked.moment == Moment::End {
            let over = Instant::now() + self.limit;
            self.over.send_modify(|known| *known = known.or(Some(over)));
        }
    }

    /// Waits until the time after the end is over.
    async fn passed(&self) {
        let mut known = self.over.subscribe();
        // The sender lives as long as `self`.
        let over = known.wait_for(Option::is_some).await.map(|over| *over);
        if let Ok(Some(over)) = over {
            sleep_until(over).await;
        }
    }
}

/// Takes captures, and hears meanwhile what is asked for next.
async fn hearing(
    taking: impl Future<Output = ()>,
    told: &mut UnboundedReceiver<WatcherCommand>,
    waiting: &mut VecDeque<WatcherCommand>,
    end: &LoadEnd,
) {
    let mut taking = std::pin::pin!(taking);
    loop {
        tokio::select! {
            biased;
            () = &mut taking => return,
            Some(command) = told.recv() => {
                end.notice(command.asked());
                waiting.push_back(command);
            }
        }
    }
}

/// The command that waits longest, or the next one.
async fn next(
    waiting: &mut VecDeque<WatcherCommand>,
    told: &mut UnboundedReceiver<WatcherCommand>,
) -> Option<WatcherCommand> {
    match waiting.pop_front() {
        Some(command) => Some(command),
        None => told.recv().await,
    }
}

/// Once the load has ended, what was to be seen under it is not there any more: a target that
/// responds slowly would hold the run for minutes, and idle threads would pass for busy ones.
fn drop_overdue(waiting: &mut VecDeque<WatcherCommand>) {
    let over = waiting
        .iter()
        .any(|WatcherCommand::Capture(asked, _)| asked.moment == Moment::End);
    waiting.retain(|WatcherCommand::Capture(asked, _)| {
        let under_load = matches!(asked.moment, Moment::Knee | Moment::Steady | Moment::Worst);
        !(over && under_load)
    });
}

/// The captures of one thing.
type OfThing<'a> = Vec<&'a mut Box<dyn Capture>>;
/// One thing's captures being taken.
type Pending<'a> = Pin<Box<dyn Future<Output = Vec<Seen>> + 'a>>;

fn take_of_thing<'a>(
    captures: OfThing<'a>,
    asked: Asked,
    options: &'a WatcherOptions,
    end: &'a LoadEnd,
) -> Pending<'a> {
    Box::pin(async move {
        let (mut all, mut kinds) = (Vec::new(), Vec::new());
        for capture in captures {
            let kind = capture.kind();
            if kinds.contains(&kind) {
                continue;
            }
            let limit = capture.limit().unwrap_or(options.capture_limit);
            let began = Instant::now();
            let taken = tokio::select! {
                biased;
                () = end.passed() => None,
                taken = timeout(limit, capture.take(asked)) => taken.ok(),
            };
            let taken = taken.unwrap_or_else(|| {
                let seconds = began.elapsed().as_secs();
                let message = Message::new("watch-too-slow").with("seconds", seconds);
                Err(Trouble::new(message))
            });
            let took = began.elapsed();
            match taken {
                Ok(artifacts) => {
                    if !artifacts.is_empty() {
                        kinds.push(kind);
                    }
                    all.extend(artifacts.into_iter().map(|artifact| {
                        Seen::Captured(Captured {
                            moment: asked.moment,
                            took,
                            artifact: masked::artifact(artifact),
                        })
                    }));
                    if let Some(lacking) = capture.lacking() {
                        let about = format!("{} of {}", capture.kind(), capture.entity());
                        all.push(trouble(&options.clock, about, lacking.message));
                    }
                }
                Err(error) => {
                    let about = format!("{} of {}", capture.kind(), capture.entity());
                    all.push(trouble(&options.clock, about, error.message));
                }
            }
        }
        all
    })
}

/// Drives all of them on; gives their results in their order.
async fn side_by_side<T>(mut all: Vec<Pin<Box<dyn Future<Output = T> + '_>>>) -> Vec<T> {
    let mut done: Vec<Option<T>> = all.iter().map(|_| None).collect();
    std::future::poll_fn(|cx| {
        for (future, done) in all.iter_mut().zip(&mut done) {
            if done.is_none()
                && let Poll::Ready(value) = future.as_mut().poll(cx)
            {
                *done = Some(value);
            }
        }
        match done.iter().all(Option::is_some) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    })
    .await;
    done.into_iter().flatten().collect()
}

fn trouble(clock: &WallClock, about: String, message: Message) -> Seen {
    Seen::Source {
        at_unix_ns: clock.unix_ns(),
        about,
        trouble: Some(masked::message(message)),
    }
}

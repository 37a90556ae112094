//! Takes captures, one after the other, so that they do not disturb the target together.

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::time::{Instant, timeout};

use plimsoll_text::Message;

use super::{Captured, Command, Seen, WallClock, WatcherOptions};
use crate::capture::{Asked, Capture, Moment};
use crate::collector::Trouble;

pub(super) struct Taker {
    captures: Vec<Box<dyn Capture>>,
    options: WatcherOptions,
    tell: UnboundedSender<Seen>,
    bytes: usize,
}

impl Taker {
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
        mut told: UnboundedReceiver<Command>,
        mut more: UnboundedReceiver<Vec<Box<dyn Capture>>>,
    ) {
        let mut started = false;
        loop {
            tokio::select! {
                biased;
                Some(captures) = more.recv() => {
                    let known = self.captures.len();
                    self.captures.extend(captures);
                    if started {
                        self.take(Moment::Start.into(), known).await;
                    }
                }
                command = told.recv() => {
                    let Some(Command::Capture(asked, done)) = command else { break };
                    started |= asked.moment == Moment::Start;
                    self.take(asked, 0).await;
                    // Nobody need wait for it.
                    let _ = done.send(());
                }
            }
        }
    }

    /// Takes what is asked for, from the capture of that place on.
    async fn take(&mut self, asked: Asked, from: usize) {
        for capture in self.captures.iter_mut().skip(from) {
            if !capture.is_asked(asked) {
                continue;
            }
            let limit = capture.limit().unwrap_or(self.options.capture_limit);
            let began = Instant::now();
            let taken = timeout(limit, capture.take(asked)).await;
            let taken = taken.unwrap_or_else(|_| {
                Err(Trouble::new(
                    Message::new("watch-too-slow").with("seconds", limit.as_secs()),
                ))
            });
            let took = began.elapsed();
            match taken {
                Ok(artifacts) => {
                    for artifact in artifacts {
                        self.bytes += artifact.bytes.len();
                        let seen = if self.bytes > self.options.max_capture_bytes {
                            trouble(
                                &self.options.clock,
                                capture.as_ref(),
                                Message::new("watch-captures-full")
                                    .with("megabytes", self.options.max_capture_bytes >> 20),
                            )
                        } else {
                            Seen::Captured(Captured {
                                moment: asked.moment,
                                took,
                                artifact,
                            })
                        };
                        let _ = self.tell.send(seen);
                    }
                }
                Err(error) => {
                    let seen = trouble(&self.options.clock, capture.as_ref(), error.message);
                    let _ = self.tell.send(seen);
                }
            }
        }
    }
}

fn trouble(clock: &WallClock, capture: &dyn Capture, message: Message) -> Seen {
    Seen::Source {
        at_unix_ns: clock.unix_ns(),
        about: format!("{} of {}", capture.kind(), capture.entity()),
        trouble: Some(message),
    }
}

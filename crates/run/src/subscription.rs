//! Hearing of a run from elsewhere in the process.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use plimsoll_outputs::{
    LoadInterval, Output, OutputError, RunBegin, RunEnd, RunEvent, TargetMoment,
};

/// News that wait at most; behind them intervals are merged.
const MOST_WAITING: usize = 64;

/// A subscriber that takes nothing for so long is asked again later.
const PATIENCE: Duration = Duration::from_millis(200);

/// What happens in a run.
#[derive(Debug, Clone)]
pub enum RunNews {
    /// The load begins. Who asks later hears of it first.
    Begun(RunBegin),
    /// What the load did in a second, or in several if it was not asked for news.
    Interval(LoadInterval),
    /// Something happened.
    Event(RunEvent),
    /// What was seen of the target.
    Target(TargetMoment),
    /// The run is over and judged.
    Ended(RunEnd),
}

/// News of a run, from when they were asked for on. Who takes them slowly gets intervals merged and
/// does not slow the run.
pub struct Subscription(Receiver<RunNews>);

impl Subscription {
    /// The next news within a time; none: there were none, or there will be none any more.
    pub fn next_within(&self, time: Duration) -> Option<RunNews> {
        self.0.recv_timeout(time).ok()
    }
}

impl Iterator for Subscription {
    type Item = RunNews;

    /// Waits for the next news; none: the run is over.
    fn next(&mut self) -> Option<RunNews> {
        self.0.recv().ok()
    }
}

/// A subscription, and the output that feeds it.
pub(crate) fn subscription() -> (Subscription, Box<dyn Output>) {
    let (out, news) = sync_channel(MOST_WAITING);
    (Subscription(news), Box::new(Subscriber(out)))
}

struct Subscriber(SyncSender<RunNews>);

impl Subscriber {
    fn tell(&self, news: RunNews) -> Result<(), OutputError> {
        let until = Instant::now() + PATIENCE;
        let mut news = news;
        loop {
            news = match self.0.try_send(news) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Disconnected(_)) => {
                    return Err(OutputError::Refused("nobody listens".to_owned()));
                }
                Err(TrySendError::Full(news)) => news,
            };
            if Instant::now() >= until {
                return Err(OutputError::Later("nobody takes it".to_owned()));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Output for Subscriber {
    fn begin(&mut self, run: &RunBegin) -> Result<(), OutputError> {
        self.tell(RunNews::Begun(run.clone()))
    }

    fn interval(&mut self, interval: &LoadInterval) -> Result<(), OutputError> {
        self.tell(RunNews::Interval(interval.clone()))
    }

    fn event(&mut self, event: &RunEvent) -> Result<(), OutputError> {
        self.tell(RunNews::Event(event.clone()))
    }

    fn target(&mut self, moment: &TargetMoment) -> Result<(), OutputError> {
        self.tell(RunNews::Target(moment.clone()))
    }

    fn end(&mut self, end: &RunEnd) -> Result<(), OutputError> {
        self.tell(RunNews::Ended(*end))
    }
}

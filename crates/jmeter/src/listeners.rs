//! The listeners' thread: it owns them for the run; users hand it events and wait when it lags, so
//! that nothing is lost and memory stays bounded.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use plimsoll_elements::listeners::{Listener, SampleEvent};
use plimsoll_text::Message;
use tokio::sync::mpsc;

/// Events that wait for the listeners' thread.
const CAPACITY: usize = 8_192;

/// How long the listeners' thread rests when it has told all there was. Woken by each sample it
/// would cost a load thread on the same CPU two switches a request.
const REST: Duration = Duration::from_millis(10);

/// An event and who is told of it.
pub(crate) struct ToldEvent {
    /// The event.
    pub event: SampleEvent,
    /// The listeners, by their number.
    pub to: Arc<[u32]>,
}

/// Where events go.
pub(crate) type Outlet = mpsc::Sender<ToldEvent>;

/// The listeners' thread.
pub struct Listeners {
    outlet: Outlet,
    thread: JoinHandle<Vec<Message>>,
}

impl Listeners {
    /// Starts the thread.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(listeners: Vec<Option<Box<dyn Listener>>>) -> std::io::Result<Self> {
        let (outlet, inlet) = mpsc::channel(CAPACITY);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()?;
        let thread = std::thread::Builder::new()
            .name("listeners".to_owned())
            .spawn(move || runtime.block_on(tell(inlet, listeners)))?;
        Ok(Self { outlet, thread })
    }

    /// Where events go.
    #[must_use]
    pub(crate) fn outlet(&self) -> Outlet {
        self.outlet.clone()
    }

    /// Ends the listeners when the last event has been told; what went wrong meanwhile.
    pub fn end(self) -> Vec<Message> {
        drop(self.outlet);
        self.thread
            .join()
            .unwrap_or_else(|_| vec![Message::new("jmeter-listeners-lost")])
    }
}

async fn tell(
    mut inlet: mpsc::Receiver<ToldEvent>,
    mut listeners: Vec<Option<Box<dyn Listener>>>,
) -> Vec<Message> {
    let mut ticks = tokio::time::interval(Duration::from_secs(1));
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut batch = Vec::with_capacity(CAPACITY);
    loop {
        tokio::select! {
            biased;
            _ = ticks.tick() => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                let unix_ms = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
                listeners.iter_mut().flatten().for_each(|listener| listener.tick(unix_ms));
            }
            count = inlet.recv_many(&mut batch, CAPACITY) => {
                if count == 0 {
                    break;
                }
                for told in batch.drain(..) {
                    tell_one(&told, &mut listeners);
                }
                if inlet.len() < CAPACITY / 2 {
                    tokio::time::sleep(REST).await;
                }
            }
        }
    }
    let listeners = listeners.into_iter().flatten();
    listeners.flat_map(Listener::end).collect()
}

fn tell_one(told: &ToldEvent, listeners: &mut [Option<Box<dyn Listener>>]) {
    for number in told.to.iter() {
        if let Some(Some(listener)) = listeners.get_mut(*number as usize) {
            listener.sample(&told.event);
        }
    }
}

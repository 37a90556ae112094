//! Telling the listeners: one thread for the run owns them; users hand it events and wait
//! when it lags, so that nothing is lost and memory stays bounded.

use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use plimsoll_elements::SampleResult;
use plimsoll_elements::listeners::{Listener, SampleEvent};
use plimsoll_text::Message;
use tokio::sync::mpsc;

use super::bound::BoundPackage;
use super::run::JMeterRun;
use super::sampled::Times;
use crate::element_user::ElementUser;

/// Events that wait for the listeners' thread.
const CAPACITY: usize = 8_192;

/// How long the listeners' thread rests when it has told all there was. Woken by each sample it
/// would cost a load thread on the same CPU two switches a request.
const REST: Duration = Duration::from_millis(10);

/// An event and who is told of it.
pub(crate) struct Told {
    /// The event.
    pub event: SampleEvent,
    /// The listeners, by their number.
    pub to: Arc<[u32]>,
}

/// Where events go.
pub(crate) type Outlet = mpsc::Sender<Told>;

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
    mut inlet: mpsc::Receiver<Told>,
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

fn tell_one(told: &Told, listeners: &mut [Option<Box<dyn Listener>>]) {
    for number in told.to.iter() {
        if let Some(Some(listener)) = listeners.get_mut(*number as usize) {
            listener.sample(&told.event);
        }
    }
}

impl JMeterRun {
    /// Where events go, if anybody listens.
    pub(crate) fn outlet(&self) -> Option<Outlet> {
        let listeners = self
            .listeners
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        listeners.as_ref().map(Listeners::outlet)
    }
}

impl ElementUser<'_> {
    /// Whether somebody is told of the package's samples.
    pub(crate) fn tells(&self, package: &BoundPackage) -> bool {
        !package.remote_listeners.is_empty()
            || !package.listeners.is_empty() && self.thread.outlet.is_some()
    }

    /// Hands an event to listeners; waits while they lag.
    pub(crate) async fn tell_listeners(
        &mut self,
        result: Arc<SampleResult>,
        to: Arc<[u32]>,
        transaction: bool,
        told_before: Option<bool>,
    ) {
        if to.is_empty() {
            return;
        }
        let Some(outlet) = self.thread.outlet.clone() else {
            return;
        };
        let event = SampleEvent {
            result,
            group: Arc::clone(&self.jm().group),
            variables: self.told_variables(),
            transaction,
            told_before,
        };
        // Its thread is gone only when it panicked, which is told at the end.
        if let Err(mpsc::error::TrySendError::Full(told)) = outlet.try_send(Told { event, to }) {
            let _ = outlet.send(told).await;
        }
    }

    fn told_variables(&self) -> Arc<[Option<String>]> {
        let names = &self.thread.jmeter.sample_variables;
        let value = |name: &String| self.vars.get_by_name(name).map(|it| it.to_string());
        names.iter().map(value).collect()
    }

    /// Tells the listeners of a sampler's result, adds it to the transaction around it, and
    /// keeps it as the last one where something looks at that.
    pub(crate) async fn tell_and_keep(
        &mut self,
        package: &BoundPackage,
        mut result: SampleResult,
        times: Times,
        told: bool,
    ) {
        for id in &package.remote_listeners {
            self.remote_listener(*id, &mut result).await;
        }
        let to = self.listeners_outside(&package.listeners);
        self.run_namers(&to, &mut result);
        self.jm().last_listeners = Some(Arc::clone(&package.listeners));
        self.tell_transactions(&result, &times);
        let keeps = self.thread.jmeter.bound.keeps_previous;
        let within = self.parent_transaction().is_some();
        if !told && !keeps {
            if within {
                self.add_part(result, times);
            }
            return;
        }
        let result = Arc::new(result);
        self.tell_listeners(Arc::clone(&result), to, false, None)
            .await;
        if keeps {
            self.jm().previous = Some(Arc::clone(&result));
        }
        if within {
            let result = Arc::try_unwrap(result).unwrap_or_else(|shared| (*shared).clone());
            self.add_part(result, times);
        }
    }

    /// Lets listeners do what they do on the user's own thread.
    pub(crate) fn run_namers(&mut self, listeners: &[u32], result: &mut SampleResult) {
        let thread = std::rc::Rc::clone(&self.thread);
        let Some(namers) = thread.jmeter.namers.get() else {
            return;
        };
        let of = |number: &u32| namers.get(*number as usize)?.as_ref();
        for namer in listeners.iter().filter_map(of) {
            if let Err(fault) = self.evaluate(|cx| namer.name(cx, result)) {
                let text = self.vars.redact(&fault.to_string());
                thread.jmeter.log(thread.clock.now_ns(), &text);
            }
        }
    }

    /// Keeps a result as the last one, where something looks at that.
    pub(crate) fn keep_previous(&mut self, result: SampleResult) {
        if self.thread.jmeter.bound.keeps_previous {
            self.jm().previous = Some(Arc::new(result));
        }
    }
}

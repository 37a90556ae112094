//! Hears of the runs that this server makes, and tells those who want to know: a thread of its own, so that nobody
//! waits for a receiver.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use plimsoll_access::Reach;
use plimsoll_store::Run;
use plimsoll_text::Message;

use super::book::{WebhookBook, WebhookChange, WebhookKept, WebhookOrder};
use super::delivery::{DeliveryLog, ReceiverResponse, SendFailure, WebhookDelivery};
use super::message::ToldRun;
use super::send::{SendRule, may_send, send};
use crate::data::diagnoses::Diagnoses;
use crate::desk::RunTold;
use crate::now::{now_s, now_text, since_epoch};
use crate::problem::ApiError;

/// How often it is looked what is to be tried again.
const PERIOD: Duration = Duration::from_secs(1);

/// The webhooks of a server.
pub(crate) struct WebhookDesk {
    root: PathBuf,
    diagnoses: Arc<Diagnoses>,
    book: WebhookBook,
    log: DeliveryLog,
    rule: SendRule,
    told: Mutex<Sender<RunTold>>,
}

fn now() -> i64 {
    i64::try_from(now_s()).unwrap_or(i64::MAX)
}

impl WebhookDesk {
    /// Those of a workbench's own folder, over the runs below another. Hosts of own networks that may be sent to are
    /// written as those that may be loaded.
    ///
    /// # Errors
    /// A file that cannot be read, what is no host, a thread that the system refuses.
    pub fn open(
        root: &Path,
        diagnoses: Arc<Diagnoses>,
        own: &Path,
        allowed: &[String],
    ) -> Result<Arc<Self>, Message> {
        let allowed = Reach::parse(allowed.iter().map(String::as_str))
            .map_err(|wrong| Message::new("server-bad-host").with("host", wrong))?;
        let (told, hears) = channel();
        let desk = Arc::new(Self {
            root: root.to_owned(),
            diagnoses,
            book: WebhookBook::open(own)?,
            log: DeliveryLog::open(own),
            rule: SendRule {
                allowed: Arc::new(allowed),
            },
            told: Mutex::new(told),
        });
        let working = Arc::downgrade(&desk);
        let thread = std::thread::Builder::new().name("webhooks".to_owned());
        let started = thread.spawn(move || work(&working, &hears));
        started
            .map_err(|error| Message::new("run-cannot-start").with("reason", error.to_string()))?;
        Ok(desk)
    }

    /// Something happened to a run.
    pub fn hear(&self, told: RunTold) {
        let sender = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        // The thread lives as long as this.
        let _ = sender.send(told);
    }

    /// What there is to tell of it.
    fn take(&self, told: &RunTold) {
        let wanted = self.book.all();
        if !wanted.iter().any(|hook| hook.enabled) {
            return;
        }
        let at = now_text();
        let run = |name: &String| Run::open(&self.root.join(name));
        let events = match told {
            RunTold::Begun(name) => run(name).map(|run| vec![ToldRun::begun(&run, at)]),
            RunTold::Ended(name) => run(name).and_then(|run| {
                let diagnosis = self.diagnoses.of(&run).ok();
                ToldRun::ended(&run, diagnosis.as_deref(), &at)
            }),
            RunTold::Undertaking(told) => Ok(ToldRun::undertaking(told, &at)),
        };
        // A run that cannot be read says so itself, where it is looked at.
        for event in events.unwrap_or_default() {
            for hook in &wanted {
                if hook.enabled && hook.events.contains(&event.event) {
                    self.enter(hook, &event);
                }
            }
        }
    }

    fn enter(&self, hook: &WebhookKept, event: &ToldRun) {
        let body = serde_json::to_string(event).unwrap_or_default();
        self.log
            .add(&hook.webhook, event.event, &event.run, body, now());
    }

    fn turn(&self) {
        self.log.turn(now(), &mut |of, body| {
            let gone = |error: ApiError| SendFailure::Never(None, error.message());
            let hook = self.book.find(&of.webhook).map_err(gone)?;
            self.send(&hook, body)
        });
    }

    fn send(&self, hook: &WebhookKept, body: &str) -> Result<ReceiverResponse, SendFailure> {
        let unix_ms = i64::try_from(since_epoch().as_millis()).unwrap_or(i64::MAX);
        send(hook, body, &self.rule, unix_ms)
    }

    /// All webhooks.
    pub fn all(&self) -> Vec<WebhookKept> {
        self.book.all()
    }

    /// A new one.
    ///
    /// # Errors
    /// What cannot be, what could never be sent, too many.
    pub fn add(&self, order: WebhookOrder, by: Option<String>) -> Result<WebhookKept, ApiError> {
        self.book.add(order, by, |made| may_send(made, &self.rule))
    }

    /// Changes one.
    ///
    /// # Errors
    /// There is none of that name; what cannot be.
    pub fn alter(&self, webhook: &str, change: WebhookChange) -> Result<WebhookKept, ApiError> {
        self.book.alter(webhook, change)
    }

    /// Takes one away, with what was to be sent to it.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn remove(&self, webhook: &str) -> Result<(), ApiError> {
        self.book.remove(webhook)?;
        self.log.forget(webhook);
        Ok(())
    }

    /// What was sent to one, the newest first.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn deliveries(&self, webhook: &str) -> Result<Vec<WebhookDelivery>, ApiError> {
        self.book.find(webhook)?;
        Ok(self.log.of(webhook))
    }

    /// Sends something now, to see whether it arrives; gives what came of it.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn test(&self, webhook: &str) -> Result<WebhookDelivery, ApiError> {
        let hook = self.book.find(webhook)?;
        let body = serde_json::to_string(&ToldRun::test(now_text())).unwrap_or_default();
        let sent = self.send(&hook, &body);
        Ok(self.log.tested(&hook.webhook, body, now(), sent))
    }
}

fn work(desk: &Weak<WebhookDesk>, hears: &Receiver<RunTold>) {
    loop {
        let told = match hears.recv_timeout(PERIOD) {
            Ok(told) => Some(told),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        let Some(desk) = desk.upgrade() else {
            return;
        };
        if let Some(told) = told {
            desk.take(&told);
        }
        desk.turn();
    }
}

#[cfg(test)]
mod tests {
    use crate::hooks::WebhookEvent;

    #[test]
    fn events_have_the_names_that_they_are_written_by() {
        for event in [WebhookEvent::Begin, WebhookEvent::Test] {
            let written = serde_json::to_value(event).map(|value| value == event.name());
            assert!(written.is_ok_and(|is_same| is_same), "{event:?}");
        }
    }
}

//! What is sent to whom, when it is tried again, and what came of it; kept over restarts.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use plimsoll_store::private;
use plimsoll_text::Message;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use super::book::WebhookEvent;
use crate::desk::BothTexts;
use crate::now::text_of;

/// Deliveries that are kept: the oldest that are over go.
const MOST_DELIVERIES: usize = 500;
/// A longer file is not ours.
const MOST_BYTES: u64 = 64 << 20;
/// What is waited after each attempt that failed, seconds; after the last of them it is given up.
const WAITS_S: [i64; 5] = [10, 60, 300, 1_800, 7_200];

/// How far a delivery got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DeliveryState {
    /// It is tried, or tried again.
    Waits,
    /// It was taken.
    Delivered,
    /// It was refused, or may not be sent: it is not tried again.
    Refused,
    /// It was tried as often as it is.
    GivenUp,
}

/// A delivery.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub(crate) struct WebhookDelivery {
    /// Its number.
    pub delivery: u64,
    /// The webhook.
    pub webhook: String,
    /// What happened.
    pub event: WebhookEvent,
    /// The run.
    pub run: String,
    /// When that was, UTC.
    pub at: String,
    /// How far it got.
    pub state: DeliveryState,
    /// How often it was tried.
    pub attempts: u32,
    /// The status of the last response; null: there was none.
    pub status: Option<u16>,
    /// How the last response begins, without secrets; null: there was none.
    #[serde(default)]
    pub response: Option<String>,
    /// Why the last attempt failed; null: it did not.
    #[serde(deserialize_with = "reason_of_any_version")]
    pub reason: Option<BothTexts>,
    /// When it is tried next, UTC; null: not again.
    pub next: Option<String>,
}

/// A reason as it is kept; older versions kept it in English alone.
fn reason_of_any_version<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<BothTexts>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum ReasonKept {
        Both(BothTexts),
        One(String),
    }
    Ok(Option::deserialize(from)?.map(|kept| match kept {
        ReasonKept::Both(texts) => texts,
        ReasonKept::One(text) => BothTexts {
            en: text.clone(),
            zh: text,
        },
    }))
}

/// What a receiver says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReceiverResponse {
    pub status: u16,
    /// How its body begins, without secrets.
    pub text: String,
}

/// Why an attempt failed, with what the receiver says, if it says anything.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum SendFailure {
    /// It may be taken later.
    Later(Option<ReceiverResponse>, Message),
    /// It never is.
    Never(Option<ReceiverResponse>, Message),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct DeliveryKept {
    shown: WebhookDelivery,
    /// What is sent: the event, as JSON.
    body: String,
    next_s: Option<i64>,
}

/// All deliveries, the oldest first.
pub(super) struct DeliveryLog {
    path: PathBuf,
    kept: Mutex<Vec<DeliveryKept>>,
}

fn utc(unix_s: i64) -> String {
    text_of(u64::try_from(unix_s).unwrap_or(0))
}

impl DeliveryLog {
    /// Those of a workbench's own folder. What cannot be read is gone: runs are not kept from it.
    pub fn open(folder: &Path) -> Self {
        let path = folder.join("deliveries.json");
        let is_short = std::fs::metadata(&path).is_ok_and(|known| known.len() <= MOST_BYTES);
        let bytes = is_short.then(|| std::fs::read(&path).ok()).flatten();
        let kept = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Self {
            path,
            kept: Mutex::new(kept.unwrap_or_default()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<DeliveryKept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Vec<DeliveryKept>)) {
        let mut kept = self.lock();
        change(&mut kept);
        while kept.len() > MOST_DELIVERIES {
            let over = kept.iter().position(|it| it.next_s.is_none());
            kept.remove(over.unwrap_or(0));
        }
        // Where nothing can be written any more they are known as long as this process lives.
        let _ = serde_json::to_vec(&*kept)
            .map_err(std::io::Error::from)
            .and_then(|json| private::replace(&self.path, &json));
    }

    /// Something is to be sent, from now on.
    pub fn add(&self, webhook: &str, event: WebhookEvent, run: &str, body: String, now_s: i64) {
        self.enter(DeliveryKept::new(webhook, event, run, body, now_s));
    }

    /// Something was sent to see whether it arrives: once, whatever came of it. Gives its entry.
    pub fn tested(
        &self,
        webhook: &str,
        body: String,
        now_s: i64,
        sent: Result<ReceiverResponse, SendFailure>,
    ) -> WebhookDelivery {
        let mut one = DeliveryKept::new(webhook, WebhookEvent::Test, "", body, now_s);
        one.tried(sent, now_s);
        if one.next_s.take().is_some() {
            (one.shown.state, one.shown.next) = (DeliveryState::GivenUp, None);
        }
        self.enter(one)
    }

    fn enter(&self, mut one: DeliveryKept) -> WebhookDelivery {
        let mut shown = one.shown.clone();
        self.change(|kept| {
            let last = kept.iter().map(|it| it.shown.delivery).max();
            shown.delivery = last.unwrap_or(0) + 1;
            one.shown.delivery = shown.delivery;
            kept.push(one);
        });
        shown
    }

    /// Tries what is due, one after the other: webhook, delivery and body are given, the response comes back.
    pub fn turn(
        &self,
        now_s: i64,
        send: &mut dyn FnMut(&WebhookDelivery, &str) -> Result<ReceiverResponse, SendFailure>,
    ) {
        let is_due = |it: &&DeliveryKept| it.next_s.is_some_and(|next| next <= now_s);
        let due: Vec<DeliveryKept> = self.lock().iter().filter(is_due).cloned().collect();
        for mut one in due {
            let sent = send(&one.shown, &one.body);
            one.tried(sent, now_s);
            self.change(|kept| {
                let number = one.shown.delivery;
                if let Some(place) = kept.iter_mut().find(|it| it.shown.delivery == number) {
                    *place = one;
                }
            });
        }
    }

    /// Those of a webhook, the newest first.
    pub fn of(&self, webhook: &str) -> Vec<WebhookDelivery> {
        let kept = self.lock();
        let own = kept.iter().rev().filter(|it| it.shown.webhook == webhook);
        own.map(|it| it.shown.clone()).collect()
    }

    /// Nothing more is sent to a webhook that has gone.
    pub fn forget(&self, webhook: &str) {
        self.change(|kept| kept.retain(|it| it.shown.webhook != webhook));
    }
}

impl DeliveryKept {
    /// What is due at once; its number is given when it is entered.
    fn new(webhook: &str, event: WebhookEvent, run: &str, body: String, now_s: i64) -> Self {
        Self {
            shown: WebhookDelivery {
                delivery: 0,
                webhook: webhook.to_owned(),
                event,
                run: run.to_owned(),
                at: utc(now_s),
                state: DeliveryState::Waits,
                attempts: 0,
                status: None,
                response: None,
                reason: None,
                next: Some(utc(now_s)),
            },
            body,
            next_s: Some(now_s),
        }
    }

    fn tried(&mut self, sent: Result<ReceiverResponse, SendFailure>, now_s: i64) {
        let wait = WAITS_S.get(self.shown.attempts as usize);
        self.shown.attempts += 1;
        let (state, received, reason, next_s) = match sent {
            Ok(received) => (DeliveryState::Delivered, Some(received), None, None),
            Err(SendFailure::Never(received, reason)) => {
                (DeliveryState::Refused, received, Some(reason), None)
            }
            Err(SendFailure::Later(received, reason)) => match wait {
                Some(wait) => {
                    let next = Some(now_s + wait);
                    (DeliveryState::Waits, received, Some(reason), next)
                }
                None => (DeliveryState::GivenUp, received, Some(reason), None),
            },
        };
        let shown = &mut self.shown;
        shown.state = state;
        shown.status = received.as_ref().map(|received| received.status);
        shown.response = received.map(|received| received.text);
        shown.reason = reason.as_ref().map(BothTexts::of);
        shown.next = next_s.map(utc);
        self.next_s = next_s;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn received(status: u16) -> ReceiverResponse {
        ReceiverResponse {
            status,
            text: "<b>ok</b>".to_owned(),
        }
    }

    fn why() -> Message {
        Message::new("server-webhook-status").with("status", 503)
    }

    /// The moments at which something is tried, when it is looked each second.
    fn tried(
        log: &DeliveryLog,
        seconds: std::ops::Range<i64>,
        mut send: impl FnMut(u32) -> Result<ReceiverResponse, SendFailure>,
    ) -> Vec<i64> {
        let mut moments = Vec::new();
        for now_s in seconds {
            log.turn(now_s, &mut |of, body| {
                assert_eq!(body, "{}");
                moments.push(now_s);
                send(of.attempts)
            });
        }
        moments
    }

    #[test]
    fn what_fails_is_tried_again_ever_later_and_given_up() {
        let dir = tempfile::tempdir().unwrap();
        let log = DeliveryLog::open(dir.path());
        log.add("w1", WebhookEvent::End, "run", "{}".to_owned(), 1_000);
        let fails = |_| Err(SendFailure::Later(Some(received(503)), why()));
        assert_eq!(tried(&log, 1_000..1_050, fails), [1_000, 1_010]);
        // It goes on with who comes after this server.
        drop(log);
        let log = DeliveryLog::open(dir.path());
        assert_eq!(log.of("w1")[0].state, DeliveryState::Waits);
        assert_eq!(
            tried(&log, 1_050..20_000, fails),
            [1_070, 1_370, 3_170, 10_370]
        );
        let known = &log.of("w1")[0];
        assert_eq!(known.state, DeliveryState::GivenUp);
        assert_eq!(
            (known.attempts, known.status, &known.next),
            (6, Some(503), &None)
        );
    }

    #[test]
    fn what_is_taken_or_refused_is_over() {
        let dir = tempfile::tempdir().unwrap();
        let log = DeliveryLog::open(dir.path());
        log.add("w1", WebhookEvent::Begin, "a", "{}".to_owned(), 5);
        log.add("w2", WebhookEvent::Begin, "a", "{}".to_owned(), 5);
        let second = |attempts| match attempts {
            0 => Err(SendFailure::Later(None, why())),
            _ => Ok(received(200)),
        };
        assert_eq!(tried(&log, 5..100, second), [5, 5, 15, 15]);
        assert_eq!(log.of("w1")[0].state, DeliveryState::Delivered);
        log.add("w1", WebhookEvent::End, "a", "{}".to_owned(), 200);
        let never = |_| Err(SendFailure::Never(Some(received(400)), why()));
        assert_eq!(tried(&log, 200..9_999, never), [200]);
        assert_eq!(log.of("w1")[0].state, DeliveryState::Refused);
        assert_eq!(log.of("w1").len(), 2);
        for number in 0..600 {
            log.add("w3", WebhookEvent::End, "a", "{}".to_owned(), 300 + number);
        }
        assert_eq!(log.of("w3").len(), MOST_DELIVERIES);
        assert_eq!(log.of("w1"), [], "what is over goes first");
        log.forget("w3");
        assert_eq!(log.of("w3"), []);
    }

    #[test]
    fn a_test_is_sent_once_and_tells_what_came_back() {
        let dir = tempfile::tempdir().unwrap();
        let log = DeliveryLog::open(dir.path());
        for (sent, state, status) in [
            (Ok(received(200)), DeliveryState::Delivered, Some(200)),
            (
                Err(SendFailure::Later(Some(received(503)), why())),
                DeliveryState::GivenUp,
                Some(503),
            ),
            (
                Err(SendFailure::Never(None, why())),
                DeliveryState::Refused,
                None,
            ),
        ] {
            let told = log.tested("w1", "{}".to_owned(), 7, sent);
            assert_eq!((told.state, told.status, told.attempts), (state, status, 1));
            let text = status.map(|_| "<b>ok</b>".to_owned());
            assert_eq!((&told.response, &told.next), (&text, &None));
            assert_eq!(log.of("w1")[0], told, "the log has the same");
        }
        let again = tried(&log, 7..9_999, |_| Ok(received(200)));
        assert!(again.is_empty(), "nothing is tried again");
        let reason = log.of("w1")[0].reason.clone().unwrap();
        assert!(reason.en.contains("503") && reason.zh.contains("503") && reason.en != reason.zh);
    }

    #[test]
    fn a_log_of_an_older_version_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let old = r#"[{"shown":{"delivery":3,"webhook":"w1","event":"end","run":"r","at":"","state":"waits",
            "attempts":1,"status":503,"reason":"503 busy","next":null},"body":"{}","next_s":9}]"#;
        std::fs::write(dir.path().join("deliveries.json"), old).unwrap();
        let known = DeliveryLog::open(dir.path()).of("w1");
        assert_eq!(known[0].reason.as_ref().unwrap().zh, "503 busy");
    }
}

//! One connection that is kept: when it broke and came back, and trying again until then.

use std::collections::VecDeque;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_nats::jetstream::context::{RequestError, RequestErrorKind};
use async_nats::jetstream::response::Response;
use async_nats::jetstream::{self, ErrorCode};
use async_nats::{Client, Event};
use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::json;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout_at};

use crate::link::LinkError;

/// How long one response of JetStream is awaited before it is asked again.
pub(super) const RESPONSE: Duration = Duration::from_secs(5);

/// How long something that must be there may be missing: a copy that lags behind, a journal
/// whose servers are choosing a leader.
const SETTLING: Duration = Duration::from_secs(20);

const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// What the connection's events have told so far; shared with the callback that hears them.
#[derive(Clone, Default)]
pub(super) struct HeardEvents {
    /// How often a connection has been made, and whether one stands.
    state: watch::Sender<(u64, bool)>,
    /// What the server last said was forbidden.
    forbidden: Arc<Mutex<VecDeque<String>>>,
}

impl HeardEvents {
    pub(super) fn event(&self, event: &Event) {
        match event {
            Event::Connected => self.state.send_modify(|state| *state = (state.0 + 1, true)),
            Event::Disconnected | Event::Closed => self.state.send_modify(|state| state.1 = false),
            Event::ServerError(error) => {
                let mut forbidden = self
                    .forbidden
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                forbidden.push_back(error.to_string());
                if forbidden.len() > 32 {
                    forbidden.pop_front();
                }
            }
            _ => {}
        }
    }

    /// What the server has said about that subject, if it forbade it; about any that begins with
    /// it if it ends with a dot.
    fn forbade(&self, subject: &str) -> Option<String> {
        let mut quoted = format!("\"{subject}");
        if !subject.ends_with('.') {
            quoted.push('"');
        }
        let forbidden = self
            .forbidden
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        // Newer servers add the queue or the account behind the subject.
        let about = |said: &&String| said.contains("ermissions") && said.contains(&quoted);
        forbidden.iter().rev().find(about).cloned()
    }
}

/// Why an attempt was in vain.
pub(super) enum NatsTrouble {
    /// It may pass.
    Passing(String),
    /// It passes within seconds, or it is so.
    Gone,
    /// It will not pass.
    Lasting(LinkError),
}

/// The client, JetStream, and what has been heard of the connection.
#[derive(Clone)]
pub(super) struct NatsConnection {
    pub client: Client,
    pub jetstream: jetstream::Context,
    pub patience: Duration,
    heard: HeardEvents,
}

impl NatsConnection {
    /// Responds once the first connection has been told of.
    pub(super) async fn new(client: Client, heard: HeardEvents, patience: Duration) -> Self {
        let jetstream = jetstream::context::ContextBuilder::new()
            .timeout(RESPONSE)
            .ack_timeout(RESPONSE)
            .build(client.clone());
        let connection = Self {
            client,
            jetstream,
            patience,
            heard,
        };
        let mut state = connection.heard.state.subscribe();
        // The sender lives in `heard`.
        let _ = state.wait_for(|state| state.0 > 0).await;
        connection
    }

    /// Whether a connection stands, as far as is known.
    pub(super) fn stands(&self) -> bool {
        self.client.connection_state() == async_nats::connection::State::Connected
    }

    /// The number of the last connection that was made.
    pub(super) fn number(&self) -> u64 {
        self.heard.state.borrow().0
    }

    /// Waits for a connection; its number. Nothing if there is none in time.
    pub(super) async fn standing(&self, until: Instant) -> Option<u64> {
        let mut state = self.heard.state.subscribe();
        let number = timeout_at(until, state.wait_for(|state| state.1))
            .await
            .ok()?
            .ok()?
            .0;
        Some(number)
    }

    /// Waits until another connection than that one was made.
    pub(super) async fn replaced(&self, number: u64) {
        let mut state = self.heard.state.subscribe();
        let _ = state.wait_for(|state| state.0 > number).await;
    }

    /// Tries until it works, it will not work, or patience is over. An attempt is given up, and
    /// made again, when the connection is replaced.
    pub(super) async fn persist<T, F>(
        &self,
        what: &str,
        mut attempt: impl FnMut() -> F,
    ) -> Result<T, LinkError>
    where
        F: Future<Output = Result<T, NatsTrouble>> + Send,
    {
        let begun = Instant::now();
        let until = begun + self.patience;
        let mut pause = FIRST_PAUSE;
        let mut last = None;
        let mut gone_since = None;
        loop {
            let Some(number) = self.standing(until).await else {
                return Err(LinkError::TimedOut {
                    what: what.to_owned(),
                    waited: begun.elapsed(),
                });
            };
            let tried = tokio::select! {
                tried = attempt() => tried,
                () = self.replaced(number) => Err(NatsTrouble::Passing("the connection broke".to_owned())),
            };
            match tried {
                Ok(done) => return Ok(done),
                Err(NatsTrouble::Lasting(error)) => return Err(error),
                Err(NatsTrouble::Passing(reason)) => {
                    last = Some(reason);
                    gone_since = None;
                }
                Err(NatsTrouble::Gone) => {
                    if gone_since.get_or_insert_with(Instant::now).elapsed() >= SETTLING {
                        return Err(LinkError::Missing {
                            what: what.to_owned(),
                        });
                    }
                }
            }
            if Instant::now() + pause >= until {
                return Err(match last {
                    Some(reason) => LinkError::Failed {
                        what: what.to_owned(),
                        reason,
                    },
                    None => LinkError::Missing {
                        what: what.to_owned(),
                    },
                });
            }
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Asks JetStream's interface something that has no details.
    pub(super) async fn plain_api(&self, what: &str, subject: &str) -> Result<(), LinkError> {
        let response: Result<IgnoredAny, _> = self.api(what, subject, &json!({})).await;
        response.map(|_| ())
    }

    /// Asks JetStream's interface, as often as it takes.
    pub(super) async fn api<T: DeserializeOwned>(
        &self,
        what: &str,
        subject: &str,
        question: &(impl Serialize + Sync),
    ) -> Result<T, LinkError> {
        self.persist(what, || async move {
            match self.jetstream.request(subject.to_owned(), question).await {
                Ok(Response::Ok(response)) => Ok(response),
                Ok(Response::Err { error }) if NO_ROOM.contains(&error.error_code()) => {
                    Err(NatsTrouble::Lasting(refused(what, &error)))
                }
                Ok(Response::Err { error }) => Err(trouble(what, &error)),
                Err(error) => Err(self.no_response(what, &format!("$JS.API.{subject}"), &error)),
            }
        })
        .await
    }

    /// An attempt to ask that brought no response.
    pub(super) fn no_response(
        &self,
        what: &str,
        subject: &str,
        error: &RequestError,
    ) -> NatsTrouble {
        if let Some(reason) = self.heard.forbade(subject) {
            return NatsTrouble::Lasting(LinkError::Refused {
                what: what.to_owned(),
                reason,
            });
        }
        match error.kind() {
            RequestErrorKind::NoResponders => {
                NatsTrouble::Passing("JetStream does not response".to_owned())
            }
            _ => NatsTrouble::Passing(error.to_string()),
        }
    }

    /// What the server forbade, if it forbade this subject.
    pub(super) fn refused(&self, what: &str, subject: &str) -> Option<LinkError> {
        let reason = self.heard.forbade(subject)?;
        Some(LinkError::Refused {
            what: what.to_owned(),
            reason,
        })
    }
}

/// Too few servers or too little room for what is to be made; not for what is to be stored in it.
const NO_ROOM: [ErrorCode; 3] = [
    ErrorCode::CLUSTER_NO_PEERS,
    ErrorCode::INSUFFICIENT_RESOURCES,
    ErrorCode::STREAM_REPLICAS_NOT_SUPPORTED,
];

/// What JetStream's refusal means: servers that are choosing a leader and full disks may pass.
pub(super) fn trouble(what: &str, error: &jetstream::Error) -> NatsTrouble {
    match error.error_code() {
        ErrorCode::JETSTREAM_NOT_ENABLED | ErrorCode::JETSTREAM_NOT_ENABLED_FOR_ACCOUNT => {
            NatsTrouble::Lasting(refused(what, error))
        }
        _ => match error.code() {
            404 => NatsTrouble::Lasting(LinkError::Missing {
                what: what.to_owned(),
            }),
            500.. => NatsTrouble::Passing(error.to_string()),
            _ => NatsTrouble::Lasting(refused(what, error)),
        },
    }
}

fn refused(what: &str, error: &jetstream::Error) -> LinkError {
    LinkError::Refused {
        what: what.to_owned(),
        reason: error.to_string(),
    }
}

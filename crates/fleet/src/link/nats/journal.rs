//! A journal as a stream: one subject for each writer, the writer's number as the message's id.
//!
//! The reader's consumer is one without acknowledgements that the reader makes anew, behind the
//! last entry it had, whenever anything is in doubt: the connection was replaced, a number of the
//! consumer is left out, the server is silent. So entries come in order, once, and at once after
//! an outage. What is acknowledged is removed from the stream: what is in it is what is not
//! acknowledged.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, Consumer, DeliverPolicy, pull};
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::ConsumerErrorKind;
use async_nats::jetstream::{self, ErrorCode};
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::future::try_join_all;
use serde::de::IgnoredAny;
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::sleep;

use super::connection::{NatsConnection, NatsTrouble, trouble};
use super::names::NatsNames;
use crate::link::{JournalEntry, LinkError, LinkJournal, Response, subject};

/// How often the server must show the reader that its consumer lives.
const HEARTBEAT: Duration = Duration::from_secs(1);

/// How long a request for entries stands.
const PULL: Duration = Duration::from_secs(30);

/// Entries asked for at a time.
const BATCH: usize = 1000;

/// After this time without a reader the server forgets its consumer.
const FORGOTTEN: Duration = Duration::from_secs(60);

/// Single removals under way at a time.
const REMOVALS: usize = 64;

pub(super) struct NatsJournal {
    connection: NatsConnection,
    names: NatsNames,
    read: Arc<Mutex<JournalRead>>,
}

/// What this reader was given and has not acknowledged, and up to where all is removed.
#[derive(Default)]
struct JournalRead {
    open: BTreeSet<u64>,
    last: u64,
    removed: u64,
}

impl JournalRead {
    /// The places up to which nothing is open.
    fn done(&self) -> u64 {
        self.open.first().map_or(self.last, |first| first - 1)
    }
}

impl NatsJournal {
    pub(super) fn new(connection: NatsConnection, names: NatsNames) -> Self {
        Self {
            connection,
            names,
            read: Arc::default(),
        }
    }

    fn read_state(&self) -> MutexGuard<'_, JournalRead> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn append_once(
        &self,
        subject: &str,
        id: &str,
        payload: Bytes,
    ) -> Result<(), NatsTrouble> {
        let run = &self.names.run;
        let message = PublishMessage::build().payload(payload).message_id(id);
        let sent = self
            .connection
            .jetstream
            .send_publish(subject.to_owned(), message)
            .await;
        let stored = match sent {
            Ok(stored) => stored.await,
            Err(error) => Err(error),
        };
        let error = match stored {
            Ok(_) => return Ok(()),
            Err(error) => error,
        };
        if let Some(refused) = self.connection.refused(run, subject) {
            return Err(NatsTrouble::Lasting(refused));
        }
        let reason = |error: &dyn std::error::Error| match error.source() {
            Some(source) => source.to_string(),
            None => error.to_string(),
        };
        Err(match error.kind() {
            // Nobody takes the subject: there is no such stream, or it has no leader now.
            PublishErrorKind::StreamNotFound => NatsTrouble::Gone,
            PublishErrorKind::MaxPayloadExceeded => NatsTrouble::Lasting(LinkError::Refused {
                what: run.clone(),
                reason: reason(&error),
            }),
            _ => match std::error::Error::source(&error)
                .and_then(|source| source.downcast_ref::<jetstream::Error>())
            {
                Some(said) => trouble(run, said),
                None => NatsTrouble::Passing(reason(&error)),
            },
        })
    }

    /// Removes everything up to a place.
    async fn remove_up_to(&self, place: u64) -> Result<(), LinkError> {
        let purge = format!("STREAM.PURGE.{}", self.names.stream);
        let _: IgnoredAny = self
            .connection
            .api(&self.names.run, &purge, &json!({ "seq": place + 1 }))
            .await?;
        let mut read = self.read_state();
        read.removed = read.removed.max(place);
        Ok(())
    }

    async fn remove_one(&self, place: u64) -> Result<(), LinkError> {
        let delete = format!("STREAM.MSG.DELETE.{}", self.names.stream);
        let question = json!({ "seq": place, "no_erase": true });
        // One that is gone already is refused, in words that differ between servers.
        let gone: Result<IgnoredAny, _> = self
            .connection
            .api(&self.names.run, &delete, &question)
            .await;
        match gone {
            Ok(_) | Err(LinkError::Missing { .. } | LinkError::Refused { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

impl LinkJournal for NatsJournal {
    fn append<'a>(&'a self, writer: &'a str, number: u64, payload: Bytes) -> Response<'a, ()> {
        Box::pin(async move {
            subject::check_token(writer)?;
            let subject = format!("{}.{writer}", self.names.subjects);
            let id = format!("{writer}.{number}");
            self.connection
                .persist(&self.names.run, || {
                    self.append_once(&subject, &id, payload.clone())
                })
                .await
        })
    }

    fn read(&self) -> Response<'_, mpsc::Receiver<JournalEntry>> {
        Box::pin(async move {
            let info = format!("STREAM.INFO.{}", self.names.stream);
            self.connection.plain_api(&self.names.run, &info).await?;
            let (out, entries) = mpsc::channel(BATCH);
            let reader = JournalReader {
                connection: self.connection.clone(),
                names: self.names.clone(),
                read: Arc::clone(&self.read),
                out,
                last: 0,
                numbers: HashMap::new(),
            };
            tokio::spawn(reader.run());
            Ok(entries)
        })
    }

    fn acknowledge<'a>(&'a self, places: &'a [u64]) -> Response<'a, ()> {
        Box::pin(async move {
            let (done, removed) = {
                let mut read = self.read_state();
                for place in places {
                    read.open.remove(place);
                }
                (read.done(), read.removed)
            };
            if done > removed {
                self.remove_up_to(done).await?;
            }
            let single: Vec<u64> = places
                .iter()
                .copied()
                .filter(|place| *place > done.max(removed))
                .collect();
            for some in single.chunks(REMOVALS) {
                try_join_all(some.iter().map(|place| self.remove_one(*place))).await?;
            }
            Ok(())
        })
    }
}

/// Hands on entries until nobody wants them or the journal is removed.
struct JournalReader {
    connection: NatsConnection,
    names: NatsNames,
    read: Arc<Mutex<JournalRead>>,
    out: mpsc::Sender<JournalEntry>,
    last: u64,
    numbers: HashMap<String, HandedNumbers>,
}

/// Numbers of one writer that were handed on. An entry that was acknowledged before its writer
/// heard that it was stored may be in the journal again.
#[derive(Default)]
struct HandedNumbers {
    /// All up to this one.
    up_to: u64,
    above: BTreeSet<u64>,
}

impl HandedNumbers {
    /// Whether it is new.
    fn insert(&mut self, number: u64) -> bool {
        let new = number > self.up_to && self.above.insert(number);
        while self.above.remove(&(self.up_to + 1)) {
            self.up_to += 1;
        }
        new
    }
}

/// Why a reader stopped with one consumer.
enum ConsumerStop {
    /// It takes another one.
    InDoubt,
    /// It is over.
    Over,
}

impl JournalReader {
    async fn run(mut self) {
        let mut pause = Duration::ZERO;
        loop {
            let before = self.last;
            let out = self.out.clone();
            let stopped = tokio::select! {
                stopped = self.with_one_consumer() => stopped,
                () = out.closed() => ConsumerStop::Over,
            };
            if matches!(stopped, ConsumerStop::Over) {
                return;
            }
            pause = if self.last > before {
                Duration::ZERO
            } else {
                (pause * 2).clamp(Duration::from_millis(50), Duration::from_secs(1))
            };
            sleep(pause).await;
        }
    }

    async fn with_one_consumer(&mut self) -> ConsumerStop {
        let until = tokio::time::Instant::now() + self.connection.patience;
        let Some(number) = self.connection.standing(until).await else {
            return ConsumerStop::InDoubt;
        };
        let consumer = match self.consumer().await {
            Ok(consumer) => consumer,
            Err(stopped) => return stopped,
        };
        let stopped = self.pass_on(&consumer, number).await;
        let name = consumer.cached_info().name.clone();
        let jetstream = self.connection.jetstream.clone();
        let stream = self.names.stream.clone();
        // Not waited for: if it fails the server forgets the consumer by itself.
        tokio::spawn(async move { jetstream.delete_consumer_from_stream(name, stream).await });
        stopped
    }

    /// A consumer of what comes after the last entry.
    async fn consumer(&self) -> Result<Consumer<pull::Config>, ConsumerStop> {
        let config = pull::Config {
            deliver_policy: match self.last {
                0 => DeliverPolicy::All,
                last => DeliverPolicy::ByStartSequence {
                    start_sequence: last + 1,
                },
            },
            ack_policy: AckPolicy::None,
            inactive_threshold: FORGOTTEN,
            memory_storage: true,
            num_replicas: 1,
            ..pull::Config::default()
        };
        let made = self
            .connection
            .jetstream
            .create_consumer_on_stream(config, self.names.stream.clone())
            .await;
        made.map_err(|error| match error.kind() {
            ConsumerErrorKind::JetStream(said)
                if said.error_code() == ErrorCode::STREAM_NOT_FOUND =>
            {
                ConsumerStop::Over
            }
            _ => ConsumerStop::InDoubt,
        })
    }

    async fn pass_on(&mut self, consumer: &Consumer<pull::Config>, number: u64) -> ConsumerStop {
        let messages = consumer
            .stream()
            .max_messages_per_batch(BATCH)
            .expires(PULL)
            .heartbeat(HEARTBEAT)
            .messages()
            .await;
        let Ok(mut messages) = messages else {
            return ConsumerStop::InDoubt;
        };
        let connection = self.connection.clone();
        let mut delivered = 0;
        loop {
            let next = tokio::select! {
                next = messages.next() => next,
                () = connection.replaced(number) => None,
            };
            let Some(Ok(message)) = next else {
                return ConsumerStop::InDoubt;
            };
            let Ok(info) = message.info() else {
                return ConsumerStop::InDoubt;
            };
            delivered += 1;
            if info.consumer_sequence != delivered {
                return ConsumerStop::InDoubt;
            }
            let place = info.stream_sequence;
            if place <= self.last {
                continue;
            }
            self.last = place;
            // Whatever else somebody published there is no entry.
            let entry = entry(place, &message).filter(|entry| {
                let numbers = self.numbers.entry(entry.writer.clone()).or_default();
                numbers.insert(entry.number)
            });
            {
                let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
                read.last = place;
                if entry.is_some() {
                    read.open.insert(place);
                }
            }
            if let Some(entry) = entry
                && self.out.send(entry).await.is_err()
            {
                return ConsumerStop::Over;
            }
        }
    }
}

fn entry(place: u64, message: &async_nats::Message) -> Option<JournalEntry> {
    let id = message
        .headers
        .as_ref()?
        .get(async_nats::header::NATS_MESSAGE_ID)?;
    let (writer, number) = id.as_str().rsplit_once('.')?;
    Some(JournalEntry {
        place,
        writer: writer.to_owned(),
        number: number.parse().ok()?,
        payload: message.payload.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_new_once() {
        let mut numbers = HandedNumbers::default();
        for (number, new) in [
            (1, true),
            (1, false),
            (3, true),
            (2, true),
            (3, false),
            (2, false),
            (9, true),
        ] {
            assert_eq!(numbers.insert(number), new, "{number}");
        }
        assert_eq!((numbers.up_to, numbers.above.len()), (3, 1));
    }
}

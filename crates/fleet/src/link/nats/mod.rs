//! The link over NATS: subjects as they are, a journal as a stream of JetStream, objects in its
//! object store. It uses nothing that nats-server 2.9 has not.

mod connect;
mod connection;
mod error;
mod journal;
mod names;
mod objects;
mod options;

use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::stream;
use async_nats::{Request, RequestErrorKind};
use bytes::Bytes;
use futures_util::StreamExt;
use serde::de::IgnoredAny;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

use self::connection::NatsConnection;
use self::journal::NatsJournal;
use self::names::NatsNames;
use self::objects::NatsObjects;
use super::{Link, LinkError, LinkJournal, LinkMessage, Objects, Response, Subscription, subject};

pub use error::ConnectError;
pub use options::{NatsOptions, Secret, VARIABLES};

/// Within this a repeated append is known by its number, even if the server was restarted. The
/// server keeps the numbers in memory.
const DUPLICATES: Duration = Duration::from_secs(600);

/// How long a server that must not be asked is waited for.
const PROCESSED: Duration = Duration::from_secs(2);

/// How long a cluster may have too few servers for three copies before one must do.
const PEERS: Duration = Duration::from_secs(5);

/// One connection to NATS. It is made again whenever it breaks, for as long as this lives.
#[derive(Clone)]
pub struct NatsLink {
    connection: NatsConnection,
    prefix: String,
    replicas: usize,
}

impl NatsLink {
    /// Connects; the tasks of the connection run in tokio's current runtime.
    ///
    /// # Errors
    /// At once if it does not work: an address that makes no sense or leads nowhere, credentials
    /// that are refused, a certificate that is not trusted, a server without JetStream.
    pub async fn connect(options: &NatsOptions) -> Result<Self, ConnectError> {
        let checked = options.checked()?;
        let prefix = checked.options.prefix.clone();
        let connection = connect::connect(checked).await?;
        let replicas = if connect::in_cluster(&connection.client) {
            3
        } else {
            1
        };
        Ok(Self {
            connection,
            prefix,
            replicas,
        })
    }

    /// The version of the server, as it says.
    #[must_use]
    pub fn server_version(&self) -> String {
        self.connection.client.server_info().version
    }

    fn full(&self, subject: &str) -> String {
        format!("{}.{subject}", self.prefix)
    }

    fn names(&self, run: &str) -> Result<NatsNames, LinkError> {
        subject::check_token(run)?;
        let prefix = self.prefix.replace('.', "_");
        Ok(NatsNames {
            run: run.to_owned(),
            subjects: self.full(&format!("journal.{run}")),
            stream: format!("{prefix}_journal_{run}"),
            bucket: format!("{prefix}_{run}"),
        })
    }

    async fn ask(&self, on: &str, payload: Bytes, wait: Duration) -> Result<Bytes, LinkError> {
        let until = Instant::now() + wait;
        let timed_out = || LinkError::TimedOut {
            what: on.to_owned(),
            waited: wait,
        };
        loop {
            let number = self
                .connection
                .standing(until)
                .await
                .ok_or_else(timed_out)?;
            let left = until.saturating_duration_since(Instant::now());
            let request = Request::new().payload(payload.clone()).timeout(Some(left));
            let response = tokio::select! {
                response = self.connection.client.send_request(self.full(on), request) => response,
                // What was sent on the connection that broke may be lost.
                () = self.connection.replaced(number) => continue,
            };
            return match response {
                Ok(response) => Ok(response.payload),
                Err(error) => Err(match error.kind() {
                    RequestErrorKind::NoResponders => LinkError::Nobody {
                        subject: on.to_owned(),
                    },
                    RequestErrorKind::TimedOut => self
                        .connection
                        .refused(on, &self.full(on))
                        .unwrap_or_else(timed_out),
                    _ => failed(on, &error),
                }),
            };
        }
    }

    async fn make(&self, names: &NatsNames) -> Result<(), LinkError> {
        let journal = stream::Config {
            name: names.stream.clone(),
            subjects: vec![format!("{}.*", names.subjects)],
            discard: stream::DiscardPolicy::New,
            duplicate_window: DUPLICATES,
            ..stream::Config::default()
        };
        // What async-nats itself makes of an object store; its own call tries only once.
        let store = stream::Config {
            name: names.store(),
            subjects: vec![
                format!("$O.{}.C.>", names.bucket),
                format!("$O.{}.M.>", names.bucket),
            ],
            discard: stream::DiscardPolicy::New,
            allow_rollup: true,
            allow_direct: true,
            ..stream::Config::default()
        };
        self.make_stream(&names.run, journal).await?;
        self.make_stream(&names.run, store).await
    }

    /// Makes a stream if it is not there, with three copies if there are servers for them.
    async fn make_stream(&self, run: &str, config: stream::Config) -> Result<(), LinkError> {
        let info = format!("STREAM.INFO.{}", config.name);
        match self.connection.plain_api(run, &info).await {
            Err(LinkError::Missing { .. }) => {}
            other => return other,
        }
        let create = format!("STREAM.CREATE.{}", config.name);
        let mut config = config;
        config.num_replicas = self.replicas;
        let until = Instant::now() + PEERS;
        loop {
            let made: Result<IgnoredAny, _> = self.connection.api(run, &create, &config).await;
            match made {
                Err(LinkError::Refused { .. }) if config.num_replicas > 1 => {
                    // Servers of a cluster that has just begun may not know each other yet.
                    if Instant::now() < until {
                        sleep(Duration::from_millis(250)).await;
                    } else {
                        config.num_replicas = 1;
                    }
                }
                other => return other.map(|_| ()),
            }
        }
    }

    /// Waits until the server has processed what was sent before: it responds in order, and at once
    /// that nobody listens to a new inbox. While there is no connection nothing is waited for.
    async fn until_processed(&self) {
        if self.connection.stands() {
            let client = &self.connection.client;
            let request = Request::new().timeout(Some(PROCESSED));
            let _ = client.send_request(client.new_inbox(), request).await;
        }
    }

    async fn listen(&self, pattern: &str) -> Result<Subscription, LinkError> {
        let full = self.full(pattern);
        let client = &self.connection.client;
        let mut incoming = client
            .subscribe(full.clone())
            .await
            .map_err(|error| failed(pattern, &error))?;
        self.until_processed().await;
        let (out, subscription) = mpsc::channel(1024);
        let skip = self.prefix.len() + 1;
        tokio::spawn(async move {
            loop {
                let next = tokio::select! {
                    next = incoming.next() => next,
                    () = out.closed() => None,
                };
                let Some(message) = next else { break };
                let message = LinkMessage {
                    subject: message.subject.get(skip..).unwrap_or_default().to_owned(),
                    reply: message.reply.map(|reply| reply.to_string()),
                    payload: message.payload,
                };
                if out.send(message).await.is_err() {
                    break;
                }
            }
            let _ = incoming.unsubscribe().await;
        });
        Ok(subscription)
    }
}

fn failed(what: &str, error: &dyn std::error::Error) -> LinkError {
    LinkError::Failed {
        what: what.to_owned(),
        reason: error.to_string(),
    }
}

impl Link for NatsLink {
    fn publish<'a>(&'a self, subject: &'a str, payload: Bytes) -> Response<'a, ()> {
        Box::pin(async move {
            // Responses go to inboxes of NATS, which have no prefix of ours.
            subject::check(subject)?;
            let full = if subject.starts_with("_INBOX.") {
                subject.to_owned()
            } else {
                self.full(subject)
            };
            if !self.connection.stands() {
                return Err(LinkError::Failed {
                    what: subject.to_owned(),
                    reason: "there is no connection".to_owned(),
                });
            }
            let published = self.connection.client.publish(full, payload).await;
            published.map_err(|error| failed(subject, &error))
        })
    }

    fn subscribe<'a>(&'a self, subject: &'a str) -> Response<'a, Subscription> {
        Box::pin(async move {
            subject::check_pattern(subject)?;
            self.listen(subject).await
        })
    }

    fn request<'a>(
        &'a self,
        subject: &'a str,
        payload: Bytes,
        wait: Duration,
    ) -> Response<'a, Bytes> {
        Box::pin(async move {
            subject::check(subject)?;
            self.ask(subject, payload, wait).await
        })
    }

    fn make_run<'a>(&'a self, run: &'a str) -> Response<'a, ()> {
        Box::pin(async move { self.make(&self.names(run)?).await })
    }

    fn remove_run<'a>(&'a self, run: &'a str) -> Response<'a, ()> {
        Box::pin(async move {
            let names = self.names(run)?;
            for stream in [names.stream.clone(), names.store()] {
                let delete = format!("STREAM.DELETE.{stream}");
                match self.connection.plain_api(run, &delete).await {
                    Ok(()) | Err(LinkError::Missing { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        })
    }

    fn journal<'a>(&'a self, run: &'a str) -> Response<'a, Arc<dyn LinkJournal>> {
        Box::pin(async move {
            let journal: Arc<dyn LinkJournal> =
                Arc::new(NatsJournal::new(self.connection.clone(), self.names(run)?));
            Ok(journal)
        })
    }

    fn objects<'a>(&'a self, run: &'a str) -> Response<'a, Arc<dyn Objects>> {
        Box::pin(async move {
            let objects: Arc<dyn Objects> = Arc::new(NatsObjects {
                connection: self.connection.clone(),
                names: self.names(run)?,
            });
            Ok(objects)
        })
    }

    fn connections(&self) -> u64 {
        self.connection.number()
    }
}

//! Redis and its like (Valkey, KeyDB): INFO, commands, latency, clients, slow log.
//!
//! The client is our own: a reply is read up to a limit only, which no library offers.

pub(crate) mod connection;
pub(crate) mod info;
pub(crate) mod resp;

use std::sync::Arc;
use std::time::{Duration, Instant};

use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use self::connection::{RedisAddress, RedisConnection};
use self::resp::Reply;
use crate::captures::redis_slowlog::RedisSlowlog;
use crate::captures::server_report::ServerReportCapture;
use crate::collector::{Collector, Look, Pending, Trouble};
use crate::collectors::entities::host_of;
use crate::names::redis as names;
use crate::source::{Opened, Spec};

/// What is dearer is asked for this often.
const SLOW_PERIOD: Duration = Duration::from_secs(5);
/// Settings change seldom.
const SETTINGS_PERIOD: Duration = Duration::from_secs(60);
/// A list of more clients is not asked for.
const MAX_CLIENTS: f64 = 2_000.0;

/// Settings that are facts.
const SETTINGS: &[&str] = &[
    "maxclients",
    "maxmemory",
    "maxmemory-policy",
    "timeout",
    "tcp-backlog",
    "tcp-keepalive",
    "io-threads",
    "appendonly",
    "appendfsync",
    "save",
    "databases",
    "hz",
    "slowlog-log-slower-than",
    "latency-monitor-threshold",
    "client-output-buffer-limit",
    "lazyfree-lazy-eviction",
    "activedefrag",
];

/// Opens a server by `host:port` or the path of its Unix socket.
pub(crate) fn open(spec: &Spec) -> Result<Opened, Trouble> {
    let address = RedisAddress::of(spec)?;
    let port = address.authority.rsplit(':').next().unwrap_or("6379");
    let name = spec.options.get("name").cloned();
    let name = name.unwrap_or_else(|| format!("redis:{port}"));
    let entity = Entity::new(EntityKind::Cache, name, host_of(spec, &address.authority));
    let connection = || RedisConnection::new(address.clone());
    Ok(Opened {
        collectors: vec![
            Box::new(RedisStatus {
                connection: connection(),
                entity: Arc::clone(&entity),
            }),
            Box::new(Details {
                connection: connection(),
                entity: Arc::clone(&entity),
                settings_at: None,
                last_slow: None,
            }),
        ],
        captures: vec![ServerReportCapture::boxed(
            RedisSlowlog::new(connection()),
            &entity,
        )],
    })
}

/// Says how many commands were slow: entries are numbered from 0 since the start, also those behind a reset, so that
/// where there is none nobody knows. `known`: the last number that was seen.
pub(crate) fn tell_slow(
    log: Option<&Reply>,
    known: &mut Option<i64>,
    entity: &Arc<Entity>,
    look: &mut Look,
) {
    let last = log.and_then(|list| list.list().first()?.list().first()?.number());
    *known = last.or(*known);
    #[expect(clippy::cast_precision_loss, reason = "a number of commands")]
    if let Some(last) = *known {
        look.value(entity, &names::SLOW, &[], last as f64 + 1.0);
    }
}

/// Every second.
struct RedisStatus {
    connection: RedisConnection,
    entity: Arc<Entity>,
}

impl Collector for RedisStatus {
    fn about(&self) -> String {
        format!("redis {}", self.connection.shown())
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(async move {
            let replies = self.connection.ask(&[&["INFO", "all"]]).await?;
            let text = replies.first().map(Reply::text).unwrap_or_default();
            info::tell(&text, &self.entity, look);
            Ok(())
        })
    }
}

/// The slow log, buffers of clients, settings.
struct Details {
    connection: RedisConnection,
    entity: Arc<Entity>,
    settings_at: Option<Instant>,
    /// The number of the last slow command that was seen.
    last_slow: Option<i64>,
}

impl Details {
    async fn look(&mut self, look: &mut Look) -> Result<(), Trouble> {
        let commands: [&[&str]; 2] = [&["INFO", "clients"], &["SLOWLOG", "GET", "1"]];
        let replies = self.connection.ask(&commands).await?;
        match replies.get(1) {
            Some(Reply::Error(error)) => self.refused("SLOWLOG", error, look),
            log => tell_slow(log, &mut self.last_slow, &self.entity, look),
        }
        let clients = replies.first().map(Reply::text).unwrap_or_default();
        if info::number(&clients, "connected_clients").is_some_and(|count| count <= MAX_CLIENTS) {
            self.clients(look).await?;
        }
        let due = |at: Instant| at.elapsed() >= SETTINGS_PERIOD;
        if self.settings_at.is_none_or(due) {
            self.settings(look).await?;
            self.settings_at = Some(Instant::now());
        }
        Ok(())
    }

    /// Output buffers: what was answered and not yet fetched.
    async fn clients(&mut self, look: &mut Look) -> Result<(), Trouble> {
        let replies = self
            .connection
            .ask(&[&["PING"], &["CLIENT", "LIST"]])
            .await?;
        match replies.get(1) {
            Some(Reply::Text(text)) => {
                let words = text.split_ascii_whitespace();
                let sizes =
                    words.filter_map(|word| word.strip_prefix("omem=")?.parse::<f64>().ok());
                let (sum, max) = sizes.fold((0.0, 0.0_f64), |(sum, max), size| {
                    (sum + size, max.max(size))
                });
                look.value(&self.entity, &names::OUTPUT, &[], sum);
                look.value(&self.entity, &names::MAX_OUTPUT, &[], max);
            }
            Some(Reply::Error(error)) => self.refused("CLIENT LIST", error, look),
            _ => {}
        }
        Ok(())
    }

    async fn settings(&mut self, look: &mut Look) -> Result<(), Trouble> {
        let asked: Vec<[&str; 3]> = SETTINGS
            .iter()
            .map(|name| ["CONFIG", "GET", name])
            .collect();
        let ping: &[&str] = &["PING"];
        let commands: Vec<&[&str]> = std::iter::once(ping)
            .chain(asked.iter().map(<[&str; 3]>::as_slice))
            .collect();
        for reply in self.connection.ask(&commands).await?.iter().skip(1) {
            match (reply, reply.list()) {
                (Reply::Error(error), _) => {
                    self.refused("CONFIG GET", error, look);
                    return Ok(());
                }
                (_, [name, value]) => {
                    let (name, value) = (name.text(), value.text());
                    let value = plimsoll_secrets::value(&name, &value).into_owned();
                    look.fact(&self.entity, format!("redis.{name}"), value);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn refused(&self, command: &str, error: &str, look: &mut Look) {
        let message = Message::new("watch-redis-refused")
            .with("address", self.connection.shown())
            .with("command", command)
            .with("reason", error);
        look.missing(&self.entity, message);
    }
}

impl Collector for Details {
    fn about(&self) -> String {
        format!("redis details {}", self.connection.shown())
    }

    fn period(&self) -> Duration {
        SLOW_PERIOD
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(self.look(look))
    }
}

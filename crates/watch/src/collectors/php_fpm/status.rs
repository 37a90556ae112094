//! The status of a pool, by FastCGI or by HTTP.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_stats::series::Entity;
use plimsoll_text::Message;
use serde_json::Value;

use crate::collector::{Collector, Look, Pending, Trouble};
use crate::collectors::places::SocketPlace;
use crate::fastcgi;
use crate::http::OriginClient;
use crate::names::SeriesName;
use crate::names::php_fpm as names;

/// A status that takes longer comes too late.
const LIMIT: Duration = Duration::from_secs(4);
/// A pool's name is cut to this.
const MAX_NAME: usize = 100;

/// Looks at a pool by its own socket.
pub(super) struct PoolStatus {
    pub(super) entity: Arc<Entity>,
    pub(super) place: SocketPlace,
    /// Its `pm.status_path`.
    pub(super) path: String,
    /// Where it is said whether connections wait.
    pub(super) has_queue: bool,
}

impl PoolStatus {
    pub(super) fn new(entity: Arc<Entity>, place: SocketPlace, path: String) -> Self {
        let has_queue = matches!(place, SocketPlace::Tcp(..));
        Self {
            entity,
            place,
            path,
            has_queue,
        }
    }

    async fn look(&mut self, look: &mut Look) -> Result<(), Trouble> {
        let asked = async { fastcgi::get(self.place.connect().await?, &self.path, "json").await };
        let page = match tokio::time::timeout(LIMIT, asked).await {
            Ok(Ok(page)) => page,
            Ok(Err(error)) if error.kind() == io::ErrorKind::WouldBlock => return Err(self.busy()),
            Ok(Err(error)) => {
                let message = Message::new("watch-server-unreachable");
                return Err(self.trouble(message.with("reason", error.to_string())));
            }
            Err(_) => return Err(self.busy()),
        };
        let (head, body) = parts(&page);
        if tell(body, self.has_queue, &self.entity, look).is_none() {
            let message = Message::new("watch-php-fpm-no-status");
            return Err(self.trouble(message.with("path", self.path.as_str())));
        }
        let version = head
            .lines()
            .find_map(|line| line.strip_prefix("X-Powered-By: PHP/"));
        if let Some(version) = version {
            let version: String = version.chars().take(MAX_NAME).collect();
            look.fact(&self.entity, "php_fpm.php_version", version);
        }
        Ok(())
    }

    /// Its status is a request like any other, which waits while all processes serve.
    fn busy(&self) -> Trouble {
        let message = Message::new("watch-php-fpm-busy");
        self.trouble(message.with("seconds", LIMIT.as_secs()))
    }

    fn trouble(&self, message: Message) -> Trouble {
        Trouble::new(message.with("address", self.place.shown()))
    }
}

impl Collector for PoolStatus {
    fn about(&self) -> String {
        format!("php-fpm {}", self.place.shown())
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(self.look(look))
    }
}

/// Looks at a pool by a web server that passes its status on.
pub(super) struct PageStatus {
    pub(super) entity: Arc<Entity>,
    pub(super) client: OriginClient,
}

impl Collector for PageStatus {
    fn about(&self) -> String {
        format!("php-fpm {}", self.client.shown())
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(async move {
            let response = self.client.get("", "application/json").await?;
            // Whether the pool listens at a Unix socket is not to be seen: then the queue's limit is 0.
            let has_queue = true;
            tell(&response.body, has_queue, &self.entity, look).ok_or_else(|| {
                let address = self.client.shown();
                let message = Message::new("watch-php-fpm-no-status");
                Trouble::new(message.with("address", address).with("path", "?json"))
            })
        })
    }
}

/// Head and body of a page as CGI has it.
fn parts(page: &[u8]) -> (String, &[u8]) {
    let end = page.windows(4).position(|four| four == b"\r\n\r\n");
    let (head, body) = end.map_or((&[][..], page), |at| (&page[..at], &page[at + 4..]));
    (String::from_utf8_lossy(head).into_owned(), body)
}

/// Fields of the status.
const FIELDS: &[(&str, &SeriesName)] = &[
    ("active processes", &names::ACTIVE),
    ("idle processes", &names::IDLE),
    ("total processes", &names::PROCESSES),
    ("max active processes", &names::ACTIVE_PEAK),
    ("max children reached", &names::LIMIT_REACHED),
    ("accepted conn", &names::ACCEPTED),
    ("slow requests", &names::SLOW),
    ("start since", &names::UPTIME),
];

const QUEUE_FIELDS: &[(&str, &SeriesName)] = &[
    ("listen queue", &names::QUEUE),
    ("max listen queue", &names::QUEUE_PEAK),
    ("listen queue len", &names::QUEUE_LIMIT),
];

/// Says what the status holds; none: it is something else.
fn tell(body: &[u8], has_queue: bool, entity: &Arc<Entity>, look: &mut Look) -> Option<()> {
    let status: Value = serde_json::from_slice(body).ok()?;
    let pool = status.get("pool")?.as_str()?;
    status.get("active processes")?.as_f64()?;
    let queue_limit = status.get("listen queue len").and_then(Value::as_f64);
    let queue = has_queue && queue_limit.is_some_and(|limit| limit > 0.0);
    let queue = if queue { QUEUE_FIELDS } else { &[] };
    for (field, metric) in FIELDS.iter().chain(queue) {
        if let Some(value) = status.get(*field).and_then(Value::as_f64) {
            look.value(entity, metric, &[], value);
        }
    }
    let pool: String = pool.chars().take(MAX_NAME).collect();
    look.fact(entity, "php_fpm.pool", pool);
    Some(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use plimsoll_stats::series::EntityKind;

    #[test]
    fn other_pages_are_no_status() {
        let entity = Entity::new(EntityKind::WebServer, "p", "h");
        let mut look = Look::at(1);
        for body in [
            "",
            "[]",
            "{\"pool\":\"www\"}",
            "File not found.",
            "pool: www",
        ] {
            assert_eq!(
                tell(body.as_bytes(), true, &entity, &mut look),
                None,
                "{body}"
            );
        }
        let body =
            b"{\"pool\":\"www\",\"active processes\":2,\"listen queue\":0,\"listen queue len\":0}";
        tell(body, true, &entity, &mut look).unwrap();
        assert_eq!(look.points().count(), 1);
        assert_eq!(parts(b"A: b\r\n\r\nx"), ("A: b".to_owned(), &b"x"[..]));
        assert_eq!(parts(b"x"), (String::new(), &b"x"[..]));
    }
}

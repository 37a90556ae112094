//! Redis' slow log: which commands on which kinds of keys took how long. Values never leave
//! the server's side.

use plimsoll_text::Message;
use serde_json::{Value, json};

use super::server_report::{ReportText, ServerReport};
use crate::collector::{Pending, Trouble};
use crate::collectors::redis::connection::RedisConnection;
use crate::collectors::redis::resp::Reply;

/// Entries asked for.
const ENTRIES: &str = "128";
/// Commands whose first argument is no key.
const WITHOUT_KEY: &[&str] = &[
    "ACL", "AUTH", "CLIENT", "CONFIG", "DEBUG", "EVAL", "EVALSHA", "EVAL_RO", "FCALL", "FUNCTION",
    "HELLO", "INFO", "MIGRATE", "SCRIPT", "SLOWLOG",
];

/// Takes the slow log of one server.
pub(crate) struct RedisSlowlog {
    connection: RedisConnection,
}

impl RedisSlowlog {
    pub(crate) fn new(connection: RedisConnection) -> Self {
        Self { connection }
    }
}

impl ServerReport for RedisSlowlog {
    const KIND: &'static str = "slow_commands";

    fn ask(&mut self) -> Pending<'_, ReportText> {
        Box::pin(async move {
            let replies = self.connection.ask(&[&["SLOWLOG", "GET", ENTRIES]]).await?;
            let Some(entries @ Reply::List(_)) = replies.first() else {
                let message = Message::new("watch-redis-refused")
                    .with("address", self.connection.shown())
                    .with("command", "SLOWLOG")
                    .with(
                        "reason",
                        replies.first().map(Reply::text).unwrap_or_default(),
                    );
                return Err(Trouble::new(message));
            };
            let entries = entries.list().iter().filter_map(entry);
            Ok(ReportText::Json(entries.collect()))
        })
    }
}

/// `id, Unix time, microseconds, [command, arguments …], client, its name`.
fn entry(entry: &Reply) -> Option<Value> {
    let [id, at, micros, words, ..] = entry.list() else {
        return None;
    };
    let words = words.list();
    let command = words.first()?.text().to_ascii_uppercase();
    let key = words
        .get(1)
        .filter(|_| !WITHOUT_KEY.contains(&command.as_str()));
    Some(json!({
        "id": id.number(),
        "at_unix_s": at.number(),
        "time_us": micros.number(),
        "command": command,
        "key": key.map(|key| kind_of_key(&key.text())),
        "arguments": words.len() - 1,
    }))
}

/// `user:1234:cart` is `user:*:cart`: the form of a key, not whose it is.
fn kind_of_key(key: &str) -> String {
    let mut shown = String::new();
    for part in key
        .split_inclusive([':', '.', '/', '-', '_', '{', '}'])
        .take(8)
    {
        let (text, end) = match part.char_indices().last() {
            Some((at, last)) if !last.is_alphanumeric() => part.split_at(at),
            _ => (part, ""),
        };
        let personal = text.len() > 24 || text.contains(|c: char| c.is_ascii_digit() || c == '@');
        shown.push_str(if personal { "*" } else { text });
        shown.push_str(end);
    }
    shown
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn keys_lose_whose_they_are() {
        for (key, shown) in [
            ("user:1234:cart", "user:*:cart"),
            ("session:9f86d081884c7d65", "session:*"),
            ("mail:ann@example.org", "mail:*.org"),
            ("products", "products"),
            ("", ""),
            ("键:值", "键:值"),
        ] {
            assert_eq!(kind_of_key(key), shown);
        }
    }

    #[test]
    fn entries_of_another_shape_are_none() {
        for reply in [Reply::Nothing, Reply::List(vec![Reply::Number(1)])] {
            assert_eq!(entry(&reply), None);
        }
    }
}

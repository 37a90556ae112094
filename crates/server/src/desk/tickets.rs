//! What became of the runs that were asked for, by their tickets. It is kept on disk, so that an address with a ticket
//! means the same run, or says why there is none, also when the server was started anew.

use std::collections::VecDeque;
use std::path::PathBuf;

use plimsoll_store::private;
use plimsoll_text::Message;
use serde::{Deserialize, Serialize};

/// So many are kept.
const MOST_TICKETS: usize = 1_000;
/// A longer file is not ours.
const MOST_BYTES: u64 = 1 << 20;

/// What became of a run that was asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OrderFate {
    /// Others are made before it.
    Waits,
    /// It is made, or was: by this name.
    Begun(String),
    /// It could not be made, or somebody took it back.
    Failed(#[serde(with = "kept")] Message),
}

/// The forms of messages in that file.
mod kept {
    use plimsoll_store::{kept_message, masked_args, message_args};
    use plimsoll_text::Message;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct KeptMessage {
        id: String,
        args: serde_json::Value,
    }

    pub fn serialize<S: Serializer>(message: &Message, to: S) -> Result<S::Ok, S::Error> {
        let kept = KeptMessage {
            id: message.id.clone(),
            args: masked_args(message_args(message)),
        };
        kept.serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Message, D::Error> {
        let kept = KeptMessage::deserialize(from)?;
        Ok(kept_message(kept.id, &kept.args))
    }
}

/// The tickets as they are written.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct KeptTickets {
    asked: u64,
    tickets: VecDeque<(String, OrderFate)>,
}

/// The tickets that were given out, the newest last.
#[derive(Default)]
pub(super) struct TicketBook {
    path: Option<PathBuf>,
    book: KeptTickets,
}

impl TicketBook {
    /// Those of the servers before. What waited when one ended is made no more.
    pub fn open(path: PathBuf) -> Self {
        let is_short = std::fs::metadata(&path).is_ok_and(|known| known.len() <= MOST_BYTES);
        let bytes = is_short.then(|| std::fs::read(&path).ok()).flatten();
        let kept = bytes.and_then(|bytes| serde_json::from_slice::<KeptTickets>(&bytes).ok());
        let mut book = kept.unwrap_or_default();
        for (ticket, fate) in &mut book.tickets {
            if *fate == OrderFate::Waits {
                let lost = Message::new("server-run-lost").with("run", ticket.as_str());
                *fate = OrderFate::Failed(lost);
            }
        }
        Self {
            path: Some(path),
            book,
        }
    }

    /// A new ticket, of a run that waits.
    pub fn give(&mut self) -> String {
        self.book.asked += 1;
        let ticket = format!("queued-{}", self.book.asked);
        let given = (ticket.clone(), OrderFate::Waits);
        self.book.tickets.push_back(given);
        if self.book.tickets.len() > MOST_TICKETS {
            self.book.tickets.pop_front();
        }
        self.keep();
        ticket
    }

    /// What became of a ticket; none: it is not known.
    pub fn fate(&self, ticket: &str) -> Option<&OrderFate> {
        let mut newest = self.book.tickets.iter().rev();
        newest
            .find(|(known, _)| known == ticket)
            .map(|(_, fate)| fate)
    }

    /// It has begun by that name.
    pub fn begun(&mut self, ticket: &str, name: &str) {
        self.set(ticket, OrderFate::Begun(name.to_owned()));
    }

    /// It could not be begun.
    pub fn failed(&mut self, ticket: &str, message: Message) {
        self.set(ticket, OrderFate::Failed(message));
    }

    /// Somebody took it back; what is no run's is left alone.
    pub fn taken_back(&mut self, ticket: &str) {
        let message = Message::new("server-run-taken-back").with("run", ticket);
        self.failed(ticket, message);
    }

    fn set(&mut self, ticket: &str, fate: OrderFate) {
        let mut newest = self.book.tickets.iter_mut().rev();
        let known = newest.find(|(known, _)| known == ticket);
        if let Some((_, known)) = known
            && *known != fate
        {
            *known = fate;
            self.keep();
        }
    }

    fn keep(&mut self) {
        let Some(path) = &self.path else { return };
        // Reasons may be long: the oldest go where the file would be too long to be read.
        let json = loop {
            let Ok(json) = serde_json::to_vec(&self.book) else {
                return;
            };
            let count = self.book.tickets.len();
            if json.len() as u64 <= MOST_BYTES || count == 0 {
                break json;
            }
            self.book.tickets.drain(..count.div_ceil(2));
        };
        // Where nothing can be written any more runs are made all the same.
        let _ = private::replace(path, &json);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn said(book: &TicketBook, ticket: &str) -> String {
        match book.fate(ticket) {
            None => "unknown".to_owned(),
            Some(OrderFate::Waits) => "waits".to_owned(),
            Some(OrderFate::Begun(name)) => name.clone(),
            Some(OrderFate::Failed(message)) => message.id.clone(),
        }
    }

    #[test]
    fn a_ticket_means_the_same_after_the_server_was_started_anew() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("tickets.json");
        let mut book = TicketBook::open(path.clone());
        let given: Vec<String> = (0..4).map(|_| book.give()).collect();
        book.begun(&given[0], "shop-1");
        book.taken_back(&given[1]);
        book.failed(&given[2], Message::new("run-cannot-start"));
        book.taken_back("m-1");
        let now: Vec<String> = given.iter().map(|ticket| said(&book, ticket)).collect();
        assert_eq!(
            now,
            [
                "shop-1",
                "server-run-taken-back",
                "run-cannot-start",
                "waits"
            ]
        );
        let mut book = TicketBook::open(path.clone());
        let then: Vec<String> = given.iter().map(|ticket| said(&book, ticket)).collect();
        assert_eq!(
            then,
            [
                "shop-1",
                "server-run-taken-back",
                "run-cannot-start",
                "server-run-lost"
            ]
        );
        // No ticket is given out twice.
        assert!(!given.contains(&book.give()));
        assert_eq!(said(&book, "queued-9"), "unknown");
        std::fs::write(&path, "{").unwrap();
        assert_eq!(said(&TicketBook::open(path), &given[0]), "unknown");
    }

    #[test]
    fn why_a_run_could_not_begin_is_known_after_that() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("tickets.json");
        let mut book = TicketBook::open(path.clone());
        let (ticket, inner) = (book.give(), Message::new("inner").with("n", 2.0));
        let message = Message::new("outer")
            .with("inner", inner)
            .with("text", "a\u{1}中");
        book.failed(&ticket, message.clone());
        let kept = TicketBook::open(path.clone()).fate(&ticket).cloned();
        assert_eq!(kept, Some(OrderFate::Failed(message)));
        // However long the reasons are, the newest are known.
        for letters in [10, 100_000, 400_000, 400_000, 400_000] {
            let (ticket, text) = (book.give(), "x".repeat(letters));
            book.failed(&ticket, Message::new("long").with("text", text.as_str()));
            assert_eq!(said(&TicketBook::open(path.clone()), &ticket), "long");
        }
    }

    #[test]
    fn the_oldest_go() {
        let dir = tempfile::tempdir().unwrap();
        let mut book = TicketBook::open(dir.path().join("tickets.json"));
        for _ in 0..=MOST_TICKETS {
            book.give();
        }
        assert_eq!(said(&book, "queued-1"), "unknown");
        assert_eq!(said(&book, "queued-2"), "waits");
    }
}

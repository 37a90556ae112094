//! What became of the runs that were asked for, by their tickets. It is kept on disk, so that an address with a ticket
//! means the same run, or says why there is none, also when the server was started anew.

use std::collections::VecDeque;
use std::path::PathBuf;

use plimsoll_store::private;
use plimsoll_text::Message;
use serde::{Deserialize, Serialize};

/// So many are kept.
const MOST: usize = 1_000;
/// A longer file is not ours.
const MOST_BYTES: u64 = 1 << 20;

/// What became of a run that was asked for.
#[derive(Debug, Clone)]
pub(crate) enum OrderFate {
    /// Others are made before it.
    Waits,
    /// It is made, or was: by this name.
    Begun(String),
    /// It could not be made.
    Failed(Message),
}

/// What is kept of a ticket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum KeptFate {
    /// It waited when that was written.
    Waits,
    /// It has this name.
    Begun(String),
    /// Somebody took it back.
    TakenBack,
    /// It could not begin. Why was told then.
    Failed,
}

/// The tickets as they are written.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct KeptTickets {
    asked: u64,
    tickets: Vec<(String, KeptFate)>,
}

/// The tickets that were given out, the newest last.
#[derive(Default)]
pub(super) struct TicketBook {
    path: Option<PathBuf>,
    asked: u64,
    tickets: VecDeque<(String, KeptFate, OrderFate)>,
}

impl TicketBook {
    /// Those of the servers before. What waited when one ended is made no more.
    pub fn open(path: PathBuf) -> Self {
        let is_short = std::fs::metadata(&path).is_ok_and(|known| known.len() <= MOST_BYTES);
        let bytes = is_short.then(|| std::fs::read(&path).ok()).flatten();
        let kept = bytes.and_then(|bytes| serde_json::from_slice::<KeptTickets>(&bytes).ok());
        let kept = kept.unwrap_or_default();
        let tickets = kept.tickets.into_iter().map(|(ticket, kept)| {
            let message = |id: &str| Message::new(id).with("run", ticket.as_str());
            let fate = match &kept {
                KeptFate::Begun(name) => OrderFate::Begun(name.clone()),
                KeptFate::Waits => OrderFate::Failed(message("server-run-lost")),
                KeptFate::TakenBack => OrderFate::Failed(message("server-run-taken-back")),
                KeptFate::Failed => OrderFate::Failed(message("server-run-not-begun")),
            };
            (ticket, kept, fate)
        });
        Self {
            asked: kept.asked,
            tickets: tickets.collect(),
            path: Some(path),
        }
    }

    /// A new ticket, of a run that waits.
    pub fn give(&mut self) -> String {
        self.asked += 1;
        let ticket = format!("queued-{}", self.asked);
        self.tickets
            .push_back((ticket.clone(), KeptFate::Waits, OrderFate::Waits));
        if self.tickets.len() > MOST {
            self.tickets.pop_front();
        }
        self.keep();
        ticket
    }

    /// What became of a ticket; none: it is not known.
    pub fn fate(&self, ticket: &str) -> Option<&OrderFate> {
        let mut newest = self.tickets.iter().rev();
        newest
            .find(|(known, ..)| known == ticket)
            .map(|(.., fate)| fate)
    }

    /// It has begun by that name.
    pub fn begun(&mut self, ticket: &str, name: &str) {
        let kept = KeptFate::Begun(name.to_owned());
        self.set(ticket, kept, OrderFate::Begun(name.to_owned()));
    }

    /// It could not be begun.
    pub fn failed(&mut self, ticket: &str, message: Message) {
        self.set(ticket, KeptFate::Failed, OrderFate::Failed(message));
    }

    /// Somebody took it back; what is no run's is left alone.
    pub fn taken_back(&mut self, ticket: &str) {
        let message = Message::new("server-run-taken-back").with("run", ticket);
        self.set(ticket, KeptFate::TakenBack, OrderFate::Failed(message));
    }

    fn set(&mut self, ticket: &str, kept: KeptFate, fate: OrderFate) {
        let mut newest = self.tickets.iter_mut().rev();
        let Some(known) = newest.find(|(known, ..)| known == ticket) else {
            return;
        };
        known.2 = fate;
        if known.1 != kept {
            known.1 = kept;
            self.keep();
        }
    }

    fn keep(&self) {
        let tickets = self.tickets.iter();
        let kept = KeptTickets {
            asked: self.asked,
            tickets: tickets
                .map(|(ticket, kept, _)| (ticket.clone(), kept.clone()))
                .collect(),
        };
        // Where nothing can be written any more runs are made all the same.
        let json = serde_json::to_vec(&kept).ok();
        if let (Some(json), Some(path)) = (json, &self.path) {
            let _ = private::replace(path, &json);
        }
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
                "server-run-not-begun",
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
    fn the_oldest_go() {
        let dir = tempfile::tempdir().unwrap();
        let mut book = TicketBook::open(dir.path().join("tickets.json"));
        for _ in 0..=MOST {
            book.give();
        }
        assert_eq!(said(&book, "queued-1"), "unknown");
        assert_eq!(said(&book, "queued-2"), "waits");
    }
}

//! PostgreSQL: each query, or group of messages up to a "sync", ends with "ready for query".

use std::collections::HashMap;

use super::left;
use super::statements::{StatementText, mark};
use super::tls::TlsTalk;
use crate::exchanges::{Exchanges, WireMark};
use crate::protocol::{Guess, Protocol, ReadStop, SeenTls, Speaker, WirePiece, WireReader};

/// The protocol.
pub(crate) static POSTGRES: Protocol = Protocol {
    name: "postgres",
    guess,
    greets: |_| false,
    open: |_| Box::<PostgresTalk>::default(),
    overlaps: true,
    by_turns: false,
};

/// A message's kind and length; a first message has no kind, but a code behind its length.
const HEAD_BYTES: usize = 5;
const FIRST_BYTES: usize = 8;
const VERSION: u32 = 3 << 16;
const CANCEL: u32 = 80_877_102;
const TLS: u32 = 80_877_103;
const GSSAPI: u32 = 80_877_104;
/// So many prepared statements of a connection are known.
const MAX_PREPARED: usize = 512;
/// A first message is not longer.
const MAX_FIRST: u32 = 10_000;
/// No message is as long, nor as any four characters of text say, its kind not counted.
const TOO_LONG: u32 = 1 << 29;
/// Most kinds are shorter: so much PostgreSQL's own client takes of them.
const TOO_LONG_MOSTLY: u32 = 30_000;
/// The kinds of all messages of a client, and of a server.
const CLIENT_KINDS: PgKinds = PgKinds {
    long: b"QPBFdfp",
    others: b"DECSHXc",
};
const SERVER_KINDS: PgKinds = PgKinds {
    long: b"TtDdVENA",
    others: b"RKSZCIns123cGHWv",
};
/// Messages that a client may begin a request with, or send alone.
const BEGINS: &[u8] = b"QPBDECFS";
/// Messages with a statement, or with the name of one: query, parse, bind.
const TEXTS: &[u8] = b"QPB";
/// So much of a message that is longer shows enough of its form.
const ENOUGH_BYTES: usize = 64;

fn number(bytes: &[u8]) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.first_chunk()?))
}

fn is_first(bytes: &[u8]) -> bool {
    let (length, code) = (number(bytes), bytes.get(4..).and_then(number));
    let fits = |length: u32| (8..=MAX_FIRST).contains(&length);
    let known = |code: u32| code & !0xff == VERSION || (CANCEL..=GSSAPI).contains(&code);
    length.is_some_and(fits) && code.is_some_and(known)
}

/// A connection in the middle is known by whole messages.
fn guess(bytes: &[u8]) -> Guess {
    let Some(kind) = bytes.first() else {
        return Guess::More;
    };
    if *kind == 0 {
        return match bytes.len() {
            0..FIRST_BYTES => Guess::More,
            _ if is_first(bytes) => Guess::Yes,
            _ => Guess::No,
        };
    }
    if !BEGINS.contains(kind) {
        return Guess::No;
    }
    let mut rest = bytes;
    while let Some(kind) = rest.first() {
        let Some(length) = rest.get(1..).and_then(number) else {
            break;
        };
        let ends_alone = matches!(kind, b'S' | b'H' | b'X') && length != 4;
        if !kind.is_ascii_alphabetic() || !(4..1 << 24).contains(&length) || ends_alone {
            return Guess::No;
        }
        match rest.get(1 + length as usize..) {
            Some([]) => return Guess::Yes,
            Some(more) => rest = more,
            None => break,
        }
    }
    match bytes.len() >= ENOUGH_BYTES {
        true => Guess::Yes,
        false => Guess::More,
    }
}

/// One side's messages.
#[derive(Default)]
struct PgMessages {
    head: Vec<u8>,
    left: u64,
    kind: u8,
    /// When the message began.
    began_ns: u64,
}

impl PgMessages {
    /// What belongs to the message that is being skipped, what is behind it, and whether it has ended just
    /// now.
    fn skip_in<'a>(&mut self, bytes: &'a [u8]) -> (&'a [u8], &'a [u8], bool) {
        let (skipped, rest) = left::split(bytes, self.left);
        self.left -= skipped.len() as u64;
        (skipped, rest, !skipped.is_empty() && self.left == 0)
    }

    /// Takes what belongs to the next head; what is behind it, and whether the head is complete.
    fn next<'a>(
        &mut self,
        bytes: &'a [u8],
        form: HeadForm,
        at_ns: u64,
    ) -> Result<(bool, &'a [u8]), ReadStop> {
        let wanted = form.bytes();
        if self.head.is_empty() {
            self.began_ns = at_ns;
        }
        let (taken, rest) = bytes.split_at((wanted - self.head.len()).min(bytes.len()));
        self.head.extend(taken);
        if self.head.len() < wanted {
            return Ok((false, rest));
        }
        let (kind, left) = form.read(&self.head).ok_or(ReadStop::Lost)?;
        (self.kind, self.left) = (kind, u64::from(left));
        Ok((true, rest))
    }
}

/// The form of a message's head.
#[derive(Clone, Copy)]
enum HeadForm {
    /// Of a client's first message.
    First,
    /// Of all others, which have one of these kinds.
    Kind(PgKinds),
}

/// Kinds of messages.
#[derive(Clone, Copy)]
struct PgKinds {
    long: &'static [u8],
    others: &'static [u8],
}

impl PgKinds {
    /// Whether there can be a message of a kind that is so long.
    fn have(self, kind: u8, length: u32) -> bool {
        let fits = |kinds: &[u8], too_long: u32| kinds.contains(&kind) && length < too_long;
        fits(self.long, TOO_LONG) || fits(self.others, TOO_LONG_MOSTLY)
    }
}

impl HeadForm {
    fn bytes(self) -> usize {
        match self {
            Self::First => FIRST_BYTES,
            Self::Kind(_) => HEAD_BYTES,
        }
    }

    /// The message's kind, and how long it is behind the head; none if there is no such message.
    fn read(self, head: &[u8]) -> Option<(u8, u32)> {
        let (kind, length) = match self {
            Self::First => (0, number(head).filter(|_| is_first(head))?),
            Self::Kind(kinds) => {
                let (kind, length) = (*head.first()?, head.get(1..).and_then(number)?);
                // It counts itself, and not the kind.
                (kind, kinds.have(kind, length).then(|| length + 1)?)
            }
        };
        let left = length.checked_sub(u32::try_from(self.bytes()).ok()?)?;
        Some((kind, left))
    }
}

/// One connection.
#[derive(Default)]
struct PostgresTalk {
    client: PgMessages,
    server: PgMessages,
    /// The client has begun a request that a "sync" will end.
    in_group: bool,
    /// The last that the client said is that all rows of a copy have come: a server that copies heeds no "sync"
    /// before it, and responds to both with the one behind it.
    copied: bool,
    /// Since the connection began nothing has been asked for: it is agreed upon.
    agreeing: bool,
    /// The client has asked for TLS; the server says in one byte whether it does.
    asked_tls: bool,
    tls: Option<TlsTalk>,
    in_response: bool,
    /// What a statement, or its being bound, says.
    text: StatementText,
    /// What statements with a name do.
    prepared: HashMap<Vec<u8>, WireMark>,
    transaction: PgTransaction,
    /// What a message of the server says at its beginning, as far as it is needed.
    said: Vec<u8>,
}

/// What the server says of the transaction (PostgreSQL's documentation, "Message Formats": `CommandComplete` and
/// `ReadyForQuery`).
#[derive(Default)]
struct PgTransaction {
    /// Whether anything was written in it.
    written: bool,
}

/// What begins the tag of a command that writes.
const WRITES: [&[u8]; 5] = [b"INSERT", b"UPDATE", b"DELETE", b"MERGE", b"COPY"];
/// So much of a message tells which.
const TAG_BYTES: usize = 24;

impl PgTransaction {
    /// A command is complete, with that tag.
    fn command(&mut self, tag: &[u8], exchanges: &mut Exchanges) {
        if WRITES.iter().any(|writes| tag.starts_with(writes)) {
            // Behind the command stands how many rows it touched.
            self.written |= !tag.ends_with(b" 0\0");
        } else if tag.starts_with(b"COMMIT") {
            self.end(exchanges);
        } else if tag.starts_with(b"ROLLBACK") {
            self.written = false;
        }
    }

    /// The server is ready: `I` idle, `T` in a transaction, `E` in one that failed.
    fn ready(&mut self, state: u8, exchanges: &mut Exchanges) {
        if state == b'I' {
            self.end(exchanges);
        }
    }

    fn end(&mut self, exchanges: &mut Exchanges) {
        if std::mem::take(&mut self.written) {
            exchanges.committed();
        }
    }
}

impl PostgresTalk {
    fn client(
        &mut self,
        mut bytes: &[u8],
        at_ns: u64,
        exchanges: &mut Exchanges,
    ) -> Result<(), ReadStop> {
        loop {
            let (skipped, rest, ended) = self.client.skip_in(bytes);
            bytes = rest;
            if TEXTS.contains(&self.client.kind) && !skipped.is_empty() {
                self.text.add(skipped);
                if ended {
                    self.text_ended(exchanges);
                }
            }
            let Some(first) = bytes.first() else {
                return Ok(());
            };
            if let Some(tls) = &mut self.tls {
                return tls.read(Speaker::Client, WirePiece::Seen(bytes), at_ns, exchanges);
            }
            // No kind is 0: it is the length of a first message.
            let begins = self.client.head.first().unwrap_or(first);
            let form = match *begins {
                0 => HeadForm::First,
                _ => HeadForm::Kind(CLIENT_KINDS),
            };
            let (complete, rest) = self.client.next(bytes, form, at_ns)?;
            bytes = rest;
            if complete {
                let head = std::mem::take(&mut self.client.head);
                self.text.clear();
                self.request(&head, exchanges);
            }
        }
    }

    /// A message with a statement, or with the name of one, has come.
    fn text_ended(&mut self, exchanges: &mut Exchanges) {
        let Some(bytes) = self.text.bytes() else {
            return;
        };
        let mut parts = bytes.splitn(3, |byte| *byte == 0);
        let (first, second) = (
            parts.next().unwrap_or_default(),
            parts.next().unwrap_or_default(),
        );
        let tables = &mut exchanges.tables;
        let found = match self.client.kind {
            b'Q' => mark(first, tables),
            b'P' if first.is_empty() => mark(second, tables),
            b'P' => {
                if let Some(mark) = mark(second, tables)
                    && self.prepared.len() < MAX_PREPARED
                {
                    self.prepared.insert(first.to_vec(), mark);
                }
                None
            }
            // A portal, and the statement that it is of.
            _ => self.prepared.get(second).copied(),
        };
        found.into_iter().for_each(|mark| exchanges.marked(mark));
    }

    fn request(&mut self, head: &[u8], exchanges: &mut Exchanges) {
        let began_ns = self.client.began_ns;
        let copied = std::mem::take(&mut self.copied);
        match self.client.kind {
            0 => {
                let code = head.get(4..).and_then(number);
                self.asked_tls = matches!(code, Some(TLS | GSSAPI));
                self.agreeing = true;
            }
            b'Q' | b'F' if !self.in_group => exchanges.asked(began_ns),
            b'P' | b'B' | b'D' | b'E' | b'C' | b'H' if !self.in_group => {
                self.in_group = true;
                exchanges.asked(began_ns);
            }
            b'S' => {
                if !self.in_group && !copied {
                    exchanges.asked(began_ns);
                }
                self.in_group = false;
            }
            b'c' | b'f' => self.copied = true,
            _ => {}
        }
    }

    fn server(
        &mut self,
        mut bytes: &[u8],
        at_ns: u64,
        exchanges: &mut Exchanges,
    ) -> Result<(), ReadStop> {
        if std::mem::take(&mut self.asked_tls) {
            let Some((does, rest)) = bytes.split_first() else {
                return Ok(());
            };
            if *does == b'G' {
                return Err(ReadStop::Undecided("postgres"));
            }
            if *does == b'S' {
                self.tls = Some(TlsTalk::new(true));
                return Ok(());
            }
            bytes = rest;
        }
        loop {
            self.keep(bytes);
            let (_, rest, ended) = self.server.skip_in(bytes);
            bytes = rest;
            if ended {
                self.tell(exchanges);
            }
            self.heard(ended, at_ns, exchanges);
            if bytes.is_empty() {
                return Ok(());
            }
            let form = HeadForm::Kind(SERVER_KINDS);
            let (complete, rest) = self.server.next(bytes, form, at_ns)?;
            bytes = rest;
            if complete {
                self.server.head.clear();
                self.said.clear();
                if self.server.kind == b'W' {
                    return Err(ReadStop::Undecided("postgres"));
                }
                self.response_begins(exchanges);
                let empty = self.server.left == 0;
                self.heard(empty, at_ns, exchanges);
            }
        }
    }

    /// Keeps what a message about the transaction begins with.
    fn keep(&mut self, bytes: &[u8]) {
        if matches!(self.server.kind, b'C' | b'Z') {
            let (own, _) = left::split(bytes, self.server.left);
            let room = TAG_BYTES.saturating_sub(self.said.len());
            self.said.extend(&own[..own.len().min(room)]);
        }
    }

    /// A message has ended: what it says of the transaction.
    fn tell(&mut self, exchanges: &mut Exchanges) {
        match (self.server.kind, self.said.first()) {
            (b'C', _) => self.transaction.command(&self.said, exchanges),
            (b'Z', Some(state)) => self.transaction.ready(*state, exchanges),
            _ => {}
        }
    }

    fn response_begins(&mut self, exchanges: &mut Exchanges) {
        // Notices, changed settings, notifications, and why a connection is given up come unasked.
        let may_be_unasked = matches!(self.server.kind, b'N' | b'S' | b'A' | b'E');
        let unasked = may_be_unasked && exchanges.outstanding() == 0;
        if !self.in_response && !self.agreeing && !unasked {
            self.in_response = true;
            exchanges.began(self.server.began_ns);
        }
    }

    /// More of a message has come; whether that was its end.
    fn heard(&mut self, ended: bool, at_ns: u64, exchanges: &mut Exchanges) {
        if self.in_response {
            exchanges.more(at_ns);
        }
        if ended && self.server.kind == b'Z' {
            if self.in_response {
                exchanges.ended(at_ns);
            }
            (self.in_response, self.agreeing) = (false, false);
        }
    }
}

impl WireReader for PostgresTalk {
    fn tls(&self) -> Option<SeenTls> {
        self.tls.as_ref().and_then(TlsTalk::tls)
    }

    fn is_agreeing(&self) -> bool {
        self.tls.as_ref().is_some_and(TlsTalk::is_agreeing)
    }

    fn read(
        &mut self,
        speaker: Speaker,
        piece: WirePiece<'_>,
        at_ns: u64,
        exchanges: &mut Exchanges,
    ) -> Result<(), ReadStop> {
        match (speaker, piece, &mut self.tls) {
            (Speaker::Client, WirePiece::Seen(bytes), _) => self.client(bytes, at_ns, exchanges),
            (_, piece, Some(tls)) => tls.read(speaker, piece, at_ns, exchanges),
            (Speaker::Server, WirePiece::Seen(bytes), None) => self.server(bytes, at_ns, exchanges),
            (Speaker::Client, WirePiece::Unseen(count), None) => {
                let left = &mut self.client.left;
                *left = left.checked_sub(count).ok_or(ReadStop::Lost)?;
                let ended = *left == 0;
                self.text.cut();
                if ended && TEXTS.contains(&self.client.kind) {
                    self.text_ended(exchanges);
                }
                Ok(())
            }
            (Speaker::Server, WirePiece::Unseen(count), None) => {
                let left = &mut self.server.left;
                *left = left.checked_sub(count).ok_or(ReadStop::Lost)?;
                let ended = *left == 0;
                self.heard(ended, at_ns, exchanges);
                Ok(())
            }
        }
    }
}

//! TLS: records are seen, not what is in them. By turns of application data, unless HTTP/2 may be
//! inside, whose requests overlap.

use super::left;
use crate::exchanges::Exchanges;
use crate::protocol::{Guess, Protocol, ReadStop, SeenTls, Speaker, WirePiece, WireReader};

/// The protocol.
pub(crate) static TLS: Protocol = Protocol {
    name: "tls",
    guess,
    greets: |_| false,
    open: |whole| Box::new(TlsTalk::new(whole)),
    overlaps: false,
    by_turns: true,
};

const HEAD_BYTES: usize = 5;
const MAX_RECORD: u64 = (16 << 10) + 2_048;
/// So much of the first message of each side is looked at.
const MAX_HELLO: usize = 4 << 10;
/// Messages of TLS 1.3 that are packed as data are, by their length: "finished" with either length of
/// a hash, and an alert.
const FINISHED: [u64; 2] = [53, 69];
const ALERT: u64 = 19;
/// What a client of HTTP/2 says beside its requests (that it has taken what came, that it is there, that settings are
/// heeded; RFC 9113, section 6), by the lengths of such records with the ciphers in use: no request of HTTP/1 is so short.
const BESIDE: [u64; 9] = [25, 26, 29, 30, 33, 34, 37, 41, 43];
/// So often it must have been followed by a request before any response.
const BESIDE_REQUESTS: u32 = 2;
/// A client's messages up to its "finished", at most.
const MAX_HANDSHAKE: u32 = 8;

/// Kinds of records.
mod kind {
    pub(super) const FIRST: u8 = 20;
    pub(super) const HANDSHAKE: u8 = 22;
    pub(super) const DATA: u8 = 23;
}

fn guess(bytes: &[u8]) -> Guess {
    let fits = [
        |kind: u8| (kind::FIRST..=kind::DATA).contains(&kind),
        |major| major == 3,
        |minor| (1..=4).contains(&minor),
        |high| u64::from(high) <= MAX_RECORD >> 8,
    ];
    match bytes.iter().zip(fits).all(|(byte, fits)| fits(*byte)) {
        false => Guess::No,
        true if bytes.len() < HEAD_BYTES => Guess::More,
        true => Guess::Yes,
    }
}

/// One side's records.
#[derive(Default)]
struct TlsRecords {
    head: Vec<u8>,
    kind: u8,
    length: u64,
    left: u64,
    /// When the record began.
    began_ns: u64,
    /// The first message, while it is read.
    hello: Option<Vec<u8>>,
}

/// What happened with a record.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TlsStep {
    Began,
    Went,
}

impl TlsRecords {
    fn new(whole: bool) -> Self {
        Self {
            hello: whole.then(Vec::new),
            ..Self::default()
        }
    }

    /// Reads up to the next step; what is left.
    fn read<'a>(
        &mut self,
        mut bytes: &'a [u8],
        at_ns: u64,
    ) -> Result<(Option<TlsStep>, &'a [u8]), ReadStop> {
        if self.left > 0 {
            let (own, rest) = left::split(bytes, self.left);
            self.keep_hello(own);
            self.left -= own.len() as u64;
            return Ok((Some(TlsStep::Went), rest));
        }
        if self.head.is_empty() {
            self.began_ns = at_ns;
        }
        let taken = (HEAD_BYTES - self.head.len()).min(bytes.len());
        self.head.extend(&bytes[..taken]);
        bytes = &bytes[taken..];
        if guess(&self.head) == Guess::No {
            return Err(ReadStop::Lost);
        }
        if self.head.len() < HEAD_BYTES {
            return Ok((None, bytes));
        }
        self.kind = self.head[0];
        self.length = u64::from(u16::from_be_bytes([self.head[3], self.head[4]]));
        self.left = self.length;
        self.head.clear();
        Ok((Some(TlsStep::Began), bytes))
    }

    fn keep_hello(&mut self, bytes: &[u8]) {
        if let Some(hello) = &mut self.hello
            && self.kind == kind::HANDSHAKE
        {
            let room = MAX_HELLO.saturating_sub(hello.len());
            hello.extend(&bytes[..bytes.len().min(room)]);
        }
    }

    /// The first message, once it is there.
    fn take_hello(&mut self) -> Option<Vec<u8>> {
        let is_whole = self.kind == kind::HANDSHAKE && self.left == 0;
        if is_whole { self.hello.take() } else { None }
    }
}

/// The content of an extension of a first message.
fn extension(hello: &[u8], wanted: u16) -> Option<&[u8]> {
    let number = |at: usize, count: usize| {
        let bytes = hello.get(at..at + count)?;
        Some(
            bytes
                .iter()
                .fold(0, |sum, byte| sum << 8 | usize::from(*byte)),
        )
    };
    let is_client = *hello.first()? == 1;
    // Kind, length, version, random; the session's name.
    let mut at = 38 + 1 + number(38, 1)?;
    at += match is_client {
        true => 2 + number(at, 2)?,
        false => 2,
    };
    at += match is_client {
        true => 1 + number(at, 1)?,
        false => 1,
    };
    at += 2;
    loop {
        let (kind, length) = (number(at, 2)?, number(at + 2, 2)?);
        let content = hello.get(at + 4..at + 4 + length)?;
        if kind == usize::from(wanted) {
            return Some(content);
        }
        at += 4 + length;
    }
}

/// The name of the session that a first message speaks of; empty: none.
fn session(hello: &[u8]) -> &[u8] {
    let length = hello.get(38).map_or(0, |length| usize::from(*length));
    hello.get(39..39 + length).unwrap_or_default()
}

/// Whether a server's first message goes on with an earlier session: by a key that both have (TLS 1.3,
/// RFC 8446, section 4.2.11), or by the name that the client gave (RFC 5246, section 7.4.1.3; RFC 5077).
fn resumes(hello: &[u8], asked: &[u8], hides: bool) -> bool {
    match hides {
        true => extension(hello, 41).is_some(),
        false => !asked.is_empty() && session(hello) == asked,
    }
}

/// Whether HTTP/2 is named among the protocols.
fn names_http2(hello: &[u8]) -> bool {
    extension(hello, 16).is_some_and(|names| names.windows(3).any(|name| name == b"\x02h2"))
}

/// One connection.
pub(super) struct TlsTalk {
    client: TlsRecords,
    server: TlsRecords,
    /// Whose data came last.
    turn: Option<Speaker>,
    offers_http2: bool,
    /// Messages of the client that are still expected before its requests, at most.
    handshake: u32,
    /// From TLS 1.3 on all but the first messages look like data.
    hides: bool,
    /// The session that the client would go on with.
    asked_session: Vec<u8>,
    /// The handshake, once the server has responded.
    shook: Option<SeenTls>,
    /// The client's first message.
    began_ns: u64,
    requests: u64,
    /// The client's turn has but a record of [`BESIDE`] so far; and how often a turn went on behind one.
    is_beside: bool,
    beside: u32,
}

impl TlsTalk {
    /// Begins to read; `whole`: from the first message on.
    pub(super) fn new(whole: bool) -> Self {
        Self {
            client: TlsRecords::new(whole),
            server: TlsRecords::new(whole),
            turn: None,
            offers_http2: false,
            handshake: 0,
            hides: !whole,
            asked_session: Vec::new(),
            shook: None,
            began_ns: 0,
            requests: 0,
            is_beside: false,
            beside: 0,
        }
    }

    fn hello(&mut self, speaker: Speaker) -> Result<(), ReadStop> {
        match speaker {
            Speaker::Client => {
                if let Some(hello) = self.client.take_hello() {
                    self.offers_http2 = names_http2(&hello);
                    self.asked_session = session(&hello).to_vec();
                    self.began_ns = self.client.began_ns;
                }
            }
            Speaker::Server => {
                if let Some(hello) = self.server.take_hello() {
                    self.hides = extension(&hello, 43) == Some(&[3, 4]);
                    self.handshake = if self.hides { MAX_HANDSHAKE } else { 0 };
                    self.shook = Some(SeenTls {
                        began_ns: self.began_ns,
                        secured_ns: None,
                        resumed: resumes(&hello, &self.asked_session, self.hides),
                    });
                    if names_http2(&hello) || self.hides && self.offers_http2 {
                        return Err(ReadStop::Undecided("tls"));
                    }
                }
            }
        }
        Ok(())
    }

    fn data(&mut self, speaker: Speaker, step: TlsStep, at_ns: u64, exchanges: &mut Exchanges) {
        let side = match speaker {
            Speaker::Client => &mut self.client,
            Speaker::Server => &mut self.server,
        };
        // Until there is data each message is of the handshake.
        let is_data = side.kind == kind::DATA && self.handshake == 0;
        if let Some(shook) = self
            .shook
            .as_mut()
            .filter(|_| !is_data && self.turn.is_none())
        {
            shook.secured_ns = Some(at_ns);
        }
        if side.kind != kind::DATA || self.hides && side.length == ALERT {
            return;
        }
        let begins = step == TlsStep::Began;
        if self.handshake > 0 {
            if begins && speaker == Speaker::Client {
                let finished = FINISHED.contains(&side.length);
                self.handshake = if finished { 0 } else { self.handshake - 1 };
            }
            // The rest of it is no data either.
            side.kind = kind::HANDSHAKE;
            return;
        }
        let turns = begins && self.turn != Some(speaker);
        if begins && speaker == Speaker::Client {
            self.beside += u32::from(!turns && self.is_beside);
            self.is_beside = turns && BESIDE.contains(&side.length);
        }
        match speaker {
            Speaker::Client if turns => {
                self.requests += 1;
                exchanges.asked(side.began_ns);
            }
            Speaker::Client => {}
            Speaker::Server => {
                if turns {
                    exchanges.began(side.began_ns);
                }
                exchanges.ended(at_ns);
            }
        }
        self.turn = Some(speaker);
    }
}

impl WireReader for TlsTalk {
    fn tls(&self) -> Option<SeenTls> {
        self.shook
    }

    /// Tickets for later sessions come beside the first request (RFC 8446, section 4.6.1).
    fn is_agreeing(&self) -> bool {
        self.requests < 2
    }

    fn read(
        &mut self,
        speaker: Speaker,
        piece: WirePiece<'_>,
        at_ns: u64,
        exchanges: &mut Exchanges,
    ) -> Result<(), ReadStop> {
        let mut bytes = match piece {
            WirePiece::Seen(bytes) => bytes,
            WirePiece::Unseen(count) => {
                let side = match speaker {
                    Speaker::Client => &mut self.client,
                    Speaker::Server => &mut self.server,
                };
                side.left = side.left.checked_sub(count).ok_or(ReadStop::Lost)?;
                self.data(speaker, TlsStep::Went, at_ns, exchanges);
                return Ok(());
            }
        };
        while !bytes.is_empty() {
            let side = match speaker {
                Speaker::Client => &mut self.client,
                Speaker::Server => &mut self.server,
            };
            let (step, rest) = side.read(bytes, at_ns)?;
            bytes = rest;
            if let Some(step) = step {
                self.data(speaker, step, at_ns, exchanges);
            }
            self.hello(speaker)?;
            // What was agreed upon nobody saw.
            if self.shook.is_none() && self.beside >= BESIDE_REQUESTS {
                return Err(ReadStop::Undecided("tls"));
            }
        }
        Ok(())
    }
}

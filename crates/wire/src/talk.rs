//! What is said on one connection: by the reader of its protocol, or else by turns.

use crate::exchanges::Exchanges;
use crate::order::OrderedBytes;
use crate::protocol::{Protocol, ReadStop, SeenTls, Speaker, WirePiece, WireReader};
use crate::protocols::registry;
use crate::spoken::SpokenTimes;

/// First bytes of a request that are kept until its protocol is known.
const MAX_FIRST: usize = 64;
/// After so many turns of which no protocol is known more of them tell none: what looks like one is chance.
const MAX_STRANGE: u32 = 16;
/// A reader that loses its way so often without a response in between is of the wrong protocol.
const MAX_FAULTS: u32 = 3;

/// The first bytes of a request, as they came.
struct FirstBytes {
    began_ns: u64,
    bytes: Vec<u8>,
    /// The length and the time of each piece.
    pieces: Vec<(usize, u64)>,
}

impl FirstBytes {
    fn new(began_ns: u64) -> Self {
        Self {
            began_ns,
            bytes: Vec::new(),
            pieces: Vec::new(),
        }
    }

    /// Which protocol they are of, together with those that follow.
    fn guess(&self, more: &[u8]) -> Result<Option<&'static Protocol>, ()> {
        match self.bytes.is_empty() {
            true => registry::guess(more),
            false => registry::guess(&[&self.bytes, more].concat()),
        }
    }

    fn add(&mut self, bytes: &[u8], at_ns: u64) {
        self.bytes.extend(bytes);
        self.pieces.push((bytes.len(), at_ns));
    }
}

/// One connection's talk.
pub(crate) struct Talk {
    whole: bool,
    turn: Option<Speaker>,
    /// The first bytes of a request whose protocol is not known yet.
    first: Option<FirstBytes>,
    protocol: Option<&'static Protocol>,
    reader: Option<Box<dyn WireReader>>,
    tls: Option<SeenTls>,
    /// The name of what the connection has become.
    became: Option<&'static str>,
    undecided: bool,
    /// The protocol's reader can read no more of this connection, or there is none.
    only_turns: bool,
    /// Turns of the client that no protocol is known by.
    strange: u32,
    /// What the server says is the rest of the last response, which the reader could not read.
    goes_on: bool,
    faults: u32,
    exchanges: Exchanges,
    /// The client's turns, and how often a side spoke before it had all that the other one had said.
    turns: u32,
    crossed: u32,
}

/// How a connection was read.
#[derive(Default)]
pub(crate) struct TalkTold {
    pub(crate) protocol: Option<&'static str>,
    pub(crate) undecided: bool,
    pub(crate) turns: u32,
    pub(crate) crossed: u32,
}

impl TalkTold {
    /// Whether the client only takes what it is sent: who never says anything, and is spoken to again and again, asks
    /// nothing. Then requests cannot be told apart.
    pub(crate) fn only_takes(&mut self, client_bytes: u64, server: &SpokenTimes) -> bool {
        let asks_nothing = self.protocol.is_none() && client_bytes == 0;
        let only_takes = asks_nothing && server.is_spread();
        self.undecided |= only_takes;
        only_takes
    }

    /// When client and server spoke, where it may be that requests cannot be told apart.
    pub(crate) fn times(&self, times: [SpokenTimes; 2]) -> [Vec<u64>; 2] {
        match self.undecided || self.protocol.is_none() {
            true => times.map(SpokenTimes::into_inner),
            false => <[Vec<u64>; 2]>::default(),
        }
    }
}

impl Talk {
    /// That of a connection that is looked at from then on; `whole`: from its own beginning.
    pub(crate) fn new(from_ns: u64, whole: bool) -> Self {
        Self {
            whole,
            turn: None,
            first: None,
            protocol: None,
            reader: None,
            tls: None,
            became: None,
            undecided: false,
            only_turns: false,
            strange: 0,
            goes_on: false,
            faults: 0,
            exchanges: Exchanges::new(from_ns, whole),
            turns: 0,
            crossed: 0,
        }
    }

    /// What one side says. `crossed`: before it had all that the other one had said.
    pub(crate) fn hear(&mut self, by: Speaker, what: OrderedBytes<'_>, at_ns: u64, crossed: bool) {
        let piece = match what {
            OrderedBytes::Seen(bytes) => WirePiece::Seen(bytes),
            OrderedBytes::Cut(count) => WirePiece::Unseen(u64::from(count)),
            OrderedBytes::Missed(_) => return self.lose(at_ns),
        };
        if self.undecided {
            return;
        }
        let begins = self.turn != Some(by);
        self.turn = Some(by);
        self.turns += u32::from(begins && by == Speaker::Client);
        // At first there may be a handshake, in which both sides speak as they like.
        let agrees = self
            .reader
            .as_ref()
            .is_some_and(|reader| reader.is_agreeing());
        self.crossed += u32::from(crossed && self.turns > 2 && !agrees);
        if self.reader.is_some() {
            return self.read(by, piece, at_ns);
        }
        match by {
            Speaker::Client => self.ask(begins, piece, at_ns),
            Speaker::Server => self.respond(begins, piece, at_ns),
        }
    }

    /// A client's bytes whose protocol is not known, or of which nothing else is to be told.
    fn ask(&mut self, begins: bool, piece: WirePiece<'_>, at_ns: u64) {
        if begins {
            self.first = Some(FirstBytes::new(at_ns));
            self.goes_on = false;
        }
        let Some(mut first) = self.first.take() else {
            return;
        };
        let bytes = match piece {
            WirePiece::Seen(bytes) if !self.only_turns => bytes,
            _ => return self.turn_begins(first.began_ns),
        };
        match first.guess(bytes) {
            Ok(Some(protocol)) => {
                self.open(protocol);
                let mut rest = &first.bytes[..];
                for (length, at_ns) in first.pieces {
                    let (piece, behind) = rest.split_at(length);
                    self.read(Speaker::Client, WirePiece::Seen(piece), at_ns);
                    rest = behind;
                }
                self.read(Speaker::Client, piece, at_ns);
            }
            Err(()) if first.bytes.len() + bytes.len() < MAX_FIRST => {
                first.add(bytes, at_ns);
                self.first = Some(first);
            }
            _ => {
                self.strange += u32::from(self.protocol.is_none());
                self.only_turns |= self.strange >= MAX_STRANGE;
                self.turn_begins(first.began_ns);
            }
        }
    }

    fn open(&mut self, protocol: &'static Protocol) {
        let fresh = self.whole && self.turns <= 1 && self.faults == 0;
        if !protocol.overlaps {
            self.exchanges.settle();
        }
        self.protocol = Some(protocol);
        self.reader = Some((protocol.open)(fresh));
    }

    /// A request begins, by turns.
    fn turn_begins(&mut self, at_ns: u64) {
        if self.overlaps() {
            return;
        }
        if self.exchanges.outstanding() > 0 {
            self.exchanges.lose(at_ns);
        }
        self.exchanges.settle();
        self.exchanges.asked(at_ns);
    }

    fn overlaps(&self) -> bool {
        self.protocol.is_some_and(|protocol| protocol.overlaps)
    }

    /// A server's bytes where nothing but turns is known.
    fn respond(&mut self, begins: bool, piece: WirePiece<'_>, at_ns: u64) {
        if let Some(first) = self.first.take() {
            self.turn_begins(first.began_ns);
        }
        if let (WirePiece::Seen(bytes), true) = (piece, self.whole && self.turns == 0)
            && let Some(protocol) = registry::greeted(bytes)
        {
            self.open(protocol);
            return self.read(Speaker::Server, piece, at_ns);
        }
        if self.overlaps() {
            if self.goes_on {
                self.exchanges.more(at_ns);
            }
            return;
        }
        if begins {
            self.exchanges.began(at_ns);
        }
        self.exchanges.ended(at_ns);
    }

    fn read(&mut self, by: Speaker, piece: WirePiece<'_>, at_ns: u64) {
        let Some(reader) = &mut self.reader else {
            return;
        };
        let before = self.exchanges.outstanding();
        let read = reader.read(by, piece, at_ns, &mut self.exchanges);
        self.tls = reader.tls().or(self.tls);
        match read {
            Ok(()) if self.exchanges.outstanding() < before => self.faults = 0,
            Ok(()) => {}
            Err(ReadStop::Lost) => {
                self.reader = None;
                // It is no fault of the reader if it did not see all.
                self.faults += u32::from(matches!(piece, WirePiece::Seen(_)));
                let alone = by == Speaker::Server && self.exchanges.only_one_goes_on();
                if self.overlaps() && !alone {
                    self.exchanges.lose(at_ns);
                } else if by == Speaker::Server {
                    // What comes next in the server's turn goes on with the response.
                    self.exchanges.ended(at_ns);
                    self.goes_on = self.overlaps();
                }
                if self.faults > MAX_FAULTS {
                    self.protocol = None;
                }
            }
            Err(ReadStop::ByTurns) => (self.reader, self.only_turns) = (None, true),
            Err(ReadStop::Undecided(name)) => {
                self.reader = None;
                self.became = Some(name);
                self.undecided = true;
                self.exchanges.lose(at_ns);
            }
        }
    }

    /// Something was said that nobody heard.
    fn lose(&mut self, at_ns: u64) {
        self.exchanges.lose(at_ns);
        (self.turn, self.first, self.reader) = (None, None, None);
        self.goes_on = false;
    }

    /// The server's side ends, or the connection breaks off.
    pub(crate) fn close(&mut self, at_ns: u64) {
        if let Some(first) = self.first.take() {
            self.turn_begins(first.began_ns);
        }
        if let Some(reader) = &mut self.reader {
            reader.ended(&mut self.exchanges);
        }
        self.exchanges.cut(at_ns);
        self.exchanges.settle();
    }

    /// What the client said last asks for no response.
    pub(crate) fn withdraw(&mut self) {
        if self.turn == Some(Speaker::Client) && self.first.take().is_none() {
            self.exchanges.withdrawn();
        }
    }

    /// Whether requests cannot be told apart, or perhaps not: nobody has asked anything so far, or who speaks in turn
    /// is all that tells them apart.
    pub(crate) fn may_be_undecided(&self) -> bool {
        self.undecided || self.turns == 0 || self.protocol.is_none()
    }

    /// How many exchanges are kept.
    pub(crate) fn kept(&self) -> usize {
        self.exchanges.len()
    }

    /// The looking ends.
    pub(crate) fn finish(mut self) -> (TalkTold, Exchanges, Option<SeenTls>) {
        if let Some(first) = self.first.take() {
            self.turn_begins(first.began_ns);
        }
        let by_turns = self.only_turns
            || self.tls.is_some()
            || self.protocol.is_none_or(|protocol| protocol.by_turns);
        let told = TalkTold {
            protocol: self.became.or(self.protocol.map(|protocol| protocol.name)),
            undecided: self.undecided,
            turns: self.turns,
            crossed: if by_turns { self.crossed } else { 0 },
        };
        (told, self.exchanges, self.tls)
    }
}

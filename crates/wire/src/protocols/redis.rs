//! Redis: commands and responses are counted, however many of them are sent at once.

use super::left;
use super::line::{LineStart, number};
use super::redis_keys::CommandParts;
use crate::cached::{CacheRefusal, CacheSaid};
use crate::exchanges::Exchanges;
use crate::protocol::{Guess, Protocol, ReadStop, Speaker, WirePiece, WireReader};

/// The protocol.
pub(crate) static REDIS: Protocol = Protocol {
    name: "redis",
    guess,
    greets: |_| false,
    open: |_| Box::<Redis>::default(),
    overlaps: true,
    by_turns: false,
};

/// Responses within responses, at most.
const MAX_DEPTH: usize = 64;
/// Commands after which a server speaks as it likes.
const STREAMS: &[&str] = &[
    "SUBSCRIBE",
    "PSUBSCRIBE",
    "SSUBSCRIBE",
    "MONITOR",
    "SYNC",
    "PSYNC",
    // Who takes over what is written says so with it, again and again.
    "REPLCONF",
];
/// How messages of a channel begin, which a client is sent that subscribed to it (RESP2).
const MESSAGES: [&[u8]; 3] = [
    b"*3\r\n$7\r\nmessage\r\n",
    b"*3\r\n$8\r\nsmessage\r\n",
    b"*4\r\n$8\r\npmessage\r\n",
];
/// The longest of them.
const MAX_BEGINNING: usize = 18;
/// How errors begin that refuse to keep something; others are about the command.
const REFUSALS: &[(&str, CacheRefusal)] = &[
    ("OOM ", CacheRefusal::OutOfMemory),
    ("READONLY ", CacheRefusal::ReadOnly),
    ("MISCONF ", CacheRefusal::ReadOnly),
    ("ERR string exceeds maximum", CacheRefusal::TooLarge),
];
/// The end of a line.
const LINE_END: u64 = 2;

/// A command is a list of texts: `*2\r\n$3\r\nGET\r\n$1\r\nk\r\n`.
fn guess(bytes: &[u8]) -> Guess {
    let Some(rest) = bytes.strip_prefix(b"*") else {
        return if bytes.is_empty() {
            Guess::More
        } else {
            Guess::No
        };
    };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let end = &rest[digits..];
    match (digits, end.len()) {
        (1..=7, 3..) if end.starts_with(b"\r\n$") => Guess::Yes,
        (0..=7, 0..3) if b"\r\n$".starts_with(end) => Guess::More,
        _ => Guess::No,
    }
}

/// One side: lines, and texts whose length is known.
#[derive(Default)]
struct RedisLines {
    line: LineStart,
    /// What is left of a text, with the end of its line.
    text: u64,
    /// So many parts are left, of each level.
    left: Vec<u64>,
    began: bool,
}

/// What a line says.
enum Item {
    /// That is all.
    Plain,
    /// A text of that length follows.
    Text(u64),
    /// So many parts follow.
    Parts(u64),
}

impl Item {
    fn of(line: &[u8]) -> Result<Self, ReadStop> {
        let (kind, rest) = line.split_first().ok_or(ReadStop::Lost)?;
        // -1: there is none.
        let count = || match rest {
            b"-1" => Ok(None),
            rest => number(rest, 10).map(Some).ok_or(ReadStop::Lost),
        };
        Ok(match kind {
            b'+' | b'-' | b':' | b',' | b'#' | b'_' | b'(' => Self::Plain,
            b'$' | b'=' | b'!' => match count()? {
                Some(length) => Self::Text(length.checked_add(2).ok_or(ReadStop::Lost)?),
                None => Self::Plain,
            },
            b'*' | b'~' | b'>' => Self::Parts(count()?.unwrap_or(0)),
            b'%' => Self::Parts(count()?.unwrap_or(0).checked_mul(2).ok_or(ReadStop::Lost)?),
            // Of an attribute the response itself is one more.
            b'|' => {
                let parts = count()?.unwrap_or(0).checked_mul(2).ok_or(ReadStop::Lost)?;
                Self::Parts(parts.checked_add(1).ok_or(ReadStop::Lost)?)
            }
            _ => return Err(ReadStop::Lost),
        })
    }
}

impl RedisLines {
    /// Skips a part of a text; what is left, and whether the whole ended.
    fn skip(&mut self, count: u64) -> bool {
        self.text -= count;
        self.text == 0 && self.part_ended()
    }

    /// A part has ended; whether the whole has.
    fn part_ended(&mut self) -> bool {
        while let Some(left) = self.left.last_mut() {
            *left -= 1;
            if *left > 0 {
                return false;
            }
            self.left.pop();
        }
        true
    }

    /// A line has come to its end; whether the whole has.
    fn item(&mut self, item: &Item) -> Result<bool, ReadStop> {
        match item {
            Item::Plain | Item::Parts(0) => Ok(self.part_ended()),
            Item::Text(length) => {
                self.text = *length;
                Ok(false)
            }
            Item::Parts(count) => {
                if self.left.len() >= MAX_DEPTH {
                    return Err(ReadStop::Lost);
                }
                self.left.push(*count);
                Ok(false)
            }
        }
    }
}

/// What a line of a response says of keys.
fn said(line: &[u8]) -> CacheSaid {
    match line {
        // A command of a transaction: it is done later.
        b"+QUEUED" => CacheSaid::NOTHING,
        b"$-1" => CacheSaid::NO_VALUE,
        [b'$' | b'=', ..] => CacheSaid::VALUE,
        b":0" => CacheSaid::NONE,
        [b'+' | b':', ..] => CacheSaid::TAKEN,
        [b'-', error @ ..] => {
            let of = |(begins, why): &(&str, CacheRefusal)| {
                error.starts_with(begins.as_bytes()).then_some(*why)
            };
            let why = REFUSALS.iter().find_map(of);
            why.map_or(CacheSaid::NOTHING, CacheSaid::refused)
        }
        _ => CacheSaid::NO_VALUE,
    }
}

/// One connection.
#[derive(Default)]
struct Redis {
    commands: RedisLines,
    responses: RedisLines,
    parts: CommandParts,
    /// It is no response: the server tells of something.
    unasked: bool,
    /// What a response begins with that comes while none is waited for.
    beginning: Option<Vec<u8>>,
}

impl Redis {
    fn commands(
        &mut self,
        mut bytes: &[u8],
        at_ns: u64,
        exchanges: &mut Exchanges,
    ) -> Result<(), ReadStop> {
        while let Some(first) = bytes.first() {
            if !self.commands.began {
                if matches!(first, b'\r' | b'\n') {
                    bytes = &bytes[1..];
                    continue;
                }
                self.commands.began = true;
                self.parts.begin();
                exchanges.asked(at_ns);
            }
            let ended = match self.commands.text {
                0 => {
                    let Some(rest) = self.commands.line.read(bytes) else {
                        return Ok(());
                    };
                    bytes = rest;
                    let line = self.commands.line.take();
                    let is_list = !self.commands.left.is_empty() || line.starts_with(b"*");
                    match is_list {
                        true => {
                            let item = Item::of(&line)?;
                            if matches!(item, Item::Text(_)) {
                                self.parts.part();
                            }
                            self.commands.item(&item)?
                        }
                        // Words in a line, as a person types them.
                        false => {
                            self.parts.words(&line);
                            true
                        }
                    }
                }
                left => {
                    let (skipped, rest) = left::split(bytes, left);
                    // Behind a text stands the end of its line.
                    let (text, _) = left::split(skipped, left.saturating_sub(LINE_END));
                    self.parts.add(text);
                    bytes = rest;
                    self.commands.skip(skipped.len() as u64)
                }
            };
            if ended {
                self.commands.began = false;
                self.command_ended(exchanges)?;
            }
        }
        Ok(())
    }

    fn command_ended(&self, exchanges: &mut Exchanges) -> Result<(), ReadStop> {
        if let Some(mark) = self.parts.mark() {
            exchanges.marked(mark);
        }
        match STREAMS.iter().any(|name| self.parts.is(name)) {
            true => Err(ReadStop::Undecided("redis")),
            false => Ok(()),
        }
    }

    fn responses(
        &mut self,
        mut bytes: &[u8],
        at_ns: u64,
        exchanges: &mut Exchanges,
    ) -> Result<(), ReadStop> {
        if self.responses.began {
            self.keep_beginning(bytes);
        }
        while let Some(first) = bytes.first() {
            if !self.responses.began {
                self.responses.began = true;
                self.unasked = *first == b'>';
                self.beginning = (exchanges.outstanding() == 0).then(Vec::new);
                self.keep_beginning(bytes);
                if !self.unasked {
                    exchanges.began(at_ns);
                }
            }
            let ended = match self.responses.text {
                0 => {
                    let Some(rest) = self.responses.line.read(bytes) else {
                        break;
                    };
                    bytes = rest;
                    let line = self.responses.line.take();
                    if !self.unasked {
                        exchanges.said(said(&line));
                    }
                    self.responses.item(&Item::of(&line)?)?
                }
                left => {
                    let (skipped, rest) = left::split(bytes, left);
                    bytes = rest;
                    self.responses.skip(skipped.len() as u64)
                }
            };
            if ended {
                self.response_ended(at_ns, exchanges)?;
            }
        }
        Ok(())
    }

    /// Keeps what a response begins with; what is behind a short one does no harm, since it is too short for a message.
    fn keep_beginning(&mut self, bytes: &[u8]) {
        if let Some(beginning) = &mut self.beginning {
            let room = MAX_BEGINNING.saturating_sub(beginning.len());
            beginning.extend(&bytes[..bytes.len().min(room)]);
        }
    }

    fn response_ended(&mut self, at_ns: u64, exchanges: &mut Exchanges) -> Result<(), ReadStop> {
        self.responses.began = false;
        let is_message =
            |beginning: Vec<u8>| MESSAGES.iter().any(|with| beginning.starts_with(with));
        if self.beginning.take().is_some_and(is_message) {
            return Err(ReadStop::Undecided("redis"));
        }
        if !self.unasked {
            exchanges.ended(at_ns);
        }
        Ok(())
    }
}

impl WireReader for Redis {
    fn read(
        &mut self,
        speaker: Speaker,
        piece: WirePiece<'_>,
        at_ns: u64,
        exchanges: &mut Exchanges,
    ) -> Result<(), ReadStop> {
        match (speaker, piece) {
            (Speaker::Client, WirePiece::Seen(bytes)) => self.commands(bytes, at_ns, exchanges),
            (Speaker::Server, WirePiece::Seen(bytes)) => self.responses(bytes, at_ns, exchanges),
            (Speaker::Client, WirePiece::Unseen(count)) => {
                if count > self.commands.text {
                    return Err(ReadStop::Lost);
                }
                self.parts.cut();
                if self.commands.skip(count) {
                    self.commands.began = false;
                    self.command_ended(exchanges)?;
                }
                Ok(())
            }
            (Speaker::Server, WirePiece::Unseen(count)) => {
                if count > self.responses.text {
                    return Err(ReadStop::Lost);
                }
                match self.responses.skip(count) {
                    true => self.response_ended(at_ns, exchanges),
                    false => Ok(()),
                }
            }
        }
    }
}

//! memcached: commands in lines, values whose length is known. Of its two forms the text is read, the usual one;
//! the binary one is told apart by turns.

use super::left;
use super::line::number;
use super::part_hash::PartHash;
use crate::cached::{CacheRefusal, CacheSaid};
use crate::exchanges::{Exchanges, WireMark};
use crate::protocol::{Guess, Protocol, ReadStop, Speaker, WirePiece, WireReader};

/// The protocol.
pub(crate) static MEMCACHED: Protocol = Protocol {
    name: "memcached",
    guess,
    greets: |_| false,
    open: |_| Box::<Memcached>::default(),
    overlaps: true,
    by_turns: false,
};

/// What a command is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Command {
    /// Looks for all keys behind so many words.
    Looks(u16),
    /// Puts a value somewhere; its length is that word.
    Stores(usize),
    /// The same, if nothing is under its key.
    Adds(usize),
    /// Anything else that is said in a line.
    Line,
    /// The connection ends.
    Quits,
}

/// All commands of protocol.txt of memcached 1.6.
const COMMANDS: [(&[u8], Command); 26] = [
    (b"get", Command::Looks(1)),
    (b"gets", Command::Looks(1)),
    (b"gat", Command::Looks(2)),
    (b"gats", Command::Looks(2)),
    (b"set", Command::Stores(4)),
    (b"add", Command::Adds(4)),
    (b"replace", Command::Stores(4)),
    (b"append", Command::Stores(4)),
    (b"prepend", Command::Stores(4)),
    (b"cas", Command::Stores(4)),
    (b"ms", Command::Stores(2)),
    (b"mg", Command::Looks(1)),
    (b"md", Command::Line),
    (b"ma", Command::Line),
    (b"me", Command::Line),
    (b"mn", Command::Line),
    (b"delete", Command::Line),
    (b"incr", Command::Line),
    (b"decr", Command::Line),
    (b"touch", Command::Line),
    (b"stats", Command::Line),
    (b"version", Command::Line),
    (b"verbosity", Command::Line),
    (b"flush_all", Command::Line),
    (b"watch", Command::Line),
    (b"quit", Command::Quits),
];
/// Responses of one line, and the words that they begin with.
const LINES: [&[u8]; 16] = [
    b"END",
    b"EN",
    b"STORED",
    b"NOT_STORED",
    b"EXISTS",
    b"NOT_FOUND",
    b"DELETED",
    b"TOUCHED",
    b"OK",
    b"VERSION",
    b"RESET",
    b"NS",
    b"EX",
    b"NF",
    b"MN",
    b"ME",
];
/// The line of a command without keys is no longer: a key has at most 250 bytes.
const MAX_LINE: usize = 1_024;
/// Behind a value stands the end of its line.
const LINE_END: u64 = 2;
/// Behind the last value of a response: `END\r\n`.
const END_LINE: u64 = 5;

/// A client begins with a command, and goes on with text.
fn guess(bytes: &[u8]) -> Guess {
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or(bytes);
    let is_text = line.iter().all(|byte| *byte >= b' ' || *byte == b'\r');
    let word = line.split(|byte| matches!(byte, b' ' | b'\r')).next();
    let word = word.unwrap_or_default();
    let is_whole = word.len() < bytes.len();
    let mut known = COMMANDS.iter().map(|(name, _)| *name);
    match is_whole {
        true if is_text && known.any(|name| name == word) => Guess::Yes,
        false if known.any(|name| name.starts_with(word)) => Guess::More,
        _ => Guess::No,
    }
}

/// One side: a line that is put together from pieces, and what is left of a value.
#[derive(Default)]
struct MemcachedSide {
    line: Vec<u8>,
    /// How many words it has, also those that are not kept.
    words: u16,
    in_word: bool,
    /// Some of it is not kept.
    is_cut: bool,
    /// What is left of a value, with the end of its line.
    value: u64,
    began: bool,
}

impl MemcachedSide {
    /// Takes bytes up to the line's end; what is behind it, if the end is there.
    fn read<'a>(&mut self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        let end = bytes.iter().position(|byte| *byte == b'\n');
        for byte in &bytes[..end.unwrap_or(bytes.len())] {
            let in_word = !matches!(byte, b' ' | b'\r');
            self.words = self
                .words
                .saturating_add(u16::from(in_word && !self.in_word));
            self.in_word = in_word;
            match self.line.len() < MAX_LINE {
                true => self.line.push(*byte),
                false => self.is_cut = true,
            }
        }
        end.map(|end| &bytes[end + 1..])
    }

    /// The line is done with.
    fn clear(&mut self) {
        self.line.clear();
        (self.words, self.in_word, self.is_cut) = (0, false, false);
    }

    /// The words that are kept.
    fn words(&self) -> impl Iterator<Item = &[u8]> {
        let words = self.line.split(|byte| matches!(byte, b' ' | b'\r'));
        words.filter(|word| !word.is_empty())
    }

    /// A word, from 0.
    fn word(&self, at: usize) -> &[u8] {
        self.words().nth(at).unwrap_or_default()
    }

    /// The length of a value that follows, by that word.
    fn length(&self, at: usize) -> Result<u64, ReadStop> {
        let length = number(self.word(at), 10).and_then(|length| length.checked_add(LINE_END));
        length.filter(|_| !self.is_cut).ok_or(ReadStop::Lost)
    }

    /// Skips bytes of a value; what is left of them.
    fn skip<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let (skipped, rest) = left::split(bytes, self.value);
        self.value -= skipped.len() as u64;
        rest
    }
}

/// One connection.
#[derive(Default)]
struct Memcached {
    commands: MemcachedSide,
    responses: MemcachedSide,
    /// The response is over with the value that is being skipped.
    ends_with_value: bool,
}

impl Memcached {
    fn commands(
        &mut self,
        mut bytes: &[u8],
        at_ns: u64,
        exchanges: &mut Exchanges,
    ) -> Result<(), ReadStop> {
        while !bytes.is_empty() {
            if self.commands.value > 0 {
                bytes = self.commands.skip(bytes);
                continue;
            }
            if !self.commands.began {
                self.commands.began = true;
                exchanges.asked(at_ns);
            }
            let Some(rest) = self.commands.read(bytes) else {
                return Ok(());
            };
            bytes = rest;
            let told = self.command(exchanges);
            self.commands.clear();
            self.commands.began = false;
            told?;
        }
        Ok(())
    }

    /// A line of a command has come to its end.
    fn command(&mut self, exchanges: &mut Exchanges) -> Result<(), ReadStop> {
        let side = &mut self.commands;
        let name = side.word(0);
        let known = COMMANDS.iter().find(|(known, _)| *known == name);
        let (name, command) = known.ok_or(ReadStop::Lost)?;
        let is_meta = matches!(name, [b'm', _]);
        // Such a command may have no response.
        let is_quiet = || is_meta && side.words().skip(2).any(|flag| flag == b"q");
        if *name == b"watch" || is_quiet() {
            return Err(ReadStop::Undecided("memcached"));
        }
        match command {
            Command::Looks(before) => {
                // Behind the key of a meta command stand its flags.
                let keys = if is_meta {
                    1
                } else {
                    side.words.saturating_sub(*before)
                };
                let key = match keys {
                    1 => PartHash::of(side.word(usize::from(*before))),
                    _ => 0,
                };
                exchanges.marked(WireMark::Looks { keys, key });
            }
            Command::Stores(at) => {
                side.value = side.length(*at)?;
                let key = PartHash::of(side.word(1));
                exchanges.marked(WireMark::Stores { key });
            }
            Command::Adds(at) => {
                side.value = side.length(*at)?;
                exchanges.marked(WireMark::Tries(PartHash::of(side.word(1))));
            }
            Command::Line | Command::Quits => {}
        }
        let says_nothing = side.word(usize::from(side.words.saturating_sub(1))) == b"noreply";
        if says_nothing || *command == Command::Quits {
            exchanges.withdrawn();
        }
        Ok(())
    }

    fn responses(
        &mut self,
        mut bytes: &[u8],
        at_ns: u64,
        exchanges: &mut Exchanges,
    ) -> Result<(), ReadStop> {
        while !bytes.is_empty() {
            if self.responses.value > 0 {
                bytes = self.responses.skip(bytes);
                self.value_ended(at_ns, exchanges);
                continue;
            }
            if !self.responses.began {
                self.responses.began = true;
                exchanges.began(at_ns);
            }
            let Some(rest) = self.responses.read(bytes) else {
                return Ok(());
            };
            bytes = rest;
            let is_over = self.response(exchanges);
            self.responses.clear();
            if is_over? {
                self.ended(at_ns, exchanges);
            }
        }
        Ok(())
    }

    /// A line of a response has come to its end; whether the response has.
    fn response(&mut self, exchanges: &mut Exchanges) -> Result<bool, ReadStop> {
        let side = &mut self.responses;
        match side.word(0) {
            b"VALUE" => {
                side.value = side.length(3)?;
                exchanges.said(CacheSaid::VALUE);
                Ok(false)
            }
            b"VA" => {
                side.value = side.length(1)?;
                self.ends_with_value = true;
                exchanges.said(CacheSaid::VALUE);
                Ok(false)
            }
            b"STAT" => Ok(false),
            b"STORED" => {
                exchanges.said(CacheSaid::TAKEN);
                Ok(true)
            }
            // Of a lookup without its value the key is there; of a store it was taken.
            b"HD" => {
                exchanges.said(CacheSaid::VALUE);
                exchanges.said(CacheSaid::TAKEN);
                Ok(true)
            }
            b"SERVER_ERROR" => {
                exchanges.said(CacheSaid::refused(refusal(&side.line)));
                exchanges.failed();
                Ok(true)
            }
            b"ERROR" | b"CLIENT_ERROR" => {
                exchanges.said(CacheSaid::NOTHING);
                Ok(true)
            }
            word if LINES.contains(&word) || word.iter().all(u8::is_ascii_digit) => Ok(true),
            _ => Err(ReadStop::Lost),
        }
    }

    fn value_ended(&mut self, at_ns: u64, exchanges: &mut Exchanges) {
        if self.responses.value == 0 && self.ends_with_value {
            self.ends_with_value = false;
            self.ended(at_ns, exchanges);
        }
    }

    fn ended(&mut self, at_ns: u64, exchanges: &mut Exchanges) {
        self.responses.began = false;
        exchanges.ended(at_ns);
    }
}

/// Why something is not taken, by the words of memcached's own code.
fn refusal(line: &[u8]) -> CacheRefusal {
    let says = |words: &[u8]| line.windows(words.len()).any(|part| part == words);
    match () {
        () if says(b"too large") => CacheRefusal::TooLarge,
        () if says(b"out of memory") => CacheRefusal::OutOfMemory,
        () => CacheRefusal::Other,
    }
}

impl WireReader for Memcached {
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
                // A command must be seen.
                let left = self.commands.value.checked_sub(count);
                self.commands.value = left.ok_or(ReadStop::Lost)?;
                Ok(())
            }
            (Speaker::Server, WirePiece::Unseen(count)) => self.unseen(count, at_ns, exchanges),
        }
    }
}

impl Memcached {
    /// So many bytes of a response were not kept: of a value, or of the last one and the line behind it.
    fn unseen(
        &mut self,
        count: u64,
        at_ns: u64,
        exchanges: &mut Exchanges,
    ) -> Result<(), ReadStop> {
        let value = self.responses.value;
        let is_last = value > 0 && !self.ends_with_value && count == value + END_LINE;
        if count > value && !is_last {
            return Err(ReadStop::Lost);
        }
        self.responses.value -= count.min(value);
        match is_last {
            true => self.ended(at_ns, exchanges),
            false => self.value_ended(at_ns, exchanges),
        }
        Ok(())
    }
}

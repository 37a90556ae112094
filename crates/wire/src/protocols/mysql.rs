//! MySQL and MariaDB: packets with a number each, which begins anew with each command.

use std::collections::HashMap;

use super::left;
use super::statements::StatementText;
use super::tls::TlsTalk;
use crate::exchanges::{Exchanges, WireMark};
use crate::protocol::{Guess, Protocol, ReadStop, SeenTls, Speaker, WirePiece, WireReader};

/// The protocol.
pub(crate) static MYSQL: Protocol = Protocol {
    name: "mysql",
    guess,
    greets,
    open: |_| Box::<Mysql>::default(),
    overlaps: false,
    by_turns: false,
};

const HEAD_BYTES: usize = 4;
/// What is looked at of a packet: its head, a command, or what a client can.
const KEPT_BYTES: usize = HEAD_BYTES + 4;
/// So many prepared statements of a connection are known.
const MAX_PREPARED: usize = 512;
/// So much of a command that is longer shows enough of its form.
const ENOUGH_BYTES: usize = 64;
/// A client's first packet if it wants TLS has this length.
const TLS_REQUEST: u64 = 32;
/// Among what it can: pack all packets (two ways), TLS.
const PACKS: u32 = 1 << 5 | 1 << 26;
const SPEAKS_TLS: u32 = 1 << 11;
/// The first byte of a response by which the server wants a file of the client's (`LOAD DATA LOCAL`).
const WANTS_FILE: u8 = 0xfb;
/// What may be asked for with many rows at once: the keys that were made, rows with their types (MariaDB).
const BULK_FLAGS: u16 = 1 << 6 | 1 << 7;

/// Commands.
mod command {
    pub(super) const QUIT: u8 = 1;
    pub(super) const INIT_DB: u8 = 2;
    pub(super) const QUERY: u8 = 3;
    pub(super) const PING: u8 = 14;
    pub(super) const BINLOG_DUMP: u8 = 18;
    pub(super) const PREPARE: u8 = 22;
    pub(super) const EXECUTE: u8 = 23;
    pub(super) const LONG_DATA: u8 = 24;
    pub(super) const CLOSE: u8 = 25;
    pub(super) const RESET: u8 = 26;
    pub(super) const FETCH: u8 = 28;
    pub(super) const BINLOG_DUMP_GTID: u8 = 30;
    pub(super) const RESET_CONNECTION: u8 = 31;
    pub(super) const BULK_EXECUTE: u8 = 250;
}

/// A connection in the middle is known by a whole command, whose form is narrow.
fn guess(bytes: &[u8]) -> Guess {
    let Some((head, rest)) = bytes.split_at_checked(HEAD_BYTES) else {
        return Guess::More;
    };
    let length = u32::from_le_bytes([head[0], head[1], head[2], 0]);
    if head[3] != 0 || length == 0 {
        return Guess::No;
    }
    let Some(code) = rest.first() else {
        return Guess::More;
    };
    let printable = |byte: &u8| (9..127).contains(byte) || *byte >= 128;
    let fits = match *code {
        command::QUIT | command::PING | command::RESET_CONNECTION => length == 1,
        command::QUERY | command::PREPARE | command::INIT_DB => {
            let Some(first) = rest.get(1) else {
                return if length > 1 { Guess::More } else { Guess::No };
            };
            length > 1 && printable(first)
        }
        // The number of executions is always 1.
        command::EXECUTE => match rest.get(6..10) {
            Some(once) => length >= 10 && once == [1, 0, 0, 0],
            None if length >= 10 => return Guess::More,
            None => false,
        },
        command::CLOSE | command::RESET => length == 5,
        command::FETCH => length == 9,
        command::BULK_EXECUTE => match rest.get(5..7) {
            Some(flags) => {
                let flags = u16::from_le_bytes([flags[0], flags[1]]);
                length >= 7 && flags & !BULK_FLAGS == 0
            }
            None if length >= 7 => return Guess::More,
            None => false,
        },
        _ => false,
    };
    let complete = rest.len() as u32 >= length || bytes.len() >= ENOUGH_BYTES;
    match (fits, complete) {
        (false, _) => Guess::No,
        (true, false) => Guess::More,
        (true, true) => Guess::Yes,
    }
}

/// The server's first packet: its version of the protocol is 10.
fn greets(bytes: &[u8]) -> bool {
    let Some((head, rest)) = bytes.split_at_checked(HEAD_BYTES) else {
        return false;
    };
    let length = u32::from_le_bytes([head[0], head[1], head[2], 0]) as usize;
    head[3] == 0 && rest.first() == Some(&10) && length == rest.len()
}

/// One side's packets.
#[derive(Default)]
struct SqlPackets {
    kept: Vec<u8>,
    left: u64,
    /// When the packet began.
    began_ns: u64,
}

/// A packet of which enough has come.
struct SqlPacket {
    began_ns: u64,
    length: u64,
    number: u8,
    content: [u8; KEPT_BYTES - HEAD_BYTES],
}

impl SqlPackets {
    /// What belongs to the packet that is being skipped, and what is behind it.
    fn skip_in<'a>(&mut self, bytes: &'a [u8]) -> (&'a [u8], &'a [u8]) {
        let (skipped, rest) = left::split(bytes, self.left);
        self.left -= skipped.len() as u64;
        (skipped, rest)
    }

    fn skip(&mut self, count: u64) -> Result<(), ReadStop> {
        self.left = self.left.checked_sub(count).ok_or(ReadStop::Lost)?;
        Ok(())
    }

    /// Takes what belongs to the next packet's beginning; what is behind it, and the packet as soon
    /// as its beginning is there.
    fn next<'a>(&mut self, bytes: &'a [u8], at_ns: u64) -> (Option<SqlPacket>, &'a [u8]) {
        if self.kept.is_empty() {
            self.began_ns = at_ns;
        }
        let (taken, rest) = bytes.split_at((self.wanted() - self.kept.len()).min(bytes.len()));
        self.kept.extend(taken);
        let Some(head) = self.kept.first_chunk::<HEAD_BYTES>() else {
            return (None, rest);
        };
        if self.kept.len() < self.wanted() {
            return (None, rest);
        }
        let (length, number) = (length(*head), head[3]);
        let mut content = [0; KEPT_BYTES - HEAD_BYTES];
        for (to, from) in content.iter_mut().zip(&self.kept[HEAD_BYTES..]) {
            *to = *from;
        }
        self.left = length - (self.kept.len() - HEAD_BYTES) as u64;
        self.kept.clear();
        let packet = SqlPacket {
            began_ns: self.began_ns,
            length,
            number,
            content,
        };
        (Some(packet), rest)
    }

    /// So many bytes are to be kept of this packet.
    fn wanted(&self) -> usize {
        let Some(head) = self.kept.first_chunk::<HEAD_BYTES>() else {
            return HEAD_BYTES;
        };
        let content = length(*head).min((KEPT_BYTES - HEAD_BYTES) as u64);
        HEAD_BYTES + content as usize
    }
}

fn length(head: [u8; HEAD_BYTES]) -> u64 {
    u64::from(u32::from_le_bytes([head[0], head[1], head[2], 0]))
}

/// The number of a prepared statement, by its first three bytes.
fn statement_number([first, second, third]: [u8; 3]) -> u32 {
    u32::from_le_bytes([first, second, third, 0])
}

/// One connection.
#[derive(Default)]
struct Mysql {
    client: SqlPackets,
    server: SqlPackets,
    /// The number of the server's last packet.
    last: Option<u8>,
    /// The number that the client's next packet has if it goes on with what was said.
    goes_on: Option<u8>,
    /// The client sends a file, until the server speaks.
    in_file: bool,
    /// There was a command.
    commands: bool,
    /// The statement that is asked for or prepared, while it comes.
    text: StatementText,
    in_text: Option<u8>,
    /// The response to a statement that is prepared tells its number.
    preparing: Option<WireMark>,
    prepared: HashMap<u32, WireMark>,
    tls: Option<TlsTalk>,
}

impl Mysql {
    fn command(&mut self, packet: &SqlPacket, exchanges: &mut Exchanges) -> Result<(), ReadStop> {
        let [code, ..] = packet.content;
        let follows = self.goes_on.replace(packet.number.wrapping_add(1));
        let is_known = packet.number == 0 || follows.is_none_or(|next| next == packet.number);
        if !is_known {
            return Err(ReadStop::Lost);
        }
        if self.in_file {
            return Ok(());
        }
        match (packet.number, code) {
            // What a client can, while nobody has given a command.
            (1, _) if !self.commands && packet.length >= 4 => {
                let can = u32::from_le_bytes(packet.content);
                if packet.length == TLS_REQUEST && can & SPEAKS_TLS != 0 {
                    self.tls = Some(TlsTalk::new(true));
                } else if can & PACKS != 0 {
                    return Err(ReadStop::ByTurns);
                }
                Ok(())
            }
            (0, command::BINLOG_DUMP | command::BINLOG_DUMP_GTID) => {
                Err(ReadStop::Undecided("mysql"))
            }
            // They have no response.
            (0, command::QUIT | command::LONG_DATA | command::CLOSE) => Ok(()),
            (0, _) => {
                self.commands = true;
                (self.last, self.preparing) = (None, None);
                exchanges.asked(packet.began_ns);
                self.statement(packet, exchanges);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// A command begins that may have to do with a transaction.
    fn statement(&mut self, packet: &SqlPacket, exchanges: &mut Exchanges) {
        let [code, rest @ ..] = packet.content;
        self.in_text = None;
        match code {
            command::QUERY | command::PREPARE => {
                let (text, _) = left::split(&rest, packet.length.saturating_sub(1));
                self.text.clear();
                self.text.add(text);
                self.in_text = Some(code);
                self.text_ended(exchanges);
            }
            command::EXECUTE => {
                let known = self.prepared.get(&statement_number(rest));
                known.into_iter().for_each(|mark| exchanges.marked(*mark));
            }
            _ => {}
        }
    }

    /// The statement is known as soon as all of it has come.
    fn text_ended(&mut self, exchanges: &mut Exchanges) {
        if self.client.left > 0 {
            return;
        }
        let mark = self.text.mark(&mut exchanges.tables);
        match self.in_text.take() {
            Some(command::QUERY) => mark.into_iter().for_each(|mark| exchanges.marked(mark)),
            Some(_) => self.preparing = mark,
            None => {}
        }
    }

    /// The first packet of the response to a statement that was to be prepared.
    fn is_prepared(&mut self, packet: &SqlPacket) {
        let [status, rest @ ..] = packet.content;
        let Some(mark) = self.preparing.take().filter(|_| status == 0) else {
            return;
        };
        if self.prepared.len() < MAX_PREPARED {
            self.prepared.insert(statement_number(rest), mark);
        }
    }

    fn client(
        &mut self,
        mut bytes: &[u8],
        at_ns: u64,
        exchanges: &mut Exchanges,
    ) -> Result<(), ReadStop> {
        loop {
            let (skipped, rest) = self.client.skip_in(bytes);
            bytes = rest;
            if self.in_text.is_some() && !skipped.is_empty() {
                self.text.add(skipped);
                self.text_ended(exchanges);
            }
            if bytes.is_empty() {
                return Ok(());
            }
            if let Some(tls) = &mut self.tls {
                return tls.read(Speaker::Client, WirePiece::Seen(bytes), at_ns, exchanges);
            }
            let (packet, rest) = self.client.next(bytes, at_ns);
            bytes = rest;
            if let Some(packet) = packet {
                self.command(&packet, exchanges)?;
            }
        }
    }

    fn server(&mut self, mut bytes: &[u8], at_ns: u64, exchanges: &mut Exchanges) {
        loop {
            let before = bytes.len();
            (_, bytes) = self.server.skip_in(bytes);
            if bytes.len() < before {
                exchanges.ended(at_ns);
            }
            if bytes.is_empty() {
                return;
            }
            let (packet, rest) = self.server.next(bytes, at_ns);
            bytes = rest;
            if let Some(packet) = packet {
                // A response begins with 1, and may have more packets than there are numbers.
                let had_file = std::mem::take(&mut self.in_file);
                if packet.number == 1 && self.last != Some(0) && !had_file {
                    self.is_prepared(&packet);
                    exchanges.began(packet.began_ns);
                    self.in_file = self.commands && packet.content[0] == WANTS_FILE;
                }
                self.last = Some(packet.number);
                self.goes_on = Some(packet.number.wrapping_add(1));
                exchanges.ended(at_ns);
            }
        }
    }
}

impl WireReader for Mysql {
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
            (Speaker::Server, WirePiece::Seen(bytes), None) => {
                self.server(bytes, at_ns, exchanges);
                Ok(())
            }
            (Speaker::Client, WirePiece::Unseen(count), None) => {
                self.text.cut();
                self.client.skip(count)?;
                self.text_ended(exchanges);
                Ok(())
            }
            (Speaker::Server, WirePiece::Unseen(count), None) => {
                exchanges.ended(at_ns);
                self.server.skip(count)
            }
        }
    }
}

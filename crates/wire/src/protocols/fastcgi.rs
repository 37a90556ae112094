//! FastCGI, as web servers speak it to PHP-FPM and the like: records with a head of eight bytes. A
//! request begins with one record and its response ends with another; no server that is known sends
//! several requests on a connection at once. Source: FastCGI Specification, version 1.0.

use super::left;
use crate::exchanges::Exchanges;
use crate::protocol::{Guess, Protocol, ReadStop, Speaker, WirePiece, WireReader};

/// The protocol.
pub(crate) static FASTCGI: Protocol = Protocol {
    name: "fastcgi",
    guess,
    greets: |_| false,
    open: |_| Box::<FastCgi>::default(),
    overlaps: false,
    by_turns: false,
};

const VERSION: u8 = 1;
const HEAD_BYTES: usize = 8;

/// Kinds of records.
mod kind {
    pub(super) const BEGIN: u8 = 1;
    pub(super) const END: u8 = 3;
    pub(super) const LAST: u8 = 11;
}

/// Version, kind, the request's number, a content of eight bytes, no padding, a byte that says
/// nothing, and what the application is to be: a responder, an authorizer or a filter.
fn guess(bytes: &[u8]) -> Guess {
    let fits: [fn(u8) -> bool; 10] = [
        |version| version == VERSION,
        |kind| kind == kind::BEGIN,
        |_| true,
        |_| true,
        |high| high == 0,
        |low| low == 8,
        |_| true,
        |_| true,
        |high| high == 0,
        |role| (1..=3).contains(&role),
    ];
    match bytes.iter().zip(fits).all(|(byte, fits)| fits(*byte)) {
        false => Guess::No,
        true if bytes.len() < fits.len() => Guess::More,
        true => Guess::Yes,
    }
}

/// One side's records.
#[derive(Default)]
struct FastCgiRecords {
    head: Vec<u8>,
    kind: u8,
    /// When the record's head began.
    began_ns: u64,
    /// What is left of the record's content and padding.
    left: u64,
}

/// What a record does; when, of its beginning.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FastCgiStep {
    Began(u8, u64),
    Ended(u8),
}

impl FastCgiRecords {
    /// Reads on, and tells of each record that begins or ends.
    fn read(
        &mut self,
        piece: WirePiece<'_>,
        at_ns: u64,
        mut tell: impl FnMut(FastCgiStep),
    ) -> Result<(), ReadStop> {
        let mut bytes = match piece {
            WirePiece::Seen(bytes) => bytes,
            WirePiece::Unseen(count) if count <= self.left => {
                self.skip(count, &mut tell);
                return Ok(());
            }
            // A head was not kept: what goes on can only be told by whose turn it is.
            WirePiece::Unseen(_) => return Err(ReadStop::ByTurns),
        };
        while !bytes.is_empty() {
            let taken = match self.left {
                0 => {
                    if self.head.is_empty() {
                        self.began_ns = at_ns;
                    }
                    let taken = (HEAD_BYTES - self.head.len()).min(bytes.len());
                    self.head.extend(&bytes[..taken]);
                    self.begin(&mut tell)?;
                    taken
                }
                left => {
                    let (skipped, _) = left::split(bytes, left);
                    self.skip(skipped.len() as u64, &mut tell);
                    skipped.len()
                }
            };
            bytes = &bytes[taken..];
        }
        Ok(())
    }

    /// Begins a record if all of its head is there.
    fn begin(&mut self, tell: &mut impl FnMut(FastCgiStep)) -> Result<(), ReadStop> {
        let &[version, kind, _, _, high, low, padding, _] = self.head.as_slice() else {
            return Ok(());
        };
        if version != VERSION || !(kind::BEGIN..=kind::LAST).contains(&kind) {
            return Err(ReadStop::Lost);
        }
        self.head.clear();
        self.kind = kind;
        self.left = u64::from(u16::from_be_bytes([high, low])) + u64::from(padding);
        tell(FastCgiStep::Began(kind, self.began_ns));
        if self.left == 0 {
            tell(FastCgiStep::Ended(kind));
        }
        Ok(())
    }

    fn skip(&mut self, count: u64, tell: &mut impl FnMut(FastCgiStep)) {
        self.left -= count;
        if self.left == 0 && count > 0 {
            tell(FastCgiStep::Ended(self.kind));
        }
    }
}

/// One connection.
#[derive(Default)]
struct FastCgi {
    client: FastCgiRecords,
    server: FastCgiRecords,
    /// A response has begun and not ended.
    responds: bool,
}

impl WireReader for FastCgi {
    fn read(
        &mut self,
        speaker: Speaker,
        piece: WirePiece<'_>,
        at_ns: u64,
        exchanges: &mut Exchanges,
    ) -> Result<(), ReadStop> {
        let responds = &mut self.responds;
        match speaker {
            Speaker::Client => self.client.read(piece, at_ns, |step| {
                if let FastCgiStep::Began(kind::BEGIN, began_ns) = step {
                    exchanges.asked(began_ns);
                }
            }),
            Speaker::Server => {
                let read = self.server.read(piece, at_ns, |step| match step {
                    FastCgiStep::Began(_, began_ns) if !*responds => {
                        *responds = true;
                        exchanges.began(began_ns);
                        exchanges.more(at_ns);
                    }
                    FastCgiStep::Ended(kind::END) => {
                        *responds = false;
                        exchanges.ended(at_ns);
                    }
                    FastCgiStep::Began(..) | FastCgiStep::Ended(_) => exchanges.more(at_ns),
                });
                if read == Err(ReadStop::ByTurns) && *responds {
                    exchanges.ended(at_ns);
                }
                read
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::exchanges::HowSeen;

    fn record(kind: u8, content: &[u8], padding: u8) -> Vec<u8> {
        let length = u16::try_from(content.len()).unwrap().to_be_bytes();
        let mut bytes = vec![1, kind, 0, 1, length[0], length[1], padding, 0];
        bytes.extend(content);
        bytes.extend(vec![0; usize::from(padding)]);
        bytes
    }

    fn request(body: usize) -> Vec<u8> {
        let begin = record(1, &[0, 1, 1, 0, 0, 0, 0, 0], 0);
        let names = record(4, &[7; 300], 4);
        let body = match body {
            0 => Vec::new(),
            bytes => record(5, &vec![1; bytes], 1),
        };
        [begin, names, record(4, &[], 0), body, record(5, &[], 0)].concat()
    }

    fn response(bytes: usize) -> Vec<u8> {
        let out = record(6, &vec![2; bytes], 3);
        [out, record(7, b"a warning", 7), record(3, &[0; 8], 0)].concat()
    }

    #[test]
    fn a_request_is_known_by_its_first_bytes() {
        let whole = request(0);
        for count in 0..10 {
            assert_eq!(guess(&whole[..count]), Guess::More);
        }
        assert_eq!(guess(&whole), Guess::Yes);
        assert_eq!(guess(b"GET / HTTP/1.1\r\n"), Guess::No);
        assert_eq!(
            crate::protocols::registry::guess(&whole).map(|found| found.map(|one| one.name)),
            Ok(Some("fastcgi"))
        );
    }

    #[test]
    fn requests_and_responses_are_told_apart_however_they_are_cut() {
        for pieces in [1, 2, 3, 7, 8, 9, 64, 1_000, 100_000] {
            let mut reader = FastCgi::default();
            let mut exchanges = Exchanges::new(0, true);
            let mut at_ns = 0;
            for bytes in [0, 1, 65_535] {
                for (speaker, said) in [
                    (Speaker::Client, request(bytes)),
                    (Speaker::Server, response(bytes)),
                ] {
                    for piece in said.chunks(pieces) {
                        at_ns += 1;
                        let piece = WirePiece::Seen(piece);
                        assert_eq!(reader.read(speaker, piece, at_ns, &mut exchanges), Ok(()));
                    }
                }
            }
            let all = exchanges.finish(at_ns + 1);
            assert_eq!(all.len(), 3, "{pieces}");
            assert!(all.iter().all(|one| one.seen == HowSeen::Whole));
            assert_eq!(all[2].done_ns, at_ns);
        }
    }

    #[test]
    fn content_that_was_not_kept_is_passed_over() {
        let mut reader = FastCgi::default();
        let mut exchanges = Exchanges::new(0, true);
        let asks = request(0);
        let responds = response(60_000);
        let mut hear = |speaker, piece, at_ns| reader.read(speaker, piece, at_ns, &mut exchanges);
        assert_eq!(hear(Speaker::Client, WirePiece::Seen(&asks), 1), Ok(()));
        assert_eq!(
            hear(Speaker::Server, WirePiece::Seen(&responds[..100]), 2),
            Ok(())
        );
        assert_eq!(hear(Speaker::Server, WirePiece::Unseen(59_911), 3), Ok(()));
        assert_eq!(
            hear(Speaker::Server, WirePiece::Seen(&responds[60_011..]), 4),
            Ok(())
        );
        assert_eq!(hear(Speaker::Client, WirePiece::Seen(&asks), 5), Ok(()));
        assert_eq!(
            hear(Speaker::Server, WirePiece::Seen(&responds[..100]), 6),
            Ok(())
        );
        // The end's head is among what was not kept.
        let unseen = WirePiece::Unseen(responds.len() as u64 - 100);
        assert_eq!(hear(Speaker::Server, unseen, 7), Err(ReadStop::ByTurns));
        let done: Vec<u64> = exchanges.finish(9).iter().map(|one| one.done_ns).collect();
        assert_eq!(done, [4, 7]);
    }
}

//! Protocols whose requests overlap on a connection, each with a number, or that have none, and that have no reader:
//! they are known, so that nobody takes turns for requests.

use crate::exchanges::Exchanges;
use crate::protocol::{Guess, Protocol, ReadStop, Speaker, WirePiece, WireReader};

/// All of them.
pub(crate) static MULTIPLEXED: [Protocol; 6] = [
    known("dubbo", dubbo, |_| Box::new(Unread("dubbo"))),
    known("amqp", amqp, |_| Box::new(Unread("amqp"))),
    known("nats", nats, |_| Box::new(Unread("nats"))),
    known("kafka", kafka, |_| Box::new(Unread("kafka"))),
    known("cassandra", cassandra, |_| Box::new(Unread("cassandra"))),
    known("postgres", replica, |_| Box::new(Unread("postgres"))),
];

/// So much of a message that is longer shows enough of its form.
const ENOUGH_BYTES: usize = 64;

const fn known(
    name: &'static str,
    guess: fn(&[u8]) -> Guess,
    open: fn(bool) -> Box<dyn WireReader>,
) -> Protocol {
    Protocol {
        name,
        guess,
        greets: |_| false,
        open,
        overlaps: true,
        by_turns: false,
    }
}

/// Whether bytes begin so.
fn begins(bytes: &[u8], with: &[u8]) -> Guess {
    match (bytes.starts_with(with), with.starts_with(bytes)) {
        (true, _) => Guess::Yes,
        (false, true) => Guess::More,
        (false, false) => Guess::No,
    }
}

/// Whether bytes are one message of that length, or the beginning of one.
fn is_message(bytes: &[u8], length: usize) -> Guess {
    match bytes.len() {
        count if count >= length.min(ENOUGH_BYTES) => Guess::Yes,
        _ => Guess::More,
    }
}

fn number(bytes: &[u8], at: usize, count: usize) -> Option<usize> {
    let bytes = bytes.get(at..at + count)?;
    Some(
        bytes
            .iter()
            .fold(0, |sum, byte| sum << 8 | usize::from(*byte)),
    )
}

fn dubbo(bytes: &[u8]) -> Guess {
    begins(bytes, &[0xda, 0xbb])
}

/// The protocol's name, or frames: kind, channel, length, content, an end.
fn amqp(bytes: &[u8]) -> Guess {
    let named = begins(bytes, b"AMQP");
    if named != Guess::No {
        return named;
    }
    let Some(length) = number(bytes, 3, 4) else {
        let may_be = bytes.first().is_some_and(|kind| (1..=3).contains(kind));
        return if may_be && bytes.len() < 7 {
            Guess::More
        } else {
            Guess::No
        };
    };
    let ends = bytes.get(7 + length) == Some(&0xce);
    match (1..=3).contains(&bytes[0]) && ends {
        true => Guess::Yes,
        false => Guess::No,
    }
}

fn nats(bytes: &[u8]) -> Guess {
    let all = ["CONNECT {", "PUB ", "HPUB ", "SUB "];
    either(&all.map(|with| begins(bytes, with.as_bytes())))
}

/// What several guesses are together.
fn either(guesses: &[Guess]) -> Guess {
    match (
        guesses.contains(&Guess::Yes),
        guesses.contains(&Guess::More),
    ) {
        (true, _) => Guess::Yes,
        (false, true) => Guess::More,
        (false, false) => Guess::No,
    }
}

/// Length, kind and version of a request, its number, the client's name.
fn kafka(bytes: &[u8]) -> Guess {
    let fits = |at: usize, count: usize, fits: fn(usize) -> bool| {
        number(bytes, at, count).is_none_or(fits)
    };
    let head = fits(0, 4, |length| (14..1 << 27).contains(&length))
        && fits(4, 2, |kind| kind <= 100)
        && fits(6, 2, |version| version <= 30)
        && fits(12, 2, |name| name <= 256 || name == 0xffff);
    match (head, number(bytes, 0, 4), bytes.get(14)) {
        (false, _, _) => Guess::No,
        (true, Some(length), Some(first)) => {
            let unnamed = number(bytes, 12, 2).is_some_and(|name| name == 0 || name == 0xffff);
            match unnamed || first.is_ascii_graphic() {
                true => is_message(bytes, 4 + length),
                false => Guess::No,
            }
        }
        _ => Guess::More,
    }
}

/// Version, flags, the request's number, what it asks for, length.
fn cassandra(bytes: &[u8]) -> Guess {
    let version = bytes
        .first()
        .is_none_or(|version| (3..=5).contains(version));
    let flags = bytes.get(1).is_none_or(|flags| *flags < 32);
    let kinds = [1, 5, 7, 9, 10, 11, 13, 15];
    let kind = bytes.get(4).is_none_or(|kind| kinds.contains(kind));
    match (version && flags && kind, number(bytes, 5, 4)) {
        (false, _) => Guess::No,
        (true, None) => Guess::More,
        (true, Some(length)) if length < 1 << 28 => is_message(bytes, 9 + length),
        (true, Some(_)) => Guess::No,
    }
}

/// What a replica of PostgreSQL says while it is sent what is written, in messages `d`: how far it has come (`r`), and
/// what it needs yet (`h`).
fn replica(bytes: &[u8]) -> Guess {
    let guesses = [&b"d\0\0\0\x26r"[..], b"d\0\0\0\x1dh"].map(|with| begins(bytes, with));
    either(&guesses)
}

/// Reads nothing: that is all that is known of it.
struct Unread(&'static str);

impl WireReader for Unread {
    fn read(
        &mut self,
        _: Speaker,
        _: WirePiece<'_>,
        _: u64,
        _: &mut Exchanges,
    ) -> Result<(), ReadStop> {
        Err(ReadStop::Undecided(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_known_by_a_request_and_by_no_other_protocol_s() {
        let kafka = b"\0\0\0\x1a\0\x01\0\x0b\0\0\0\x07\0\x08consumer12345678";
        let requests: [(&str, &[u8]); 10] = [
            ("dubbo", b"\xda\xbb\xc2\0"),
            ("amqp", b"AMQP\0\0\x09\x01"),
            ("amqp", b"\x01\0\x01\0\0\0\x04\0\x3c\0\x28\xce"),
            ("nats", b"PUB x 1\r\na\r\n"),
            ("nats", b"CONNECT {\"verbose\":false}\r\n"),
            ("kafka", kafka),
            ("cassandra", b"\x04\0\0\x01\x07\0\0\0\x02ab"),
            ("postgres", b"d\0\0\0\x26r\0\0\0\0\x01\x50"),
            ("", b"d\0\0\0\x261,one"),
            ("", b"\x05\0\0\0\x03hello"),
        ];
        for (name, bytes) in requests {
            let known = MULTIPLEXED
                .iter()
                .filter(|one| (one.guess)(bytes) == Guess::Yes);
            let names: Vec<&str> = known.map(|one| one.name).collect();
            let wanted: Vec<&str> = [name].into_iter().filter(|name| !name.is_empty()).collect();
            assert_eq!(names, wanted, "{bytes:?}");
        }
    }
}

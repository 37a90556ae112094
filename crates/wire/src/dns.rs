//! Messages of the domain name system (RFC 1035, section 4), on whatever port.

use std::fmt::Write as _;

use crate::packet::u16_at;

const HEAD_BYTES: usize = 12;
/// A name is not longer (RFC 1035, section 2.3.4).
const MAX_NAME: usize = 255;
const MAX_LABEL: u8 = 63;
/// Bits of the flags.
const RESPONSE: u16 = 0x8000;
const KIND_OF_QUERY: u16 = 0x7800;
const RESERVED: u16 = 0x0040;
const CODE: u16 = 0x000f;
/// The classes of names that are asked for: the Internet, any.
const CLASSES: [u16; 2] = [1, 255];

/// A question: a name and what of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct DnsQuestion {
    /// In lower case, since resolvers mix cases against forgery; bytes that are no text as `\ddd`.
    pub(crate) name: String,
    /// The number of the record's type.
    pub(crate) kind: u16,
}

/// A query, or its response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DnsMessage {
    pub(crate) id: u16,
    pub(crate) is_response: bool,
    /// How it went (RCODE); 0 of a query.
    pub(crate) code: u8,
    /// Absent in responses that only say that the query was not understood.
    pub(crate) question: Option<DnsQuestion>,
}

impl DnsMessage {
    /// Reads a message of one question; none if it cannot be one.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let flags = u16_at(bytes, 2)?;
        let counts = [4, 6, 8, 10].map(|at| u16_at(bytes, at));
        let [questions, records, authorities, _] = counts;
        let is_response = flags & RESPONSE != 0;
        let code = (flags & CODE) as u8;
        if flags & (KIND_OF_QUERY | RESERVED) != 0 {
            return None;
        }
        let says_nothing = code == 0 && records? == 0 && authorities? == 0;
        if !is_response && !says_nothing {
            return None;
        }
        let question = match questions? {
            0 if is_response && code != 0 && bytes.len() == HEAD_BYTES => None,
            1 => Some(question(bytes.get(HEAD_BYTES..)?)?),
            _ => return None,
        };
        Some(Self {
            id: u16_at(bytes, 0)?,
            is_response,
            code,
            question,
        })
    }
}

fn question(bytes: &[u8]) -> Option<DnsQuestion> {
    let (mut name, mut at) = (String::new(), 0);
    loop {
        let length = *bytes.get(at)?;
        // The name of a question stands whole.
        if length > MAX_LABEL || at > MAX_NAME {
            return None;
        }
        let label = bytes.get(at + 1..at + 1 + usize::from(length))?;
        at += 1 + label.len();
        if label.is_empty() {
            break;
        }
        if !name.is_empty() {
            name.push('.');
        }
        for byte in label {
            match byte {
                b'!'..=b'~' if *byte != b'.' => name.push(char::from(byte.to_ascii_lowercase())),
                byte => write!(name, "\\{byte:03}").ok()?,
            }
        }
    }
    if name.is_empty() {
        name.push('.');
    }
    let (kind, class) = (u16_at(bytes, at)?, u16_at(bytes, at + 2)?);
    (kind != 0 && CLASSES.contains(&class)).then_some(DnsQuestion { name, kind })
}

/// A record's type by its number (IANA's registry of DNS parameters).
pub(crate) fn kind_name(kind: u16) -> String {
    let known = match kind {
        1 => "A",
        2 => "NS",
        5 => "CNAME",
        6 => "SOA",
        12 => "PTR",
        15 => "MX",
        16 => "TXT",
        28 => "AAAA",
        33 => "SRV",
        64 => "SVCB",
        65 => "HTTPS",
        255 => "ANY",
        _ => return format!("TYPE{kind}"),
    };
    known.to_owned()
}

/// How a query went, by its number (RFC 1035, section 4.1.1; RFC 6895).
pub(crate) fn code_name(code: u8) -> String {
    let known = match code {
        0 => "NOERROR",
        1 => "FORMERR",
        2 => "SERVFAIL",
        3 => "NXDOMAIN",
        4 => "NOTIMP",
        5 => "REFUSED",
        _ => return format!("RCODE{code}"),
    };
    known.to_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn message(flags: u16, name: &[&[u8]], kind: u16) -> Vec<u8> {
        let mut all = vec![0x12, 0x34];
        all.extend(flags.to_be_bytes());
        all.extend([0, 1, 0, 0, 0, 0, 0, 1]);
        for label in name {
            all.push(label.len() as u8);
            all.extend(*label);
        }
        all.push(0);
        all.extend(kind.to_be_bytes());
        all.extend([0, 1]);
        // What EDNS adds (RFC 6891).
        all.extend([0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 0]);
        all
    }

    #[test]
    fn names_types_and_codes_are_read() {
        let query = message(0x0120, &[b"OfFers", b"shop", b"a\x01.b"], 28);
        let read = DnsMessage::read(&query).unwrap();
        assert_eq!((read.id, read.is_response, read.code), (0x1234, false, 0));
        let question = read.question.unwrap();
        assert_eq!(question.name, "offers.shop.a\\001\\046b");
        assert_eq!(kind_name(question.kind), "AAAA");
        let response = message(0x8183, &[b"x"], 1);
        let read = DnsMessage::read(&response).unwrap();
        assert!(read.is_response);
        assert_eq!(code_name(read.code), "NXDOMAIN");
        assert_eq!(
            DnsMessage::read(&message(0x0100, &[], 2))
                .unwrap()
                .question
                .unwrap()
                .name,
            "."
        );
        assert_eq!(kind_name(999), "TYPE999");
        assert_eq!(code_name(9), "RCODE9");
    }

    #[test]
    fn what_cannot_be_a_message_is_none() {
        // Another kind of query; a query that says how it went; a name that is cut; QUIC.
        assert_eq!(DnsMessage::read(&message(0x2800, &[b"x"], 1)), None);
        assert_eq!(DnsMessage::read(&message(0x0003, &[b"x"], 1)), None);
        let query = message(0x0100, &[b"example"], 1);
        assert_eq!(DnsMessage::read(&query[..18]), None);
        assert_eq!(
            DnsMessage::read(&[0xc3, 0, 0, 0, 1, 8, 0, 0, 0, 0, 0, 0, 0]),
            None
        );
        assert_eq!(DnsMessage::read(b"statsd.requests:1|c"), None);
    }

    proptest! {
        #[test]
        fn never_panics_and_names_are_bounded(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
            let mut near = message(0x0100, &[], 1);
            near.truncate(HEAD_BYTES);
            near.extend(&bytes);
            for bytes in [&bytes, &near] {
                if let Some(DnsMessage { question: Some(question), .. }) = DnsMessage::read(bytes) {
                    prop_assert!(question.name.len() <= 4 * (MAX_NAME + 64));
                    prop_assert!(question.name.is_ascii());
                }
            }
        }
    }
}

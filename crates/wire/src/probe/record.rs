//! What the program in the kernel writes: `struct call`, `struct name` and `struct program` of `bpf/unix.bpf.c`.

use crate::calls::{SocketCall, SocketDid};

const BY_SERVER: u32 = 1;
const RECEIVED: u32 = 2;
const UNREAD: u32 = 4;

/// A length, then so many bytes.
pub(super) const NAME_RECORD: usize = 112;

/// A name that ends with a zero, unless it is as long.
pub(super) const PROGRAM_RECORD: usize = 16;

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// A call, of a kernel whose time is so far behind Unix time; none: it says nothing.
pub(super) fn call(bytes: &[u8], behind_ns: u64) -> Option<SocketCall> {
    let flags = u32_at(bytes, 44)?;
    let result = u32_at(bytes, 40)?.cast_signed();
    Some(SocketCall {
        at_ns: u64_at(bytes, 0)?.saturating_add(behind_ns),
        ends: (u64_at(bytes, 8)?, u64_at(bytes, 16)?),
        name: u64_at(bytes, 24)?,
        client: u64::from(u32_at(bytes, 32)?),
        pid: u32_at(bytes, 36)?,
        by_server: flags & BY_SERVER != 0,
        unread: flags & UNREAD != 0,
        did: match (u32::try_from(result), flags & RECEIVED != 0) {
            (Err(_), _) => SocketDid::Broke,
            (Ok(0), false) => return None,
            (Ok(count), false) => SocketDid::Sent(count),
            (Ok(count), true) => SocketDid::Received(count),
        },
    })
}

/// The bytes of a name.
pub(super) fn name(record: &[u8; NAME_RECORD]) -> Vec<u8> {
    let (length, text) = record.split_at(4);
    let length = u32_at(length, 0).map_or(0, |length| length as usize);
    text.get(..length).unwrap_or(text).to_vec()
}

/// The name of a program, as far as it is text.
pub(super) fn program_name(record: &[u8; PROGRAM_RECORD]) -> String {
    let name = record.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(name).into_owned()
}

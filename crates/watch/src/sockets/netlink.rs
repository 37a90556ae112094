//! Questions to the kernel by netlink, and their responses of many messages.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{
    AddressFamily, Protocol, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socket_with,
};

/// Of `linux/netlink.h`.
const HEADER_BYTES: usize = 16;
const NLMSG_ERROR: u16 = 2;
const NLMSG_DONE: u16 = 3;
const NLM_F_REQUEST: u16 = 1;
const NLM_F_DUMP: u16 = 0x300;

/// A netlink socket. It stays in the network namespace in which it was opened.
#[derive(Debug)]
pub(crate) struct Netlink {
    socket: OwnedFd,
    sequence: u32,
    bytes: Vec<u8>,
}

impl Netlink {
    /// Opens one for a protocol; none is NETLINK_ROUTE.
    pub(crate) fn open(protocol: Option<Protocol>) -> io::Result<Self> {
        let socket = socket_with(
            AddressFamily::NETLINK,
            SocketType::RAW,
            SocketFlags::CLOEXEC,
            protocol,
        )?;
        // The kernel responds at once; a defect there must not stop the watcher.
        set_socket_timeout(&socket, Timeout::Recv, Some(Duration::from_secs(1)))?;
        Ok(Self {
            socket,
            sequence: 0,
            bytes: vec![0; 32 << 10],
        })
    }

    /// Asks for all there is and visits the bodies of the response's messages of type `wanted`.
    pub(crate) fn dump(
        &mut self,
        question: u16,
        body: &[u8],
        wanted: u16,
        visit: &mut dyn FnMut(&[u8]),
    ) -> io::Result<()> {
        self.sequence = self.sequence.wrapping_add(1);
        let request = message(question, NLM_F_REQUEST | NLM_F_DUMP, self.sequence, body);
        send(&self.socket, &request, SendFlags::empty())?;
        loop {
            let (count, _) = recv(&self.socket, &mut self.bytes[..], RecvFlags::empty())?;
            if parse(&self.bytes[..count], self.sequence, wanted, visit)? {
                return Ok(());
            }
        }
    }
}

impl AsFd for Netlink {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// A message with its header.
pub(super) fn message(kind: u16, flags: u16, sequence: u32, body: &[u8]) -> Vec<u8> {
    let length = (HEADER_BYTES + body.len()) as u32;
    let mut bytes = length.to_ne_bytes().to_vec();
    bytes.extend(kind.to_ne_bytes());
    bytes.extend(flags.to_ne_bytes());
    bytes.extend(sequence.to_ne_bytes());
    bytes.extend([0; 4]);
    bytes.extend(body);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

/// Reads one response of many messages; true if it was the last.
pub(super) fn parse(
    bytes: &[u8],
    sequence: u32,
    wanted: u16,
    visit: &mut dyn FnMut(&[u8]),
) -> io::Result<bool> {
    let mut rest = bytes;
    while rest.len() >= HEADER_BYTES {
        let length = u32_at(rest, 0).unwrap_or(0) as usize;
        if length < HEADER_BYTES || length > rest.len() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let message = &rest[..length];
        rest = &rest[length.next_multiple_of(4).min(rest.len())..];
        if u32_at(message, 8) != Some(sequence) {
            continue; // of an earlier dump that was given up
        }
        match u16_at(message, 4).unwrap_or(0) {
            NLMSG_DONE => return Ok(true),
            NLMSG_ERROR => {
                let code = u32_at(message, HEADER_BYTES).unwrap_or(0).cast_signed();
                return Err(io::Error::from_raw_os_error(code.wrapping_neg()));
            }
            kind if kind == wanted => visit(&message[HEADER_BYTES..]),
            _ => {}
        }
    }
    Ok(false)
}

/// The content of the first attribute of that type.
pub(crate) fn attribute(attributes: &[u8], wanted: u16) -> Option<&[u8]> {
    let mut rest = attributes;
    while rest.len() >= 4 {
        let length = usize::from(u16_at(rest, 0)?);
        if length < 4 || length > rest.len() {
            return None;
        }
        // The top bits are flags (nested, byte order).
        if u16_at(rest, 2)? & 0x3fff == wanted {
            return Some(&rest[4..length]);
        }
        rest = &rest[length.next_multiple_of(4).min(rest.len())..];
    }
    None
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let bytes = bytes.get(at..at + 2)?;
    Some(u16::from_ne_bytes(bytes.try_into().ok()?))
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + 4)?;
    Some(u32::from_ne_bytes(bytes.try_into().ok()?))
}

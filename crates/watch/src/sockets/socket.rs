//! A TCP socket and its state.

use std::net::SocketAddr;

/// A state of TCP, with the kernel's numbers (`include/net/tcp_states.h`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub(crate) enum TcpState {
    Established = 1,
    SynSent = 2,
    SynReceived = 3,
    FinWait1 = 4,
    FinWait2 = 5,
    TimeWait = 6,
    Closed = 7,
    CloseWait = 8,
    LastAck = 9,
    Listen = 10,
    Closing = 11,
}

/// The bits of all states that are told of: those of [`TcpState`] and half-open connections
/// (12). A mask with every bit would have newer kernels walk all ports that are bound but not
/// connected, each under its lock, which programs that open connections wait for.
pub(crate) const EVERY_STATE: u32 = 0b1_1111_1111_1110;

impl TcpState {
    /// All of them.
    pub(crate) const ALL: [Self; 11] = [
        Self::Established,
        Self::SynSent,
        Self::SynReceived,
        Self::FinWait1,
        Self::FinWait2,
        Self::TimeWait,
        Self::Closed,
        Self::CloseWait,
        Self::LastAck,
        Self::Listen,
        Self::Closing,
    ];

    /// The state with that number; a half-open connection has one more (12).
    pub(super) fn of(number: u8) -> Option<Self> {
        let number = if number == 12 { 3 } else { number };
        Self::ALL.into_iter().find(|state| *state as u8 == number)
    }

    /// The bit of this state in a mask of states.
    pub(crate) fn bit(self) -> u32 {
        1 << (self as u8)
    }

    /// Its name as an attribute (OpenTelemetry: `network.connection.state`).
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Established => "established",
            Self::SynSent => "syn_sent",
            Self::SynReceived => "syn_received",
            Self::FinWait1 => "fin_wait_1",
            Self::FinWait2 => "fin_wait_2",
            Self::TimeWait => "time_wait",
            Self::Closed => "closed",
            Self::CloseWait => "close_wait",
            Self::LastAck => "last_ack",
            Self::Listen => "listen",
            Self::Closing => "closing",
        }
    }
}

/// A TCP socket.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TcpSocket {
    pub(crate) state: TcpState,
    pub(crate) local: SocketAddr,
    pub(crate) remote: SocketAddr,
    /// Bytes to be read; of a listening socket, connections to be accepted.
    pub(crate) receive_queue: u32,
    /// Bytes not acknowledged; of a listening socket, how many connections may wait (0 from
    /// text, which does not tell).
    pub(crate) send_queue: u32,
    /// Its number, as in `/proc/PID/fd`; 0 if no process holds it.
    pub(crate) inode: u64,
    /// Connections that a listening socket dropped, where it is told.
    pub(crate) drops: Option<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mask_of_every_state_has_those_that_are_told_and_no_other() {
        for number in 0..32_u8 {
            let told = EVERY_STATE & (1 << number) != 0;
            assert_eq!(told, TcpState::of(number).is_some(), "{number}");
        }
    }
}

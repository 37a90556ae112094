//! Pieces of a message that a side holds back until the piece before them is acknowledged (Nagle's algorithm, RFC
//! 896), while the other side delays its acknowledgement (RFC 1122, 4.2.3.2) because it waits for the rest.

use serde::{Deserialize, Serialize};

/// An acknowledgement that comes later is delayed; the least delay of Linux is 40 ms, on coarse clocks 36.
const DELAYED_NS: u64 = 25_000_000;
/// None is delayed by more (RFC 1122).
const MOST_DELAYED_NS: u64 = 600_000_000;
/// A piece that was held back follows the acknowledgement at once.
const FOLLOWS_NS: u64 = 2_000_000;

/// Pieces that one side held back.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct HeldPieces {
    /// How many.
    pub pieces: u64,
    /// How long each waited after the piece before it, the mean.
    pub mean_ms: f64,
}

/// The same while it is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct HeldSums {
    pub(crate) pieces: u64,
    pub(crate) waited_ns: u64,
}

impl HeldSums {
    pub(crate) fn add(&mut self, other: Self) {
        self.pieces += other.pieces;
        self.waited_ns += other.waited_ns;
    }

    /// Of a share of all connections; none where there were none.
    pub(crate) fn told(self, share: f64) -> Option<HeldPieces> {
        (self.pieces > 0).then(|| HeldPieces {
            pieces: (self.pieces as f64 / share).round() as u64,
            mean_ms: self.waited_ns as f64 / self.pieces as f64 / 1e6,
        })
    }
}

/// What a side sent last, and whether that was acknowledged by a packet that carried nothing else.
#[derive(Debug, Clone, Copy)]
struct LastPiece {
    at_ns: u64,
    /// The number behind its last byte.
    end: u32,
    acknowledged_ns: Option<u64>,
}

/// One side of a connection.
#[derive(Debug, Default)]
pub(crate) struct HeldBack {
    last: Option<LastPiece>,
    pub(crate) sums: HeldSums,
}

impl HeldBack {
    /// The side sends bytes that were not there before, from that number on.
    pub(crate) fn sends(&mut self, at_ns: u64, (sequence, length): (u32, u32)) {
        if let Some(last) = self.last
            && let Some(acknowledged_ns) = last.acknowledged_ns
        {
            let delay_ns = acknowledged_ns.saturating_sub(last.at_ns);
            let is_delayed = (DELAYED_NS..=MOST_DELAYED_NS).contains(&delay_ns);
            if is_delayed && at_ns.saturating_sub(acknowledged_ns) <= FOLLOWS_NS {
                self.sums.pieces += 1;
                self.sums.waited_ns += at_ns - last.at_ns;
            }
        }
        self.last = Some(LastPiece {
            at_ns,
            end: sequence.wrapping_add(length),
            acknowledged_ns: None,
        });
    }

    /// The other side sends a packet: with bytes of its own, or with an acknowledgement alone.
    pub(crate) fn hears(&mut self, at_ns: u64, acknowledged: Option<u32>, length: u32) {
        if length > 0 {
            // It has spoken: nothing was held back for its acknowledgement.
            self.last = None;
        } else if let (Some(last), Some(number)) = (&mut self.last, acknowledged)
            && number.wrapping_sub(last.end).cast_signed() >= 0
        {
            last.acknowledged_ns.get_or_insert(at_ns);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// A piece of ten bytes, the acknowledgement of so many of them, and the next piece, at these times.
    fn held(acknowledged_ns: u64, bytes: u32, next_ns: u64, first: u32) -> HeldSums {
        let mut side = HeldBack::default();
        side.sends(0, (first, 10));
        side.hears(acknowledged_ns, Some(first.wrapping_add(bytes)), 0);
        side.sends(next_ns, (first.wrapping_add(10), 10));
        side.sums
    }

    #[test]
    fn what_follows_a_late_acknowledgement_was_held_back() {
        for first in [0, 7, u32::MAX - 4] {
            let sums = held(40 * MS, 10, 40 * MS + 1, first);
            assert_eq!((sums.pieces, sums.waited_ns), (1, 40 * MS + 1), "{first}");
            // At once, later than any, of a part of the piece, and by somebody who sends when it pleases.
            assert_eq!(held(MS, 10, MS + 1, first).pieces, 0);
            assert_eq!(held(700 * MS, 10, 700 * MS + 1, first).pieces, 0);
            assert_eq!(held(40 * MS, 9, 40 * MS + 1, first).pieces, 0);
            assert_eq!(held(40 * MS, 10, 90 * MS, first).pieces, 0);
        }
    }

    #[test]
    fn who_hears_the_other_side_speak_held_nothing_back() {
        let mut side = HeldBack::default();
        side.sends(0, (0, 10));
        side.hears(40 * MS, Some(10), 5);
        side.sends(40 * MS + 1, (10, 10));
        assert_eq!(side.sums, HeldSums::default());
    }
}

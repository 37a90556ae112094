//! Who works on which share, and who can take one over.

use serde::{Deserialize, Serialize};

/// A worker with more of its CPU used takes no further share.
pub const ROOM_CPU: f64 = 0.7;

/// A worker whose requests leave later than this takes no further share.
pub const ROOM_LATENESS_NS: u64 = 10_000_000;

/// One worker's work on one share: from the start or a later moment, until it ends or the
/// worker is lost. Numbers are never used again in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assignment {
    /// Its number in the run, from 0.
    pub number: u32,
    /// The share, from 0.
    pub share: u32,
    /// The worker, by its place among the run's workers.
    pub worker: usize,
    /// Where on the run's clock it began.
    pub from_ns: u64,
}

/// What decides whether a worker can take a share more.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ShareRoom {
    /// It is heard, and takes work.
    pub alive: bool,
    /// The highest share of its CPU that a load thread uses, 0 to 1.
    pub cpu_share: f64,
    /// p99 of its send lateness.
    pub lateness_ns: u64,
    /// Shares it works on.
    pub shares: usize,
}

impl ShareRoom {
    /// Whether one share more fits: its CPU, grown as its shares do, stays below the limit.
    #[must_use]
    pub fn fits(&self) -> bool {
        #[expect(clippy::cast_precision_loss)]
        let grown = match self.shares {
            0 => self.cpu_share,
            shares => self.cpu_share * (shares + 1) as f64 / shares as f64,
        };
        // A load thread at its limit is no worse off for sharing the machine's other CPUs, but
        // nobody can know that from outside.
        self.alive
            && self.cpu_share < ROOM_CPU
            && grown < 1.0
            && self.lateness_ns < ROOM_LATENESS_NS
    }
}

/// The worker that takes a share: of those with room the one with the fewest shares, of these
/// the one with most CPU left.
#[must_use]
pub fn taker(rooms: &[ShareRoom]) -> Option<usize> {
    let with_room = rooms.iter().enumerate().filter(|(_, room)| room.fits());
    let better = |a: &ShareRoom, b: &ShareRoom| {
        let by_shares = a.shares.cmp(&b.shares);
        by_shares.then(a.cpu_share.total_cmp(&b.cpu_share))
    };
    with_room
        .min_by(|(_, a), (_, b)| better(a, b))
        .map(|(at, _)| at)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn the_least_loaded_with_room_takes_it() {
        let room = |alive, cpu_share, shares| ShareRoom {
            alive,
            cpu_share,
            shares,
            lateness_ns: 0,
        };
        let rooms = [
            room(false, 0.0, 0),
            room(true, 0.2, 2),
            room(true, 0.4, 1),
            room(true, 0.3, 1),
            room(true, 0.9, 1),
        ];
        assert_eq!(taker(&rooms), Some(3));
        assert_eq!(taker(&rooms[..1]), None);
        // Half of the CPU for one share is all of it for two.
        assert!(!room(true, 0.5, 1).fits());
        assert!(room(true, 0.5, 2).fits());
    }

    #[test]
    fn a_late_worker_has_no_room() {
        let late = ShareRoom {
            alive: true,
            lateness_ns: ROOM_LATENESS_NS,
            ..ShareRoom::default()
        };
        assert!(!late.fits());
    }
}

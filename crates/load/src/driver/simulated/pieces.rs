//! A peer whose bytes come and go in pieces, or break off.

use fastrand::Rng;

use super::script::{Act, Deed, Peer};
use crate::clock::Nanos;

/// Where what a peer says breaks off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// Nowhere.
    None,
    /// After so many bytes it is reset.
    Reset(usize),
    /// After so many bytes it is closed.
    Close(usize),
}

/// Says in pieces, with pauses between them, what another peer says, and takes in pieces what is
/// said to it: all by a seed.
pub struct InPieces<P> {
    peer: P,
    rng: Rng,
    /// Longest piece, bytes.
    longest: usize,
    /// Longest pause between pieces.
    pause_ns: Nanos,
    cut: Cut,
    said: usize,
}

impl<P: Peer> InPieces<P> {
    /// Pieces of at most so many bytes, at least 1, and pauses of at most so long.
    pub fn new(peer: P, seed: u64, longest: usize, pause_ns: Nanos) -> Self {
        Self {
            peer,
            rng: Rng::with_seed(seed),
            longest: longest.max(1),
            pause_ns,
            cut: Cut::None,
            said: 0,
        }
    }

    /// The same, broken off.
    #[must_use]
    pub fn cut(self, cut: Cut) -> Self {
        Self { cut, ..self }
    }

    fn say(&mut self, bytes: &[u8], mut after_ns: Nanos, acts: &mut Vec<Act>) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let left = match self.cut {
                Cut::None => usize::MAX,
                Cut::Reset(at) | Cut::Close(at) => at.saturating_sub(self.said),
            };
            if left == 0 {
                let deed = match self.cut {
                    Cut::Close(_) => Deed::Close,
                    _ => Deed::Reset,
                };
                acts.push(Act::after(after_ns, deed));
                return;
            }
            let bytes = self.rng.usize(1..=self.longest).min(rest.len()).min(left);
            acts.push(Act::after(after_ns, Deed::Say(rest[..bytes].to_vec())));
            after_ns = self.rng.u64(0..=self.pause_ns);
            self.said += bytes;
            rest = &rest[bytes..];
        }
    }
}

impl<P: Peer> Peer for InPieces<P> {
    fn hear(&mut self, bytes: &[u8], at_ns: Nanos) -> Vec<Act> {
        let mut acts = Vec::new();
        for act in self.peer.hear(bytes, at_ns) {
            match act.deed {
                Deed::Say(bytes) => self.say(&bytes, act.after_ns, &mut acts),
                _ => acts.push(act),
            }
        }
        acts
    }

    fn room(&mut self, offered: usize) -> (usize, Nanos) {
        let room = self.rng.usize(0..=self.longest);
        (room.min(offered), self.rng.u64(0..=self.pause_ns))
    }

    fn left(&mut self, at_ns: Nanos) {
        self.peer.left(at_ns);
    }
}

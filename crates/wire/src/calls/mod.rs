//! Calls that send and receive at the sockets of the file system, which no packet crosses: requests told from who
//! sends in turn, as exactly as from packets of a protocol that has no reader.

mod bytes;
mod connection;
#[cfg(test)]
mod tests;
mod told;

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::called::{CalledHops, CalledPair};
use crate::ends::{FollowedShare, SPREAD};
use crate::limits::WireLimits;
use crate::report::{HopClient, HopServer};
use crate::sampled::SampledLook;
use connection::CalledConnection;

pub use told::{CallEnds, PresentSocket, PresentSockets, SocketCall, SocketDid};

/// So many calls are taken between two looks at how much is kept.
const COUNT_EVERY: u64 = 8_192;

/// All connections at which there were calls.
pub struct SocketTraffic {
    from_ns: u64,
    limits: WireLimits,
    share: FollowedShare,
    /// Since the beginning.
    calls: u64,
    /// Since the last look at how much is kept.
    since_look: u64,
    /// By their ends: the newest with these that is not over.
    known: HashMap<(u64, u64), usize>,
    all: Vec<CalledConnection>,
    before: Option<PresentSockets>,
    looks: Vec<u64>,
    /// Who called and was not told of yet.
    fresh: BTreeSet<u32>,
}

impl SocketTraffic {
    /// Looks at a stretch that begins at a moment (Unix nanoseconds). `before`: the connections that were there; none where
    /// not all of them can be seen. What calls did before the stretch helps to tell what is under way when it begins.
    #[must_use]
    pub fn new(from_ns: u64, before: Option<PresentSockets>, limits: WireLimits) -> Self {
        Self {
            from_ns,
            limits,
            share: FollowedShare::ALL,
            calls: 0,
            since_look: 0,
            known: HashMap::new(),
            all: Vec::new(),
            before,
            looks: Vec::new(),
            fresh: BTreeSet::new(),
        }
    }

    /// Which connections are followed.
    #[must_use]
    pub fn share(&self) -> FollowedShare {
        self.share
    }

    /// The stretch begins anew, at a later moment.
    pub fn begin_anew(&mut self, from_ns: u64) {
        (self.from_ns, self.calls) = (from_ns, 0);
        self.all.iter_mut().for_each(CalledConnection::count_anew);
    }

    /// How many calls there were so far in the stretch.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// Takes a call. Those of one connection come in their order, but for a call that sends: others may be told before
    /// it which receive what it sent, and what comes of that.
    pub fn take(&mut self, call: &SocketCall) {
        self.since_look += 1;
        if self.since_look >= COUNT_EVERY {
            self.since_look = 0;
            self.keep_within_limits();
        }
        if !has(self.share, call.ends) {
            return;
        }
        self.calls += u64::from(call.at_ns >= self.from_ns);
        if let Some(at) = self.place(call) {
            let fresh = self.all[at].take(call, self.from_ns);
            self.fresh.extend(fresh);
        }
    }

    /// The connection of a call; none: it was over before anybody looked.
    fn place(&mut self, call: &SocketCall) -> Option<usize> {
        let known = self.known.get(&call.ends).copied();
        match known {
            Some(at) if self.all[at].may_be(call) => return Some(at),
            // The ends were given to others since.
            Some(at) => self.all[at].is_gone(call.at_ns),
            None => {}
        }
        if call.client == 0 {
            return None;
        }
        let before = self.before.as_ref();
        let present = before.and_then(|all| match all.sockets.get(&call.client) {
            // It may have been gone when they were looked at.
            None if call.at_ns < all.at_ns => None,
            known => Some(known.copied()),
        });
        let at = self.all.len();
        self.all
            .push(CalledConnection::new(call, present, self.from_ns));
        self.known.insert(call.ends, at);
        Some(at)
    }

    /// Processes that called and were not told of before.
    pub fn fresh_pids(&mut self) -> BTreeSet<u32> {
        std::mem::take(&mut self.fresh)
    }

    /// The connections that are there now, by their clients' numbers, looked at from that moment on, when all calls before
    /// it had been taken.
    pub fn looked(&mut self, at_ns: u64, present: &HashMap<u64, PresentSocket>) {
        let look = u32::try_from(self.looks.len()).unwrap_or(u32::MAX);
        self.looks.push(at_ns);
        let all = &mut self.all;
        self.known.retain(|_, at| {
            let connection = &mut all[*at];
            match present.get(&connection.client()) {
                Some(socket) => connection.see(look, at_ns, socket.queued),
                None => return !connection.miss(at_ns),
            }
            true
        });
    }

    /// Calls were lost: what is under way at that moment cannot be followed any further.
    pub fn lose(&mut self, at_ns: u64) {
        self.all.iter_mut().for_each(|one| one.lose(at_ns));
    }

    /// Follows half as many connections from now on, and forgets the others. False: there are too few for that.
    pub fn halve(&mut self) -> bool {
        let Some(half) = self.share.halved() else {
            return false;
        };
        self.share = half;
        let kept: HashSet<usize> = self
            .known
            .iter()
            .filter(|(ends, _)| has(half, **ends))
            .map(|(_, at)| *at)
            .collect();
        let mut places = HashMap::new();
        let mut all = Vec::new();
        for (at, one) in std::mem::take(&mut self.all).into_iter().enumerate() {
            if has(half, one.ends()) {
                places.insert(at, all.len());
                all.push(one);
            }
        }
        self.all = all;
        self.known.retain(|_, at| kept.contains(at));
        for at in self.known.values_mut() {
            *at = places[at];
        }
        true
    }

    fn keep_within_limits(&mut self) {
        let kept = |all: &[CalledConnection]| all.iter().map(CalledConnection::kept).sum::<usize>();
        while self.all.len() > self.limits.connections || kept(&self.all) > self.limits.exchanges {
            if !self.halve() {
                return;
            }
        }
    }

    /// The looking ends at a moment: what was seen in the stretch. `sides` says whose connections are.
    #[must_use]
    pub fn finish(
        self,
        until_ns: u64,
        sides: &dyn Fn(&CallEnds) -> (HopClient, HopServer),
    ) -> CalledHops {
        let from_ns = self.from_ns;
        let mut looks = vec![SampledLook::default(); self.looks.len()];
        for (look, at_ns) in looks.iter_mut().zip(&self.looks) {
            look.at_ns = *at_ns;
        }
        let mut pairs: HashMap<(HopClient, HopServer), CalledPair> = HashMap::new();
        for one in self.all {
            let sides = sides(&one.call_ends());
            let pair = pairs.entry(sides.clone()).or_insert_with(|| CalledPair {
                sides,
                share: self.share.number(),
                followed: Vec::new(),
                looks: looks.clone(),
            });
            for look in one.queued_at() {
                pair.looks[*look as usize].queued += 1;
            }
            pair.followed.extend(one.finish(from_ns, until_ns));
        }
        let mut pairs: Vec<CalledPair> = pairs.into_values().collect();
        pairs.retain(|pair| !pair.followed.is_empty());
        for pair in &mut pairs {
            let is_within = |look: &SampledLook| (from_ns..until_ns).contains(&look.at_ns);
            pair.looks.retain(is_within);
        }
        pairs.sort_by(|one, other| one.sides.cmp(&other.sides));
        CalledHops(pairs)
    }
}

/// Whether a connection belongs to a share; the kernel's program sees it the same way.
fn has(share: FollowedShare, (client, server): (u64, u64)) -> bool {
    let part = |end: u64| (end >> 6) as u32;
    let sum = part(client).wrapping_add(part(server));
    sum.wrapping_mul(SPREAD) >> 24 < share.parts()
}

//! One connection by a socket of the file system, by the calls at its ends.

use super::bytes::SentBytes;
use super::told::{CallEnds, PresentSocket, SocketCall, SocketDid};
use crate::connection::Followed;
use crate::exchanges::{HowSeen, WireExchange};
use crate::order::OrderedBytes;
use crate::protocol::Speaker;
use crate::spoken::SpokenTimes;
use crate::talk::Talk;

/// What is said in reports instead of a protocol.
const PROTOCOL: &str = "unix";

/// Who says something and ends within so much does not wait for a response.
const FAREWELL_NS: u64 = 50_000_000;

/// A connection at which there were calls.
pub(super) struct CalledConnection {
    ends: (u64, u64),
    /// The number of the client's socket.
    client: u64,
    name: u64,
    client_pid: u32,
    server_pid: u32,
    /// When it came about, if that was while anybody looked: its first call is the first there was.
    opened_ns: Option<u64>,
    last_ns: u64,
    /// When the client began to say what it said last, if the server has said nothing since.
    asked_ns: Option<u64>,
    /// When a look saw it last, and when one did not.
    seen_ns: u64,
    missed_ns: Option<u64>,
    closed_ns: Option<u64>,
    talk: Talk,
    sent: [SentBytes; 2],
    /// What client and server sent since the stretch began.
    bytes: [u64; 2],
    times: [SpokenTimes; 2],
    /// Looks at which nobody had accepted it, by number.
    queued_at: Vec<u32>,
}

fn place(speaker: Speaker) -> usize {
    usize::from(speaker == Speaker::Server)
}

impl CalledConnection {
    /// One whose first call this is. `before`: how it was before anybody looked, if it was there; none: nobody knows.
    pub(super) fn new(
        call: &SocketCall,
        before: Option<Option<PresentSocket>>,
        from_ns: u64,
    ) -> Self {
        let is_new = before == Some(None);
        let quiet = |socket: PresentSocket| !socket.has_bytes && !socket.queued;
        let whole = before.is_some_and(|before| before.is_none_or(quiet));
        Self {
            ends: call.ends,
            client: call.client,
            name: call.name,
            client_pid: 0,
            server_pid: 0,
            opened_ns: is_new.then_some(call.at_ns),
            last_ns: call.at_ns,
            asked_ns: None,
            seen_ns: 0,
            missed_ns: None,
            closed_ns: None,
            talk: Talk::new(from_ns.min(call.at_ns), is_new),
            sent: [SentBytes::new(whole), SentBytes::new(whole)],
            bytes: [0; 2],
            times: <[SpokenTimes; 2]>::default(),
            queued_at: Vec::new(),
        }
    }

    pub(super) fn ends(&self) -> (u64, u64) {
        self.ends
    }

    pub(super) fn client(&self) -> u64 {
        self.client
    }

    pub(super) fn call_ends(&self) -> CallEnds {
        CallEnds {
            client_pid: self.client_pid,
            server_pid: self.server_pid,
            client: self.client,
            name: self.name,
        }
    }

    /// Whether a call at the same ends is of this connection, and not of a later one.
    pub(super) fn may_be(&self, call: &SocketCall) -> bool {
        call.client == 0 || call.client == self.client
    }

    pub(super) fn kept(&self) -> usize {
        let times: usize = self.times.iter().map(SpokenTimes::bytes).sum();
        self.talk.kept() + times / size_of::<WireExchange>()
    }

    /// A look saw it.
    pub(super) fn see(&mut self, look: u32, at_ns: u64, queued: bool) {
        (self.seen_ns, self.missed_ns) = (at_ns, None);
        if queued {
            self.queued_at.push(look);
        }
    }

    /// A look did not see it. Where sockets come and go a look may miss one: it is gone if the next does not see it either,
    /// and nothing has been heard of it since.
    pub(super) fn miss(&mut self, at_ns: u64) -> bool {
        let Some(missed_ns) = self.missed_ns else {
            self.missed_ns = (self.last_ns < at_ns).then_some(at_ns);
            return false;
        };
        self.is_gone(missed_ns);
        true
    }

    pub(super) fn queued_at(&self) -> &[u32] {
        &self.queued_at
    }

    /// The stretch begins anew.
    pub(super) fn count_anew(&mut self) {
        self.bytes = [0; 2];
    }

    /// Takes a call; gives who made it, if it was somebody new. `from_ns`: when the stretch begins.
    pub(super) fn take(&mut self, call: &SocketCall, from_ns: u64) -> Option<u32> {
        (self.last_ns, self.missed_ns) = (call.at_ns, None);
        let (own, other) = match call.by_server {
            true => (Speaker::Server, Speaker::Client),
            false => (Speaker::Client, Speaker::Server),
        };
        if !matches!(call.did, SocketDid::Sent(_)) {
            self.sent[place(own)].settle();
        }
        match call.did {
            SocketDid::Sent(count) => {
                let new = self.sent[place(own)].send(count);
                // A server may leave the end of a request for later.
                let crossed = call.unread && own == Speaker::Client;
                self.hear(own, new, (call.at_ns, from_ns), crossed);
            }
            SocketDid::Received(0) => self.end(other, call.at_ns),
            SocketDid::Received(count) => {
                let (new, may_be_old) = self.sent[place(other)].receive(count, call.unread);
                // When a request from before was sent nobody knows: its response tells of it.
                let is_heard = !may_be_old || other == Speaker::Server;
                let new = if is_heard { new } else { 0 };
                self.hear(other, new, (call.at_ns, from_ns), false);
            }
            SocketDid::Broke => self.breaks(call.at_ns),
        }
        let known = match own {
            Speaker::Client => &mut self.client_pid,
            Speaker::Server => &mut self.server_pid,
        };
        let is_new = *known == 0 && call.pid != 0;
        is_new.then(|| {
            *known = call.pid;
            call.pid
        })
    }

    /// Bytes were sent that nobody knew of. `crossed`: while others waited to be read.
    fn hear(&mut self, by: Speaker, count: u64, (at_ns, from_ns): (u64, u64), crossed: bool) {
        if let Some(count) = u32::try_from(count).ok().filter(|count| *count > 0) {
            if at_ns >= from_ns {
                self.bytes[place(by)] += u64::from(count);
            }
            self.times[place(by)].keep(at_ns);
            self.asked_ns = match by {
                Speaker::Client => self.asked_ns.or(Some(at_ns)),
                Speaker::Server => None,
            };
            self.talk.hear(by, OrderedBytes::Cut(count), at_ns, crossed);
        }
    }

    /// One side sends no more. The other may still respond.
    fn end(&mut self, by: Speaker, at_ns: u64) {
        match by {
            Speaker::Server => self.breaks(at_ns),
            Speaker::Client => {
                self.closed_ns.get_or_insert(at_ns);
            }
        }
    }

    /// It is over, whatever the client still waits for.
    fn breaks(&mut self, at_ns: u64) {
        self.closed_ns.get_or_insert(at_ns);
        self.talk.close(at_ns);
    }

    /// It is not there any more. What the client said before it went, without waiting, was a farewell.
    pub(super) fn is_gone(&mut self, at_ns: u64) {
        let waited = |asked_ns: u64| {
            let ended = self.closed_ns.is_some_and(|ns| ns > asked_ns + FAREWELL_NS);
            self.seen_ns > asked_ns || ended
        };
        if self.asked_ns.is_some_and(|asked_ns| !waited(asked_ns)) {
            self.talk.withdraw();
        }
        self.breaks(at_ns);
    }

    /// Calls were lost.
    pub(super) fn lose(&mut self, at_ns: u64) {
        self.talk
            .hear(Speaker::Client, OrderedBytes::Missed(1), at_ns, false);
        self.sent = [SentBytes::new(false), SentBytes::new(false)];
    }

    /// What was seen of it in a stretch of time; none: nothing.
    pub(super) fn finish(self, from_ns: u64, until_ns: u64) -> Option<Followed> {
        if self.last_ns < from_ns && self.talk.kept() == 0 {
            return None;
        }
        let (mut told, exchanges, _) = self.talk.finish();
        let only_takes = told.only_takes(self.sent[0].known(), &self.times[1]);
        let times_ns = told.times(self.times);
        told.protocol = Some(PROTOCOL);
        let exchanges = match only_takes {
            true => Vec::new(),
            false => exchanges.finish(until_ns),
        };
        let within = |at_ns: &u64| (from_ns..until_ns).contains(at_ns);
        let exchanges: Vec<WireExchange> = exchanges
            .into_iter()
            .filter_map(|one| since(one, from_ns))
            .collect();
        (self.last_ns >= from_ns || !exchanges.is_empty()).then(|| Followed {
            told,
            exchanges,
            passing: self.opened_ns.as_ref().is_some_and(within),
            closed: self.closed_ns.as_ref().is_some_and(within),
            bytes_sent: self.bytes[0],
            bytes_received: self.bytes[1],
            times_ns: times_ns.map(|times| times.into_iter().filter(within).collect()),
            ..Followed::default()
        })
    }
}

/// What there is of an exchange from a moment on: of one that was under way it is the end.
fn since(one: WireExchange, from_ns: u64) -> Option<WireExchange> {
    if one.done_ns < from_ns {
        return None;
    }
    if one.asked_ns >= from_ns {
        return Some(one);
    }
    Some(WireExchange {
        seen: match one.seen {
            HowSeen::Whole => HowSeen::End,
            seen => seen,
        },
        asked_ns: from_ns,
        began_ns: one.began_ns.map(|at_ns| at_ns.max(from_ns)),
        ..one
    })
}

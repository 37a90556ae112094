//! Who may be connected: strangers, until they have said who they are, and who was let in.
//!
//! A stranger never takes the place of one that was let in. Where there are too many strangers
//! the one that has waited longest makes room: first of its own network, so that one network
//! does not push out the others.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::net::IpAddr;
use std::rc::Rc;

use tokio::sync::oneshot;

use super::limits;

/// The places of an agent.
#[derive(Default)]
pub(super) struct ConnectionPlaces {
    strangers: VecDeque<Stranger>,
    known: usize,
    /// Number of the latest stranger.
    latest: u64,
    dropped: usize,
}

struct Stranger {
    number: u64,
    network: IpAddr,
    /// Dropped with it: it has to leave.
    stay: oneshot::Sender<()>,
}

/// One connection's place, given back when dropped.
pub(super) struct ConnectionPlace {
    places: Rc<RefCell<ConnectionPlaces>>,
    number: u64,
    /// Of one that was let in.
    stay: Cell<Option<oneshot::Sender<()>>>,
}

/// Resolves when a stranger has to leave.
pub(super) type Leave = oneshot::Receiver<()>;

impl ConnectionPlaces {
    /// A place for a stranger; there always is one.
    pub(super) fn enter(places: &Rc<RefCell<Self>>, from: IpAddr) -> (ConnectionPlace, Leave) {
        let network = network(from);
        let (stay, leave) = oneshot::channel();
        let mut all = places.borrow_mut();
        let same = |other: &Stranger| other.network == network;
        let of_network = all.strangers.iter().filter(|other| same(other)).count();
        let oldest = if of_network >= limits::STRANGERS_OF_ONE {
            all.strangers.iter().position(same)
        } else if all.strangers.len() >= limits::STRANGERS {
            Some(0)
        } else {
            None
        };
        if oldest
            .and_then(|place| all.strangers.remove(place))
            .is_some()
        {
            all.dropped += 1;
        }
        all.latest += 1;
        let number = all.latest;
        all.strangers.push_back(Stranger {
            number,
            network,
            stay,
        });
        let place = ConnectionPlace {
            places: Rc::clone(places),
            number,
            stay: Cell::new(None),
        };
        (place, leave)
    }

    /// How many strangers had to leave since the last call.
    pub(super) fn dropped(&mut self) -> usize {
        std::mem::take(&mut self.dropped)
    }
}

impl ConnectionPlace {
    /// Makes the stranger one that was let in. False: there are too many of these.
    pub(super) fn let_in(&self) -> bool {
        let mut all = self.places.borrow_mut();
        let of_this = |stranger: &Stranger| stranger.number == self.number;
        let Some(place) = all.strangers.iter().position(of_this) else {
            return false;
        };
        if all.known >= limits::CONNECTIONS {
            return false;
        }
        let stranger = all.strangers.remove(place);
        all.known += 1;
        self.stay.set(stranger.map(|stranger| stranger.stay));
        true
    }
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        let mut all = self.places.borrow_mut();
        match self.stay.take() {
            Some(_) => all.known -= 1,
            None => all.strangers.retain(|other| other.number != self.number),
        }
    }
}

/// What counts as one peer: an address, or all that a single IPv6 subscriber has.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let prefix = u128::from(address) & !u128::from(u64::MAX);
            IpAddr::V6(prefix.into())
        }
        v4 => v4,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use oneshot::error::TryRecvError;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn must_leave(leave: &mut Leave) -> bool {
        leave.try_recv() == Err(TryRecvError::Closed)
    }

    #[test]
    fn a_network_pushes_out_its_own_and_all_together_the_oldest() {
        let places = Rc::new(RefCell::new(ConnectionPlaces::default()));
        let mut other = ConnectionPlaces::enter(&places, address("192.0.2.1"));
        let flood = (0..limits::STRANGERS_OF_ONE + 3)
            .map(|n| ConnectionPlaces::enter(&places, address(&format!("2001:db8::{n:x}"))));
        let mut flood: Vec<_> = flood.collect();
        let left: Vec<bool> = flood.iter_mut().map(|one| must_leave(&mut one.1)).collect();
        assert!(left[..3].iter().all(|left| *left));
        assert!(left[3..].iter().all(|left| !left));
        assert!(!must_leave(&mut other.1));
        assert_eq!(places.borrow_mut().dropped(), 3);
        let many = (0..limits::STRANGERS)
            .map(|n| ConnectionPlaces::enter(&places, address(&format!("2001:db8:0:{n:x}::1"))));
        let many: Vec<_> = many.collect();
        assert!(must_leave(&mut other.1), "the oldest of all");
        assert!(places.borrow().strangers.len() <= limits::STRANGERS);
        drop((other, flood, many));
        assert!(places.borrow().strangers.is_empty());
    }

    #[test]
    fn who_was_let_in_stays_whoever_comes() {
        let places = Rc::new(RefCell::new(ConnectionPlaces::default()));
        let from = address("::ffff:192.0.2.1");
        let enter = || ConnectionPlaces::enter(&places, from);
        let mut known: Vec<_> = (0..limits::CONNECTIONS).map(|_| enter()).collect();
        assert!(known.iter().all(|(place, _)| place.let_in()));
        let flood: Vec<_> = (0..3 * limits::STRANGERS).map(|_| enter()).collect();
        assert!(!known.iter_mut().any(|(_, leave)| must_leave(leave)));
        let late = enter();
        assert!(!late.0.let_in(), "all places are taken");
        drop(known.pop());
        assert!(late.0.let_in());
        drop(flood);
        drop(known);
        drop(late);
        assert_eq!(places.borrow().known, 0);
    }
}

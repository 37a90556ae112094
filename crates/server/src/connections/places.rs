//! How many connections there are: a place for each, of its address and in all.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Connections in all, and of one address.
const MOST_CONNECTIONS: usize = 1_024;
const MOST_OF_ONE: usize = 128;

/// Why a connection is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoPlace {
    /// As many as may be are there of its address.
    OfOne,
    /// As many as may be are there in all.
    InAll,
}

impl NoPlace {
    /// How many there may be.
    pub const fn most(self) -> usize {
        match self {
            Self::OfOne => MOST_OF_ONE,
            Self::InAll => MOST_CONNECTIONS,
        }
    }
}

/// All connections that there are.
#[derive(Default)]
pub(crate) struct ConnectionPlaces {
    taken: Mutex<HashMap<IpAddr, usize>>,
    /// A proxy on this host brings everybody: what comes from here counts in all alone.
    is_behind_proxy: bool,
}

impl ConnectionPlaces {
    /// None is taken.
    pub fn new(is_behind_proxy: bool) -> Arc<Self> {
        Arc::new(Self {
            taken: Mutex::default(),
            is_behind_proxy,
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a connection from there.
    ///
    /// # Errors
    /// There are as many as may be.
    pub(super) fn take(self: &Arc<Self>, from: IpAddr) -> Result<ConnectionPlace, NoPlace> {
        let from = counted(from);
        let is_proxy = self.is_behind_proxy && from.is_loopback();
        let mut taken = self.lock();
        if taken.values().sum::<usize>() >= MOST_CONNECTIONS {
            return Err(NoPlace::InAll);
        }
        let of_one = taken.entry(from).or_default();
        if *of_one >= MOST_OF_ONE && !is_proxy {
            return Err(NoPlace::OfOne);
        }
        *of_one += 1;
        Ok(ConnectionPlace {
            places: Arc::clone(self),
            from,
        })
    }
}

/// By what an address counts: whoever has one of IPv6 has all of its network of 64 bits.
fn counted(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            let network = u128::from(address) >> 64 << 64;
            IpAddr::V6(Ipv6Addr::from(network))
        }
        other => other,
    }
}

/// A connection's place, as long as it lives.
pub(super) struct ConnectionPlace {
    places: Arc<ConnectionPlaces>,
    from: IpAddr,
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        let mut taken = self.places.lock();
        if let Some(of_one) = taken.get_mut(&self.from) {
            *of_one -= 1;
            if *of_one == 0 {
                taken.remove(&self.from);
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn each_address_has_its_places_and_all_have_theirs() {
        let places = ConnectionPlaces::new(false);
        let mut held = Vec::new();
        for host in 0..8 {
            let from = address(&format!("10.0.0.{host}"));
            held.extend((0..MOST_OF_ONE).map(|_| places.take(from).unwrap()));
            let refused = places.take(from).err().unwrap();
            let expected = [NoPlace::OfOne, NoPlace::InAll][usize::from(host == 7)];
            assert_eq!(refused, expected, "{host}");
        }
        let other = address("192.0.2.1");
        assert_eq!(places.take(other).err(), Some(NoPlace::InAll));
        held.pop();
        let again = places.take(other).unwrap();
        assert_eq!(places.take(other).err(), Some(NoPlace::InAll));
        drop((held, again));
        assert!(places.lock().is_empty());
    }

    #[test]
    fn who_has_a_network_has_its_addresses_once() {
        let places = ConnectionPlaces::new(false);
        let host = |host: usize| address(&format!("2001:db8:0:1::{host:x}"));
        let held: Vec<_> = (0..MOST_OF_ONE).map(|at| places.take(host(at))).collect();
        assert!(held.iter().all(Result::is_ok));
        assert_eq!(places.take(host(999)).err(), Some(NoPlace::OfOne));
        assert!(places.take(address("2001:db8:0:2::1")).is_ok());
        // The same address in other letters.
        let mapped = address("::ffff:10.0.0.1");
        let mapped: Vec<_> = (0..MOST_OF_ONE).map(|_| places.take(mapped)).collect();
        assert!(mapped.iter().all(Result::is_ok));
        assert!(places.take(address("10.0.0.1")).is_err());
    }

    #[test]
    fn a_proxy_on_this_host_has_as_many_as_all() {
        let places = ConnectionPlaces::new(true);
        let here = address("127.0.0.1");
        let held: Vec<_> = (0..MOST_CONNECTIONS).map(|_| places.take(here)).collect();
        assert!(held.iter().all(Result::is_ok));
        assert_eq!(places.take(here).err(), Some(NoPlace::InAll));
    }
}

//! How often somebody may try to log in: who fails waits, twice as long each time. A try is counted when it begins,
//! so that many at once are no more than many one after the other.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Tries that cost nothing: of one user from one place, of one place, of one user from anywhere.
const FREE: [u32; 3] = [5, 20, 50];
/// The longest waits. Of a user from anywhere it is short, so that nobody locks him out for long.
const LONGEST: [Duration; 3] = [
    Duration::from_secs(15 * 60),
    Duration::from_secs(15 * 60),
    Duration::from_secs(30),
];
/// What was counted is forgotten so long after its wait ended.
const FORGOTTEN: Duration = Duration::from_secs(15 * 60);
/// Who is remembered at most.
const MOST_REMEMBERED: usize = 30_000;

#[derive(Debug, Clone, Copy)]
struct TriesCounted {
    count: u32,
    until: Instant,
}

#[derive(Default)]
struct TriesKnown {
    counted: HashMap<(usize, String), TriesCounted>,
    /// Where a user came in: what others do elsewhere does not keep him out there.
    came_in: HashMap<String, Instant>,
}

/// Remembers who tries.
#[derive(Default)]
pub(crate) struct LoginTries(Mutex<TriesKnown>);

/// By what a try counts. Behind a proxy that does not say from where somebody calls there is only his name.
struct TryKeys {
    counted: Vec<(usize, String)>,
    came_in: Option<String>,
}

impl TryKeys {
    fn of(user: &str, from: Option<IpAddr>) -> Self {
        // A name may be as long as a request.
        let user: String = user.chars().take(64).collect();
        let anywhere = (2, user.to_lowercase());
        let Some(place) = from.map(place) else {
            return Self {
                counted: vec![anywhere],
                came_in: None,
            };
        };
        let own = format!("{place} {user}");
        Self {
            counted: vec![(0, own.clone()), (1, place), anywhere],
            came_in: Some(own),
        }
    }
}

/// A network of IPv6 is one place: its holder has all its addresses.
fn place(from: IpAddr) -> String {
    match from.to_canonical() {
        IpAddr::V4(v4) => v4.to_string(),
        IpAddr::V6(v6) => {
            let network = v6.segments();
            format!("{:x?}", &network[..4])
        }
    }
}

impl TriesKnown {
    /// What of a try counts here.
    fn counts(&self, keys: TryKeys) -> Vec<(usize, String)> {
        let came_in = keys
            .came_in
            .is_some_and(|own| self.came_in.contains_key(&own));
        let mut counted = keys.counted;
        counted.retain(|(kind, _)| *kind != 2 || !came_in);
        counted
    }

    fn wait(&self, keys: &[(usize, String)], now: Instant) -> Option<Duration> {
        let waits = keys.iter().filter_map(|key| {
            let left = self.counted.get(key)?.until.saturating_duration_since(now);
            (!left.is_zero()).then_some(left)
        });
        waits.max()
    }

    fn make_room(&mut self, now: Instant) {
        if self.counted.len() + FREE.len() > MOST_REMEMBERED {
            self.counted
                .retain(|_, tries| now.saturating_duration_since(tries.until) < FORGOTTEN);
        }
        if self.counted.len() + FREE.len() > MOST_REMEMBERED {
            // Still that many places at once: those that wait longest stay.
            let middle = middle(self.counted.values().map(|tries| tries.until));
            self.counted.retain(|_, tries| tries.until > middle);
        }
    }

    fn count(&mut self, key: (usize, String), now: Instant) {
        let (free, longest) = (FREE[key.0], LONGEST[key.0]);
        let fresh = TriesCounted {
            count: 0,
            until: now,
        };
        let tries = self.counted.entry(key).or_insert(fresh);
        if now.saturating_duration_since(tries.until) >= FORGOTTEN {
            *tries = fresh;
        }
        tries.count += 1;
        let over = tries.count.saturating_sub(free);
        let wait = match over {
            0 => Duration::ZERO,
            over => Duration::from_secs(1 << (over - 1).min(10)).min(longest),
        };
        tries.until = now + wait;
    }
}

fn middle(times: impl Iterator<Item = Instant>) -> Instant {
    let mut times: Vec<Instant> = times.collect();
    times.sort_unstable();
    times[times.len() / 2]
}

impl LoginTries {
    fn known(&self) -> MutexGuard<'_, TriesKnown> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a try before it is looked at.
    ///
    /// # Errors
    /// How long he must wait first.
    pub fn take(&self, user: &str, from: Option<IpAddr>, now: Instant) -> Result<(), Duration> {
        let mut known = self.known();
        let keys = known.counts(TryKeys::of(user, from));
        if let Some(wait) = known.wait(&keys, now) {
            return Err(wait);
        }
        known.make_room(now);
        keys.into_iter().for_each(|key| known.count(key, now));
        Ok(())
    }

    /// Somebody came in: his tries are forgotten, and of those of his place the one that let him in.
    pub fn succeeded(&self, user: &str, from: Option<IpAddr>, now: Instant) {
        let mut known = self.known();
        let keys = TryKeys::of(user, from);
        for key in keys.counted {
            match key.0 {
                1 => {
                    if let Some(tries) = known.counted.get_mut(&key) {
                        (tries.count, tries.until) = (tries.count.saturating_sub(1), now);
                    }
                }
                _ => {
                    known.counted.remove(&key);
                }
            }
        }
        if let Some(own) = keys.came_in {
            if known.came_in.len() >= MOST_REMEMBERED {
                let middle = middle(known.came_in.values().copied());
                known.came_in.retain(|_, at| *at > middle);
            }
            known.came_in.insert(own, now);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn address(text: &str) -> Option<IpAddr> {
        Some(text.parse().unwrap())
    }

    #[test]
    fn who_fails_waits_twice_as_long_each_time() {
        let (tries, begin) = (LoginTries::default(), Instant::now());
        let from = address("192.0.2.1");
        for _ in 0..5 {
            assert_eq!(tries.take("li", from, begin), Ok(()));
        }
        let mut waits = Vec::new();
        let mut now = begin;
        for _ in 0..12 {
            assert_eq!(tries.take("li", from, now), Ok(()));
            let wait = tries.take("li", from, now).unwrap_err();
            waits.push(wait.as_secs());
            now += wait;
        }
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
        assert_eq!(
            tries.take("li", address("192.0.2.2"), now),
            Ok(()),
            "from elsewhere"
        );
        assert_eq!(tries.take("wang", from, now), Ok(()), "another user");
        tries.succeeded("li", from, now);
        assert_eq!(tries.take("li", from, now), Ok(()));
    }

    #[test]
    fn many_at_once_are_as_many_as_one_after_the_other() {
        let (tries, now) = (LoginTries::default(), Instant::now());
        let from = address("192.0.2.1");
        let let_in = (0..200)
            .filter(|_| tries.take("li", from, now).is_ok())
            .count();
        assert_eq!(
            let_in, 6,
            "five are free, and the sixth is the first that others wait for"
        );
    }

    #[test]
    fn nobody_is_kept_out_for_long_by_what_others_do_elsewhere() {
        let (tries, mut now) = (LoginTries::default(), Instant::now());
        let (own, new) = (address("192.0.2.1"), address("192.0.2.2"));
        tries.take("li", own, now).unwrap();
        tries.succeeded("li", own, now);
        for number in 0..2_000_u32 {
            let _ = tries.take("LI", Some(IpAddr::V4((0x0a00_0000 + number).into())), now);
        }
        assert_eq!(
            tries.take("li", own, now),
            Ok(()),
            "he came in there before"
        );
        let wait = tries.take("li", new, now).unwrap_err();
        assert!(wait <= Duration::from_secs(30), "{wait:?}");
        now += wait;
        assert_eq!(tries.take("li", new, now), Ok(()));
    }

    #[test]
    fn behind_a_proxy_that_names_nobody_the_places_of_others_do_not_count() {
        let (tries, now) = (LoginTries::default(), Instant::now());
        for number in 0..500 {
            assert_eq!(tries.take(&format!("user{number}"), None, now), Ok(()));
        }
        assert_eq!(tries.take("li", None, now), Ok(()));
        let guessed = (0..500).filter(|_| tries.take("wang", None, now).is_ok());
        assert_eq!(guessed.count(), 51);
    }

    #[test]
    fn a_place_that_tries_many_names_waits_and_memory_is_bounded() {
        let (tries, now) = (LoginTries::default(), Instant::now());
        let from = address("2001:db8::1");
        for number in 0..40 {
            let _ = tries.take(&format!("user{number}"), from, now);
        }
        let neighbour = address("2001:db8::ffff");
        assert!(tries.take("nobody", neighbour, now).is_err());
        for number in 0..(MOST_REMEMBERED as u32 * 2) {
            let place = Some(IpAddr::V4(number.into()));
            let user = format!("user{number}");
            let _ = tries.take(&user, place, now);
            tries.succeeded(&user, place, now);
            let _ = tries.take(&user, place, now);
        }
        let known = tries.known();
        assert!(known.counted.len() <= MOST_REMEMBERED && known.came_in.len() <= MOST_REMEMBERED);
    }
}

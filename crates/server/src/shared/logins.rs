//! How often somebody may try to log in: who fails waits, twice as long each time.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Failures that cost nothing: of one user from one place, of one place, of one user from anywhere. The last is
/// larger so that nobody is easily locked out by others.
const FREE: [u32; 3] = [5, 20, 50];
/// The longest wait; failures whose wait ended so long ago are forgotten.
const LONGEST: Duration = Duration::from_secs(15 * 60);
/// Who is remembered at most.
const MOST: usize = 30_000;

#[derive(Debug, Clone, Copy)]
struct LoginFailures {
    count: u32,
    until: Instant,
}

/// Remembers who failed.
#[derive(Default)]
pub(crate) struct LoginTries(Mutex<HashMap<(u8, String), LoginFailures>>);

fn keys(user: &str, from: IpAddr) -> [(u8, String); 3] {
    let place = place(from);
    // A name may be as long as a request.
    let user: String = user.chars().take(64).collect();
    [
        (0, format!("{place} {user}")),
        (1, place),
        (2, user.to_lowercase()),
    ]
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

impl LoginTries {
    /// How long somebody must wait before he may try again; none: he need not.
    pub fn waits(&self, user: &str, from: IpAddr, now: Instant) -> Option<Duration> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let waits = keys(user, from).into_iter().filter_map(|key| {
            let left = known.get(&key)?.until.saturating_duration_since(now);
            (!left.is_zero()).then_some(left)
        });
        waits.max()
    }

    /// Somebody failed.
    pub fn failed(&self, user: &str, from: IpAddr, now: Instant) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() + FREE.len() > MOST {
            known.retain(|_, failures| now.saturating_duration_since(failures.until) < LONGEST);
        }
        if known.len() + FREE.len() > MOST {
            // Still that many places at once: those that wait longest stay.
            let mut ends: Vec<Instant> = known.values().map(|failures| failures.until).collect();
            ends.sort_unstable();
            let middle = ends[ends.len() / 2];
            known.retain(|_, failures| failures.until > middle);
        }
        for (key, free) in keys(user, from).into_iter().zip(FREE) {
            let fresh = LoginFailures {
                count: 0,
                until: now,
            };
            let failures = known.entry(key).or_insert(fresh);
            if now.saturating_duration_since(failures.until) >= LONGEST {
                *failures = fresh;
            }
            failures.count += 1;
            let over = failures.count.saturating_sub(free);
            let wait = match over {
                0 => Duration::ZERO,
                over => Duration::from_secs(1 << (over - 1).min(10)).min(LONGEST),
            };
            failures.until = now + wait;
        }
    }

    /// Somebody came in: his own failures there are forgotten.
    pub fn succeeded(&self, user: &str, from: IpAddr) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let [own, _, of_user] = keys(user, from);
        known.remove(&own);
        known.remove(&of_user);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn who_fails_waits_twice_as_long_each_time() {
        let (tries, begin) = (LoginTries::default(), Instant::now());
        let from: IpAddr = "192.0.2.1".parse().unwrap();
        for _ in 0..5 {
            assert_eq!(tries.waits("li", from, begin), None);
            tries.failed("li", from, begin);
        }
        let mut waits = Vec::new();
        let mut now = begin;
        for _ in 0..12 {
            tries.failed("li", from, now);
            let wait = tries.waits("li", from, now).unwrap();
            waits.push(wait.as_secs());
            now += wait;
        }
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
        let other: IpAddr = "192.0.2.2".parse().unwrap();
        assert_eq!(tries.waits("li", other, now), None, "from elsewhere");
        assert_eq!(tries.waits("wang", from, now), None, "another user");
        tries.succeeded("li", from);
        assert_eq!(tries.waits("li", from, now), None);
    }

    #[test]
    fn a_place_that_tries_many_names_waits_and_memory_is_bounded() {
        let (tries, now) = (LoginTries::default(), Instant::now());
        let from: IpAddr = "2001:db8::1".parse().unwrap();
        let neighbour: IpAddr = "2001:db8::ffff".parse().unwrap();
        for number in 0..40 {
            tries.failed(&format!("user{number}"), from, now);
        }
        assert!(tries.waits("nobody", neighbour, now).is_some());
        for number in 0..(MOST as u32 * 2) {
            tries.failed("x", IpAddr::V4(number.into()), now);
        }
        assert!(tries.0.lock().unwrap().len() <= MOST);
    }
}

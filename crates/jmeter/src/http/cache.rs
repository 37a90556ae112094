//! The cache manager (JMeter 5.6.3, `CacheManager`): it keeps what responses say of their age,
//! not the responses.

use std::collections::{HashMap, VecDeque};

use plimsoll_elements::Fields;
use plimsoll_plan::program::SiteId;

use super::cookies::unix_seconds_of;

/// Entries of a user unless the manager says how many.
const MAX_ENTRIES: usize = 5_000;
/// Seconds of a year: how long a response is good that does not say.
const YEAR_SECONDS: i64 = 365 * 24 * 60 * 60;

/// A cache manager.
#[derive(Debug)]
pub struct CacheManager {
    /// Where its users' entries are kept.
    pub site: SiteId,
    uses_expires: bool,
    clears: bool,
    by_group: bool,
    max_entries: usize,
}

/// What is known of an address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct CacheEntry {
    last_modified: Option<String>,
    etag: Option<String>,
    /// Milliseconds since 1970.
    expires_ms: Option<i64>,
    /// The request's headers that the response depends on; what is known is elsewhere then.
    vary: Option<String>,
}

/// A user's entries at one manager.
#[derive(Debug, Default)]
pub struct Cache {
    entries: HashMap<String, CacheEntry>,
    /// Addresses in the order in which they came.
    order: VecDeque<String>,
    clears: bool,
    by_group: bool,
}

/// Headers as names and values.
pub type Pairs = [(String, String)];

impl CacheManager {
    /// Binds a manager.
    #[must_use]
    pub fn bind(fields: Fields<'_>) -> Self {
        let most = fields.fixed_text("maxSize").trim().parse();
        Self {
            site: fields.0.site,
            uses_expires: fields.fixed_truth("useExpires", false),
            clears: fields.fixed_truth("clearEachIteration", false),
            by_group: fields.fixed_truth("CacheManager.controlledByThread", false),
            max_entries: most.unwrap_or(MAX_ENTRIES),
        }
    }

    /// The headers that ask whether what is known is still true.
    #[must_use]
    pub fn questions(&self, cache: &Cache, url: &str, sent: &Pairs) -> Vec<(&'static str, String)> {
        let mut headers = Vec::new();
        if let Some(entry) = cache.find(url, sent) {
            let modified = entry.last_modified.clone();
            headers.extend(modified.map(|at| ("If-Modified-Since", at)));
            let etag = entry.etag.clone();
            headers.extend(etag.map(|etag| ("If-None-Match", etag)));
        }
        headers
    }

    /// Whether the response is known and still good.
    #[must_use]
    pub fn knows(&self, cache: &Cache, url: &str, sent: &Pairs, now_ms: i64) -> bool {
        let entry = cache.find(url, sent);
        entry.is_some_and(|entry| entry.expires_ms.is_some_and(|until| until > now_ms))
    }

    /// Keeps what the head of a successful response to a GET says.
    pub fn save(&self, cache: &mut Cache, url: &str, sent: &Pairs, head: &[u8], now_ms: i64) {
        (cache.clears, cache.by_group) = (self.clears, self.by_group);
        let text = String::from_utf8_lossy(head);
        let header = |name: &str| {
            let mut lines = text.lines().rev().filter_map(|line| line.split_once(':'));
            let found = lines.find(|(known, _)| known.eq_ignore_ascii_case(name));
            found.map(|(_, value)| value.trim().to_owned())
        };
        let vary = header("Vary");
        if vary.as_deref() == Some("*") {
            return;
        }
        let (last_modified, etag) = (header("Last-Modified"), header("Etag"));
        let (expires, control) = (header("Expires"), header("Cache-Control"));
        let says = |value: &Option<String>| value.as_deref().is_some_and(|v| !v.trim().is_empty());
        if ![&last_modified, &etag, &expires, &control]
            .into_iter()
            .any(says)
        {
            return;
        }
        let mut expires_ms = None;
        if self.uses_expires {
            let control = control.as_deref().unwrap_or_default();
            if control.contains("no-store") {
                return;
            }
            let own_ms = expires
                .as_deref()
                .and_then(unix_seconds_of)
                .map(|at| at * 1_000);
            expires_ms = own_ms;
            if !control.contains("no-cache") {
                expires_ms = match max_age(control) {
                    Some(seconds) => Some(now_ms.saturating_add(seconds.saturating_mul(1_000))),
                    None if expires.is_some() => own_ms,
                    None => Some(guess(last_modified.as_deref(), header("Date"), now_ms)),
                };
            }
        }
        let entry = CacheEntry {
            last_modified,
            etag,
            expires_ms,
            vary: None,
        };
        match vary {
            Some(vary) => {
                let key = varied(url, &vary, sent);
                cache.put(key, entry.clone(), self.max_entries, true);
                let pointer = CacheEntry {
                    vary: Some(vary),
                    ..entry
                };
                cache.put(url.to_owned(), pointer, self.max_entries, true);
            }
            // What is there stays, even when it is over.
            None => cache.put(url.to_owned(), entry, self.max_entries, false),
        }
    }
}

impl Cache {
    /// Whether an iteration that begins wants it emptied.
    #[must_use]
    pub fn ends(&self, same_user: bool) -> bool {
        if self.by_group {
            !same_user
        } else {
            self.clears
        }
    }

    fn find(&self, url: &str, sent: &Pairs) -> Option<&CacheEntry> {
        let entry = self.entries.get(url)?;
        match &entry.vary {
            None => Some(entry),
            Some(vary) => self.entries.get(&varied(url, vary, sent)),
        }
    }

    fn put(&mut self, key: String, entry: CacheEntry, most: usize, replaces: bool) {
        if let Some(known) = self.entries.get_mut(&key) {
            if replaces {
                *known = entry;
            }
            return;
        }
        while self.entries.len() >= most.max(1) {
            let Some(oldest) = self.order.pop_front() else {
                break;
            };
            self.entries.remove(&oldest);
        }
        self.order.push_back(key.clone());
        self.entries.insert(key, entry);
    }
}

/// The key of a response that depends on headers of the request.
fn varied(url: &str, vary: &str, sent: &Pairs) -> String {
    let mut key = format!("vary-{vary}-");
    for name in vary.split(',').map(str::trim) {
        for (known, value) in sent.iter().filter(|(known, _)| known == name) {
            key.push_str(&format!("{known}={value},"));
        }
    }
    key.push('-');
    key.push_str(url);
    key
}

fn max_age(control: &str) -> Option<i64> {
    let (_, value) = control.split_once("max-age=")?;
    value.split([',', ' ']).next()?.parse().ok()
}

/// How long a response is good that does not say: a tenth of its age, or a year.
fn guess(last_modified: Option<&str>, date: Option<String>, now_ms: i64) -> i64 {
    let modified = last_modified.and_then(unix_seconds_of);
    let date = date.as_deref().and_then(unix_seconds_of);
    match (modified, date) {
        (Some(modified), Some(date)) => {
            now_ms.saturating_add(date.saturating_sub(modified).saturating_mul(100))
        }
        _ => now_ms.saturating_add(YEAR_SECONDS * 1_000),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    fn manager(uses_expires: bool) -> CacheManager {
        CacheManager {
            site: SiteId(0),
            uses_expires,
            clears: false,
            by_group: false,
            max_entries: 2,
        }
    }

    fn after(manager: &CacheManager, head: &str) -> Cache {
        let mut cache = Cache::default();
        let head = format!("HTTP/1.1 200 OK\r\n{head}\r\n");
        manager.save(&mut cache, "u", &[], head.as_bytes(), 0);
        cache
    }

    #[test]
    fn responses_are_good_as_long_as_they_say() {
        let manager = manager(true);
        let until = |head: &str| {
            let cache = after(&manager, head);
            let known = |ms| manager.knows(&cache, "u", &[], ms);
            [50_000, 500_000, 20_000_000_000].map(known)
        };
        assert_eq!(
            until("Cache-Control: private, max-age=100\r\n"),
            [true, false, false]
        );
        assert_eq!(
            until("Expires: Thu, 01 Jan 1970 00:05:00 GMT\r\n"),
            [true, false, false]
        );
        assert_eq!(until("Expires: 0\r\n"), [false; 3]);
        assert_eq!(
            until("Cache-Control: no-cache, max-age=100\r\n"),
            [false; 3]
        );
        assert_eq!(until("Cache-Control: no-store\r\nEtag: x\r\n"), [false; 3]);
        assert_eq!(until("Etag: x\r\n"), [true, true, true]);
        assert_eq!(until("X: y\r\n"), [false; 3]);
    }

    #[test]
    fn what_is_known_is_asked_for() {
        let manager = manager(false);
        let cache = after(&manager, "ETag: \"e\"\r\nLast-Modified: then\r\n");
        let asked = manager.questions(&cache, "u", &[]);
        let both = [
            ("If-Modified-Since", "then".to_owned()),
            ("If-None-Match", "\"e\"".to_owned()),
        ];
        assert_eq!(asked, both);
        assert!(manager.questions(&cache, "v", &[]).is_empty());
        assert!(!manager.knows(&cache, "u", &[], 0));
    }

    #[test]
    fn responses_that_vary_are_told_apart_and_old_ones_go() {
        let manager = manager(true);
        let mut cache = Cache::default();
        let sent = |value: &str| [("Accept".to_owned(), value.to_owned())];
        let head = b"HTTP/1.1 200 OK\r\nVary: Accept\r\nCache-Control: max-age=9\r\n\r\n";
        manager.save(&mut cache, "u", &sent("a"), head, 0);
        assert!(manager.knows(&cache, "u", &sent("a"), 0));
        assert!(!manager.knows(&cache, "u", &sent("b"), 0));
        let head = b"HTTP/1.1 200 OK\r\nCache-Control: max-age=9\r\n\r\n";
        for url in ["v", "w", "x"] {
            manager.save(&mut cache, url, &[], head, 0);
        }
        assert_eq!(cache.entries.len(), 2);
        assert!(!manager.knows(&cache, "u", &sent("a"), 0));
    }
}

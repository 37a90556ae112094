//! Which commands of Redis wait for a value that another client puts there, and which put one: by the key,
//! of which only a hash is kept.

use super::part_hash::PartHash;
use crate::exchanges::WireMark;

/// Parts of a command that are looked at; the name is the first.
const MAX_PARTS: usize = 12;
/// The longest name that is looked at.
const MAX_NAME: usize = 16;

/// Commands that wait, each with the part that is their first key.
const WAIT: &[(&str, usize)] = &[
    ("BLPOP", 1),
    ("BRPOP", 1),
    ("BLMOVE", 1),
    ("BRPOPLPUSH", 1),
    ("BZPOPMIN", 1),
    ("BZPOPMAX", 1),
    ("BLMPOP", 3),
    ("BZMPOP", 3),
];
/// Commands that wait if they say so, and the words for that and before their keys.
const WAIT_IF_TOLD: &[&str] = &["XREAD", "XREADGROUP"];
const BLOCK: &[u8] = b"BLOCK";
const STREAMS: &[u8] = b"STREAMS";
/// Commands that look for values that a cache may have; the part that is their first key, and whether there may be more.
const LOOKS: &[(&str, usize, bool)] = &[
    ("GET", 1, false),
    ("GETEX", 1, false),
    ("HGET", 2, false),
    ("MGET", 1, true),
    ("HMGET", 2, true),
];
/// Commands that put values into a cache; the part that their only key ends with, 0: they may have several.
const STORES: &[(&str, usize)] = &[
    ("SET", 1),
    ("SETEX", 1),
    ("PSETEX", 1),
    ("GETSET", 1),
    ("HSET", 2),
    ("HSETNX", 2),
    ("MSET", 0),
    ("HMSET", 0),
];
/// Commands that put a value under a key only if there is none, always or if they say so.
const TRIES: &str = "SETNX";
const TRIES_IF_TOLD: &str = "SET";
const NX: &[u8] = b"NX";
/// Words behind the key and the value of that one.
const OPTIONS: usize = 2;
/// Commands that put values under a key.
const GIVE: &[(&str, usize)] = &[
    ("LPUSH", 1),
    ("RPUSH", 1),
    ("LPUSHX", 1),
    ("RPUSHX", 1),
    ("ZADD", 1),
    ("XADD", 1),
    ("LMOVE", 2),
    ("RPOPLPUSH", 2),
];

/// A command's parts as they come.
#[derive(Default)]
pub(super) struct CommandParts {
    name: Vec<u8>,
    /// Of each part behind the name.
    hashes: Vec<PartHash>,
    /// So many parts have begun.
    begun: usize,
    /// So many parts were seen whole, the name is the first.
    whole: usize,
}

impl CommandParts {
    /// A command begins.
    pub(super) fn begin(&mut self) {
        self.name.clear();
        self.hashes.clear();
        self.begun = 0;
        self.whole = usize::MAX;
    }

    /// A part of it begins.
    pub(super) fn part(&mut self) {
        self.begun += 1;
        if (2..=MAX_PARTS).contains(&self.begun) {
            self.hashes.push(PartHash::new());
        }
    }

    /// More of that part, without the end of its line.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        match self.begun {
            0 => {}
            1 => {
                let room = (MAX_NAME + 1).saturating_sub(self.name.len());
                self.name.extend(bytes.iter().take(room));
            }
            2..=MAX_PARTS => {
                if let Some(hash) = self.hashes.last_mut() {
                    hash.add(bytes);
                }
            }
            _ => {}
        }
    }

    /// All of a command that is words in a line, as a person types them.
    pub(super) fn words(&mut self, line: &[u8]) {
        let words = line.split(u8::is_ascii_whitespace);
        for word in words.filter(|word| !word.is_empty()) {
            self.part();
            self.add(word);
        }
    }

    /// Whether that is its name.
    pub(super) fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name.as_bytes())
    }

    /// Bytes of it were not seen.
    pub(super) fn cut(&mut self) {
        self.whole = self.whole.min(self.begun.saturating_sub(1));
    }

    /// Whether bytes of what is looked at were not seen.
    fn is_cut(&self) -> bool {
        self.whole < MAX_PARTS
    }

    /// What it does with whom, at its end.
    pub(super) fn mark(&self) -> Option<WireMark> {
        if let Some(key) = self.tries() {
            return Some(WireMark::Tries(key));
        }
        let cached = self.cached();
        if cached.is_some() || self.is_cut() {
            return cached;
        }
        let is = |name: &&str| self.is(name);
        let key = |part: usize| self.hashes.get(part - 1).map(|hash| hash.value());
        let of = |list: &[(&str, usize)]| {
            let mut known = list.iter().filter(|(name, _)| is(name));
            known.next().and_then(|(_, part)| key(*part))
        };
        if WAIT_IF_TOLD.iter().any(is) {
            return self.stream().map(WireMark::Waits);
        }
        let waits = of(WAIT).map(WireMark::Waits);
        waits.or_else(|| of(GIVE).map(WireMark::Gives))
    }

    /// The key that it takes only if nobody has it.
    fn tries(&self) -> Option<u64> {
        if self.is_cut() {
            return None;
        }
        let says_so = || {
            let nx = PartHash::of(NX);
            let mut options = self.hashes.iter().skip(OPTIONS);
            options.any(|part| part.value() == nx)
        };
        let tries = self.is(TRIES) || self.is(TRIES_IF_TOLD) && says_so();
        let key = self.hashes.first().filter(|_| tries)?;
        Some(key.value())
    }

    /// What it does with a cache: its name tells, and how many parts it has.
    fn cached(&self) -> Option<WireMark> {
        if self.whole < 1 {
            return None;
        }
        if let Some((_, ends)) = STORES.iter().find(|(name, _)| self.is(name)) {
            return Some(WireMark::Stores {
                key: self.key(*ends),
            });
        }
        let (_, first, is_many) = LOOKS.iter().find(|(name, ..)| self.is(name))?;
        let keys = match is_many {
            true => self.begun.checked_sub(*first)?,
            false => 1,
        };
        let key = if keys == 1 { self.key(*first) } else { 0 };
        let keys = u16::try_from(keys).ok()?;
        Some(WireMark::Looks { keys, key })
    }

    /// The hash of a key of so many parts behind the name (a hash and a field of it are two); 0: not known.
    fn key(&self, ends: usize) -> u64 {
        if self.whole <= ends {
            return 0;
        }
        let parts = self.hashes.iter().take(ends);
        parts.fold(0, |all: u64, part| all.rotate_left(1) ^ part.value())
    }

    /// The first stream that is read, if it is waited for.
    fn stream(&self) -> Option<u64> {
        let place = |word: &[u8]| {
            let hash = PartHash::of(word);
            self.hashes.iter().position(|part| part.value() == hash)
        };
        let (block, streams) = (place(BLOCK)?, place(STREAMS)?);
        let key = self.hashes.get(streams + 1);
        key.filter(|_| block < streams).map(|hash| hash.value())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(parts: &[&str]) -> Option<WireMark> {
        let mut told = CommandParts::default();
        told.begin();
        for part in parts {
            told.part();
            // In pieces, as packets may cut it.
            part.as_bytes().chunks(3).for_each(|piece| told.add(piece));
        }
        told.mark()
    }

    #[test]
    fn who_waits_and_who_gives_have_the_same_key() {
        let jobs = PartHash::of(b"jobs");
        for parts in [
            &["BRPOP", "jobs", "5"][..],
            &["blpop", "jobs", "more", "0"],
            &["BLMOVE", "jobs", "done", "LEFT", "RIGHT", "0"],
            &["BLMPOP", "0", "1", "jobs", "LEFT"],
            &["XREAD", "COUNT", "10", "BLOCK", "0", "STREAMS", "jobs", "$"],
            &[
                "XREADGROUP",
                "GROUP",
                "g",
                "me",
                "block",
                "0",
                "streams",
                "jobs",
                ">",
            ],
        ] {
            assert_eq!(mark(parts), Some(WireMark::Waits(jobs)), "{parts:?}");
        }
        for parts in [
            &["LPUSH", "jobs", "x"][..],
            &["xadd", "jobs", "*", "f", "v"],
            &["LMOVE", "other", "jobs", "LEFT", "RIGHT"],
        ] {
            assert_eq!(mark(parts), Some(WireMark::Gives(jobs)), "{parts:?}");
        }
        for parts in [
            &["GETDEL", "jobs"][..],
            &["BRPOP"],
            &[],
            &["XREAD", "STREAMS", "jobs", "0"],
            &["BRPOPLPUSHANDMORE", "jobs", "x"],
        ] {
            assert_eq!(mark(parts), None, "{parts:?}");
        }
    }

    #[test]
    fn lookups_have_their_number_of_keys() {
        for (parts, keys) in [
            (&["GET", "a"][..], 1),
            (&["get", "a"], 1),
            (&["GETEX", "a", "EX", "60"], 1),
            (&["HGET", "users", "7"], 1),
            (&["MGET", "a", "b", "c"], 3),
            (&["HMGET", "users", "7", "8"], 2),
        ] {
            assert!(
                matches!(mark(parts), Some(WireMark::Looks { keys: told, .. }) if told == keys),
                "{parts:?}"
            );
        }
        let key = PartHash::of(b"a");
        let stores = Some(WireMark::Stores { key });
        assert_eq!(mark(&["SETEX", "a", "60", "x"]), stores);
        assert_eq!(mark(&["SET", "a", "nx"]), stores);
        assert_eq!(mark(&["GET", "a"]), Some(WireMark::Looks { keys: 1, key }));
        // A field of a hash is a key of its own; of several none is told.
        let field = |parts: &[&str]| match mark(parts) {
            Some(WireMark::Looks { key, .. } | WireMark::Stores { key }) => key,
            other => panic!("{other:?}"),
        };
        assert_eq!(field(&["HGET", "u", "7"]), field(&["HSET", "u", "7", "x"]));
        assert_ne!(field(&["HGET", "u", "7"]), field(&["HGET", "u", "8"]));
        assert_ne!(field(&["HGET", "u", "7"]), field(&["HGET", "7", "u"]));
        for several in [&["MGET", "a", "b"][..], &["MSET", "a", "1"]] {
            assert_eq!(field(several), 0, "{several:?}");
        }
        let lock = PartHash::of(b"lock");
        for parts in [
            &["SET", "lock", "me", "NX", "PX", "3000"][..],
            &["set", "lock", "nx", "ex", "3", "nx"],
            &["setnx", "lock", "me"],
        ] {
            assert_eq!(mark(parts), Some(WireMark::Tries(lock)), "{parts:?}");
        }
        let mut told = CommandParts::default();
        told.begin();
        told.part();
        told.add(b"SET");
        told.part();
        told.cut();
        let stores = |key| Some(WireMark::Stores { key });
        assert_eq!(told.mark(), stores(0), "its name is enough");
        told.begin();
        for part in [&b"SET"[..], b"a", b"x"] {
            told.part();
            told.add(part);
        }
        told.cut();
        assert_eq!(told.mark(), stores(key), "the value is not needed");
    }

    #[test]
    fn what_was_not_seen_marks_nothing() {
        let mut told = CommandParts::default();
        told.begin();
        told.part();
        told.add(b"BRPOP");
        told.part();
        told.cut();
        assert_eq!(told.mark(), None);
    }
}

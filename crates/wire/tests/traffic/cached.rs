//! What a cache says of keys: found, missed, taken, refused.

use plimsoll_wire::{CacheRefusal, HopCache};
use proptest::prelude::*;

use crate::handshakes::{Talking, of_hop};

/// What a client asks a cache, and what that says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Hit,
    Miss,
    /// Three keys, of which so many are there.
    Several(usize),
    Stored,
    TooLarge,
    Full,
    Other,
    /// One of the commands whose response says nothing of keys.
    Nothing(usize),
}

/// Such commands, and their responses.
const REDIS_NOTHING: [(&[&str], &str); 9] = [
    (&["GET", "a"], "+QUEUED"),
    (&["SET", "a", "abc"], "+QUEUED"),
    (&["SETNX", "a", "abc"], "+QUEUED"),
    (&["GET", "a"], "-MOVED 3999 127.0.0.1:6381"),
    (&["HGET", "a", "b"], "-WRONGTYPE Operation against a key"),
    (&["MGET", "a", "b"], "-LOADING Redis is loading the dataset"),
    (&["GET", "a"], "-NOAUTH Authentication required."),
    (&["SET", "a", "abc"], "-ASK 3999 127.0.0.1:6381"),
    (&["SETNX", "a", "abc"], "-ERR unknown command"),
];
const MEMCACHED_NOTHING: [(&str, &str); 4] = [
    ("get a", "ERROR"),
    ("get a b", "CLIENT_ERROR line too long"),
    ("set a 0 60 3\r\nabc", "CLIENT_ERROR bad data chunk"),
    ("add a 0 60 3\r\nabc", "CLIENT_ERROR bad data chunk"),
];

/// The cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spoken {
    Redis,
    Memcached,
    Meta,
}

const VALUE: &str = "$3\r\nabc\r\n";
const NOTHING: &str = "$-1\r\n";

fn redis(parts: &[&str]) -> String {
    let all: Vec<String> = parts
        .iter()
        .map(|part| format!("${}\r\n{part}\r\n", part.len()))
        .collect();
    format!("*{}\r\n{}", parts.len(), all.concat())
}

impl Asked {
    fn said(self, spoken: Spoken) -> (String, String) {
        match spoken {
            Spoken::Redis => self.redis(),
            Spoken::Memcached => self.memcached(),
            Spoken::Meta => self.meta(),
        }
    }

    fn redis(self) -> (String, String) {
        match self {
            Self::Hit => (redis(&["GET", "a"]), VALUE.into()),
            Self::Miss => (redis(&["get", "a"]), NOTHING.into()),
            Self::Several(found) => {
                let values = [VALUE.repeat(found), NOTHING.repeat(3 - found)].concat();
                (redis(&["MGET", "a", "b", "c"]), format!("*3\r\n{values}"))
            }
            Self::Stored => (redis(&["SETEX", "a", "60", "abc"]), "+OK\r\n".into()),
            Self::TooLarge => {
                let error = "-ERR string exceeds maximum allowed size (proto-max-bulk-len)\r\n";
                (redis(&["SET", "a", "abc"]), error.into())
            }
            Self::Full => {
                let error = "-OOM command not allowed when used memory > 'maxmemory'.\r\n";
                (redis(&["SET", "a", "abc"]), error.into())
            }
            Self::Other => (redis(&["INCR", "n"]), ":7\r\n".into()),
            Self::Nothing(at) => {
                let (command, response) = REDIS_NOTHING[at % REDIS_NOTHING.len()];
                (redis(command), format!("{response}\r\n"))
            }
        }
    }

    fn memcached(self) -> (String, String) {
        let value = "VALUE a 0 3\r\nabc\r\n";
        let set = "set a 0 60 3\r\nabc\r\n".to_owned();
        match self {
            Self::Hit => ("get a\r\n".into(), format!("{value}END\r\n")),
            Self::Miss => ("get a\r\n".into(), "END\r\n".into()),
            Self::Several(found) => (
                "gets a b c\r\n".into(),
                format!("{}END\r\n", value.repeat(found)),
            ),
            Self::Stored => (set, "STORED\r\n".into()),
            Self::TooLarge => (set, "SERVER_ERROR object too large for cache\r\n".into()),
            Self::Full => (set, "SERVER_ERROR out of memory storing object\r\n".into()),
            Self::Other => ("incr n 1\r\n".into(), "NOT_FOUND\r\n".into()),
            Self::Nothing(at) => {
                let (command, response) = MEMCACHED_NOTHING[at % MEMCACHED_NOTHING.len()];
                (format!("{command}\r\n"), format!("{response}\r\n"))
            }
        }
    }

    fn meta(self) -> (String, String) {
        match self {
            Self::Hit => ("mg a v t\r\n".into(), "VA 3 t9\r\nabc\r\n".into()),
            Self::Miss => ("mg a v\r\n".into(), "EN\r\n".into()),
            Self::Stored => ("ms a 3 T60\r\nabc\r\n".into(), "HD\r\n".into()),
            Self::Other => ("mn\r\n".into(), "MN\r\n".into()),
            other => other.memcached(),
        }
    }
}

/// The same, counted by hand.
fn counted(asked: &[Asked]) -> Option<HopCache> {
    let mut sum = HopCache::default();
    let mut is_there = false;
    for one in asked {
        match one {
            Asked::Hit => sum.found += 1,
            Asked::Miss => {
                sum.missed += 1;
                sum.lost += u64::from(is_there);
            }
            Asked::Several(found) => {
                sum.found += *found as u64;
                sum.missed += 3 - *found as u64;
            }
            Asked::Stored => {
                sum.taken += 1;
                is_there = true;
            }
            Asked::TooLarge | Asked::Full => {
                let why = match one {
                    Asked::TooLarge => CacheRefusal::TooLarge,
                    _ => CacheRefusal::OutOfMemory,
                };
                sum.refused += 1;
                sum.why.get_or_insert(why);
            }
            Asked::Other | Asked::Nothing(_) => {}
        }
    }
    (sum != HopCache::default()).then_some(sum)
}

fn asked() -> impl Strategy<Value = Asked> {
    prop_oneof![
        Just(Asked::Hit),
        Just(Asked::Miss),
        (0..=3_usize).prop_map(Asked::Several),
        Just(Asked::Stored),
        Just(Asked::TooLarge),
        Just(Asked::Full),
        Just(Asked::Other),
        (0..REDIS_NOTHING.len()).prop_map(Asked::Nothing),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// However many commands are sent at once, and however both sides are cut into packets.
    #[test]
    fn keys_are_counted_as_by_hand(
        spoken in prop_oneof![Just(Spoken::Redis), Just(Spoken::Memcached), Just(Spoken::Meta)],
        batches in prop::collection::vec(prop::collection::vec(asked(), 1..6), 1..12),
        cut in 1..40_usize,
    ) {
        let mut talk = Talking::open(40_000, 0);
        let mut at_ms = 1;
        for batch in &batches {
            let said: Vec<(String, String)> = batch.iter().map(|one| one.said(spoken)).collect();
            for side in [0, 1] {
                let text: String = said.iter().map(|(command, response)| [command.as_str(), response][side]).collect();
                for piece in text.as_bytes().chunks(cut) {
                    talk.say(side, at_ms, piece);
                }
                at_ms += 1;
            }
        }
        let hop = of_hop(vec![talk]);
        let name = if spoken == Spoken::Redis { "redis" } else { "memcached" };
        prop_assert_eq!((hop.protocol.as_str(), hop.decided), (name, true));
        let all = batches.concat();
        prop_assert_eq!(hop.requests, Some(all.len() as u64));
        let told = hop.cache.map(|cache| HopCache { lost_after_ms: None, ..cache });
        prop_assert_eq!(told, counted(&all));
        prop_assert_eq!(hop.tries, None);
    }
}

#[test]
fn what_has_no_response_is_no_request() {
    let mut talk = Talking::open(40_000, 0);
    talk.say(0, 1, b"set a 0 60 3 noreply\r\nabc\r\nget a\r\n");
    talk.say(1, 3, b"VALUE a 0 3\r\nabc\r\nEND\r\n");
    talk.say(0, 5, b"delete a noreply\r\nget a\r\nquit\r\n");
    talk.say(1, 9, b"END\r\n");
    let hop = of_hop(vec![talk]);
    assert_eq!(
        (hop.requests, hop.unfinished),
        (Some(2), Some(0)),
        "{hop:#?}"
    );
    assert_eq!(hop.response_ms.unwrap().mean, 3.0);
    let cache = hop.cache.unwrap();
    assert_eq!((cache.found, cache.missed, cache.taken), (1, 1, 0));
}

#[test]
fn what_may_stay_without_a_response_is_undecided() {
    let mut talk = Talking::open(40_000, 0);
    talk.say(0, 1, b"mg a v q\r\nmn\r\n");
    talk.say(1, 3, b"MN\r\n");
    let hop = of_hop(vec![talk]);
    assert_eq!((hop.protocol.as_str(), hop.decided), ("memcached", false));
    assert_eq!(hop.cache, None);
}

/// Two clients that try for a key, one of them several times, and what is told of it.
#[test]
fn keys_that_somebody_has_are_tried_for_in_vain() {
    let redis_try = redis(&["SET", "lock:7", "me", "NX", "PX", "3000"]);
    let redis_setnx = redis(&["SETNX", "lock:8", "me"]);
    let spoken = [
        ([redis_try, redis_setnx], ["+OK\r\n", "$-1\r\n", ":0\r\n"]),
        (
            [
                "add lock:7 0 3 2\r\nme\r\n".to_owned(),
                "add lock:8 0 3 2\r\nme\r\n".to_owned(),
            ],
            ["STORED\r\n", "NOT_STORED\r\n", "NOT_STORED\r\n"],
        ),
    ];
    for ([seven, eight], [taken, refused, refused_eight]) in &spoken {
        let mut first = Talking::open(40_000, 0);
        first.say(0, 1, seven.as_bytes());
        first.say(1, 2, taken.as_bytes());
        let mut second = Talking::open(40_001, 0);
        for (at_ms, asked, said) in [
            (3, seven, refused),
            (13, seven, refused),
            (23, seven, taken),
            (33, eight, refused_eight),
        ] {
            second.say(0, at_ms, asked.as_bytes());
            second.say(1, at_ms + 1, said.as_bytes());
        }
        let hop = of_hop(vec![first, second]);
        let tries = hop.tries.unwrap();
        assert_eq!((tries.tries, tries.refused, tries.keys), (5, 3, 2));
        assert_eq!(hop.cache, None, "a lock is no cache");
    }
}

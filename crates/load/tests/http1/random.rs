//! Random bytes, damaged responses and random splits.

use plimsoll_load::kit::http1::{RequestMethod, ResponseLimits};
use proptest::prelude::*;

use crate::trace::{Setting, Trace, trace};

fn settings() -> impl Strategy<Value = Setting> {
    let methods = [
        RequestMethod::Head,
        RequestMethod::Connect,
        RequestMethod::Other,
    ];
    let limits = (20usize..300, 1usize..8, 0u64..60);
    let limits = prop_oneof![
        limits.prop_map(|(head_bytes, headers, body_bytes)| ResponseLimits {
            head_bytes,
            headers,
            body_bytes
        }),
        Just(ResponseLimits::default()),
    ];
    (
        prop::sample::select(methods.to_vec()),
        limits,
        any::<bool>(),
    )
        .prop_map(|(method, limits, close)| Setting {
            method,
            limits,
            close,
        })
}

/// Words of the grammar, in any order: reaches further than random bytes.
fn responses() -> impl Strategy<Value = Vec<u8>> {
    let words: Vec<&[u8]> = vec![
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/1.0 404 Not Found\r\n",
        b"HTTP/1.1 100 Continue\r\n",
        b"HTTP/1.1 204 No Content\r\n",
        b"HTTP/1.1 101 Go\r\n",
        b"Content-Length: 5\r\n",
        b"Content-Length: 0\r\n",
        b"Content-Length: 7, 7\r\n",
        b"Transfer-Encoding: chunked\r\n",
        b"Connection: close\r\n",
        b"connection: keep-alive\r\n",
        b"X: y\r\n",
        b"X: y\r\n z\r\n",
        b"\r\n",
        b"\n",
        b"5\r\nhello\r\n",
        b"3;e=f\r\nabc\r\n",
        b"0\r\n",
        b"hello",
        b"\r",
        b" ",
        b":",
        b"\0",
        b"\xff",
        b"A",
        b"f",
    ];
    let word = prop_oneof![
        9 => prop::sample::select(words).prop_map(<[u8]>::to_vec),
        1 => prop::collection::vec(any::<u8>(), 1..4),
    ];
    let start = prop::sample::select(vec![
        &b"HTTP/1.1 200 OK\r\n"[..],
        b"HTTP/1.1 103 Hint\r\n",
        b"",
    ]);
    (start, prop::collection::vec(word, 0..14))
        .prop_map(|(start, words)| [start.to_vec(), words.concat()].concat())
}

fn same(bytes: &[u8], setting: &Setting, cuts: &[prop::sample::Index]) -> (Trace, Trace) {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    places.sort_unstable();
    places.push(bytes.len());
    let mut from = 0;
    let pieces = places
        .iter()
        .map(|&to| &bytes[std::mem::replace(&mut from, to)..to]);
    let mut split = trace(setting, pieces);
    let mut whole = trace(setting, [bytes]);
    split.end = split.end.without_quotation();
    whole.end = whole.end.without_quotation();
    (split, whole)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn random_bytes_never_panic_and_never_depend_on_the_split(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        setting in settings(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let (split, whole) = same(&bytes, &setting, &cuts);
        prop_assert_eq!(split, whole);
    }

    #[test]
    fn responses_never_depend_on_the_split(
        bytes in responses(),
        setting in settings(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let (split, whole) = same(&bytes, &setting, &cuts);
        prop_assert_eq!(split, whole);
        let every: Vec<&[u8]> = bytes.chunks(1).collect();
        let mut every = trace(&setting, every);
        every.end = every.end.without_quotation();
        let mut whole = trace(&setting, [&bytes[..]]);
        whole.end = whole.end.without_quotation();
        prop_assert_eq!(every, whole);
    }
}

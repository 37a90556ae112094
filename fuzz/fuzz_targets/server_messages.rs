//! What servers that are watched say in binary forms: whatever the bytes, they are understood or
//! refused, and nothing is taken that did not come.

#![no_main]
#![allow(missing_docs)]

use libfuzzer_sys::fuzz_target;
use plimsoll_watch::fastcgi::{FastCgiRecord, record};
use plimsoll_watch::pg::wire::{PgMessage, message};
use plimsoll_watch::stacks::{GoroutineLooks, ToldStacks, V8Profile};

fuzz_target!(|bytes: &[u8]| {
    let mut looks = GoroutineLooks::default();
    looks.add_plain(bytes);
    check(&looks.told(1, 1.0));
    let profile = serde_json::from_slice::<V8Profile>(bytes);
    if let Some(told) = profile.ok().and_then(|profile| profile.told(1)) {
        check(&told);
    }
    let mut rest = bytes;
    while let Ok(Some((said, length))) = message(rest) {
        assert!((5..=rest.len()).contains(&length));
        if let PgMessage::Row(cells) = said {
            assert!(cells.len() * 4 <= length);
        }
        rest = &rest[length..];
    }
    let mut rest = bytes;
    while let Ok(Some((said, length))) = record(rest) {
        assert!((8..=rest.len()).contains(&length));
        if let FastCgiRecord::Page(part) = said {
            assert!(part.len() + 8 <= length);
        }
        rest = &rest[length..];
    }
});

/// Stacks name calls that are there.
fn check(told: &ToldStacks) {
    assert!(
        told.stacks
            .iter()
            .all(|stack| stack.calls.iter().all(|at| *at < told.frames.len()))
    );
}

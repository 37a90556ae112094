//! What comes in over the link: whatever the bytes, they are read or refused, and what is read
//! can be merged and sent again.

#![no_main]
#![allow(missing_docs)]

use libfuzzer_sys::fuzz_target;
use plimsoll_fleet::merge::Merger;
use plimsoll_fleet::wire::{
    Discover, Life, Report, WorkerFound, WorkerOrder, WorkerResponse, decode, encode,
};

fuzz_target!(|body: &[u8]| {
    if let Ok(report) = Report::decode(body) {
        let again = report.encode().expect("what was read can be written");
        assert!(
            Report::decode(&again).is_ok(),
            "what was written can be read"
        );
        if let Report::Second(second) = &report {
            let mut merger = Merger::default();
            merger.begin(0, "w", 0, 0);
            merger.second(0, 1, 1, second);
            let _ = merger.take_next();
        }
    }
    if let Ok(order) = decode::<WorkerOrder>(body) {
        encode(&order).expect("what was read can be written");
    }
    let _ = decode::<WorkerResponse>(body);
    let _ = decode::<Discover>(body);
    let _ = decode::<WorkerFound>(body);
    let _ = decode::<Life>(body);
});

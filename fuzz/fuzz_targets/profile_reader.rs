//! async-profiler's stacks: whatever the text, what is read of it keeps to the limits, and every
//! stack has a call of Java code.

#![no_main]
#![allow(missing_docs)]

use libfuzzer_sys::fuzz_target;
use plimsoll_diagnose::collapsed;
use plimsoll_diagnose::stacks::{own_frame, place};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.lines().count();
    for samples in [
        collapsed::cpu(&text, 7),
        collapsed::locks(&text, 7, 3_000.0),
    ] {
        assert!(samples.stacks.len() <= lines && samples.waits.len() <= lines);
        assert!(samples.cpu.len() <= 200_000);
        for stack in 0..samples.stacks.len() {
            let thread = samples.thread(stack);
            assert!((1..=64).contains(&thread.frames.len()));
            let _ = (
                place::place(&thread),
                place::serves(&thread),
                own_frame(&thread),
            );
        }
    }
});

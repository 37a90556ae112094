//! Flight recordings of the target's JVM: whatever the bytes, they are refused or understood
//! within the limits, and what is understood can be looked at and kept.

#![no_main]
#![allow(missing_docs)]

use libfuzzer_sys::fuzz_target;
use plimsoll_diagnose::jfr;
use plimsoll_diagnose::samples::StackSamples;
use plimsoll_diagnose::stacks::{own_frame, place};

fuzz_target!(|bytes: &[u8]| {
    let Ok(samples) = jfr::read(bytes, 0) else {
        return;
    };
    let cpu = samples.cpu.iter().map(|sample| sample.stack);
    for stack in cpu.chain(samples.waits.iter().map(|wait| wait.stack)) {
        assert!(stack < samples.stacks.len());
    }
    for stack in 0..samples.stacks.len() {
        let thread = samples.thread(stack);
        assert!(thread.frames.len() <= 64);
        let _ = (
            place::place(&thread),
            place::serves(&thread),
            own_frame(&thread),
        );
    }
    assert!(samples.waits.iter().all(|wait| wait.lasted_ms.is_finite()));
    let kept = serde_json::to_string(&samples).expect("what was read can be kept");
    let again: StackSamples = serde_json::from_str(&kept).expect("what was kept can be read");
    assert_eq!(again.stacks, samples.stacks);
});

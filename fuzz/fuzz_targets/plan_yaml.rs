//! The plan reader: whatever the text, it neither panics nor hangs, and a plan
//! that is refused is refused with a reason.

#![no_main]
#![allow(missing_docs)]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(problems) = plimsoll_plan::parse_yaml(text, "plan.yaml") {
        assert!(!problems.is_empty());
    }
});

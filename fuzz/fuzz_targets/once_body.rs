//! Bodies as `once` shows them: whatever they are, what is shown is as short as it was asked to
//! be, grows with the body alone, and is JSON still when it was.

#![no_main]
#![allow(dead_code, missing_docs)]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/cli/src/commands/once/body.rs"]
mod body;

/// A line of a value may be indented by so many bytes.
const EACH: usize = 100;

fuzz_target!(|text: &str| {
    let Some((all, is_all)) = body::shown(text, 0) else {
        return;
    };
    assert!(is_all && all.len() <= EACH * (text.len() + 1));
    if serde_json::from_str::<serde_json::Value>(text).is_ok() {
        assert!(serde_json::from_str::<serde_json::Value>(&all).is_ok());
    }
    for most in [1, 10, 100] {
        let (beginning, is_all) = body::shown(text, most).unwrap_or_default();
        assert!(beginning.len() <= most && all.starts_with(&beginning));
        assert_eq!(is_all, beginning.len() == all.len());
    }
});

//! The HTTP/1.1 response reader: whatever the bytes and however they are split,
//! it neither panics nor hangs, and reports the same.
//!
//! The input is a response followed by nine bytes of circumstances, so that the
//! responses under `crates/load/tests/http1` serve as a corpus as they are.

#![no_main]
#![allow(dead_code, missing_docs)]

use libfuzzer_sys::fuzz_target;

// Only this module of the engine is compiled, not all the engine depends on.
#[path = "../../crates/load/src/http1/mod.rs"]
pub mod http1;
// By the name under which the crate shows it.
pub mod kit {
    pub use crate::http1;
}
extern crate self as plimsoll_load;
#[path = "../../crates/load/tests/http1/trace.rs"]
mod trace;

use http1::{RequestMethod, ResponseLimits};
use trace::{Setting, Trace};

fuzz_target!(|data: &[u8]| {
    let (response, circumstances) = data.split_last_chunk::<9>().unwrap_or((data, &[0; 9]));
    let [flags, cuts @ ..] = circumstances;
    let setting = setting(*flags, response.len());
    let mut cuts: Vec<usize> = cuts
        .chunks(2)
        .map(|two| (usize::from(two[0]) << 8 | usize::from(two[1])) % (response.len() + 1))
        .collect();
    cuts.sort_unstable();
    cuts.push(response.len());

    let whole = trace_of(&setting, [response]);
    let mut from = 0;
    let pieces = cuts
        .iter()
        .map(|&to| &response[std::mem::replace(&mut from, to)..to]);
    assert_eq!(trace_of(&setting, pieces), whole);
    if response.len() <= 1024 {
        assert_eq!(trace_of(&setting, response.chunks(1)), whole);
    }
});

fn setting(flags: u8, length: usize) -> Setting {
    let small = ResponseLimits {
        head_bytes: 200,
        headers: 4,
        body_bytes: 50,
    };
    Setting {
        method: match flags & 3 {
            0 => RequestMethod::Head,
            1 => RequestMethod::Connect,
            _ => RequestMethod::Other,
        },
        limits: if flags & 4 == 0 {
            ResponseLimits::default()
        } else {
            small
        },
        // Mistakes in a long head may be found only at its end.
        close: flags & 8 != 0 || length > 4096,
    }
}

fn trace_of<'a>(setting: &Setting, pieces: impl IntoIterator<Item = &'a [u8]>) -> Trace {
    let mut trace = trace::trace(setting, pieces);
    trace.end = trace.end.without_quotation();
    trace
}

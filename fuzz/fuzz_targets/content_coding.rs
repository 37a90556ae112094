//! The decoders of bodies: whatever the bytes, they neither panic nor hang, and
//! stop at the limit.

#![no_main]
#![allow(dead_code, missing_docs)]

use libfuzzer_sys::fuzz_target;

// Only this module of the engine is compiled, not all the engine depends on.
#[path = "../../crates/load/src/content_coding.rs"]
mod content_coding;

const CODINGS: [&str; 6] = ["gzip", "deflate", "br", "zstd", "zstd, gzip", "br, deflate"];
const LIMIT: u64 = 1 << 20;

fuzz_target!(|data: &[u8]| {
    let Some((choice, body)) = data.split_first() else {
        return;
    };
    let coding = CODINGS[usize::from(*choice) % CODINGS.len()];
    if let Ok(decoded) = content_coding::decode(coding, body, LIMIT) {
        assert!(decoded.len() as u64 <= LIMIT);
    }
});

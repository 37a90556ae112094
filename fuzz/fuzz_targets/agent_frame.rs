//! Frames between controller and agent: whatever the bytes, both ends refuse or understand
//! them, what they understand can be sent again, and no source names a file.

#![no_main]
#![allow(missing_docs)]

use libfuzzer_sys::fuzz_target;
use plimsoll_stats::series::Batch;
use plimsoll_watch::Level;
use plimsoll_watch::agent::policy;
use plimsoll_watch::agent::wire::{AgentRequest, AgentResponse, decode, encode};

fuzz_target!(|body: &[u8]| {
    if let Ok((request, tail)) = decode::<AgentRequest>(body) {
        let frame = encode(&request, tail).expect("what was read can be written");
        let (again, same) =
            decode::<AgentRequest>(&frame[4..]).expect("what was written can be read");
        assert_eq!((&again, same), (&request, tail));
        if let AgentRequest::Watch { sources, .. } = request {
            for source in sources {
                if let Ok(spec) = policy::allowed(source, Level::Observe, true) {
                    assert!(!spec.address.starts_with(['/', '.']), "{}", spec.address);
                }
            }
        }
    }
    if let Ok((response, tail)) = decode::<AgentResponse>(body) {
        let frame = encode(&response, tail).expect("what was read can be written");
        // Not compared: a double may change in its last digit on the way through JSON.
        let (_, same) = decode::<AgentResponse>(&frame[4..]).expect("what was written can be read");
        assert_eq!(same, tail);
        let _ = Batch::decode(tail);
    }
});

//! Hops by sockets of the file system, which no packet crosses: told by the calls at these sockets, where the kernel
//! takes a program that tells of them, else sampled.

mod calls;
mod processes;
mod sampler;
mod seen;
mod table;

use plimsoll_text::Message;
use plimsoll_wire::{CalledHops, ProbeRefusal, SampledHop, SeenCalls, SocketSampling};

use super::stretch::Stretch;
use calls::CallReader;

/// A look at them, which is about to begin.
pub(super) struct UnixLook(Result<CallReader, ProbeRefusal>);

/// What was seen.
#[derive(Default)]
pub(super) struct UnixSeen {
    pub(super) called: CalledHops,
    pub(super) calls: Option<SeenCalls>,
    pub(super) sampled: Vec<SampledHop>,
    pub(super) sampling: Option<SocketSampling>,
    /// Why it was sampled.
    pub(super) refused: Option<ProbeRefusal>,
}

impl UnixLook {
    pub(super) fn open() -> Self {
        Self(CallReader::open())
    }

    /// Looks during a stretch, which may begin anew.
    pub(super) fn look(self, stretch: &Stretch) -> UnixSeen {
        match self.0 {
            Ok(reader) => {
                let (called, calls) = reader.read(stretch);
                UnixSeen {
                    called,
                    calls: Some(calls),
                    ..UnixSeen::default()
                }
            }
            Err(refusal) => {
                let (sampled, sampling) = sampler::sample(stretch);
                UnixSeen {
                    sampled,
                    sampling: Some(sampling),
                    refused: Some(refusal),
                    ..UnixSeen::default()
                }
            }
        }
    }
}

/// Why calls are not looked at, for whoever reads the report.
pub(super) fn reason(refusal: &ProbeRefusal) -> String {
    match refusal {
        ProbeRefusal::NotBuilt => "built without clang".to_owned(),
        ProbeRefusal::NoTypes => "no BTF".to_owned(),
        ProbeRefusal::NoPoints => "no tracepoints sock_send_length and sock_recv_length".to_owned(),
        ProbeRefusal::Refused(error) => error.to_string(),
        ProbeRefusal::Failed(reason) => reason.clone(),
    }
}

/// The same for whoever watches.
pub(super) fn told(refusal: &ProbeRefusal) -> Message {
    let (why, reason) = match refusal {
        ProbeRefusal::NotBuilt => ("not-built", String::new()),
        ProbeRefusal::NoTypes => ("no-types", String::new()),
        ProbeRefusal::NoPoints => ("old-kernel", String::new()),
        ProbeRefusal::Refused(error) => ("refused", error.to_string()),
        ProbeRefusal::Failed(reason) => ("failed", reason.clone()),
    };
    Message::new("watch-unix-sampled")
        .with("why", why)
        .with("reason", reason)
}

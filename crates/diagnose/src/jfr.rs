//! Profiles by the JVM's flight recorder: where threads computed, and what they waited to enter.
//!
//! The recorder samples running threads every 10 or 20 ms without waiting for a safepoint, so
//! its shares of short code are better than those of thread dumps. Of a recording only
//! `jdk.ExecutionSample` and `jdk.JavaMonitorEnter` are read; what they say is kept as
//! [`StackSamples`], as JSON in saved evidence.

use plimsoll_watch::jfr::{Chunk, JfrError, JfrValue};

use crate::samples::{LockWait, MAX_FRAMES, SamplesReading, StackSamples};

/// Events that are looked at.
const WANTED: &[&str] = &["jdk.ExecutionSample", "jdk.JavaMonitorEnter"];

/// Reads a recording; `zero_unix_ns` is the run's start on the wall clock. A chunk that is
/// damaged ends the reading: what stands before it counts.
///
/// # Errors
/// What does not begin as a recording, and one whose first chunk is damaged.
pub fn read(bytes: &[u8], zero_unix_ns: i64) -> Result<StackSamples, JfrError> {
    let mut recording = Recording {
        zero_unix_ns,
        reading: SamplesReading::default(),
    };
    let mut at = 0;
    while at < bytes.len() {
        let read = Chunk::read(&bytes[at..]).and_then(|chunk| {
            chunk.each_event(&|_, of| WANTED.contains(&&*of.name), &mut |of, event, _| {
                recording.take(&chunk, &of.name, event)
            })?;
            Ok(chunk.length)
        });
        match read {
            Ok(length) => at += length,
            Err(error) if at == 0 => return Err(error),
            Err(_) => break,
        }
    }
    Ok(recording.reading.done(None))
}

/// A recording that is being read.
struct Recording {
    zero_unix_ns: i64,
    reading: SamplesReading,
}

impl Recording {
    fn take(&mut self, chunk: &Chunk<'_>, name: &str, event: &JfrValue) {
        if self.reading.room() == 0 {
            return;
        }
        let at_ns = chunk.unix_ns(event.number("startTime"));
        let at_ms = at_ns.saturating_sub(self.zero_unix_ns) / 1_000_000;
        let trace = chunk.resolve(event.field("stackTrace"));
        let frames = trace.field("frames").items().iter().take(MAX_FRAMES);
        let calls = frames.map(|frame| call(chunk, frame)).collect();
        let stack = self.reading.stack(calls);
        if name == "jdk.ExecutionSample" {
            self.reading.on_cpu(at_ms, stack, 1);
            return;
        }
        let class = chunk.resolve(event.field("monitorClass"));
        self.reading.waited(LockWait {
            at_ms,
            lasted_ms: chunk.ticks_ms(event.number("duration")),
            class: chunk.symbol(class.field("name")).replace('/', "."),
            stack,
        });
    }
}

/// `shop.Cart.add:17`.
fn call(chunk: &Chunk<'_>, frame: &JfrValue) -> String {
    let method = chunk.resolve(frame.field("method"));
    let class = chunk.resolve(method.field("type"));
    let class = chunk.symbol(class.field("name")).replace('/', ".");
    let name = chunk.symbol(method.field("name"));
    format!("{class}.{name}:{}", frame.number("lineNumber"))
}

#[cfg(test)]
mod tests;

//! Thread dumps of a JVM: what every thread does and which locks it holds or waits for.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_stats::series::Entity;

use super::jvm::Jvm;
use crate::attach::Request;
use crate::capture::{Artifact, Asked, Capture, Level, Moment};
use crate::collector::Pending;

/// Dumps at each moment: what stays the same in all of them is stuck.
const DUMPS: usize = 3;
/// From one to the next.
const APART: Duration = Duration::from_secs(1);
/// A dump is cut after so many bytes: about 1,500 threads of a web server.
const MAX_BYTES: usize = 4 << 20;

/// Takes three thread dumps, a second apart.
///
/// A dump stops all threads for some milliseconds. The last one also says who holds
/// `java.util.concurrent` locks, for which the JVM walks its heap: a pause that grows with
/// the heap (about as long as a full GC's marking), so it is done once a moment.
pub(crate) struct ThreadDump {
    jvm: Rc<Jvm>,
}

impl ThreadDump {
    pub(crate) fn new(jvm: Rc<Jvm>) -> Self {
        Self { jvm }
    }

    async fn dumps(&self) -> Result<Vec<Artifact>, crate::collector::Trouble> {
        let mut taken = Vec::with_capacity(DUMPS);
        for n in 1..=DUMPS {
            let arguments: &[&str] = if n == DUMPS { &["-l"] } else { &[] };
            let mut request = Request::new("threaddump", arguments);
            request.max_bytes = MAX_BYTES;
            match self.jvm.artifact("thread_dump", request).await {
                Ok(dump) => taken.push(dump),
                Err(trouble) if taken.is_empty() => return Err(trouble),
                // One or two dumps are better than none.
                Err(_) => break,
            }
            if n < DUMPS {
                tokio::time::sleep(APART).await;
            }
        }
        Ok(taken)
    }
}

impl Capture for ThreadDump {
    fn kind(&self) -> &'static str {
        "thread_dump"
    }

    fn entity(&self) -> Arc<Entity> {
        self.jvm.entity()
    }

    fn level(&self) -> Level {
        Level::Capture
    }

    fn at(&self, _: Moment) -> bool {
        true
    }

    fn take(&mut self, _: Asked) -> Pending<'_, Vec<Artifact>> {
        Box::pin(self.dumps())
    }
}

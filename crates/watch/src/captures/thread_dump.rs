//! Thread dumps of a JVM: what every thread does and which locks it holds or waits for.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_stats::series::Entity;
use tokio::time::{Instant, sleep, sleep_until};

use super::jvm::Jvm;
use crate::attach::AttachRequest;
use crate::capture::{Artifact, Asked, Capture, Level, Moment};
use crate::collector::{Pending, Trouble};
use crate::proc::demand::CpuDemand;

/// From one dump to the next, so that what stays the same in all of them is stuck.
const APART: Duration = Duration::from_secs(1);
/// A dump is cut after so many bytes: about 1,500 threads of a web server.
const MAX_BYTES: usize = 4 << 20;
/// A JVM that wants so much of the CPU it may use is out of it.
const FULL: f64 = 0.85;
/// From one dump to the next of a JVM that is out of CPU: a few requests later.
const OFTEN: Duration = Duration::from_millis(100);
/// So much is dumped often. Many threads take few dumps to show where they compute, and a dump
/// stops them for long: what it costs grows with its text.
const OFTEN_BYTES: usize = 2 << 20;

/// Takes three thread dumps, a second apart.
///
/// A dump stops all threads for some milliseconds. The last one also says who holds
/// `java.util.concurrent` locks, for which the JVM walks its heap: a pause that grows with
/// the heap (about as long as a full GC's marking), so it is done once a moment.
///
/// Where a JVM is out of CPU, dumps are its only profile (unless it has a profiler), and few of its
/// threads compute in any one of them: then more are taken, ten a second, before the last.
pub(crate) struct ThreadDumpCapture {
    jvm: Rc<Jvm>,
}

impl ThreadDumpCapture {
    pub(crate) fn new(jvm: Rc<Jvm>) -> Self {
        Self { jvm }
    }

    async fn dumps(&self, moment: Moment) -> Result<Vec<Artifact>, Trouble> {
        let (process, _) = self.jvm.process()?;
        // As the load begins any JVM is short of CPU: it compiles.
        let under_load = !matches!(moment, Moment::Start | Moment::End);
        let demand = under_load.then(|| CpuDemand::begin(process.pid)).flatten();
        let mut taken = vec![self.dump(&[]).await?];
        sleep(APART).await;
        // One or two dumps are better than none.
        let Ok(second) = self.dump(&[]).await else {
            return Ok(taken);
        };
        taken.push(second);
        let last = Instant::now() + APART;
        if demand.and_then(|demand| demand.of_limit()) >= Some(FULL) {
            self.dump_often(last, &mut taken).await;
        }
        sleep_until(last).await;
        taken.extend(self.dump(&["-l"]).await.ok());
        Ok(taken)
    }

    async fn dump(&self, arguments: &[&str]) -> Result<Artifact, Trouble> {
        let mut request = AttachRequest::new("threaddump", arguments);
        request.max_bytes = MAX_BYTES;
        self.jvm.artifact("thread_dump", request).await
    }

    async fn dump_often(&self, until: Instant, taken: &mut Vec<Artifact>) {
        let mut bytes = 0;
        while bytes < OFTEN_BYTES && Instant::now() + OFTEN < until {
            sleep(OFTEN).await;
            let Ok(dump) = self.dump(&[]).await else {
                return;
            };
            bytes += dump.bytes.len();
            taken.push(dump);
        }
    }
}

impl Capture for ThreadDumpCapture {
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

    fn take(&mut self, asked: Asked) -> Pending<'_, Vec<Artifact>> {
        Box::pin(self.dumps(asked.moment))
    }
}

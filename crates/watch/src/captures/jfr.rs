//! A CPU and lock profile by the JVM's own flight recorder.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_stats::series::Entity;
use plimsoll_text::Message;

use super::jvm::Jvm;
use super::jvm_files::{PrivateFolder, WrittenFile};
use crate::attach::{AttachRequest, ask};
use crate::capture::{Artifact, Asked, Capture, Level, Moment};
use crate::clock::now_unix_ns;
use crate::collector::{Pending, Trouble};
use crate::collectors::jvm::target::JvmProcess;
use crate::jfr::{JfrError, masked};

/// A longer recording is not kept: one that was cut could not be read.
const MAX_BYTES: usize = 12 << 20;
/// A dump holds the last minute.
const LAST: &str = "60s";
/// The recording that is started where that is asked for. It ends by itself should nobody
/// end it.
const START: &str = "JFR.start name=plimsoll settings=profile maxage=5m maxsize=64m duration=4h";

/// Dumps the recording that a JVM was started with (`-XX:StartFlightRecording`).
///
/// A JVM under load that has to start one suffers for a while, so it is only started where the
/// option `jfr: start` says so, and then before the load; it is stopped at the end.
pub(crate) struct Jfr {
    jvm: Rc<Jvm>,
    start: bool,
    started: bool,
}

impl Jfr {
    pub(crate) fn new(jvm: Rc<Jvm>, start: bool) -> Self {
        Self {
            jvm,
            start,
            started: false,
        }
    }

    async fn at_moment(&mut self, moment: Moment) -> Result<Vec<Artifact>, Trouble> {
        let (process, entity) = self.jvm.process()?;
        let runs = runs(&process).await?;
        if moment == Moment::Start {
            if !runs {
                ask(&process, patient(START)).await?;
                self.started = true;
            }
            return Ok(Vec::new());
        }
        if !runs {
            let pid = process.pid.to_string();
            return Err(Trouble::new(
                Message::new("watch-jvm-jfr-off").with("pid", pid),
            ));
        }
        let dumped = dump(&process, entity).await;
        if moment == Moment::End && self.started {
            ask(&process, patient("JFR.stop name=plimsoll")).await?;
            self.started = false;
        }
        dumped
    }
}

/// A request that the recorder may take long for.
fn patient(command: &str) -> AttachRequest {
    AttachRequest {
        limit: Duration::from_secs(25),
        ..AttachRequest::jcmd(command)
    }
}

/// Whether any recording runs. The recorder of a JVM that never had one is not even asked: the
/// question alone would have its classes loaded.
async fn runs(process: &JvmProcess) -> Result<bool, Trouble> {
    let threads = std::fs::read_dir(format!("/proc/{}/task", process.pid));
    let names = threads
        .into_iter()
        .flatten()
        .flatten()
        .map(|thread| std::fs::read_to_string(thread.path().join("comm")).unwrap_or_default());
    if !names
        .into_iter()
        .any(|name| name.starts_with("JFR Recorder"))
    {
        return Ok(false);
    }
    let response = ask(process, patient("JFR.check")).await?;
    Ok(String::from_utf8_lossy(&response.bytes).contains("(running)"))
}

async fn dump(process: &JvmProcess, entity: Arc<Entity>) -> Result<Vec<Artifact>, Trouble> {
    let folder = PrivateFolder::new(process)?;
    let file = folder.file("recording.jfr");
    let at_unix_ns = now_unix_ns();
    let command = format!("JFR.dump filename={file} maxage={LAST}");
    ask(process, patient(&command)).await?;
    match folder.read("recording.jfr", MAX_BYTES)? {
        WrittenFile::Whole(bytes) => Ok(vec![Artifact {
            entity,
            kind: "jfr".to_owned(),
            at_unix_ns,
            media_type: "application/x-jfr".to_owned(),
            bytes: without_secrets(process, bytes).await?,
        }]),
        WrittenFile::Cut(_) => Err(Trouble::new(
            Message::new("watch-jvm-jfr-too-long")
                .with("pid", process.pid.to_string())
                .with("megabytes", MAX_BYTES >> 20),
        )),
    }
}

/// Megabytes of texts take their time, which other collectors are not kept waiting for.
async fn without_secrets(process: &JvmProcess, bytes: Vec<u8>) -> Result<Vec<u8>, Trouble> {
    let masking = tokio::task::spawn_blocking(move || masked(bytes));
    // A thread that ended without a result has read nothing.
    let done = masking.await.unwrap_or(Err(JfrError::Damaged(0)));
    done.map_err(|error| unreadable(process, &error))
}

/// A recording that cannot be read could have secrets in it.
fn unreadable(process: &JvmProcess, error: &JfrError) -> Trouble {
    Trouble::new(
        Message::new("watch-jvm-jfr-unreadable")
            .with("pid", process.pid.to_string())
            .with("reason", error.to_string()),
    )
}

impl Capture for Jfr {
    fn kind(&self) -> &'static str {
        "jfr"
    }

    fn entity(&self) -> Arc<Entity> {
        self.jvm.entity()
    }

    fn level(&self) -> Level {
        Level::Capture
    }

    fn at(&self, moment: Moment) -> bool {
        // A dump of the recording holds what was recorded before it: one at the end is enough
        // for steady load.
        (self.start || moment != Moment::Start) && moment != Moment::Steady
    }

    fn take(&mut self, asked: Asked) -> Pending<'_, Vec<Artifact>> {
        Box::pin(self.at_moment(asked.moment))
    }
}

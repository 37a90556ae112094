//! A CPU and a lock profile by async-profiler (github.com/async-profiler, its agent's arguments),
//! where its library is on the target's host.
//!
//! Unlike a flight recording it can be begun in a JVM under load without disturbing it.

use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_stats::series::Entity;
use plimsoll_text::Message;
use tokio::sync::Mutex;

use super::jvm::Jvm;
use super::jvm_files::{PrivateFolder, WrittenFile};
use crate::attach::{AttachRequest, ask};
use crate::capture::{Artifact, Asked, Capture, Level, Moment, PROFILE_LASTS};
use crate::clock::now_unix_ns;
use crate::collector::{Pending, Trouble};
use crate::collectors::jvm::target::JvmProcess;

/// Names the library where no option does.
pub(crate) const LIBRARY_ENV: &str = "PLIMSOLL_ASYNC_PROFILER";
const MAX_BYTES: usize = 4 << 20;
/// Both profiles, one after the other, and the loading of the library.
const LIMIT: Duration = Duration::from_secs(20);

/// What is profiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProfileEvent {
    /// Where CPU time goes.
    Cpu,
    /// Where threads wait for monitors and locks, and for how long.
    Lock,
}

impl ProfileEvent {
    const fn kind(self) -> &'static str {
        match self {
            Self::Cpu => "cpu_profile",
            Self::Lock => "lock_profile",
        }
    }

    /// What begins it; the later ones for kernels and versions that refuse the earlier. Each ends
    /// by itself should nobody end it.
    const fn starts(self) -> &'static [&'static str] {
        match self {
            Self::Cpu => &[
                "start,event=cpu,interval=10ms,timeout=10",
                "start,event=itimer,interval=10ms,timeout=10",
            ],
            Self::Lock => &["start,event=lock,timeout=10"],
        }
    }

    /// What a stack counts in: samples of CPU, nanoseconds of waiting.
    const fn counted(self) -> &'static str {
        match self {
            Self::Cpu => "collapsed",
            Self::Lock => "collapsed,total",
        }
    }
}

/// Profiles a JVM for a few seconds. One profile runs at a time in a JVM, whoever began it.
pub(crate) struct ProfileCapture {
    jvm: Rc<Jvm>,
    /// As the JVM sees it.
    library: Rc<str>,
    event: ProfileEvent,
    alone: Rc<Mutex<()>>,
}

impl ProfileCapture {
    /// Both profiles of a JVM.
    pub(crate) fn both(jvm: &Rc<Jvm>, library: &str) -> [Self; 2] {
        let (library, alone) = (Rc::from(library), Rc::default());
        [ProfileEvent::Cpu, ProfileEvent::Lock].map(|event| Self {
            jvm: Rc::clone(jvm),
            library: Rc::clone(&library),
            event,
            alone: Rc::clone(&alone),
        })
    }

    async fn profile(&self) -> Result<Vec<Artifact>, Trouble> {
        let (process, entity) = self.jvm.process()?;
        let library = PathBuf::from(&*self.library);
        let there = process
            .root()
            .and_then(|root| root.visit(move |files| files.stat(&library)));
        if there.is_err() {
            return Err(self.trouble("watch-jvm-profiler-missing", &process));
        }
        let _alone = self.alone.lock().await;
        let folder = PrivateFolder::new(&process)?;
        let at_unix_ns = now_unix_ns();
        self.start(&process).await?;
        tokio::time::sleep(PROFILE_LASTS).await;
        let (file, counted) = (folder.file("stacks"), self.event.counted());
        self.tell(&process, &format!("stop,{counted},file={file}"))
            .await?;
        let (WrittenFile::Whole(bytes) | WrittenFile::Cut(bytes)) =
            folder.read("stacks", MAX_BYTES)?;
        Ok(vec![Artifact::text(
            entity,
            self.event.kind(),
            at_unix_ns,
            whole_lines(bytes),
        )])
    }

    async fn start(&self, process: &JvmProcess) -> Result<(), Trouble> {
        let mut refused = None;
        for start in self.event.starts() {
            match self.tell(process, start).await {
                Ok(()) => return Ok(()),
                Err(trouble) => refused = Some(trouble),
            }
        }
        refused.map_or(Ok(()), Err)
    }

    /// Has the agent do something; the JVM says with which code it came back.
    async fn tell(&self, process: &JvmProcess, what: &str) -> Result<(), Trouble> {
        let request = AttachRequest::new("load", &[&self.library, "true", what]);
        let response = ask(process, request).await?;
        let text = String::from_utf8_lossy(&response.bytes);
        let code = text.trim().rsplit([':', '\n']).next().unwrap_or_default();
        match code.trim() {
            "0" => Ok(()),
            _ => Err(self.trouble("watch-jvm-profiler-refused", process)),
        }
    }

    fn trouble(&self, id: &'static str, process: &JvmProcess) -> Trouble {
        Trouble::new(
            Message::new(id)
                .with("pid", process.pid.to_string())
                .with("library", &*self.library),
        )
    }
}

/// A stack that was cut would be another one.
fn whole_lines(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.iter().rposition(|byte| *byte == b'\n');
    bytes.truncate(end.map_or(0, |end| end + 1));
    bytes
}

impl Capture for ProfileCapture {
    fn kind(&self) -> &'static str {
        self.event.kind()
    }

    fn entity(&self) -> Arc<Entity> {
        self.jvm.entity()
    }

    fn level(&self) -> Level {
        Level::Capture
    }

    fn at(&self, moment: Moment) -> bool {
        matches!(moment, Moment::Steady | Moment::Worst | Moment::Request)
    }

    fn limit(&self) -> Option<Duration> {
        Some(LIMIT)
    }

    fn take(&mut self, _: Asked) -> Pending<'_, Vec<Artifact>> {
        Box::pin(self.profile())
    }
}

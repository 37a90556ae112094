//! Virtual threads of a JVM (JDK 21 and later), which no other dump shows.

use std::rc::Rc;
use std::sync::Arc;

use plimsoll_stats::series::Entity;

use super::jvm::Jvm;
use super::jvm_files::{PrivateFolder, WrittenFile};
use crate::attach::{AttachRequest, ask};
use crate::capture::{Artifact, Asked, Capture, Level, Moment};
use crate::clock::now_unix_ns;
use crate::collector::{Pending, Trouble};
use crate::collectors::jvm::target::JvmProcess;

/// A dump is cut after so many bytes: some thousands of threads.
const MAX_BYTES: usize = 6 << 20;

/// Has the JVM write a dump with its virtual threads. It stops no thread but the one that it
/// is just looking at.
pub(crate) struct VirtualThreads {
    jvm: Rc<Jvm>,
}

impl VirtualThreads {
    pub(crate) fn new(jvm: Rc<Jvm>) -> Self {
        Self { jvm }
    }

    async fn dump(&self) -> Result<Vec<Artifact>, Trouble> {
        let (process, entity) = self.jvm.process()?;
        let version = version(&process).await?;
        if version < 21 {
            return Ok(Vec::new());
        }
        let folder = PrivateFolder::new(&process)?;
        let at_unix_ns = now_unix_ns();
        let command = format!(
            "Thread.dump_to_file -format=json {}",
            folder.file("threads.json")
        );
        ask(&process, AttachRequest::jcmd(command)).await?;
        let bytes = match folder.read("threads.json", MAX_BYTES)? {
            WrittenFile::Whole(bytes) => bytes,
            WrittenFile::Cut(bytes) => closed(bytes),
        };
        // From JDK 24 on virtual threads are marked, and without any the other dumps say it all.
        let marked = b"\"virtual\": true";
        if version >= 24 && !bytes.windows(marked.len()).any(|window| window == marked) {
            return Ok(Vec::new());
        }
        Ok(vec![Artifact::json(
            entity,
            "virtual_threads",
            at_unix_ns,
            bytes,
        )])
    }
}

/// The feature version: 8, 17, 25.
async fn version(process: &JvmProcess) -> Result<u32, Trouble> {
    let response = ask(process, AttachRequest::jcmd("VM.version")).await?;
    Ok(feature(&String::from_utf8_lossy(&response.bytes)))
}

/// From `JDK 25.0.3` or `JDK 8.0_402`.
fn feature(text: &str) -> u32 {
    let line = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("JDK "));
    let number = line.and_then(|line| line.split(['.', '-', '+', ' ']).next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// A dump that was cut, without its last thread and closed, so that it can be read.
fn closed(bytes: Vec<u8>) -> Vec<u8> {
    let text = String::from_utf8_lossy(&bytes);
    let Some(start) = text.rfind("\"tid\"").and_then(|tid| text[..tid].rfind('{')) else {
        return bytes;
    };
    let kept = text[..start].trim_end().trim_end_matches(',');
    format!("{kept}]}}]}}}}").into_bytes()
}

impl Capture for VirtualThreads {
    fn kind(&self) -> &'static str {
        "virtual_threads"
    }

    fn entity(&self) -> Arc<Entity> {
        self.jvm.entity()
    }

    fn level(&self) -> Level {
        Level::Capture
    }

    fn at(&self, moment: Moment) -> bool {
        !matches!(moment, Moment::Start)
    }

    fn take(&mut self, _: Asked) -> Pending<'_, Vec<Artifact>> {
        Box::pin(self.dump())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use crate::threads::ThreadDump;

    #[test]
    fn versions() {
        assert_eq!(
            feature("OpenJDK 64-Bit Server VM version 25.0.3+9-LTS\nJDK 25.0.3\n"),
            25
        );
        assert_eq!(
            feature("OpenJDK 64-Bit Server VM version 25.402-b06\nJDK 8.0_402\n"),
            8
        );
        assert_eq!(feature("JDK 24-ea"), 24);
        assert_eq!(feature("?"), 0);
    }

    #[test]
    fn a_dump_that_was_cut_can_be_read() {
        let thread =
            |n| format!("{{\"tid\": \"{n}\", \"name\": \"t\", \"stack\": [\n\"A.b(A.java:1)\"]}}");
        let threads: Vec<_> = (0..5).map(thread).collect();
        let whole = format!(
            "{{\"threadDump\": {{\"threadContainers\": [{{\"container\": \"c\", \"threads\": [\n{}]}}]}}}}",
            threads.join(",\n")
        );
        let read = |text: &str| ThreadDump::read(text).threads.len();
        assert_eq!(read(&whole), 5);
        for end in 0..whole.len() {
            let cut = String::from_utf8(closed(whole.as_bytes()[..end].to_vec())).unwrap();
            let expected = whole[..end].matches("\"tid\"").count().saturating_sub(1);
            assert_eq!(read(&cut), expected, "{cut}");
        }
    }
}

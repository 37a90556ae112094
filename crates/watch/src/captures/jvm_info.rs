//! What a JVM says of itself: version, flags in force, code cache.

use std::rc::Rc;
use std::sync::Arc;

use plimsoll_stats::series::Entity;

use super::jvm::Jvm;
use crate::attach::{AttachRequest, ask};
use crate::capture::{Artifact, Asked, Capture, Level, Moment};
use crate::clock::now_unix_ns;
use crate::collector::{Pending, Trouble};
use plimsoll_secrets::command_line;

/// Diagnostic commands that cost nothing; one that a JVM does not know is left out.
const COMMANDS: &[&str] = &["VM.version", "VM.uptime", "VM.flags", "Compiler.codecache"];

/// Asks once a run for what does not change.
pub(crate) struct JvmInfo {
    jvm: Rc<Jvm>,
}

impl JvmInfo {
    pub(crate) fn new(jvm: Rc<Jvm>) -> Self {
        Self { jvm }
    }

    async fn info(&self) -> Result<Vec<Artifact>, Trouble> {
        let (process, entity) = self.jvm.process()?;
        let at_unix_ns = now_unix_ns();
        let mut text = String::new();
        let mut trouble = None;
        for command in COMMANDS {
            match ask(&process, AttachRequest::jcmd(*command)).await {
                Ok(response) => {
                    let response = String::from_utf8_lossy(&response.bytes).into_owned();
                    // Flags may hold paths and options of the user's own.
                    let response: Vec<_> = response.lines().map(words_masked).collect();
                    text.push_str(&format!("{command}\n{}\n\n", response.join("\n")));
                }
                Err(error) => trouble = Some(error),
            }
        }
        match trouble {
            Some(trouble) if text.is_empty() => Err(trouble),
            _ => Ok(vec![Artifact::text(entity, "jvm_info", at_unix_ns, text)]),
        }
    }
}

fn words_masked(line: &str) -> String {
    command_line(&line.split(' ').collect::<Vec<_>>())
}

impl Capture for JvmInfo {
    fn kind(&self) -> &'static str {
        "jvm_info"
    }

    fn entity(&self) -> Arc<Entity> {
        self.jvm.entity()
    }

    fn level(&self) -> Level {
        Level::Capture
    }

    fn at(&self, moment: Moment) -> bool {
        moment == Moment::Start
    }

    fn take(&mut self, _: Asked) -> Pending<'_, Vec<Artifact>> {
        Box::pin(self.info())
    }
}

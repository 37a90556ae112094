//! What an agent changed, when, for whom: a line of JSON each (`schema/agent-audit.schema.json`), and a line of the
//! agent's log. No secret gets here: values are masked by their knobs' names and places.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use plimsoll_text::Message;
use serde::Serialize;

use super::wire::AgentValues;
use crate::space::shown_value;

/// Version of a line.
const VERSION: u32 = 1;
/// A file that is larger is put aside, in the place of the one before.
const MOST_BYTES: u64 = 16 << 20;

/// Who hears the agent's log, on any thread.
pub type TellLog = Box<dyn Fn(&Message) + Send + Sync>;

/// For whom something is done.
#[derive(Debug, Clone, Default)]
pub struct AuditSubject {
    /// The study.
    pub study: String,
    /// Who makes it: as they say, and the address that they come from.
    pub by: String,
}

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Audited {
    /// A study has components from now on.
    Begun,
    /// Values are about to be set.
    Sets,
    /// They arrived.
    Arrived,
    /// They did not, or the target failed with them.
    Failed,
    /// Something was refused.
    Refused,
    /// Values are left there for good.
    Left,
    /// Everything is as it was.
    PutBack,
    /// Something could not be put back.
    NotPutBack,
}

impl Audited {
    const fn id(self) -> &'static str {
        match self {
            Self::Begun => "agent-audit-begun",
            Self::Sets => "agent-audit-sets",
            Self::Arrived => "agent-audit-arrived",
            Self::Failed => "agent-audit-failed",
            Self::Refused => "agent-audit-refused",
            Self::Left => "agent-audit-left",
            Self::PutBack => "agent-audit-put-back",
            Self::NotPutBack => "agent-audit-not-put-back",
        }
    }
}

#[derive(Serialize)]
struct AuditLine<'a> {
    version: u32,
    /// Unix milliseconds.
    at_ms: u64,
    study: &'a str,
    by: &'a str,
    what: Audited,
    #[serde(skip_serializing_if = "AgentValues::is_empty")]
    values: AgentValues,
    #[serde(skip_serializing_if = "str::is_empty")]
    detail: &'a str,
}

/// The audit of an agent.
pub struct Audit {
    path: PathBuf,
    /// Knobs whose values are secrets by where they stand.
    hidden: BTreeSet<String>,
    tell: TellLog,
}

impl Audit {
    /// In a folder, which is there; `hidden` are knobs whose values are secrets by where they stand.
    #[must_use]
    pub fn new(folder: &Path, hidden: BTreeSet<String>, tell: TellLog) -> Self {
        Self {
            path: folder.join("audit.jsonl"),
            hidden,
            tell,
        }
    }

    /// Writes down what was done.
    pub fn note(&self, of: &AuditSubject, what: Audited, values: &AgentValues, detail: &str) {
        let masked = values.iter().map(|(name, value)| {
            let value = shown_value(name, self.hidden.contains(name), value).into_owned();
            (name.clone(), value)
        });
        let values: AgentValues = masked.collect();
        let detail = plimsoll_secrets::text(detail);
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let line = AuditLine {
            version: VERSION,
            at_ms: now.map_or(0, |now| u64::try_from(now.as_millis()).unwrap_or(u64::MAX)),
            study: &of.study,
            by: &of.by,
            what,
            values: values.clone(),
            detail: &detail,
        };
        if let Err(error) = self.write(&line) {
            (self.tell)(
                &Message::new("agent-file-unwritable")
                    .with("path", self.path.display().to_string())
                    .with("reason", error.to_string()),
            );
        }
        let shown = values.iter().map(|(name, value)| format!("{name}={value}"));
        let shown: Vec<String> = shown.collect();
        let message = Message::new(what.id())
            .with("study", of.study.as_str())
            .with("by", of.by.as_str())
            .with("count", shown.len())
            .with("values", shown.join(" "))
            .with("detail", detail.as_ref());
        (self.tell)(&message);
    }

    fn write(&self, line: &AuditLine<'_>) -> std::io::Result<()> {
        if fs::metadata(&self.path).is_ok_and(|meta| meta.len() > MOST_BYTES) {
            fs::rename(&self.path, self.path.with_extension("before.jsonl"))?;
        }
        let mut options = OpenOptions::new();
        let mut file = options
            .append(true)
            .create(true)
            .mode(0o600)
            .open(&self.path)?;
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        file.write_all(&bytes)?;
        file.sync_data()
    }
}

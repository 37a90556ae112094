//! What all captures of one JVM share.

use std::cell::RefCell;
use std::sync::Arc;

use plimsoll_stats::series::{Entity, EntityKind};

use crate::attach::{AttachRequest, AttachResponse, ask};
use crate::capture::Artifact;
use crate::clock::now_unix_ns;
use crate::collector::Trouble;
use crate::collectors::jvm::target::{JvmAddress, JvmProcess};

/// A JVM that captures are taken of, found again when it was restarted.
pub(crate) struct Jvm {
    address: JvmAddress,
    host: String,
    found: RefCell<Option<(JvmProcess, Arc<Entity>)>>,
}

impl Jvm {
    pub(crate) fn new(address: JvmAddress, host: String) -> Self {
        Self {
            address,
            host,
            found: RefCell::new(None),
        }
    }

    /// Its process and the thing that its artifacts are of.
    ///
    /// # Errors
    /// It is not there.
    pub(crate) fn process(&self) -> Result<(JvmProcess, Arc<Entity>), Trouble> {
        let mut found = self.found.borrow_mut();
        if let Some(known) = found.as_ref().filter(|(process, _)| process.alive()) {
            return Ok(known.clone());
        }
        let process = JvmProcess::find(self.address)?;
        let entity = process.entity(&self.host);
        Ok(found.insert((process, entity)).clone())
    }

    /// The thing, even while it is not there.
    pub(crate) fn entity(&self) -> Arc<Entity> {
        let seen = self.process().map(|(_, entity)| entity);
        let seen = seen
            .ok()
            .or_else(|| self.found.borrow().as_ref().map(|(_, e)| Arc::clone(e)));
        seen.unwrap_or_else(|| Entity::new(EntityKind::Jvm, self.address.guess(), &*self.host))
    }

    /// Asks it, and makes what it says an artifact.
    ///
    /// # Errors
    /// Those of [`ask`].
    pub(crate) async fn artifact(
        &self,
        kind: &str,
        request: AttachRequest,
    ) -> Result<Artifact, Trouble> {
        let (process, entity) = self.process()?;
        let at_unix_ns = now_unix_ns();
        let response = ask(&process, request).await?;
        Ok(Artifact::text(entity, kind, at_unix_ns, marked(response)))
    }
}

/// The bytes; a text that was cut says so in its last line.
fn marked(response: AttachResponse) -> Vec<u8> {
    let mut bytes = response.bytes;
    if response.cut {
        bytes.extend_from_slice(b"\n[... cut here: the rest was longer than is kept]\n");
    }
    bytes
}

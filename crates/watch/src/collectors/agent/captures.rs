//! The captures that an agent takes.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;
use tokio::time::timeout;

use super::shared::SharedAgent;
use crate::agent::client::{AgentLink, AgentLinkError};
use crate::agent::wire::{AgentRequest, AgentResponse, ArtifactHead};
use crate::capture::{Artifact, Asked, Capture, Level, Moment};
use crate::collector::{Pending, Trouble};

/// How long the session may take to begin: a capture at the start comes early.
const BEGIN_TIME: Duration = Duration::from_secs(10);
/// How long an agent may take for all its captures of a moment.
const TIME: Duration = Duration::from_secs(170);

/// All captures of an agent, over a connection of their own: looks go on beside them.
pub(super) struct Captures {
    shared: Rc<SharedAgent>,
}

impl Captures {
    pub(super) fn new(shared: Rc<SharedAgent>) -> Self {
        Self { shared }
    }

    async fn taken(&self, asked: Asked) -> Result<Vec<Artifact>, AgentLinkError> {
        let mut session = self.shared.session.subscribe();
        let begun = timeout(BEGIN_TIME, session.wait_for(Option::is_some)).await;
        let Ok(Ok(Some(session))) = begun.map(|begun| begun.map(|id| id.clone())) else {
            let about = self.shared.peer.to_string();
            return Err(AgentLinkError {
                refusal: None,
                message: Message::new("agent-no-captures").with("address", about),
            });
        };
        let request = AgentRequest::Capture {
            session,
            moment: asked.moment,
            kind: asked.kind.map(str::to_owned),
        };
        let mut link = AgentLink::connect(&self.shared.peer).await?;
        let (response, tail) = link.ask(&request).await?;
        let AgentResponse::Captured { artifacts } = response else {
            return Err(link.confused());
        };
        let whole = self.artifacts(artifacts, &tail);
        let confused = whole.ok_or_else(|| link.confused());
        link.close().await;
        confused
    }

    /// The artifacts with their bytes, on this clock; none if they do not fit.
    fn artifacts(&self, heads: Vec<ArtifactHead>, mut tail: &[u8]) -> Option<Vec<Artifact>> {
        let clock = self.shared.clock.borrow();
        let mut all = Vec::new();
        for head in heads {
            let length = usize::try_from(head.bytes).ok()?;
            let (bytes, rest) = tail.split_at_checked(length)?;
            tail = rest;
            // The offset changes little within the time of a capture.
            let offset = clock.at(head.at_unix_ns).unwrap_or_default();
            all.push(Artifact {
                entity: Arc::new(head.entity),
                kind: head.kind,
                at_unix_ns: offset.correct(head.at_unix_ns),
                media_type: head.media_type,
                bytes: bytes.to_vec(),
            });
        }
        Some(all)
    }
}

impl Capture for Captures {
    fn kind(&self) -> &'static str {
        "agent"
    }

    fn entity(&self) -> Arc<Entity> {
        let host = self.shared.host.as_deref();
        let host = host.unwrap_or_else(|| self.shared.peer.host());
        Entity::new(EntityKind::Host, "", host)
    }

    fn level(&self) -> Level {
        // The agent itself sees to what each of its captures needs.
        Level::Observe
    }

    fn at(&self, _: Moment) -> bool {
        true
    }

    fn is_asked(&self, _: Asked) -> bool {
        // The agent knows what captures there are.
        true
    }

    fn limit(&self) -> Option<Duration> {
        Some(TIME)
    }

    fn take(&mut self, asked: Asked) -> Pending<'_, Vec<Artifact>> {
        Box::pin(async move {
            let taken = self.taken(asked).await;
            taken.map_err(|error| Trouble::new(error.message))
        })
    }
}

//! Thread dumps by Spring Boot's actuator: three, a second apart.

use std::sync::Arc;
use std::time::Duration;

use plimsoll_stats::series::Entity;

use crate::capture::{Artifact, Asked, Capture, Level, Moment};
use crate::clock::now_unix_ns;
use crate::collector::Pending;
use crate::http::OriginClient;

const DUMPS: usize = 3;
const APART: Duration = Duration::from_secs(1);

/// Takes thread dumps of one actuator. Virtual threads are not in them.
pub(crate) struct ActuatorThreads {
    client: OriginClient,
    entity: Arc<Entity>,
}

impl ActuatorThreads {
    pub(crate) fn new(client: OriginClient, entity: Arc<Entity>) -> Self {
        Self { client, entity }
    }
}

impl Capture for ActuatorThreads {
    fn kind(&self) -> &'static str {
        "thread_dump"
    }

    fn entity(&self) -> Arc<Entity> {
        Arc::clone(&self.entity)
    }

    fn level(&self) -> Level {
        Level::Capture
    }

    fn at(&self, moment: Moment) -> bool {
        !matches!(moment, Moment::Start | Moment::End)
    }

    fn take(&mut self, _: Asked) -> Pending<'_, Vec<Artifact>> {
        Box::pin(async move {
            let mut dumps = Vec::with_capacity(DUMPS);
            for dump in 0..DUMPS {
                if dump > 0 {
                    tokio::time::sleep(APART).await;
                }
                let at_unix_ns = now_unix_ns();
                let response = self.client.get("threaddump", "text/plain").await?;
                let media_type = match response.body.first() {
                    Some(b'{') => "application/json",
                    _ => "text/plain",
                };
                dumps.push(Artifact {
                    entity: Arc::clone(&self.entity),
                    kind: self.kind().to_owned(),
                    at_unix_ns,
                    media_type: media_type.to_owned(),
                    bytes: plimsoll_secrets::text(&response.text())
                        .into_owned()
                        .into_bytes(),
                });
            }
            Ok(dumps)
        })
    }
}

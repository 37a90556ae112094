//! Where goroutines of a Go program wait, by its pprof endpoint.

use std::sync::Arc;
use std::time::{Duration, Instant};

use plimsoll_stats::series::Entity;
use plimsoll_text::Message;

use crate::capture::{Artifact, Asked, Capture, Level, Moment};
use crate::clock::now_unix_ns;
use crate::collector::{Pending, Trouble};
use crate::http::OriginClient;
use crate::stacks::GoroutineLooks;

/// Looks at one moment, and the pause between two.
const LOOKS: u32 = 10;
const APART: Duration = Duration::from_millis(250);
/// All goroutines stand still while they are counted: where a response takes so long, there is one look alone.
const SLOW: Duration = Duration::from_millis(200);
/// What is asked for: stacks with their numbers, packed.
const BELOW: &str = "goroutine";

/// Takes profiles of goroutines.
pub(crate) struct Goroutines {
    client: OriginClient,
    entity: Arc<Entity>,
}

impl Goroutines {
    pub(crate) fn new(client: OriginClient, entity: Arc<Entity>) -> Self {
        Self { client, entity }
    }

    async fn looks(&mut self) -> Result<Vec<Artifact>, Trouble> {
        let (from_unix_ns, began) = (now_unix_ns(), Instant::now());
        let mut looks = GoroutineLooks::default();
        for look in 0..LOOKS {
            if look > 0 {
                tokio::time::sleep(APART).await;
            }
            let asked = Instant::now();
            let response = self.client.get(BELOW, "*/*").await?;
            if !looks.add(&response.body) {
                let url = self.client.join(BELOW);
                let message = Message::new("watch-pprof-none").with("url", url.as_str());
                return Err(Trouble::new(message));
            }
            if asked.elapsed() > SLOW {
                break;
            }
        }
        let told = looks.told(from_unix_ns, began.elapsed().as_secs_f64());
        let text = serde_json::to_string(&told).ok();
        let text = text.filter(|_| !told.stacks.is_empty());
        let entity = &self.entity;
        let artifact = |text| Artifact::json(Arc::clone(entity), "goroutines", from_unix_ns, text);
        Ok(text.map(artifact).into_iter().collect())
    }
}

impl Capture for Goroutines {
    fn kind(&self) -> &'static str {
        "goroutines"
    }

    fn entity(&self) -> Arc<Entity> {
        Arc::clone(&self.entity)
    }

    fn level(&self) -> Level {
        Level::Capture
    }

    fn at(&self, moment: Moment) -> bool {
        matches!(moment, Moment::Steady | Moment::Worst | Moment::Request)
    }

    fn take(&mut self, _: Asked) -> Pending<'_, Vec<Artifact>> {
        Box::pin(self.looks())
    }
}

//! What the threads of a process do, by the kernel: where they wait and for whom.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_stats::series::Entity;

use crate::capture::{Artifact, Asked, Capture, Level, Moment, PROFILE_LASTS};
use crate::clock::now_unix_ns;
use crate::collector::{Pending, Trouble};
use crate::collectors::process::subject::{Current, Subject};
use crate::thread_states::{Sampling, ServerTitles};

/// Looking lasts as long as a profile; who is at the other ends is found out after.
const LIMIT: Duration = Duration::from_secs(10);

/// Looks at the threads of a process and its workers for a few seconds.
pub(crate) struct ThreadStatesCapture {
    subject: Rc<RefCell<Subject>>,
}

impl ThreadStatesCapture {
    pub(crate) fn new(subject: Rc<RefCell<Subject>>) -> Self {
        Self { subject }
    }

    /// On the watcher's own thread, so that the processes of a chain are all looked at in the same
    /// seconds, however many they are.
    async fn look(&self) -> Result<Vec<Artifact>, Trouble> {
        // Who is away is told of by the collector that looks for it.
        let Some(first) = self.subject.borrow().current() else {
            return Ok(Vec::new());
        };
        let from_unix_ns = now_unix_ns();
        let mut sampling = Sampling::begin(first.pid, PROFILE_LASTS);
        let mut members = first.members.clone();
        let mut titles = ServerTitles::default();
        while let Some(pause) = sampling.look(&members) {
            titles.look(&members);
            tokio::time::sleep(pause).await;
            // Workers come and go.
            let now = self.subject.borrow().current();
            let same = |now: &Current| (now.pid, now.start_ticks) == (first.pid, first.start_ticks);
            if let Some(now) = now.filter(same) {
                members = now.members;
            }
        }
        // Otherwise it was ended with the watcher.
        let finish = move || {
            let mut result = sampling.finish();
            result.titles = titles;
            result.look_around();
            result
        };
        let Ok(result) = tokio::task::spawn_blocking(finish).await else {
            return Ok(Vec::new());
        };
        let bytes = format!("{:#}", result.told(from_unix_ns));
        let (entity, kind) = (first.entity, "thread_states");
        Ok(vec![Artifact::json(entity, kind, from_unix_ns, bytes)])
    }
}

impl Capture for ThreadStatesCapture {
    fn kind(&self) -> &'static str {
        "thread_states"
    }

    fn entity(&self) -> Arc<Entity> {
        self.subject.borrow().entity()
    }

    fn level(&self) -> Level {
        Level::Observe
    }

    fn at(&self, moment: Moment) -> bool {
        matches!(
            moment,
            Moment::Knee | Moment::Steady | Moment::Worst | Moment::Request
        )
    }

    fn is_aside(&self) -> bool {
        true
    }

    fn limit(&self) -> Option<Duration> {
        Some(LIMIT)
    }

    fn take(&mut self, _: Asked) -> Pending<'_, Vec<Artifact>> {
        Box::pin(self.look())
    }
}

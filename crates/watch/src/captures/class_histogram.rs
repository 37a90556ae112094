//! What a JVM's heap consists of: objects and bytes of each class.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_stats::series::Entity;

use super::jvm::Jvm;
use crate::attach::AttachRequest;
use crate::capture::{Artifact, Asked, Capture, Level, Moment};
use crate::collector::Pending;

/// A histogram is cut after so many bytes: the first thousands of classes.
const MAX_BYTES: usize = 512 << 10;

/// Counts the live objects of each class, for which the JVM does a full GC.
///
/// So it is taken where that disturbs least and tells most: before the load, after it (what
/// stayed?), and when somebody asks.
pub(crate) struct ClassHistogram {
    jvm: Rc<Jvm>,
}

impl ClassHistogram {
    pub(crate) fn new(jvm: Rc<Jvm>) -> Self {
        Self { jvm }
    }
}

impl Capture for ClassHistogram {
    fn kind(&self) -> &'static str {
        "class_histogram"
    }

    fn entity(&self) -> Arc<Entity> {
        self.jvm.entity()
    }

    fn level(&self) -> Level {
        Level::Capture
    }

    fn at(&self, moment: Moment) -> bool {
        matches!(moment, Moment::Start | Moment::End | Moment::Request)
    }

    fn take(&mut self, _: Asked) -> Pending<'_, Vec<Artifact>> {
        Box::pin(async {
            let mut request = AttachRequest::new("inspectheap", &["-live"]);
            request.max_bytes = MAX_BYTES;
            // A big heap takes its time; the limit of a capture ends it all the same.
            request.limit = Duration::from_secs(60);
            let histogram = self.jvm.artifact("class_histogram", request).await?;
            Ok(vec![histogram])
        })
    }
}

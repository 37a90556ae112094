//! What a server tells of itself when it is asked: one text, at every moment but the start.

use std::sync::Arc;

use plimsoll_stats::series::Entity;
use serde_json::Value;

use crate::capture::{Artifact, Asked, Capture, Level, Moment};
use crate::clock::now_unix_ns;
use crate::collector::Pending;

/// What was told, without secrets.
pub(crate) enum ReportText {
    Plain(String),
    Json(Value),
}

/// Asks one server.
pub(crate) trait ServerReport {
    /// What it tells, one of [`KINDS`](crate::capture::KINDS).
    const KIND: &'static str;

    /// Asks for it.
    ///
    /// # Errors
    /// Why it was not told.
    fn ask(&mut self) -> Pending<'_, ReportText>;
}

/// Takes a report of one server.
pub(crate) struct ServerReportCapture<R> {
    report: R,
    entity: Arc<Entity>,
}

impl<R> ServerReportCapture<R> {
    pub(crate) fn boxed(report: R, entity: &Arc<Entity>) -> Box<Self> {
        let entity = Arc::clone(entity);
        Box::new(Self { report, entity })
    }
}

impl<R: ServerReport + Send> Capture for ServerReportCapture<R> {
    fn kind(&self) -> &'static str {
        R::KIND
    }

    fn entity(&self) -> Arc<Entity> {
        Arc::clone(&self.entity)
    }

    fn level(&self) -> Level {
        Level::Observe
    }

    fn at(&self, moment: Moment) -> bool {
        !matches!(moment, Moment::Start)
    }

    fn take(&mut self, _: Asked) -> Pending<'_, Vec<Artifact>> {
        Box::pin(async move {
            let at_unix_ns = now_unix_ns();
            let entity = Arc::clone(&self.entity);
            Ok(vec![match self.report.ask().await? {
                ReportText::Plain(text) => Artifact::text(entity, R::KIND, at_unix_ns, text),
                ReportText::Json(value) => {
                    Artifact::json(entity, R::KIND, at_unix_ns, value.to_string())
                }
            }])
        })
    }
}

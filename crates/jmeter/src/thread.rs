//! What the users of one load thread share of JMeter's things.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::Arc;

use plimsoll_plan::program::PackageId;
use plimsoll_stats::{LabelId, LabelKind};

use super::http::HttpThread;
use super::listeners::Outlet;
use super::run::JMeterRun;
use plimsoll_load::engine::thread::Thread;

/// What the users of one load thread share: the engine's, and JMeter's.
pub struct ElementThread {
    /// The engine's.
    pub engine: Rc<Thread>,
    /// The run's.
    pub jmeter: Arc<JMeterRun>,
    /// Where events for listeners go, if anybody listens.
    pub(crate) outlet: Option<Outlet>,
    /// What HTTP samplers share.
    pub(crate) http: HttpThread,
    /// `false` and `true`.
    pub(crate) truths: [Rc<str>; 2],
    /// The labels of packages that are the same for all their samples, by kind.
    package_labels: RefCell<HashMap<(PackageId, LabelKind), LabelId>>,
}

impl ElementThread {
    /// For the users of a load thread.
    #[must_use]
    pub fn new(jmeter: Arc<JMeterRun>, engine: &Rc<Thread>) -> Self {
        Self {
            engine: Rc::clone(engine),
            outlet: jmeter.outlet(),
            http: HttpThread::default(),
            truths: ["false".into(), "true".into()],
            package_labels: RefCell::default(),
            jmeter,
        }
    }

    /// The id of a package's label.
    #[must_use]
    pub fn package_label(&self, package: PackageId, name: &str, kind: LabelKind) -> LabelId {
        let mut known = self.package_labels.borrow_mut();
        *known
            .entry((package, kind))
            .or_insert_with(|| self.labels.made(name, kind))
    }
}

impl Deref for ElementThread {
    type Target = Thread;

    fn deref(&self) -> &Thread {
        &self.engine
    }
}

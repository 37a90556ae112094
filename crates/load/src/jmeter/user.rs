//! What elements keep for one user.

use std::collections::HashMap;
use std::rc::Rc;

use plimsoll_elements::{Own, SampleResult};
use plimsoll_plan::model::Action;
use plimsoll_plan::program::SiteId;

use super::http::HttpUser;

/// What elements and functions of JMeter's keep for one user.
#[derive(Default)]
pub struct JMeterUser {
    /// By site.
    pub own: HashMap<SiteId, Own>,
    /// The last result, when something in the plan looks at it.
    pub previous: Option<SampleResult>,
    /// The label of the sampler at work.
    pub sampler_name: Option<Rc<str>>,
    /// The change of flow that was asked for.
    pub asked: Option<Action>,
    /// What HTTP samplers keep.
    pub http: HttpUser,
}

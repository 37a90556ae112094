//! What a rule is.

use crate::model::Finding;
use crate::scene::Scene;

/// A question that is asked of a scene.
pub struct Rule {
    /// Which findings it gives.
    pub ids: &'static [&'static str],
    /// What in the run's own figures would contradict it: the rule is silent then, or says it as a remark.
    pub refuted_by: &'static str,
    /// Asks it.
    pub look: fn(&Scene<'_>) -> Vec<Finding>,
}

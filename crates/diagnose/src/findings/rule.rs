//! What a rule is.

use crate::model::Finding;
use crate::scene::Scene;

/// A question that is asked of a scene.
pub struct Rule {
    /// Which findings it gives.
    pub ids: &'static [&'static str],
    /// Asks it.
    pub look: fn(&Scene<'_>) -> Vec<Finding>,
}

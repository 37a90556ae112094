//! The Parallel Controller as the one sample that it makes of its branches (jmeter-parallel 0.12,
//! `ParallelSampler.sample`).

use plimsoll_elements::Fields;
use plimsoll_elements::fields::Field;

/// Its class.
pub(crate) const CLASS: &str = "com.blazemeter.jmeter.controller.ParallelSampler";

/// Says of the sample around it what the plugin says.
pub struct ParallelParent {
    /// The names of what it runs at once.
    pub(crate) items: Vec<Field>,
}

impl ParallelParent {
    /// Binds it.
    pub fn bind(fields: Fields<'_>) -> Self {
        Self {
            items: fields.texts("items"),
        }
    }
}

//! The Debug Sampler: variables and properties as a sample (JMeter 5.6.3, `DebugSampler`).

use plimsoll_elements::Fields;
use plimsoll_elements::fields::Field;

/// Shows variables and properties.
pub struct DebugSampler {
    pub(crate) variables: Field,
    pub(crate) properties: Field,
    pub(crate) system: Field,
}

impl DebugSampler {
    /// Binds it.
    pub fn bind(fields: Fields<'_>) -> Self {
        Self {
            variables: fields.field("displayJMeterVariables"),
            properties: fields.field("displayJMeterProperties"),
            system: fields.field("displaySystemProperties"),
        }
    }
}

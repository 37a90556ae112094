//! The plugins' Set Variables Action (jpgc-prmctl 0.4, `SetVariablesAction`): variables, and no sample.

use plimsoll_elements::Fields;
use plimsoll_elements::fields::Field;

/// Sets variables where a sampler would stand.
pub struct SetVariables {
    /// Names and values, in their order.
    pub(crate) variables: Vec<[Field; 2]>,
}

impl SetVariables {
    /// Binds it.
    pub fn bind(fields: Fields<'_>) -> Self {
        let list = fields.element("SetVariablesAction");
        let arguments = list.map(|list| list.elements("Arguments.arguments"));
        let variable = |argument: Fields<'_>| {
            ["Argument.name", "Argument.value"].map(|name| argument.field(name))
        };
        Self {
            variables: arguments
                .unwrap_or_default()
                .into_iter()
                .map(variable)
                .collect(),
        }
    }
}

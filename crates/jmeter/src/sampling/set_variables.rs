//! Variables are set, and no sample is made.

use std::collections::HashSet;

use super::waits::texts;
use crate::element_user::ElementUser;
use crate::samplers::set_variables::SetVariables;

impl SetVariables {
    /// Sets the variables. All values are known before any is set; of several of one name the first counts
    /// (JMeter 5.6.3, `Arguments.getArgumentsAsMap`).
    pub(crate) async fn set(&self, user: &mut ElementUser<'_>) {
        let mut values = Vec::with_capacity(self.variables.len());
        for [name, value] in &self.variables {
            values.push(texts(user, [name, value]).await);
        }
        let mut seen = HashSet::new();
        for [name, value] in values {
            if seen.insert(name.clone()) {
                user.vars.set_by_name(&name, value);
            }
        }
    }
}

//! The compiled operations as text, for `plimsoll check`.

use std::fmt;

use super::Program;

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#?}", self.scenarios.iter().map(|s| &s.ops).collect::<Vec<_>>())
    }
}

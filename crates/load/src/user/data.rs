//! Rows of files and counters as variables.

use plimsoll_plan::program::{Op, Pc};

use super::User;
use crate::functions::EvalError;
use crate::shared::counter_value;

impl User {
    /// Operations that bring data; gives the next one.
    pub(super) fn data_op(&mut self, op: &Op, next: Pc) -> Result<Pc, EvalError> {
        match op {
            Op::Count { shared, own, start, step, end, digits, variable } => {
                let value = match shared {
                    Some(id) => self.thread.shared.next(*id),
                    None => {
                        let passes = &mut self.registers[usize::from(own.0)];
                        *passes += 1;
                        counter_value(*start, *step, *end, *passes - 1)
                    }
                };
                let width = usize::from(*digits);
                self.vars.set(*variable, format!("{value:0width$}"));
            }
            Op::NextRow { .. } => {}
            _ => {}
        }
        Ok(next)
    }
}

//! Rows of files and counters as variables.

use plimsoll_plan::program::{Op, Pc};

use super::User;
use crate::data::NextRow;
use crate::functions::EvalError;
use crate::shared::counter_value;

impl User {
    /// Operations that bring data; gives the next one, or none when the data is at its end
    /// and the user with it.
    pub(crate) fn data_op(&mut self, op: &Op, next: Pc) -> Result<Option<Pc>, EvalError> {
        match op {
            Op::Count {
                shared,
                own,
                start,
                step,
                end,
                digits,
                variable,
            } => {
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
            Op::NextRow { rows, own_row, .. } => {
                let thread = std::rc::Rc::clone(&self.thread);
                let Some(rows) = thread.rows.get(rows) else {
                    let Some(error) = thread.missing_rows(*rows) else {
                        return Ok(Some(next));
                    };
                    thread.report_flow_error(&self.scenario.program.name, &error);
                    return Ok(None);
                };
                let own = &mut self.registers[usize::from(own_row.0)];
                let shared = &*thread.shared;
                if rows.next(&mut self.vars, &mut self.random, shared, own) == NextRow::StopUser {
                    return Ok(None);
                }
            }
            _ => {}
        }
        Ok(Some(next))
    }
}

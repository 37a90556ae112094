//! Rows of files and counters as variables.

use std::borrow::Cow;
use std::rc::Rc;

use plimsoll_plan::program::{Op, Pc, SharedId, Slot};

use super::User;
use crate::data::{NextRow, Rows};
use crate::functions::{EvalError, eval_text};
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
            Op::NextRow {
                rows: id,
                own_row,
                columns,
            } => {
                let thread = Rc::clone(&self.thread);
                let named = match self.rows_of(*id, columns) {
                    Err(error) if !error.waits() => {
                        thread.report_flow_error(&self.scenario.program.name, &error);
                        return Ok(None);
                    }
                    named => named?,
                };
                let Some(rows) = named.as_deref().or_else(|| thread.rows.get(id)) else {
                    let Some(error) = thread.missing_rows(*id) else {
                        return Ok(Some(next));
                    };
                    thread.report_flow_error(&self.scenario.program.name, &error);
                    return Ok(None);
                };
                let own = &mut self.registers[usize::from(own_row.0)];
                let shared = &*thread.shared;
                if rows.next(&mut self.vars, &mut self.random, shared, own) == NextRow::StopUser {
                    if let Some(count) = rows.of_users()
                        && self.iteration == 0
                        && thread.data().is_first_want()
                    {
                        thread.tell_of_missing_rows(&self.scenario.program.name, count);
                    }
                    return Ok(None);
                }
            }
            _ => {}
        }
        Ok(Some(next))
    }

    /// The rows of the file that this user names, if it is another than before the run.
    fn rows_of(
        &mut self,
        id: SharedId,
        columns: &[(String, Slot)],
    ) -> Result<Option<Rc<Rows>>, EvalError> {
        let thread = Rc::clone(&self.thread);
        let Some(path) = thread.data().named_by_user(&thread.program, id) else {
            return Ok(None);
        };
        if let Some(known) = self.named_rows.get(&id) {
            return Ok(known.clone());
        }
        let path = self.evaluate(|cx| eval_text(path, cx).map(Cow::into_owned))?;
        let opened = thread.data().open(&thread.program, id, &path, columns);
        let rows = opened.map_err(EvalError::from)?.map(Rc::new);
        self.named_rows.insert(id, rows.clone());
        Ok(rows)
    }
}

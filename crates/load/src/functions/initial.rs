//! The values that variables begin with.

use std::rc::Rc;
use std::sync::Arc;

use plimsoll_plan::program::{Program, Slot};

use super::{EvalContext, EvalError, eval_value};

/// The values that are computed once before the run and are the same for all users, by slot.
#[derive(Debug, Clone, Default)]
pub struct OnceValues(Vec<Option<Arc<str>>>);

impl OnceValues {
    /// Computes them. Afterwards the variables of `ctx` have their first values too.
    ///
    /// # Errors
    /// When a value's template fails.
    pub fn compute(program: &Program, ctx: &mut EvalContext<'_>) -> Result<Self, EvalError> {
        let mut once = vec![None; program.slots.len()];
        // All in their order, since a later one may use an earlier one.
        for (number, def) in (0..).zip(&program.slots) {
            let Some(initial) = &def.initial else {
                continue;
            };
            let value = eval_value(initial, ctx)?;
            if def.once_per_run {
                once[number as usize] = Some(Arc::from(&*value));
            }
            ctx.vars.set(Slot(number), value);
        }
        Ok(Self(once))
    }

    /// Those that have values, by name.
    #[must_use]
    pub fn named(&self, program: &Program) -> Vec<(String, String)> {
        let pairs = program.slots.iter().zip(&self.0);
        let set = |(slot, value): (&plimsoll_plan::program::SlotDef, &Option<Arc<str>>)| {
            Some((slot.name.clone(), value.as_deref()?.to_owned()))
        };
        pairs.filter_map(set).collect()
    }
}

/// The first values as a thread's users share them.
#[derive(Debug, Default)]
pub struct InitialValues(Vec<Option<Rc<str>>>);

impl InitialValues {
    /// For one thread: values of the run, and values without variables or calls, are made
    /// once for all its users.
    #[must_use]
    pub fn new(program: &Program, once: &OnceValues) -> Self {
        let fixed =
            |def: &plimsoll_plan::program::SlotDef| def.initial.as_ref()?.as_text().map(Rc::from);
        let of_run = once.0.iter().map(|value| value.as_deref().map(Rc::from));
        let of_run = of_run.chain(std::iter::repeat(None));
        let values = program.slots.iter().zip(of_run);
        Self(
            values
                .map(|(def, of_run)| of_run.or_else(|| fixed(def)))
                .collect(),
        )
    }

    /// Gives a user's variables their first values, in their order.
    ///
    /// # Errors
    /// When a value's template fails.
    pub fn set(&self, program: &Program, ctx: &mut EvalContext<'_>) -> Result<(), EvalError> {
        for ((number, def), shared) in (0..).zip(&program.slots).zip(&self.0) {
            let value = match (shared, &def.initial) {
                (Some(value), _) => Rc::clone(value),
                (None, Some(initial)) => eval_value(initial, ctx)?,
                (None, None) => continue,
            };
            ctx.vars.set(Slot(number), value);
        }
        Ok(())
    }
}

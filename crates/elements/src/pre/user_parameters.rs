//! `UserParameters`: variables with values of each user's own.

use plimsoll_plan::program::ValueProgram;

use crate::context::{Context, Fault};
use crate::fields::{Field, Fields};
use crate::leaf::{Bound, PassListener, PreProcessor};

struct UserParameters {
    names: Vec<Field>,
    /// A list of values for each user; users beyond them begin again with the first.
    users: Vec<Vec<Field>>,
}

/// Set once an iteration they are set when their scope is entered, else before each sampler.
pub(super) fn bind(fields: Fields<'_>) -> Bound {
    let list = |value: &ValueProgram| match value {
        ValueProgram::List(values) => values.iter().filter_map(text).collect(),
        _ => Vec::new(),
    };
    let users = fields.0.list("UserParameters.thread_values");
    let parameters = UserParameters {
        names: fields.texts("UserParameters.names"),
        users: users.iter().map(list).collect(),
    };
    if fields.fixed_truth("UserParameters.per_iteration", false) {
        Bound::Pass(Box::new(parameters))
    } else {
        Bound::Pre(Box::new(parameters))
    }
}

fn text(value: &ValueProgram) -> Option<Field> {
    match value {
        ValueProgram::Text(template) => Some(template.clone().into()),
        _ => None,
    }
}

impl UserParameters {
    fn set(&self, cx: &mut dyn Context) -> Result<(), Fault> {
        if self.users.is_empty() {
            return Ok(());
        }
        let user = cx.thread().number as usize % self.users.len();
        for (name, value) in self.names.iter().zip(&self.users[user]) {
            let name = name.text(cx)?.into_owned();
            let value = value.text(cx)?;
            cx.set(&name, &value);
        }
        Ok(())
    }
}

impl PreProcessor for UserParameters {
    fn process(&self, cx: &mut dyn Context) -> Result<(), Fault> {
        self.set(cx)
    }
}

impl PassListener for UserParameters {
    fn pass(&self, cx: &mut dyn Context) -> Result<(), Fault> {
        self.set(cx)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use plimsoll_plan::program::ValueProgram;

    use crate::context::testing::TestContext;
    use crate::registry::{Bound, bind};
    use crate::testing::{element, template};

    fn list(texts: &[&str]) -> ValueProgram {
        let texts = texts.iter().map(|text| ValueProgram::Text(template(text)));
        ValueProgram::List(texts.collect())
    }

    fn parameters(per_iteration: &str) -> Bound {
        let mut element = element(
            "UserParameters",
            &[("UserParameters.per_iteration", per_iteration)],
        );
        let users = ValueProgram::List(vec![list(&["a0", "${x}"]), list(&["a1"])]);
        element
            .properties
            .push(("UserParameters.names".into(), list(&["a", "b"])));
        element
            .properties
            .push(("UserParameters.thread_values".into(), users));
        bind(&element).unwrap()
    }

    #[test]
    fn each_user_has_its_own_values() {
        let Bound::Pre(parameters) = parameters("false") else {
            panic!("set before each sampler");
        };
        let mut cx = TestContext::with(&[("x", "7")]);
        for (number, a, b) in [(0, "a0", "7"), (1, "a1", "7"), (2, "a0", "7")] {
            cx.thread.number = number;
            parameters.process(&mut cx).unwrap();
            assert_eq!((&*cx.vars["a"], &*cx.vars["b"]), (a, b), "{number}");
        }
    }

    #[test]
    fn values_of_an_iteration_are_set_when_the_scope_is_entered() {
        let Bound::Pass(parameters) = parameters("true") else {
            panic!("set each iteration");
        };
        let mut cx = TestContext::with(&[]);
        cx.thread.number = 3;
        parameters.pass(&mut cx).unwrap();
        assert_eq!(&*cx.vars["a"], "a1");
        assert!(!cx.vars.contains_key("b"));
    }
}

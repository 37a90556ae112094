//! Scripts whose text is made while the plan runs.
//!
//! They run in an engine of their own, as functions in sloppy mode with the objects that their
//! prelude makes; what they leave in the global scope is cleared after each.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

use plimsoll_plan::model::Span;
use rquickjs::{Coerced, Context, Ctx, Function, Object, Persistent, Value};

use super::bounds::{self, DEFAULT_TIME_LIMIT, Deadline};
use super::host::Host;
use super::reason::ScriptReason;
use crate::functions::{DynamicScript, EvalContext, EvalError, ScriptProperties};

/// The properties of the script that runs, if one does.
type Properties = Rc<RefCell<Option<Rc<dyn ScriptProperties>>>>;

/// An engine for such scripts, one a thread, made at the first.
pub(super) struct Dynamic {
    run: Persistent<Function<'static>>,
    context: Context,
    host: Rc<RefCell<Host>>,
    properties: Properties,
    deadline: Deadline,
}

impl Dynamic {
    pub(super) fn new(prelude: &str) -> rquickjs::Result<Self> {
        let (context, deadline) = bounds::context()?;
        let host = Rc::new(RefCell::new(Host::new()));
        let properties = Properties::default();
        let run = context.with(|js| {
            let prelude =
                js.eval_with_options::<Function<'_>, _>(prelude, bounds::options(false))?;
            let object = super::host::object(&js, &host)?;
            add_properties(&object, &properties)?;
            let run = prelude.call::<_, Function<'_>>((object,))?;
            rquickjs::Result::Ok(Persistent::save(&js, run))
        })?;
        Ok(Self {
            run,
            context,
            host,
            properties,
            deadline,
        })
    }

    /// Runs a script; gives its value as text.
    pub(super) fn run(
        &self,
        script: &DynamicScript<'_>,
        ctx: &mut EvalContext<'_>,
    ) -> Result<String, EvalError> {
        *self.properties.borrow_mut() = Some(Rc::clone(&script.properties));
        self.host.borrow_mut().swap(ctx);
        self.deadline
            .set(Instant::now().checked_add(DEFAULT_TIME_LIMIT));
        let result = self.context.with(|js| {
            let called = || {
                let given = Object::new(js.clone())?;
                for (name, value) in script.bindings {
                    given.set(*name, *value)?;
                }
                let run = self.run.clone().restore(&js)?;
                let value: Value<'_> = run.call((script.source, given))?;
                Ok(value.get::<Coerced<String>>()?.0)
            };
            let late = || self.deadline.get().is_some_and(|it| Instant::now() >= it);
            called().map_err(|error| ScriptReason::of(&js, error, late()))
        });
        self.deadline.set(None);
        self.host.borrow_mut().swap(ctx);
        result.map_err(|reason| {
            let at = Span::default();
            reason.message(at, |text| ctx.vars.redact(text)).into()
        })
    }
}

fn add_properties(object: &Object<'_>, properties: &Properties) -> rquickjs::Result<()> {
    let js: Ctx<'_> = object.ctx().clone();
    let it = Rc::clone(properties);
    let get = move |name: String| it.borrow().as_ref()?.get(&name);
    object.set("property", Function::new(js.clone(), get)?)?;
    let it = Rc::clone(properties);
    let set = move |name: String, value: String| it.borrow().as_ref()?.set(&name, &value);
    object.set("set_property", Function::new(js.clone(), set)?)?;
    let it = Rc::clone(properties);
    let remove = move |name: String| it.borrow().as_ref()?.remove(&name);
    object.set("remove_property", Function::new(js, remove)?)
}

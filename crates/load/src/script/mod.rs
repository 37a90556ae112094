//! JavaScript steps and expressions, on QuickJS.
//!
//! They reach the user's variables and randomness, the response at hand, and nothing of the
//! host; time, memory and stack are bounded. Even so steps and texts made while the
//! plan runs are code of the plan, which [`Access`] must allow; an expression in a text or condition
//! is not.
//!
//! One runtime a load thread, made only when the plan has scripts; a user costs nothing. Each
//! script is compiled once, as a function in strict mode over globals that are frozen, so
//! that users leave nothing behind for each other but their own variables.

mod bounds;
mod dynamic;
mod host;
mod reason;

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};

use plimsoll_access::{Access, Right};
use plimsoll_plan::model::Span;
use plimsoll_plan::program::{Program, ScriptDef, ScriptId};
use plimsoll_stats::ErrorKind;
use plimsoll_text::Message;
use rquickjs::{Coerced, Context, Ctx, Function, Persistent, Value};

use crate::extract::BindError;
use crate::functions::{DynamicScript, EvalContext, EvalError, Scripting};
pub use bounds::DEFAULT_TIME_LIMIT;
use bounds::Deadline;
use host::Host;
#[cfg(test)]
use host::LOG_LINES;
use reason::ScriptReason;

/// The scripts of a program, ready to run on one thread.
#[derive(Default)]
pub struct Scripts {
    engine: Option<ScriptEngine>,
    /// For scripts whose text is made while the plan runs.
    dynamic: OnceCell<Option<dynamic::Dynamic>>,
    access: Access,
}

/// Fields are dropped in this order: what QuickJS lent goes before the context, which holds
/// the runtime.
struct ScriptEngine {
    compiled: Vec<CompiledScript>,
    response: Persistent<Value<'static>>,
    context: Context,
    host: Rc<RefCell<Host>>,
    deadline: Deadline,
    time_limit: Duration,
}

struct CompiledScript {
    function: Persistent<Function<'static>>,
    /// It speaks of the response; others are spared the copy.
    sees_response: bool,
    at: Span,
}

/// What scripts wrote with `log`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// The lines.
    pub lines: Vec<String>,
    /// Lines that found no room.
    pub lost: u64,
}

impl Scripts {
    /// Compiles a program's scripts.
    ///
    /// # Errors
    /// The first script that is not JavaScript, or that may not run here.
    pub fn bind(program: &Program, access: &Access) -> Result<Self, BindError> {
        Self::bind_with_limit(program, access, DEFAULT_TIME_LIMIT)
    }

    /// As [`bind`](Self::bind), with a longest time for each script.
    ///
    /// # Errors
    /// As [`bind`](Self::bind).
    pub fn bind_with_limit(
        program: &Program,
        access: &Access,
        time_limit: Duration,
    ) -> Result<Self, BindError> {
        for script in program.scripts.iter().filter(|script| !script.expression) {
            let first = script.source.trim().lines().next().unwrap_or_default();
            let asked = access.ask(Right::Scripts, first);
            asked.map_err(|refused| BindError {
                at: script.at,
                message: refused.message(),
            })?;
        }
        if program.scripts.is_empty() {
            return Ok(Self {
                access: access.clone(),
                ..Self::default()
            });
        }
        let engine = ScriptEngine::new(time_limit).map_err(|error| BindError {
            at: program.scripts[0].at,
            message: Message::new("script-engine").with("reason", error.to_string()),
        })?;
        let engine = engine.compile(&program.scripts)?;
        Ok(Self {
            engine: Some(engine),
            dynamic: OnceCell::new(),
            access: access.clone(),
        })
    }

    /// Takes what was written with `log` since the last time.
    #[must_use]
    pub fn take_log(&self) -> Log {
        let Some(engine) = &self.engine else {
            return Log::default();
        };
        let host = &mut *engine.host.borrow_mut();
        Log {
            lines: std::mem::take(&mut host.log),
            lost: std::mem::take(&mut host.log_lost),
        }
    }

    fn value<T>(
        &self,
        id: ScriptId,
        ctx: &mut EvalContext<'_>,
        read: impl for<'js> FnOnce(&Ctx<'js>, Value<'js>) -> rquickjs::Result<T>,
    ) -> Result<T, EvalError> {
        let engine = self.engine.as_ref();
        let found = engine.and_then(|it| Some((it, it.compiled.get(id.0 as usize)?)));
        let Some((engine, compiled)) = found else {
            return Err(Message::new("script-unknown").with("number", id.0).into());
        };
        let sees = if compiled.sees_response {
            ctx.response
        } else {
            None
        };
        {
            let host = &mut *engine.host.borrow_mut();
            host.failed = None;
            if let Some(response) = sees {
                host.show(response);
            }
            host.swap(ctx);
        }
        let result = engine.call(compiled, sees.is_some(), ctx, read);
        let host = &mut *engine.host.borrow_mut();
        host.swap(ctx);
        result.map_err(|reason| match host.failed.take() {
            Some(why) => EvalError {
                message: Box::new(failed_by_script(compiled.at, &ctx.vars.redact(&why))),
                kind: ErrorKind::CheckFailed,
            },
            None => reason
                .message(compiled.at, |text| ctx.vars.redact(text))
                .into(),
        })
    }
}

fn failed_by_script(at: Span, why: &str) -> Message {
    match why {
        "" => Message::new("script-fail-silent").with("plan_line", at.line),
        why => Message::new("script-fail")
            .with("plan_line", at.line)
            .with("why", why),
    }
}

impl Scripting for Scripts {
    fn access(&self) -> &Access {
        &self.access
    }

    fn run(&self, id: ScriptId, ctx: &mut EvalContext<'_>) -> Result<(), EvalError> {
        self.value(id, ctx, |_, _| Ok(()))
    }

    fn truthy(&self, id: ScriptId, ctx: &mut EvalContext<'_>) -> Result<bool, EvalError> {
        self.value(id, ctx, |_, value| Ok(value.get::<Coerced<bool>>()?.0))
    }

    fn text(&self, id: ScriptId, ctx: &mut EvalContext<'_>) -> Result<String, EvalError> {
        self.value(id, ctx, |js, value| {
            if value.is_undefined() || value.is_null() {
                return Ok(String::new());
            }
            if value.is_object()
                && let Some(json) = js.json_stringify(&value)?
            {
                return json.to_string();
            }
            Ok(value.get::<Coerced<String>>()?.0)
        })
    }

    fn dynamic(
        &self,
        script: &DynamicScript<'_>,
        ctx: &mut EvalContext<'_>,
    ) -> Result<String, EvalError> {
        let asked = self.access.ask(Right::Scripts, script.by);
        asked.map_err(|refused| EvalError::from(refused.message()))?;
        let made = || dynamic::Dynamic::new(script.prelude).ok();
        match self.dynamic.get_or_init(made) {
            Some(engine) => engine.run(script, ctx),
            None => Err(Message::new("script-engine")
                .with("reason", "memory")
                .into()),
        }
    }
}

impl ScriptEngine {
    fn new(time_limit: Duration) -> rquickjs::Result<Self> {
        let (context, deadline) = bounds::context()?;
        let host = Rc::new(RefCell::new(Host::new()));
        let response = context.with(|js| {
            let prelude = js.eval::<Function<'_>, _>(include_str!("prelude.js"))?;
            let response = prelude.call::<_, Value<'_>>((host::object(&js, &host)?,))?;
            rquickjs::Result::Ok(Persistent::save(&js, response))
        })?;
        let compiled = Vec::new();
        Ok(Self {
            compiled,
            response,
            context,
            host,
            deadline,
            time_limit,
        })
    }

    fn compile(mut self, scripts: &[ScriptDef]) -> Result<Self, BindError> {
        for script in scripts {
            let source = wrapped(script);
            let function = self.context.with(|js| {
                let options = bounds::options(true);
                let function = js.eval_with_options::<Function<'_>, _>(source, options);
                function
                    .map(|function| Persistent::save(&js, function))
                    .map_err(|error| {
                        let reason = ScriptReason::of(&js, error, false);
                        BindError {
                            at: script.at,
                            message: reason.message(script.at, str::to_owned),
                        }
                    })
            })?;
            let sees_response = script.source.contains("response");
            self.compiled.push(CompiledScript {
                function,
                sees_response,
                at: script.at,
            });
        }
        Ok(self)
    }

    fn call<T>(
        &self,
        compiled: &CompiledScript,
        responded: bool,
        ctx: &EvalContext<'_>,
        read: impl for<'js> FnOnce(&Ctx<'js>, Value<'js>) -> rquickjs::Result<T>,
    ) -> Result<T, ScriptReason> {
        self.deadline
            .set(Instant::now().checked_add(self.time_limit));
        let result = self.context.with(|js| {
            let called = || {
                let function = compiled.function.clone().restore(&js)?;
                let response = match responded {
                    true => self.response.clone().restore(&js)?,
                    false => Value::new_undefined(js.clone()),
                };
                let (user, iteration) = (u64::from(ctx.user) + 1, ctx.iteration.saturating_add(1));
                let value = function.call((response, user, iteration, ctx.scenario))?;
                // Before the jobs: they may not change what was returned.
                let value = read(&js, value)?;
                // Promises settle now or never: there is no event they could wait for.
                while self.is_in_time() && js.execute_pending_job() {}
                Ok(value)
            };
            called().map_err(|error| ScriptReason::of(&js, error, !self.is_in_time()))
        });
        self.deadline.set(None);
        result
    }

    fn is_in_time(&self) -> bool {
        self.deadline
            .get()
            .is_none_or(|deadline| Instant::now() < deadline)
    }
}

/// The script as a function; its first line stays line 1. The line break ends a comment.
fn wrapped(script: &ScriptDef) -> String {
    let head = "(function (response, user, iteration, scenario) { \"use strict\";";
    let source = &script.source;
    match script.expression {
        true => format!("{head} return (({source}\n)); }})"),
        false => format!("{head} {source}\n}})"),
    }
}

#[cfg(test)]
mod tests;

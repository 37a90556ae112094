//! What a running script reaches of the load thread.

use std::cell::RefCell;
use std::rc::Rc;

use rquickjs::{Ctx, Function, Object};

use crate::extract::ResponseView;
use crate::functions::{EvalContext, beginning};
use crate::random::Random;
use crate::variables::{Names, Variables};

/// Longest log, lines, and longest line, bytes: a chatty plan must not eat the memory.
pub(super) const LOG_LINES: usize = 1_000;
const LOG_LINE_BYTES: usize = 4_096;

/// The user and the response of the script that runs.
///
/// Functions that scripts call live as long as the QuickJS runtime and cannot borrow, so the
/// user's variables and randomness are swapped in here while the script runs.
#[derive(Debug)]
pub(super) struct Host {
    vars: Variables,
    rng: Random,
    response: ScriptResponse,
    pub(super) failed: Option<String>,
    pub(super) log: Vec<String>,
    pub(super) log_lost: u64,
}

/// A copy of a response, in buffers that are used again.
#[derive(Debug, Default)]
struct ScriptResponse {
    status: u16,
    url: String,
    head: Vec<u8>,
    body: String,
}

impl Host {
    pub(super) fn new() -> Self {
        Self {
            vars: Variables::new(Rc::new(Names::default())),
            rng: Random::new(0, 0),
            response: ScriptResponse::default(),
            failed: None,
            log: Vec::new(),
            log_lost: 0,
        }
    }

    /// Puts the user in, or takes it out again.
    pub(super) fn swap(&mut self, ctx: &mut EvalContext<'_>) {
        std::mem::swap(&mut self.vars, ctx.vars);
        std::mem::swap(&mut self.rng, ctx.rng);
    }

    /// Copies the response for a script that looks at it.
    pub(super) fn show(&mut self, response: &ResponseView<'_>) {
        self.response.status = response.status();
        self.response.url.clear();
        self.response.url.push_str(response.url());
        self.response.head.clear();
        self.response.head.extend_from_slice(response.head());
        self.response.body.clear();
        self.response.body.push_str(response.text());
    }

    fn add_log(&mut self, mut line: String) {
        if self.log.len() >= LOG_LINES {
            self.log_lost += 1;
            return;
        }
        line.truncate(beginning(&line, LOG_LINE_BYTES).len());
        self.log.push(line);
    }
}

/// The object of host functions that the prelude wraps.
pub(super) fn object<'js>(
    ctx: &Ctx<'js>,
    host: &Rc<RefCell<Host>>,
) -> rquickjs::Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    variables(&object, host)?;
    response(&object, host)?;
    let it = Rc::clone(host);
    set(&object, "unit", move || it.borrow_mut().rng.unit())?;
    let it = Rc::clone(host);
    #[expect(clippy::cast_possible_truncation)] // Saturates; JavaScript has no other numbers.
    set(&object, "between", move |min: f64, max: f64| {
        it.borrow_mut()
            .rng
            .between(min.min(max) as i64, max.max(min) as i64)
    })?;
    let it = Rc::clone(host);
    set(&object, "log", move |line: String| {
        it.borrow_mut().add_log(line)
    })?;
    let it = Rc::clone(host);
    set(&object, "fail", move |why: String| {
        it.borrow_mut().failed = Some(why)
    })?;
    Ok(object)
}

fn variables(object: &Object<'_>, host: &Rc<RefCell<Host>>) -> rquickjs::Result<()> {
    let it = Rc::clone(host);
    set(object, "get", move |name: String| {
        it.borrow()
            .vars
            .get_by_name(&name)
            .map(|value| value.as_ref().to_owned())
    })?;
    let it = Rc::clone(host);
    set(object, "set", move |name: String, value: String| {
        let vars = &mut it.borrow_mut().vars;
        let allowed = !vars.names().is_constant(&name);
        if allowed {
            vars.set_by_name(&name, value);
        }
        allowed
    })?;
    let it = Rc::clone(host);
    set(object, "unset", move |name: String| {
        it.borrow_mut().vars.unset_by_name(&name)
    })?;
    let it = Rc::clone(host);
    set(object, "names", move || {
        it.borrow()
            .vars
            .names_set()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    })
}

fn response(object: &Object<'_>, host: &Rc<RefCell<Host>>) -> rquickjs::Result<()> {
    let it = Rc::clone(host);
    set(object, "status", move || it.borrow().response.status)?;
    let it = Rc::clone(host);
    set(object, "url", move || it.borrow().response.url.clone())?;
    let it = Rc::clone(host);
    set(object, "headers", move || {
        let host = it.borrow();
        let headers = crate::extract::headers(&host.response.head);
        headers
            .map(|(name, value)| vec![name.to_ascii_lowercase(), value.into_owned()])
            .collect::<Vec<_>>()
    })?;
    let it = Rc::clone(host);
    set(object, "header", move |name: String| {
        let host = it.borrow();
        let mut headers = crate::extract::headers(&host.response.head);
        let found = headers.find(|(other, _)| other.eq_ignore_ascii_case(&name));
        found.map(|(_, value)| value.into_owned())
    })?;
    let it = Rc::clone(host);
    set(object, "body", move || it.borrow().response.body.clone())
}

fn set<'js, P, F>(object: &Object<'js>, name: &str, function: F) -> rquickjs::Result<()>
where
    F: rquickjs::function::IntoJsFunc<'js, P> + 'js,
{
    object.set(
        name,
        Function::new(object.ctx().clone(), function)?.with_name(name)?,
    )
}

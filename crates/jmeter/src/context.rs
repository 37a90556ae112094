//! A user of the engine as leaves and functions of JMeter's see it.

use std::any::Any;
use std::borrow::Cow;
use std::rc::Rc;

use plimsoll_access::{Access, Right};
use plimsoll_elements::functions::fifo::POP;
use plimsoll_elements::{Context, Fault, Own, Properties, SampleResult, Shared, ThreadInfo};
use plimsoll_plan::model::Action;
use plimsoll_plan::program::{Call, SiteId, Template};
use plimsoll_text::{Lang, Message};

use super::memo::AskedCall;
use super::needs::waiting_site;
use super::run::JMeterRun;
use super::user::JMeterUser;
use plimsoll_load::kit::functions::{
    DynamicScript, EvalContext, EvalError, ScriptProperties, eval,
};

/// What leaves and functions see: what texts are evaluated with, and what the run has of JMeter's.
pub struct ElementContext<'c, 'a> {
    /// What texts are evaluated with.
    pub eval: &'c mut EvalContext<'a>,
    run: &'c JMeterRun,
    /// What is kept for nobody.
    nobody: Own,
}

impl<'c, 'a> ElementContext<'c, 'a> {
    /// What leaves see of whoever is evaluated for.
    pub fn new(eval: &'c mut EvalContext<'a>, run: &'c JMeterRun) -> Self {
        Self {
            eval,
            run,
            nobody: None,
        }
    }

    /// What JMeter's elements keep for the user.
    pub(super) fn user(&mut self) -> Option<&mut JMeterUser> {
        user_of(self.eval)
    }

    fn known(&self) -> Option<&JMeterUser> {
        let view = self.eval.extension.as_ref()?;
        let kept: &dyn Any = &*view.kept;
        kept.downcast_ref()
    }

    /// Work begins that may be done again: values of calls are kept.
    pub(crate) fn begin_memo(&mut self) {
        if let Some(user) = self.user() {
            user.memo.begin();
        }
    }

    /// What has no user: values made before the run.
    fn no_user() -> Fault {
        Fault::new("there is no user yet")
    }
}

/// What JMeter's elements keep for the user that something is evaluated for.
pub(super) fn user_of<'v>(ctx: &'v mut EvalContext<'_>) -> Option<&'v mut JMeterUser> {
    let view = ctx.extension.as_mut()?;
    let kept: &mut dyn Any = &mut *view.kept;
    kept.downcast_mut()
}

/// A failure of the engine's as leaves know it.
#[must_use]
pub fn fault_of(error: &EvalError) -> Fault {
    if error.waits() {
        Fault::Remote
    } else {
        Fault::Failed(plimsoll_text::render(Lang::En, &error.message))
    }
}

/// A failure of a leaf's as the engine knows it.
#[must_use]
pub fn error_of(fault: Fault) -> EvalError {
    match fault {
        Fault::Remote => EvalError::waiting(),
        Fault::Failed(reason) => Message::new("jmeter-failed").with("reason", reason).into(),
    }
}

/// Computes a function of JMeter's. One that says it has no value gives nothing, and the log
/// says why; any other exception ends the package at work (JMeter 5.6.3,
/// `CompoundVariable.execute`, `JMeterThread.processSampler`).
pub(super) fn call(call: &Call, cx: &mut ElementContext<'_, '_>) -> Result<String, EvalError> {
    let number = match cx.user() {
        Some(user) if user.memo.on => match user.memo.call_begins() {
            Ok(value) => return Ok(value),
            Err(number) => Some(number),
        },
        _ => None,
    };
    let value = match plimsoll_elements::functions::call(call, cx) {
        Ok(value) => value,
        Err(Fault::Remote) => return Err(EvalError::waiting()),
        Err(Fault::Failed(reason)) => {
            let has_none = reason.starts_with(plimsoll_elements::functions::NO_VALUE);
            if let Some(user) = cx.user()
                && user.at_work
                && !has_none
            {
                // The innermost says why.
                user.thrown.get_or_insert_with(|| reason.clone());
                return Err(error_of(Fault::Failed(reason)));
            }
            cx.log(&format!("{}: {reason}", call.raw));
            String::new()
        }
    };
    if let (Some(number), Some(user)) = (number, cx.user()) {
        user.memo.call_ends(number, &value);
    }
    Ok(value)
}

impl Context for ElementContext<'_, '_> {
    fn text<'t>(&mut self, template: &'t Template) -> Result<Cow<'t, str>, Fault> {
        if let Some(text) = template.as_text() {
            return Ok(Cow::Borrowed(text));
        }
        if let Some(user) = self.known()
            && user.memo.has_texts()
            && let Some(known) = waiting_site(template).and_then(|site| user.memo.text(site))
        {
            return Ok(Cow::Owned(known.to_owned()));
        }
        let mut text = String::new();
        eval(template, self.eval, &mut text).map_err(|error| fault_of(&error))?;
        Ok(Cow::Owned(text))
    }

    fn evaluate(&mut self, text: &str) -> Result<String, Fault> {
        if !text.contains("${") {
            return Ok(text.to_owned());
        }
        let read =
            super::dynamic::read(text, &|name| self.get(name).map(|value| value.to_string()))?;
        let Some((_within, template)) = read else {
            return Ok(String::new());
        };
        let mut value = String::new();
        let result = eval(&template, self.eval, &mut value);
        *self.own(super::dynamic::SITE) = None;
        if let Some(user) = self.user() {
            user.dynamic = Shared::new();
        }
        result.map_err(|error| fault_of(&error))?;
        Ok(value)
    }

    fn get(&self, name: &str) -> Option<Rc<str>> {
        self.eval.vars.get_by_name(name).cloned()
    }

    fn set(&mut self, name: &str, value: &str) {
        self.eval.vars.set_by_name(name, value);
    }

    fn remove(&mut self, name: &str) {
        self.eval.vars.unset_by_name(name);
    }

    fn set_null(&mut self, name: &str) {
        self.eval.vars.set_null_by_name(name);
    }

    fn nulls(&self) -> Vec<String> {
        self.eval.vars.nulls().map(str::to_owned).collect()
    }

    fn names(&self) -> Vec<String> {
        self.eval.vars.names_set().map(str::to_owned).collect()
    }

    fn access(&self) -> &Access {
        self.eval.scripts.access()
    }

    fn properties(&self) -> &Properties {
        &self.run.properties
    }

    fn random_bits(&mut self) -> u64 {
        self.eval.rng.bits()
    }

    fn unix_ms(&self) -> u64 {
        (self.eval.unix_ns)() / 1_000_000
    }

    fn thread(&self) -> ThreadInfo {
        let Some(user) = self.known() else {
            return ThreadInfo::default();
        };
        let (group_threads, all_threads) = self.run.users(user.scenario);
        ThreadInfo {
            group_threads,
            all_threads,
            run_start_unix_ms: self.run.start_unix_ms(),
            due_from_unix_ms: self.run.due_from_unix_ms(),
            ..user.info.clone()
        }
    }

    fn own(&mut self, site: SiteId) -> &mut Own {
        match user_of(self.eval) {
            Some(user) => user.own.entry(site).or_default(),
            None => {
                self.nobody = None;
                &mut self.nobody
            }
        }
    }

    fn shared(&self, site: SiteId) -> &Shared {
        match self.known() {
            Some(user) if site == super::dynamic::SITE => &user.dynamic,
            _ => self.run.site(site),
        }
    }

    fn sampler_name(&self) -> Option<Rc<str>> {
        self.known()?.sampler_name.clone()
    }

    fn sampler_properties(&mut self) -> Result<Vec<(String, String)>, Fault> {
        let user = self.known();
        Ok(user.map(|user| user.shown.clone()).unwrap_or_default())
    }

    fn previous(&self) -> Option<&SampleResult> {
        self.known()?.previous.as_deref()
    }

    fn ask(&mut self, action: Action) {
        if let Some(user) = self.user() {
            user.asked = Some(action);
        }
    }

    fn javascript(&mut self, source: &str, bindings: &[(&str, &str)]) -> Result<String, Fault> {
        let script = DynamicScript {
            by: "__javaScript",
            prelude: include_str!("javascript.js"),
            source,
            bindings,
            properties: Rc::new(SeenProperties(self.run.properties.clone())),
        };
        let scripts = self.eval.scripts;
        let result = scripts.dynamic(&script, self.eval);
        result.map_err(|error| fault_of(&error))
    }

    fn remote(&mut self, function: &str, site: SiteId, args: &[String]) -> Result<String, Fault> {
        let scripts = self.eval.scripts;
        let Some(user) = self.user() else {
            return Err(Self::no_user());
        };
        if function != POP {
            let asked = scripts.access().ask(Right::Scripts, function);
            asked.map_err(|refused| Fault::new(refused.to_string()))?;
        }
        let question = AskedCall {
            function: function.to_owned(),
            site,
            args: args.to_vec(),
        };
        match user.memo.ask(question) {
            Some(response) => response.map_err(Fault::Failed),
            None => Err(Fault::Remote),
        }
    }

    fn log(&mut self, text: &str) {
        let text = self.eval.vars.redact(text);
        self.run.log(0, &text);
    }
}

/// JMeter's properties as scripts see them.
struct SeenProperties(Properties);

impl ScriptProperties for SeenProperties {
    fn get(&self, name: &str) -> Option<String> {
        self.0.get(name)
    }

    fn set(&self, name: &str, value: &str) -> Option<String> {
        self.0.set(name, value)
    }

    fn remove(&self, name: &str) -> Option<String> {
        self.0.remove(name)
    }
}

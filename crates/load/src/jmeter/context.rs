//! A user of the engine as leaves and functions of JMeter's see it.

use std::borrow::Cow;
use std::rc::Rc;

use plimsoll_access::{Access, Right};
use plimsoll_elements::{Context, Fault, Own, Properties, SampleResult, Shared, ThreadInfo};
use plimsoll_plan::model::Action;
use plimsoll_plan::program::{Call, Part, SiteId, Template};
use plimsoll_text::{Lang, Message};

use super::memo::Asked;
use super::run::JMeterRun;
use super::user::JMeterUser;
use crate::functions::{EvalContext, EvalError, eval};

/// Says that a value waits for the companion. Nobody is shown it: the engine asks and tries
/// again.
const WAITS: &str = "jmeter-waits";

/// What a user has of JMeter's things.
pub struct JMeterView<'a> {
    /// What is kept for the user.
    pub user: &'a mut JMeterUser,
    /// What is kept for the run.
    pub run: &'a JMeterRun,
}

impl EvalError {
    /// Whether it only says that the companion must be asked first.
    #[must_use]
    pub fn waits(&self) -> bool {
        self.message.id == WAITS
    }

    /// As leaves know failures.
    #[must_use]
    pub fn into_fault(self) -> Fault {
        if self.waits() {
            Fault::Remote
        } else {
            Fault::Failed(plimsoll_text::render(Lang::En, &self.message))
        }
    }
}

impl From<Fault> for EvalError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Remote => Message::new(WAITS).into(),
            Fault::Failed(reason) => Message::new("jmeter-failed").with("reason", reason).into(),
        }
    }
}

/// The site by which a text that must wait is known: that of its first call for the
/// companion.
#[must_use]
pub fn waiting_site(template: &Template) -> Option<SiteId> {
    template.parts.iter().find_map(|part| match part {
        Part::Call(call) => waiting_call(call),
        _ => None,
    })
}

fn waiting_call(call: &Call) -> Option<SiteId> {
    use plimsoll_plan::functions::Function;
    let own = match call.function {
        Function::JMeter(name) => !plimsoll_elements::functions::is_native(name),
        _ => false,
    };
    if own {
        return Some(call.site);
    }
    call.args.iter().find_map(waiting_site)
}

/// Computes a function of JMeter's. One that says it has no value gives nothing, and the log
/// says why; any other exception ends the package at work (JMeter 5.6.3,
/// `CompoundVariable.execute`, `JMeterThread.processSampler`).
pub(crate) fn call(call: &Call, ctx: &mut EvalContext<'_>) -> Result<String, EvalError> {
    let number = match &mut ctx.jmeter {
        Some(view) if view.user.memo.on => match view.user.memo.call_begins() {
            Ok(value) => return Ok(value),
            Err(number) => Some(number),
        },
        _ => None,
    };
    let value = match plimsoll_elements::functions::call(call, ctx) {
        Ok(value) => value,
        Err(Fault::Remote) => return Err(Fault::Remote.into()),
        Err(Fault::Failed(reason)) => {
            let has_none = reason.starts_with(plimsoll_elements::functions::NO_VALUE);
            if let Some(view) = &mut ctx.jmeter
                && view.user.at_work
                && !has_none
            {
                // The innermost says why.
                view.user.thrown.get_or_insert_with(|| reason.clone());
                return Err(Fault::Failed(reason).into());
            }
            ctx.log(&format!("{}: {reason}", call.raw));
            String::new()
        }
    };
    if let (Some(number), Some(view)) = (number, &mut ctx.jmeter) {
        view.user.memo.call_ends(number, &value);
    }
    Ok(value)
}

impl EvalContext<'_> {
    /// Work begins that may be done again: values of calls are kept.
    pub(crate) fn begin_memo(&mut self) {
        if let Some(view) = &mut self.jmeter {
            view.user.memo.begin();
        }
    }

    /// What has no user: values made before the run.
    fn no_user() -> Fault {
        Fault::new("there is no user yet")
    }
}

impl Context for EvalContext<'_> {
    fn text<'t>(&mut self, template: &'t Template) -> Result<Cow<'t, str>, Fault> {
        if let Some(text) = template.as_text() {
            return Ok(Cow::Borrowed(text));
        }
        if let Some(view) = &self.jmeter
            && view.user.memo.has_texts()
            && let Some(known) = waiting_site(template).and_then(|site| view.user.memo.text(site))
        {
            return Ok(Cow::Owned(known.to_owned()));
        }
        let mut text = String::new();
        eval(template, self, &mut text).map_err(EvalError::into_fault)?;
        Ok(Cow::Owned(text))
    }

    fn evaluate(&mut self, text: &str) -> Result<String, Fault> {
        super::dynamic::evaluate(text, self)
    }

    fn get(&self, name: &str) -> Option<Rc<str>> {
        self.vars.get_by_name(name).cloned()
    }

    fn set(&mut self, name: &str, value: &str) {
        self.vars.set_by_name(name, value);
    }

    fn remove(&mut self, name: &str) {
        self.vars.unset_by_name(name);
    }

    fn set_null(&mut self, name: &str) {
        self.vars.set_null_by_name(name);
    }

    fn nulls(&self) -> Vec<String> {
        self.vars.nulls().map(str::to_owned).collect()
    }

    fn names(&self) -> Vec<String> {
        self.vars.names_set().map(str::to_owned).collect()
    }

    fn access(&self) -> &Access {
        self.scripts.access()
    }

    fn properties(&self) -> &Properties {
        static NONE: std::sync::OnceLock<Properties> = std::sync::OnceLock::new();
        match &self.jmeter {
            Some(view) => &view.run.properties,
            None => NONE.get_or_init(Properties::default),
        }
    }

    fn random_bits(&mut self) -> u64 {
        self.rng.bits()
    }

    fn unix_ms(&self) -> u64 {
        (self.unix_ns)() / 1_000_000
    }

    fn thread(&self) -> ThreadInfo {
        let Some(view) = &self.jmeter else {
            return ThreadInfo::default();
        };
        let (group_threads, all_threads) = view.run.users(view.user.scenario);
        ThreadInfo {
            group_threads,
            all_threads,
            run_start_unix_ms: view.run.start_unix_ms(),
            due_from_unix_ms: view.run.due_from_unix_ms(),
            ..view.user.info.clone()
        }
    }

    fn own(&mut self, site: SiteId) -> &mut Own {
        match &mut self.jmeter {
            Some(view) => view.user.own.entry(site).or_default(),
            None => {
                self.nobody = None;
                &mut self.nobody
            }
        }
    }

    fn shared(&self, site: SiteId) -> &Shared {
        static NONE: Shared = Shared::new();
        match &self.jmeter {
            Some(view) if site == super::dynamic::SITE => &view.user.dynamic,
            Some(view) => view.run.site(site),
            None => &NONE,
        }
    }

    fn sampler_name(&self) -> Option<Rc<str>> {
        self.jmeter.as_ref()?.user.sampler_name.clone()
    }

    fn sampler_properties(&mut self) -> Result<Vec<(String, String)>, Fault> {
        let view = self.jmeter.as_ref();
        Ok(view.map(|it| it.user.shown.clone()).unwrap_or_default())
    }

    fn previous(&self) -> Option<&SampleResult> {
        self.jmeter.as_ref()?.user.previous.as_deref()
    }

    fn ask(&mut self, action: Action) {
        if let Some(view) = &mut self.jmeter {
            view.user.asked = Some(action);
        }
    }

    fn javascript(&mut self, source: &str, bindings: &[(&str, &str)]) -> Result<String, Fault> {
        let scripts = self.scripts;
        let result = scripts.javascript(source, bindings, self);
        result.map_err(EvalError::into_fault)
    }

    fn remote(&mut self, function: &str, site: SiteId, args: &[String]) -> Result<String, Fault> {
        let Some(view) = &mut self.jmeter else {
            return Err(Self::no_user());
        };
        let asked = self.scripts.access().ask(Right::Scripts, function);
        asked.map_err(|refused| Fault::new(refused.to_string()))?;
        let question = Asked {
            function: function.to_owned(),
            site,
            args: args.to_vec(),
        };
        match view.user.memo.ask(question) {
            Some(response) => response.map_err(Fault::Failed),
            None => Err(Fault::Remote),
        }
    }

    fn log(&mut self, text: &str) {
        let text = self.vars.redact(text);
        if let Some(view) = &self.jmeter {
            view.run.log(0, &text);
        }
    }
}

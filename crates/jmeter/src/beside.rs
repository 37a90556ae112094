//! The companion of a run: started when something needs it, told of the test, ended.

use plimsoll_companion::{Companion, CompanionOptions, Site, TestStart, find};
use plimsoll_elements::Evaluated;
use plimsoll_plan::model::Span;
use plimsoll_plan::program::Program;
use plimsoll_text::Message;

use super::context::{ElementContext, error_of, user_of};
use super::memo::AskedCall;
use super::run::{Beside, JMeterRun};
use plimsoll_load::kit::extract::BindError;
use plimsoll_load::kit::functions::{EvalContext, OnceValues};

/// Elements of which JMeter reads nothing when the test starts, so that functions in their
/// fields are not evaluated then: no beans, and none that looks at its fields by itself.
const UNREAD_AT_START: [&str; 14] = [
    "BeanShellAssertion",
    "BeanShellSampler",
    "FTPSampler",
    "HTMLAssertion",
    "JMSSampler",
    "JUnitSampler",
    "LDAPExtSampler",
    "LDAPSampler",
    "MailReaderSampler",
    "PublisherSampler",
    "SMIMEAssertionTestElement",
    "SmtpSampler",
    "SubscriberSampler",
    "XMLSchemaAssertion",
];

impl JMeterRun {
    /// Starts the companion, if the program needs it.
    ///
    /// # Errors
    /// Why it cannot be started.
    pub(crate) fn start_companion(&self, program: &Program) -> Result<(), Vec<BindError>> {
        let options = &self.options;
        if !self.bound.needs_companion {
            return Ok(());
        }
        let first = self.bound.remote.iter().next();
        let at = first.map(|id| program.elements[id.0 as usize].at);
        let started = find().and_then(|installed| {
            Companion::start(CompanionOptions {
                plan_file: options.plan_file.clone(),
                plan_folder: self.plan_folder.clone(),
                system: options.system.clone(),
                ..CompanionOptions::new(installed, self.properties.clone(), self.access.clone())
            })
        });
        let companion = started.map_err(|error| {
            vec![BindError {
                at: at.unwrap_or_default(),
                message: error.message(),
            }]
        })?;
        // Once a run.
        let _ = self.starting.set(companion);
        Ok(())
    }

    /// Tells the companion that the test begins.
    ///
    /// # Errors
    /// When it cannot.
    pub(crate) fn begin_companion(
        &self,
        program: &Program,
        once: &OnceValues,
    ) -> Result<(), Vec<BindError>> {
        let Some(companion) = self.starting.get() else {
            return Ok(());
        };
        let remote = self.prepared.get();
        let remote = remote.map_or(&[][..], |prepared| &prepared.remote);
        let sites = self.bound.remote.iter().zip(remote);
        let sites = sites.map(|(id, element)| Site {
            site: program.elements[id.0 as usize].site,
            element,
        });
        let test = TestStart {
            elements: sites.collect(),
            variables: once.named(program),
        };
        let begun = companion.begin(&test).map_err(|error| {
            vec![BindError {
                at: Span::default(),
                message: error.message(),
            }]
        });
        let variables = begun?;
        // Once a run.
        let _ = self.companion.set(Beside {
            companion: companion.clone(),
            variables,
        });
        Ok(())
    }

    /// Ends the companion's part of the test; what went wrong.
    pub(crate) fn end_companion(&self) -> Option<Message> {
        let companion = self.starting.get()?;
        let ended = companion.end();
        self.pass_on_log();
        ended.err().map(|error| error.message())
    }

    /// Passes on what the companion wrote: what scripts print, warnings and errors.
    pub(crate) fn pass_on_log(&self) {
        let Some(companion) = self.starting.get() else {
            return;
        };
        for line in companion.take_log() {
            if matches!(line.level.as_str(), "" | "WARN" | "ERROR") {
                self.log(0, &line.text);
            }
        }
    }

    /// Asks the companion, where waiting blocks nobody, for what the last try waited for; `false`:
    /// it waited for nothing.
    pub(crate) fn ask_now(&self, ctx: &mut EvalContext<'_>) -> bool {
        let question = user_of(ctx).and_then(|user| user.memo.asked.take());
        let Some(question) = question else {
            return false;
        };
        let response = self.response_to(&question, ctx);
        if let Some(user) = user_of(ctx) {
            user.memo.responded(question, response);
        }
        true
    }

    fn response_to(&self, question: &AskedCall, ctx: &EvalContext<'_>) -> Result<String, String> {
        use plimsoll_companion::{CallMoment, CompanionSession, CompanionUser, Work, WorkOutcome};
        let Some(companion) = self.starting.get() else {
            return Err("there is no JVM companion".to_owned());
        };
        let work = Work::Function {
            name: &question.function,
            site: question.site,
            args: &question.args,
        };
        let variables = |tell: &mut dyn FnMut(&str, &str)| ctx.vars.each(tell);
        let moment = CallMoment {
            variables: Some(&variables),
            ..CallMoment::default()
        };
        let mut session = CompanionSession::new(companion, CompanionUser::default());
        let pending = session.call(&work, &moment);
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let returned = runtime
            .map_err(|error| error.to_string())?
            .block_on(pending);
        match returned.map(|returned| returned.outcome) {
            Ok(WorkOutcome::Text(text)) => Ok(text),
            Ok(WorkOutcome::Failed(reason)) => Err(reason),
            Ok(_) => Ok(String::new()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Elements of the companion's with the texts that they have before the run.
    pub(crate) fn remote_before_the_run(
        &self,
        program: &Program,
        ctx: &mut EvalContext<'_>,
    ) -> Vec<Evaluated> {
        let evaluated = self.bound.remote.iter().map(|id| {
            let element = &program.elements[id.0 as usize];
            if UNREAD_AT_START.contains(&element.class.as_str()) {
                return Evaluated::as_written(element);
            }
            let work = |ctx: &mut EvalContext<'_>| {
                Evaluated::of(element, &mut ElementContext::new(ctx, self)).map_err(error_of)
            };
            ctx.resolve(work).unwrap_or_default()
        });
        evaluated.collect()
    }
}

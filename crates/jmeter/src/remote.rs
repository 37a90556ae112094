//! What the JVM companion does for a user. A call never blocks the load thread: what it needs
//! is sent at once, and the user waits for the response.

use std::rc::Rc;

use plimsoll_companion::{CallMoment, CallResult, CompanionSession, Site, Work, WorkOutcome};
use plimsoll_elements::evaluated::as_written;
use plimsoll_elements::functions::fifo;
use plimsoll_elements::{AssertionResult, Evaluated, Fault, SampleResult};
use plimsoll_plan::compile::host_properties;
use plimsoll_plan::program::{ElementId, SiteId};
use plimsoll_stats::ErrorKind;

use super::bound::BoundPackage;
use super::changed::Changed;
use super::jdbc::host_not_allowed;
use super::memo::AskedCall;
use super::sampled::{SampleTimes, Sampled};
use super::sampler_properties;
use crate::context::ElementContext;
use crate::element_user::ElementUser;
use plimsoll_load::kit::user::Cut;

/// What is said where the companion would be needed.
const NOT_HERE: &str = "there is no JVM companion";

/// A sampler and its configuration, with their texts computed.
#[derive(Default)]
struct AtWork {
    sampler: Option<(SiteId, Evaluated)>,
    configs: Vec<(SiteId, Evaluated)>,
}

impl AtWork {
    /// The sampler, then its configuration.
    fn all(&self) -> Vec<(SiteId, Evaluated)> {
        self.sampler.iter().chain(&self.configs).cloned().collect()
    }
}

impl ElementUser<'_> {
    /// Asks the companion for the value that a text waits for.
    pub(crate) async fn ask_companion(&mut self) {
        let Some(question) = self.jm().memo.asked.take() else {
            return;
        };
        let response = match question.args.as_slice() {
            [queue] if question.function == fifo::POP => {
                let timeout_s = self.usual_timeout_s();
                let text = Box::pin(self.pop(queue, timeout_s)).await;
                Ok(fifo::popped(text))
            }
            _ => self.remote_function(&question).await,
        };
        self.jm().memo.responded(question, response);
    }

    async fn remote_function(&mut self, question: &AskedCall) -> Result<String, String> {
        let at_work = if question.args.iter().any(|arg| mentions_sampler(arg)) {
            self.at_work_as_written()
        } else {
            AtWork::default()
        };
        let work = Work::Function {
            name: &question.function,
            site: question.site,
            args: &question.args,
        };
        let returned = self.call(&work, None, &at_work).await;
        match returned.map(|returned| returned.outcome) {
            Ok(WorkOutcome::Text(text)) => Ok(text),
            Ok(WorkOutcome::Failed(reason)) => Err(reason),
            Ok(_) => Ok(String::new()),
            Err(fault) => Err(fault.to_string()),
        }
    }

    /// Calls the companion and takes over what it changed of the user, but not of results.
    async fn call(
        &mut self,
        work: &Work<'_>,
        sample: Option<&SampleResult>,
        at_work: &AtWork,
    ) -> Result<CallResult, Fault> {
        let thread = Rc::clone(&self.thread);
        let Some(beside) = thread.jmeter.companion.get() else {
            return Err(Fault::new(NOT_HERE));
        };
        let (group_threads, all_threads) = thread.jmeter.users(self.scenario.index);
        let mut session = match self.jm().session.take() {
            Some(session) => session,
            None => CompanionSession::new(&beside.companion, self.companion_user()),
        };
        let configs: Vec<Site<'_>> = at_work.configs.iter().map(as_site).collect();
        let pending = {
            let user = self.known();
            let previous = sample.or(user.and_then(|user| user.previous.as_deref()));
            let variables = |tell: &mut dyn FnMut(&str, &str)| self.vars.each(tell);
            let moment = CallMoment {
                iteration: self.iteration + 1,
                group_threads,
                all_threads,
                end_unix_ms: user.and_then(|user| user.info.end_unix_ms),
                variables: Some(&variables),
                previous,
                sampler: at_work.sampler.as_ref().map(as_site),
                configs: &configs,
            };
            session.call(work, &moment)
        };
        let response = pending.await;
        self.jm().session = Some(session);
        let mut returned = response.map_err(|error| {
            let message = plimsoll_text::render(plimsoll_text::Lang::En, &error.message());
            Fault::Failed(message)
        })?;
        for (name, value) in std::mem::take(&mut returned.variables) {
            match value {
                Some(value) => self.vars.set_by_name(&name, value),
                None => {
                    self.vars.unset_by_name(&name);
                }
            }
        }
        for action in &returned.actions {
            self.jm().asked = Some(*action);
        }
        if let Some(sampler) = returned.sampler.take() {
            let was = match self.jm().changed_sampler.take() {
                Some(before) => before.was,
                None => at_work.all(),
            };
            self.jm().http.take_cookies(&at_work.configs, &sampler);
            self.jm().changed_sampler = Some(Changed { was, now: sampler });
        }
        Ok(returned)
    }

    fn companion_user(&mut self) -> plimsoll_companion::CompanionUser {
        let same_user = self.scenario.program.same_user_each_iteration;
        let info = &self.jm().info;
        plimsoll_companion::CompanionUser {
            thread_name: info.name.to_string(),
            group: info.group.to_string(),
            number: info.number,
            group_size: info.group_size,
            same_user,
        }
    }

    /// The sampler at work and its configuration for a function, which may be part of them:
    /// calls for the companion stay as they are written.
    fn at_work_as_written(&mut self) -> AtWork {
        let thread = Rc::clone(&self.thread);
        let Some(id) = self.jm().package else {
            return AtWork::default();
        };
        let package = &thread.jmeter.packages()[id.0 as usize];
        let mut all = Vec::new();
        for id in package.sampler_id.iter().chain(&package.configs) {
            let waiting = thread.jmeter.bound.waiting.get(id).into_iter().flatten();
            let sites: Vec<_> = waiting
                .filter_map(|text| Some((super::needs::waiting_site(text)?, as_written(text))))
                .filter(|(site, _)| self.jm().memo.text(*site).is_none())
                .collect();
            for (site, text) in &sites {
                self.jm().memo.keep_text(*site, text.clone());
            }
            let element = &thread.program.elements[id.0 as usize];
            if let Ok(evaluated) = self.evaluate(|cx| Evaluated::of(element, cx)) {
                all.push((element.site, evaluated));
            }
            for (site, _) in &sites {
                self.jm().memo.forget_text(*site);
            }
        }
        let mut all = all.into_iter();
        let sampler = package.sampler_id.and_then(|_| all.next());
        AtWork {
            sampler,
            configs: all.collect(),
        }
    }

    /// The properties of the sampler at work as texts.
    pub(crate) async fn shown_sampler(&mut self) -> Vec<(String, String)> {
        let AtWork { sampler, configs } = self.at_work().await;
        let configs: Vec<Evaluated> = configs.into_iter().map(|(_, config)| config).collect();
        let shown =
            |(_, sampler): (SiteId, Evaluated)| sampler_properties::shown(&sampler, &configs);
        sampler.map(shown).unwrap_or_default()
    }

    /// The sampler at work and its configuration.
    async fn at_work(&mut self) -> AtWork {
        let thread = Rc::clone(&self.thread);
        let Some(id) = self.jm().package else {
            return AtWork::default();
        };
        let package = &thread.jmeter.packages()[id.0 as usize];
        if let Some(changed) = &self.jm().changed_sampler {
            // As it was sent before: the companion keeps what scripts have changed of it.
            let mut was = changed.was.iter().cloned();
            return AtWork {
                sampler: was.next(),
                configs: was.collect(),
            };
        }
        let mut at_work = AtWork::default();
        if let Some(id) = package.sampler_id {
            at_work.sampler = self.evaluated(id).await;
        }
        for id in &package.configs {
            at_work.configs.extend(self.evaluated(*id).await);
        }
        for (site, config) in &mut at_work.configs {
            self.jm().http.show_cookies(*site, config);
        }
        at_work
    }

    /// An element with its texts computed, and its place.
    async fn evaluated(&mut self, id: ElementId) -> Option<(SiteId, Evaluated)> {
        let thread = Rc::clone(&self.thread);
        let element = &thread.program.elements[id.0 as usize];
        let left = self.jm().http.left(element.site).cloned();
        let now = left.as_ref().unwrap_or(element);
        let work = |cx: &mut ElementContext<'_, '_>| Evaluated::of(now, cx);
        match self.leaf(id, work).await {
            Ok(evaluated) => Some((element.site, evaluated)),
            Err(fault) => {
                self.log_fault(id, Err(fault));
                None
            }
        }
    }

    /// Lets the companion work as an element of the plan.
    async fn remote(
        &mut self,
        id: ElementId,
        sample: Option<&SampleResult>,
        role: RemoteRole,
    ) -> Result<CallResult, Fault> {
        let Some((site, element)) = self.evaluated(id).await else {
            return Err(Fault::new("its properties cannot be computed"));
        };
        let at_work = if looks_at_sampler(&element) {
            self.at_work().await
        } else {
            AtWork::default()
        };
        let element = &element;
        let work = role.work(Site { site, element });
        let returned = self.call(&work, sample, &at_work).await?;
        match &returned.outcome {
            WorkOutcome::Failed(reason) => Err(Fault::new(reason.as_str())),
            _ => Ok(returned),
        }
    }

    /// A pre-processor of the companion's.
    pub(crate) async fn remote_pre(&mut self, id: ElementId) -> Result<(), Fault> {
        self.remote(id, None, RemoteRole::Pre).await.map(|_| ())
    }

    /// An element of the companion's whose scope is entered.
    pub(crate) async fn remote_pass(&mut self, id: ElementId) -> Result<(), Fault> {
        self.remote(id, None, RemoteRole::Pass).await.map(|_| ())
    }

    /// A post-processor of the companion's.
    pub(crate) async fn remote_post(
        &mut self,
        id: ElementId,
        sample: &mut SampleResult,
    ) -> Result<(), Fault> {
        let returned = self.remote(id, Some(sample), RemoteRole::Post).await?;
        if let Some(changes) = returned.result {
            changes.apply(sample);
        }
        Ok(())
    }

    /// A timer of the companion's.
    pub(crate) async fn remote_timer(&mut self, id: ElementId) -> Result<u64, Fault> {
        let returned = self.remote(id, None, RemoteRole::Timer).await?;
        Ok(match returned.outcome {
            WorkOutcome::DelayMs(delay_ms) => delay_ms,
            _ => 0,
        })
    }

    /// An assertion of the companion's.
    pub(crate) async fn remote_assertion(&mut self, id: ElementId, sample: &mut SampleResult) {
        match self.remote(id, Some(sample), RemoteRole::Assertion).await {
            Ok(returned) => {
                if let Some(changes) = returned.result {
                    changes.apply(sample);
                }
            }
            Err(fault) => {
                sample.success = false;
                sample.assertions.push(AssertionResult {
                    name: "Assertion failed! See log file.".to_owned(),
                    error: true,
                    message: Some(fault.to_string()),
                    ..AssertionResult::default()
                });
            }
        }
    }

    /// A listener of the companion's.
    pub(crate) async fn remote_listener(&mut self, id: ElementId, sample: &mut SampleResult) {
        match self.remote(id, Some(sample), RemoteRole::Listener).await {
            Ok(returned) => {
                if let Some(changes) = returned.result {
                    changes.apply(sample);
                }
            }
            Err(fault) => self.log_fault(id, Err(fault)),
        }
    }

    /// The server of a sampler that may not be reached, as far as its class is known to name one.
    fn forbidden_server(&self, at_work: &AtWork) -> Option<String> {
        let all = at_work.sampler.iter().chain(&at_work.configs);
        let servers = all.flat_map(|(_, element)| {
            let names = host_properties(&element.class).iter();
            names.map(|name| element.text(name))
        });
        let mut servers = servers.filter(|server| !server.trim().is_empty());
        let found = servers.find(|server| !self.thread.hosts.allows_address(server));
        found.map(str::to_owned)
    }

    /// A sampler of the companion's.
    pub(crate) async fn remote_sample(
        &mut self,
        package: &BoundPackage,
        label: &str,
    ) -> Result<Option<Sampled>, Cut> {
        let _ = package;
        let at_work = self.at_work().await;
        let start_ns = self.thread.clock.now_ns();
        if let Some(server) = self.forbidden_server(&at_work) {
            return Ok(Some(not_allowed(label, &server, start_ns)));
        }
        let returned = self.call(&Work::Sample, None, &at_work).await;
        let end_ns = self.thread.clock.now_ns();
        let outcome = match returned {
            Ok(returned) => returned.outcome,
            Err(fault) => WorkOutcome::Failed(fault.to_string()),
        };
        let named = at_work.sampler.as_ref().map(|(_, sampler)| &sampler.name);
        let result = match outcome {
            WorkOutcome::Sample(Some(mut result)) => {
                // JMeter computes the label before all else that has the sampler's name.
                if named.is_some_and(|name| *name == result.label) {
                    label.clone_into(&mut result.label);
                }
                *result
            }
            WorkOutcome::Failed(reason) => {
                // JMeter logs it and makes no sample.
                let text = self.vars.redact(&format!("{label}: {reason}"));
                self.thread.jmeter.log(start_ns, &text);
                return Ok(None);
            }
            _ => return Ok(None),
        };
        Ok(Some(self.remote_times(result, start_ns, end_ns)))
    }

    /// The times of a sample that Java took: its own milliseconds, or, for samples that began
    /// and ended with the call, the engine's nanoseconds.
    fn remote_times(&self, mut result: SampleResult, start_ns: u64, end_ns: u64) -> Sampled {
        let ms = |ns: u64| self.thread.clock.unix_ns(ns) / 1_000_000;
        if result.end_unix_ms == 0 && result.elapsed_ms == 0 {
            result.start_unix_ms = ms(start_ns);
            result.end_unix_ms = ms(end_ns);
            result.elapsed_ms = ms(end_ns).saturating_sub(ms(start_ns));
        }
        let mut times = SampleTimes::of(&result, self.thread.clock);
        // The two clocks are read apart; a sample is never outside of its call.
        let took_ns = times.end_ns.saturating_sub(times.start_ns);
        if times.start_ns < start_ns || times.end_ns > end_ns {
            let shift = |at_ns: u64| at_ns.saturating_sub(times.start_ns) + start_ns;
            times = SampleTimes {
                first_byte_ns: match times.first_byte_ns {
                    0 => 0,
                    at_ns => shift(at_ns),
                },
                end_ns: start_ns + took_ns,
                start_ns,
                ..times
            };
        }
        Sampled::new(result, times)
    }
}

/// What an element does.
#[derive(Clone, Copy)]
enum RemoteRole {
    Pre,
    Pass,
    Post,
    Timer,
    Assertion,
    Listener,
}

impl RemoteRole {
    fn work(self, site: Site<'_>) -> Work<'_> {
        match self {
            Self::Pre => Work::Pre(site),
            Self::Pass => Work::Pass(site),
            Self::Post => Work::Post(site),
            Self::Timer => Work::Timer(site),
            Self::Assertion => Work::Assertion(site),
            Self::Listener => Work::Listener(site),
        }
    }
}

fn as_site((site, element): &(SiteId, Evaluated)) -> Site<'_> {
    Site {
        site: *site,
        element,
    }
}

/// Whether a script may look at the sampler.
fn mentions_sampler(script: &str) -> bool {
    script.contains("sampler") || script.contains("ctx")
}

/// Whether an element may look at the sampler at work: scripts that speak of it, and all that
/// are no scripts.
fn looks_at_sampler(element: &Evaluated) -> bool {
    let scripts = [
        "script",
        "BeanShellPreProcessor.query",
        "BeanShellPostProcessor.query",
    ];
    let texts = scripts.map(|name| element.text(name));
    let is_script = texts.iter().any(|text| !text.is_empty());
    !is_script || texts.into_iter().any(mentions_sampler)
}

/// The sample of a server that may not be reached.
fn not_allowed(label: &str, server: &str, at_ns: u64) -> Sampled {
    let mut result = SampleResult::new(label);
    result.message = host_not_allowed(server);
    let times = SampleTimes {
        start_ns: at_ns,
        end_ns: at_ns,
        error: Some(ErrorKind::HostNotAllowed),
        ..SampleTimes::default()
    };
    Sampled::new(result, times)
}

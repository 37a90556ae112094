//! What of JMeter's is started before a run and ended after it: the companion, the
//! listeners.

use std::net::SocketAddr;
use std::sync::{Arc, PoisonError};

use plimsoll_access::Access;
use plimsoll_elements::listeners::{
    HostCheck, HostRule, LISTENERS, Listener, Surroundings, is_loopback,
};
use plimsoll_elements::{Evaluated, Properties};
use plimsoll_plan::model::Span;
use plimsoll_plan::program::{ElementProgram, Program};
use plimsoll_text::Message;

use super::context::{ElementContext, error_of};
use super::http::keystore::KeystoreSettings;
use super::listeners::Listeners;
use super::needs::Needs;
use super::run::{JMeterRun, PreparedElements};
use super::table_server::TableServer;
use plimsoll_load::engine::hosts::Hosts;
use plimsoll_load::kit::extract::BindError;
use plimsoll_load::kit::functions::EvalContext;

impl JMeterRun {
    /// Evaluates what is the same for the whole run: listeners, keystores, the companion's
    /// elements.
    ///
    /// # Errors
    /// What has no value, and certificates that cannot be used.
    pub(crate) fn prepare(
        &self,
        program: &Program,
        ctx: &mut EvalContext<'_>,
    ) -> Result<(), Vec<BindError>> {
        let mut evaluated = |element: &ElementProgram| {
            let found = ctx.resolve(|ctx| {
                Evaluated::of(element, &mut ElementContext::new(ctx, self)).map_err(error_of)
            });
            found.map_err(|error| {
                vec![BindError {
                    at: element.at,
                    message: *error.message,
                }]
            })
        };
        let ids = self.bound.listeners.iter();
        let listeners = ids.map(|id| evaluated(&program.elements[id.0 as usize]));
        let listeners = listeners.collect::<Result<_, _>>()?;
        let elements = program.elements.iter();
        let keystores = elements
            .filter(|element| element.class == "KeystoreConfig")
            .map(|element| evaluated(element).map(|found| (element.at, found)));
        let keystores = keystores.collect::<Result<Vec<_>, _>>()?;
        self.read_keys(&keystores).map_err(|error| vec![error])?;
        let remote = self.remote_before_the_run(program, ctx);
        // Once a run.
        let _ = self.prepared.set(PreparedElements { listeners, remote });
        Ok(())
    }

    /// Reads the client certificates; `configs` are the plan's Keystore Configurations with
    /// their places.
    ///
    /// # Errors
    /// Why they cannot be used.
    pub(crate) fn read_keys(&self, configs: &[(Span, Evaluated)]) -> Result<(), BindError> {
        let at = configs.last().map(|(at, _)| *at).unwrap_or_default();
        let mistake = |message| BindError { at, message };
        let configs: Vec<Evaluated> = configs.iter().map(|(_, config)| config.clone()).collect();
        let settings = KeystoreSettings::of(&self.options.system, &configs, &self.properties)
            .map_err(mistake)?;
        let keys = settings
            .map(|settings| settings.keys(&self.access))
            .transpose();
        // Once a run.
        let _ = self.client_keys.set(keys.map_err(mistake)?.map(Arc::new));
        Ok(())
    }

    /// What should be known of the run as it begins.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = &Message> {
        let keys = self.client_keys.get().and_then(Option::as_ref);
        keys.into_iter().flat_map(|keys| &keys.warnings)
    }

    /// Makes the listeners, of the plan (in their order) and beside it, binds the
    /// packages by what they want, and by what is wanted of all results (`least`), and starts
    /// their thread.
    ///
    /// # Errors
    /// What is wrong with listeners or packages.
    pub(crate) fn start_listeners(
        &self,
        program: &Program,
        hosts: &Arc<Hosts>,
        least: Needs,
    ) -> Result<(), Vec<BindError>> {
        let (own, options) = (self.prepared.get(), &self.options);
        let own = own.map_or(&[][..], |prepared| &prepared.listeners);
        let surroundings = self.surroundings(program, hosts);
        // Whoever runs the plan here wants them.
        let mut beside = surroundings.clone();
        beside.access = Access::of_user();
        let places = self.bound.listeners.iter();
        let places = places.map(|id| program.elements[id.0 as usize].at);
        let places = places.chain(std::iter::repeat(Span::default()));
        let (mut made, mut mistakes) = (Vec::new(), Vec::new());
        let own = own.iter().map(|element| (element, &surroundings));
        let more = options.listeners.iter().map(|element| (element, &beside));
        for ((element, surroundings), at) in own.chain(more).zip(places) {
            match make(element, surroundings) {
                Ok(listener) => made.push(listener),
                Err(message) => mistakes.push(BindError { at, message }),
            }
        }
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        let wants = |listener: &Option<Box<dyn Listener>>| match listener {
            Some(listener) => listener.wants().into(),
            None => Needs::default(),
        };
        let wants: Vec<Needs> = made.iter().map(wants).collect();
        self.bind_packages(program, &wants, least)?;
        let namer = |listener: &Option<Box<dyn Listener>>| listener.as_ref()?.namer();
        // They are made once.
        let _ = self.namers.set(made.iter().map(namer).collect());
        if made.iter().any(Option::is_some) {
            let started = Listeners::start(made).map_err(|error| {
                let message = Message::new("jmeter-listeners-start");
                vec![BindError {
                    at: Span::default(),
                    message: message.with("reason", error.to_string()),
                }]
            })?;
            *self.lock_listeners() = Some(started);
        }
        Ok(())
    }

    /// Starts the Simple Table Server, if the properties ask for it: on one of several load hosts, since each line
    /// is to be taken once.
    ///
    /// # Errors
    /// When it cannot listen.
    pub(crate) fn start_table_server(&self) -> Result<(), Vec<BindError>> {
        let folders = (&*self.options.folder, &*self.plan_folder);
        let property = |name: &str| {
            let system = self.options.system.iter().rev();
            let system = || system.into_iter().find(|(known, _)| known == name);
            let set = self.properties.get(name);
            set.or_else(|| system().map(|(_, value)| value.clone()))
        };
        let started = TableServer::start(&property, &self.access, folders);
        let started = started.map_err(|message| {
            let at = Span::default();
            vec![BindError { at, message }]
        })?;
        *self
            .table_server
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = started;
        Ok(())
    }

    fn surroundings(&self, program: &Program, hosts: &Arc<Hosts>) -> Surroundings {
        let options = &self.options;
        let mut surroundings = Surroundings::default();
        surroundings.access = self.access.clone();
        surroundings.properties = Properties::clone(&self.properties);
        surroundings.folder.clone_from(&options.folder);
        surroundings.plan_folder.clone_from(&self.plan_folder);
        surroundings.host.clone_from(&options.host);
        surroundings.output = options.output.clone();
        surroundings.readings = options.readings.clone();
        surroundings.threads = self.thread_counts();
        surroundings.functional_mode = program.functional;
        surroundings.hosts = HostCheck::new(Arc::new(ListenerHosts(Arc::clone(hosts))));
        surroundings
    }

    /// Ends the listeners, the companion and the Simple Table Server; what went wrong with them.
    pub(crate) fn end(&self) -> Vec<Message> {
        let listeners = self.lock_listeners().take();
        let mut messages = listeners.map(Listeners::end).unwrap_or_default();
        messages.extend(self.end_companion());
        let server = self
            .table_server
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        drop(server);
        messages
    }

    fn lock_listeners(&self) -> std::sync::MutexGuard<'_, Option<Listeners>> {
        self.listeners
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

fn make(
    element: &Evaluated,
    surroundings: &Surroundings,
) -> Result<Option<Box<dyn Listener>>, Message> {
    match LISTENERS.iter().find(|(class, _)| *class == element.class) {
        Some((_, make)) => make(element, surroundings),
        None => Ok(None),
    }
}

/// Which hosts a plan's listeners may send to: this one, and those that the plan may load, of all that a list around
/// the plan's has.
struct ListenerHosts(Arc<Hosts>);

impl HostRule for ListenerHosts {
    fn allows(&self, host: &str, port: u16) -> bool {
        let in_plan = match host.contains(':') {
            true => self.0.allows_host(&format!("[{host}]")),
            false => self.0.allows_host(host),
        };
        (is_loopback(host) || in_plan) && self.0.is_within_reach(host, port)
    }

    fn leads(&self, host: &str, to: SocketAddr) -> bool {
        self.0.leads(host, to)
    }
}

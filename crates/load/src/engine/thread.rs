//! What the users of one load thread share.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::task::{Context, Poll, ready};

use plimsoll_access::{Access, Right};
use plimsoll_plan::program::{Op, Program, SharedId};
use plimsoll_text::Message;
use tokio::sync::Notify;
use url::Url;

use super::control::Stopper;
use super::event::Event;
use super::hosts::Hosts;
use super::labels::LabelCache;
use super::prepared::PreparedProgram;
use super::ready::Ready;
use super::starts::Starts;
use crate::bound::BoundRequest;
use crate::clock::{Clock, Nanos};
use crate::data::{DataFiles, Rows};
use crate::driver::connect::Proxy;
use crate::driver::resolve::NameResolver;
use crate::driver::{Ask, Connection, Dialer, Endpoint, EndpointId, Inbox, Received};
use crate::extension::UserCounts;
use crate::extract::BindError;
use crate::failure::Failure;
use crate::functions::{EvalError, InitialValues};
use crate::nap::Nap;
use crate::protocols::http::pool::IdleConnections;
use crate::recorder::Recorder;
use crate::script::Scripts;
use crate::shared::Shared;
use crate::timer::Timers;
use crate::trace::Tracer;
use crate::turn::Turns;
use crate::variables::Names;

/// Requests in flight from which other responses are likely to be there.
const MANY_IN_FLIGHT: u32 = 8;

/// Failures of steps outside requests that one thread tells of.
const MAX_FLOW_ERRORS: u32 = 10;

/// What the users of one load thread share.
pub struct Thread {
    /// The program.
    pub program: Arc<Program>,
    /// What was made of it once for all threads.
    pub prepared: Arc<PreparedProgram>,
    /// Its requests with their expressions compiled, by id.
    pub bound: Vec<BoundRequest>,
    /// The run's clock.
    pub clock: Clock,
    /// The thread's timers.
    pub timers: Rc<Timers>,
    /// The thread's recorder.
    pub recorder: Recorder,
    /// The thread's labels.
    pub labels: LabelCache,
    /// What the plan may do on this host.
    pub access: Access,
    /// Who else hears of users as they come and go.
    counts: Option<Arc<dyn UserCounts>>,
    /// What crosses users and cores.
    pub shared: Arc<dyn Shared>,
    /// The thread's scripts.
    pub scripts: Scripts,
    /// The names of variables.
    pub names: Rc<Names>,
    /// First values of users' variables.
    pub first_values: InitialValues,
    /// Cursors over data files.
    pub rows: HashMap<SharedId, Rows>,
    ready: Arc<Ready>,
    /// Values that setup found, by slot.
    pub initial: Arc<[Option<String>]>,
    /// Seed of the run.
    pub seed: u64,
    /// Seed of the users: that of the run; who takes over a share draws other numbers than its
    /// users had before.
    pub user_seed: u64,
    /// Ends the run.
    pub stopper: Stopper,
    /// Told when the run is to begin no new work.
    pub stopping: Notify,
    /// When work may start.
    pub starts: Starts,
    /// What its connections are opened with.
    pub dialer: Dialer,
    /// Where the bytes of its connections come in.
    pub inbox: RefCell<Inbox>,
    /// Requests are put together here.
    pub write_buffer: RefCell<Vec<u8>>,
    /// Connections that the users of this thread share.
    pub pool: RefCell<HashMap<EndpointId, IdleConnections>>,
    /// Hosts that may be loaded.
    pub hosts: Arc<Hosts>,
    /// Shows requests and responses, when asked.
    pub tracer: Option<Tracer>,
    events: Sender<Event>,
    flow_errors: Cell<u32>,
    remarks: RefCell<Vec<Message>>,
    /// Sleeping through responses at high arrival rates.
    pub nap: Nap,
    /// When its loop came late, and so which reads are timed.
    pub turns: Turns,
    endpoints: RefCell<Vec<Rc<Endpoint>>>,
    /// Where the requests whose bytes never change go, by request, once it was looked up.
    pub fixed_endpoints: Vec<Cell<Option<EndpointId>>>,
    endpoint_ids: RefCell<HashMap<EndpointKey, EndpointId>>,
    resolvers: Vec<Rc<NameResolver>>,
}

type EndpointKey = (u32, bool, Box<str>, u16);

/// What a thread is made of.
pub struct ThreadParts {
    /// See [`Thread`].
    pub program: Arc<Program>,
    /// See [`Thread`].
    pub prepared: Arc<PreparedProgram>,
    /// What was computed and read before the run.
    pub ready: Arc<Ready>,
    /// See [`Thread`].
    pub dialer: Dialer,
    /// See [`Thread`].
    pub timers: Rc<Timers>,
    /// See [`Thread`].
    pub recorder: Recorder,
    /// See [`Thread`].
    pub labels: LabelCache,
    /// See [`Thread`].
    pub shared: Arc<dyn Shared>,
    /// See [`Thread`].
    pub access: Access,
    /// Who else hears of users as they come and go.
    pub counts: Option<Arc<dyn UserCounts>>,
    /// See [`Thread`].
    pub initial: Arc<[Option<String>]>,
    /// See [`Thread`].
    pub seed: u64,
    /// See [`Thread`].
    pub stopper: Stopper,
    /// See [`Thread`].
    pub starts: Starts,
    /// See [`Thread`].
    pub hosts: Arc<Hosts>,
    /// See [`Thread`].
    pub tracer: Option<Tracer>,
    /// See [`Thread`].
    pub turns: Turns,
    /// Where events go.
    pub events: Sender<Event>,
}

impl Thread {
    /// Puts a thread together.
    ///
    /// # Errors
    /// When an expression of the program cannot be compiled.
    pub fn new(parts: ThreadParts) -> Result<Rc<Self>, BindError> {
        let program = parts.program;
        let bound: Result<Vec<_>, _> = program
            .requests
            .iter()
            .map(|request| BoundRequest::new(request))
            .collect();
        let resolvers = program
            .profiles
            .iter()
            .map(|profile| Rc::new(NameResolver::new(&profile.dns, &profile.dns_servers)))
            .collect();
        Ok(Rc::new(Self {
            bound: bound?,
            first_values: InitialValues::new(&program, &parts.ready.once),
            rows: bind_rows(&program, &parts.ready.data)?,
            ready: Arc::clone(&parts.ready),
            scripts: Scripts::bind(&program, &parts.access)?,
            names: Names::of(&program),
            prepared: parts.prepared,
            clock: parts.timers.clock(),
            recorder: parts.recorder,
            labels: parts.labels,
            shared: parts.shared,
            access: parts.access,
            counts: parts.counts,
            initial: parts.initial,
            seed: parts.seed,
            user_seed: parts.seed ^ parts.starts.resumed_ns(),
            stopper: parts.stopper,
            stopping: Notify::new(),
            starts: parts.starts,
            dialer: parts.dialer,
            inbox: RefCell::default(),
            timers: parts.timers,
            write_buffer: RefCell::default(),
            pool: RefCell::default(),
            hosts: parts.hosts,
            tracer: parts.tracer,
            events: parts.events,
            flow_errors: Cell::new(0),
            remarks: RefCell::default(),
            nap: Nap::default(),
            turns: parts.turns,
            endpoints: RefCell::default(),
            fixed_endpoints: program.requests.iter().map(|_| Cell::new(None)).collect(),
            endpoint_ids: RefCell::default(),
            resolvers,
            program,
        }))
    }

    /// Why there are no rows of a cursor, if that ends those who want them.
    #[must_use]
    pub fn missing_rows(&self, id: SharedId) -> Option<EvalError> {
        let message = self.ready.data.missing(id)?;
        Some(message.clone().into())
    }

    /// Lets the other users of this thread take the responses that are there before this one sends.
    /// Sent one after the other, requests find the server awake: to wake an idle CPU costs the
    /// sender more than the request does.
    pub async fn let_others_receive(&self) {
        if self.recorder.in_flight.get() >= MANY_IN_FLIGHT {
            tokio::task::yield_now().await;
        }
    }

    /// The run's data files.
    pub fn data(&self) -> &DataFiles {
        &self.ready.data
    }

    /// Tells of a step that failed outside a request; the first few only.
    pub fn report_flow_error(&self, scenario: &str, error: &EvalError) {
        let before = self
            .flow_errors
            .replace(self.flow_errors.get().saturating_add(1));
        if before < MAX_FLOW_ERRORS {
            let message = Message::new("event-step-failed")
                .with("scenario", scenario)
                .with("reason", (*error.message).clone());
            self.tell(message, true);
        }
    }

    fn tell(&self, message: Message, is_error: bool) {
        // Nobody listens only when the run is over.
        let _ = self.events.send(Event {
            at_ns: self.clock.now_ns(),
            message,
            is_error,
        });
    }

    /// Users end before they did anything, since there are fewer rows than users.
    pub fn tell_of_missing_rows(&self, scenario: &str, rows: usize) {
        let message = Message::new("event-rows-missing")
            .with("scenario", scenario)
            .with("rows", rows);
        self.tell(message, false);
    }

    /// Users of a scenario came or ended: those who wait for others are told.
    pub fn expect_users(&self, scenario: u32, change: i64) {
        self.shared.users(scenario, change);
        if let Some(counts) = &self.counts {
            counts.expect_users(scenario, change);
        }
    }

    /// So many users of a scenario begin or, below 0, end.
    pub fn count_users(&self, scenario: u32, change: i32) {
        if let Some(counts) = &self.counts {
            counts.count_users(scenario, change);
        }
    }

    /// What was due before this time is not made up for: milliseconds since 1970-01-01 UTC.
    pub(super) fn due_from(&self, unix_ms: u64) {
        if let Some(counts) = &self.counts {
            counts.due_from(unix_ms);
        }
    }

    /// Whether the response that is received next carries the kernel's receive time.
    #[inline]
    pub fn next_receive_is_timed(&self) -> bool {
        self.nap.needs_times() || self.turns.times_next()
    }

    /// Reads what is there of a connection, and says when it came.
    ///
    /// # Errors
    /// What the connection says.
    pub fn poll_receive(
        &self,
        cx: &mut Context<'_>,
        connection: &mut Connection,
        inbox: &mut Inbox,
    ) -> Poll<Result<(Received, Nanos), Failure>> {
        let ask = Ask {
            most: usize::MAX,
            timed: self.next_receive_is_timed(),
        };
        let received = ready!(connection.poll_receive(cx, inbox, ask));
        let received = received.map_err(|error| Failure::talking(&error))?;
        let now_ns = self.clock.now_ns();
        self.turns.read(now_ns, received.kernel_lag_ns, 0);
        let Some(lag_ns) = received.kernel_lag_ns else {
            return Poll::Ready(Ok((received, now_ns)));
        };
        self.recorder.receive_lag(lag_ns);
        Poll::Ready(Ok((received, self.nap.true_time(now_ns, lag_ns))))
    }

    /// Tells of something that should be known of the run, once.
    pub fn remark(&self, message: Message) {
        let mut told = self.remarks.borrow_mut();
        if !told.contains(&message) {
            told.push(message.clone());
            self.tell(message, false);
        }
    }

    /// Where requests for this URL go, by the settings of the profile.
    ///
    /// # Errors
    /// What is wrong with the URL, the proxy or the TLS files.
    pub fn endpoint(&self, profile: u32, url: &Url) -> Result<EndpointId, String> {
        let tls = match url.scheme() {
            "http" => false,
            "https" => true,
            other => {
                return Err(format!(
                    "unsupported scheme \"{other}\" (allowed: http, https)"
                ));
            }
        };
        let host = url.host_str().ok_or_else(|| format!("no host in {url}"))?;
        let port = url.port_or_known_default().unwrap_or(80);
        let key = (profile, tls, Box::from(host), port);
        if let Some(id) = self.endpoint_ids.borrow().get(&key) {
            return Ok(*id);
        }
        let id = self.add_endpoint(self.make_endpoint(profile, tls, host, port)?);
        self.endpoint_ids.borrow_mut().insert(key, id);
        Ok(id)
    }

    /// Keeps an endpoint.
    pub fn add_endpoint(&self, endpoint: Endpoint) -> EndpointId {
        let mut endpoints = self.endpoints.borrow_mut();
        let id = EndpointId(u32::try_from(endpoints.len()).unwrap_or(u32::MAX));
        endpoints.push(Rc::new(endpoint));
        id
    }

    fn make_endpoint(
        &self,
        number: u32,
        tls: bool,
        host: &str,
        port: u16,
    ) -> Result<Endpoint, String> {
        let profile = &self.program.profiles[number as usize];
        let fixed = |text: &plimsoll_plan::program::Template| self.plan_level(text);
        let unix_socket = profile.unix_socket.as_ref().map(fixed);
        if let Some(path) = &unix_socket {
            let asked = self.access.ask(Right::Files, path);
            asked.map_err(|refused| refused.to_string())?;
        }
        let proxy = profile
            .proxy
            .as_ref()
            .map(fixed)
            .filter(|address| !address.is_empty());
        Ok(Endpoint {
            host: host.to_owned(),
            port,
            tls: if tls {
                Some(self.prepared.tls(&self.program, number)?)
            } else {
                None
            },
            server_name: profile.tls.server_name.clone(),
            proxy: proxy.map(|address| parse_proxy(&address)).transpose()?,
            unix_socket,
            source_addresses: profile.source_addresses.clone(),
            resolver: Rc::clone(&self.resolvers[number as usize]),
            profile: number,
        })
    }

    /// A template over plan-level variables.
    fn plan_level(&self, template: &plimsoll_plan::program::Template) -> String {
        use plimsoll_plan::program::Part;
        let value = |part: &Part| match part {
            Part::Text(text) => text.to_string(),
            Part::Slot { slot, literal } => {
                let value = self.initial.get(slot.0 as usize).cloned().flatten();
                value.unwrap_or_else(|| literal.to_string())
            }
            Part::Call(_) | Part::Script(_) => String::new(),
        };
        template.parts.iter().map(value).collect()
    }

    /// An endpoint by its id.
    #[must_use]
    pub fn endpoint_of(&self, id: EndpointId) -> Rc<Endpoint> {
        Rc::clone(&self.endpoints.borrow()[id.0 as usize])
    }
}

/// The cursors that the program's scenarios take rows from.
fn bind_rows(program: &Program, data: &DataFiles) -> Result<HashMap<SharedId, Rows>, BindError> {
    let scenarios = program
        .setup
        .iter()
        .chain(&program.scenarios)
        .chain(&program.teardown);
    let mut bound = HashMap::new();
    for op in scenarios.flat_map(|scenario| &scenario.ops) {
        if let Op::NextRow { rows, columns, .. } = op
            && !bound.contains_key(rows)
            && data.missing(*rows).is_none()
            && !data.is_late(*rows)
        {
            bound.insert(*rows, data.bind(*rows, columns)?);
        }
    }
    Ok(bound)
}

fn parse_proxy(address: &str) -> Result<Proxy, String> {
    let with_scheme = if address.contains("://") {
        address.to_owned()
    } else {
        format!("http://{address}")
    };
    let url = Url::parse(&with_scheme).map_err(|error| format!("proxy {address}: {error}"))?;
    if url.scheme() != "http" {
        return Err(format!(
            "proxy: unsupported scheme \"{}\" (allowed: http)",
            url.scheme()
        ));
    }
    let host = url.host_str().ok_or("proxy: no host")?.to_owned();
    let authorization = (!url.username().is_empty())
        .then(|| crate::auth::basic(url.username(), url.password().unwrap_or_default()));
    Ok(Proxy {
        host,
        port: url.port().unwrap_or(80),
        authorization,
    })
}

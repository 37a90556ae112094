//! One connection to the agent: `hello`, then verbs, one response each.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, RandomState};
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout, timeout_at};

use super::places::ConnectionPlace;
use super::session::AgentSession;
use super::state::AgentState;
use super::wire::{
    self, AgentRefusal, AgentRequest, AgentResponse, FrameError, Readings, SourceSpec, VERSION,
    WireText,
};
use super::{limits, own, policy};
use crate::capture::{Asked, Level, known_kind};
use crate::proc::host::hostname;
use crate::source::{Opened, Spec};
use crate::together::named_once;
use crate::watcher::{Watcher, WatcherOptions};

/// Time that a wrong token costs.
const WRONG_TOKEN: Duration = Duration::from_millis(200);

/// A connection, with or without TLS.
pub(super) trait AgentStream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> AgentStream for T {}

/// A refusal on the way to be sent.
struct RefusedOnWay(AgentRefusal, Message);

type Responded = Result<(AgentResponse, Vec<u8>), RefusedOnWay>;

/// Serves a connection to its end.
pub(super) async fn serve(
    state: &Rc<AgentState>,
    place: &ConnectionPlace,
    stream: TcpStream,
    from: SocketAddr,
) {
    // Only makes responses quicker.
    let _ = stream.set_nodelay(true);
    // One deadline until a peer has said who it is: byte by byte it gains nothing.
    let known_by = Instant::now() + limits::FRAME_TIME;
    let ended = match &state.tls {
        None => converse(state, place, stream, from, known_by).await,
        Some(tls) => match timeout_at(known_by, tls.accept(stream)).await {
            Ok(Ok(stream)) => converse(state, place, stream, from, known_by).await,
            Ok(Err(error)) => Err(error.into()),
            Err(_) => Err(FrameError::Slow(limits::FRAME_TIME)),
        },
    };
    if let Err(error) = ended {
        let message = Message::new("agent-connection-broken")
            .with("peer", from.to_string())
            .with("reason", error.to_string());
        (state.tell)(&message);
    }
}

async fn converse(
    state: &Rc<AgentState>,
    place: &ConnectionPlace,
    mut stream: impl AgentStream,
    from: SocketAddr,
    known_by: Instant,
) -> Result<(), FrameError> {
    let time = limits::FRAME_TIME;
    let read = wire::read(&mut stream, limits::HELLO_BYTES, time, time);
    let read = timeout_at(known_by, read).await;
    let Some(body) = read.unwrap_or(Err(FrameError::Slow(time)))? else {
        return Ok(());
    };
    let welcome = hello(state, &body).await.and_then(|response| {
        if place.let_in() {
            return Ok(response);
        }
        let message = Message::new("agent-busy").with("most", limits::CONNECTIONS);
        Err(RefusedOnWay(AgentRefusal::Busy, message))
    });
    match welcome {
        Ok(response) => send(&mut stream, &response, &[]).await?,
        Err(refused) => {
            let message = Message::new("agent-refused")
                .with("peer", from.to_string())
                .with("reason", refused.1.clone());
            (state.tell)(&message);
            return send(&mut stream, &refusal(&refused), &[]).await;
        }
    }
    (state.tell)(&Message::new("agent-connected").with("peer", from.to_string()));
    let idle = limits::CONNECTION_IDLE;
    let mut used = Used::new(state);
    while let Some(body) = wire::read(&mut stream, limits::REQUEST_BYTES, idle, time).await? {
        let received_ns = state.options.clock.unix_ns();
        match response(state, &mut used, &body, from, received_ns).await {
            Ok((mut response, tail)) => {
                stamp(&mut response, state.options.clock.unix_ns());
                send(&mut stream, &response, &tail).await?;
            }
            Err(refused) => send(&mut stream, &refusal(&refused), &[]).await?,
        }
    }
    (state.tell)(&Message::new("agent-disconnected").with("peer", from.to_string()));
    Ok(())
}

/// The sessions that one connection asks for: they are left when it is closed.
struct Used<'a> {
    state: &'a AgentState,
    ids: BTreeSet<String>,
}

impl<'a> Used<'a> {
    fn new(state: &'a AgentState) -> Self {
        Self {
            state,
            ids: BTreeSet::new(),
        }
    }

    /// The session of that number; from now on it is in use.
    fn find(&mut self, id: &str) -> Result<Rc<RefCell<AgentSession>>, RefusedOnWay> {
        let found = self.state.sessions.borrow().get(id).map(Rc::clone);
        let found = found
            .ok_or_else(|| RefusedOnWay(AgentRefusal::Session, Message::new("agent-no-session")))?;
        if self.ids.insert(id.to_owned()) {
            found.borrow_mut().joined();
        }
        Ok(found)
    }

    /// Ends a session.
    fn end(&mut self, id: &str) -> Result<(), RefusedOnWay> {
        self.find(id)?;
        self.ids.remove(id);
        let ended = self.state.sessions.borrow_mut().remove(id);
        drop(ended);
        Ok(())
    }
}

impl Drop for Used<'_> {
    fn drop(&mut self) {
        let sessions = self.state.sessions.borrow();
        for session in self.ids.iter().filter_map(|id| sessions.get(id)) {
            session.borrow_mut().left();
        }
    }
}

/// Puts the time of sending in, as late as may be.
fn stamp(response: &mut AgentResponse, now_ns: u64) {
    if let AgentResponse::Looked { clock, .. } | AgentResponse::Clock(clock) = response {
        clock.sent_ns = now_ns;
    }
}

async fn send(
    stream: &mut impl AgentStream,
    response: &AgentResponse,
    tail: &[u8],
) -> Result<(), FrameError> {
    let frame = wire::encode(response, tail)?;
    wire::write(stream, &frame, limits::WRITE_TIME).await
}

fn refusal(refused: &RefusedOnWay) -> AgentResponse {
    AgentResponse::Refused {
        why: refused.0,
        message: WireText::from(&refused.1),
    }
}

/// Lets a controller in, or not.
async fn hello(state: &AgentState, body: &[u8]) -> Result<AgentResponse, RefusedOnWay> {
    let (version, shown) = match wire::decode::<AgentRequest>(body) {
        Ok((AgentRequest::Hello { version, token }, _)) => (version, token.unwrap_or_default()),
        _ => {
            return Err(RefusedOnWay(
                AgentRefusal::Request,
                Message::new("agent-hello-first"),
            ));
        }
    };
    if version != VERSION {
        let message = Message::new("agent-version")
            .with("theirs", version)
            .with("ours", VERSION);
        return Err(RefusedOnWay(AgentRefusal::Version, message));
    }
    if state
        .options
        .token
        .as_ref()
        .is_some_and(|token| !token.is(&shown))
    {
        tokio::time::sleep(WRONG_TOKEN).await;
        let id = if shown.is_empty() {
            "agent-token-missing"
        } else {
            "agent-token-wrong"
        };
        return Err(RefusedOnWay(AgentRefusal::Token, Message::new(id)));
    }
    Ok(AgentResponse::Hello {
        version: VERSION,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        host: hostname(),
        level: state.options.level,
        tune: state.options.tuner.is_some(),
    })
}

/// Does what a request says.
async fn response(
    state: &Rc<AgentState>,
    used: &mut Used<'_>,
    body: &[u8],
    from: SocketAddr,
    received_ns: u64,
) -> Responded {
    let (request, _) = wire::decode::<AgentRequest>(body).map_err(|_| not_understood())?;
    let plain = |response| Ok((response, Vec::new()));
    match request {
        AgentRequest::Hello { .. } => Err(RefusedOnWay(
            AgentRefusal::Request,
            Message::new("agent-hello-again"),
        )),
        AgentRequest::Clock => plain(AgentResponse::Clock(Readings {
            received_ns,
            sent_ns: received_ns,
        })),
        AgentRequest::Watch {
            sources,
            host,
            level,
        } => {
            let (session, response) = watch(state, sources, host, level).await?;
            used.find(&session)?;
            plain(response)
        }
        AgentRequest::Look {
            session,
            after,
            keys,
        } => Ok(used
            .find(&session)?
            .borrow_mut()
            .look(after, keys, received_ns)),
        AgentRequest::Capture {
            session,
            moment,
            kind,
        } => {
            let kind = kind.map(|kind| known_kind(&kind).ok_or_else(not_understood));
            let kind = kind.transpose()?;
            capture(&used.find(&session)?, Asked { moment, kind }).await
        }
        AgentRequest::Facts { session } => plain(used.find(&session)?.borrow_mut().facts()),
        AgentRequest::End { session } => {
            used.end(&session)?;
            plain(AgentResponse::Ended)
        }
        AgentRequest::Tune { ask } => {
            let not_allowed = |message| RefusedOnWay(AgentRefusal::NotAllowed, message);
            let tuner = state.options.tuner.as_ref();
            let tuner = tuner.ok_or_else(|| not_allowed(Message::new("agent-no-tune")))?;
            let said = tuner.tune(from, ask).map_err(not_allowed)?;
            plain(AgentResponse::Tuned { said })
        }
    }
}

async fn capture(session: &Rc<RefCell<AgentSession>>, asked: Asked) -> Responded {
    let taken = session.borrow_mut().capture(asked);
    // What is there by then is sent; the rest was too slow.
    let _ = timeout(limits::CAPTURE_TIME, taken).await;
    Ok(session.borrow_mut().captured(asked.moment))
}

fn not_understood() -> RefusedOnWay {
    RefusedOnWay(AgentRefusal::Request, Message::new("agent-not-understood"))
}

/// Begins a session; gives its number beside the response.
async fn watch(
    state: &AgentState,
    asked: Vec<SourceSpec>,
    host: Option<String>,
    level: Level,
) -> Result<(String, AgentResponse), RefusedOnWay> {
    if !make_room(state) {
        let message = Message::new("agent-busy-sessions").with("most", limits::SESSIONS);
        return Err(RefusedOnWay(AgentRefusal::Busy, message));
    }
    let named = host.as_ref().is_none_or(|host| {
        host.len() <= 255 && !host.is_empty() && !host.chars().any(char::is_control)
    });
    if asked.len() > policy::SOURCES || !named {
        return Err(not_understood());
    }
    let level = level.min(state.options.level);
    let (specs, mut problems) = chosen(state, asked, level);
    let host = host.unwrap_or_else(hostname);
    let entity = Entity::new(EntityKind::Watcher, "agent", host.as_str());
    let options = WatcherOptions {
        clock: state.options.clock,
        ..WatcherOptions::default()
    };
    let (say, said) = oneshot::channel();
    let own = entity.clone();
    let watcher = Watcher::start(
        move || {
            let (mut opened, failed) = open(specs, &host, level);
            opened.collectors.push(Box::new(own::OwnProcess::new(own)));
            // The connection may be gone; the session then ends of itself.
            let _ = say.send(failed);
            opened
        },
        options,
    );
    let watcher = watcher.map_err(|error| {
        let message = Message::new("agent-cannot-watch").with("reason", error.to_string());
        RefusedOnWay(AgentRefusal::Busy, message)
    })?;
    problems.extend(said.await.unwrap_or_default());
    let id = format!("{:016x}", RandomState::new().hash_one(0));
    let session = Rc::new(RefCell::new(AgentSession::new(watcher, entity)));
    state.sessions.borrow_mut().insert(id.clone(), session);
    let response = AgentResponse::Watching {
        session: id.clone(),
        level,
        problems: problems.iter().map(WireText::from).collect(),
    };
    Ok((id, response))
}

/// Whether there is room for a session; the one that nobody asked for longest makes room.
fn make_room(state: &AgentState) -> bool {
    let mut sessions = state.sessions.borrow_mut();
    if sessions.len() < limits::SESSIONS {
        return true;
    }
    let idle = |session: &Rc<RefCell<AgentSession>>| session.borrow().idle();
    let stalest = sessions.iter().max_by_key(|(_, session)| idle(session));
    let stale = stalest.filter(|(_, session)| idle(session) > limits::SESSION_STALE);
    let id = stale.map(|(id, _)| id.clone());
    id.is_some_and(|id| sessions.remove(&id).is_some())
}

/// The sources to watch, and why others are not.
fn chosen(state: &AgentState, asked: Vec<SourceSpec>, level: Level) -> (Vec<Spec>, Vec<Message>) {
    let (mut specs, mut problems) = (Vec::new(), Vec::new());
    if asked.is_empty() {
        specs.clone_from(&state.options.sources);
    }
    for spec in asked {
        match policy::allowed(spec, level, state.options.remote_sources) {
            Ok(spec) => specs.push(spec),
            Err(problem) => problems.push(problem),
        }
    }
    (specs, problems)
}

/// Opens sources; says which cannot be.
fn open(specs: Vec<Spec>, host: &str, level: Level) -> (Opened, Vec<Message>) {
    let specs = specs.into_iter().map(|spec| Spec {
        host: spec.host.or_else(|| Some(host.to_owned())),
        level,
        ..spec
    });
    let mut failed = Vec::new();
    let specs = named_once(specs.collect());
    let all = Spec::open_together(&specs, |_, error| failed.push(error.0));
    (all, failed)
}

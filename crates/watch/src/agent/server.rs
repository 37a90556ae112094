//! The agent's port: who may listen where, and who is let in.

use std::cell::RefCell;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_text::Message;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::LocalSet;

use super::places::ConnectionPlaces;
use super::state::{AgentOptions, AgentState};
use super::tls::{self, Fingerprint};
use super::token::{AgentToken, LEAST_BYTES, VARIABLE};
use super::{AgentError, connection};
use crate::capture::Level;

/// How often sessions that nobody asks take in what was seen, or end.
const HOUSEKEEPING: Duration = Duration::from_secs(5);

/// Ends an agent from another thread or a signal's handler.
#[derive(Debug, Clone, Default)]
pub struct AgentStopper(Arc<Notify>);

impl AgentStopper {
    /// Ends it, also if it has not begun yet.
    pub fn stop(&self) {
        self.0.notify_one();
    }
}

/// An agent that listens.
pub struct Agent {
    stopper: AgentStopper,
    options: AgentOptions,
    listener: std::net::TcpListener,
    address: SocketAddr,
    tls: Option<(Arc<rustls::ServerConfig>, Fingerprint)>,
}

impl Agent {
    /// Listens.
    ///
    /// # Errors
    /// A port that cannot be had; beyond loopback no token or a short one; a certificate
    /// that cannot be made or read.
    pub fn bind(options: AgentOptions) -> Result<Self, AgentError> {
        let beyond = !options.listen.ip().is_loopback();
        if beyond && !options.token.as_ref().is_some_and(AgentToken::is_strong) {
            return Err(AgentError(
                Message::new("agent-needs-token")
                    .with("address", options.listen.to_string())
                    .with("least", LEAST_BYTES)
                    .with("variable", VARIABLE),
            ));
        }
        let strong = options.token.as_ref().is_some_and(AgentToken::is_strong);
        if options.tuner.is_some() && !(strong && (beyond || options.tls)) {
            return Err(AgentError(
                Message::new("agent-tune-needs-both")
                    .with("least", LEAST_BYTES)
                    .with("variable", VARIABLE),
            ));
        }
        let tls = (beyond || options.tls).then(|| tls::server(&options.state));
        let tls = tls.transpose()?;
        let listen = || {
            let listener = std::net::TcpListener::bind(options.listen)?;
            listener.set_nonblocking(true)?;
            let address = listener.local_addr()?;
            Ok((listener, address))
        };
        let (listener, address) = listen().map_err(|error: std::io::Error| {
            AgentError(
                Message::new("agent-cannot-listen")
                    .with("address", options.listen.to_string())
                    .with("reason", error.to_string()),
            )
        })?;
        Ok(Self {
            stopper: AgentStopper::default(),
            options,
            listener,
            address,
            tls,
        })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The fingerprint of its certificate; none without TLS.
    #[must_use]
    pub fn fingerprint(&self) -> Option<Fingerprint> {
        self.tls.as_ref().map(|(_, fingerprint)| *fingerprint)
    }

    /// What it allows for captures.
    #[must_use]
    pub fn level(&self) -> Level {
        self.options.level
    }

    /// Whether controllers must show a token.
    #[must_use]
    pub fn has_token(&self) -> bool {
        self.options.token.is_some()
    }

    /// Whether studies may change its host.
    #[must_use]
    pub fn tunes(&self) -> bool {
        self.options.tuner.is_some()
    }

    /// What ends it.
    #[must_use]
    pub fn stopper(&self) -> AgentStopper {
        self.stopper.clone()
    }

    /// Serves until it is stopped; says through `tell` who comes and who is refused.
    ///
    /// # Errors
    /// When the system refuses an event loop.
    pub fn run(self, tell: impl Fn(&Message) + 'static) -> std::io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(2)
            .build()?;
        let tuner = self.options.tuner.clone();
        let ended = LocalSet::new().block_on(&runtime, async {
            let listener = TcpListener::from_std(self.listener)?;
            let state = Rc::new(AgentState {
                options: self.options,
                tls: self.tls.map(|(config, _)| config.into()),
                tell: Box::new(tell),
                sessions: RefCell::new(HashMap::new()),
                places: Rc::default(),
            });
            tokio::select! {
                () = self.stopper.0.notified() => {}
                () = accept(&listener, &state) => {}
                () = keep_house(&state) => {}
            }
            Ok(())
        });
        if let Some(tuner) = tuner {
            tuner.end();
        }
        ended
    }
}

async fn accept(listener: &TcpListener, state: &Rc<AgentState>) {
    loop {
        match listener.accept().await {
            Ok((stream, from)) => welcome(state, stream, from),
            // Out of descriptors, most likely: others may end meanwhile.
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

fn welcome(state: &Rc<AgentState>, stream: TcpStream, from: SocketAddr) {
    let state = Rc::clone(state);
    let (place, leave) = ConnectionPlaces::enter(&state.places, from.ip());
    tokio::task::spawn_local(async move {
        tokio::select! {
            biased;
            // Only a stranger is ever told to leave.
            _ = leave => {}
            () = connection::serve(&state, &place, stream, from) => {}
        }
    });
}

/// Ends sessions that nobody asks, keeps the others from growing, and tells of strangers.
async fn keep_house(state: &AgentState) {
    loop {
        tokio::time::sleep(HOUSEKEEPING).await;
        let dropped = state.places.borrow_mut().dropped();
        if dropped > 0 {
            // Not one by one: whoever connects would fill the log.
            (state.tell)(&Message::new("agent-strangers-dropped").with("count", dropped));
        }
        state.sessions.borrow_mut().retain(|_, session| {
            let mut session = session.borrow_mut();
            session.pull();
            !session.is_over(std::time::Instant::now())
        });
    }
}

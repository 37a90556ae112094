//! How an agent works, and what its connections share.

use std::cell::RefCell;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use plimsoll_text::Message;

use super::places::ConnectionPlaces;
use super::session::AgentSession;
use super::token::AgentToken;
use super::tuner::AgentTuner;
use crate::capture::Level;
use crate::source::Spec;
use crate::watcher::WallClock;

/// How an agent works.
#[derive(Debug, Clone)]
pub struct AgentOptions {
    /// Where it listens; beyond loopback it wants TLS and a token.
    pub listen: SocketAddr,
    /// TLS also on loopback.
    pub tls: bool,
    /// Where the certificate and its key are kept.
    pub state: PathBuf,
    /// What a controller must show.
    pub token: Option<AgentToken>,
    /// What it allows for captures.
    pub level: Level,
    /// Controllers may name sources on other hosts.
    pub remote_sources: bool,
    /// What is watched for a controller that names no sources.
    pub sources: Vec<Spec>,
    /// The clock that all times are on.
    pub clock: WallClock,
    /// Who changes this host for studies, if they may; it wants TLS and a token, on loopback too.
    pub tuner: Option<Arc<dyn AgentTuner>>,
}

/// What connections share.
pub(super) struct AgentState {
    pub(super) options: AgentOptions,
    pub(super) tls: Option<tokio_rustls::TlsAcceptor>,
    pub(super) tell: Box<dyn Fn(&Message)>,
    pub(super) sessions: RefCell<HashMap<String, Rc<RefCell<AgentSession>>>>,
    pub(super) places: Rc<RefCell<ConnectionPlaces>>,
}

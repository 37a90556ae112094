//! The controller's end of a connection to an agent.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use plimsoll_text::Message;
use rustls::pki_types::ServerName;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::connection::AgentStream;
use super::tls::{self, Fingerprint};
use super::token::{AgentToken, VARIABLE};
use super::wire::{
    self, AgentFrameError, AgentRefusal, AgentRequest, AgentResponse, FrameError, VERSION,
};
use super::{AgentError, DEFAULT_PORT, limits};
use crate::capture::Level;
use crate::collectors::entities::is_this_host;

/// An agent as its address says.
#[derive(Debug, Clone)]
pub struct AgentPeer {
    host: String,
    port: u16,
    fingerprint: Option<Fingerprint>,
    token: Option<AgentToken>,
}

impl AgentPeer {
    /// Reads `HOST[:PORT]` (loopback only) or `tls://HOST[:PORT]` with the fingerprint of
    /// the agent's certificate.
    ///
    /// # Errors
    /// What is not right, and what to write instead.
    pub fn new(
        address: &str,
        fingerprint: Option<&str>,
        token: Option<AgentToken>,
    ) -> Result<Self, AgentError> {
        let about = |id: &str| Message::new(id).with("address", address);
        let (tls, place) = match address.strip_prefix("tls://") {
            Some(place) => (true, place),
            None => (false, address),
        };
        let (host, port) = place_of(place).ok_or_else(|| AgentError(about("agent-address")))?;
        let fingerprint = match (tls, fingerprint) {
            (true, Some(text)) => {
                let parsed = Fingerprint::parse(text);
                Some(parsed.ok_or_else(|| AgentError(about("agent-fingerprint-form")))?)
            }
            (true, None) => return Err(AgentError(about("agent-fingerprint-needed"))),
            (false, Some(_)) => return Err(AgentError(about("agent-fingerprint-unused"))),
            (false, None) => None,
        };
        if !tls && !is_this_host(&host) {
            return Err(AgentError(about("agent-tls-needed")));
        }
        Ok(Self {
            host,
            port,
            fingerprint,
            token,
        })
    }

    /// The agent of a source or a study, with its options: `fingerprint`, `token-file`, `token-env`.
    ///
    /// # Errors
    /// A token that cannot be had; as [`AgentPeer::new`].
    pub fn of_options(
        address: &str,
        options: &BTreeMap<String, String>,
    ) -> Result<Self, AgentError> {
        let option = |name: &str| options.get(name).map(String::as_str);
        let token = match option("token-file") {
            Some(path) => AgentToken::from_file(Path::new(path)).map(Some),
            None => AgentToken::from_env(option("token-env").unwrap_or(VARIABLE)),
        };
        Self::new(address, option("fingerprint"), token?)
    }

    /// The host it is on, as the address says.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }
}

impl fmt::Display for AgentPeer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.fingerprint.is_some() {
            "tls://"
        } else {
            ""
        };
        if self.host.contains(':') {
            write!(f, "{scheme}[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{scheme}{}:{}", self.host, self.port)
        }
    }
}

/// Host and port of `HOST`, `HOST:PORT`, `[IPV6]:PORT`.
fn place_of(text: &str) -> Option<(String, u16)> {
    let url = url::Url::parse(&format!("agent://{text}")).ok()?;
    let bare = url.username().is_empty() && url.password().is_none();
    let path = url.path().is_empty() && url.query().is_none() && url.fragment().is_none();
    let host = url.host_str().filter(|host| !host.is_empty())?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    (bare && path).then(|| (host.to_owned(), url.port().unwrap_or(DEFAULT_PORT)))
}

/// Why an exchange with an agent failed.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentLinkError {
    /// What the agent refused; none when it was not the agent that refused.
    pub refusal: Option<AgentRefusal>,
    /// Why, for a person.
    pub message: Message,
}

/// A connection that has said `hello`.
pub struct AgentLink {
    stream: Box<dyn AgentStream>,
    address: String,
    /// The agent's host, as it calls itself.
    pub host: String,
    /// What the agent allows.
    pub level: Level,
    /// Whether it lets studies change its host.
    pub tune: bool,
}

impl AgentLink {
    /// Connects and says `hello`. The caller limits the time.
    ///
    /// # Errors
    /// An agent that cannot be reached, is another one, or refuses.
    pub async fn connect(peer: &AgentPeer) -> Result<Self, AgentLinkError> {
        let address = peer.to_string();
        let stream = TcpStream::connect((peer.host.as_str(), peer.port)).await;
        let stream = stream.map_err(|error| broken("agent-unreachable", &address, &error))?;
        // Only makes questions quicker.
        let _ = stream.set_nodelay(true);
        let stream: Box<dyn AgentStream> = match peer.fingerprint {
            None => Box::new(stream),
            Some(fingerprint) => Box::new(encrypted(stream, fingerprint, &address).await?),
        };
        let mut link = Self {
            stream,
            address,
            host: String::new(),
            level: Level::Observe,
            tune: false,
        };
        let token = peer.token.as_ref().map(|token| token.reveal().to_owned());
        let hello = AgentRequest::Hello {
            version: VERSION,
            token,
        };
        match link.ask(&hello).await?.0 {
            AgentResponse::Hello {
                version: VERSION,
                host,
                level,
                tune,
                ..
            } => Ok(Self {
                host,
                level,
                tune,
                ..link
            }),
            _ => Err(link.confused()),
        }
    }

    /// Asks and waits for the response. After an error, and when it is dropped before the
    /// response came, the connection is of no use any more.
    ///
    /// # Errors
    /// A connection that broke, a refusal.
    pub async fn ask(
        &mut self,
        request: &AgentRequest,
    ) -> Result<(AgentResponse, Vec<u8>), AgentLinkError> {
        let exchange = async {
            let frame = wire::encode(request, &[])?;
            wire::write(&mut self.stream, &frame, limits::WRITE_TIME).await?;
            let (limit, idle) = (limits::RESPONSE_BYTES, limits::CAPTURE_TIME * 2);
            let body = wire::read(&mut self.stream, limit, idle, limits::FRAME_TIME).await?;
            body.ok_or_else(|| std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into())
        };
        let body = exchange.await.map_err(|error: FrameError| {
            let id = match error {
                FrameError::Wire(_) => "agent-no-agent",
                _ => "agent-link-broken",
            };
            broken(id, &self.address, &error)
        })?;
        let decoded: Result<(AgentResponse, &[u8]), AgentFrameError> = wire::decode(&body);
        match decoded {
            Ok((AgentResponse::Refused { why, message }, _)) => Err(AgentLinkError {
                refusal: Some(why),
                message: Message::new("agent-refuses")
                    .with("address", self.address.as_str())
                    .with("reason", Message::from(message)),
            }),
            Ok((response, tail)) => {
                let tail = tail.to_vec();
                Ok((response, tail))
            }
            Err(error) => Err(broken("agent-no-agent", &self.address, &error)),
        }
    }

    /// The error for a response to another question.
    #[must_use]
    pub fn confused(&self) -> AgentLinkError {
        let reason = Message::new("agent-confused");
        AgentLinkError {
            refusal: None,
            message: Message::new("agent-no-agent")
                .with("address", self.address.as_str())
                .with("reason", reason),
        }
    }

    /// Says good-bye to the connection, if that can be done at once.
    pub async fn close(mut self) {
        // It is dropped either way.
        let _ = timeout(limits::FRAME_TIME, self.stream.shutdown()).await;
    }
}

async fn encrypted(
    stream: TcpStream,
    fingerprint: Fingerprint,
    address: &str,
) -> Result<impl AgentStream + 'static, AgentLinkError> {
    let config = tls::client(fingerprint).map_err(|error| broken("agent-tls", address, &error))?;
    let name = ServerName::IpAddress(std::net::IpAddr::from([127, 0, 0, 1]).into());
    let connector = tokio_rustls::TlsConnector::from(config);
    connector.connect(name, stream).await.map_err(|error| {
        let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
        match inner {
            Some(rustls::Error::InvalidCertificate(_)) => AgentLinkError {
                refusal: None,
                message: Message::new("agent-fingerprint-wrong")
                    .with("address", address)
                    .with("fingerprint", fingerprint.to_string()),
            },
            _ => broken("agent-tls", address, &error),
        }
    })
}

fn broken(id: &str, address: &str, reason: &dyn fmt::Display) -> AgentLinkError {
    AgentLinkError {
        refusal: None,
        message: Message::new(id)
            .with("address", address)
            .with("reason", reason.to_string()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const PRINT: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    #[test]
    fn addresses_are_read() {
        let shown = |address: &str, print: Option<&str>| {
            AgentPeer::new(address, print, None)
                .map_or_else(|error| error.0.id, |peer| peer.to_string())
        };
        assert_eq!(shown("127.0.0.1:9", None), "127.0.0.1:9");
        assert_eq!(shown("localhost", None), "localhost:7077");
        assert_eq!(shown("[::1]:9", None), "[::1]:9");
        assert_eq!(shown("tls://web1", Some(PRINT)), "tls://web1:7077");
        assert_eq!(shown("tls://[::1]", Some(PRINT)), "tls://[::1]:7077");
        assert_eq!(shown("tls://web1", None), "agent-fingerprint-needed");
        assert_eq!(shown("tls://web1", Some("ab")), "agent-fingerprint-form");
        assert_eq!(shown("127.0.0.1", Some(PRINT)), "agent-fingerprint-unused");
        assert_eq!(shown("web1:7077", None), "agent-tls-needed");
        for wrong in [
            "",
            "a b",
            "http://x",
            "web1:7077/x",
            "u:p@web1",
            "web1:99999",
        ] {
            assert_eq!(shown(wrong, None), "agent-address", "{wrong}");
        }
    }
}

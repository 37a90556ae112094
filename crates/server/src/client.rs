//! The way to a workbench: HTTP/1.0, so that a response ends with its connection, with or without TLS.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::sync::Arc;
use std::time::Duration;

use plimsoll_text::{Lang, Message};
use plimsoll_trust::{Verifier, roots};
use plimsoll_watch::agent::is_this_host;
use plimsoll_watch::agent::tls::{Fingerprint, client};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, StreamOwned};
use serde_json::Value;
use url::Url;

/// Where the token stands.
const TOKEN: &str = "PLIMSOLL_SERVER_TOKEN";
/// Whose certificate is taken: a file, or a fingerprint.
const TRUST: &str = "PLIMSOLL_SERVER_CERTIFICATE";
/// Connecting, and silence in the middle of a response.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);
const SILENCE: Duration = Duration::from_secs(60);
/// The head of a response, and what is no stream of events.
const MOST_HEAD: u64 = 64 << 10;
const MOST_BODY: u64 = 64 << 20;

trait RemoteStream: Read + Write {}

impl<T: Read + Write> RemoteStream for T {}

/// A workbench and what is shown to it.
pub struct ServerLink {
    url: Url,
    host: String,
    tls: Option<Arc<ClientConfig>>,
    token: Option<String>,
    lang: Lang,
}

/// A response's body while it comes.
pub type ServerBody = BufReader<Box<dyn Read>>;

/// The host of a URL without the brackets of IPv6.
fn bare(url: &Url) -> &str {
    let name = url.host_str().unwrap_or_default();
    name.trim_start_matches('[').trim_end_matches(']')
}

/// Why there is no response.
pub enum RemoteError {
    /// The server cannot be reached.
    Lost(Message),
    /// It refuses, and says why.
    Refused {
        /// The problem's kind, such as `/problems/waits`.
        kind: String,
        /// In words.
        message: Message,
    },
}

impl RemoteError {
    /// In words.
    pub fn message(self) -> Message {
        match self {
            Self::Lost(message) | Self::Refused { message, .. } => message,
        }
    }
}

impl ServerLink {
    /// By an address; token and certificate are those of the environment.
    ///
    /// # Errors
    /// What is no address, a certificate that cannot be read.
    pub fn open(address: &str, lang: Lang) -> Result<Self, Message> {
        let bad = || Message::new("remote-bad-address").with("address", address);
        let url = Url::parse(address).map_err(|_| bad())?;
        let name = url.host_str().ok_or_else(bad)?;
        let host = match url.port() {
            Some(port) => format!("{name}:{port}"),
            None => name.to_owned(),
        };
        let tls = match url.scheme() {
            // Beyond this host a workbench speaks TLS; a token must not go out in clear.
            "http" if !is_this_host(bare(&url)) => {
                return Err(Message::new("remote-needs-tls").with("address", address));
            }
            "http" => None,
            "https" => Some(trusted()?),
            _ => return Err(bad()),
        };
        let token = std::env::var(TOKEN).ok().filter(|token| !token.is_empty());
        if token
            .as_ref()
            .is_some_and(|token| token.contains(|c: char| c.is_control()))
        {
            return Err(Message::new("remote-bad-token").with("variable", TOKEN));
        }
        Ok(Self {
            host,
            tls,
            token,
            url,
            lang,
        })
    }

    /// Asks for something; gives what comes back.
    ///
    /// # Errors
    /// A server that cannot be reached, or refuses.
    pub fn call(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Vec<u8>, RemoteError> {
        let mut bytes = Vec::new();
        let read = self
            .send(method, path, "", body)?
            .take(MOST_BODY)
            .read_to_end(&mut bytes);
        read.map_err(|error| self.lost(&error))?;
        Ok(bytes)
    }

    /// Asks for something in JSON.
    ///
    /// # Errors
    /// As [`call`](Self::call); what is no JSON.
    pub fn json(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, RemoteError> {
        let bytes = self.call(method, path, body)?;
        serde_json::from_slice(&bytes).map_err(|error| self.lost(&error.into()))
    }

    /// Asks for something that comes bit by bit.
    ///
    /// # Errors
    /// As [`call`](Self::call).
    pub fn send(
        &self,
        method: &str,
        path: &str,
        headers: &str,
        body: Option<&Value>,
    ) -> Result<ServerBody, RemoteError> {
        let opened = self.open_stream().and_then(|mut stream| {
            let text = body.map(Value::to_string).unwrap_or_default();
            let token = self.token.as_ref().map(|token| format!("Authorization: Bearer {token}\r\n"));
            let kind = body.map_or("", |_| "Content-Type: application/json\r\n");
            write!(
                stream,
                "{method} {}/api/v1{path} HTTP/1.0\r\nHost: {}\r\nAccept-Language: {}\r\n{}{kind}{headers}\
                 Content-Length: {}\r\n\r\n{text}",
                self.url.path().trim_end_matches('/'),
                self.host,
                self.lang.code(),
                token.unwrap_or_default(),
                text.len()
            )?;
            stream.flush()?;
            head(stream)
        });
        let (status, mut body) = opened.map_err(|error| self.lost(&error))?;
        if (200..300).contains(&status) {
            return Ok(body);
        }
        let mut text = String::new();
        // What cannot be read says nothing; the status does.
        let _ = body.by_ref().take(MOST_BODY).read_to_string(&mut text);
        let message = Message::new("remote-refused")
            .with("status", status)
            .with("reason", refusal(&text));
        let problem: Value = serde_json::from_str(&text).unwrap_or_default();
        let kind = problem["type"].as_str().unwrap_or_default().to_owned();
        Err(RemoteError::Refused { kind, message })
    }

    fn lost(&self, error: &io::Error) -> RemoteError {
        RemoteError::Lost(
            Message::new("remote-lost")
                .with("server", self.host.as_str())
                .with("reason", error.to_string()),
        )
    }

    fn open_stream(&self) -> io::Result<Box<dyn RemoteStream>> {
        let port = self.url.port_or_known_default().unwrap_or(80);
        let bare = bare(&self.url);
        let mut last = io::Error::from(io::ErrorKind::NotFound);
        for address in (bare, port).to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, CONNECT_WITHIN) {
                Ok(stream) => return self.over(stream, bare),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    fn over(&self, stream: TcpStream, name: &str) -> io::Result<Box<dyn RemoteStream>> {
        stream.set_read_timeout(Some(SILENCE))?;
        stream.set_write_timeout(Some(SILENCE))?;
        stream.set_nodelay(true)?;
        let Some(config) = &self.tls else {
            return Ok(Box::new(stream));
        };
        let name = ServerName::try_from(name.to_owned()).map_err(io::Error::other)?;
        let session = ClientConnection::new(Arc::clone(config), name).map_err(io::Error::other)?;
        Ok(Box::new(StreamOwned::new(session, stream)))
    }
}

/// Reads a response's head; the body is behind it.
fn head(stream: Box<dyn RemoteStream>) -> io::Result<(u16, ServerBody)> {
    let mut reader = BufReader::new(Box::new(UntilClosed(stream)) as Box<dyn Read>);
    let bad = || io::Error::from(io::ErrorKind::InvalidData);
    let mut line = String::new();
    reader.by_ref().take(MOST_HEAD).read_line(&mut line)?;
    let status = line
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    let status = status.ok_or_else(bad)?;
    let mut left = MOST_HEAD;
    loop {
        line.clear();
        let read = reader.by_ref().take(left).read_line(&mut line)?;
        left = left.saturating_sub(read as u64);
        match line.trim_end() {
            "" if read > 0 => return Ok((status, reader)),
            _ if read == 0 => return Err(bad()),
            _ => {}
        }
    }
}

/// A peer that closes without TLS' own end: the length of JSON and the event `end` say whether all is there.
struct UntilClosed(Box<dyn RemoteStream>);

impl Read for UntilClosed {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self.0.read(into) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(0),
            read => read,
        }
    }
}

/// What problem details say, with each mistake of a plan.
fn refusal(text: &str) -> String {
    let Ok(problem) = serde_json::from_str::<Value>(text) else {
        return text.chars().take(300).collect();
    };
    let mut said = problem["detail"].as_str().unwrap_or_default().to_owned();
    for mistake in problem["errors"].as_array().into_iter().flatten() {
        let place = match (mistake["line"].as_u64(), mistake["column"].as_u64()) {
            (Some(line @ 1..), column) => format!("{line}:{}: ", column.unwrap_or(1)),
            _ => String::new(),
        };
        for text in [&mistake["what"], &mistake["remedy"]] {
            if let Some(text) = text.as_str() {
                said += &format!("\n  {place}{text}");
            }
        }
    }
    said
}

/// Whose certificate is taken.
fn trusted() -> Result<Arc<ClientConfig>, Message> {
    let given = std::env::var(TRUST).unwrap_or_default();
    let broken = |reason: String| {
        Message::new("remote-certificate")
            .with("variable", TRUST)
            .with("reason", reason)
    };
    if let Some(pinned) = Fingerprint::parse(&given) {
        return client(pinned).map_err(|error| broken(error.to_string()));
    }
    let own = match given.as_str() {
        "" => Vec::new(),
        path => CertificateDer::pem_file_iter(path)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|error| broken(error.to_string()))?,
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier =
        roots(&own).and_then(|roots| Verifier::of_file(roots, own, Arc::clone(&provider)));
    let config = verifier.and_then(|verifier| {
        let builder = ClientConfig::builder_with_provider(provider);
        let builder = builder.with_safe_default_protocol_versions()?;
        let builder = builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier));
        Ok(builder.with_no_client_auth())
    });
    config
        .map(Arc::new)
        .map_err(|error| broken(error.to_string()))
}

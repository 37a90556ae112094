//! Making connections: DNS, TCP, proxy, TLS, each timed on its own.

use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;
use std::sync::Arc;

use plimsoll_stats::ErrorKind;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;

use super::connection::Connection;
use super::dialer::{Dialer, TcpOptions};
use super::resolve::NameResolver;
use super::session::TlsSession;
use super::stream::Stream;
use crate::failure::{Failure, tls_error};
use crate::http1::{
    BodyFraming, Head, HeaderField, Progress, RequestError, RequestHead, RequestMethod,
    RequestTarget, ResponseLimits, ResponseReader, Sink,
};

/// Where connections go, and how.
#[derive(Clone)]
pub struct Endpoint {
    /// The host as in the URL, lower case; IPv6 in brackets.
    pub host: String,
    /// The port.
    pub port: u16,
    /// TLS, for `https`.
    pub tls: Option<Arc<ClientConfig>>,
    /// Name to ask for and check instead of the host.
    pub server_name: Option<String>,
    /// A proxy.
    pub proxy: Option<Proxy>,
    /// A Unix socket, whatever the host.
    pub unix_socket: Option<String>,
    /// Local addresses, in turn.
    pub source_addresses: Vec<IpAddr>,
    /// The profile's resolver.
    pub resolver: Rc<NameResolver>,
    /// Index of the profile in the program.
    pub profile: u32,
}

/// The number of an endpoint among those of a load thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EndpointId(pub(crate) u32);

/// An HTTP proxy.
#[derive(Debug, Clone)]
pub struct Proxy {
    /// Its host.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// `Proxy-Authorization`, when the address holds credentials.
    pub authorization: Option<String>,
}

impl Endpoint {
    /// Whether requests name the whole URL (a proxy without a tunnel).
    #[must_use]
    pub fn absolute_form(&self) -> bool {
        self.proxy.is_some() && self.tls.is_none()
    }
}

/// How long the parts of connecting took, ns; 0: did not happen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ConnectTimes {
    /// Name resolution.
    pub dns_ns: u64,
    /// TCP, and the proxy's tunnel.
    pub connect_ns: u64,
    /// TLS.
    pub tls_ns: u64,
}

impl Dialer {
    /// Makes a connection: name resolution, TCP (or a Unix socket), a proxy's tunnel, TLS, whatever
    /// is spoken on it then. `turn` picks among source addresses. `times` says how long the parts
    /// took, also of a connection that was not made. The caller bounds the time.
    ///
    /// # Errors
    /// What stood in the way, as the sample will say it.
    pub async fn connect(
        &self,
        endpoint: &Endpoint,
        turn: usize,
        times: &mut ConnectTimes,
    ) -> Result<Connection, Failure> {
        let clock = self.clock;
        let mut stream = self.open(endpoint, turn, times).await?;
        if self.timed {
            stream.enable_timestamps();
        }
        if let (Some(proxy), Some(_)) = (&endpoint.proxy, &endpoint.tls) {
            let start = clock.now_ns();
            Box::pin(tunnel(&mut stream, endpoint, proxy)).await?;
            times.connect_ns += clock.now_ns() - start;
        }
        let tls = match &endpoint.tls {
            None => None,
            Some(config) => {
                let start = clock.now_ns();
                let result = Box::pin(handshake(&mut stream, endpoint, config)).await;
                times.tls_ns = (clock.now_ns() - start).max(1);
                Some(result?)
            }
        };
        Ok(Connection::new(stream, tls))
    }
}

impl Dialer {
    /// Opens the stream below, to the endpoint itself or its proxy.
    async fn open(
        &self,
        endpoint: &Endpoint,
        turn: usize,
        times: &mut ConnectTimes,
    ) -> Result<Stream, Failure> {
        let clock = self.clock;
        if let Some(path) = &endpoint.unix_socket {
            let start = clock.now_ns();
            let result = self.open_unix(path).await;
            times.connect_ns = (clock.now_ns() - start).max(1);
            return result.map_err(|error| Failure::connecting(&error));
        }
        let (host, port) = match &endpoint.proxy {
            Some(proxy) => (&proxy.host, proxy.port),
            None => (&endpoint.host, endpoint.port),
        };
        let resolver = &endpoint.resolver;
        let (addresses, asked_for) = match resolver.known(host) {
            // What the plan says of a name says nothing of who may be reached.
            Some(known) => (known, ""),
            None => {
                let start = clock.now_ns();
                let own =
                    (self.is_bounded() && !resolver.is_of_system()).then(NameResolver::default);
                let resolver = own.as_ref().unwrap_or(resolver);
                let resolved = Box::pin(self.resolve(resolver, host)).await;
                times.dns_ns = (clock.now_ns() - start).max(1);
                (resolved?, host.as_str())
            }
        };
        let source = match endpoint.source_addresses.as_slice() {
            [] => None,
            sources => Some(sources[turn % sources.len()]),
        };
        let start = clock.now_ns();
        let to = (asked_for, addresses.as_slice(), port);
        let result = self.first_that_connects(to, source).await;
        times.connect_ns = (clock.now_ns() - start).max(1);
        result.map_err(|mut failure| {
            if endpoint.proxy.is_some() {
                failure.detail.insert_str(0, "proxy: ");
                if failure.kind != ErrorKind::HostNotAllowed {
                    failure.kind = ErrorKind::Proxy;
                }
            }
            failure
        })
    }

    async fn first_that_connects(
        &self,
        (host, addresses, port): (&str, &[IpAddr], u16),
        source: Option<IpAddr>,
    ) -> Result<Stream, Failure> {
        let options = TcpOptions {
            source,
            nodelay: true,
            linger: None,
        };
        let mut last = Failure::new(ErrorKind::UnknownHost, "no address");
        for address in addresses {
            if source.is_some_and(|source| source.is_ipv4() != address.is_ipv4()) {
                last = Failure::new(
                    ErrorKind::Network,
                    format!("no source address to reach {address}"),
                );
                continue;
            }
            let to = SocketAddr::new(*address, port);
            if let Err(refused) = self.may_lead(host, to) {
                last = refused;
                continue;
            }
            match self.open_tcp(host, to, options).await {
                Ok(stream) => return Ok(stream),
                Err(error) => {
                    last = Failure::connecting(&error);
                    last.detail = format!("{address}:{port}: {}", last.detail);
                }
            }
        }
        Err(last)
    }
}

async fn handshake(
    stream: &mut Stream,
    endpoint: &Endpoint,
    config: &Arc<ClientConfig>,
) -> Result<TlsSession, Failure> {
    let name = endpoint.server_name.as_deref().unwrap_or(&endpoint.host);
    let name = name
        .trim_start_matches('[')
        .trim_end_matches(']')
        .to_owned();
    let name = ServerName::try_from(name)
        .map_err(|error| Failure::new(ErrorKind::TlsHandshake, error.to_string()))?;
    let mut tls = TlsSession::new(config, name).map_err(|error| Failure::of_tls(&error, true))?;
    // No larger than what a session keeps of plaintext behind the handshake.
    let mut buffer = vec![0; 8 * 1024];
    while tls.is_handshaking() || tls.wants_write() {
        if tls.wants_write() {
            match tls.send(&mut stream.writer()) {
                Ok(()) => continue,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    poll_fn(|cx| stream.poll_write_ready(cx))
                        .await
                        .map_err(|e| Failure::talking(&e))?;
                    continue;
                }
                Err(error) => return Err(handshake_io(&error)),
            }
        }
        let bytes = poll_fn(|cx| stream.poll_read(cx, &mut buffer)).await;
        let bytes = bytes.map_err(|error| handshake_io(&error))?;
        if bytes == 0 {
            let what = "the server closed the connection within the TLS handshake";
            return Err(Failure::new(ErrorKind::TlsHandshake, what));
        }
        if let Err(error) = tls.shake_hands(&buffer[..bytes]) {
            // The alert tells the server why; whether it arrives does not matter.
            let _ = tls.send(&mut stream.writer());
            return Err(match tls_error(&error) {
                Some(error) => Failure::of_tls(error, true),
                None => handshake_io(&error),
            });
        }
    }
    Ok(tls)
}

fn handshake_io(error: &io::Error) -> Failure {
    Failure::new(ErrorKind::TlsHandshake, error.to_string())
}

/// Takes the status of the proxy's response.
#[derive(Default)]
struct TunnelResponse(u16);

impl Sink for TunnelResponse {
    fn head(&mut self, head: &Head<'_>) {
        self.0 = head.status;
    }

    fn body(&mut self, _: &[u8]) {}
}

/// Opens a tunnel through the proxy (RFC 9110, 9.3.6).
async fn tunnel(stream: &mut Stream, endpoint: &Endpoint, proxy: &Proxy) -> Result<(), Failure> {
    let refused = |detail: String| Failure::new(ErrorKind::Proxy, detail);
    let authority = format!("{}:{}", endpoint.host, endpoint.port);
    let invalid = |error: RequestError| refused(error.to_string());
    let authorization = proxy.authorization.iter();
    let fields =
        authorization.map(|value| HeaderField::new("Proxy-Authorization", value.as_bytes()));
    let fields: Vec<_> = fields.collect::<Result<_, _>>().map_err(invalid)?;
    let target = RequestTarget::Authority(&authority);
    let head = RequestHead::new("CONNECT", target, &authority, &fields, BodyFraming::None);
    let mut request = Vec::new();
    head.map_err(invalid)?.write(&mut request);
    let mut sent = 0;
    while sent < request.len() {
        match stream.try_write(&request[sent..]) {
            Ok(bytes) => sent += bytes,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                poll_fn(|cx| stream.poll_write_ready(cx))
                    .await
                    .map_err(|e| refused(e.to_string()))?;
            }
            Err(error) => return Err(refused(error.to_string())),
        }
    }
    let mut reader = ResponseReader::new();
    reader.start(
        RequestMethod::Connect,
        &ResponseLimits {
            body_bytes: 1 << 20,
            ..ResponseLimits::default()
        },
    );
    let mut response = TunnelResponse::default();
    // One byte at a time would be needed to never read into the tunnel; a server that waits
    // for our TLS hello sends nothing before it.
    let mut buffer = vec![0; 4096];
    loop {
        let bytes = poll_fn(|cx| stream.poll_read(cx, &mut buffer)).await;
        let bytes = bytes.map_err(|error| refused(error.to_string()))?;
        let progress = match bytes {
            0 => reader.end_of_stream(&mut response),
            _ => reader.feed(&buffer[..bytes], &mut response),
        };
        match progress.map_err(|error| refused(error.to_string()))? {
            Progress::NeedMore => {}
            Progress::Upgraded { .. } => return Ok(()),
            Progress::Done { .. } => {
                return Err(refused(format!(
                    "the proxy responded {} to CONNECT",
                    response.0
                )));
            }
        }
    }
}

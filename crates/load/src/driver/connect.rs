//! Making connections: DNS, TCP, proxy, TLS, each timed on its own.

use std::future::poll_fn;
use std::io::{self, Read as _, Write as _};
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use plimsoll_stats::ErrorKind;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection};
use tokio::net::{TcpSocket, UnixStream};

use super::resolve::Resolver;
use super::stream::{Received, Stream};
use super::tls;
use crate::clock::Clock;
use crate::failure::Failure;
use crate::http1::{
    BodyFraming, Head, Limits, Progress, RequestHead, RequestMethod, ResponseReader, Sink, Target,
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
    pub resolver: Rc<Resolver>,
    /// Index of the profile in the program.
    pub profile: u32,
}

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

/// An open connection with the reader of its answers.
pub struct Connection {
    stream: Stream,
    tls: Option<Box<ClientConnection>>,
    /// Reads the answers.
    pub reader: ResponseReader,
    /// Whether a request was sent on it before.
    pub used: bool,
}

impl Connection {
    /// Whether it must not be used for another request.
    pub fn is_stale(&self) -> bool {
        self.stream.is_stale()
    }

    /// Writes what fits now. With TLS the bytes are taken whole and may wait to be sent:
    /// see [`Connection::poll_flush`].
    ///
    /// # Errors
    /// `WouldBlock` when nothing fits; else as the system says.
    #[inline]
    pub fn try_write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.tls {
            None => self.stream.try_write(bytes),
            Some(tls) => {
                let taken = tls.writer().write(bytes)?;
                match send_tls(&self.stream, tls) {
                    Err(error) if error.kind() != io::ErrorKind::WouldBlock => Err(error),
                    _ => Ok(taken),
                }
            }
        }
    }

    /// Ready when the socket takes more.
    pub fn poll_write_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.poll_write_ready(cx)
    }

    /// Sends what TLS holds back; ready when nothing is left.
    pub fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Some(tls) = &mut self.tls else {
            return Poll::Ready(Ok(()));
        };
        while tls.wants_write() {
            match send_tls(&self.stream, tls) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    ready!(self.stream.poll_write_ready(cx))?;
                }
                result => result?,
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Whether TLS holds bytes back.
    #[must_use]
    pub fn wants_flush(&self) -> bool {
        self.tls.as_ref().is_some_and(|tls| tls.wants_write())
    }

    /// Reads what is there; `timed` asks for the kernel's receive time.
    pub fn poll_receive(
        &mut self,
        cx: &mut Context<'_>,
        buffer: &mut [u8],
        timed: bool,
    ) -> Poll<io::Result<Received>> {
        if self.tls.is_none() {
            return poll_plain(&mut self.stream, cx, buffer, timed);
        }
        self.poll_receive_tls(cx, buffer, timed)
    }

    fn poll_receive_tls(
        &mut self,
        cx: &mut Context<'_>,
        buffer: &mut [u8],
        timed: bool,
    ) -> Poll<io::Result<Received>> {
        let Some(tls) = &mut self.tls else {
            return Poll::Ready(Ok(Received {
                bytes: 0,
                kernel_lag_ns: None,
            }));
        };
        let mut kernel_lag_ns = None;
        loop {
            match tls.reader().read(buffer) {
                Ok(bytes) => {
                    return Poll::Ready(Ok(Received {
                        bytes,
                        kernel_lag_ns,
                    }));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                // Closed without TLS's own goodbye: HTTP's framing tells whether it matters.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    return Poll::Ready(Ok(Received {
                        bytes: 0,
                        kernel_lag_ns,
                    }));
                }
                Err(error) => return Poll::Ready(Err(error)),
            }
            let received = ready!(poll_plain(&mut self.stream, cx, buffer, timed))?;
            kernel_lag_ns = received.kernel_lag_ns;
            let mut cipher = &buffer[..received.bytes];
            feed_tls(tls, &mut cipher)?;
            if tls.wants_write() {
                // Key updates and the like; what does not fit goes with the next request.
                let _ = send_tls(&self.stream, tls);
            }
        }
    }
}

/// Gives bytes from the wire to TLS; an empty slice is the end.
fn feed_tls(tls: &mut ClientConnection, cipher: &mut &[u8]) -> io::Result<()> {
    if cipher.is_empty() {
        tls.read_tls(cipher)?;
    }
    while !cipher.is_empty() {
        tls.read_tls(cipher)?;
        tls.process_new_packets().map_err(io::Error::other)?;
    }
    Ok(())
}

fn poll_plain(
    stream: &mut Stream,
    cx: &mut Context<'_>,
    buffer: &mut [u8],
    timed: bool,
) -> Poll<io::Result<Received>> {
    if timed {
        return stream.poll_read_timed(cx, buffer);
    }
    let bytes = ready!(stream.poll_read(cx, buffer))?;
    Poll::Ready(Ok(Received {
        bytes,
        kernel_lag_ns: None,
    }))
}

struct StreamWriter<'a>(&'a Stream);

impl io::Write for StreamWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn send_tls(stream: &Stream, tls: &mut ClientConnection) -> io::Result<()> {
    while tls.wants_write() {
        tls.write_tls(&mut StreamWriter(stream))?;
    }
    Ok(())
}

/// Makes a connection. `turn` picks among source addresses. The caller bounds the time.
///
/// # Errors
/// What stood in the way, as the sample will say it.
pub async fn connect(
    endpoint: &Endpoint,
    clock: Clock,
    timed: bool,
    turn: usize,
    times: &mut ConnectTimes,
) -> Result<Box<Connection>, Failure> {
    let mut stream = open(endpoint, clock, turn, times).await?;
    if timed {
        stream.enable_timestamps();
    }
    if let (Some(proxy), Some(_)) = (&endpoint.proxy, &endpoint.tls) {
        let start = clock.now_ns();
        tunnel(&mut stream, endpoint, proxy).await?;
        times.connect_ns += clock.now_ns() - start;
    }
    let tls = match &endpoint.tls {
        None => None,
        Some(config) => {
            let start = clock.now_ns();
            let result = handshake(&mut stream, endpoint, config).await;
            times.tls_ns = (clock.now_ns() - start).max(1);
            Some(Box::new(result?))
        }
    };
    Ok(Box::new(Connection {
        stream,
        tls,
        reader: ResponseReader::new(),
        used: false,
    }))
}

async fn open(
    endpoint: &Endpoint,
    clock: Clock,
    turn: usize,
    times: &mut ConnectTimes,
) -> Result<Stream, Failure> {
    if let Some(path) = &endpoint.unix_socket {
        let start = clock.now_ns();
        let result = UnixStream::connect(path).await;
        times.connect_ns = (clock.now_ns() - start).max(1);
        return result
            .map(Stream::Unix)
            .map_err(|error| Failure::connecting(&error));
    }
    let (host, port) = match &endpoint.proxy {
        Some(proxy) => (&proxy.host, proxy.port),
        None => (&endpoint.host, endpoint.port),
    };
    let addresses = match endpoint.resolver.known(host) {
        Some(known) => known,
        None => {
            let start = clock.now_ns();
            let resolved = endpoint.resolver.resolve(host).await;
            times.dns_ns = (clock.now_ns() - start).max(1);
            resolved?
        }
    };
    let source = match endpoint.source_addresses.as_slice() {
        [] => None,
        sources => Some(sources[turn % sources.len()]),
    };
    let start = clock.now_ns();
    let result = first_that_connects(&addresses, port, source).await;
    times.connect_ns = (clock.now_ns() - start).max(1);
    let stream = result.map_err(|mut failure| {
        if endpoint.proxy.is_some() {
            failure.detail.insert_str(0, "proxy: ");
            failure.kind = ErrorKind::Proxy;
        }
        failure
    })?;
    Ok(Stream::Tcp(stream))
}

async fn first_that_connects(
    addresses: &[IpAddr],
    port: u16,
    source: Option<IpAddr>,
) -> Result<tokio::net::TcpStream, Failure> {
    let mut last = Failure::new(ErrorKind::UnknownHost, "no address");
    for address in addresses {
        if source.is_some_and(|source| source.is_ipv4() != address.is_ipv4()) {
            last = Failure::new(
                ErrorKind::Network,
                format!("no source address to reach {address}"),
            );
            continue;
        }
        match connect_tcp(SocketAddr::new(*address, port), source).await {
            Ok(stream) => return Ok(stream),
            Err(error) => {
                last = Failure::connecting(&error);
                last.detail = format!("{address}:{port}: {}", last.detail);
            }
        }
    }
    Err(last)
}

async fn connect_tcp(
    address: SocketAddr,
    source: Option<IpAddr>,
) -> io::Result<tokio::net::TcpStream> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()?
    } else {
        TcpSocket::new_v6()?
    };
    socket.set_nodelay(true)?;
    if let Some(source) = source {
        bind_late(&socket);
        socket.bind(SocketAddr::new(source, 0))?;
    }
    socket.connect(address).await
}

/// Lets the kernel choose the port at connect time, by both ends, so that one source address
/// serves more than one port range of connections.
fn bind_late(socket: &TcpSocket) {
    use std::os::fd::AsRawFd as _;
    let on: libc::c_int = 1;
    // SAFETY: `on` lives through the call and its size is given. A kernel that refuses picks
    // the port at once, which works as well.
    unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_IP,
            libc::IP_BIND_ADDRESS_NO_PORT,
            (&raw const on).cast(),
            size_of_val(&on) as libc::socklen_t,
        )
    };
}

async fn handshake(
    stream: &mut Stream,
    endpoint: &Endpoint,
    config: &Arc<ClientConfig>,
) -> Result<ClientConnection, Failure> {
    let name = endpoint.server_name.as_deref().unwrap_or(&endpoint.host);
    let name = name
        .trim_start_matches('[')
        .trim_end_matches(']')
        .to_owned();
    let name = ServerName::try_from(name)
        .map_err(|error| Failure::new(ErrorKind::TlsHandshake, error.to_string()))?;
    let mut tls = ClientConnection::new(Arc::clone(config), name)
        .map_err(|error| tls::failure(&error, true))?;
    let mut buffer = vec![0; 8 * 1024];
    while tls.is_handshaking() || tls.wants_write() {
        if tls.wants_write() {
            match send_tls(stream, &mut tls) {
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
        let mut cipher = &buffer[..bytes];
        while !cipher.is_empty() {
            tls.read_tls(&mut cipher)
                .map_err(|error| handshake_io(&error))?;
            if let Err(error) = tls.process_new_packets() {
                // The alert tells the server why; whether it arrives does not matter.
                let _ = send_tls(stream, &mut tls);
                return Err(tls::failure(&error, true));
            }
        }
    }
    Ok(tls)
}

fn handshake_io(error: &io::Error) -> Failure {
    Failure::new(ErrorKind::TlsHandshake, error.to_string())
}

/// Takes the status of the proxy's answer.
#[derive(Default)]
struct TunnelAnswer(u16);

impl Sink for TunnelAnswer {
    fn head(&mut self, head: &Head<'_>) {
        self.0 = head.status;
    }

    fn body(&mut self, _: &[u8]) {}
}

/// Opens a tunnel through the proxy (RFC 9110, 9.3.6).
async fn tunnel(stream: &mut Stream, endpoint: &Endpoint, proxy: &Proxy) -> Result<(), Failure> {
    let refused = |detail: String| Failure::new(ErrorKind::Proxy, detail);
    let authority = format!("{}:{}", endpoint.host, endpoint.port);
    let mut request = Vec::new();
    let mut head = RequestHead::new(
        &mut request,
        "CONNECT",
        Target::Authority(&authority),
        &authority,
    )
    .map_err(|error| refused(error.to_string()))?;
    if let Some(authorization) = &proxy.authorization {
        head.header("Proxy-Authorization", authorization.as_bytes())
            .map_err(|error| refused(error.to_string()))?;
    }
    head.finish(BodyFraming::None);
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
        &Limits {
            body_bytes: 1 << 20,
            ..Limits::default()
        },
    );
    let mut answer = TunnelAnswer::default();
    // One byte at a time would be needed to never read into the tunnel; a server that waits
    // for our TLS hello sends nothing before it.
    let mut buffer = vec![0; 4096];
    loop {
        let bytes = poll_fn(|cx| stream.poll_read(cx, &mut buffer)).await;
        let bytes = bytes.map_err(|error| refused(error.to_string()))?;
        let progress = match bytes {
            0 => reader.end_of_stream(&mut answer),
            _ => reader.feed(&buffer[..bytes], &mut answer),
        };
        match progress.map_err(|error| refused(error.to_string()))? {
            Progress::NeedMore => {}
            Progress::Upgraded { .. } => return Ok(()),
            Progress::Done { .. } => {
                return Err(refused(format!(
                    "the proxy answered {} to CONNECT",
                    answer.0
                )));
            }
        }
    }
}

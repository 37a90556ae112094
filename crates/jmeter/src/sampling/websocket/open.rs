//! A connection is made, and the server asked to switch to WebSocket on it.

use std::rc::Rc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use plimsoll_stats::ErrorKind;

use super::super::dial::{Undialled, dial};
use super::super::waits::{said, until};
use super::asked::{AskedSocket, SocketTimeouts};
use super::thrown::SocketThrown;
use crate::element_user::ElementUser;
use crate::http::handshake_words;
use crate::thread::ElementThread;
use plimsoll_load::clock::Nanos;
use plimsoll_load::kit::driver::Endpoint;
use plimsoll_load::kit::driver::NameResolver;
use plimsoll_load::kit::driver::{ConnectTimes, Connection};
use plimsoll_load::kit::failure::Failure;
use plimsoll_load::kit::user::Cut;
use plimsoll_load::kit::websocket::{BareSocket, proof};

/// Most bytes of the head of a response.
const MAX_HEAD_BYTES: usize = 1 << 20;

/// Headers that are the handshake's own: the plan's of these names are left out.
const OWN_HEADERS: [&str; 5] = [
    "host",
    "upgrade",
    "connection",
    "sec-websocket-key",
    "sec-websocket-version",
];

/// A connection that speaks WebSocket.
pub(super) struct OpenedSocket {
    pub(super) socket: BareSocket,
    /// Bytes of the request.
    pub(super) sent_bytes: u64,
    /// Bytes of the response.
    pub(super) received_bytes: u64,
    /// The response's headers, by their names.
    pub(super) headers: Vec<(String, String)>,
}

/// What a wait ended with.
type Waited<T> = Result<Result<T, SocketThrown>, Cut>;

fn after(user: &ElementUser<'_>, ms: u64) -> Nanos {
    match Duration::from_millis(ms).as_nanos() {
        0 => Nanos::MAX,
        ns => {
            let now = user.thread.clock.now_ns();
            now.saturating_add(u64::try_from(ns).unwrap_or(u64::MAX))
        }
    }
}

/// Takes more of what a connection brings; `false`: the other side sends no more.
pub(super) async fn receive(
    user: &ElementUser<'_>,
    socket: &mut BareSocket,
    read_ms: u64,
) -> Waited<bool> {
    let thread = Rc::clone(&user.thread);
    let receiving = socket.receive(&thread.engine);
    Ok(match until(user, after(user, read_ms), receiving).await? {
        None => Err(SocketThrown::Late),
        Some(Ok(bytes)) => Ok(bytes > 0),
        Some(Err(failure)) => Err(SocketThrown::of(&failure)),
    })
}

/// Sends bytes, however long it takes, as Java does.
pub(super) async fn send(
    user: &ElementUser<'_>,
    socket: &mut BareSocket,
    bytes: &[u8],
) -> Waited<()> {
    let sent = until(user, Nanos::MAX, socket.send(bytes)).await?;
    Ok(sent.unwrap_or(Ok(())).map_err(|error| {
        let kind = Failure::talking(&error).kind;
        SocketThrown::Io(said(&error), kind)
    }))
}

/// Makes a connection.
async fn connect(
    user: &ElementUser<'_>,
    asked: &AskedSocket,
    port: u16,
    timeouts: SocketTimeouts,
) -> Waited<Connection> {
    let thread = Rc::clone(&user.thread);
    // Java's address of no name.
    let server = match asked.server.trim() {
        "" => "127.0.0.1",
        named => named.trim_matches(['[', ']']),
    };
    match asked.tls {
        true => connect_tls(user, &thread, server, port, timeouts).await,
        false => connect_plain(user, &thread, server, port, timeouts).await,
    }
}

fn unknown(server: &str) -> SocketThrown {
    SocketThrown::Io(server.to_owned(), ErrorKind::UnknownHost)
}

fn late() -> SocketThrown {
    SocketThrown::Io("Connect timed out".to_owned(), ErrorKind::ConnectTimeout)
}

fn not_allowed(place: &str) -> SocketThrown {
    let text = format!("Host not allowed: {place}");
    SocketThrown::Io(text, ErrorKind::HostNotAllowed)
}

async fn connect_plain(
    user: &ElementUser<'_>,
    thread: &ElementThread,
    server: &str,
    port: u16,
    timeouts: SocketTimeouts,
) -> Waited<Connection> {
    let dialling = dial(thread, server, port, None);
    let dialled = until(user, after(user, timeouts.connect_ms), dialling).await?;
    Ok(match dialled {
        None => Err(late()),
        Some(Ok(stream)) => {
            // The plugin sends small frames, which Java's sockets would hold back; nothing waits here either way.
            let _ = stream.set_nodelay(true);
            Ok(Connection::new(stream, None))
        }
        Some(Err(Undialled::NotAllowed(place))) => Err(not_allowed(&place)),
        Some(Err(Undialled::Unknown)) => Err(unknown(server)),
        Some(Err(Undialled::Failed(error))) => {
            let kind = Failure::connecting(&error).kind;
            Err(SocketThrown::Io(said(&error), kind))
        }
    })
}

async fn connect_tls(
    user: &ElementUser<'_>,
    thread: &ElementThread,
    server: &str,
    port: u16,
    timeouts: SocketTimeouts,
) -> Waited<Connection> {
    let host = match server.contains(':') {
        true => format!("[{server}]"),
        false => server.to_owned(),
    };
    if !thread.hosts.allows_place(&host, port) {
        return Ok(Err(not_allowed(&format!("{host}:{port}"))));
    }
    let jmeter = &thread.jmeter;
    let tls = thread.http.trusting(&jmeter.plan_folder, &jmeter.access);
    let tls = match tls {
        Ok(tls) => tls,
        Err(why) => return Ok(Err(SocketThrown::Io(why, ErrorKind::TlsHandshake))),
    };
    let endpoint = Endpoint {
        host,
        port,
        tls: Some(tls),
        server_name: None,
        proxy: None,
        unix_socket: None,
        source_addresses: Vec::new(),
        resolver: Rc::new(NameResolver::default()),
        profile: 0,
    };
    let mut times = ConnectTimes::default();
    let until_ns = after(user, timeouts.connect_ms.saturating_add(timeouts.read_ms));
    let connecting = thread.dialer.connect(&endpoint, 0, &mut times);
    let connected = until(user, until_ns, connecting).await?;
    Ok(match connected {
        None => Err(late()),
        Some(Ok(connection)) => Ok(connection),
        Some(Err(failure)) if failure.kind == ErrorKind::UnknownHost => Err(unknown(server)),
        Some(Err(failure)) => Err(match handshake_words(&failure) {
            Some((_, text)) => SocketThrown::Io(text, failure.kind),
            None => SocketThrown::of(&failure),
        }),
    })
}

/// Makes a connection and switches it to WebSocket. `connected`: bytes to this server from now on.
pub(super) async fn open(
    user: &mut ElementUser<'_>,
    asked: &AskedSocket,
    headers: &[(String, String)],
    timeouts: SocketTimeouts,
) -> Waited<OpenedSocket> {
    let port = asked.port.parse().unwrap_or(0);
    let connection = match connect(user, asked, port, timeouts).await? {
        Ok(connection) => connection,
        Err(thrown) => return Ok(Err(thrown)),
    };
    let mut socket = BareSocket::new(connection);
    let key: [u8; 16] = std::array::from_fn(|_| user.random.bits().to_le_bytes()[0]);
    let key = STANDARD.encode(key);
    let request = match request(asked, headers, &key) {
        Ok(request) => request,
        Err(thrown) => return Ok(Err(thrown)),
    };
    if let Err(thrown) = send(user, &mut socket, request.as_bytes()).await? {
        return Ok(Err(thrown));
    }
    let mut head = ResponseHead::default();
    loop {
        match head.take(&mut socket, &key) {
            Err(thrown) => return Ok(Err(thrown)),
            Ok(true) => break,
            Ok(false) => {}
        }
        match receive(user, &mut socket, timeouts.read_ms).await? {
            Err(thrown) => return Ok(Err(thrown)),
            Ok(true) => {}
            Ok(false) => {
                head.ended = true;
            }
        }
    }
    Ok(Ok(OpenedSocket {
        socket,
        sent_bytes: request.len() as u64,
        received_bytes: head.bytes,
        headers: head.headers,
    }))
}

/// The request that switches, in the plugin's order.
fn request(
    asked: &AskedSocket,
    headers: &[(String, String)],
    key: &str,
) -> Result<String, SocketThrown> {
    use std::fmt::Write as _;
    let mut request = format!("GET {} HTTP/1.1\r\n", asked.file_part());
    // Writing to a String does not fail.
    let _ = write!(request, "Host: {}:{}\r\n", asked.server, asked.port);
    for (name, value) in headers {
        if OWN_HEADERS.contains(&name.to_ascii_lowercase().as_str()) {
            continue;
        }
        if name.contains(['\r', '\n']) || value.contains(['\r', '\n']) {
            let text = "java.lang.IllegalArgumentException: Invalid header; contains new line.";
            return Err(SocketThrown::Other(text.to_owned()));
        }
        let _ = write!(request, "{name}: {value}\r\n");
    }
    let _ = write!(
        request,
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n\
         Sec-WebSocket-Version: 13\r\n\r\n"
    );
    Ok(request)
}

/// The head of the response, as far as it came.
#[derive(Default)]
struct ResponseHead {
    status_taken: bool,
    headers: Vec<(String, String)>,
    bytes: u64,
    /// The other side sends no more.
    ended: bool,
}

impl ResponseHead {
    /// Takes the lines that came; `true`: the server has switched.
    fn take(&mut self, socket: &mut BareSocket, key: &str) -> Result<bool, SocketThrown> {
        while let Some(line) = self.line(socket)? {
            if !self.status_taken {
                switched(&line)?;
                self.status_taken = true;
                continue;
            }
            if let Some((name, value)) = line.split_once(':') {
                self.header(name, value.trim_matches(|c: char| c <= ' '));
            }
            if line.chars().all(|c| c <= ' ') {
                return self.agreed(key).map(|()| true);
            }
        }
        match (self.ended, self.status_taken) {
            (false, _) => Ok(false),
            (true, true) => self.agreed(key).map(|()| true),
            (true, false) => Err(SocketThrown::Io(
                "Empty response; connection closed.".to_owned(),
                ErrorKind::ConnectionClosed,
            )),
        }
    }

    /// The next line, without its end; of what ends without one, all.
    fn line(&mut self, socket: &mut BareSocket) -> Result<Option<String>, SocketThrown> {
        let unread = socket.unread();
        let end = unread.iter().position(|byte| *byte == b'\n');
        let bytes = match end {
            Some(end) => end + 1,
            None if self.ended && !unread.is_empty() => unread.len(),
            None if unread.len() > MAX_HEAD_BYTES => {
                let text = format!("a head of more than {MAX_HEAD_BYTES} bytes");
                return Err(SocketThrown::Io(text, ErrorKind::HeaderLimit));
            }
            None => return Ok(None),
        };
        let kept = unread[..bytes]
            .iter()
            .filter(|byte| !matches!(byte, b'\r' | b'\n'));
        let line = kept.map(|byte| match byte.is_ascii() {
            true => char::from(*byte),
            false => char::REPLACEMENT_CHARACTER,
        });
        let line = line.collect();
        socket.take(bytes);
        self.bytes += bytes as u64;
        Ok(Some(line))
    }

    /// Headers of a name follow each other; all are in the order of their names.
    fn header(&mut self, name: &str, value: &str) {
        let key = name.to_lowercase();
        match self
            .headers
            .binary_search_by_key(&key, |(known, _)| known.to_lowercase())
        {
            Ok(at) => {
                let known = &mut self.headers[at].1;
                known.push_str(", ");
                known.push_str(value);
            }
            Err(at) => self.headers.insert(at, (name.to_owned(), value.to_owned())),
        }
    }

    /// Whether the server agrees to WebSocket.
    fn agreed(&self, key: &str) -> Result<(), SocketThrown> {
        let value = |name: &str| {
            let mut found = self.headers.iter();
            found
                .find(|(known, _)| known.eq_ignore_ascii_case(name))
                .map(|(_, value)| value)
        };
        let is = |name: &str, wanted: &str| {
            value(name).is_some_and(|value| value.to_lowercase() == wanted)
        };
        let wrong = |text: &str| SocketThrown::Refused {
            status: None,
            text: text.to_owned(),
        };
        let what = "Server response should contain";
        if !is("upgrade", "websocket") {
            return Err(wrong(&format!(
                "{what} 'Upgrade' header with value 'websocket'"
            )));
        }
        if !is("connection", "upgrade") {
            return Err(wrong(&format!(
                "{what} 'Connection' header with value 'Upgrade'"
            )));
        }
        match value("sec-websocket-accept") {
            None => Err(wrong(&format!("{what} 'Sec-WebSocket-Accept' header"))),
            Some(value) if *value != proof(key) => Err(wrong(
                "Server response header 'Sec-WebSocket-Accept' has incorrect value.",
            )),
            Some(_) => Ok(()),
        }
    }
}

/// Whether a status line says that the server switches.
fn switched(line: &str) -> Result<(), SocketThrown> {
    let bytes = line.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let is_http = line.starts_with("HTTP/") && digit(5) && bytes.get(6) == Some(&b'.') && digit(7);
    let status = line.get(9..12).filter(|_| is_http && bytes[8] == b' ');
    let Some(status) = status.and_then(|digits| digits.parse::<u16>().ok()) else {
        return Err(SocketThrown::Io(
            "Invalid status line".to_owned(),
            ErrorKind::MalformedResponse,
        ));
    };
    if status == 101 {
        return Ok(());
    }
    Err(SocketThrown::Refused {
        status: Some(status),
        text: format!("Got unexpected status {status} with statusLine:{line}"),
    })
}

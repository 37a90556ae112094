//! One request to a component: whether it is ready, and what it says of itself. Not the engine's: nothing here is
//! measured.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use url::Url;

/// As much of a response is read.
const MOST_BYTES: u64 = 4 << 20;

/// A response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// Its status.
    pub status: u16,
    /// Its body.
    pub body: String,
}

/// Whether something accepts connections at `host:port`.
#[must_use]
pub fn accepts(address: &str, within: Duration) -> bool {
    connect(address, within).is_ok()
}

fn connect(address: &str, within: Duration) -> io::Result<TcpStream> {
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for address in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, within) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Fetches an `http` URL.
///
/// # Errors
/// If there is no response in time, or none that is understood.
pub fn fetch(url: &Url, within: Duration) -> io::Result<Fetched> {
    let wrong = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let host = url.host_str().ok_or_else(|| wrong("host"))?;
    let port = url.port_or_known_default().unwrap_or(80);
    let mut stream = connect(&format!("{host}:{port}"), within)?;
    stream.set_read_timeout(Some(within))?;
    stream.set_write_timeout(Some(within))?;
    let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
    // The older version has no chunks, and ends with the connection.
    let request = format!(
        "GET {path} HTTP/1.0\r\nHost: {host}:{port}\r\nAccept: */*\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes())?;
    let mut bytes = Vec::new();
    stream.take(MOST_BYTES).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let (head, body) = text.split_once("\r\n\r\n").ok_or_else(|| wrong("head"))?;
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|code| code.get(..3)?.parse().ok());
    Ok(Fetched {
        status: status.ok_or_else(|| wrong("status"))?,
        body: body.to_owned(),
    })
}

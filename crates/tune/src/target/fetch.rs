//! One request to a component: whether it is ready, and what it says of itself. Not the engine's: nothing here is
//! measured.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use plimsoll_run::Interrupt;
use url::Url;

/// As much of a response is read.
const MOST_BYTES: u64 = 4 << 20;

/// How often it is looked whether somebody ends the study.
const LOOK: Duration = Duration::from_millis(100);

/// A response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// Its status.
    pub status: u16,
    /// Its body.
    pub body: String,
}

/// Reads until the response is whole, the time is over, it is too long, or somebody ends the study.
fn response(stream: &mut TcpStream, until: Instant, interrupt: &Interrupt) -> io::Result<Vec<u8>> {
    let (mut bytes, mut chunk) = (Vec::new(), [0; 16 << 10]);
    loop {
        let head = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let body = head.map_or(0, |head| bytes.len() - head - 4);
        let whole = head.and_then(|head| content_length(&bytes[..head]));
        if whole.is_some_and(|whole| body >= whole) || bytes.len() as u64 >= MOST_BYTES {
            return Ok(bytes);
        }
        let left = until.saturating_duration_since(Instant::now());
        let is_over = left.is_zero() || interrupt.is_hit();
        let read = match is_over {
            true => Err(io::Error::from(io::ErrorKind::TimedOut)),
            false => stream
                .set_read_timeout(Some(left.min(LOOK)))
                .and_then(|()| stream.read(&mut chunk)),
        };
        let goes_on = [
            io::ErrorKind::Interrupted,
            io::ErrorKind::WouldBlock,
            io::ErrorKind::TimedOut,
        ];
        match read {
            Ok(0) => return Ok(bytes),
            Ok(count) => bytes.extend_from_slice(&chunk[..count]),
            Err(error) if !is_over && goes_on.contains(&error.kind()) => {}
            Err(_) if head.is_some() => return Ok(bytes),
            Err(error) => return Err(error),
        }
    }
}

fn content_length(head: &[u8]) -> Option<usize> {
    let head = String::from_utf8_lossy(head);
    let mut fields = head.lines().filter_map(|line| line.split_once(':'));
    let length = fields.find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    length?.1.trim().parse().ok()
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

/// Fetches an `http` URL. Of a response that goes on longer than the time allows, what came by then.
///
/// # Errors
/// If there is no response in time, or none that is understood.
pub fn fetch(url: &Url, within: Duration) -> io::Result<Fetched> {
    fetch_unless(url, within, &Interrupt::default())
}

/// The same, ended when somebody ends the study.
///
/// # Errors
/// The same.
pub fn fetch_unless(url: &Url, within: Duration, interrupt: &Interrupt) -> io::Result<Fetched> {
    let wrong = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let host = url.host_str().ok_or_else(|| wrong("host"))?;
    let port = url.port_or_known_default().unwrap_or(80);
    let until = Instant::now() + within;
    let mut stream = connect(&format!("{host}:{port}"), within)?;
    stream.set_write_timeout(Some(within))?;
    let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
    // The older version has no chunks, and ends with the connection.
    let request = format!(
        "GET {path} HTTP/1.0\r\nHost: {host}:{port}\r\nAccept: */*\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes())?;
    let bytes = response(&mut stream, until, interrupt)?;
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    /// What comes of one request to a server that says something, then goes on as it likes.
    fn of_server(serve: impl FnOnce(&mut TcpStream) + Send + 'static) -> io::Result<Fetched> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/a", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 4096]);
            serve(&mut stream);
        });
        fetch(&url.parse().unwrap(), Duration::from_secs(1))
    }

    /// Goes on for ever, a little at a time.
    fn trickle(stream: &mut TcpStream) {
        while stream.write_all(b"x").is_ok() {
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    #[test]
    fn whoever_ends_the_study_does_not_wait_for_a_response() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/a", listener.local_addr().unwrap());
        let interrupt = Interrupt::default();
        let ends = interrupt.clone();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nx").unwrap();
            ends.stop();
            trickle(&mut stream);
        });
        // Else it would wait for an hour.
        let hour = Duration::from_secs(3600);
        let fetched = fetch_unless(&url.parse().unwrap(), hour, &interrupt);
        assert_ne!(fetched.ok().map(|it| it.status), Some(404));
    }

    #[test]
    fn a_response_ends_with_its_length_the_connection_or_the_time() {
        let whole = of_server(|stream| {
            stream
                .write_all(b"HTTP/1.1 200 OK\r\ncontent-Length: 5\r\n\r\nhello")
                .unwrap();
            // The connection stays.
            let _ = stream.read(&mut [0; 1]);
        });
        assert_eq!(whole.unwrap().body, "hello");
        let closed = of_server(|stream| stream.write_all(b"HTTP/1.0 404 No\r\n\r\nno").unwrap());
        let closed = closed.unwrap();
        assert_eq!((closed.status, closed.body.as_str()), (404, "no"));
        let streamed = of_server(|stream| {
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
            trickle(stream);
        });
        let streamed = streamed.unwrap();
        assert!(streamed.status == 200 && streamed.body.starts_with('x'));
        assert!(of_server(trickle).is_err());
    }
}

//! Short questions to services of this host: what are you?

use std::collections::HashMap;
use std::io::{Error, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use crate::proc::Pid;

/// Nobody on the same host takes longer to say what it is, or to go on saying it.
const LIMIT: Duration = Duration::from_millis(500);
/// What comes later is not waited for: a stream that never ends must not hold up the search.
const WHOLE: Duration = Duration::from_secs(1);
/// More of a response is not read.
const MAX_BYTES: usize = 32 << 10;
/// So often a door is asked in vain.
const MOST_ASKED: u32 = 4;
/// Where an actuator usually is, and where nginx' status.
const ACTUATORS: [&str; 2] = ["/actuator", "/manage"];
const PPROF: &str = "/debug/pprof/";
const INSPECTOR: &str = "/json/list";
const STATUSES: [&str; 4] = ["/stub_status", "/nginx_status", "/basic_status", "/status"];

/// Doors that were asked what is behind them: searches come again and again, and what they ask stands in access logs.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct AskedDoors {
    /// The path that was found, or how often nothing was.
    doors: HashMap<(Pid, SocketAddr), Result<String, u32>>,
}

impl AskedDoors {
    /// The path behind a door of a process: as it was found, or by asking. One that is not ready yet is asked again, a few
    /// times.
    pub(super) fn path(
        &mut self,
        pid: Pid,
        door: SocketAddr,
        ask: impl FnOnce() -> Option<String>,
    ) -> Option<String> {
        let known = self.doors.entry((pid, door)).or_insert(Err(0));
        let in_vain = known.as_ref().err().copied();
        if let Some(times) = in_vain.filter(|times| *times < MOST_ASKED) {
            *known = ask().ok_or(times + 1);
        }
        known.clone().ok()
    }
}

/// The path of the actuator that responds there; `hints` is where the command line puts it.
pub(super) fn actuator(at: SocketAddr, hints: &[String]) -> Option<String> {
    let mut paths: Vec<&str> = Vec::new();
    for path in hints.iter().map(String::as_str).chain(ACTUATORS) {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    first(at, paths.into_iter(), |body| {
        body.contains("\"_links\"") && body.contains("\"self\"")
    })
}

/// The path of the stub_status that responds there.
pub(super) fn stub_status(at: SocketAddr) -> Option<String> {
    first(at, STATUSES.into_iter(), |body| {
        body.trim_start().starts_with("Active connections:")
    })
}

/// The path of Go's pprof that responds there: its page names the profiles.
pub(super) fn pprof(at: SocketAddr) -> Option<String> {
    first(at, [PPROF].into_iter(), |body| {
        body.contains("goroutine?debug=")
    })
}

/// The path at which the inspector of a Node.js process lists what can be looked at.
pub(super) fn inspector(at: SocketAddr) -> Option<String> {
    first(at, [INSPECTOR].into_iter(), |body| {
        body.contains("webSocketDebuggerUrl")
    })
}

/// The first path whose response is what is looked for; one that does not respond at all ends it.
fn first<'a>(
    at: SocketAddr,
    mut paths: impl Iterator<Item = &'a str>,
    is_it: impl Fn(&str) -> bool,
) -> Option<String> {
    let found = paths.find_map(|path| match get(at, path) {
        Ok(response) => body(&response)
            .filter(|body| is_it(body))
            .map(|_| Some(path)),
        Err(_) => Some(None),
    });
    found.flatten().map(str::to_owned)
}

fn get(at: SocketAddr, path: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&at, LIMIT)?;
    stream.set_write_timeout(Some(LIMIT))?;
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: {at}\r\nUser-Agent: plimsoll\r\nAccept: */*\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes())?;
    let bytes = read(&mut stream)?;
    // Who speaks another protocol is not asked again.
    match bytes.is_empty() || bytes.starts_with(b"HTTP/") {
        true => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        false => Err(Error::from(ErrorKind::InvalidData)),
    }
}

/// What comes in time. A service that says enough and then stays silent has responded.
fn read(stream: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let until = Instant::now() + WHOLE;
    let mut bytes = Vec::new();
    let mut part = [0; 4096];
    while bytes.len() < MAX_BYTES {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        stream.set_read_timeout(Some(left.min(LIMIT)))?;
        match stream.read(&mut part) {
            Ok(0) => break,
            Ok(count) => bytes.extend_from_slice(&part[..count]),
            Err(error) if bytes.is_empty() => return Err(error),
            Err(_) => break,
        }
    }
    Ok(bytes)
}

/// The body of a response that is a success; chunks stay as they are, which is good enough to
/// look for a word.
fn body(response: &str) -> Option<&str> {
    let (head, body) = response.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?;
    let chunked = head
        .to_ascii_lowercase()
        .contains("transfer-encoding: chunked");
    let first_line = body.split_once("\r\n").filter(|_| chunked);
    (status == "200").then(|| first_line.map_or(body, |(_, rest)| rest))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// A service that responds to each request by its path.
    fn service(response: impl Fn(&str) -> Option<String> + Send + 'static) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut bytes = [0; 1024];
                let count = stream.read(&mut bytes).unwrap_or(0);
                let text = String::from_utf8_lossy(&bytes[..count]).into_owned();
                if let Some(response) = response(text.split(' ').nth(1).unwrap_or_default()) {
                    let _ = stream.write_all(response.as_bytes());
                }
            }
        });
        address
    }

    #[test]
    fn a_door_is_asked_a_few_times_and_what_is_found_is_kept() {
        let (mut asked, door) = (AskedDoors::default(), "127.0.0.1:1".parse().unwrap());
        let mut times = 0;
        for _ in 0..20 {
            let path = asked.path(7, door, || {
                times += 1;
                None
            });
            assert_eq!(path, None);
        }
        assert_eq!(times, MOST_ASKED);
        // Another process at the same port.
        let found = || Some("/manage".to_owned());
        assert_eq!(asked.path(8, door, found), found());
        assert_eq!(asked.path(8, door, || panic!("asked again")), found());
    }

    #[test]
    fn an_actuator_is_known_by_its_links() {
        let links = "{\"_links\":{\"self\":{\"href\":\"x\"}}}";
        let at = service(move |path| {
            Some(match path {
                "/ops" => format!(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n21\r\n{links}\r\n0\r\n\r\n"
                ),
                _ => "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_owned(),
            })
        });
        assert_eq!(actuator(at, &[]), None);
        assert_eq!(actuator(at, &["/ops".to_owned()]), Some("/ops".to_owned()));
        assert_eq!(stub_status(at), None);
    }

    #[test]
    fn silence_and_garbage_are_no_response() {
        let silent = service(|_| None);
        assert_eq!(actuator(silent, &[]), None);
        let garbage = service(|_| Some("\u{1}\u{2} 5.5.5-MariaDB".to_owned()));
        assert_eq!(stub_status(garbage), None);
        let status = "HTTP/1.1 200 OK\r\n\r\nActive connections: 1 \nserver accepts handled\n";
        let at = service(|path| (path == "/nginx_status").then(|| status.to_owned()));
        assert_eq!(stub_status(at), Some("/nginx_status".to_owned()));
    }

    #[test]
    fn a_response_without_an_end_is_given_up() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut text = &b"HTTP/1.1 200 OK\r\n\r\n"[..];
                while stream.write_all(text).is_ok() {
                    std::thread::sleep(Duration::from_millis(20));
                    text = b"x";
                }
            }
        });
        assert_eq!(actuator(at, &[]), None);
    }
}

//! A well-behaved HTTP/1.1 server that responds as the test says, and remembers.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};

/// A request as it came.
#[derive(Debug, Clone, Default)]
pub struct Request {
    pub method: String,
    /// Path and query, or what else stood there.
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Number of its connection, from 0.
    pub connection: usize,
    /// Where it came from; none for Unix sockets.
    pub from: Option<SocketAddr>,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self
            .headers
            .iter()
            .find(|(other, _)| other.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap()
    }
}

/// A response.
pub struct Response {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Response {
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: body.into(),
        }
    }

    pub fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self::new(200, body)
    }

    pub fn redirect(status: u16, to: &str) -> Self {
        Self::new(status, "").with("Location", to)
    }

    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    fn bytes(&self, is_head: bool) -> Vec<u8> {
        let mut head = format!("HTTP/1.1 {} Something\r\n", self.status);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("Content-Length: {}\r\n\r\n", self.body.len()));
        let body: &[u8] = if is_head { b"" } else { &self.body };
        [head.as_bytes(), body].concat()
    }
}

type Handler = dyn Fn(&Request) -> Response + Send + Sync;

#[derive(Clone)]
pub struct HttpServer {
    authority: String,
    seen: Arc<Mutex<Vec<Request>>>,
}

impl HttpServer {
    pub fn start(handler: impl Fn(&Request) -> Response + Send + Sync + 'static) -> Self {
        Self::at("127.0.0.1:0", handler)
    }

    pub fn hello() -> Self {
        Self::start(|_| Response::ok("hello"))
    }

    pub fn at(
        address: &str,
        handler: impl Fn(&Request) -> Response + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let server = Self {
            authority: listener.local_addr().unwrap().to_string(),
            seen: Arc::default(),
        };
        let (seen, handler) = (Arc::clone(&server.seen), Arc::new(handler));
        std::thread::spawn(move || {
            for (number, stream) in listener.incoming().flatten().enumerate() {
                let (seen, handler) = (Arc::clone(&seen), Arc::clone(&handler));
                std::thread::spawn(move || {
                    stream.set_nodelay(true)?;
                    let from = stream.peer_addr().ok();
                    let reader = stream.try_clone()?;
                    talk(reader, stream, number, from, &seen, &*handler)
                });
            }
        });
        server
    }

    /// Listens on a Unix socket.
    pub fn unix(path: &std::path::Path) -> Self {
        let listener = std::os::unix::net::UnixListener::bind(path).unwrap();
        let server = Self {
            authority: String::new(),
            seen: Arc::default(),
        };
        let seen = Arc::clone(&server.seen);
        std::thread::spawn(move || {
            for (number, stream) in listener.incoming().flatten().enumerate() {
                let seen = Arc::clone(&seen);
                std::thread::spawn(move || {
                    let reader = stream.try_clone()?;
                    talk(reader, stream, number, None, &seen, &|_: &Request| {
                        Response::ok("hello")
                    })
                });
            }
        });
        server
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.authority)
    }

    pub fn authority(&self) -> &str {
        &self.authority
    }

    pub fn port(&self) -> &str {
        self.authority.rsplit(':').next().unwrap()
    }

    /// The requests so far.
    pub fn seen(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }

    pub fn targets(&self) -> Vec<String> {
        self.seen()
            .into_iter()
            .map(|request| request.target)
            .collect()
    }
}

fn talk(
    reader: impl Read,
    mut writer: impl Write,
    connection: usize,
    from: Option<SocketAddr>,
    seen: &Mutex<Vec<Request>>,
    handler: &Handler,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(reader);
    while let Some(mut request) = read_head(&mut reader)? {
        request.connection = connection;
        request.from = from;
        if request
            .header("expect")
            .is_some_and(|value| value.eq_ignore_ascii_case("100-continue"))
        {
            writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        let length = request
            .header("content-length")
            .map_or(0, |value| value.parse().unwrap());
        request.body = vec![0; length];
        reader.read_exact(&mut request.body)?;
        let closes = request.header("connection") == Some("close");
        seen.lock().unwrap().push(request.clone());
        let response = handler(&request);
        writer.write_all(&response.bytes(request.method == "HEAD"))?;
        if closes {
            return Ok(());
        }
    }
    Ok(())
}

/// Reads a request's head; none: the other side closed.
pub fn read_head(reader: &mut impl BufRead) -> std::io::Result<Option<Request>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split(' ').map(str::to_owned);
    let mut request = Request {
        method: words.next().unwrap_or_default(),
        target: words.next().unwrap_or_default(),
        ..Request::default()
    };
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            return Ok(Some(request));
        };
        request
            .headers
            .push((name.to_owned(), value.trim().to_owned()));
    }
}

//! A TCP server that misbehaves.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Listens on a free port and gives each connection to a function of the test, on a thread
/// of its own, until the test process ends.
pub struct RawServer {
    address: SocketAddr,
    connections: Arc<AtomicU64>,
}

impl RawServer {
    pub fn start(serve: impl Fn(TcpStream) -> std::io::Result<()> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::<AtomicU64>::default();
        let (serve, counted) = (Arc::new(serve), Arc::clone(&connections));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                counted.fetch_add(1, Ordering::SeqCst);
                let serve = Arc::clone(&serve);
                // A connection that breaks is what these tests are about.
                std::thread::spawn(move || serve(stream).ok());
            }
        });
        Self {
            address,
            connections,
        }
    }

    /// Responds to each request with these bytes, then closes.
    pub fn responding(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self::start(move |mut stream| {
            read_head(&mut stream)?;
            stream.write_all(&bytes)
        })
    }

    /// Responds with a beginning, and then with the same again and again for ever.
    pub fn endless(begin: &'static str, again: &'static str) -> Self {
        Self::start(move |mut stream| {
            read_head(&mut stream)?;
            stream.write_all(begin.as_bytes())?;
            let many = again.repeat(64);
            loop {
                stream.write_all(many.as_bytes())?;
            }
        })
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    pub fn connections(&self) -> u64 {
        self.connections.load(Ordering::SeqCst)
    }
}

/// Reads a request's head.
pub fn read_head(stream: &mut TcpStream) -> std::io::Result<String> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut head = String::new();
    loop {
        let begin = head.len();
        let read = reader.read_line(&mut head)?;
        if read == 0 || head[begin..] == *"\r\n" {
            return Ok(head);
        }
    }
}

/// Reads until the other side closes.
pub fn read_to_end(stream: &mut TcpStream) {
    let mut sink = [0; 4096];
    while matches!(stream.read(&mut sink), Ok(read) if read > 0) {}
}

/// Closes with a reset instead of a goodbye.
pub fn reset(stream: TcpStream) {
    // Closing with unread bytes makes the kernel send a reset, as SO_LINGER 0 does.
    std::thread::sleep(Duration::from_millis(5));
    drop(stream);
}

/// An address that nobody listens on.
pub fn refusing_url() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

/// A name server that knows no name; its address.
pub fn knows_no_name() -> SocketAddr {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    std::thread::spawn(move || {
        let mut question = [0; 512];
        while let Ok((length, from)) = socket.recv_from(&mut question) {
            question[2] |= 0x80; // A response …
            question[3] = (question[3] & 0xf0) | 3; // … that says: no such name.
            let _ = socket.send_to(&question[..length], from);
        }
    });
    address
}

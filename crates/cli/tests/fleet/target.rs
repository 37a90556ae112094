//! A target that counts: when each request had come, and from which host.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::net::{IpAddr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Instant;

/// One request.
#[derive(Debug, Clone, Copy)]
pub struct Seen {
    pub at: Instant,
    pub from: IpAddr,
}

/// The target; its threads end with the test.
#[derive(Clone)]
pub struct Target {
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Target {
    /// Listens on that address in another network namespace.
    pub fn start(namespace: File, address: &'static str) -> Self {
        let target = Self {
            seen: Arc::default(),
        };
        let (ready, started) = mpsc::channel();
        let accepting = target.clone();
        std::thread::spawn(move || {
            // SAFETY: setns takes a descriptor that is open; it changes this thread only.
            let entered = unsafe { libc::setns(namespace.as_raw_fd(), libc::CLONE_NEWNET) };
            assert_eq!(entered, 0, "{}", std::io::Error::last_os_error());
            let listener = TcpListener::bind(address).unwrap();
            ready.send(()).unwrap();
            for stream in listener.incoming() {
                let (serving, stream) = (accepting.clone(), stream.unwrap());
                std::thread::spawn(move || serving.serve(&stream));
            }
        });
        started.recv().unwrap();
        target
    }

    fn serve(&self, stream: &TcpStream) -> Option<()> {
        let from = stream.peer_addr().ok()?.ip();
        let mut lines = BufReader::new(stream);
        let mut line = String::new();
        loop {
            line.clear();
            if lines.read_line(&mut line).ok()? == 0 {
                return None;
            }
            // The requests have no body: an empty line ends them.
            if line == "\r\n" {
                let at = Instant::now();
                self.seen.lock().unwrap().push(Seen { at, from });
                (&*stream)
                    .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                    .ok()?;
            }
        }
    }

    /// All requests so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub fn count(&self) -> u64 {
        self.seen.lock().unwrap().len() as u64
    }
}

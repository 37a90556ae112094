//! A page to calibrate with: a small HTTP/1.1 server on threads of its own that responds to every
//! request with the same few bytes.
//!
//! It does as little as a server can, so that what is measured is the generator.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, watch};

use crate::monitor::{pin_to, thread_cpu_ns, thread_id};

const KEPT: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nplimsoll\n";
const CLOSED: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\
    Connection: close\r\n\r\nplimsoll\n";
const HEAD_END: &[u8] = b"\r\n\r\n";
/// A head longer than this is no request of ours.
const MAX_HEAD: usize = 16 << 10;
/// Time to wait when no connection can be taken.
const NO_DESCRIPTOR: Duration = Duration::from_millis(10);

/// The server; it ends when it is dropped.
///
/// ```
/// use std::io::{Read as _, Write as _};
///
/// let page = plimsoll_load::EchoServer::start(&[])?;
/// let url = page.url();
/// let address = url.trim_start_matches("http://").trim_end_matches('/');
/// let mut client = std::net::TcpStream::connect(address)?;
/// client.write_all(b"GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")?;
/// let mut response = String::new();
/// client.read_to_string(&mut response)?;
/// assert!(response.starts_with("HTTP/1.1 200 OK"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct EchoServer {
    address: SocketAddr,
    thread_ids: Vec<i32>,
    threads: Vec<JoinHandle<()>>,
    stop: watch::Sender<bool>,
}

impl EchoServer {
    /// Starts it on a free port of loopback, with a thread on each of these CPUs; without any, with
    /// one thread anywhere.
    ///
    /// # Errors
    /// When the system gives no port or thread.
    pub fn start(cpus: &[usize]) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let (stop, stopped) = watch::channel(false);
        let (told, ids) = channel();
        let mut server = Self {
            address,
            thread_ids: Vec::new(),
            threads: Vec::new(),
            stop,
        };
        let count = cpus.len().max(1);
        let (hands, takes): (Vec<_>, Vec<_>) =
            (0..count).map(|_| mpsc::unbounded_channel()).unzip();
        let mut listening = Some((listener, hands));
        for (number, incoming) in takes.into_iter().enumerate() {
            let work = EchoThread {
                cpu: cpus.get(number).copied(),
                listening: listening.take(),
                incoming,
                stopped: stopped.clone(),
                told: told.clone(),
            };
            let thread = std::thread::Builder::new().name(format!("echo-{number}"));
            server.threads.push(thread.spawn(move || work.run())?);
        }
        drop(told);
        server.thread_ids = wait_for(&ids, count)?;
        Ok(server)
    }

    /// The page's address.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// CPU that its threads have used so far, in ns.
    #[must_use]
    pub fn cpu_ns(&self) -> u64 {
        self.thread_ids.iter().map(|id| thread_cpu_ns(*id)).sum()
    }
}

impl Drop for EchoServer {
    fn drop(&mut self) {
        // Threads that have ended already hear nothing, and need not.
        let _ = self.stop.send(true);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// The ids of all threads; each tells its own once it is ready.
fn wait_for(ids: &Receiver<io::Result<i32>>, count: usize) -> io::Result<Vec<i32>> {
    (0..count)
        .map(|_| ids.recv().unwrap_or_else(|e| Err(io::Error::other(e))))
        .collect()
}

type Listening = (TcpListener, Vec<mpsc::UnboundedSender<TcpStreamOf>>);
type TcpStreamOf = std::net::TcpStream;

/// What a thread does.
struct EchoThread {
    cpu: Option<usize>,
    listening: Option<Listening>,
    incoming: mpsc::UnboundedReceiver<TcpStreamOf>,
    stopped: watch::Receiver<bool>,
    told: Sender<io::Result<i32>>,
}

impl EchoThread {
    fn run(self) {
        if let Some(cpu) = self.cpu {
            // A system that refuses only lets the thread wander.
            pin_to(cpu);
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let runtime = match runtime {
            Ok(runtime) => runtime,
            Err(error) => {
                // Nobody listens any more: the start has failed already.
                let _ = self.told.send(Err(error));
                return;
            }
        };
        let Self {
            listening,
            mut incoming,
            mut stopped,
            told,
            ..
        } = self;
        runtime.block_on(async {
            if let Some((listener, hands)) = listening {
                match tokio::net::TcpListener::from_std(listener) {
                    Ok(listener) => drop(tokio::spawn(accept(listener, hands))),
                    Err(error) => {
                        let _ = told.send(Err(error));
                        return;
                    }
                }
            }
            let _ = told.send(Ok(thread_id()));
            loop {
                tokio::select! {
                    stream = incoming.recv() => match stream.map(TcpStream::from_std) {
                        Some(Ok(stream)) => drop(tokio::spawn(serve(stream))),
                        Some(Err(_)) => {}
                        None => return,
                    },
                    _ = stopped.changed() => return,
                }
            }
        });
    }
}

/// Hands connections out to the threads in turn.
async fn accept(listener: tokio::net::TcpListener, hands: Vec<mpsc::UnboundedSender<TcpStreamOf>>) {
    for hand in hands.iter().cycle() {
        let Ok((stream, _)) = listener.accept().await else {
            // No descriptor is free: a connection must end first.
            tokio::time::sleep(NO_DESCRIPTOR).await;
            continue;
        };
        if stream.set_nodelay(true).is_ok()
            && let Ok(stream) = stream.into_std()
            && hand.send(stream).is_err()
        {
            return;
        }
    }
}

/// Responds to requests without body until the client ends.
async fn serve(mut stream: TcpStream) -> io::Result<()> {
    let mut head = Vec::with_capacity(MAX_HEAD);
    loop {
        if stream.read_buf(&mut head).await? == 0 || head.len() > MAX_HEAD {
            return Ok(());
        }
        while let Some(end) = memchr::memmem::find(&head, HEAD_END) {
            let closes = closes(&head[..end]);
            stream.write_all(if closes { CLOSED } else { KEPT }).await?;
            if closes {
                return stream.shutdown().await;
            }
            head.drain(..end + HEAD_END.len());
        }
    }
}

/// Whether a head asks to close the connection.
fn closes(head: &[u8]) -> bool {
    let lines = head.split(|byte| *byte == b'\n').skip(1);
    let mut found = lines.filter_map(|line| {
        let colon = memchr::memchr(b':', line)?;
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
        name.eq_ignore_ascii_case(b"connection").then_some(value)
    });
    found.any(|value| value.eq_ignore_ascii_case(b"close"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use super::*;

    #[test]
    fn responds_until_it_is_asked_to_close_and_counts_its_cpu() {
        let server = EchoServer::start(&[]).unwrap();
        let mut stream = TcpStream::connect(server.address).unwrap();
        let mut response = vec![0; KEPT.len() * 2];
        // Two requests at once, the second in two parts.
        stream
            .write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHo")
            .unwrap();
        stream.write_all(b"st: a\r\n\r\n").unwrap();
        stream.read_exact(&mut response).unwrap();
        assert_eq!(response, [KEPT, KEPT].concat());
        stream
            .write_all(b"GET / HTTP/1.1\r\nConnection:  Close\r\n\r\n")
            .unwrap();
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).unwrap();
        assert_eq!(rest, CLOSED);
        assert!(server.cpu_ns() > 0);
        let address = server.address;
        drop(server);
        assert!(TcpStream::connect(address).is_err());
    }

    #[test]
    fn only_a_header_of_that_name_closes() {
        assert!(closes(b"GET / HTTP/1.1\r\nCONNECTION: close"));
        assert!(!closes(
            b"GET /connection: close HTTP/1.1\r\nHost: connection"
        ));
        assert!(!closes(b"GET / HTTP/1.1\r\nConnection: keep-alive"));
    }
}

//! The text protocol of ServerAgent (perfmon-agent 2.2): commands a line each, and from `metrics:` on a line of values
//! once an interval.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UdpSocket;

use crate::http::{Stream, connect};

/// Connecting takes no longer, and neither does the response to `test`.
const LIMIT: Duration = Duration::from_secs(4);
/// A line with more bytes is none of the agent's.
const MAX_LINE_BYTES: usize = 1 << 20;

enum Wire {
    Tcp(Stream),
    Udp(UdpSocket),
}

/// An agent that sends values.
pub(super) struct AgentLink {
    wire: Wire,
    bytes: Vec<u8>,
}

/// What an agent is asked for.
#[derive(Debug, Clone)]
pub(super) struct AskedMetrics {
    /// How often it sends, s.
    pub interval_s: u64,
    /// As the agent writes them: `cpu:combined`.
    pub metrics: Vec<String>,
}

impl AgentLink {
    /// Connects, and has the values sent; by UDP, where that is allowed, if TCP leads nowhere.
    ///
    /// # Errors
    /// No connection, or nobody who knows the protocol.
    pub(super) async fn begin(
        host: &str,
        port: u16,
        udp: bool,
        asked: &AskedMetrics,
    ) -> io::Result<Self> {
        let tcp = async { Self::tested(Wire::Tcp(connect(host, port, None).await?)).await };
        let mut link = match tcp.await {
            Ok(link) => link,
            Err(error) if !udp => return Err(error),
            Err(_) => Self::tested(Wire::Udp(datagrams(host, port).await?)).await?,
        };
        // A tab parts metrics, so that within one it is a blank.
        let metrics = asked
            .metrics
            .iter()
            .map(|metric| metric.replace('\t', " ") + "\t");
        let metrics: String = metrics.collect();
        let interval = asked.interval_s;
        link.say(&format!("interval:{interval}\n")).await?;
        link.say(&format!("metrics:{metrics}\n")).await?;
        Ok(link)
    }

    async fn tested(wire: Wire) -> io::Result<Self> {
        let mut link = Self {
            wire,
            bytes: Vec::new(),
        };
        link.say("test\n").await?;
        let response = tokio::time::timeout(LIMIT, link.line()).await;
        let response = response.map_err(|_| {
            let what = "nobody responds to the command “test”";
            io::Error::new(io::ErrorKind::TimedOut, what)
        })??;
        match response.starts_with("Yep") {
            true => Ok(link),
            false => Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "this is not ServerAgent",
            )),
        }
    }

    async fn say(&mut self, line: &str) -> io::Result<()> {
        match &mut self.wire {
            Wire::Tcp(stream) => {
                stream.write_all(line.as_bytes()).await?;
                stream.flush().await
            }
            Wire::Udp(socket) => socket.send(line.as_bytes()).await.map(|_| ()),
        }
    }

    /// The next line, without its end. What came of one stays when nobody waits any more.
    ///
    /// # Errors
    /// The end of what comes, or a line without an end.
    pub(super) async fn line(&mut self) -> io::Result<String> {
        loop {
            if let Some(line) = self.whole_line() {
                return Ok(line);
            }
            if self.bytes.len() > MAX_LINE_BYTES {
                let what = "a line without an end";
                return Err(io::Error::new(io::ErrorKind::InvalidData, what));
            }
            let more = match &mut self.wire {
                Wire::Tcp(stream) => stream.read_buf(&mut self.bytes).await?,
                Wire::Udp(socket) => {
                    let mut piece = [0; 4096];
                    let count = socket.recv(&mut piece).await?;
                    self.bytes.extend_from_slice(&piece[..count]);
                    count
                }
            };
            if more == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    /// A line that came already.
    pub(super) fn whole_line(&mut self) -> Option<String> {
        let end = self.bytes.iter().position(|byte| *byte == b'\n')?;
        let line = String::from_utf8_lossy(&self.bytes[..end]).into_owned();
        self.bytes.drain(..=end);
        Some(line)
    }

    /// Says that no more is wanted.
    pub(super) async fn leave(&mut self) -> io::Result<()> {
        self.say("exit\n").await
    }
}

async fn datagrams(host: &str, port: u16) -> io::Result<UdpSocket> {
    let host = host.trim_matches(['[', ']']);
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for address in tokio::net::lookup_host((host, port)).await? {
        let any = match address.is_ipv4() {
            true => "0.0.0.0:0",
            false => "[::]:0",
        };
        let socket = UdpSocket::bind(any).await?;
        match socket.connect(address).await {
            Ok(()) => return Ok(socket),
            Err(error) => last = error,
        }
    }
    Err(last)
}

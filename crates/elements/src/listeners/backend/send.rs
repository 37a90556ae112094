//! How numbers reach another server. Waiting is allowed here: listeners have a thread of
//! their own.

use std::io::Write;
use std::net::{TcpStream, ToSocketAddrs, UdpSocket};
use std::time::Duration;

use plimsoll_text::Message;

use super::super::Surroundings;

/// Where numbers go, and how.
pub(super) enum Sender {
    /// A POST for each sending.
    Http {
        agent: ureq::Agent,
        url: String,
        token: Option<String>,
    },
    /// A datagram for each sending.
    Udp(String),
    /// Lines over a connection that stays.
    Tcp(String, Option<TcpStream>),
}

/// A sender and what it could not send.
pub(super) struct Outlet {
    sender: Sender,
    target: String,
    sent: u64,
    lost: u64,
    reason: String,
}

fn allowed(surroundings: &Surroundings, host: &str) -> Result<(), Message> {
    if surroundings.hosts.allows(host) {
        Ok(())
    } else {
        Err(Message::new("jmeter-backend-host").with("host", host))
    }
}

fn wrong(address: &str) -> Message {
    Message::new("jmeter-backend-address").with("address", address)
}

fn wait_ms(surroundings: &Surroundings, name: &str, default_ms: u64) -> Duration {
    let text = surroundings.properties.get(name);
    let ms = text.and_then(|text| text.trim().parse().ok());
    Duration::from_millis(ms.unwrap_or(default_ms))
}

impl Outlet {
    fn new(sender: Sender, target: String) -> Self {
        Self {
            sender,
            target,
            sent: 0,
            lost: 0,
            reason: String::new(),
        }
    }

    /// InfluxDB's HTTP interface.
    pub(super) fn http(
        url: &str,
        token: Option<&str>,
        surroundings: &Surroundings,
    ) -> Result<Self, Message> {
        let parsed: url::Url = url.trim().parse().map_err(|_| wrong(url))?;
        if !matches!(parsed.scheme(), "http" | "https") {
            return Err(wrong(url));
        }
        let host = parsed.host_str().ok_or_else(|| wrong(url))?;
        allowed(surroundings, host)?;
        let connect = wait_ms(surroundings, "backend_influxdb.connection_timeout", 1000);
        let response = wait_ms(surroundings, "backend_influxdb.socket_timeout", 3000);
        let config = ureq::Agent::config_builder()
            .timeout_connect(Some(connect))
            .timeout_recv_response(Some(response))
            .timeout_recv_body(Some(response))
            // Another place is another host.
            .max_redirects(0)
            .user_agent("Plimsoll")
            .build();
        let sender = Sender::Http {
            agent: config.into(),
            url: url.trim().to_owned(),
            token: token
                .map(str::trim)
                .filter(|token| !token.is_empty())
                .map(str::to_owned),
        };
        // The query may hold a password: it is not shown.
        let shown = format!("{}://{host}{}", parsed.scheme(), parsed.path());
        Ok(Self::new(sender, shown))
    }

    /// InfluxDB's UDP interface, `host:port`.
    pub(super) fn udp(address: &str, surroundings: &Surroundings) -> Result<Self, Message> {
        let (host, port) = address
            .trim()
            .rsplit_once(':')
            .ok_or_else(|| wrong(address))?;
        port.parse::<u16>().map_err(|_| wrong(address))?;
        allowed(surroundings, host)?;
        let address = address.trim().to_owned();
        Ok(Self::new(Sender::Udp(address.clone()), address))
    }

    /// Graphite's plain text interface.
    pub(super) fn tcp(host: &str, port: u16, surroundings: &Surroundings) -> Result<Self, Message> {
        allowed(surroundings, host)?;
        let address = format!("{host}:{port}");
        Ok(Self::new(Sender::Tcp(address.clone(), None), address))
    }

    /// Sends a text; what cannot be sent is counted.
    pub(super) fn send(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.sent += 1;
        if let Err(reason) = self.sender.send(text) {
            self.lost += 1;
            self.reason = reason;
        }
    }

    /// What could not be sent, for people.
    pub(super) fn end(self) -> Vec<Message> {
        if self.lost == 0 {
            return Vec::new();
        }
        vec![
            Message::new("jmeter-backend-lost")
                .with("lost", self.lost)
                .with("sent", self.sent)
                .with("target", self.target)
                .with("reason", self.reason),
        ]
    }
}

impl Sender {
    fn send(&mut self, text: &str) -> Result<(), String> {
        match self {
            Self::Http { agent, url, token } => post(agent, url, token.as_deref(), text),
            Self::Udp(address) => udp(address, text).map_err(|error| error.to_string()),
            Self::Tcp(address, stream) => {
                let written = tcp(address, stream, text);
                if written.is_err() {
                    *stream = None;
                }
                written.map_err(|error| error.to_string())
            }
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the host was asked for when the outlet was made"
)]
fn post(agent: &ureq::Agent, url: &str, token: Option<&str>, text: &str) -> Result<(), String> {
    let mut request = agent
        .post(url)
        .header("Content-Type", "text/plain; charset=UTF-8");
    if let Some(token) = token {
        request = request.header("Authorization", format!("Token {token}"));
    }
    match request.send(text) {
        Ok(mut response) => {
            // Read to its end, so that the connection is used again.
            let _ = response.body_mut().read_to_vec();
            match response.status() {
                status if status.is_redirection() => Err(format!("http status: {status}")),
                _ => Ok(()),
            }
        }
        Err(error) => Err(error.to_string()),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the host was asked for when the outlet was made"
)]
fn udp(address: &str, text: &str) -> std::io::Result<()> {
    let to = resolve(address)?;
    let local = if to.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
    UdpSocket::bind(local)?.send_to(text.as_bytes(), to)?;
    Ok(())
}

fn resolve(address: &str) -> std::io::Result<std::net::SocketAddr> {
    let found = address.to_socket_addrs()?.next();
    found.ok_or_else(|| std::io::ErrorKind::NotFound.into())
}

#[expect(
    clippy::disallowed_methods,
    reason = "the host was asked for when the outlet was made"
)]
fn tcp(address: &str, stream: &mut Option<TcpStream>, text: &str) -> std::io::Result<()> {
    // JMeter's time limits for Graphite.
    let limit = Duration::from_secs(1);
    if stream.is_none() {
        let fresh = TcpStream::connect_timeout(&resolve(address)?, limit)?;
        fresh.set_write_timeout(Some(limit))?;
        *stream = Some(fresh);
    }
    match stream {
        Some(stream) => stream.write_all(text.as_bytes()),
        None => Ok(()),
    }
}

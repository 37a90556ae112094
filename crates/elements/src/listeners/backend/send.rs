//! How numbers reach another server. Waiting is allowed here: listeners have a thread of
//! their own.

use std::io::Write;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use plimsoll_access::RuledResolver;
use plimsoll_text::Message;
use ureq::unversioned::transport::DefaultConnector;

use super::super::{HostCheck, Surroundings};

/// Where numbers go, and how.
pub(super) enum Sender {
    /// A POST for each sending.
    Http {
        agent: ureq::Agent,
        url: String,
        token: Option<String>,
    },
    /// A datagram for each sending.
    Udp(OutletPlace),
    /// Lines over a connection that stays.
    Tcp(OutletPlace, Option<TcpStream>),
}

/// A host and a port, and where they may lead.
pub(super) struct OutletPlace {
    host: String,
    port: u16,
    hosts: HostCheck,
}

impl OutletPlace {
    /// A place that may be sent to.
    fn new(host: &str, port: u16, surroundings: &Surroundings) -> Result<Self, Message> {
        allowed(surroundings, host, port)?;
        Ok(Self {
            host: host
                .trim_start_matches('[')
                .trim_end_matches(']')
                .to_owned(),
            port,
            hosts: surroundings.hosts.clone(),
        })
    }

    /// The first address that it leads to and may.
    fn resolve(&self) -> std::io::Result<SocketAddr> {
        let mut found = (self.host.as_str(), self.port).to_socket_addrs()?;
        let allowed = found.find(|to| self.hosts.leads(&self.host, *to));
        allowed.ok_or_else(|| std::io::ErrorKind::NotFound.into())
    }
}

/// A sender and what it could not send.
pub(super) struct Outlet {
    sender: Sender,
    target: String,
    sent: u64,
    lost: u64,
    reason: String,
}

fn allowed(surroundings: &Surroundings, host: &str, port: u16) -> Result<(), Message> {
    if surroundings.hosts.allows(host, port) {
        Ok(())
    } else {
        Err(Message::new("jmeter-backend-host").with("host", format!("{host}:{port}")))
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
        let port = parsed.port_or_known_default().ok_or_else(|| wrong(url))?;
        allowed(surroundings, host, port)?;
        let connect = wait_ms(surroundings, "backend_influxdb.connection_timeout", 1000);
        let response = wait_ms(surroundings, "backend_influxdb.socket_timeout", 3000);
        let config = ureq::Agent::config_builder()
            .timeout_connect(Some(connect))
            .timeout_recv_response(Some(response))
            .timeout_recv_body(Some(response))
            // Another place is another host, and a proxy is none that was allowed.
            .max_redirects(0)
            .proxy(None)
            .user_agent("Plimsoll")
            .build();
        let hosts = surroundings.hosts.clone();
        let resolver = RuledResolver::new(Arc::new(move |host, to| hosts.leads(host, to)));
        let sender = Sender::Http {
            agent: ureq::Agent::with_parts(config, DefaultConnector::default(), resolver),
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
        let port = port.parse::<u16>().map_err(|_| wrong(address))?;
        let place = OutletPlace::new(host, port, surroundings)?;
        Ok(Self::new(Sender::Udp(place), address.trim().to_owned()))
    }

    /// Graphite's plain text interface.
    pub(super) fn tcp(host: &str, port: u16, surroundings: &Surroundings) -> Result<Self, Message> {
        let place = OutletPlace::new(host, port, surroundings)?;
        Ok(Self::new(
            Sender::Tcp(place, None),
            format!("{host}:{port}"),
        ))
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
            Self::Udp(place) => udp(place, text).map_err(|error| error.to_string()),
            Self::Tcp(place, stream) => {
                let written = tcp(place, stream, text);
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
    reason = "the host and each address that it leads to are asked for"
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
    reason = "the host and each address that it leads to are asked for"
)]
fn udp(place: &OutletPlace, text: &str) -> std::io::Result<()> {
    let to = place.resolve()?;
    let local = if to.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
    UdpSocket::bind(local)?.send_to(text.as_bytes(), to)?;
    Ok(())
}

#[expect(
    clippy::disallowed_methods,
    reason = "the host and each address that it leads to are asked for"
)]
fn tcp(place: &OutletPlace, stream: &mut Option<TcpStream>, text: &str) -> std::io::Result<()> {
    // JMeter's time limits for Graphite.
    let limit = Duration::from_secs(1);
    if stream.is_none() {
        let fresh = TcpStream::connect_timeout(&place.resolve()?, limit)?;
        fresh.set_write_timeout(Some(limit))?;
        *stream = Some(fresh);
    }
    match stream {
        Some(stream) => stream.write_all(text.as_bytes()),
        None => Ok(()),
    }
}

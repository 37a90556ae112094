//! The TCP Sampler: what is sent and read on a connection of the user's own (JMeter 5.6.3,
//! `TCPSampler`).

use plimsoll_elements::Properties;
use plimsoll_elements::fields::Field;

use super::defaults::FieldSources;
use super::tcp_client::TcpClient;
use super::tcp_status::TcpStatus;
use plimsoll_load::kit::driver::Stream;

/// Forms whose defaults it takes.
pub const FORMS: [&str; 3] = ["LoginConfigGui", "TCPConfigGui", "SimpleConfigGui"];

/// Sends a text and reads the response.
pub struct TcpSampler {
    pub(crate) client: TcpClient,
    pub(crate) status: Option<Box<TcpStatus>>,
    pub(crate) server: Field,
    pub(crate) port: Field,
    pub(crate) timeout: Field,
    pub(crate) connect_timeout: Field,
    pub(crate) nodelay: Field,
    pub(crate) request: Field,
    pub(crate) reuse: Field,
    pub(crate) close: Field,
    pub(crate) linger: Field,
    pub(crate) eol: Field,
    pub(crate) username: Field,
    pub(crate) password: Field,
}

/// A connection that waits for its user's next sample.
pub struct KeptSocket {
    pub(crate) key: String,
    pub(crate) stream: Stream,
    pub(crate) lingers: bool,
}

impl TcpSampler {
    /// Binds it, if its client is one of JMeter's own.
    pub fn bind(sources: &FieldSources<'_>, properties: &Properties) -> Option<Self> {
        let class = sources.field("TCPSampler.classname");
        let class = match class.fixed()? {
            "" => properties.get("tcp.handler").unwrap_or_default(),
            named => named.to_owned(),
        };
        Some(Self {
            client: TcpClient::of(&class, properties)?,
            status: TcpStatus::of(properties).map(Box::new),
            server: sources.field("TCPSampler.server"),
            port: sources.field("TCPSampler.port"),
            timeout: sources.field("TCPSampler.timeout"),
            connect_timeout: sources.field("TCPSampler.ctimeout"),
            nodelay: sources.field("TCPSampler.nodelay"),
            request: sources.field("TCPSampler.request"),
            reuse: sources.field("TCPSampler.reUseConnection"),
            close: sources.field("TCPSampler.closeConnection"),
            linger: sources.field("TCPSampler.soLinger"),
            eol: sources.field("TCPSampler.EolByte"),
            username: sources.field("ConfigTestElement.username"),
            password: sources.field("ConfigTestElement.password"),
        })
    }
}

impl KeptSocket {
    /// Closes it; where the system may wait for what is not sent yet, not on a load thread.
    pub(crate) fn close(self) {
        if self.lingers {
            self.stream.close_lingering();
        }
    }
}

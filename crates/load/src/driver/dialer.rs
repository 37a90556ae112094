//! Opening sockets: the only place that does so for what plans send.

use std::io;
use std::net::{IpAddr, SocketAddr};
#[cfg(test)]
use std::rc::Rc;
use std::time::Duration;

use plimsoll_access::Reach;
use plimsoll_stats::ErrorKind;
use tokio::net::{TcpSocket, UnixStream};

use super::resolve::NameResolver;
#[cfg(test)]
use super::simulated::Network;
use super::stream::Stream;
use crate::clock::Clock;
use crate::failure::Failure;

/// Opens the connections of one load thread. Whoever asks has asked before whether the host, or
/// the socket's file, may be used.
pub struct Dialer {
    pub(super) clock: Clock,
    /// Reads may ask for the kernel's receive times.
    pub(super) timed: bool,
    /// Nothing else is connected to; none: no such list.
    reach: Option<Reach>,
    form: DialerForm,
}

enum DialerForm {
    Kernel,
    #[cfg(test)]
    Simulated(Rc<Network>),
}

/// How a TCP connection is opened.
#[derive(Debug, Clone, Copy, Default)]
pub struct TcpOptions {
    /// The local address; none: the kernel's choice.
    pub source: Option<IpAddr>,
    /// Small pieces are sent at once.
    pub nodelay: bool,
    /// How long closing waits for what was not sent yet; see [`Stream::close_lingering`].
    pub linger: Option<Duration>,
}

impl Dialer {
    pub(super) fn of_kernel(clock: Clock, timed: bool) -> Self {
        let form = DialerForm::Kernel;
        Self {
            clock,
            timed,
            reach: None,
            form,
        }
    }

    #[cfg(test)]
    pub(super) fn simulated(clock: Clock, timed: bool, network: &Rc<Network>) -> Self {
        let form = DialerForm::Simulated(Rc::clone(network));
        Self {
            clock,
            timed,
            reach: None,
            form,
        }
    }

    /// Nothing but what a list has is connected to; none: anything.
    #[must_use]
    pub(crate) fn within(mut self, reach: Option<&Reach>) -> Self {
        self.reach = reach.cloned();
        self
    }

    /// Whether there is a list of what may be connected to.
    pub(super) fn is_bounded(&self) -> bool {
        self.reach.is_some()
    }

    /// Whether a host that was asked for may lead to an address; an empty name: the plan alone says that it
    /// does.
    ///
    /// # Errors
    /// It may not.
    pub fn may_lead(&self, host: &str, to: SocketAddr) -> Result<(), Failure> {
        match &self.reach {
            Some(reach) if !reach.leads(host, to) => {
                let place = format!("{host} {to}");
                Err(Failure::new(ErrorKind::HostNotAllowed, place.trim()))
            }
            _ => Ok(()),
        }
    }

    /// The addresses of a host that a resolver does not know at once.
    ///
    /// # Errors
    /// As [`NameResolver::resolve`].
    pub async fn resolve(
        &self,
        resolver: &NameResolver,
        host: &str,
    ) -> Result<Vec<IpAddr>, Failure> {
        match &self.form {
            DialerForm::Kernel => resolver.resolve(host).await,
            #[cfg(test)]
            DialerForm::Simulated(network) => match resolver.known(host) {
                Some(known) => Ok(known),
                None => network.resolve(host).await,
            },
        }
    }

    /// Opens a TCP connection to an address that a host led to. The caller bounds the time.
    ///
    /// # Errors
    /// As the system says; an address that may not be reached.
    pub async fn open_tcp(
        &self,
        host: &str,
        address: SocketAddr,
        options: TcpOptions,
    ) -> io::Result<Stream> {
        if let Err(refused) = self.may_lead(host, address) {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                refused.detail,
            ));
        }
        match &self.form {
            DialerForm::Kernel => open_tcp(address, options).await,
            #[cfg(test)]
            DialerForm::Simulated(network) => network.open(address).await.map(Stream::Simulated),
        }
    }

    /// Opens a connection to a Unix socket. The caller bounds the time.
    ///
    /// # Errors
    /// As the system says.
    #[expect(clippy::disallowed_methods, reason = "the file was asked for")]
    pub async fn open_unix(&self, path: &str) -> io::Result<Stream> {
        match &self.form {
            DialerForm::Kernel => UnixStream::connect(path).await.map(Stream::Unix),
            #[cfg(test)]
            DialerForm::Simulated(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the host was asked for")]
async fn open_tcp(address: SocketAddr, options: TcpOptions) -> io::Result<Stream> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()?
    } else {
        TcpSocket::new_v6()?
    };
    if options.nodelay {
        socket.set_nodelay(true)?;
    }
    if options.linger.is_some() {
        // Closing waits, but elsewhere: see `Stream::close_lingering`.
        #[expect(deprecated)]
        socket.set_linger(options.linger)?;
    }
    if let Some(source) = options.source {
        bind_late(&socket);
        socket.bind(SocketAddr::new(source, 0))?;
    }
    socket.connect(address).await.map(Stream::Tcp)
}

/// Lets the kernel choose the port at connect time, by both ends, so that one source address
/// serves more than one port range of connections.
fn bind_late(socket: &TcpSocket) {
    use std::os::fd::AsRawFd as _;
    let on: libc::c_int = 1;
    // SAFETY: `on` lives through the call and its size is given. A kernel that refuses picks
    // the port at once, which works as well.
    unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_IP,
            libc::IP_BIND_ADDRESS_NO_PORT,
            (&raw const on).cast(),
            size_of_val(&on) as libc::socklen_t,
        )
    };
}

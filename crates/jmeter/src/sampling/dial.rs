//! A connection of a sampler's own, and Java's words for why there is none.

use std::io;
use std::net::{Ipv6Addr, SocketAddr};
use std::time::Duration;

use crate::thread::ElementThread;
use plimsoll_load::kit::driver::NameResolver;
use plimsoll_load::kit::driver::{Stream, TcpOptions};

/// Why there is no connection.
pub(super) enum Undialled {
    /// The run may not load this place.
    NotAllowed(String),
    /// The name has no address.
    Unknown,
    /// The system says why.
    Failed(io::Error),
}

/// Opens a connection to a server that may be reached; `linger`: how long closing waits for what is not sent.
pub(super) async fn dial(
    thread: &ElementThread,
    server: &str,
    port: u16,
    linger: Option<Duration>,
) -> Result<Stream, Undialled> {
    let place = match server.parse::<Ipv6Addr>() {
        Ok(_) => format!("[{server}]"),
        Err(_) => server.to_owned(),
    };
    if !thread.hosts.allows_place(&place, port) {
        return Err(Undialled::NotAllowed(format!("{place}:{port}")));
    }
    let resolved = thread
        .dialer
        .resolve(&NameResolver::default(), &place)
        .await;
    let address = resolved.ok().and_then(|found| found.first().copied());
    let Some(address) = address else {
        return Err(Undialled::Unknown);
    };
    let options = TcpOptions {
        linger,
        ..TcpOptions::default()
    };
    let address = SocketAddr::new(address, port);
    if let Err(refused) = thread.dialer.may_lead(&place, address) {
        return Err(Undialled::NotAllowed(refused.detail.to_string()));
    }
    let opening = thread.dialer.open_tcp(&place, address, options);
    opening.await.map_err(Undialled::Failed)
}

/// The exception that Java throws for an error of connecting.
pub(super) fn exception(error: &io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::ECONNREFUSED | libc::ETIMEDOUT | libc::ENOTCONN) => "java.net.ConnectException",
        Some(libc::EHOSTUNREACH) => "java.net.NoRouteToHostException",
        Some(libc::EADDRINUSE | libc::EADDRNOTAVAIL | libc::EACCES) => "java.net.BindException",
        _ => "java.net.SocketException",
    }
}

//! Streams to servers: TCP, TLS over it, or a Unix socket.

use std::io;
use std::path::Path;
use std::pin::Pin;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};

use super::tls::Tls;

/// Connecting takes no longer.
const CONNECT_LIMIT: Duration = Duration::from_secs(3);

/// What a stream can do.
pub(crate) trait Duplex: AsyncRead + AsyncWrite + Send + Sync {}
impl<T: AsyncRead + AsyncWrite + Send + Sync> Duplex for T {}

/// Any of them.
pub(crate) type Stream = Pin<Box<dyn Duplex>>;

/// Connects to a host, given without brackets or with them.
///
/// # Errors
/// A name that does not resolve, a connection or handshake that fails or takes too long.
pub(crate) async fn connect(host: &str, port: u16, tls: Option<&Tls>) -> io::Result<Stream> {
    let host = host.trim_matches(['[', ']']);
    in_time(async {
        let stream = TcpStream::connect((host, port)).await?;
        stream.set_nodelay(true)?;
        Ok(match tls {
            Some(tls) => Box::pin(tls.connect(host, stream).await?) as Stream,
            None => Box::pin(stream),
        })
    })
    .await
}

/// Connects to a Unix socket.
///
/// # Errors
/// As [`connect`].
pub(crate) async fn connect_unix(path: &Path) -> io::Result<Stream> {
    in_time(async { Ok(Box::pin(UnixStream::connect(path).await?) as Stream) }).await
}

async fn in_time(connecting: impl Future<Output = io::Result<Stream>>) -> io::Result<Stream> {
    let late = |_| {
        Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "no connection in time",
        ))
    };
    tokio::time::timeout(CONNECT_LIMIT, connecting)
        .await
        .unwrap_or_else(late)
}

//! Where a server's own socket is: named by the user, or by the configuration of its process.

use std::io;
use std::path::PathBuf;

use tokio::net::UnixStream;

use crate::http::{Stream, connect, connect_unix};
use crate::proc::root::Root;
use crate::proc::{Pid, name};
use crate::sockets::NetSpace;

/// A socket to connect to.
#[derive(Clone)]
pub(crate) enum SocketPlace {
    /// A host and a port.
    Tcp(String, u16),
    /// The path of a Unix socket that the user named.
    Unix(PathBuf),
    /// One that the process's configuration names: found in its root, reached with its rights.
    Inside(Root, PathBuf),
}

impl SocketPlace {
    /// By a setting of a process: a port of this host that the process does listen at, or a Unix
    /// socket in its root. None: it cannot, or must not, be reached from here.
    pub(crate) fn of_setting(listen: &str, pid: Pid, root: &Root) -> Option<Self> {
        if listen.starts_with('/') {
            return Some(Self::Inside(root.clone(), PathBuf::from(listen)));
        }
        let (host, port) = listen.rsplit_once(':').unwrap_or(("", listen));
        let port: u16 = port.parse().ok()?;
        let host = match host {
            "" | "*" | "0.0.0.0" | "[::]" | "localhost" => "127.0.0.1",
            host => host,
        };
        let is_own = NetSpace::of(pid).is_own() && name::ports(pid).contains(&port);
        is_own.then(|| Self::Tcp(host.to_owned(), port))
    }

    /// As it may be shown.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Tcp(host, port) => format!("{host}:{port}"),
            Self::Unix(path) | Self::Inside(_, path) => path.display().to_string(),
        }
    }

    /// Its port, or the name of its file.
    pub(crate) fn short_name(&self) -> String {
        match self {
            Self::Tcp(_, port) => port.to_string(),
            Self::Unix(path) | Self::Inside(_, path) => {
                let file = path.file_name().unwrap_or_default();
                file.to_string_lossy().into_owned()
            }
        }
    }

    /// Connects; to what a configuration names without waiting for room in its queue.
    ///
    /// # Errors
    /// Nobody is there, or nobody takes it; `WouldBlock`: its queue is full.
    pub(crate) async fn connect(&self) -> io::Result<Stream> {
        match self {
            Self::Tcp(host, port) => connect(host, *port, None).await,
            Self::Unix(path) => connect_unix(path).await,
            Self::Inside(root, path) => {
                let path = path.clone();
                let stream = root.visit(move |files| files.connect(&path))?;
                Ok(Box::pin(UnixStream::from_std(stream)?))
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_leads_nowhere_else() {
        let own = std::process::id();
        let root = Root::of(own).unwrap();
        // This program does not listen there.
        for listen in ["10.1.2.3:25", "1", "x", "", "a:b", "relative.sock"] {
            assert!(
                SocketPlace::of_setting(listen, own, &root).is_none(),
                "{listen}"
            );
        }
        let place = SocketPlace::of_setting("/run/x.sock", own, &root).unwrap();
        assert_eq!(
            (place.shown().as_str(), place.short_name().as_str()),
            ("/run/x.sock", "x.sock")
        );
    }
}

//! Why a request failed, as the sample will say it.

use std::io;

use plimsoll_stats::ErrorKind;

/// A failure: its kind and the detail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The kind.
    pub kind: ErrorKind,
    /// The detail, in English as the system or library gave it.
    pub detail: String,
    /// The beginning of the detail that is the same whatever was found, bytes: failures are
    /// counted together by it. `None`: all of it.
    pub stable: Option<usize>,
}

impl Failure {
    /// A failure with its detail.
    #[must_use]
    pub fn new(kind: ErrorKind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            detail: detail.into(),
            stable: None,
        }
    }

    /// A response that failed by its status: kind and code say all.
    #[must_use]
    pub fn of_status(status: u16) -> Self {
        Self {
            stable: Some(0),
            ..Self::new(ErrorKind::HttpStatus, format!("HTTP {status}"))
        }
    }

    /// What it is counted under.
    #[must_use]
    pub fn group(&self) -> &str {
        let stable = self.stable.and_then(|end| self.detail.get(..end));
        stable.unwrap_or(&self.detail)
    }

    /// Whether the connection ended.
    #[must_use]
    pub fn is_lost_connection(&self) -> bool {
        matches!(
            self.kind,
            ErrorKind::ConnectionClosed | ErrorKind::ConnectionReset
        )
    }

    /// What an I/O error means while a connection is made.
    #[must_use]
    pub fn connecting(error: &io::Error) -> Self {
        let kind = match error.kind() {
            io::ErrorKind::ConnectionRefused => ErrorKind::ConnectionRefused,
            io::ErrorKind::TimedOut => ErrorKind::ConnectTimeout,
            io::ErrorKind::ConnectionReset => ErrorKind::ConnectionReset,
            _ => common(error),
        };
        Self::new(kind, error.to_string())
    }

    /// What an I/O error means on an open connection.
    #[must_use]
    pub fn talking(error: &io::Error) -> Self {
        if let Some(error) = tls_error(error) {
            // TLS 1.3: the server says only now that it did not like what it was shown.
            let is_refusal = matches!(error, rustls::Error::AlertReceived(_));
            return Self::of_tls(error, is_refusal);
        }
        let kind = match error.kind() {
            io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => {
                ErrorKind::ConnectionReset
            }
            io::ErrorKind::TimedOut => ErrorKind::ReadTimeout,
            _ => common(error),
        };
        Self::new(kind, error.to_string())
    }

    /// What a TLS error means to the sample.
    #[must_use]
    pub fn of_tls(error: &rustls::Error, handshaking: bool) -> Self {
        let kind = match error {
            rustls::Error::InvalidCertificate(_) | rustls::Error::NoCertificatesPresented => {
                ErrorKind::TlsCertificate
            }
            _ if handshaking => ErrorKind::TlsHandshake,
            _ => ErrorKind::MalformedResponse,
        };
        Self::new(kind, error.to_string())
    }
}

/// The TLS error that an I/O error was made of.
#[must_use]
pub fn tls_error(error: &io::Error) -> Option<&rustls::Error> {
    error.get_ref().and_then(|inner| inner.downcast_ref())
}

fn common(error: &io::Error) -> ErrorKind {
    match error.raw_os_error() {
        Some(libc::EMFILE | libc::ENFILE) => ErrorKind::OutOfFileDescriptors,
        Some(libc::EADDRNOTAVAIL | libc::EADDRINUSE) => ErrorKind::NoLocalPort,
        _ => ErrorKind::Network,
    }
}

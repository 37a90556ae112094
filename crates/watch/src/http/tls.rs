//! TLS to endpoints, by rustls.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use plimsoll_text::Message;
use plimsoll_trust::{Verifier, roots};
use rustls::ClientConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::collector::Trouble;

/// Whom to trust.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TlsOptions {
    /// A file of certificates in PEM form, trusted beside the system's.
    pub(crate) ca_file: Option<PathBuf>,
    /// Trust anybody: the user said so.
    pub(crate) insecure: bool,
}

/// How TLS connections are made.
#[derive(Clone)]
pub(crate) struct Tls(Arc<ClientConfig>);

impl Tls {
    /// Reads certificates and settings.
    ///
    /// # Errors
    /// A file that cannot be read or has no certificate.
    pub(crate) fn new(options: &TlsOptions) -> Result<Self, Trouble> {
        let provider = Arc::new(ring::default_provider());
        let wrong = |error: rustls::Error| {
            Trouble::new(Message::new("watch-tls-wrong").with("reason", error.to_string()))
        };
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(wrong)?;
        let builder = match &options.ca_file {
            _ if options.insecure => builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(Verifier::of_anybody(provider))),
            None => builder.with_root_certificates(roots(&[]).map_err(wrong)?),
            Some(path) => {
                let own = certificates(path)?;
                let roots = roots(&own).map_err(|error| unreadable(path, &error))?;
                let verifier = Verifier::of_file(roots, own, provider).map_err(wrong)?;
                builder
                    .dangerous()
                    .with_custom_certificate_verifier(Arc::new(verifier))
            }
        };
        let config = builder.with_no_client_auth();
        Ok(Self(Arc::new(config)))
    }

    /// Shakes hands.
    ///
    /// # Errors
    /// A certificate that is not trusted, a handshake that fails.
    pub(crate) async fn connect(
        &self,
        host: &str,
        stream: TcpStream,
    ) -> io::Result<TlsStream<TcpStream>> {
        let name = ServerName::try_from(host.to_owned())
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        let connector = TlsConnector::from(Arc::clone(&self.0));
        connector.connect(name, stream).await
    }
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, Trouble> {
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect);
    let found: Vec<_> = read.map_err(|error| unreadable(path, &error))?;
    match found.is_empty() {
        true => Err(unreadable(path, &"no certificate in it")),
        false => Ok(found),
    }
}

fn unreadable(path: &Path, reason: &dyn std::fmt::Display) -> Trouble {
    Trouble::new(
        Message::new("watch-file-unreadable")
            .with("path", path.display().to_string())
            .with("reason", reason.to_string()),
    )
}

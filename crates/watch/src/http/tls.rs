//! TLS to endpoints, by rustls.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use plimsoll_text::Message;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
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
        let config = if options.insecure {
            builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(Anybody(provider)))
                .with_no_client_auth()
        } else {
            let roots = roots(options.ca_file.as_deref())?;
            builder.with_root_certificates(roots).with_no_client_auth()
        };
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

fn roots(ca_file: Option<&Path>) -> Result<RootCertStore, Trouble> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let Some(path) = ca_file else {
        return Ok(roots);
    };
    let unreadable = |reason: String| {
        Trouble::new(
            Message::new("watch-file-unreadable")
                .with("path", path.display().to_string())
                .with("reason", reason),
        )
    };
    let mut found = 0;
    let certificates = CertificateDer::pem_file_iter(path);
    for certificate in certificates.map_err(|error| unreadable(error.to_string()))? {
        let certificate = certificate.map_err(|error| unreadable(error.to_string()))?;
        let added = roots.add(certificate);
        added.map_err(|error| unreadable(error.to_string()))?;
        found += 1;
    }
    match found {
        0 => Err(unreadable("no certificate in it".to_owned())),
        _ => Ok(roots),
    }
}

/// Trusts whoever responds; signatures are still checked.
#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

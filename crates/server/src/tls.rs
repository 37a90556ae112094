//! TLS before the server: a certificate of its owner's, or one that it makes itself and keeps, known by its
//! fingerprint.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use plimsoll_store::private;
use plimsoll_text::Message;
use plimsoll_watch::agent::tls::Fingerprint;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// The files of a certificate and its key, PEM.
#[derive(Debug, Clone)]
pub struct CertificateFiles {
    /// The certificate, and those between it and the authority.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

/// What a server shows, and what others know it by.
pub(crate) struct ServerIdentity {
    pub config: Arc<ServerConfig>,
    /// The SHA-256 of the certificate.
    pub fingerprint: Fingerprint,
}

impl ServerIdentity {
    /// By files, or by a certificate that is made once and kept in a folder.
    ///
    /// # Errors
    /// Files that cannot be read or do not belong together.
    pub fn open(
        files: Option<&CertificateFiles>,
        folder: &Path,
        names: &[String],
    ) -> Result<Self, Message> {
        let own = CertificateFiles {
            certificate: folder.join("tls-cert.pem"),
            key: folder.join("tls-key.pem"),
        };
        if files.is_none() && !(own.certificate.is_file() && own.key.is_file()) {
            make(&own, names)?;
        }
        Self::read(files.unwrap_or(&own))
    }

    fn read(files: &CertificateFiles) -> Result<Self, Message> {
        let broken = |path: &Path, reason: String| {
            Message::new("server-certificate")
                .with("path", path.display().to_string())
                .with("reason", reason)
        };
        let path = &files.certificate;
        let chain = CertificateDer::pem_file_iter(path)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|error| broken(path, error.to_string()))?;
        let key = PrivateKeyDer::from_pem_file(&files.key)
            .map_err(|error| broken(&files.key, error.to_string()))?;
        let first = chain
            .first()
            .ok_or_else(|| broken(path, "0 × CERTIFICATE".to_owned()))?;
        let fingerprint = Fingerprint::of(first);
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|builder| {
                let builder = builder.with_no_client_auth();
                builder.with_single_cert(chain, key)
            });
        let mut config = config.map_err(|error| broken(path, error.to_string()))?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self {
            config: Arc::new(config),
            fingerprint,
        })
    }
}

fn make(files: &CertificateFiles, names: &[String]) -> Result<(), Message> {
    let failed = |reason: String| {
        Message::new("server-certificate")
            .with("path", files.certificate.display().to_string())
            .with("reason", reason)
    };
    let made = rcgen::generate_simple_self_signed(names.to_vec());
    let made = made.map_err(|error| failed(error.to_string()))?;
    private::write(&files.key, made.signing_key.serialize_pem().as_bytes())
        .and_then(|()| private::write(&files.certificate, made.cert.pem().as_bytes()))
        .map_err(|error| failed(error.to_string()))
}

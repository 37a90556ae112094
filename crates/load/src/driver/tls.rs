//! TLS by rustls: configurations from a plan's settings.

use std::path::Path;
use std::sync::Arc;

use plimsoll_access::{Access, Refused};
use plimsoll_plan::model::TlsSettings;
use plimsoll_text::Arg;
use plimsoll_trust::{Verifier, roots};
use rustls::ClientConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// A TLS configuration cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A PEM file cannot be read.
    #[error("{path}: {reason}")]
    File {
        /// The file.
        path: String,
        /// Why.
        reason: String,
    },
    /// A file that may not be used.
    #[error("{0}")]
    Refused(Refused),
    /// Certificate and key do not fit, or rustls refuses them.
    #[error("{0}")]
    Config(#[from] rustls::Error),
    /// A certificate without a key, or the other way round.
    #[error("a client certificate needs both a certificate and a key file")]
    Half,
}

impl TlsError {
    /// Why, for a message.
    #[must_use]
    pub fn reason(&self) -> Arg {
        match self {
            Self::Refused(refused) => refused.message().into(),
            other => other.to_string().into(),
        }
    }
}

/// The configuration for these settings; file names start from `folder`.
///
/// # Errors
/// When a file is missing or not what it should be.
pub fn config(
    settings: &TlsSettings,
    folder: &Path,
    access: &Access,
) -> Result<Arc<ClientConfig>, TlsError> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()?;
    let builder = if settings.insecure {
        builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Verifier::of_anybody(provider)))
    } else {
        match &settings.ca_file {
            None => builder.with_root_certificates(roots(&[])?),
            Some(file) => {
                let own = certificates(access, &folder.join(file))?;
                let verifier = Arc::new(Verifier::of_file(roots(&own)?, own, provider)?);
                builder
                    .dangerous()
                    .with_custom_certificate_verifier(verifier)
            }
        }
    };
    let config = match (&settings.certificate_file, &settings.key_file) {
        (None, None) => builder.with_no_client_auth(),
        (Some(certificate), Some(key)) => {
            let key_path = folder.join(key);
            let key = PrivateKeyDer::from_pem_slice(&read(access, &key_path)?)
                .map_err(|error| file_error(&key_path, &error))?;
            builder.with_client_auth_cert(certificates(access, &folder.join(certificate))?, key)?
        }
        _ => return Err(TlsError::Half),
    };
    Ok(Arc::new(config))
}

/// Reads the files that the settings name, and forgets them again.
///
/// # Errors
/// As [`config`], which makes the same of them.
pub fn check_files(settings: &TlsSettings, folder: &Path, access: &Access) -> Result<(), TlsError> {
    let names = [
        &settings.ca_file,
        &settings.certificate_file,
        &settings.key_file,
    ];
    if names.iter().all(|name| name.is_none()) {
        return Ok(());
    }
    config(settings, folder, access).map(drop)
}

fn certificates(access: &Access, path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let bytes = read(access, path)?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&bytes).collect();
    let found = found.map_err(|error| file_error(path, &error))?;
    if found.is_empty() {
        let reason = "no certificate in it".to_owned();
        return Err(TlsError::File {
            path: path.display().to_string(),
            reason,
        });
    }
    Ok(found)
}

fn read(access: &Access, path: &Path) -> Result<Vec<u8>, TlsError> {
    access
        .read(path)
        .map_err(|error| match Refused::of(&error) {
            Some(refused) => TlsError::Refused(refused.clone()),
            None => file_error(path, &error),
        })
}

fn file_error(path: &Path, error: &dyn std::fmt::Display) -> TlsError {
    TlsError::File {
        path: path.display().to_string(),
        reason: error.to_string(),
    }
}

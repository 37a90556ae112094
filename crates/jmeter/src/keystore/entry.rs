//! What is read from every kind of keystore, and why it may not be.

use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use x509_parser::parse_x509_certificate;

/// A private key with its certificates.
#[derive(Debug)]
pub struct KeyEntry {
    /// Its name in the store, in small letters as Java has it.
    pub alias: String,
    /// The key.
    pub key: PrivateKeyDer<'static>,
    /// Its own certificate first, then those above it.
    pub chain: Vec<CertificateDer<'static>>,
}

impl KeyEntry {
    /// When its own certificate ends, seconds since 1970; none when that cannot be read.
    #[must_use]
    pub fn not_after_unix_s(&self) -> Option<i64> {
        let (_, own) = parse_x509_certificate(self.chain.first()?).ok()?;
        Some(own.validity().not_after.timestamp())
    }
}

/// A keystore that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeystoreError {
    /// The password is not the store's.
    #[error("the password does not open it")]
    Password,
    /// A kind of store that is not read here.
    #[error("a store of the kind {0}")]
    Kind(&'static str),
    /// Not a keystore, or a damaged one.
    #[error("{0}")]
    Damaged(String),
}

impl KeystoreError {
    pub(super) fn damaged(reason: impl std::fmt::Display) -> Self {
        Self::Damaged(reason.to_string())
    }
}

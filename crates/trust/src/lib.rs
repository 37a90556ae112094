//! Whose certificate is taken, when TLS connects to a server: anybody's, those that the system and a file
//! of the user's vouch for, or the one of a fingerprint. That the server holds the certificate's key is
//! checked always.
//!
//! This crate knows no other crate: neither plans nor messages; who asks reads the files.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, RootCertStore, SignatureScheme};
use sha2::{Digest as _, Sha256};

/// The SHA-256 of a certificate in DER form.
#[must_use]
pub fn fingerprint(certificate: &CertificateDer<'_>) -> [u8; 32] {
    Sha256::digest(certificate).into()
}

/// The system's authorities, and these certificates beside them. A broken one of the system's is left
/// out, as other clients do.
///
/// # Errors
/// When one of these certificates cannot be an authority's.
pub fn roots(own: &[CertificateDer<'static>]) -> Result<RootCertStore, rustls::Error> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    for certificate in own {
        roots.add(certificate.clone())?;
    }
    Ok(roots)
}

/// Takes or refuses a server's certificate.
#[derive(Debug)]
pub struct Verifier {
    trusts: Trusts,
    provider: Arc<CryptoProvider>,
}

#[derive(Debug)]
enum Trusts {
    /// Any certificate.
    Anybody,
    /// Those that the roots vouch for, and a server's own if it is among the file's,
    /// as curl and Python take it: OpenSSL's tools make self-signed certificates as authorities,
    /// which webpki refuses to see as a server's.
    File {
        roots: Arc<WebPkiServerVerifier>,
        own: Vec<CertificateDer<'static>>,
    },
    /// The one certificate of this [`fingerprint`], whoever signed it and whatever it says.
    Pinned([u8; 32]),
}

impl Verifier {
    /// Accepts any certificate.
    pub fn of_anybody(provider: Arc<CryptoProvider>) -> Self {
        Self {
            trusts: Trusts::Anybody,
            provider,
        }
    }

    /// Accepts the certificate of this fingerprint alone.
    pub fn of_fingerprint(fingerprint: [u8; 32], provider: Arc<CryptoProvider>) -> Self {
        Self {
            trusts: Trusts::Pinned(fingerprint),
            provider,
        }
    }

    /// Trusts the roots, and these certificates where a server shows one of them as its own.
    ///
    /// # Errors
    /// When there is no root.
    pub fn of_file(
        roots: RootCertStore,
        own: Vec<CertificateDer<'static>>,
        provider: Arc<CryptoProvider>,
    ) -> Result<Self, rustls::Error> {
        let built = Arc::clone(&provider);
        let roots = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), built).build();
        let roots = roots.map_err(|error| rustls::Error::General(error.to_string()))?;
        Ok(Self {
            trusts: Trusts::File { roots, own },
            provider,
        })
    }
}

/// Whether this is all that is said against a certificate: it is one of an authority. webpki
/// looks at the time before.
fn is_authority(error: &rustls::Error) -> bool {
    let rustls::Error::InvalidCertificate(CertificateError::Other(other)) = error else {
        return false;
    };
    // Its type is that of a crate which only rustls knows.
    other.0.to_string() == "CaUsedAsEndEntity"
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let (roots, own) = match &self.trusts {
            Trusts::File { roots, own } => (roots, own),
            Trusts::Pinned(pinned) if *pinned != fingerprint(shown) => {
                return Err(CertificateError::ApplicationVerificationFailure.into());
            }
            Trusts::Anybody | Trusts::Pinned(_) => return Ok(ServerCertVerified::assertion()),
        };
        match roots.verify_server_cert(shown, between, name, ocsp, now) {
            Err(error) if is_authority(&error) && own.contains(shown) => {
                verify_server_name(&ParsedCertificate::try_from(shown)?, name)?;
                Ok(ServerCertVerified::assertion())
            }
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::time::Duration;

    use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair, date_time_ymd};
    use rustls::crypto::ring::default_provider;

    use super::*;

    fn authority(last_year: i32) -> CertificateDer<'static> {
        let mut params = CertificateParams::new(["h.test".to_owned()]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.not_after = date_time_ymd(last_year, 1, 1);
        let key = KeyPair::generate().unwrap();
        params.self_signed(&key).unwrap().der().clone()
    }

    /// What is said against a server with a certificate, when another is trusted.
    fn refused(
        shown: &CertificateDer<'static>,
        trusted: &CertificateDer<'static>,
        name: &str,
    ) -> String {
        let mut roots = RootCertStore::empty();
        roots.add(trusted.clone()).unwrap();
        let provider = Arc::new(default_provider());
        let verifier = Verifier::of_file(roots, vec![trusted.clone()], provider).unwrap();
        // 2026-01-01
        let now = UnixTime::since_unix_epoch(Duration::from_secs(1_767_225_600));
        let name = ServerName::try_from(name.to_owned()).unwrap();
        let verified = verifier.verify_server_cert(shown, &[], &name, &[], now);
        verified
            .err()
            .map_or_else(String::new, |error| format!("{error:?}"))
    }

    #[test]
    fn a_servers_own_certificate_is_taken_by_name_and_time() {
        let own = authority(2090);
        assert_eq!(refused(&own, &own, "h.test"), "");
        assert!(refused(&own, &own, "other.test").contains("NotValidForName"));
        assert!(refused(&own, &authority(2090), "h.test").contains("CaUsedAsEndEntity"));
        let old = authority(2001);
        assert!(refused(&old, &old, "h.test").contains("Expired"));
    }

    #[test]
    fn a_fingerprint_is_one_certificate() {
        let own = authority(2001);
        let provider = Arc::new(default_provider());
        let verifier = Verifier::of_fingerprint(fingerprint(&own), provider);
        let name = ServerName::try_from("any.test").unwrap();
        let is_taken = |shown: &CertificateDer<'_>| {
            let now = UnixTime::since_unix_epoch(Duration::ZERO);
            let verified = verifier.verify_server_cert(shown, &[], &name, &[], now);
            verified.is_ok()
        };
        assert!(is_taken(&own));
        assert!(!is_taken(&authority(2090)));
    }
}

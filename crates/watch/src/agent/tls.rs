//! TLS between controller and agent: a certificate that the agent makes itself and keeps,
//! known by its SHA-256 fingerprint. TLS 1.3 only: both ends are ours.

use std::fmt;
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;
use std::sync::Arc;

use plimsoll_text::Message;
use plimsoll_trust::{Verifier, fingerprint};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, ServerConfig};

use super::{AgentError, file_error, unwritable};

const CERTIFICATE: &str = "agent-cert.pem";
const KEY: &str = "agent-key.pem";

/// The SHA-256 of a certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// Reads 64 hexadecimal digits, with or without colons and `sha256:` before them.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_prefix("sha256:").unwrap_or(text);
        let digits: Vec<u8> = text.bytes().filter(|byte| *byte != b':').collect();
        let mut bytes = [0; 32];
        if digits.len() != 64 {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
            let digit = |c: u8| char::from(c).to_digit(16);
            let value = digit(pair[0])? << 4 | digit(pair[1])?;
            *byte = u8::try_from(value).ok()?;
        }
        Some(Self(bytes))
    }

    /// That of a certificate.
    #[must_use]
    pub fn of(certificate: &CertificateDer<'_>) -> Self {
        Self(fingerprint(certificate))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sha256:")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The agent's side: the configuration and the certificate's fingerprint. The certificate
/// and its key are kept in `folder`, and made if they are not there.
///
/// # Errors
/// A folder that cannot be written, files that do not hold what they should, a key that
/// others may read.
pub fn server(folder: &Path) -> Result<(Arc<ServerConfig>, Fingerprint), AgentError> {
    let (certificate_path, key_path) = (folder.join(CERTIFICATE), folder.join(KEY));
    if !certificate_path.exists() || !key_path.exists() {
        make(folder, &certificate_path, &key_path)?;
    }
    let metadata = std::fs::metadata(&key_path).map_err(|error| file_error(&key_path, &error))?;
    if metadata.permissions().mode() & 0o077 != 0 {
        let path = key_path.display().to_string();
        return Err(AgentError(
            Message::new("agent-key-open").with("path", path),
        ));
    }
    let broken = |path: &Path, reason: &dyn fmt::Display| {
        AgentError(
            Message::new("agent-certificate-broken")
                .with("path", path.display().to_string())
                .with("reason", reason.to_string()),
        )
    };
    let certificate = CertificateDer::from_pem_file(&certificate_path)
        .map_err(|error| broken(&certificate_path, &error))?;
    let key = PrivateKeyDer::from_pem_file(&key_path).map_err(|error| broken(&key_path, &error))?;
    let fingerprint = Fingerprint::of(&certificate);
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[&rustls::version::TLS13])
        .and_then(|builder| {
            let builder = builder.with_no_client_auth();
            builder.with_single_cert(vec![certificate], key)
        })
        .map_err(|error| broken(&certificate_path, &error))?;
    Ok((Arc::new(config), fingerprint))
}

/// Makes a certificate. Its names and dates say nothing: the fingerprint is what counts.
fn make(folder: &Path, certificate: &Path, key: &Path) -> Result<(), AgentError> {
    let made =
        rcgen::generate_simple_self_signed(vec!["plimsoll-agent".to_owned()]).map_err(|error| {
            AgentError(Message::new("agent-certificate-failed").with("reason", error.to_string()))
        })?;
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(|error| unwritable(folder, &error))?;
    keep(key, &made.signing_key.serialize_pem(), 0o600)?;
    keep(certificate, &made.cert.pem(), 0o644)
}

/// Writes a file beside and moves it there, so that it is whole or not there.
fn keep(path: &Path, text: &str, mode: u32) -> Result<(), AgentError> {
    let beside = path.with_extension("new");
    let written = || {
        // What a killed agent left would keep its own mode.
        let _ = std::fs::remove_file(&beside);
        let mut options = std::fs::OpenOptions::new();
        let mut file = options
            .write(true)
            .create_new(true)
            .mode(mode)
            .open(&beside)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&beside, path)
    };
    written().map_err(|error| unwritable(path, &error))
}

/// The controller's side: only the certificate of that fingerprint is taken.
///
/// # Errors
/// When rustls knows no fitting cipher, which is a defect.
pub fn client(pinned: Fingerprint) -> Result<Arc<ClientConfig>, rustls::Error> {
    let provider = Arc::new(ring::default_provider());
    let verifier = Arc::new(Verifier::of_fingerprint(pinned.0, Arc::clone(&provider)));
    let config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_certificate_is_kept_and_its_key_is_private() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("state/plimsoll");
        let (_, first) = server(&folder).unwrap();
        let (_, again) = server(&folder).unwrap();
        assert_eq!(first, again);
        assert_eq!(Fingerprint::parse(&first.to_string()), Some(first));
        let key = folder.join(KEY);
        let mode = std::fs::metadata(&key).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(server(&folder).unwrap_err().to_string().contains(KEY));
        std::fs::remove_file(&key).unwrap();
        assert_ne!(server(&folder).unwrap().1, first);
        std::fs::write(folder.join(CERTIFICATE), "nothing").unwrap();
        assert!(
            server(&folder)
                .unwrap_err()
                .to_string()
                .contains(CERTIFICATE)
        );
    }

    #[test]
    fn fingerprints_are_read_as_people_write_them() {
        let hex = "0123456789abcdef0123456789ABCDEF0123456789abcdef0123456789abcdef";
        let found = Fingerprint::parse(hex).unwrap();
        let colons: Vec<&str> = (0..32).map(|n| &hex[2 * n..2 * n + 2]).collect();
        assert_eq!(Fingerprint::parse(&colons.join(":")), Some(found));
        assert_eq!(Fingerprint::parse(&format!(" sha256:{hex}\n")), Some(found));
        for wrong in [
            "",
            "sha256:",
            &hex[1..],
            &hex.replace('0', "g"),
            &format!("{hex}00"),
        ] {
            assert_eq!(Fingerprint::parse(wrong), None, "{wrong}");
        }
    }
}

//! Random texts that nobody guesses, and what is kept of them.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use plimsoll_text::Message;
use ring::rand::{SecureRandom as _, SystemRandom};

use crate::problem::ApiError;

/// So many random bytes of the system's.
///
/// # Errors
/// The system has none to give.
pub(crate) fn random_bytes<const N: usize>() -> Result<[u8; N], ApiError> {
    let mut bytes = [0; N];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| ApiError::internal(Message::new("server-internal")))?;
    Ok(bytes)
}

/// 256 random bits as text that a header, a URL and a file take.
///
/// # Errors
/// As [`random_bytes`].
pub(crate) fn random_text() -> Result<String, ApiError> {
    Ok(URL_SAFE_NO_PAD.encode(random_bytes::<32>()?))
}

/// What is kept of such a text: with that many random bits nothing needs to be slow.
pub(crate) fn digest(secret: &str) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, secret.as_bytes());
    URL_SAFE_NO_PAD.encode(digest)
}

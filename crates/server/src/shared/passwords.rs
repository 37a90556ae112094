//! Passwords by argon2id (RFC 9106), with the parameters that OWASP names: 19 MiB, two passes, one lane.

use argon2::Argon2;
use argon2::password_hash::{PasswordHash, PasswordHasher as _, PasswordVerifier as _, SaltString};
use plimsoll_text::Message;
use tokio::sync::Semaphore;

use super::secret::random_bytes;
use crate::blocking::blocking;
use crate::problem::ApiError;

/// So many are looked at at once: each takes 19 MiB and one CPU.
const AT_ONCE: usize = 2;
/// Characters of a password.
const LEAST: usize = 10;
pub(crate) const MOST_PASSWORD: usize = 256;

/// Where passwords are made and looked at.
pub(crate) struct PasswordDesk {
    places: Semaphore,
    /// Of nobody: who names a user that there is not waits as long as who names one.
    nobody: String,
}

impl PasswordDesk {
    /// A desk.
    ///
    /// # Errors
    /// The system gives no random bytes.
    pub fn new() -> Result<Self, Message> {
        let made = random_bytes::<16>().and_then(|bytes| {
            let password = format!("{bytes:x?}");
            hash(&password)
        });
        Ok(Self {
            places: Semaphore::new(AT_ONCE),
            nobody: made.map_err(|_| Message::new("server-internal"))?,
        })
    }

    /// Whether a password is that of a hash; without one it is not, and takes as long.
    ///
    /// # Errors
    /// The server failed.
    pub async fn is_right(&self, password: String, of: Option<String>) -> Result<bool, ApiError> {
        let _place = self.places.acquire().await;
        let (kept, is_somebody) = match of {
            Some(kept) => (kept, true),
            None => (self.nobody.clone(), false),
        };
        blocking(move || Ok(matches(&password, &kept) && is_somebody)).await
    }

    /// What is kept of a new password.
    ///
    /// # Errors
    /// One that is too short or too long.
    pub async fn kept(&self, password: String) -> Result<String, ApiError> {
        let _place = self.places.acquire().await;
        blocking(move || checked_hash(&password)).await
    }
}

/// What is kept of a new password.
///
/// # Errors
/// One that is too short or too long.
pub(super) fn checked_hash(password: &str) -> Result<String, ApiError> {
    if !(LEAST..=MOST_PASSWORD).contains(&password.chars().count()) {
        return Err(ApiError::bad(
            Message::new("server-bad-password")
                .with("least", LEAST)
                .with("most", MOST_PASSWORD),
        ));
    }
    hash(password)
}

fn hash(password: &str) -> Result<String, ApiError> {
    let failed = || ApiError::internal(Message::new("server-internal"));
    let salt = SaltString::encode_b64(&random_bytes::<16>()?).map_err(|_| failed())?;
    let hash = Argon2::default().hash_password(password.as_bytes(), &salt);
    Ok(hash.map_err(|_| failed())?.to_string())
}

fn matches(password: &str, kept: &str) -> bool {
    let Ok(kept) = PasswordHash::new(kept) else {
        return false;
    };
    let verified = Argon2::default().verify_password(password.as_bytes(), &kept);
    verified.is_ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn kept_as_argon2id_and_found_again() {
        let kept = checked_hash("正确的马电池订书钉！").unwrap();
        assert!(
            kept.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{kept}"
        );
        assert!(matches("正确的马电池订书钉！", &kept));
        assert!(!matches("正确的马电池订书钉", &kept));
        assert!(!matches("", "not a hash"));
        assert!(checked_hash("too short").is_err() && checked_hash(&"x".repeat(257)).is_err());
    }

    /// Of the reference implementation's own tests (phc-winner-argon2, `test.c`).
    #[test]
    fn what_the_reference_program_wrote_is_read() {
        let kept = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
        assert!(matches("password", kept));
        assert!(!matches("passwore", kept));
    }
}

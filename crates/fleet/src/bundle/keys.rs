//! Keys: one for each bundle, and one for each worker that the bundle's key is sealed to.
//!
//! A bundle is encrypted with ChaCha20-Poly1305 (RFC 8439) and a key that is used once. Sealed
//! boxes are libsodium's: X25519 with a key pair made for each box, XSalsa20-Poly1305.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use crypto_box::aead::OsRng;
use plimsoll_text::Message as Text;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom, SystemRandom};

use super::error::{BundleError, damaged};

const KEY_BYTES: usize = 32;
const MAGIC: &[u8; 4] = b"PLE1";

/// The key of one bundle.
#[derive(Clone, PartialEq, Eq)]
pub struct ContentKey([u8; KEY_BYTES]);

/// What others seal for a worker with.
#[derive(Clone, PartialEq, Eq)]
pub struct PublicKey(crypto_box::PublicKey);

/// What a worker opens with what was sealed for it; made anew whenever a worker starts.
#[derive(Clone)]
pub struct WorkerKey(crypto_box::SecretKey);

impl ContentKey {
    pub(super) fn new() -> Result<Self, BundleError> {
        let mut key = [0; KEY_BYTES];
        SystemRandom::new()
            .fill(&mut key)
            .map_err(|_| BundleError(Text::new("bundle-no-randomness")))?;
        Ok(Self(key))
    }

    fn cipher(&self) -> Result<LessSafeKey, BundleError> {
        // The length is right by its type.
        let key = UnboundKey::new(&CHACHA20_POLY1305, &self.0).map_err(|_| wrong_key())?;
        Ok(LessSafeKey::new(key))
    }

    /// The key encrypts one block only, so that its nonce may be the same always.
    fn nonce() -> Nonce {
        Nonce::assume_unique_for_key([0; NONCE_LEN])
    }

    pub(super) fn lock(&self, mut block: Vec<u8>) -> Result<Vec<u8>, BundleError> {
        let tag = self
            .cipher()?
            .seal_in_place_separate_tag(Self::nonce(), Aad::from(MAGIC), &mut block)
            .map_err(|_| damaged("it is too large to be encrypted"))?;
        let mut locked = MAGIC.to_vec();
        locked.append(&mut block);
        locked.extend(tag.as_ref());
        Ok(locked)
    }

    pub(super) fn unlock(&self, locked: &[u8]) -> Result<Vec<u8>, BundleError> {
        let mut block = locked
            .strip_prefix(MAGIC)
            .ok_or_else(|| damaged("it does not begin as one"))?
            .to_vec();
        let plain = self
            .cipher()?
            .open_in_place(Self::nonce(), Aad::from(MAGIC), &mut block)
            .map_err(|_| wrong_key())?
            .len();
        block.truncate(plain);
        Ok(block)
    }

    /// The key, readable for one worker only.
    ///
    /// # Errors
    /// No randomness from the system.
    pub fn seal(&self, to: &PublicKey) -> Result<Vec<u8>, BundleError> {
        to.seal(&self.0)
    }
}

impl PublicKey {
    /// Encrypts so that only the worker with this key can read it. Who sealed it stays unknown.
    ///
    /// # Errors
    /// No randomness from the system.
    pub fn seal(&self, plain: &[u8]) -> Result<Vec<u8>, BundleError> {
        self.0
            .seal(&mut OsRng, plain)
            .map_err(|_| BundleError(Text::new("bundle-no-randomness")))
    }

    /// Reads a key that [`Display`](fmt::Display) wrote.
    ///
    /// # Errors
    /// A text that is none.
    pub fn parse(text: &str) -> Result<Self, BundleError> {
        let key: Option<[u8; KEY_BYTES]> = STANDARD
            .decode(text)
            .ok()
            .and_then(|bytes| bytes.try_into().ok());
        key.map(|key| Self(key.into()))
            .ok_or_else(|| BundleError(Text::new("bundle-no-key")))
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&STANDARD.encode(self.0.as_bytes()))
    }
}

impl WorkerKey {
    /// A new key.
    #[must_use]
    pub fn new() -> Self {
        Self(crypto_box::SecretKey::generate(&mut OsRng))
    }

    /// What others need.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.public_key())
    }

    /// Opens what was sealed for this key.
    ///
    /// # Errors
    /// It was sealed for another key, or is damaged.
    pub fn open(&self, sealed: &[u8]) -> Result<Vec<u8>, BundleError> {
        self.0.unseal(sealed).map_err(|_| wrong_key())
    }

    /// Opens the key of a bundle.
    ///
    /// # Errors
    /// As [`open`](Self::open), or it is no key.
    pub fn open_key(&self, sealed: &[u8]) -> Result<ContentKey, BundleError> {
        let key = self.open(sealed)?;
        let key = key
            .try_into()
            .map_err(|_| BundleError(Text::new("bundle-no-key")))?;
        Ok(ContentKey(key))
    }
}

impl Default for WorkerKey {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for ContentKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ContentKey(***)")
    }
}

impl fmt::Debug for WorkerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WorkerKey(***)")
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({self})")
    }
}

fn wrong_key() -> BundleError {
    BundleError(Text::new("bundle-wrong-key"))
}

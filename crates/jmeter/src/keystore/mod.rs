//! Java's keystores: private keys with their certificates, by alias. PKCS#12, and JKS.

mod der;
mod entry;
mod jks;
mod pkcs12;

use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use x509_parser::parse_x509_certificate;

pub use entry::{KeyEntry, KeystoreError};

/// The private keys of a store, in the order in which Java enumerates them. The kind of the
/// store is seen from its first bytes, as Java's own "JKS" and "PKCS12" do.
///
/// # Errors
/// A wrong password, another kind of store, a damaged one.
pub fn read(store: &[u8], password: &str) -> Result<Vec<KeyEntry>, KeystoreError> {
    let mut entries = match store {
        [0xfe, 0xed, 0xfe, 0xed, ..] => jks::read(store, password)?,
        [0xce, 0xce, 0xce, 0xce, ..] => return Err(KeystoreError::Kind("JCEKS")),
        [0x30, ..] => pkcs12::read(store, password)?,
        _ => return Err(KeystoreError::damaged("it is neither PKCS#12 nor JKS")),
    };
    entries.iter_mut().for_each(complete);
    Ok(entries)
}

/// Puts the public key into a key on an elliptic curve.
fn complete(entry: &mut KeyEntry) {
    let Some(Ok((_, own))) = entry.chain.first().map(|own| parse_x509_certificate(own)) else {
        return;
    };
    let point = &own.tbs_certificate.subject_pki.subject_public_key.data;
    if let Some(key) = der::with_public_key(entry.key.secret_der(), point) {
        entry.key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Four keys, made with keytool of JDK 17 in the order first, second, third, old; `old`
    /// ended in 2001.
    const P12: &[u8] = include_bytes!("../../tests/data/clients.p12");
    const JKS: &[u8] = include_bytes!("../../tests/data/clients.jks");

    fn aliases(store: &[u8]) -> Vec<String> {
        let entries = read(store, "changeit").unwrap();
        entries.into_iter().map(|entry| entry.alias).collect()
    }

    #[test]
    fn keys_come_in_javas_order() {
        // What `KeyStore.aliases()` of JDK 17 gives for these files.
        assert_eq!(aliases(P12), ["first", "second", "third", "old"]);
        assert_eq!(aliases(JKS), ["old", "second", "third", "first"]);
    }

    #[test]
    fn a_key_is_that_of_its_certificate() {
        for store in [P12, JKS] {
            for entry in read(store, "changeit").unwrap() {
                assert_eq!(entry.chain.len(), 1);
                let key = rustls::crypto::ring::sign::any_supported_type(&entry.key).unwrap();
                let pair = rustls::sign::CertifiedKey::new(entry.chain.clone(), key);
                pair.keys_match().unwrap();
                let ended = entry.not_after_unix_s().unwrap() < 1_100_000_000;
                assert_eq!(ended, entry.alias == "old");
            }
        }
    }

    #[test]
    fn what_is_no_store_says_so() {
        let told = |store: &[u8], password: &str| read(store, password).unwrap_err();
        assert_eq!(told(P12, "wrong"), KeystoreError::Password);
        assert_eq!(told(JKS, "wrong"), KeystoreError::Password);
        let jceks = [0xce, 0xce, 0xce, 0xce, 0, 0, 0, 2];
        assert_eq!(told(&jceks, ""), KeystoreError::Kind("JCEKS"));
        for store in [
            b"".as_slice(),
            b"-----BEGIN",
            &P12[..P12.len() / 2],
            &P12[..1],
        ] {
            assert!(matches!(told(store, "changeit"), KeystoreError::Damaged(_)));
        }
    }
}

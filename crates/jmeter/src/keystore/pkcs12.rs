//! PKCS#12 as Java reads it (JDK 17, `PKCS12KeyStore`): entries in the order of their keys, a
//! key's certificate by the local key id, those above it by their subject.

use p12_keystore::error::Error;
use p12_keystore::{CertificateBag, Pkcs12Archive, PrivateKeyBag};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

use super::entry::{KeyEntry, KeystoreError};

/// The private keys of a store.
pub(super) fn read(store: &[u8], password: &str) -> Result<Vec<KeyEntry>, KeystoreError> {
    let archive = Pkcs12Archive::from_pkcs12(store, password).map_err(|error| match error {
        Error::MacError(_) => KeystoreError::Password,
        error => KeystoreError::damaged(error),
    })?;
    let only_one = archive.keys.len() == 1;
    let mut unnamed = 0;
    let mut entries = Vec::new();
    for key in &archive.keys {
        let alias = match &key.friendly_name {
            Some(name) => name.to_lowercase(),
            None => {
                unnamed += 1;
                format!("{unnamed}")
            }
        };
        let Some(own) = own(key, &archive.certs, only_one) else {
            continue;
        };
        let key = PrivatePkcs8KeyDer::from(key.key.as_der().to_vec());
        entries.push(KeyEntry {
            alias,
            key: PrivateKeyDer::from(key),
            chain: chain(own, &archive.certs),
        });
    }
    Ok(entries)
}

/// The certificate of a key; of a store with one key and no ids it is the first.
fn own<'c>(
    key: &PrivateKeyBag,
    certs: &'c [CertificateBag],
    only_one: bool,
) -> Option<&'c CertificateBag> {
    let id = key.local_key_id.as_ref().map(|id| id.0.as_slice());
    let by_id = certs
        .iter()
        .find(|cert| id.is_some() && cert.local_key_id.as_deref() == id);
    by_id.or_else(|| certs.first().filter(|_| only_one))
}

/// A certificate and those above it, up to the one that signed itself.
fn chain(own: &CertificateBag, certs: &[CertificateBag]) -> Vec<CertificateDer<'static>> {
    let mut chain = vec![&own.cert];
    while let Some(last) = chain.last()
        && last.issuer() != last.subject()
        && let Some(next) = certs
            .iter()
            .map(|bag| &bag.cert)
            .find(|cert| cert.subject() == last.issuer() && !chain.contains(cert))
    {
        chain.push(next);
    }
    let der = chain
        .iter()
        .map(|cert| CertificateDer::from(cert.as_der().to_vec()));
    der.collect()
}

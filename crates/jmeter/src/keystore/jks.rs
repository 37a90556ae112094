//! JKS, Java's own format (JDK 17, `JavaKeyStore`, `KeyProtector`): entries one after the
//! other, keys hidden by a stream of SHA-1 digests, a digest over all at the end.

use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use sha1::{Digest, Sha1};

use super::der::element;
use super::entry::{KeyEntry, KeystoreError};

/// Length of a SHA-1 digest and of a key's salt, bytes.
const DIGEST: usize = 20;

/// What Java puts between the password and the entries in the store's digest.
const WHITENER: &[u8] = b"Mighty Aphrodite";

/// The private keys of a store.
pub(super) fn read(store: &[u8], password: &str) -> Result<Vec<KeyEntry>, KeystoreError> {
    let password: Vec<u8> = password.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let end = store.len().checked_sub(DIGEST).ok_or_else(cut_short)?;
    let (content, digest) = store.split_at(end);
    if sha1(&[&password, WHITENER, content]) != digest {
        return Err(KeystoreError::Password);
    }
    let mut reader = JksReader(content);
    let (_magic, version, count) = (reader.u32()?, reader.u32()?, reader.u32()?);
    let mut entries: Vec<(String, Option<KeyEntry>)> = Vec::new();
    for _ in 0..count {
        let tag = reader.u32()?;
        let alias = reader.text()?.to_lowercase();
        reader.take(8)?;
        let entry = match tag {
            1 => Some(key_entry(&mut reader, version, &alias, &password)?),
            _ => {
                certificate(&mut reader, version)?;
                None
            }
        };
        entries.push((alias, entry));
    }
    let order = hashtable_order(entries.iter().map(|(alias, _)| alias.as_str()));
    let in_order = order.into_iter().filter_map(|at| entries[at].1.take());
    Ok(in_order.collect())
}

fn key_entry(
    reader: &mut JksReader<'_>,
    version: u32,
    alias: &str,
    password: &[u8],
) -> Result<KeyEntry, KeystoreError> {
    let protected = reader.bytes()?;
    let key = uncovered(hidden_octets(protected)?, password)?;
    let certificates = reader.u32()?;
    let chain: Result<Vec<_>, _> = (0..certificates)
        .map(|_| certificate(reader, version))
        .collect();
    Ok(KeyEntry {
        alias: alias.to_owned(),
        key: PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key)),
        chain: chain?,
    })
}

fn certificate(
    reader: &mut JksReader<'_>,
    version: u32,
) -> Result<CertificateDer<'static>, KeystoreError> {
    if version > 1 {
        // Its type: X.509.
        reader.text()?;
    }
    Ok(CertificateDer::from(reader.bytes()?.to_vec()))
}

/// A key in the clear: salt, covered bytes and digest are behind each other.
fn uncovered(hidden: &[u8], password: &[u8]) -> Result<Vec<u8>, KeystoreError> {
    let covered = hidden.len().checked_sub(2 * DIGEST);
    let (salt, rest) = hidden.split_at(DIGEST.min(hidden.len()));
    let (covered, digest) = rest.split_at(covered.ok_or_else(cut_short)?);
    let mut pad = sha1(&[password, salt]);
    let mut key = Vec::with_capacity(covered.len());
    for block in covered.chunks(DIGEST) {
        key.extend(block.iter().zip(&pad).map(|(byte, pad)| byte ^ pad));
        pad = sha1(&[password, &pad]);
    }
    // A key may have a password of its own, which JMeter cannot be told.
    match sha1(&[password, &key]) == digest {
        true => Ok(key),
        false => Err(KeystoreError::Password),
    }
}

fn sha1(parts: &[&[u8]]) -> [u8; DIGEST] {
    let mut digest = Sha1::new();
    parts.iter().for_each(|part| digest.update(part));
    digest.finalize().into()
}

/// The octets within `SEQUENCE { AlgorithmIdentifier, OCTET STRING }`.
fn hidden_octets(der: &[u8]) -> Result<&[u8], KeystoreError> {
    let (_, inner, _) = element(der)?;
    let (_, _, after_algorithm) = element(inner)?;
    let (tag, octets, _) = element(after_algorithm)?;
    match tag {
        0x04 => Ok(octets),
        _ => Err(KeystoreError::damaged("a key is not what JKS holds")),
    }
}

fn cut_short() -> KeystoreError {
    KeystoreError::damaged("it ends too early")
}

/// Reads Java's `DataOutputStream`.
struct JksReader<'b>(&'b [u8]);

impl<'b> JksReader<'b> {
    fn take(&mut self, bytes: usize) -> Result<&'b [u8], KeystoreError> {
        let (taken, rest) = self.0.split_at_checked(bytes).ok_or_else(cut_short)?;
        self.0 = rest;
        Ok(taken)
    }

    fn u32(&mut self) -> Result<u32, KeystoreError> {
        let number = |sum, byte: &u8| sum << 8 | u32::from(*byte);
        Ok(self.take(4)?.iter().fold(0, number))
    }

    fn bytes(&mut self) -> Result<&'b [u8], KeystoreError> {
        let length = self.u32()?;
        self.take(usize::try_from(length).unwrap_or(usize::MAX))
    }

    fn text(&mut self) -> Result<String, KeystoreError> {
        let length = self.take(2)?;
        let length = usize::from(length[0]) << 8 | usize::from(length[1]);
        Ok(String::from_utf8_lossy(self.take(length)?).into_owned())
    }
}

/// The order in which Java's `Hashtable` enumerates keys that were put into it in this order:
/// the indices of JMeter's Keystore Configuration count in it.
fn hashtable_order<'a>(keys: impl Iterator<Item = &'a str>) -> Vec<usize> {
    let hash = |key: &str| {
        let step = |hash: u32, unit: u16| hash.wrapping_mul(31).wrapping_add(u32::from(unit));
        (key.encode_utf16().fold(0, step) & 0x7fff_ffff) as usize
    };
    // Of each bucket the newest stands last here, which in Java is the first.
    let mut table: Vec<Vec<(usize, usize)>> = vec![Vec::new(); 11];
    for (at, key) in keys.enumerate() {
        if at >= table.len() * 3 / 4 {
            let mut larger = vec![Vec::new(); table.len() * 2 + 1];
            for (hash, at) in table.iter().rev().flat_map(|bucket| bucket.iter().rev()) {
                let place = hash % larger.len();
                larger[place].push((*hash, *at));
            }
            table = larger;
        }
        let place = hash(key) % table.len();
        table[place].push((hash(key), at));
    }
    let buckets = table.iter().rev();
    buckets
        .flat_map(|bucket| bucket.iter().rev().map(|(_, at)| *at))
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_in_the_order_of_javas_hashtable() {
        let order = |keys: &[&str]| {
            let order = hashtable_order(keys.iter().copied());
            let names: Vec<&str> = order.into_iter().map(|at| keys[at]).collect();
            names.join(" ")
        };
        // What a JDK 17 makes of `new Hashtable<>()` filled in this order.
        assert_eq!(order(&["first", "second", "third"]), "third second first");
        let many: Vec<String> = (0..12).map(|n| format!("client{n}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(
            order(&many),
            "client9 client8 client7 client11 client6 client10 client5 client4 client3 client2 client1 client0"
        );
    }

    #[test]
    fn a_store_that_is_cut_short_is_no_panic() {
        let mut store = vec![0xfe, 0xed, 0xfe, 0xed, 0, 0, 0, 2, 0, 0, 0, 9, 0, 0, 0, 1];
        for length in 0..store.len() {
            assert!(read(&store[..length], "x").is_err());
        }
        let password: Vec<u8> = "x".encode_utf16().flat_map(u16::to_be_bytes).collect();
        let digest = sha1(&[&password, WHITENER, &store]);
        store.extend(digest);
        assert_eq!(read(&store, "x").unwrap_err(), cut_short());
        assert_eq!(read(&store, "y").unwrap_err(), KeystoreError::Password);
    }
}

//! As much of DER as keystores need beyond what their libraries read.

use super::entry::KeystoreError;

/// The first element of a DER text: its tag, its content, and what follows.
pub(super) fn element(der: &[u8]) -> Result<(u8, &[u8], &[u8]), KeystoreError> {
    split(der).ok_or_else(|| KeystoreError::damaged("it ends too early"))
}

fn split(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (tag, rest) = der.split_first()?;
    let (first, rest) = rest.split_first()?;
    let (length, rest) = match *first {
        short @ 0..=0x7f => (usize::from(short), rest),
        long => {
            let (bytes, rest) = rest.split_at_checked(usize::from(long & 0x7f).min(4))?;
            let number = |sum, byte: &u8| sum << 8 | usize::from(*byte);
            (bytes.iter().fold(0, number), rest)
        }
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((*tag, content, rest))
}

/// An element.
fn made(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    let bytes = content.len().to_be_bytes();
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    let mut der = vec![tag];
    match &bytes[zeros..] {
        [] => der.push(0),
        [short @ 0..=0x7f] => der.push(*short),
        long => {
            der.push(0x80 | u8::try_from(long.len()).unwrap_or(0));
            der.extend(long);
        }
    }
    der.extend(content);
    der
}

/// A PKCS#8 key on an elliptic curve with the public key put in, which Java leaves out and TLS
/// here wants (RFC 5915, 3); none for other keys. `point` is the public key, not compressed.
pub(super) fn with_public_key(pkcs8: &[u8], point: &[u8]) -> Option<Vec<u8>> {
    const EC: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
    let (_, key, _) = element(pkcs8).ok()?;
    let (_, _, after_version) = element(key).ok()?;
    let (_, algorithm, after_algorithm) = element(after_version).ok()?;
    let (_, kind, _) = element(algorithm).ok()?;
    if kind != EC || point.first() != Some(&4) {
        return None;
    }
    let (_, octets, _) = element(after_algorithm).ok()?;
    let (_, own, _) = element(octets).ok()?;
    let (_, _, after_own_version) = element(own).ok()?;
    let (_, number, _) = element(after_own_version).ok()?;
    let (zero, one) = (made(0x02, &[&[0]]), made(0x02, &[&[1]]));
    // As long as a coordinate: some writers leave zeros out, or put one before.
    let length = (point.len() - 1) / 2;
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    let number = &number[zeros..];
    let padding = vec![0; length.checked_sub(number.len())?];
    let number = made(0x04, &[&padding, number]);
    let public = made(0xa1, &[&made(0x03, &[&[0], point])]);
    let own = made(0x30, &[&one, &number, &public]);
    let algorithm = made(0x30, &[algorithm]);
    Some(made(0x30, &[&zero, &algorithm, &made(0x04, &[&own])]))
}

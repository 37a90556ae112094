//! Parts whose length is known.

/// What of these bytes belongs to a part of which so many are left, and what is behind it.
pub(super) fn split(bytes: &[u8], left: u64) -> (&[u8], &[u8]) {
    let own = usize::try_from(left).map_or(bytes.len(), |left| left.min(bytes.len()));
    bytes.split_at(own)
}

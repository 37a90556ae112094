//! Bundles on their way to a worker: whatever the bytes, they are refused or understood; what is
//! understood can be packed again, is within the limits, and no name leads out of its folder.

#![no_main]
#![allow(missing_docs)]

use std::io::Write;
use std::path::{Component, Path};

use flate2::{Compression, write::DeflateEncoder};
use libfuzzer_sys::fuzz_target;
use plimsoll_fleet::bundle::{Bundle, BundleLimits};
use sha2::{Digest, Sha256};

const LIMITS: BundleLimits = BundleLimits {
    bytes: 1 << 20,
    files: 20,
};

fuzz_target!(|bytes: &[u8]| {
    check(bytes);
    // What deflate and checksums would keep from the reader of the index: the first byte says
    // where the index ends.
    if let Some((&cut, rest)) = bytes.split_first() {
        let (index, contents) = rest.split_at(rest.len().min(usize::from(cut)));
        check(&packed(&repaired(index, contents), contents));
        check(&packed(index, contents));
    }
});

fn packed(index: &[u8], contents: &[u8]) -> Vec<u8> {
    let mut block = DeflateEncoder::new(b"PLB1".to_vec(), Compression::none());
    let length = u32::try_from(index.len()).expect("inputs are short");
    block.write_all(&length.to_le_bytes()).expect("into memory");
    block
        .write_all(&Sha256::digest(index))
        .expect("into memory");
    block.write_all(index).expect("into memory");
    block.write_all(contents).expect("into memory");
    block.finish().expect("into memory")
}

/// An index with one name, which is whatever the input says, and what else it needs.
fn repaired(name: &[u8], contents: &[u8]) -> Vec<u8> {
    let mut index = u16::try_from(name.len())
        .expect("at most 255")
        .to_le_bytes()
        .to_vec();
    index.extend(name);
    index.extend((contents.len() as u64).to_le_bytes());
    index.extend(Sha256::digest(contents));
    index
}

fn check(block: &[u8]) {
    let Ok(bundle) = Bundle::decode(block, &LIMITS) else {
        return;
    };
    let mut bytes = 0;
    for (name, contents) in bundle.files() {
        bytes += contents.len() as u64;
        let mut parts = Path::new(name).components();
        assert!(
            parts.all(|part| matches!(part, Component::Normal(_))),
            "{name:?}"
        );
    }
    assert!(bytes <= LIMITS.bytes && bundle.files().count() <= LIMITS.files);
    let again = bundle.encode().expect("what was read can be written");
    assert_eq!(Bundle::decode(&again, &LIMITS), Ok(bundle));
}

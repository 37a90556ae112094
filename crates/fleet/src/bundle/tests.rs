#![allow(clippy::unwrap_used)]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use proptest::prelude::*;

use super::*;

fn bundle(files: &[(&str, &[u8])]) -> Bundle {
    let mut bundle = Bundle::new();
    for (name, contents) in files {
        bundle.add(name, Bytes::copy_from_slice(contents)).unwrap();
    }
    bundle
}

fn example() -> Bundle {
    bundle(&[
        ("plan.yaml", b"name: shop\n"),
        ("data/users.csv", b"user,password\nann,1\n"),
        ("empty", b""),
    ])
}

/// A block whose index says what it likes.
fn block(index: &[u8], contents: &[u8]) -> Vec<u8> {
    let mut block = DeflateEncoder::new(MAGIC.to_vec(), Compression::fast());
    block
        .write_all(&(index.len() as u32).to_le_bytes())
        .unwrap();
    block.write_all(&Sha256::digest(index)).unwrap();
    block.write_all(index).unwrap();
    block.write_all(contents).unwrap();
    block.finish().unwrap()
}

fn line(name: &[u8], size: u64, contents: &[u8]) -> Vec<u8> {
    let mut line = (name.len() as u16).to_le_bytes().to_vec();
    line.extend(name);
    line.extend(size.to_le_bytes());
    line.extend(Sha256::digest(contents));
    line
}

#[test]
fn damage_at_every_byte_is_noticed() {
    let (locked, key) = example().lock().unwrap();
    let limits = BundleLimits::default();
    assert_eq!(Bundle::unlock(&locked, &key, &limits).unwrap(), example());
    for at in 0..locked.len() {
        for bit in 0..8_u8 {
            let mut damaged = locked.clone();
            damaged[at] ^= 1 << bit;
            assert!(
                Bundle::unlock(&damaged, &key, &limits).is_err(),
                "byte {at}, bit {bit}"
            );
        }
        assert!(
            Bundle::unlock(&locked[..at], &key, &limits).is_err(),
            "cut at {at}"
        );
    }
    let other = ContentKey::new().unwrap();
    assert!(Bundle::unlock(&locked, &other, &limits).is_err());
}

#[test]
fn nothing_is_readable_without_the_key() {
    let secret = b"password: correct horse battery staple";
    let (locked, key) = bundle(&[("plan.yaml", secret)]).lock().unwrap();
    assert!(!locked.windows(8).any(|window| window == &secret[..8]));
    let (again, other) = bundle(&[("plan.yaml", secret)]).lock().unwrap();
    assert_ne!(locked, again);
    assert_ne!(key, other);
    assert_eq!(format!("{key:?}"), "ContentKey(***)");
}

#[test]
fn keys_travel_sealed() {
    let worker = WorkerKey::new();
    let (locked, key) = example().lock().unwrap();
    let told = PublicKey::parse(&worker.public().to_string()).unwrap();
    let mut sealed = key.seal(&told).unwrap();
    let opened = worker.open_key(&sealed).unwrap();
    assert_eq!(
        Bundle::unlock(&locked, &opened, &BundleLimits::default()).unwrap(),
        example()
    );
    assert!(WorkerKey::new().open_key(&sealed).is_err());
    for at in 0..sealed.len() {
        sealed[at] ^= 1;
        assert!(worker.open_key(&sealed).is_err(), "byte {at}");
        sealed[at] ^= 1;
    }
    assert!(worker.open_key(&[]).is_err());
    assert!(worker.open_key(&told.seal(b"short").unwrap()).is_err());
    for text in ["", "AAAA", "no base64", &"A".repeat(1000)] {
        assert!(PublicKey::parse(text).is_err(), "{text}");
    }
}

#[test]
fn a_block_is_checked_against_its_index() {
    let limits = BundleLimits {
        bytes: 100,
        files: 3,
    };
    let decode = |index: &[u8], contents: &[u8]| {
        Bundle::decode(&block(index, contents), &limits).map_err(|error| error.to_string())
    };
    let good = line(b"a", 1, b"x");
    assert_eq!(decode(&good, b"x"), Ok(bundle(&[("a", b"x")])));
    assert_eq!(decode(b"", b""), Ok(Bundle::new()));
    let twice = [good.clone(), good.clone()].concat();
    let nested = [good.clone(), line(b"a/b", 1, b"x")].concat();
    let nested_before = [line(b"a/b", 1, b"x"), good.clone()].concat();
    let many: Vec<u8> = (b'a'..b'f')
        .flat_map(|name| line(&[name], 0, b""))
        .collect();
    for (what, index, contents) in [
        ("another checksum", good.clone(), &b"y"[..]),
        ("too little", good.clone(), b""),
        ("too much", good.clone(), b"xx"),
        ("twice", twice, b"xx"),
        ("a file as a folder", nested, b"xx"),
        ("a folder as a file", nested_before, b"xx"),
        ("outside", line(b"../a", 1, b"x"), b"x"),
        ("absolute", line(b"/a", 1, b"x"), b"x"),
        ("no text", line(b"\xff", 1, b"x"), b"x"),
        ("too large", line(b"a", 101, &[0; 101]), &[0; 101]),
        ("huge", line(b"a", u64::MAX, b""), b""),
        ("too many", many, b""),
        ("a cut index", good[..good.len() - 1].to_vec(), b"x"),
    ] {
        assert!(decode(&index, contents).is_err(), "{what}");
    }
}

#[test]
fn what_unpacks_to_more_than_it_says_is_not_read() {
    // Less than a hundredth of its size when packed.
    let zeros = vec![0; 50 << 20];
    let packed = block(&line(b"a", 10, &zeros[..10]), &zeros);
    assert!(packed.len() < zeros.len() / 100);
    assert!(Bundle::decode(&packed, &BundleLimits::default()).is_err());
}

#[test]
fn files_are_written_into_a_private_folder() {
    let parent = tempfile::tempdir().unwrap();
    let unpacked = example().unpack(parent.path()).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let users = unpacked.path().join("data/users.csv");
    assert_eq!(std::fs::read(&users).unwrap(), b"user,password\nann,1\n");
    assert_eq!(mode(unpacked.path()), 0o700);
    assert_eq!(mode(&unpacked.path().join("data")), 0o700);
    assert_eq!(mode(&users), 0o600);
    assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 1);
    drop(unpacked);
    assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
    let missing = example()
        .unpack(&parent.path().join("nowhere"))
        .unwrap_err();
    assert!(missing.to_string().contains("nowhere"), "{missing}");
}

proptest! {
    #[test]
    fn what_is_packed_is_unpacked(
        files in prop::collection::btree_map("[a-z]{1,5}(/[a-z]{1,5}){0,2}",
            prop::collection::vec(any::<u8>(), 0..300), 0..10),
    ) {
        let mut bundle = Bundle::new();
        for (name, contents) in files {
            // Some are folders of others.
            let _ = bundle.add(&name, contents.into());
        }
        let (locked, key) = bundle.lock().unwrap();
        prop_assert_eq!(Bundle::unlock(&locked, &key, &BundleLimits::default()).unwrap(), bundle);
    }

    #[test]
    fn damage_to_an_open_block_never_changes_what_is_read(at in any::<prop::sample::Index>(), bit in 0..8_u8) {
        let mut block = example().encode().unwrap();
        let at = at.index(block.len());
        block[at] ^= 1 << bit;
        // The last byte of a deflated stream has bits that mean nothing.
        if let Ok(read) = Bundle::decode(&block, &BundleLimits::default()) {
            prop_assert_eq!(read, example());
        }
    }

    #[test]
    fn garbage_is_refused(garbage in prop::collection::vec(any::<u8>(), 0..500)) {
        let limits = BundleLimits { bytes: 1 << 20, files: 10 };
        let _ = Bundle::decode(&garbage, &limits);
        let _ = Bundle::decode(&block(&garbage, b""), &limits);
        let _ = Bundle::decode(&[MAGIC, garbage.as_slice()].concat(), &limits);
    }
}

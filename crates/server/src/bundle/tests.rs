//! Runs into one file and back, and files that are none.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use plimsoll_store::{Run, RunMeta, RunWriter};
use proptest::prelude::*;
use tar::EntryType;

use super::*;

/// A run's folder, written by the store.
fn a_run(
    root: &Path,
    name: &str,
    plan: &str,
    events: u32,
    note: Option<&[u8]>,
) -> std::path::PathBuf {
    let meta = RunMeta {
        plan_name: name.to_owned(),
        plan_source: plan.to_owned(),
        started_at_unix_ns: 1_772_593_445_000_000_000,
        ..RunMeta::default()
    };
    let mut writer = RunWriter::create(root, &meta).unwrap();
    for event in 0..events {
        let args = serde_json::json!({ "text": plan });
        writer
            .event(u64::from(event), "stopped-by-plan", &args)
            .unwrap();
    }
    let dir = writer.dir().to_owned();
    if events.is_multiple_of(2) {
        let summary = Run::open(&dir).unwrap().rebuild_summary().unwrap();
        writer.finish(&summary).unwrap();
    }
    drop(writer);
    if let Some(note) = note {
        std::fs::write(dir.join("notes.json"), note).unwrap();
    }
    dir
}

fn packed_of(dir: &Path) -> Vec<u8> {
    let run = Run::open(dir).unwrap();
    let id = run.id();
    let mut bytes = Vec::new();
    RunFiles::open(run, &id).unwrap().pack(&mut bytes).unwrap();
    bytes
}

/// Takes bytes in, as they come in pieces of that length.
fn taken(bytes: &[u8], piece: usize, to: &Path) -> Result<String, BundleFault> {
    taken_from(bytes, piece, to, unpack::SMALL)
}

/// The same where a length says something from so many bytes on.
fn taken_from(bytes: &[u8], piece: usize, to: &Path, small: u64) -> Result<String, BundleFault> {
    let (sender, from) = pipe();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for piece in bytes.chunks(piece.max(1)) {
                // The reader may have seen enough.
                if sender.blocking_send(Ok(piece.to_vec().into())).is_err() {
                    return;
                }
            }
        });
        unpack::unpacked_from(&mut PipeReader::new(from), to, small)
    })
}

/// What is in a folder, but for what belongs to who reads the database.
fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
    let named = entries.map(|entry| {
        let name = entry.file_name().into_string().unwrap();
        (name, std::fs::read(entry.path()).unwrap())
    });
    // A log without anything in it is made by whoever opens the database.
    let is_kept = |(name, bytes): &(String, Vec<u8>)| {
        let is_log = name.ends_with("-wal") && bytes.is_empty();
        !is_log && !name.ends_with("-shm")
    };
    named.filter(is_kept).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_run_comes_back_as_it_was(
        name in "[a-z\u{4e00}-\u{4e20} ]{0,40}",
        plan in "\\PC{0,300}",
        events in 0_u32..40,
        note in proptest::option::of(proptest::collection::vec(any::<u8>(), 0..200)),
        piece in 1_usize..5_000,
        cut in 0.0..1.0_f64,
        flip in 0.0..1.0_f64,
    ) {
        let root = tempfile::tempdir().unwrap();
        let dir = a_run(root.path(), &name, &plan, events, note.as_deref());
        let bytes = packed_of(&dir);
        let to = tempfile::tempdir().unwrap();
        let id = taken(&bytes, piece, to.path()).unwrap();
        prop_assert_eq!(&id, dir.file_name().unwrap().to_str().unwrap());
        let expected = files(&dir);
        prop_assert_eq!(files(to.path()), expected.clone());
        plimsoll_store::verified(to.path()).unwrap();
        // Cut short anywhere it is refused.
        let length = (bytes.len() as f64 * cut) as usize;
        let empty = tempfile::tempdir().unwrap();
        prop_assert!(taken(&bytes[..length], piece, empty.path()).is_err());
        // With another byte anywhere it is refused, or nothing of it is another.
        let mut other = bytes.clone();
        let at = (bytes.len() as f64 * flip) as usize;
        other[at] ^= 0x55;
        let to_other = tempfile::tempdir().unwrap();
        if let Ok(id) = taken(&other, piece, to_other.path()) {
            prop_assert_eq!(&id, dir.file_name().unwrap().to_str().unwrap());
            prop_assert_eq!(files(to_other.path()), expected);
        }
    }

    #[test]
    fn what_is_no_file_of_a_run_is_refused(bytes in proptest::collection::vec(any::<u8>(), 0..3_000)) {
        let to = tempfile::tempdir().unwrap();
        prop_assert!(taken(&bytes, 100, to.path()).is_err());
        prop_assert!(files(to.path()).is_empty());
    }
}

/// Path, kind, bytes.
type Entry<'a> = (&'a str, EntryType, &'a [u8]);

/// A file with these entries.
fn bundle(entries: &[Entry<'_>]) -> Vec<u8> {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, kind, bytes) in entries {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(*kind);
        header.set_size(bytes.len() as u64);
        // As it is: the builder would refuse a way out of the folder.
        header.as_mut_bytes()[..path.len()].copy_from_slice(path.as_bytes());
        header.set_link_name("plan").unwrap();
        header.set_cksum();
        tar.append(&header, *bytes).unwrap();
    }
    tar.into_inner().unwrap().finish().unwrap()
}

#[test]
fn hostile_files_leave_nothing_outside() {
    const HEAD: Entry<'_> = (
        "plimsoll-run.json",
        EntryType::Regular,
        br#"{"form":1,"id":"a"}"#,
    );
    const PLAN: Entry<'_> = ("plan", EntryType::Regular, b"x");
    let head = |json: &'static [u8]| ("plimsoll-run.json", EntryType::Regular, json);
    let long = "x".repeat(90);
    let cases: Vec<(Vec<Entry<'_>>, &str)> = vec![
        (vec![], "NoRun"),
        (vec![PLAN], "NoRun"),
        (vec![HEAD], "NoRun"),
        (vec![HEAD, PLAN], "NoRun"),
        (vec![head(b"{")], "NoRun"),
        (vec![head(br#"{"form":2,"id":"a"}"#)], "Newer"),
        (vec![head(br#"{"form":1,"id":"../a"}"#)], "Foreign"),
        (vec![head(br#"{"form":1,"id":".workbench"}"#)], "Foreign"),
        (vec![head(br#"{"form":1,"id":"a\u0000b"}"#)], "Foreign"),
        (vec![head(br#"{"form":1,"id":""}"#)], "Foreign"),
        (vec![HEAD, PLAN, PLAN], "Foreign"),
        (vec![HEAD, ("../plan", EntryType::Regular, b"x")], "Foreign"),
        (
            vec![HEAD, ("/etc/plan", EntryType::Regular, b"x")],
            "Foreign",
        ),
        (vec![HEAD, ("a/plan", EntryType::Regular, b"x")], "Foreign"),
        (vec![HEAD, ("./plan", EntryType::Regular, b"x")], "Foreign"),
        (vec![HEAD, ("passwd", EntryType::Regular, b"x")], "Foreign"),
        (
            vec![HEAD, ("run.sqlite-shm", EntryType::Regular, b"x")],
            "Foreign",
        ),
        (vec![HEAD, ("plan", EntryType::Symlink, b"")], "Foreign"),
        (vec![HEAD, ("plan", EntryType::Link, b"")], "Foreign"),
        (vec![HEAD, ("plan", EntryType::Directory, b"")], "Foreign"),
        (vec![HEAD, ("plan", EntryType::Fifo, b"")], "Foreign"),
        (vec![HEAD, ("plan", EntryType::Block, b"")], "Foreign"),
        (vec![HEAD, ("plan", EntryType::GNUSparse, b"x")], "Foreign"),
        (
            vec![HEAD, (&long, EntryType::GNULongName, b"plan")],
            "Foreign",
        ),
        (
            vec![HEAD, (&long, EntryType::XHeader, b"11 path=../a\n")],
            "Foreign",
        ),
    ];
    for (entries, expected) in cases {
        let above = tempfile::tempdir().unwrap();
        let to = above.path().join("to");
        std::fs::create_dir(&to).unwrap();
        let fault = taken(&bundle(&entries), 1_000, &to).unwrap_err();
        let told = format!("{fault:?}");
        assert!(told.starts_with(expected), "{told}: {entries:?}");
        assert_eq!(
            std::fs::read_dir(above.path()).unwrap().count(),
            1,
            "{entries:?}"
        );
    }
}

#[test]
fn what_becomes_far_longer_than_it_is_is_refused() {
    let to = tempfile::tempdir().unwrap();
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    let mut header = tar::Header::new_gnu();
    let head = br#"{"form":1,"id":"a"}"#;
    header.set_path("plimsoll-run.json").unwrap();
    header.set_size(head.len() as u64);
    header.set_cksum();
    packer.write_all(header.as_bytes()).unwrap();
    let mut block = head.to_vec();
    block.resize(512, 0);
    let length = 4 << 20;
    packer.write_all(&block).unwrap();
    header.set_path("plan").unwrap();
    header.set_size(length);
    header.set_cksum();
    packer.write_all(header.as_bytes()).unwrap();
    for _ in 0..length >> 20 {
        packer.write_all(&[0; 1 << 20]).unwrap();
    }
    let bytes = packer.finish().unwrap();
    assert!(bytes.len() < 9_000);
    let fault = taken_from(&bytes, 100, to.path(), 1 << 20).unwrap_err();
    assert!(matches!(fault, BundleFault::TooLong(_)), "{fault:?}");
    let written = std::fs::metadata(to.path().join("plan")).unwrap().len();
    assert!(written <= 2 << 20, "{written}");
}

//! Flight recordings of a real JVM without the secrets that it was given and that it told.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::Path;
use std::process::Command;

use plimsoll_watch::jfr::{Chunk, JfrType, masked};

/// What no rule could know as a secret by its look or its name.
const GIVEN: &[&str] = &["plain-word-of-the-environment", "plain-word-of-a-property"];

/// Secrets by their names or their looks.
const TOLD: &[&str] = &[
    "pw-short",
    "pw-as-long-as-go-to-the-pool",
    "tok-4711-in-a-note",
    "argument-of-the-command",
];

/// A recording of a program with all of them; none on a machine without Java, which CI must have.
fn recorded(file: &Path) -> Option<Vec<u8>> {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/java/Told.java");
    let option = format!(
        "-XX:StartFlightRecording:filename={},settings=profile",
        file.display()
    );
    let mut command = Command::new("java");
    command
        .env("SHOP_COLOUR", GIVEN[0])
        .args([&option, &format!("-Dshop.shape={}", GIVEN[1]), source])
        .arg("--password=argument-of-the-command");
    let Ok(done) = command.output() else {
        assert!(std::env::var_os("CI").is_none(), "CI must have java");
        eprintln!("skipped: java is not installed");
        return None;
    };
    assert!(done.status.success(), "{done:?}");
    Some(std::fs::read(file).unwrap())
}

/// Whether the bytes have a text.
fn has(bytes: &[u8], text: &str) -> bool {
    bytes
        .windows(text.len())
        .any(|window| window == text.as_bytes())
}

/// Samples of running threads.
fn samples(bytes: &[u8]) -> usize {
    let (mut at, mut count) = (0, 0);
    while at < bytes.len() {
        let chunk = Chunk::read(&bytes[at..]).unwrap();
        let is_sample = |_: i64, of: &JfrType| &*of.name == "jdk.ExecutionSample";
        chunk
            .each_event(&is_sample, &mut |_, _, _| count += 1)
            .unwrap();
        at += chunk.length;
    }
    count
}

/// What the JDK's own tool prints of a recording.
fn printed(bytes: &[u8], folder: &Path, what: &[&str]) -> String {
    let file = folder.join("printed.jfr");
    std::fs::write(&file, bytes).unwrap();
    let done = Command::new("jfr").args(what).arg(&file).output().unwrap();
    assert!(done.status.success(), "{done:?}");
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn a_recording_has_no_secrets_and_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let Some(bytes) = recorded(&folder.path().join("recording.jfr")) else {
        return;
    };
    let all = || GIVEN.iter().chain(TOLD);
    let there: Vec<&&str> = all().filter(|text| has(&bytes, text)).collect();
    assert_eq!(there.len(), GIVEN.len() + TOLD.len(), "{there:?}");
    let hidden = masked(bytes.clone()).unwrap();
    let left: Vec<&&str> = all().filter(|text| has(&hidden, text)).collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(hidden.len(), bytes.len());
    assert_eq!(samples(&hidden), samples(&bytes));
    assert!(samples(&hidden) > 5);
    // All other events are there, as the JDK's own reader has them.
    let before = printed(&bytes, folder.path(), &["print", "--json"]);
    let after = printed(&hidden, folder.path(), &["print", "--json"]);
    let count = |text: &str, what: &str| text.matches(what).count();
    for kept in [
        "\"shop.Login\"",
        "\"jdk.ExecutionSample\"",
        "\"jdk.JVMInformation\"",
        "\"joe\"",
    ] {
        assert!(count(&before, kept) > 0, "{kept}");
        assert_eq!(count(&before, kept), count(&after, kept), "{kept}");
    }
    assert_eq!(count(&after, "InitialEnvironmentVariable"), 0);
    for text in all().copied().chain(["\u{4e2d}\u{6587}"]) {
        assert_eq!(count(&after, text), 0, "{text}");
    }
    assert_eq!(masked(hidden.clone()).unwrap(), hidden);
}

#[test]
fn what_cannot_be_read_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let Some(bytes) = recorded(&folder.path().join("recording.jfr")) else {
        return;
    };
    let cut = bytes[..bytes.len() / 2].to_vec();
    assert!(masked(cut).is_err());
    assert!(masked(b"GIF89a".to_vec()).is_err());
    let mut random = 12_345_u64;
    for _ in 0..40 {
        let mut changed = bytes.clone();
        for _ in 0..8 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let at = usize::try_from(random >> 33).unwrap() % changed.len();
            changed[at] ^= u8::try_from(random & 0xff).unwrap() | 1;
        }
        // Whatever it is, it ends.
        let _ = masked(changed);
    }
}

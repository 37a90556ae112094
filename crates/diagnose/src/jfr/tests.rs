//! Recordings: a real one, damaged ones, and what is none.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::process::Command;

use super::*;

/// A program that computes in one method and waits for a monitor in another, with a recording of
/// it; none on a machine without Java, which CI must have.
fn recorded() -> Option<Vec<u8>> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("recording.jfr");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/java/Busy.java");
    let option = format!(
        "-XX:StartFlightRecording:filename={},settings=profile",
        file.display()
    );
    let Ok(done) = Command::new("java").args([&option, source]).output() else {
        assert!(std::env::var_os("CI").is_none(), "CI must have java");
        eprintln!("skipped: java is not installed");
        return None;
    };
    assert!(done.status.success(), "{done:?}");
    Some(std::fs::read(file).unwrap())
}

#[test]
fn a_recording_is_read_and_a_damaged_one_ends_nothing() {
    let Some(bytes) = recorded() else { return };
    let profile = Profile::read(&bytes, 0).unwrap();
    let calls = |stack: usize| profile.stacks[stack].join(" ");
    let computing = profile
        .cpu
        .iter()
        .filter(|sample| calls(sample.stack).contains("Busy.compute:"))
        .count();
    assert!(
        computing * 2 > profile.cpu.len() && computing > 5,
        "{computing} of {}",
        profile.cpu.len()
    );
    let waits = profile.waits.iter();
    let waits: Vec<&MonitorWait> = waits.filter(|wait| wait.class == "Busy$Desk").collect();
    assert!(!waits.is_empty(), "{:?}", profile.waits);
    assert!(waits.iter().all(|wait| wait.lasted_ms > 0.0));
    assert!(calls(waits[0].stack).contains("Busy$Desk.enter:"));
    // On the wall clock, in this century.
    let at_ms = profile.cpu[0].at_ms;
    assert!(at_ms > 1_600_000_000_000, "{at_ms}");
    let text = serde_json::to_string(&profile).unwrap();
    assert_eq!(serde_json::from_str::<Profile>(&text).unwrap(), profile);
    damaged(&bytes);
}

/// Cut anywhere, and with any byte changed, it is an error or less of a profile.
fn damaged(bytes: &[u8]) {
    for part in 1..40 {
        let cut = bytes.len() * part / 40;
        let _ = Profile::read(&bytes[..cut], 0);
    }
    let mut random = 12_345_u64;
    for _ in 0..60 {
        let mut changed = bytes.to_vec();
        for _ in 0..8 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let at = usize::try_from(random >> 33).unwrap() % changed.len();
            changed[at] ^= u8::try_from(random & 0xff).unwrap() | 1;
        }
        let _ = Profile::read(&changed, 0);
    }
}

#[test]
fn what_is_no_recording_is_said() {
    for bytes in [&b"GIF89a"[..], b"FLR\0\0\x09\0\0", b"FL"] {
        assert!(Profile::read(bytes, 0).is_err(), "{bytes:?}");
    }
    assert_eq!(Profile::read(b"", 0), Ok(Profile::default()));
    let mut header = b"FLR\0\0\x02\0\x01".to_vec();
    header.resize(200, 0xff);
    assert!(Profile::read(&header, 0).is_err());
}

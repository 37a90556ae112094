//! A flight recording of a real JVM, for the tests of several crates.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Records a program that computes in one method and waits for a monitor in another, into a file of a folder; none
/// on a machine without Java, which CI must have.
pub fn flight_recording(dir: &Path) -> Option<PathBuf> {
    let file = dir.join("recording.jfr");
    let source = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../diagnose/tests/java/Busy.java"
    );
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
    Some(file)
}

//! Files that grow with every request and are read by every request: each run is slower.

use plimsoll_stats::names::{self, attributes};
use plimsoll_stats::series::Entity;
use plimsoll_text::Message;

use crate::about::object;
use crate::figures::{percent, tenths};
use crate::findings::support::with_example;
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::processes::process_of;
use crate::scene::Scene;
use crate::stacks::{SeenThread, Stacks, frames};

/// So much of the serving threads must be reading files.
const SHARE_READING_FILES: f64 = 0.3;
/// A request must read so much more at the end of the stretch than at its beginning.
const GROWS: f64 = 1.15;
/// Less for each request is no work, bytes.
const LEAST_BYTES: f64 = 4_096.0;

/// Calls that read files, whoever makes them.
const READS: &[&str] = &[
    "java.io.FileInputStream.",
    "java.io.RandomAccessFile.read",
    "java.nio.file.Files.lines",
    "java.nio.file.Files.newBufferedReader",
    "java.nio.file.Files.read",
    "java.nio.file.FileChannelLinesSpliterator.",
    "java.util.Scanner.",
    "sun.nio.ch.FileChannelImpl.read",
    "sun.nio.ch.FileChannelImpl.map",
    "sun.nio.ch.FileDispatcherImpl.",
    "sun.nio.ch.UnixFileDispatcherImpl.",
    "org.apache.commons.io.FileUtils.read",
    "com.google.common.io.Files.",
];
/// On the way to classes and resources, not to data.
const LOADING: &[&str] = &[
    "java.lang.ClassLoader.",
    "java.util.jar.",
    "java.util.zip.",
    "jdk.internal.loader.",
    "org.springframework.boot.loader.",
];

/// Methods whose threads read files, while what a request reads becomes more and more.
pub(super) fn find(scene: &Scene<'_>) -> Vec<Finding> {
    let stacks = scene.stacks().iter();
    stacks.filter_map(|stacks| of_jvm(scene, stacks)).collect()
}

fn of_jvm(scene: &Scene<'_>, stacks: &Stacks) -> Option<Finding> {
    let share = stacks.share(reads_file);
    let code = stacks.code(reads_file)?;
    let process = process_of(scene, &stacks.jvm)?;
    let (early, late) = read_per_request(scene, &process)?;
    if share < SHARE_READING_FILES || late < LEAST_BYTES || late < early * GROWS {
        return None;
    }
    let explains = Explains::new(share, ShareOf::ResponseTime);
    let grows = Message::new("exhibit-read-grows")
        .with("early", tenths(early / 1e3))
        .with("late", tenths(late / 1e3));
    let threads = Message::new("exhibit-file-readers")
        .with("percent", percent(share))
        .with("code", code.as_str());
    let about = object("method", code.as_str(), &stacks.jvm);
    let finding = Finding::new("growing_file", Layer::Cause, about, explains)
        .shows(Exhibit::new(grows).series(names::process::CALL_IO))
        .shows(with_example(Exhibit::new(threads), stacks, reads_file));
    let why = Message::new("advice-growing-file").with("code", code);
    Some(Finding {
        confidence: 0.9,
        source: "bytes read for each request over time; field case F27",
        ..finding.advises(Advice::code(why))
    })
}

/// Whether a thread reads a file, or works on what it reads from one.
fn reads_file(seen: &SeenThread) -> bool {
    let on_stack = |starts: &[&str]| starts.iter().any(|start| seen.is_in(start));
    on_stack(READS) && !on_stack(LOADING) && !frames::is_logging(&seen.thread)
}

/// Bytes that read calls took for each request, in the first and the last third.
#[expect(clippy::cast_precision_loss, reason = "counts of a run")]
fn read_per_request(scene: &Scene<'_>, process: &Entity) -> Option<(f64, f64)> {
    let read = scene
        .of(process, names::process::CALL_IO)
        .with(attributes::DISK_IO_DIRECTION, "read");
    let (from_ms, to_ms) = scene.window_ms();
    let third_ms = (to_ms - from_ms) / 3;
    let per_request = |from: i64, to: i64| {
        let within = scene.seconds().filter(|second| {
            let at = i64::from(second.second) * 1_000;
            at >= from && at + 1_000 <= to
        });
        let (samples, seconds) = within.fold((0, 0), |(samples, seconds), second| {
            (samples + second.samples, seconds + 1)
        });
        let rate = read.mean_in((from, to))?;
        (samples > 0).then(|| rate * f64::from(seconds) / samples as f64)
    };
    let early = per_request(from_ms, from_ms + third_ms)?;
    let late = per_request(to_ms - third_ms, to_ms)?;
    Some((early, late))
}

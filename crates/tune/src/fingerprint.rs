//! What tells whether a study goes on with the trials of an earlier one.

use std::io::{self, Read as _};
use std::path::Path;

use plimsoll_access::Access;
use plimsoll_plan::limits::{PLAN_BYTES, read_file};
use plimsoll_plan::study::Study;
use plimsoll_run::ReadyPlan;
use plimsoll_run::fleet::files;
use sha2::{Digest as _, Sha256};

use crate::engine::EarlierTrial;
use crate::target::{Prepared, digest};

/// Of a data file that is larger, so much is read, and how long it is.
const DATA_BYTES: u64 = 1 << 30;
const BLOCK_BYTES: usize = 1 << 16;

/// What decides which trials a study makes, and what comes of them: the study but for its budget, its plan, and the
/// files that the plan reads.
pub(crate) fn fingerprint(prepared: &Prepared, plan: &ReadyPlan, known: &[EarlierTrial]) -> String {
    let study = Study {
        trials: 0,
        time: None,
        // The journal knows it.
        seed: None,
        ..prepared.study.clone()
    };
    let text = format!("{} {:?} {known:?}", without_places(&study), prepared.space);
    let unpacked = prepared.unpacked.as_ref();
    let access = unpacked.map_or_else(Access::of_user, |it| it.access.clone());
    let path = prepared.folder.join(study.plan.raw.trim());
    // There are none of a URL.
    let bytes = read_file(access.open(&path), PLAN_BYTES).unwrap_or_default();
    let data = data_of(plan, &access, path.parent().unwrap_or(&prepared.folder));
    let mut fingerprint = digest(&[text.as_bytes(), &bytes, data.as_bytes()].concat());
    fingerprint.truncate(32);
    fingerprint
}

/// The text of a study without the places where things stand in its file, which a comment moves.
fn without_places(study: &Study) -> String {
    let text = format!("{study:?}");
    let mut parts = text.split("Span {");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + part.split_once('}').map_or(part, |(_, rest)| rest)
    })
}

/// The files that a plan reads, as far as they are known before it runs, each with what stands in it.
fn data_of(plan: &ReadyPlan, access: &Access, folder: &Path) -> String {
    let read = files::uses(&plan.program).into_iter();
    let mut paths: Vec<String> = read.filter(|it| it.read).filter_map(|it| it.path).collect();
    paths.sort_unstable();
    paths.dedup();
    let told = paths.iter().map(|path| {
        let content = content_of(access, &folder.join(path));
        format!("{path}={}\n", content.unwrap_or_default())
    });
    told.collect()
}

fn content_of(access: &Access, path: &Path) -> io::Result<String> {
    if !access.is_file(path) {
        return Ok(String::new());
    }
    let file = access.open(path)?;
    let length = file.metadata()?.len();
    let mut rest = file.take(DATA_BYTES);
    let mut hash = Sha256::new();
    let mut block = vec![0; BLOCK_BYTES];
    loop {
        match rest.read(&mut block)? {
            0 => return Ok(format!("{length}:{}", digest(&hash.finalize()))),
            bytes => hash.update(&block[..bytes]),
        }
    }
}

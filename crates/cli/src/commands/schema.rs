//! `plimsoll schema`: the JSON Schema of a plan or of an output.

use std::path::{Path, PathBuf};

use plimsoll_run::calibration::state_folder;
use plimsoll_run::reasons::file_failed;
use plimsoll_text::{Lang, Message};

use super::{BAD_USE, fail, out, say};
use crate::args::{SchemaArgs, SchemaName};

const SUMMARY: &str = include_str!("../../../../schema/summary.schema.json");
const COMPARE: &str = include_str!("../../../../schema/comparison.schema.json");
const CURVE: &str = include_str!("../../../../schema/curve.schema.json");
const CAPACITY: &str = include_str!("../../../../schema/capacity.schema.json");
const SIZE: &str = include_str!("../../../../schema/size.schema.json");
const CALIBRATION: &str = include_str!("../../../../schema/calibration.schema.json");
const HOPS: &str = include_str!("../../../../schema/hops.schema.json");
const DIAGNOSIS: &str = include_str!("../../../../schema/diagnosis.schema.json");
const WORKERS: &str = include_str!("../../../../schema/workers.schema.json");
const WATCH: &str = include_str!("../../../../schema/watch.schema.json");

/// Runs `plimsoll schema`; gives the exit code.
#[must_use]
pub fn run(args: &SchemaArgs, lang: Lang) -> u8 {
    let schema = text(args.name);
    let Some(path) = args
        .output
        .as_deref()
        .filter(|path| *path != Path::new("-"))
    else {
        out(&schema);
        return 0;
    };
    if let Err(error) = std::fs::write(path, schema) {
        return fail(&file_failed(path, &error), lang, BAD_USE);
    }
    let shown = path.display().to_string();
    say(&Message::new("run-written").with("path", shown), lang);
    if args.name == SchemaName::Plan {
        let line = reference(path);
        say(&Message::new("schema-line").with("line", line), lang);
    }
    0
}

/// The line that a plan begins with, so that editors know its schema: a copy in the user's state
/// folder, which is found from any folder. None where that cannot be written.
pub fn line() -> Option<String> {
    let path = state_folder().join("plan.schema.json");
    std::fs::create_dir_all(state_folder()).ok()?;
    std::fs::write(&path, plimsoll_plan::schema_text()).ok()?;
    Some(format!("{}\n", reference(&path)))
}

/// The line that names a schema's file by its whole address.
fn reference(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| PathBuf::from(path));
    let address = url::Url::from_file_path(&path);
    let address = address.map_or_else(|()| path.display().to_string(), String::from);
    format!("# yaml-language-server: $schema={address}")
}

fn text(name: SchemaName) -> String {
    let fixed = match name {
        SchemaName::Plan => return plimsoll_plan::schema_text(),
        SchemaName::Summary => SUMMARY,
        SchemaName::Compare => COMPARE,
        SchemaName::Diagnosis => DIAGNOSIS,
        SchemaName::Workers => WORKERS,
        SchemaName::Watch => WATCH,
        SchemaName::Curve => CURVE,
        SchemaName::Capacity => CAPACITY,
        SchemaName::Size => SIZE,
        SchemaName::Calibration => CALIBRATION,
        SchemaName::Hops => HOPS,
    };
    fixed.to_owned()
}

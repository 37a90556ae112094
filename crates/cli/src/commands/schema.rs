//! `plimsoll schema`: the JSON Schema of a plan or of an output.

use std::path::Path;

use plimsoll_run::reasons::file_failed;
use plimsoll_text::{Lang, Message};

use crate::args::{SchemaArgs, SchemaName};
use crate::editors::schema_reference;
use crate::say::out;
use crate::tell::{BAD_USE, fail, say};

const SUMMARY: &str = include_str!("../../../../schema/summary.schema.json");
const COMPARE: &str = include_str!("../../../../schema/comparison.schema.json");
const CURVE: &str = include_str!("../../../../schema/curve.schema.json");
const CAPACITY: &str = include_str!("../../../../schema/capacity.schema.json");
const SIZE: &str = include_str!("../../../../schema/size.schema.json");
const CALIBRATION: &str = include_str!("../../../../schema/calibration.schema.json");
const HOPS: &str = include_str!("../../../../schema/hops.schema.json");
const DOCTOR: &str = include_str!("../../../../schema/doctor.schema.json");
const DIAGNOSIS: &str = include_str!("../../../../schema/diagnosis.schema.json");
const WORKERS: &str = include_str!("../../../../schema/workers.schema.json");
const OUTPUT_LINE: &str = include_str!("../../../../schema/output-line.schema.json");
const TUNE: &str = include_str!("../../../../schema/tune.schema.json");
const STACKS: &str = include_str!("../../../../schema/stacks.schema.json");
const WEBHOOK: &str = include_str!("../../../../schema/webhook.schema.json");
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
    if matches!(args.name, SchemaName::Plan | SchemaName::Study) {
        let line = schema_reference(path);
        say(&Message::new("schema-line").with("line", line), lang);
    }
    0
}

fn text(name: SchemaName) -> String {
    let fixed = match name {
        SchemaName::Plan => return plimsoll_plan::schema_text(),
        SchemaName::Study => return plimsoll_plan::study_schema_text(),
        SchemaName::Tune => TUNE,
        SchemaName::Summary => SUMMARY,
        SchemaName::Compare => COMPARE,
        SchemaName::Diagnosis => DIAGNOSIS,
        SchemaName::Workers => WORKERS,
        SchemaName::Stacks => STACKS,
        SchemaName::Watch => WATCH,
        SchemaName::OutputLine => OUTPUT_LINE,
        SchemaName::Curve => CURVE,
        SchemaName::Capacity => CAPACITY,
        SchemaName::Size => SIZE,
        SchemaName::Calibration => CALIBRATION,
        SchemaName::Hops => HOPS,
        SchemaName::Doctor => DOCTOR,
        SchemaName::Webhook => WEBHOOK,
    };
    fixed.to_owned()
}

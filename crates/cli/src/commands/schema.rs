//! `plimsoll schema`: the JSON Schema of a plan or of an output.

use super::out;
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
pub fn run(args: &SchemaArgs) -> u8 {
    match args.name {
        SchemaName::Plan => out(&plimsoll_plan::schema_text()),
        SchemaName::Summary => out(SUMMARY),
        SchemaName::Compare => out(COMPARE),
        SchemaName::Diagnosis => out(DIAGNOSIS),
        SchemaName::Workers => out(WORKERS),
        SchemaName::Watch => out(WATCH),
        SchemaName::Curve => out(CURVE),
        SchemaName::Capacity => out(CAPACITY),
        SchemaName::Size => out(SIZE),
        SchemaName::Calibration => out(CALIBRATION),
        SchemaName::Hops => out(HOPS),
    }
    0
}

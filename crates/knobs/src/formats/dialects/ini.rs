//! Python's `configparser`.

use super::common::{around, has_outer_space};
use crate::formats::error::Stop;
use crate::formats::lines::LineParts;

fn says_nothing(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with(['#', ';', '['])
}

pub(super) fn parts(line: &str) -> Option<LineParts> {
    match says_nothing(line) {
        true => None,
        false => around(line, &['=', ':'], line.len()),
    }
}

/// Lines that are indented more than their key belong to its value.
pub(super) fn goes_on(first: &str, _: &str, next: &str) -> bool {
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let blank = next.trim().is_empty();
    !says_nothing(first) && !blank && indent(next) > indent(first)
}

pub(super) fn decoded(value: &str) -> String {
    let lines: Vec<&str> = value.lines().map(str::trim).collect();
    lines.join("\n")
}

pub(super) fn encoded(value: &str) -> Result<String, Stop> {
    match has_outer_space(value) {
        true => Err(Stop::value(value, "knobs-why-outer-space")),
        false => Ok(value.to_owned()),
    }
}

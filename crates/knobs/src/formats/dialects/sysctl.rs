//! `sysctl.conf`.

use super::common::around;
use crate::formats::lines::LineParts;

pub(super) fn parts(line: &str) -> Option<LineParts> {
    match line.trim_start().starts_with(['#', ';']) {
        true => None,
        false => around(line, &['='], line.len()),
    }
}

/// Whichever of `/` and `.` comes first parts the names (`sysctl.d(5)`); a `-` before it lets errors pass.
pub(super) fn key(key: &str) -> String {
    let key = key.strip_prefix('-').unwrap_or(key);
    match key.find(['/', '.']).map(|at| &key[at..=at]) {
        Some("/") => key
            .chars()
            .map(|c| match c {
                '/' => '.',
                '.' => '/',
                other => other,
            })
            .collect(),
        _ => key.to_owned(),
    }
}

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
        Some("/") => swapped(key),
        _ => key.to_owned(),
    }
}

/// The file of a key below `/proc/sys`.
pub(crate) fn path_of(name: &str) -> String {
    swapped(&key(name))
}

fn swapped(name: &str) -> String {
    let letters = name.chars().map(|c| match c {
        '/' => '.',
        '.' => '/',
        other => other,
    });
    letters.collect()
}

//! Files of the target: what a configuration makes of each.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use plimsoll_knobs::{Address, Format, set, write};
use plimsoll_text::Message;

use super::originals;
use super::place::{Place, TargetKnob};
use crate::space::Configuration;

/// What a configuration makes of each file that has a knob: the original with its values.
///
/// # Errors
/// A file that cannot be read, or a value that cannot be written there.
pub fn contents(
    knobs: &[TargetKnob],
    of: &Configuration,
) -> Result<BTreeMap<PathBuf, Vec<u8>>, Message> {
    let mut files: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();
    for (knob, value) in knobs.iter().zip(&of.0) {
        let Place::File {
            path,
            format,
            address,
        } = &knob.place
        else {
            continue;
        };
        let content = match files.remove(path) {
            Some(content) => content,
            None => originals::read(path).map_err(|error| unwritten(path, &error))?,
        };
        let content = match value {
            None => content,
            Some(value) => edited(knob, *format, &content, address, value).map_err(|error| {
                Message::new("tune-knob-unwritten")
                    .with("name", knob.name.as_str())
                    .with("value", plimsoll_secrets::text(value).into_owned())
                    .with("path", path.display().to_string())
                    .with("reason", plimsoll_secrets::text(&error).into_owned())
            })?,
        };
        files.insert(path.clone(), content);
    }
    Ok(files)
}

fn edited(
    knob: &TargetKnob,
    format: Format,
    content: &[u8],
    address: &Address,
    value: &str,
) -> Result<Vec<u8>, String> {
    match &knob.setting {
        Some(setting) => {
            let wanted = setting.value(value);
            let put = setting
                .knob
                .put(format, content, setting.place, address, &wanted);
            put.map_err(|error| error.to_string())
        }
        None => set(format, content, address, value).map_err(|error| error.to_string()),
    }
}

/// Writes a file, if it is not so already; says whether it was.
///
/// # Errors
/// If the system does not take it.
pub fn put(path: &Path, content: &[u8]) -> Result<bool, Message> {
    let now = std::fs::read(path).map_err(|error| unwritten(path, &error))?;
    if now == content {
        return Ok(false);
    }
    write::replace(path, content).map_err(|error| unwritten(path, &error))?;
    Ok(true)
}

/// A file that cannot be read or written.
#[must_use]
pub fn unwritten(path: &Path, reason: &dyn std::fmt::Display) -> Message {
    Message::new("tune-file-unwritten")
        .with("path", path.display().to_string())
        .with("reason", reason.to_string())
}

/// The lines in which two texts differ, without secrets.
#[must_use]
pub fn difference(old: &str, new: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same = |(a, b): &(&&str, &&str)| a == b;
    let before = old.iter().zip(&new).take_while(same).count();
    let rest = |lines: &[&str]| lines.len() - before;
    let most = rest(&old).min(rest(&new));
    let pairs = old.iter().rev().zip(new.iter().rev());
    let after = pairs.take(most).take_while(same).count();
    // What lies between may have lines that stay.
    let (gone, come) = (
        &old[before..old.len() - after],
        &new[before..new.len() - after],
    );
    let line = |sign: char, line: &str| format!("{sign}{}", plimsoll_secrets::text(line));
    let gone_only = gone.iter().filter(|it| !come.contains(it));
    let come_only = come.iter().filter(|it| !gone.contains(it));
    let gone_lines = gone_only.map(|it| line('-', it));
    gone_lines
        .chain(come_only.map(|it| line('+', it)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_names_the_lines_that_change() {
        let old = "a=1\nb=2\nc=3\nd=4\n";
        assert_eq!(
            difference(old, "a=1\nb=7\nc=3\nd=5\n"),
            ["-b=2", "-d=4", "+b=7", "+d=5"]
        );
        assert_eq!(difference(old, "a=1\nb=2\nc=3\nd=4\ne=5\n"), ["+e=5"]);
        assert!(difference(old, old).is_empty());
        let secret = difference("x\n", "x\npassword=hunter2hunter2\n");
        assert!(!secret[0].contains("hunter2"), "{secret:?}");
    }
}

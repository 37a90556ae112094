//! Files of the target: what a configuration makes of each.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use plimsoll_knobs::{Address, Format, set};
use plimsoll_text::Message;

use super::file_messages::unwritten;
use super::place::{Place, TargetKnob};
use crate::space::Configuration;

/// What a configuration makes of each file that has a knob: the original, as somebody reads it, with its values.
///
/// # Errors
/// A file that cannot be read, or a value that cannot be written there.
pub fn contents(
    knobs: &[TargetKnob],
    of: &Configuration,
    original: &dyn Fn(&Path) -> io::Result<Vec<u8>>,
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
            None => original(path).map_err(|error| unwritten(path, &error))?,
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
    let (gone, come) = without_common(gone, come);
    let gone_lines = gone.iter().map(|it| line('-', it));
    gone_lines
        .chain(come.iter().map(|it| line('+', it)))
        .collect()
}

/// So many pairs of lines are compared at most.
const MOST_COMPARED: usize = 4_000_000;

/// Lines without those that are common to both: those at the same place, or those of their longest common subsequence
/// where that leaves less, and there are not too many.
fn without_common<'l>(old: &[&'l str], new: &[&'l str]) -> (Vec<&'l str>, Vec<&'l str>) {
    let differs = |at: &usize| old.get(*at) != new.get(*at);
    let only = |lines: &[&'l str]| -> Vec<&'l str> {
        let places = (0..lines.len()).filter(differs);
        places.map(|at| lines[at]).collect()
    };
    let placed = (only(old), only(new));
    if old.len().saturating_mul(new.len()) > MOST_COMPARED {
        return placed;
    }
    let least = without_subsequence(old, new);
    match placed.0.len() + placed.1.len() <= least.0.len() + least.1.len() {
        true => placed,
        false => least,
    }
}

fn without_subsequence<'l>(old: &[&'l str], new: &[&'l str]) -> (Vec<&'l str>, Vec<&'l str>) {
    let (rows, columns) = (old.len(), new.len());
    // The length of the longest of what is left from each pair of places on.
    let width = columns + 1;
    let mut longest = vec![0_u32; (rows + 1) * width];
    for (row, column) in (0..rows)
        .rev()
        .flat_map(|row| (0..columns).rev().map(move |it| (row, it)))
    {
        longest[row * width + column] = match old[row] == new[column] {
            true => longest[(row + 1) * width + column + 1] + 1,
            false => longest[(row + 1) * width + column].max(longest[row * width + column + 1]),
        };
    }
    let (mut row, mut column) = (0, 0);
    let (mut gone, mut come) = (Vec::new(), Vec::new());
    while row < rows && column < columns {
        if old[row] == new[column] {
            (row, column) = (row + 1, column + 1);
        } else if longest[(row + 1) * width + column] >= longest[row * width + column + 1] {
            gone.push(old[row]);
            row += 1;
        } else {
            come.push(new[column]);
            column += 1;
        }
    }
    gone.extend(&old[row..]);
    come.extend(&new[column..]);
    (gone, come)
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
        // The same line may stand at several places.
        let pools = "[a]\nmax=5\n[b]\nmax=10\n";
        assert_eq!(
            difference(pools, "[a]\nmax=10\n[b]\nmax=20\n"),
            ["-max=5", "-max=10", "+max=10", "+max=20"]
        );
        assert_eq!(
            difference(pools, "[a]\nmax=10\n[b]\nmax=5\n"),
            ["-max=5", "-max=10", "+max=10", "+max=5"]
        );
        let many =
            |value: usize| -> String { (0..5_000).map(|at| format!("{}\n", at * value)).collect() };
        assert_eq!(difference(&many(1), &many(2)).len(), 2 * 4_999);
        let secret = difference("x\n", "x\npassword=hunter2hunter2\n");
        assert!(!secret[0].contains("hunter2"), "{secret:?}");
    }
}

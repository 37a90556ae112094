//! What of that which a study has done is not undone yet.

use std::path::Path;

use super::journal::Entry;

/// Entries of a journal without those of what is back by now; what was done again since then counts.
#[must_use]
pub fn outstanding(entries: &[Entry]) -> Vec<Entry> {
    let mut left: Vec<Entry> = Vec::new();
    for entry in entries {
        match entry {
            Entry::FileIsBack { path } => left.retain(|it| !is_of_file(it, path)),
            Entry::KnobIsBack { knob } => {
                left.retain(|it| !matches!(it, Entry::Set { knob: set, .. } if set == knob));
            }
            Entry::ComponentIsBack { component } => left.retain(
                |it| !matches!(it, Entry::Touched { component: touched } if touched == component),
            ),
            _ => left.push(entry.clone()),
        }
    }
    left
}

fn is_of_file(entry: &Entry, path: &Path) -> bool {
    match entry {
        Entry::Kept { path: of, .. } | Entry::Wrote { path: of, .. } => of == path,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn of_file(name: &str) -> [Entry; 3] {
        let (path, sha256) = (PathBuf::from(name), name.to_owned());
        [
            Entry::Kept {
                path: path.clone(),
                was: None,
            },
            Entry::Wrote {
                path: path.clone(),
                sha256,
            },
            Entry::FileIsBack { path },
        ]
    }

    fn of_knob(name: &str) -> [Entry; 2] {
        let knob = name.to_owned();
        let set = Entry::Set {
            knob: knob.clone(),
            was: "1".to_owned(),
            kernel: None,
        };
        [set, Entry::KnobIsBack { knob }]
    }

    fn of_component(name: &str) -> [Entry; 2] {
        let component = name.to_owned();
        let touched = Entry::Touched {
            component: component.clone(),
        };
        [touched, Entry::ComponentIsBack { component }]
    }

    #[test]
    fn what_is_back_is_not_brought_back_again() {
        let [kept, wrote, back] = of_file("a");
        let [other, ..] = of_file("b");
        let ([set, set_back], [touched, taken]) = (of_knob("a"), of_component("a"));
        let done = [kept, wrote, other.clone(), set.clone(), touched.clone()];
        assert_eq!(outstanding(&done), done);
        let with = |more: &[Entry]| outstanding(&[&done[..], more].concat());
        assert_eq!(
            with(std::slice::from_ref(&back)),
            [other.clone(), set.clone(), touched.clone()]
        );
        let all = [back, set_back, taken];
        assert_eq!(with(&all), std::slice::from_ref(&other));
        // What was done since then is to be undone.
        let again = [&all[..], &[set.clone(), touched.clone()]].concat();
        assert_eq!(with(&again), [other, set, touched]);
    }
}

//! What is known of this machine's load generator: the ceilings that `plimsoll calibrate` keeps
//! in the user's state folder.

use std::io;
use std::path::{Path, PathBuf};

use plimsoll_stats::Ceiling;
use plimsoll_stats::ceiling::Machine;
use plimsoll_store::Environment;
use serde::{Deserialize, Serialize};

/// Version of the file; a file of another one is not read.
const FORMAT: u32 = 1;
/// Of another machine's or version's so many at most are kept.
const OTHERS_KEPT: usize = 32;
/// A file that is longer is not ours.
const MAX_BYTES: u64 = 1 << 20;

#[derive(Serialize, Deserialize)]
struct File {
    format: u32,
    ceilings: Vec<Ceiling>,
}

/// Where state is kept: as systemd says, as XDG says, or for the whole host.
#[must_use]
pub fn state_folder() -> PathBuf {
    let of = |variable: &str| {
        let value = std::env::var_os(variable)?;
        (!value.is_empty()).then(|| PathBuf::from(value))
    };
    of("STATE_DIRECTORY")
        .or_else(|| of("XDG_STATE_HOME").map(|dir| dir.join("plimsoll")))
        .or_else(|| of("HOME").map(|dir| dir.join(".local/state/plimsoll")))
        .unwrap_or_else(|| PathBuf::from("/var/lib/plimsoll"))
}

/// The file that ceilings are kept in.
#[must_use]
pub fn file() -> PathBuf {
    state_folder().join("calibration.json")
}

/// The machine and program that a run of this environment and version was made with.
#[must_use]
pub fn machine(environment: &Environment, version: &str) -> Machine {
    Machine {
        version: version.to_owned(),
        host: environment.host_name.clone(),
        cpu_model: environment.cpu_model.clone(),
        kernel: environment.kernel.clone(),
        cpus: environment.allowed_cpus,
    }
}

/// The ceilings of this machine, as this version measured them; none where nobody calibrated.
#[must_use]
pub fn known(environment: &Environment) -> Vec<Ceiling> {
    of_machine(
        &read(&file()),
        &machine(environment, env!("CARGO_PKG_VERSION")),
    )
}

/// The ceilings that are kept and hold for a machine.
#[must_use]
pub fn kept_for(machine: &Machine) -> Vec<Ceiling> {
    of_machine(&read(&file()), machine)
}

fn of_machine(all: &[Ceiling], machine: &Machine) -> Vec<Ceiling> {
    let same = all.iter().filter(|ceiling| ceiling.machine == *machine);
    same.cloned().collect()
}

/// What a file holds; nothing if it is none of ours: a calibration is a help and no need.
fn read(path: &Path) -> Vec<Ceiling> {
    let short = std::fs::metadata(path).is_ok_and(|file| file.len() <= MAX_BYTES);
    let bytes = short.then(|| std::fs::read(path).ok()).flatten();
    let file = bytes.and_then(|bytes| serde_json::from_slice::<File>(&bytes).ok());
    file.filter(|file| file.format == FORMAT)
        .map(|file| file.ceilings)
        .unwrap_or_default()
}

/// Keeps a ceiling in the place of an older one of the same machine, page and connections.
///
/// # Errors
/// The file system's.
pub fn keep(ceiling: &Ceiling, path: &Path) -> io::Result<()> {
    let mut ceilings = read(path);
    ceilings.retain(|old| {
        old.machine != ceiling.machine
            || old.page != ceiling.page
            || old.keep_alive != ceiling.keep_alive
    });
    ceilings.insert(0, ceiling.clone());
    ceilings.truncate(OTHERS_KEPT);
    let file = File {
        format: FORMAT,
        ceilings,
    };
    let mut json = serde_json::to_string_pretty(&file)?;
    json.push('\n');
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    // Whole or not at all, whoever else writes it now.
    let new = path.with_extension(format!("{}.new", std::process::id()));
    std::fs::write(&new, json)?;
    std::fs::rename(&new, path)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn ceiling(version: &str, keep_alive: bool, measured_per_s: f64) -> Ceiling {
        Ceiling {
            machine: Machine {
                version: version.to_owned(),
                ..Machine::default()
            },
            keep_alive,
            measured_per_s,
            ..Ceiling::default()
        }
    }

    #[test]
    fn the_newest_of_a_kind_is_kept_and_others_stay() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b/calibration.json");
        for one in [
            ceiling("1", true, 100.0),
            ceiling("1", false, 50.0),
            ceiling("2", true, 70.0),
            ceiling("1", true, 110.0),
        ] {
            keep(&one, &path).unwrap();
        }
        let all = read(&path);
        assert_eq!(all.len(), 3);
        let first = of_machine(&all, &ceiling("1", true, 0.0).machine);
        let rates: Vec<f64> = first.iter().map(|one| one.measured_per_s).collect();
        assert_eq!(rates, [110.0, 50.0]);
        assert!(of_machine(&all, &Machine::default()).is_empty());
    }

    #[test]
    fn what_is_no_file_of_ours_is_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("calibration.json");
        assert!(read(&path).is_empty());
        for text in ["", "{}", "{\"format\": 2, \"ceilings\": []}", "\u{0}"] {
            std::fs::write(&path, text).unwrap();
            assert!(read(&path).is_empty(), "{text}");
        }
        keep(&ceiling("1", true, 1.0), &path).unwrap();
        assert_eq!(read(&path).len(), 1);
    }
}

//! Where the companion and a Java for it are.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::StartError;

/// The oldest Java that works.
const LEAST_JAVA: u32 = 17;

/// A companion and a Java that can run it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The companion's folder: `companion.jar`, `lib`, `bin`.
    pub home: PathBuf,
    /// The `java` program.
    pub java: PathBuf,
    /// Its major version; 0 when it does not say it in the usual way.
    pub java_version: u32,
}

/// Finds the companion (`PLIMSOLL_COMPANION`, else the folder `companion` beside this program
/// or beside its folder) and a Java (`PLIMSOLL_JVM_HOME`, `JAVA_HOME`, `java` on the `PATH`).
///
/// # Errors
/// What is not there, and where it was looked for.
pub fn find() -> Result<Installed, StartError> {
    let program = std::env::current_exe().ok();
    with_java(find_home(
        variable("PLIMSOLL_COMPANION"),
        program.as_deref(),
    )?)
}

/// A companion in this folder, with a Java found as [`find`] does.
///
/// # Errors
/// As [`find`].
pub fn find_in(home: &Path) -> Result<Installed, StartError> {
    with_java(find_home(Some(home.to_owned()), None)?)
}

/// A path that an environment variable names.
fn variable(name: &str) -> Option<PathBuf> {
    let value = std::env::var_os(name).filter(|value| !value.is_empty());
    value.map(PathBuf::from)
}

fn with_java(home: PathBuf) -> Result<Installed, StartError> {
    let homes = ["PLIMSOLL_JVM_HOME", "JAVA_HOME"].map(variable);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let java = find_java(homes, std::env::split_paths(&path))?;
    let java_version = version_of(&java)?;
    if (1..LEAST_JAVA).contains(&java_version) {
        return Err(StartError::OldJava {
            java,
            found: java_version,
            least: LEAST_JAVA,
        });
    }
    // The JVM's archive of classes holds for this name of the folder only.
    let home = home.canonicalize().unwrap_or(home);
    Ok(Installed {
        home,
        java,
        java_version,
    })
}

fn is_home(folder: &Path) -> bool {
    folder.join("companion.jar").is_file()
}

fn find_home(named: Option<PathBuf>, program: Option<&Path>) -> Result<PathBuf, StartError> {
    if let Some(named) = named {
        return if is_home(&named) {
            Ok(named)
        } else {
            Err(StartError::NotThere(named))
        };
    }
    let folder = program.and_then(Path::parent);
    let beside = [folder, folder.and_then(Path::parent)];
    let looked: Vec<PathBuf> = beside
        .into_iter()
        .flatten()
        .map(|folder| folder.join("companion"))
        .collect();
    match looked.iter().find(|folder| is_home(folder)) {
        Some(folder) => Ok(folder.clone()),
        None => Err(StartError::NotBuilt { looked }),
    }
}

/// The first named home counts, whether it holds a Java or not: who names one wants that one.
fn find_java(
    homes: [Option<PathBuf>; 2],
    path: impl Iterator<Item = PathBuf>,
) -> Result<PathBuf, StartError> {
    let looked: Vec<PathBuf> = match homes.into_iter().flatten().next() {
        Some(home) => vec![home.join("bin").join("java")],
        None => path.map(|folder| folder.join("java")).collect(),
    };
    match looked.iter().find(|java| java.is_file()) {
        Some(java) => Ok(java.clone()),
        None => Err(StartError::NoJava { looked }),
    }
}

/// Asks a Java for its version.
fn version_of(java: &Path) -> Result<u32, StartError> {
    let said = Command::new(java).arg("-version").output();
    let said = said.map_err(|error| StartError::System {
        what: format!("{} -version", java.display()),
        why: error.to_string(),
    })?;
    Ok(major_version(&String::from_utf8_lossy(&said.stderr)).unwrap_or(0))
}

/// `openjdk version "17.0.15" …` is 17; `java version "1.8.0_402"` is 8.
fn major_version(said: &str) -> Option<u32> {
    let quoted = said.split('"').nth(1)?;
    let mut numbers = quoted.split(|c: char| !c.is_ascii_digit());
    match numbers.next()?.parse().ok()? {
        1 => numbers.next()?.parse().ok(),
        major => Some(major),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(
            major_version("openjdk version \"17.0.15\" 2025-04-15"),
            Some(17)
        );
        assert_eq!(major_version("java version \"1.8.0_402\""), Some(8));
        assert_eq!(major_version("openjdk version \"25\" 2025-09-16"), Some(25));
        assert_eq!(major_version("command not found"), None);
    }

    #[test]
    fn a_companion_beside_the_programs_folder_is_found() {
        let root = tempfile::tempdir().unwrap();
        let program = root.path().join("release").join("plimsoll");
        let missing = find_home(None, Some(&program)).unwrap_err();
        let StartError::NotBuilt { looked } = missing else {
            panic!("{missing}");
        };
        assert_eq!(looked.len(), 2);
        let home = root.path().join("companion");
        std::fs::create_dir(&home).unwrap();
        std::fs::write(home.join("companion.jar"), "").unwrap();
        assert_eq!(find_home(None, Some(&program)).unwrap(), home);
        let named = find_home(Some(root.path().to_owned()), Some(&program));
        assert_eq!(named, Err(StartError::NotThere(root.path().to_owned())));
    }

    #[test]
    fn a_named_home_counts_even_when_another_java_is_on_the_path() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("java"), "").unwrap();
        let path = || std::iter::once(root.path().to_owned());
        let found = find_java([None, None], path()).unwrap();
        assert_eq!(found, root.path().join("java"));
        let named = Some(root.path().join("elsewhere"));
        let missing = find_java([named, None], path()).unwrap_err();
        let java = root.path().join("elsewhere/bin/java");
        assert_eq!(missing, StartError::NoJava { looked: vec![java] });
    }
}

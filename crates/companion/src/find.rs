//! Where the companion and a Java for it are.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::error::StartError;

/// The oldest Java that works.
const LEAST_JAVA: u32 = 17;
/// A Java that has not said its version by then is not waited for.
const VERSION_WITHIN: Duration = Duration::from_secs(30);
/// More than that is not read of what it says.
const VERSION_BYTES: u64 = 16 << 10;

/// A companion and a Java that can run it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The companion's folder: `companion.jar`, `lib`, `bin`.
    pub home: PathBuf,
    /// The `java` program.
    pub java: PathBuf,
    /// Its major version.
    pub java_version: u32,
}

/// Finds the companion (`PLIMSOLL_COMPANION`, else the folder `companion` beside this program
/// or beside its folder, else that of the package, `lib/plimsoll/companion` beside its folder) and
/// a Java (`PLIMSOLL_JVM_HOME`, `JAVA_HOME`, `java` on the `PATH`).
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
    let homes = ["PLIMSOLL_JVM_HOME", "JAVA_HOME"].map(|name| (name, variable(name)));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let java = find_java(homes, std::env::split_paths(&path))?;
    let java_version = version_of(&java)?;
    if java_version < LEAST_JAVA {
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
    let above = folder.and_then(Path::parent);
    let places = [
        (folder, "companion"),
        (above, "companion"),
        (above, "lib/plimsoll/companion"),
    ];
    let known = places.into_iter();
    let looked: Vec<PathBuf> = known
        .filter_map(|(folder, name)| Some(folder?.join(name)))
        .collect();
    match looked.iter().find(|folder| is_home(folder)) {
        Some(folder) => Ok(folder.clone()),
        None => Err(StartError::NotBuilt { looked }),
    }
}

/// The first named home counts, whether it holds a Java or not: who names one wants that one.
fn find_java(
    homes: [(&'static str, Option<PathBuf>); 2],
    path: impl Iterator<Item = PathBuf>,
) -> Result<PathBuf, StartError> {
    let mut homes = homes.into_iter();
    let named = homes.find_map(|(name, home)| home.map(|home| (name, home)));
    let looked: Vec<PathBuf> = match &named {
        Some((_, home)) => vec![home.join("bin").join("java")],
        None => path.map(|folder| folder.join("java")).collect(),
    };
    match looked.iter().find(|java| java.is_file()) {
        Some(java) => Ok(java.clone()),
        None => Err(StartError::NoJava {
            looked,
            named: named.map(|(name, _)| name),
        }),
    }
}

/// Asks a Java for its version.
fn version_of(java: &Path) -> Result<u32, StartError> {
    let failed = |why: String| StartError::System {
        what: format!("{} -version", java.display()),
        why,
    };
    let mut command = Command::new(java);
    command.arg("-version").stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
    let (told, hears) = mpsc::channel();
    if let Some(stderr) = child.stderr.take() {
        std::thread::spawn(move || {
            let mut said = Vec::new();
            let _ = stderr.take(VERSION_BYTES).read_to_end(&mut said);
            // Who asked may have gone on without it.
            let _ = told.send(said);
        });
    }
    let said = hears.recv_timeout(VERSION_WITHIN);
    // It has said all, or is not waited for: in both cases nothing of it is to stay.
    let _ = child.kill();
    let _ = child.wait();
    let said = said.map_err(|_| failed(format!("> {} s", VERSION_WITHIN.as_secs())))?;
    let said = String::from_utf8_lossy(&said);
    major_version(&said).ok_or_else(|| StartError::NoVersion {
        java: java.to_owned(),
        said: said.trim().chars().take(200).collect(),
    })
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
        assert_eq!(looked.len(), 3);
        let packed = root.path().join("lib/plimsoll/companion");
        std::fs::create_dir_all(&packed).unwrap();
        std::fs::write(packed.join("companion.jar"), "").unwrap();
        assert_eq!(find_home(None, Some(&program)).unwrap(), packed);
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
        let homes = |home| [("PLIMSOLL_JVM_HOME", None), ("JAVA_HOME", home)];
        let found = find_java(homes(None), path()).unwrap();
        assert_eq!(found, root.path().join("java"));
        let named = Some(root.path().join("elsewhere"));
        let missing = find_java(homes(named), path()).unwrap_err();
        let looked = vec![root.path().join("elsewhere/bin/java")];
        let named = Some("JAVA_HOME");
        assert_eq!(missing, StartError::NoJava { looked, named });
    }

    #[test]
    fn what_is_no_java_is_told_with_what_it_said() {
        use std::os::unix::fs::PermissionsExt as _;
        let root = tempfile::tempdir().unwrap();
        let java = root.path().join("java");
        let version = |script: &str| {
            std::fs::write(&java, format!("#!/bin/sh\n{script}\n")).unwrap();
            std::fs::set_permissions(&java, std::fs::Permissions::from_mode(0o755)).unwrap();
            version_of(&java)
        };
        assert_eq!(version("echo 'openjdk version \"21.0.1\"' >&2"), Ok(21));
        let said = "hi".to_owned();
        let java = java.clone();
        assert_eq!(
            version("echo hi >&2"),
            Err(StartError::NoVersion { java, said })
        );
        // Without an end it is read as far as a version may stand.
        let endless = version("yes 'no version here' >&2");
        assert!(
            matches!(endless, Err(StartError::NoVersion { .. })),
            "{endless:?}"
        );
    }
}

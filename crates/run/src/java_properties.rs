//! What Java knows of its system and JMeter of itself: properties that are read where nobody has set them (JMeter
//! 5.6.3, whose properties have Java's system properties for defaults).

use std::path::Path;

use plimsoll_access::{Access, Right};

/// The JMeter whose plans these are.
const JMETER: &str = "5.6.3";

/// Names and values, as far as they may be seen. Java's version is not among them: there may be no Java.
pub fn of_system(access: &Access) -> Vec<(String, String)> {
    let sees_files = access.ask(Right::Files, "user.dir").is_ok();
    let here = || std::env::current_dir().ok();
    let folder = here().filter(|_| sees_files);
    let folder = folder.as_deref().unwrap_or(Path::new("."));
    let temporary = sees_files.then(|| std::env::temp_dir().display().to_string());
    let user = || {
        access
            .variable("USER")
            .or_else(|| access.variable("LOGNAME"))
    };
    let processor = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        other => other,
    };
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").ok();
    let all = [
        ("file.encoding", Some("UTF-8".to_owned())),
        ("file.separator", Some("/".to_owned())),
        ("java.io.tmpdir", temporary),
        ("jmeter.version", Some(JMETER.to_owned())),
        ("line.separator", Some("\n".to_owned())),
        ("os.arch", Some(processor.to_owned())),
        ("os.name", Some("Linux".to_owned())),
        ("os.version", kernel.map(|text| text.trim().to_owned())),
        ("path.separator", Some(":".to_owned())),
        ("user.dir", Some(folder.display().to_string())),
        ("user.home", access.variable("HOME")),
        ("user.name", user()),
    ];
    let known = all.into_iter();
    known
        .filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn who_sees_no_files_is_told_no_folders_of_the_host() {
        let value = |access: &Access, name: &str| {
            let all = of_system(access).into_iter();
            all.filter(|(known, _)| known == name)
                .map(|(_, value)| value)
                .next()
        };
        let own = Access::of_user();
        let here = std::env::current_dir().unwrap().display().to_string();
        assert_eq!(value(&own, "user.dir"), Some(here));
        assert_eq!(value(&own, "file.separator").as_deref(), Some("/"));
        let folder = tempfile::tempdir().unwrap();
        let bounded = Access::within(folder.path(), &[], []).unwrap();
        assert_eq!(value(&bounded, "user.dir").as_deref(), Some("."));
        for hidden in ["user.home", "user.name", "java.io.tmpdir"] {
            assert_eq!(value(&bounded, hidden), None, "{hidden}");
        }
    }
}

//! What other software has to be there: names, certificates, a Java.

use std::path::Path;

use plimsoll_companion::{Installed, StartError};
use plimsoll_text::Message;
use serde_json::Value;

use crate::examined::{Examined, Grade, HostSetting};
use crate::proc::text;

/// Who is asked for the addresses of names.
pub(crate) fn names() -> Examined {
    let file = text("/etc/resolv.conf").unwrap_or_default();
    let lines = file
        .lines()
        .filter_map(|line| line.trim().strip_prefix("nameserver"));
    let servers: Vec<String> = lines.map(|server| server.trim().to_owned()).collect();
    let says = Message::new("doctor-names-says").with("servers", servers.join(", "));
    let mut examined = Examined::good("names", says).fact("servers", servers.clone());
    if servers.is_empty() {
        examined.says = Message::new("doctor-names-none");
        examined.cost(Grade::Limited, Message::new("doctor-names-costs"));
        examined.mend("echo 'nameserver ADDRESS' | sudo tee -a /etc/resolv.conf");
    }
    examined
}

/// The authorities whose certificates are trusted.
pub(crate) fn certificates(setting: &HostSetting) -> Examined {
    let count = plimsoll_trust::roots(&[]).map_or(0, |roots| roots.len());
    let says = Message::new("doctor-certificates-says").with("count", count);
    let mut examined = Examined::good("certificates", says).fact("count", count);
    if count == 0 {
        examined.cost(Grade::Limited, Message::new("doctor-certificates-costs"));
        let package = "ca-certificates";
        examined.mend(setting.install(package, package, package));
    }
    examined
}

/// What runs the Java parts of JMeter plans.
pub(crate) fn companion(setting: &HostSetting) -> Examined {
    found(plimsoll_companion::find(), setting)
}

fn found(outcome: Result<Installed, StartError>, setting: &HostSetting) -> Examined {
    let error = match outcome {
        Ok(found) => {
            let says = Message::new("doctor-companion-says")
                .with("home", found.home.display().to_string())
                .with("java_version", found.java_version);
            return Examined::good("companion", says)
                .fact("home", found.home.display().to_string())
                .fact("java", found.java.display().to_string())
                .fact("java_version", found.java_version);
        }
        Err(error) => error,
    };
    let says = match error {
        StartError::NotBuilt { .. } => Message::new("doctor-companion-absent"),
        StartError::NoJava { named: None, .. } => Message::new("doctor-companion-no-java"),
        StartError::NoJava {
            ref looked,
            named: Some(variable),
        } => Message::new("doctor-companion-wrong-home")
            .with("variable", variable)
            .with(
                "java",
                looked
                    .first()
                    .map_or_else(String::new, |java| java.display().to_string()),
            ),
        _ => error.message(),
    };
    let mut examined = Examined::good("companion", says)
        .fact("home", Value::Null)
        .fact("java", Value::Null)
        .fact("java_version", Value::Null);
    examined.cost(Grade::Limited, Message::new("doctor-companion-costs"));
    match error {
        StartError::NoJava {
            named: Some(variable),
            ..
        } => {
            examined.mend(format!("unset {variable}"));
        }
        StartError::NoJava { .. } | StartError::OldJava { .. } | StartError::NoVersion { .. } => {
            let (debian, fedora) = ("openjdk-17-jre-headless", "java-17-openjdk-headless");
            examined.mend(setting.install(debian, fedora, "openjdk17-jre-headless"));
        }
        _ if Path::new("companion/build.sh").exists() => {
            examined.mend("make companion");
        }
        _ => {
            examined.cost(Grade::Limited, Message::new("doctor-companion-build"));
            examined.mend(
                "sudo dpkg -i ./plimsoll-companion_*.deb || sudo rpm -i plimsoll-companion-*.rpm",
            );
        }
    }
    examined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examined::test_setting;

    #[test]
    fn what_the_companion_lacks_has_its_own_words_and_command() {
        let told = |error| found(Err(error), &test_setting());
        let looked = Vec::new;
        let absent = told(StartError::NotBuilt { looked: looked() });
        assert_eq!(absent.says.id, "doctor-companion-absent");
        let java = |named| StartError::NoJava {
            looked: looked(),
            named,
        };
        let no_java = told(java(None));
        assert_eq!(no_java.says.id, "doctor-companion-no-java");
        let old = told(StartError::OldJava {
            java: "/usr/bin/java".into(),
            found: 8,
            least: 17,
        });
        for one in [&no_java, &old] {
            assert!(one.remedies[0].0.contains("17"), "{:?}", one.remedies);
            assert!(one.remedies[0].0.contains("install") || one.remedies[0].0.contains("apk"));
        }
        let wrong = told(java(Some("JAVA_HOME")));
        assert_eq!(wrong.remedies[0].0, "unset JAVA_HOME");
        for one in [&absent, &no_java, &old, &wrong] {
            assert_eq!(one.grade, Grade::Limited);
            assert_eq!(one.costs_ids()[0], "doctor-companion-costs");
            assert_eq!(one.remedies.len(), 1);
        }
        assert!(
            !absent.remedies[0].0.contains("install "),
            "Java is not what it lacks"
        );
    }
}

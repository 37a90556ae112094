//! What other software has to be there: names, certificates, a Java.

use std::path::Path;

use plimsoll_companion::StartError;
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
    let error = match plimsoll_companion::find() {
        Ok(found) => {
            let says = Message::new("doctor-companion-says")
                .with("home", found.home.display().to_string())
                .with("java", found.java_version);
            return Examined::good("companion", says)
                .fact("home", found.home.display().to_string())
                .fact("java", found.java.display().to_string())
                .fact("java_version", found.java_version);
        }
        Err(error) => error,
    };
    let says = match error {
        StartError::NotBuilt { .. } | StartError::NotThere(_) => {
            Message::new("doctor-companion-absent")
        }
        StartError::NoJava { .. } => Message::new("doctor-companion-no-java"),
        _ => error.message(),
    };
    let mut examined = Examined::good("companion", says)
        .fact("home", Value::Null)
        .fact("java", Value::Null)
        .fact("java_version", Value::Null);
    examined.cost(Grade::Limited, Message::new("doctor-companion-costs"));
    match error {
        StartError::NoJava { .. } | StartError::OldJava { .. } => {
            let (debian, fedora) = ("openjdk-17-jre-headless", "java-17-openjdk-headless");
            examined.mend(setting.install(debian, fedora, "openjdk17-jre-headless"));
        }
        _ if Path::new("companion/build.sh").exists() => {
            examined.mend("make companion");
        }
        _ => {
            examined.mend("export PLIMSOLL_COMPANION=/opt/plimsoll/companion");
        }
    }
    examined
}

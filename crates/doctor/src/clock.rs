//! The clock: whether somebody sets it, and what reading it costs.

use plimsoll_text::Message;

use crate::examined::{Examined, Grade, HostSetting};
use crate::proc::text;

/// Sources that are read without a system call (`vclock_mode` in `arch/*/kernel` and
/// `drivers/clocksource`).
const QUICK: [&str; 5] = [
    "tsc",
    "kvm-clock",
    "arch_sys_counter",
    "hyperv_clocksource_tsc_page",
    "timebase",
];

/// Where the kernel says what it reads its clock from.
const FOLDER: &str = "/sys/devices/system/clocksource/clocksource0";

/// What the kernel says of the time of day: whether it is synchronised, and how far it may be off,
/// microseconds.
fn synchronised() -> (bool, i64) {
    // SAFETY: an all-zero timex is valid and asks for no change (`modes` is 0); the call fills it.
    unsafe {
        let mut timex: libc::timex = std::mem::zeroed();
        let state = libc::adjtimex(&raw mut timex);
        (state != -1 && state != libc::TIME_ERROR, timex.maxerror)
    }
}

/// What the kernel says of its clock.
struct Seen {
    /// Something synchronises it.
    is_set: bool,
    /// How far it may be off, microseconds.
    error_us: i64,
    /// What it is read from.
    source: Option<String>,
    /// What else it could be read from.
    available: String,
}

/// The clock.
pub(crate) fn clock(setting: &HostSetting) -> Examined {
    let (is_set, error_us) = synchronised();
    let seen = Seen {
        is_set,
        error_us,
        source: text(&format!("{FOLDER}/current_clocksource")),
        available: text(&format!("{FOLDER}/available_clocksource")).unwrap_or_default(),
    };
    judged(&seen, setting)
}

fn judged(seen: &Seen, setting: &HostSetting) -> Examined {
    let id = if seen.is_set {
        "doctor-clock-says"
    } else {
        "doctor-clock-unset"
    };
    let source = seen.source.as_deref();
    let says = Message::new(id)
        .with("error_ms", seen.error_us / 1_000)
        .with("source", source.unwrap_or("–"));
    let mut examined = Examined::good("clock", says)
        .fact("synchronised", seen.is_set)
        .fact("max_error_us", seen.error_us)
        .fact("source", source);
    if !seen.is_set {
        examined.cost(Grade::Limited, Message::new("doctor-clock-costs"));
        // timedatectl asks systemd, where that has been started.
        let has_systemd = std::path::Path::new("/run/systemd/system").exists();
        if setting.container {
            examined.cost(Grade::Limited, Message::new("doctor-clock-host"));
        } else if has_systemd {
            examined.mend(setting.as_root("timedatectl set-ntp true"));
        } else {
            examined.mend(setting.install("chrony", "chrony", "chrony"));
        }
    }
    if let Some(slow) = source.filter(|source| !QUICK.contains(source)) {
        let costs = Message::new("doctor-clock-slow").with("source", slow);
        examined.cost(Grade::Limited, costs);
        let mut others = seen.available.split(' ');
        if let Some(better) = others.find(|name| QUICK.contains(name)) {
            let file = format!("{FOLDER}/current_clocksource");
            examined.mend(format!(
                "echo {better} | {}",
                setting.as_root(&format!("tee {file}"))
            ));
        }
    }
    examined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examined::test_setting;

    fn told(is_set: bool, source: Option<&str>, available: &str) -> Examined {
        let seen = Seen {
            is_set,
            error_us: 16_000_000,
            source: source.map(str::to_owned),
            available: available.to_owned(),
        };
        judged(&seen, &test_setting())
    }

    #[test]
    fn a_clock_that_nobody_sets_costs_something_and_one_that_is_set_does_not() {
        assert_eq!(told(true, Some("tsc"), "tsc").grade, Grade::Good);
        assert_eq!(told(true, None, "").grade, Grade::Good);
        let off = told(false, Some("tsc"), "tsc");
        assert_eq!(off.grade, Grade::Limited);
        assert_eq!(off.costs_ids(), ["doctor-clock-costs"]);
        assert_eq!(off.remedies.len(), 1);
        assert_eq!(off.says.id, "doctor-clock-unset");
    }

    #[test]
    fn a_slow_source_has_a_command_only_where_a_quick_one_is_there() {
        let slow = told(true, Some("hpet"), "hpet tsc acpi_pm");
        assert_eq!(slow.costs_ids(), ["doctor-clock-slow"]);
        assert!(slow.remedies[0].0.starts_with("echo tsc | sudo tee "));
        assert!(told(true, Some("hpet"), "hpet acpi_pm").remedies.is_empty());
        let both = told(false, Some("acpi_pm"), "tsc");
        assert_eq!(
            both.costs_ids(),
            ["doctor-clock-costs", "doctor-clock-slow"]
        );
    }
}

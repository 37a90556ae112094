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

/// The clock.
pub(crate) fn clock(setting: &HostSetting) -> Examined {
    let (is_set, error_us) = synchronised();
    let folder = "/sys/devices/system/clocksource/clocksource0";
    let source = text(&format!("{folder}/current_clocksource"));
    let quick = source
        .as_deref()
        .is_none_or(|source| QUICK.contains(&source));
    let id = if is_set {
        "doctor-clock-says"
    } else {
        "doctor-clock-unset"
    };
    let says = Message::new(id)
        .with("error_ms", error_us / 1_000)
        .with("source", source.clone().unwrap_or_else(|| "–".to_owned()));
    let mut examined = Examined::good("clock", says)
        .fact("synchronised", is_set)
        .fact("max_error_us", error_us)
        .fact("source", source.clone());
    if !is_set {
        examined.cost(Grade::Limited, Message::new("doctor-clock-costs"));
        examined.mend(
            match std::path::Path::new("/usr/bin/timedatectl").exists() {
                true => setting.as_root("timedatectl set-ntp true"),
                false => setting.install("chrony", "chrony", "chrony"),
            },
        );
    }
    if !quick {
        let costs = Message::new("doctor-clock-slow").with("source", source.unwrap_or_default());
        examined.cost(Grade::Limited, costs);
        let there = text(&format!("{folder}/available_clocksource")).unwrap_or_default();
        let better = there.split(' ').find(|name| QUICK.contains(name));
        if let Some(better) = better {
            let file = format!("{folder}/current_clocksource");
            examined.mend(format!(
                "echo {better} | {}",
                setting.as_root(&format!("tee {file}"))
            ));
        }
    }
    examined
}

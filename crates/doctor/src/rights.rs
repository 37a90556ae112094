//! Rights to look at the target, each known by trying the call that needs it.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt as _;

use plimsoll_text::Message;
use plimsoll_wire::{ProbeRefusal, SocketProbe};
use serde_json::Value;

use crate::examined::{Examined, Grade, HostSetting};
use crate::proc::{capability, has, number};

/// What gives the program all rights that watching may need.
fn setcap(setting: &HostSetting) -> String {
    if setting.container {
        return "docker run --cap-add NET_RAW --cap-add SYS_PTRACE --cap-add PERFMON --cap-add BPF …".to_owned();
    }
    let program = setting.program.display();
    let rights = "cap_net_raw,cap_sys_ptrace,cap_perfmon,cap_bpf+ep";
    setting.as_root(&format!("setcap {rights} '{program}'"))
}

/// Why something is refused, in words.
fn reason(error: &io::Error) -> Message {
    match error.raw_os_error() {
        Some(code) => Message::new(format!("system-error-{code}")),
        None => Message::new("doctor-reason").with("reason", error.to_string()),
    }
}

/// What became of trying something, with the right that it takes.
fn tried(
    id: &'static str,
    outcome: io::Result<()>,
    right: (&str, u32),
    setting: &HostSetting,
) -> Examined {
    let (name, number) = right;
    match outcome {
        Ok(()) => Examined::good(id, Message::new(format!("doctor-{id}-good")))
            .fact("allowed", true)
            .fact(name, has(number)),
        Err(error) => {
            let says = Message::new("doctor-refused").with("reason", reason(&error));
            let mut examined = Examined::good(id, says)
                .fact("allowed", false)
                .fact(name, has(number));
            examined.cost(Grade::Limited, Message::new(format!("doctor-{id}-costs")));
            examined.mend(setcap(setting));
            examined
        }
    }
}

/// The headers of packets, for requests between processes.
pub(crate) fn packets(setting: &HostSetting) -> Examined {
    let opened = plimsoll_wire::Ring::open(
        plimsoll_wire::FollowedShare::ALL,
        plimsoll_wire::RingSize::SMALL,
        0,
    )
    .map(drop);
    tried(
        "packets",
        opened,
        ("cap_net_raw", capability::NET_RAW),
        setting,
    )
}

/// The kernel's samples of what the CPUs run.
pub(crate) fn cpu_samples(setting: &HostSetting) -> Examined {
    let allowed = plimsoll_watch::may_sample_cpus();
    let right = ("cap_perfmon", capability::PERFMON);
    let paranoid = number("/proc/sys/kernel/perf_event_paranoid");
    tried("cpu_samples", allowed, right, setting).fact("perf_event_paranoid", paranoid)
}

/// Processes of other users: how many there are, and in how many one may look.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Others {
    there: u64,
    readable: u64,
}

fn others() -> Others {
    let own = rustix::process::geteuid().as_raw();
    let mut others = Others::default();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    for entry in entries {
        let is_process = entry
            .file_name()
            .to_str()
            .is_some_and(|name| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()));
        let of_another = is_process && entry.metadata().is_ok_and(|data| data.uid() != own);
        // Threads of the kernel's own have no memory to look at.
        let maps = entry.path().join("maps");
        let has_memory = || {
            let status = std::fs::read_to_string(entry.path().join("status"));
            status.is_ok_and(|status| status.contains("VmSize:"))
        };
        if of_another && has_memory() {
            others.there += 1;
            let mut byte = [0];
            let read = File::open(maps).and_then(|mut maps| io::Read::read(&mut maps, &mut byte));
            others.readable += u64::from(read.is_ok());
        }
    }
    others
}

/// The processes of other users.
pub(crate) fn processes(setting: &HostSetting) -> Examined {
    // Each process sees itself there, if it is there.
    if !std::path::Path::new("/proc/self").exists() {
        let mut unseen = Examined::good("processes", Message::new("doctor-unseen"))
            .fact("of_other_users", Value::Null)
            .fact("readable", Value::Null)
            .fact("cap_sys_ptrace", Value::Null)
            .fact("ptrace_scope", Value::Null);
        unseen.grade = Grade::Unknown;
        return unseen;
    }
    let others = others();
    let may = match others.there {
        // Nobody else is here to try it on.
        0 => has(capability::SYS_PTRACE),
        there => others.readable == there,
    };
    let id = if may {
        "doctor-processes-good"
    } else {
        "doctor-processes-says"
    };
    let says = Message::new(id)
        .with("there", others.there)
        .with("readable", others.readable);
    let mut examined = Examined::good("processes", says)
        .fact("of_other_users", others.there)
        .fact("readable", others.readable)
        .fact("cap_sys_ptrace", has(capability::SYS_PTRACE))
        .fact("ptrace_scope", number("/proc/sys/kernel/yama/ptrace_scope"));
    if !may {
        examined.cost(Grade::Limited, Message::new("doctor-processes-costs"));
        examined.mend(setcap(setting));
    }
    examined
}

/// A program in the kernel, for requests by Unix sockets.
pub(crate) fn bpf(setting: &HostSetting) -> Examined {
    programs(SocketProbe::open().err(), setting)
}

fn programs(refusal: Option<ProbeRefusal>, setting: &HostSetting) -> Examined {
    let btf = std::path::Path::new("/sys/kernel/btf/vmlinux").exists();
    let may = has(capability::BPF) || has(capability::SYS_ADMIN);
    let unprivileged = number("/proc/sys/kernel/unprivileged_bpf_disabled");
    let says = match &refusal {
        None => Message::new("doctor-bpf-good"),
        Some(ProbeRefusal::NotBuilt) => Message::new("doctor-bpf-not-built"),
        Some(ProbeRefusal::NoTypes | ProbeRefusal::NoPoints) => Message::new("doctor-bpf-kernel"),
        Some(ProbeRefusal::Refused(error)) => {
            Message::new("doctor-refused").with("reason", reason(error))
        }
        Some(ProbeRefusal::Failed(reason)) => {
            Message::new("doctor-refused").with("reason", reason.as_str())
        }
    };
    let mut examined = Examined::good("bpf", says)
        .fact("allowed", refusal.is_none())
        .fact("btf", btf)
        .fact("cap_bpf", may)
        .fact(
            "unprivileged_bpf_disabled",
            unprivileged.map_or(Value::Null, Value::from),
        );
    if refusal.is_some() {
        examined.cost(Grade::Limited, Message::new("doctor-bpf-costs"));
    }
    if let Some(ProbeRefusal::Refused(_)) = refusal {
        examined.mend(setcap(setting));
    }
    examined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examined::test_setting;

    #[test]
    fn a_right_that_is_refused_costs_something_and_has_its_command() {
        let ids = ["packets", "cpu_samples"];
        for id in ids {
            let right = ("cap_x", capability::NET_RAW);
            assert_eq!(tried(id, Ok(()), right, &test_setting()).grade, Grade::Good);
            for code in [libc::EPERM, libc::EACCES, libc::ENOSYS] {
                let error = io::Error::from_raw_os_error(code);
                let refused = tried(id, Err(error), right, &test_setting());
                assert_eq!(refused.grade, Grade::Limited);
                assert_eq!(refused.facts["allowed"], false);
                assert_eq!(refused.costs_ids(), [format!("doctor-{id}-costs")]);
                assert!(refused.remedies[0].0.starts_with("sudo setcap cap_net_raw"));
            }
        }
        let container = HostSetting {
            container: true,
            ..test_setting()
        };
        let error = io::ErrorKind::Unsupported.into();
        let refused = tried("cpu_samples", Err(error), ("cap_x", 38), &container);
        assert!(refused.remedies[0].0.starts_with("docker run --cap-add"));
    }

    #[test]
    fn a_kernel_that_takes_no_program_costs_the_times_of_requests() {
        let setting = test_setting();
        assert_eq!(programs(None, &setting).grade, Grade::Good);
        let refused = |code| ProbeRefusal::Refused(io::Error::from_raw_os_error(code));
        let all = [
            (ProbeRefusal::NotBuilt, 0),
            (ProbeRefusal::NoTypes, 0),
            (ProbeRefusal::NoPoints, 0),
            (ProbeRefusal::Failed("no".to_owned()), 0),
            (refused(libc::EPERM), 1),
            (refused(libc::ENOSYS), 1),
        ];
        for (refusal, remedies) in all {
            let told = programs(Some(refusal), &setting);
            assert_eq!(
                (told.grade, told.remedies.len()),
                (Grade::Limited, remedies)
            );
            assert_eq!(told.costs_ids(), ["doctor-bpf-costs"]);
            assert_eq!(told.facts["allowed"], false);
        }
    }
}

//! Linux.

use crate::knob::{Applies, Family, Knob, KnobDefault, KnobPlace, PlaceKind, ReadWay, Spelling};

const SYSCTL: &str = "https://docs.kernel.org/networking/ip-sysctl.html";
const NET: &str = "https://docs.kernel.org/admin-guide/sysctl/net.html";
const FS: &str = "https://docs.kernel.org/admin-guide/sysctl/fs.html";
const THP: &str = "https://docs.kernel.org/admin-guide/mm/transhuge.html";
const VM: &str = "https://docs.kernel.org/admin-guide/sysctl/vm.html";

/// The family.
pub(crate) const FAMILY: Family = Family {
    id: "kernel",
    knobs: &[
        Knob {
            default: &[
                KnobDefault::new("4096", "Linux 5.4+"),
                KnobDefault::new("128", "Linux < 5.4"),
            ],
            // The kernel looks at it in `listen()`: sockets that listen already keep their queue.
            places: &[
                KnobPlace::new(PlaceKind::Sysctl, "net.core.somaxconn"),
                KnobPlace::new(PlaceKind::ValueFile, "/proc/sys/net/core/somaxconn"),
            ],
            reads: &[ReadWay::KernelFile("/proc/sys/net/core/somaxconn")],
            source: NET,
            ..Knob::counts("kernel.somaxconn", 128, 65_535)
        },
        Knob {
            default: &[KnobDefault::derived("memory")],
            applies: Applies::AtOnce,
            places: &[
                KnobPlace::new(PlaceKind::Sysctl, "net.ipv4.tcp_max_syn_backlog"),
                KnobPlace::new(
                    PlaceKind::ValueFile,
                    "/proc/sys/net/ipv4/tcp_max_syn_backlog",
                ),
            ],
            reads: &[ReadWay::KernelFile(
                "/proc/sys/net/ipv4/tcp_max_syn_backlog",
            )],
            source: SYSCTL,
            ..Knob::counts("kernel.tcp-max-syn-backlog", 128, 1 << 20)
        },
        Knob {
            default: &[KnobDefault::new("32768 60999", "")],
            applies: Applies::AtOnce,
            places: &[
                KnobPlace::new(PlaceKind::Sysctl, "net.ipv4.ip_local_port_range"),
                KnobPlace::new(
                    PlaceKind::ValueFile,
                    "/proc/sys/net/ipv4/ip_local_port_range",
                ),
            ],
            reads: &[ReadWay::KernelFile(
                "/proc/sys/net/ipv4/ip_local_port_range",
            )],
            source: SYSCTL,
            ..Knob::text("kernel.port-range")
        },
        Knob {
            default: &[KnobDefault::new("2", "Linux 4.19+")],
            applies: Applies::AtOnce,
            places: &[
                KnobPlace::new(PlaceKind::Sysctl, "net.ipv4.tcp_tw_reuse"),
                KnobPlace::new(PlaceKind::ValueFile, "/proc/sys/net/ipv4/tcp_tw_reuse"),
            ],
            reads: &[ReadWay::KernelFile("/proc/sys/net/ipv4/tcp_tw_reuse")],
            source: SYSCTL,
            ..Knob::choice("kernel.tcp-tw-reuse", &["0", "1", "2"])
        },
        Knob {
            default: &[KnobDefault::new("60", "")],
            applies: Applies::AtOnce,
            places: &[
                KnobPlace::new(PlaceKind::Sysctl, "net.ipv4.tcp_fin_timeout"),
                KnobPlace::new(PlaceKind::ValueFile, "/proc/sys/net/ipv4/tcp_fin_timeout"),
            ],
            reads: &[ReadWay::KernelFile("/proc/sys/net/ipv4/tcp_fin_timeout")],
            source: SYSCTL,
            ..Knob::counts("kernel.tcp-fin-timeout", 5, 120)
        },
        Knob {
            default: &[KnobDefault::new("on", "")],
            applies: Applies::AtOnce,
            places: &[
                KnobPlace::new(PlaceKind::Sysctl, "net.ipv4.tcp_slow_start_after_idle")
                    .spelled(Spelling::OneZero),
                KnobPlace::new(
                    PlaceKind::ValueFile,
                    "/proc/sys/net/ipv4/tcp_slow_start_after_idle",
                )
                .spelled(Spelling::OneZero),
            ],
            reads: &[ReadWay::KernelFile(
                "/proc/sys/net/ipv4/tcp_slow_start_after_idle",
            )],
            source: SYSCTL,
            ..Knob::switch("kernel.tcp-slow-start-after-idle")
        },
        Knob {
            default: &[KnobDefault::derived("memory")],
            applies: Applies::AtOnce,
            places: &[
                KnobPlace::new(PlaceKind::Sysctl, "fs.file-max"),
                KnobPlace::new(PlaceKind::ValueFile, "/proc/sys/fs/file-max"),
            ],
            reads: &[ReadWay::KernelFile("/proc/sys/fs/file-max")],
            source: FS,
            ..Knob::counts("kernel.file-max", 8 << 10, 1 << 40)
        },
        Knob {
            default: &[KnobDefault::new("1024", "")],
            places: &[KnobPlace::new(PlaceKind::Ini, "[Service] LimitNOFILE")],
            reads: &[ReadWay::OpenFiles],
            source: FS,
            ..Knob::counts("kernel.open-files", 256, 1 << 20)
        },
        Knob {
            default: &[
                KnobDefault::new("madvise", "Debian, Ubuntu"),
                KnobDefault::new("always", "Linux"),
            ],
            applies: Applies::AtOnce,
            places: &[KnobPlace::new(
                PlaceKind::ValueFile,
                "/sys/kernel/mm/transparent_hugepage/enabled",
            )],
            reads: &[ReadWay::KernelFile(
                "/sys/kernel/mm/transparent_hugepage/enabled",
            )],
            source: THP,
            ..Knob::choice(
                "kernel.transparent-huge-pages",
                &["always", "madvise", "never"],
            )
        },
        Knob {
            default: &[KnobDefault::new("60", "")],
            applies: Applies::AtOnce,
            places: &[
                KnobPlace::new(PlaceKind::Sysctl, "vm.swappiness"),
                KnobPlace::new(PlaceKind::ValueFile, "/proc/sys/vm/swappiness"),
            ],
            reads: &[ReadWay::KernelFile("/proc/sys/vm/swappiness")],
            source: VM,
            ..Knob::counts("kernel.swappiness", 0, 200).linear()
        },
    ],
};

//! nginx and OpenResty.

use crate::knob::{
    Applies, Condition, Family, Gives, Knob, KnobDefault, KnobPlace, PlaceKind, ReadWay, Spelling,
};

const CORE: &str = "https://nginx.org/en/docs/ngx_core_module.html";
const HTTP: &str = "https://nginx.org/en/docs/http/ngx_http_core_module.html";
const UPSTREAM: &str = "https://nginx.org/en/docs/http/ngx_http_upstream_module.html";
const LOG: &str = "https://nginx.org/en/docs/http/ngx_http_log_module.html";
const GZIP: &str = "https://nginx.org/en/docs/http/ngx_http_gzip_module.html";
const PROXY: &str = "https://nginx.org/en/docs/http/ngx_http_proxy_module.html";

/// The family.
pub(crate) const FAMILY: Family = Family {
    id: "nginx",
    knobs: &[
        Knob {
            default: &[KnobDefault::new("1", "")],
            applies: Applies::Reload,
            places: &[KnobPlace::new(PlaceKind::Nginx, "worker_processes")],
            reads: &[ReadWay::NginxWorkers],
            source: CORE,
            ..Knob::counts("nginx.worker-processes", 1, 256).automatic(&["auto"])
        },
        Knob {
            default: &[KnobDefault::new("512", "")],
            applies: Applies::Reload,
            places: &[KnobPlace::new(
                PlaceKind::Nginx,
                "events > worker_connections",
            )],
            reads: &[ReadWay::NginxConfig],
            source: CORE,
            ..Knob::counts("nginx.worker-connections", 64, 1 << 20)
        },
        Knob {
            default: &[KnobDefault::derived("system")],
            applies: Applies::Reload,
            places: &[KnobPlace::new(PlaceKind::Nginx, "worker_rlimit_nofile")],
            reads: &[ReadWay::NginxOpenFiles, ReadWay::NginxConfig],
            source: CORE,
            ..Knob::counts("nginx.worker-rlimit-nofile", 256, 1 << 20)
        },
        Knob {
            default: &[KnobDefault::new("off", "")],
            applies: Applies::Reload,
            places: &[KnobPlace::new(PlaceKind::Nginx, "events > multi_accept")],
            reads: &[ReadWay::NginxConfig],
            source: CORE,
            ..Knob::switch("nginx.multi-accept")
        },
        Knob {
            default: &[
                KnobDefault::derived("none"),
                KnobDefault::new("32", "1.29.7+"),
            ],
            applies: Applies::Reload,
            places: &[KnobPlace::new(
                PlaceKind::Nginx,
                "http > upstream > keepalive",
            )],
            reads: &[ReadWay::NginxConfig],
            source: UPSTREAM,
            ..Knob::counts("nginx.upstream.keepalive", 1, 10_000)
        },
        Knob {
            default: &[
                KnobDefault::new("1000", "1.19.10+"),
                KnobDefault::new("100", "< 1.19.10"),
            ],
            applies: Applies::Reload,
            places: &[KnobPlace::new(
                PlaceKind::Nginx,
                "http > upstream > keepalive_requests",
            )],
            reads: &[ReadWay::NginxConfig],
            source: UPSTREAM,
            ..Knob::counts("nginx.upstream.keepalive-requests", 1, 10_000_000)
        },
        Knob {
            default: &[KnobDefault::new("60s", "")],
            applies: Applies::Reload,
            places: &[
                KnobPlace::new(PlaceKind::Nginx, "http > upstream > keepalive_timeout")
                    .spelled(Spelling::Seconds),
            ],
            reads: &[ReadWay::NginxConfig],
            source: UPSTREAM,
            ..Knob::millis("nginx.upstream.keepalive-timeout", 1_000, 3_600_000)
        },
        Knob {
            default: &[KnobDefault::new("75s", "")],
            applies: Applies::Reload,
            places: &[KnobPlace::new(PlaceKind::Nginx, "http > keepalive_timeout")
                .spelled(Spelling::Seconds)],
            reads: &[ReadWay::NginxConfig],
            source: HTTP,
            ..Knob::millis("nginx.keepalive-timeout", 0, 3_600_000)
        },
        Knob {
            default: &[
                KnobDefault::new("1000", "1.19.10+"),
                KnobDefault::new("100", "< 1.19.10"),
            ],
            applies: Applies::Reload,
            places: &[KnobPlace::new(
                PlaceKind::Nginx,
                "http > keepalive_requests",
            )],
            reads: &[ReadWay::NginxConfig],
            source: HTTP,
            ..Knob::counts("nginx.keepalive-requests", 1, 10_000_000)
        },
        Knob {
            default: &[KnobDefault::new("logs/access.log combined", "")],
            applies: Applies::Reload,
            gives: Some(Gives::Logs),
            places: &[KnobPlace::new(PlaceKind::Nginx, "http > access_log")],
            reads: &[ReadWay::NginxConfig],
            source: LOG,
            ..Knob::text("nginx.access-log")
        },
        Knob {
            default: &[KnobDefault::new("off", "")],
            applies: Applies::Reload,
            places: &[KnobPlace::new(PlaceKind::Nginx, "http > gzip")],
            reads: &[ReadWay::NginxConfig],
            source: GZIP,
            ..Knob::switch("nginx.gzip")
        },
        Knob {
            default: &[KnobDefault::new("1", "")],
            applies: Applies::Reload,
            conditions: &[Condition::When {
                knob: "nginx.gzip",
                is: &["on"],
            }],
            places: &[KnobPlace::new(PlaceKind::Nginx, "http > gzip_comp_level")],
            reads: &[ReadWay::NginxConfig],
            source: GZIP,
            ..Knob::counts("nginx.gzip-level", 1, 9).linear()
        },
        Knob {
            default: &[KnobDefault::new("text/html", "")],
            applies: Applies::Reload,
            conditions: &[Condition::When {
                knob: "nginx.gzip",
                is: &["on"],
            }],
            places: &[KnobPlace::new(PlaceKind::Nginx, "http > gzip_types")],
            reads: &[ReadWay::NginxConfig],
            source: GZIP,
            ..Knob::text("nginx.gzip-types")
        },
        Knob {
            default: &[KnobDefault::new("20", "")],
            applies: Applies::Reload,
            conditions: &[Condition::When {
                knob: "nginx.gzip",
                is: &["on"],
            }],
            places: &[KnobPlace::new(PlaceKind::Nginx, "http > gzip_min_length")],
            reads: &[ReadWay::NginxConfig],
            source: GZIP,
            ..Knob::counts("nginx.gzip-min-length", 1, 1 << 20)
        },
        Knob {
            default: &[KnobDefault::new("on", "")],
            applies: Applies::Reload,
            places: &[KnobPlace::new(PlaceKind::Nginx, "http > proxy_buffering")],
            reads: &[ReadWay::NginxConfig],
            source: PROXY,
            ..Knob::switch("nginx.proxy-buffering")
        },
        Knob {
            default: &[KnobDefault::new("8 4k|8k", "page size")],
            applies: Applies::Reload,
            places: &[KnobPlace::new(PlaceKind::Nginx, "http > proxy_buffers")],
            reads: &[ReadWay::NginxConfig],
            source: PROXY,
            ..Knob::text("nginx.proxy-buffers")
        },
        Knob {
            default: &[KnobDefault::new("4k|8k", "page size")],
            applies: Applies::Reload,
            places: &[KnobPlace::new(PlaceKind::Nginx, "http > proxy_buffer_size")
                .spelled(Spelling::Size)],
            reads: &[ReadWay::NginxConfig],
            source: PROXY,
            // Twice as much must fit into all proxy_buffers but one (8 of 4k), or nginx does not start.
            ..Knob::bytes("nginx.proxy-buffer-size", 1 << 10, 14 << 10)
        },
        Knob {
            default: &[
                KnobDefault::new("1.1", "1.29.7+"),
                KnobDefault::new("1.0", "< 1.29.7"),
            ],
            applies: Applies::Reload,
            places: &[KnobPlace::new(
                PlaceKind::Nginx,
                "http > proxy_http_version",
            )],
            reads: &[ReadWay::NginxConfig],
            source: PROXY,
            ..Knob::choice("nginx.proxy-http-version", &["1.0", "1.1"])
        },
        Knob {
            default: &[KnobDefault::new("off", "")],
            applies: Applies::Reload,
            places: &[
                KnobPlace::new(PlaceKind::Nginx, "http > server > listen[reuseport]")
                    .spelled(Spelling::Present),
            ],
            reads: &[ReadWay::NginxConfig],
            source: HTTP,
            ..Knob::switch("nginx.reuseport")
        },
        Knob {
            default: &[KnobDefault::new("511", "Linux")],
            applies: Applies::Reload,
            places: &[KnobPlace::new(
                PlaceKind::Nginx,
                "http > server > listen[backlog]",
            )],
            reads: &[ReadWay::Backlog],
            source: HTTP,
            ..Knob::counts("nginx.backlog", 16, 65_535)
        },
        Knob {
            default: &[KnobDefault::new("off", "")],
            applies: Applies::Reload,
            places: &[KnobPlace::new(PlaceKind::Nginx, "http > sendfile")],
            reads: &[ReadWay::NginxConfig],
            source: HTTP,
            ..Knob::switch("nginx.sendfile")
        },
        Knob {
            default: &[KnobDefault::new("off", "")],
            applies: Applies::Reload,
            conditions: &[Condition::When {
                knob: "nginx.sendfile",
                is: &["on"],
            }],
            places: &[KnobPlace::new(PlaceKind::Nginx, "http > tcp_nopush")],
            reads: &[ReadWay::NginxConfig],
            source: HTTP,
            ..Knob::switch("nginx.tcp-nopush")
        },
        Knob {
            default: &[KnobDefault::new("off", "")],
            applies: Applies::Reload,
            places: &[KnobPlace::new(PlaceKind::Nginx, "http > open_file_cache")],
            reads: &[ReadWay::NginxConfig],
            source: HTTP,
            ..Knob::text("nginx.open-file-cache")
        },
    ],
};

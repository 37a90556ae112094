//! PHP-FPM.

use crate::knob::{Applies, Condition, Family, Knob, KnobDefault, KnobPlace, PlaceKind, ReadWay};

const MANUAL: &str = "https://www.php.net/manual/en/install.fpm.configuration.php";

/// The family.
pub(crate) const FAMILY: Family = Family {
    id: "php-fpm",
    knobs: &[
        Knob {
            default: &[KnobDefault::derived("must-be-set")],
            applies: Applies::Reload,
            places: &[KnobPlace::new(PlaceKind::Ini, "[www] pm.max_children")],
            source: MANUAL,
            ..Knob::counts("php-fpm.max-children", 1, 2_000)
        },
        Knob {
            default: &[KnobDefault::derived("must-be-set")],
            applies: Applies::Reload,
            places: &[KnobPlace::new(PlaceKind::Ini, "[www] pm")],
            source: MANUAL,
            ..Knob::choice("php-fpm.pm", &["static", "dynamic", "ondemand"])
        },
        Knob {
            applies: Applies::Reload,
            conditions: &[
                Condition::When {
                    knob: "php-fpm.pm",
                    is: &["dynamic"],
                },
                Condition::AtMost {
                    knob: "php-fpm.max-spare-servers",
                    refuses: true,
                },
                Condition::AtMost {
                    knob: "php-fpm.max-children",
                    refuses: true,
                },
            ],
            default: &[KnobDefault::derived("spare-mean")],
            places: &[KnobPlace::new(PlaceKind::Ini, "[www] pm.start_servers")],
            source: MANUAL,
            ..Knob::counts("php-fpm.start-servers", 1, 2_000)
        },
        Knob {
            applies: Applies::Reload,
            conditions: &[
                Condition::When {
                    knob: "php-fpm.pm",
                    is: &["dynamic"],
                },
                Condition::AtMost {
                    knob: "php-fpm.max-children",
                    refuses: true,
                },
            ],
            default: &[KnobDefault::derived("must-be-set-dynamic")],
            places: &[KnobPlace::new(PlaceKind::Ini, "[www] pm.max_spare_servers")],
            source: MANUAL,
            ..Knob::counts("php-fpm.max-spare-servers", 1, 2_000)
        },
        Knob {
            applies: Applies::Reload,
            conditions: &[
                Condition::When {
                    knob: "php-fpm.pm",
                    is: &["dynamic"],
                },
                Condition::AtMost {
                    knob: "php-fpm.start-servers",
                    refuses: true,
                },
                Condition::AtMost {
                    knob: "php-fpm.max-spare-servers",
                    refuses: true,
                },
            ],
            default: &[KnobDefault::derived("must-be-set-dynamic")],
            places: &[KnobPlace::new(PlaceKind::Ini, "[www] pm.min_spare_servers")],
            source: MANUAL,
            ..Knob::counts("php-fpm.min-spare-servers", 1, 2_000)
        },
        Knob {
            default: &[KnobDefault::new("0", "")],
            applies: Applies::Reload,
            places: &[KnobPlace::new(PlaceKind::Ini, "[www] pm.max_requests")],
            source: MANUAL,
            ..Knob::counts("php-fpm.max-requests", 1, 1_000_000).also(&["0"])
        },
        Knob {
            // `FPM_BACKLOG_DEFAULT` of `fpm_sockets.h`.
            default: &[
                KnobDefault::new("-1", "8.2+"),
                KnobDefault::new("511", "< 8.2"),
            ],
            places: &[KnobPlace::new(PlaceKind::Ini, "[www] listen.backlog")],
            reads: &[ReadWay::Backlog],
            source: MANUAL,
            ..Knob::counts("php-fpm.backlog", 16, 65_535).automatic(&["-1"])
        },
    ],
};

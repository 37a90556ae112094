//! How much load, when.

use super::grammar::{Case, Group, Key, Kind, Object, Tagged, at_most_one, key};
use super::leaf::{BOOL, COUNT, COUNT_OR_ZERO, DURATION, INTEGER, LONG_COUNT, RATE, RATE_RANGE};
use super::pause::PAUSE_VALUE;
use super::scope::ON_ERROR;

/// The load of a scenario, or of several together.
pub(super) static LOAD: &[Key] = &[
    key("users", &COUNT, "users"),
    key("rate", &RATE, "rate"),
    key("ramp-up", &DURATION, "ramp-up").default("0"),
    key("hold", &DURATION, "hold"),
    key("duration", &DURATION, "duration"),
    key("ramp-down", &DURATION, "ramp-down").default("0"),
    key("stages", &STAGES, "stages"),
    key("ends-with-stages", &BOOL, "ends-with-stages").default("true"),
    key("spike", &SPIKES, "spike"),
    key("iterations", &LONG_COUNT, "iterations"),
    key("total-iterations", &LONG_COUNT, "total-iterations"),
    key("arrivals", &Kind::Word(&["even", "poisson"]), "arrivals").default("even"),
    key("max-in-flight", &COUNT, "max-in-flight").default("10000"),
    key("ready-users", &COUNT_OR_ZERO, "ready-users").default("0"),
    key("exact-counts", &BOOL, "exact-counts").default("false"),
    key("arrivals-seed", &INTEGER, "arrivals-seed").default("0"),
    key("new-users", &BOOL, "new-users").default("false"),
];

/// Keys of a load that exclude each other.
pub(super) static LOAD_GROUPS: &[Group] = &[
    at_most_one(&["users", "rate", "stages"]),
    at_most_one(&["hold", "duration", "stages"]),
    at_most_one(&["ramp-up", "stages"]),
    at_most_one(&["ramp-down", "stages"]),
    at_most_one(&["spike", "stages"]),
];

/// How the users of a scenario live.
pub(super) static RHYTHM: &[Key] = &[
    key("start-delay", &DURATION, "start-delay").default("0"),
    key("end-after", &DURATION, "end-after"),
    key("grace", &DURATION, "grace").default("30s"),
    key("pace", &PAUSE_VALUE, "pace"),
    key("on-error", &ON_ERROR, "on-error").default("continue"),
    key("same-user", &BOOL, "same-user").default("true"),
];

static STAGES: Kind = Kind::List(&STAGE);
static STAGE: Kind = Kind::Tagged(&Tagged {
    id: "stage",
    cases: &[
        Case {
            tags: &["users"],
            object: &USER_STAGE,
        },
        Case {
            tags: &["rate"],
            object: &RATE_STAGE,
        },
    ],
});
static USER_STAGE: Object = Object {
    id: "user-stage",
    keys: &[&[
        key("users", &COUNT_OR_ZERO, "stage-users").required(),
        key("ramp", &DURATION, "stage-ramp").default("0"),
        key("for", &DURATION, "stage-for").default("0"),
    ]],
    groups: &[],
};
static RATE_STAGE: Object = Object {
    id: "rate-stage",
    keys: &[&[
        key("rate", &RATE_RANGE, "stage-rate").required(),
        key(
            "arrivals",
            &Kind::Word(&["even", "poisson"]),
            "stage-arrivals",
        ),
        key("ramp", &DURATION, "stage-rate-ramp").default("0"),
        key("for", &DURATION, "stage-for").default("0"),
    ]],
    groups: &[],
};

static SPIKES: Kind = Kind::OneOf(&[&SPIKE, &SPIKE_LIST]);
static SPIKE_LIST: Kind = Kind::List(&SPIKE);
static SPIKE: Kind = Kind::Tagged(&Tagged {
    id: "spike",
    cases: &[
        Case {
            tags: &["users"],
            object: &USER_SPIKE,
        },
        Case {
            tags: &["rate"],
            object: &RATE_SPIKE,
        },
    ],
});
static USER_SPIKE: Object = Object {
    id: "user-spike",
    keys: &[
        &[key("users", &COUNT, "spike-users").required()],
        SPIKE_TIMES,
    ],
    groups: &[],
};
static RATE_SPIKE: Object = Object {
    id: "rate-spike",
    keys: &[&[key("rate", &RATE, "spike-rate").required()], SPIKE_TIMES],
    groups: &[],
};
static SPIKE_TIMES: &[Key] = &[
    key("at", &DURATION, "spike-at").required(),
    key("for", &DURATION, "spike-for").required(),
];

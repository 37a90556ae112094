//! How much load, when.

use super::leaf::{
    BOOL, COUNT, COUNT_OR_ZERO, DURATION, INTEGER, LONG_COUNT, PAUSE, RATE, RATE_RANGE, TEXT,
};
use super::settings::ON_ERROR;
use super::{Case, Group, Key, Kind, Object, Tagged, at_most_one, key};

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

/// A pause: fixed, even between two bounds, or of a distribution.
pub(super) static PAUSE_VALUE: Kind = Kind::OneOf(&[&PAUSE, &PAUSE_DISTRIBUTION]);
static PAUSE_DISTRIBUTION: Kind = Kind::Tagged(&Tagged {
    id: "pause",
    cases: &[
        Case {
            tags: &["uniform"],
            object: &UNIFORM,
        },
        Case {
            tags: &["normal"],
            object: &NORMAL,
        },
        Case {
            tags: &["exponential"],
            object: &EXPONENTIAL,
        },
        Case {
            tags: &["poisson"],
            object: &POISSON,
        },
        Case {
            tags: &["ms"],
            object: &MILLISECONDS,
        },
    ],
});
static TWO_DURATIONS: Kind = Kind::List(&DURATION);
static UNIFORM: Object = Object {
    id: "pause-uniform",
    keys: &[&[key("uniform", &TWO_DURATIONS, "pause-uniform").required()]],
    groups: &[],
};
static NORMAL: Object = Object {
    id: "pause-normal",
    keys: &[&[key("normal", &TWO_DURATIONS, "pause-normal").required()]],
    groups: &[],
};
static EXPONENTIAL: Object = Object {
    id: "pause-exponential",
    keys: &[&[key("exponential", &DURATION, "pause-exponential").required()]],
    groups: &[],
};
static MILLISECONDS: Object = Object {
    id: "pause-ms",
    keys: &[&[key("ms", &TEXT, "pause-ms").required()]],
    groups: &[],
};
static POISSON: Object = Object {
    id: "pause-poisson",
    keys: &[&[
        key("poisson", &DURATION, "pause-poisson").required(),
        key("plus", &DURATION, "pause-plus").default("0"),
    ]],
    groups: &[],
};

//! The plan itself and its scenarios.

use super::grammar::{Case, Key, Kind, Object, Tagged, key};
use super::leaf::{BOOL, COUNT, DURATION, GOAL, LONG_COUNT_OR_ZERO, TEXT};
use super::load::{LOAD, LOAD_GROUPS, RHYTHM};
use super::outputs::OUTPUTS;
use super::scope::SCOPE;
use super::settings::SETTINGS;
use super::steps::STEPS;
use super::watch::WATCH;

/// A plan. Groups of its own are checked by the decoder, which knows whether the plan has
/// one scenario or several.
pub(crate) static PLAN: Object = Object {
    id: "plan",
    keys: &[
        ABOUT,
        ORDER,
        LOAD,
        RHYTHM,
        SCOPE,
        SETTINGS,
        STEPS_OF_PLAN,
        RESULT,
    ],
    groups: LOAD_GROUPS,
};

static ABOUT: &[Key] = &[
    key("name", &TEXT, "name"),
    key("description", &TEXT, "description"),
    key("hosts", &HOSTS, "hosts"),
    key(
        "undefined",
        &Kind::Word(&["reject", "keep-literal"]),
        "undefined",
    )
    .default("reject"),
    key("seed", &LONG_COUNT_OR_ZERO, "seed"),
];
static HOSTS: Kind = Kind::List(&TEXT);

static ORDER: &[Key] = &[
    key("scenarios", &SCENARIOS, "scenarios"),
    key("order", &Kind::Word(&["together", "in-order"]), "order").default("together"),
    key("users-keep-scenario", &BOOL, "users-keep-scenario").default("false"),
    key("setup", &SETUP, "setup"),
    key("teardown", &SETUP, "teardown"),
    key("skip-teardown-when-stopped", &BOOL, "skip-teardown").default("false"),
    key("functional", &BOOL, "functional").default("false"),
];
static STEPS_OF_PLAN: &[Key] = &[key("steps", &STEPS, "steps")];

static SCENARIOS: Kind = Kind::Map(&SCENARIO);
static SCENARIO: Kind = Kind::Object(&Object {
    id: "scenario",
    keys: &[
        &[
            key("name", &TEXT, "scenario-name"),
            key("weight", &COUNT, "weight").default("1"),
        ],
        LOAD,
        RHYTHM,
        SCOPE,
        SETTINGS,
        &[key("steps", &STEPS, "steps").required()],
    ],
    groups: LOAD_GROUPS,
});
static SETUP: Kind = Kind::OneOf(&[&STEPS, &SCENARIOS]);

static RESULT: &[Key] = &[
    key("warm-up", &DURATION, "warm-up").default("0"),
    key("goals", &GOALS, "goals"),
    key("guards", &GUARDS, "guards"),
    key("watch", &WATCH, "watch"),
    key("hops", &HOPS, "hops"),
    key("outputs", &OUTPUTS, "outputs"),
];
static HOPS: Kind = Kind::Map(&TEXT);
static GOALS: Kind = Kind::OneOf(&[&GOAL, &GOAL_LIST]);
static GOAL_LIST: Kind = Kind::List(&GOAL_ITEM);
static GOAL_ITEM: Kind = Kind::OneOf(&[&GOAL, &GOAL_OBJECT]);
static GOAL_OBJECT: Kind = Kind::Object(&Object {
    id: "goal",
    keys: &[&[
        key("goal", &GOAL, "goal").required(),
        key("abort-after", &DURATION, "abort-after"),
    ]],
    groups: &[],
});
static GUARDS: Kind = Kind::List(&GUARD_ITEM);
static GUARD_ITEM: Kind = Kind::OneOf(&[&GOAL, &GUARD_OBJECT]);
static GUARD_OBJECT: Kind = Kind::Tagged(&Tagged {
    id: "guard",
    cases: &[
        Case {
            tags: &["goal"],
            object: &GOAL_GUARD,
        },
        Case {
            tags: &["send-lateness"],
            object: &LATENESS_GUARD,
        },
    ],
});
static GOAL_GUARD: Object = Object {
    id: "goal-guard",
    keys: &[&[
        key("goal", &GOAL, "guard-goal").required(),
        key("for", &DURATION, "guard-for").default("10s"),
    ]],
    groups: &[],
};
static LATENESS_GUARD: Object = Object {
    id: "lateness-guard",
    keys: &[&[
        key("send-lateness", &DURATION, "send-lateness").required(),
        key("for", &DURATION, "guard-for").default("10s"),
    ]],
    groups: &[],
};

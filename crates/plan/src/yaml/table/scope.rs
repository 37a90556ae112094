//! What holds for the requests of a plan, a scenario or a block of steps, and what is done before
//! and after each.

use super::element::{ELEMENT_ITEM, ELEMENT_LIST};
use super::grammar::{Case, Key, Kind, Object, Tagged, key};
use super::leaf::{
    BOOL, COUNT_OR_ZERO, DIGITS, DURATION, INTEGER, NAME, ONE_CHARACTER, PATH, SCRIPT, TEMPLATE,
    TEXT, URL, VARIABLE,
};
use super::pause::PAUSE_VALUE;
use super::responses::{CHECKS, SAVES};
use super::texts::TEXTS;

/// What holds for every request below.
pub(super) static SCOPE: &[Key] = &[
    key("target", &URL, "target"),
    key("headers", &TEXTS, "headers"),
    key("variables", &VARIABLES, "variables"),
    key("data", &DATA_LIST, "data"),
    key("counters", &COUNTERS, "counters"),
    key("think", &PAUSE_VALUE, "think-scope"),
    key("pauses", &PAUSES, "pauses"),
    key("before", &BEFORE, "before"),
    key("save", &SAVES, "save-scope"),
    key("after", &AFTER, "after"),
    key("check", &CHECKS, "check-scope"),
    key("elements", &ELEMENT_LIST, "element-scope"),
    key("on-pass", &ELEMENT_LIST, "on-pass"),
];

/// Variables: a text, or more than that.
pub(super) static VARIABLES: Kind = Kind::Map(&VARIABLE_VALUE);
static VARIABLE_VALUE: Kind = Kind::OneOf(&[
    &TEXT,
    &Kind::Object(&Object {
        id: "variable",
        keys: &[&[
            key("default", &TEXT, "variable-default"),
            key("env", &TEXT, "variable-env"),
            key("secret", &BOOL, "variable-secret").default("false"),
            key("once-per-run", &BOOL, "variable-once-per-run").default("false"),
        ]],
        groups: &[],
    }),
]);

static SHARED_BY: Kind = Kind::Word(&["user", "scenario", "all"]);

static DATA_LIST: Kind = Kind::OneOf(&[&PATH, &DATA_OBJECT, &DATA_ITEMS]);
static DATA_ITEM: Kind = Kind::OneOf(&[&PATH, &DATA_OBJECT]);
static DATA_ITEMS: Kind = Kind::List(&DATA_ITEM);
static DATA_OBJECT: Kind = Kind::Object(&DATA);
static DATA: Object = Object {
    id: "data",
    keys: &[&[
        key("csv", &TEXT, "data-csv").required(),
        key("columns", &VARIABLE_NAMES, "data-columns"),
        key("header", &BOOL, "data-header"),
        key("delimiter", &ONE_CHARACTER, "data-delimiter").default(","),
        key("encoding", &TEXT, "data-encoding").default("utf-8"),
        key(
            "order",
            &Kind::Word(&["sequential", "random", "unique"]),
            "data-order",
        )
        .default("sequential"),
        key(
            "at-end",
            &Kind::Word(&["recycle", "stop", "marker"]),
            "data-at-end",
        )
        .default("recycle"),
        key("shared-by", &SHARED_BY, "shared-by").default("all"),
        key("name", &TEXT, "data-name"),
        key("group", &TEXT, "data-group"),
        key("quoted", &BOOL, "data-quoted").default("true"),
    ]],
    groups: &[],
};
static VARIABLE_NAMES: Kind = Kind::List(&VARIABLE);

static COUNTERS: Kind = Kind::Map(&COUNTER_VALUE);
static COUNTER_VALUE: Kind = Kind::OneOf(&[
    &INTEGER,
    &Kind::Object(&Object {
        id: "counter",
        keys: &[&[
            key("start", &INTEGER, "counter-start").default("1"),
            key("step", &INTEGER, "counter-step").default("1"),
            key("end", &INTEGER, "counter-end"),
            key("digits", &DIGITS, "counter-digits").default("0"),
            key("format", &TEXT, "counter-format"),
            key("reset-each-iteration", &BOOL, "counter-reset").default("false"),
            key("shared-by", &SHARED_BY, "shared-by").default("all"),
        ]],
        groups: &[],
    }),
]);

static PAUSES: Kind = Kind::List(&PAUSE_ITEM);
static PAUSE_ITEM: Kind = Kind::Tagged(&Tagged {
    id: "pause-item",
    cases: &[
        Case {
            tags: &["think"],
            object: &THINK_ITEM,
        },
        Case {
            tags: &["rendezvous"],
            object: &RENDEZVOUS_ITEM,
        },
        Case {
            tags: &["throughput"],
            object: &THROUGHPUT_ITEM,
        },
        Case {
            tags: &["element"],
            object: &ELEMENT_ITEM,
        },
    ],
});
static THINK_ITEM: Object = Object {
    id: "think-item",
    keys: &[&[key("think", &PAUSE_VALUE, "think").required()]],
    groups: &[],
};
static RENDEZVOUS_ITEM: Object = Object {
    id: "rendezvous-item",
    keys: &[&[key("rendezvous", &RENDEZVOUS, "rendezvous").required()]],
    groups: &[],
};
static THROUGHPUT_ITEM: Object = Object {
    id: "throughput-item",
    keys: &[&[
        key("throughput", &TEMPLATE, "throughput").required(),
        key("shared-by", &SHARED_BY, "shared-by").default("all"),
    ]],
    groups: &[],
};

/// A rendezvous: its name, or more than that.
pub(super) static RENDEZVOUS: Kind = Kind::OneOf(&[
    &NAME,
    &Kind::Object(&Object {
        id: "rendezvous-value",
        keys: &[&[
            key("name", &TEXT, "rendezvous-name").required(),
            key("users", &COUNT_OR_ZERO, "rendezvous-users").default("0"),
            key("timeout", &DURATION, "rendezvous-timeout"),
        ]],
        groups: &[],
    }),
]);

/// What may be done before a request.
pub(super) static BEFORE: Kind = Kind::List(&BEFORE_ITEM);
static BEFORE_ITEM: Kind = Kind::Tagged(&Tagged {
    id: "before-item",
    cases: &[
        Case {
            tags: &["js"],
            object: &JS_ITEM,
        },
        Case {
            tags: &["set"],
            object: &SET_ITEM,
        },
        Case {
            tags: &["element"],
            object: &ELEMENT_ITEM,
        },
    ],
});

/// What may be done after a request, before its checks.
pub(super) static AFTER: Kind = Kind::List(&AFTER_ITEM);
static AFTER_ITEM: Kind = Kind::Tagged(&Tagged {
    id: "after-item",
    cases: &[
        Case {
            tags: &["js"],
            object: &JS_ITEM,
        },
        Case {
            tags: &["set"],
            object: &SET_ITEM,
        },
        Case {
            tags: &["save"],
            object: &SAVE_ITEM,
        },
        Case {
            tags: &["on-error"],
            object: &ON_ERROR_ITEM,
        },
        Case {
            tags: &["element"],
            object: &ELEMENT_ITEM,
        },
    ],
});
static JS_ITEM: Object = Object {
    id: "js-item",
    keys: &[&[key("js", &SCRIPT, "js").required()]],
    groups: &[],
};
static SET_ITEM: Object = Object {
    id: "set-item",
    keys: &[&[key("set", &SET_VALUES, "set").required()]],
    groups: &[],
};
static SAVE_ITEM: Object = Object {
    id: "save-item",
    keys: &[&[key("save", &SAVES, "save").required()]],
    groups: &[],
};
static ON_ERROR_ITEM: Object = Object {
    id: "on-error-item",
    keys: &[&[key("on-error", &ON_ERROR, "on-error").required()]],
    groups: &[],
};

/// Variables to set.
pub(super) static SET_VALUES: Kind = Kind::Map(&VARIABLE_VALUE);

/// What a failed sample does.
pub(super) static ON_ERROR: Kind = Kind::Word(&[
    "continue",
    "next-pass",
    "leave-loop",
    "next-iteration",
    "stop-user",
    "stop-scenario",
    "stop-run",
    "stop-run-now",
]);

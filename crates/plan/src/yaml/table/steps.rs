//! The steps.

use super::conditions::CONDITION;
use super::element::ELEMENT;
use super::grammar::{Case, Group, Key, Kind, Object, Tagged, at_most_one, exactly_one, key};
use super::leaf::{
    BOOL, COUNT_OR_ZERO, LONG_COUNT, NAME, PATH, PERCENT, SCRIPT, SECONDS, TEMPLATE, TEXT, TIMES,
    URL, VARIABLE,
};
use super::pause::PAUSE_VALUE;
use super::responses::{CHECKS, SAVES};
use super::scope::{AFTER, BEFORE, ON_ERROR, RENDEZVOUS, SCOPE, SET_VALUES};
use super::settings::SETTINGS;
use super::texts::TEXTS;

/// Keys that send a request, each the method it names.
pub(crate) const METHODS: &[&str] = &[
    "get", "head", "post", "put", "patch", "delete", "options", "trace",
];

/// Steps in order.
pub(super) static STEPS: Kind = Kind::List(&STEP);

macro_rules! steps {
    ($($tags:expr => $object:ident;)*) => {
        static STEP: Kind = Kind::Tagged(&STEP_CASES);
        /// The kinds of steps.
        pub(crate) static STEP_CASES: Tagged = Tagged {
            id: "step",
            cases: &[$(Case { tags: $tags, object: &$object }),*],
        };
    };
}
steps! {
    &["get", "head", "post", "put", "patch", "delete", "options", "trace", "request"] => REQUEST;
    &["transaction"] => TRANSACTION;
    &["group"] => GROUP;
    &["if"] => IF;
    &["while"] => WHILE;
    &["repeat"] => REPEAT;
    &["run-for"] => RUN_FOR;
    &["for-each"] => FOR_EACH;
    &["choose"] => CHOOSE;
    &["random-order"] => RANDOM_ORDER;
    &["percent"] => PERCENT_STEP;
    &["once"] => ONCE;
    &["first-pass"] => FIRST_PASS;
    &["first-times"] => FIRST_TIMES;
    &["sample"] => SAMPLE;
    &["critical"] => CRITICAL;
    &["think"] => THINK;
    &["rendezvous"] => RENDEZVOUS_STEP;
    &["set"] => SET;
    &["js"] => JS;
    &["action"] => ACTION;
}

/// Every step can be switched off.
static COMMON: &[Key] = &[key("enabled", &BOOL, "enabled").default("true")];

/// Blocks may have a rule of their own for failures.
static RULE: &[Key] = &[key("on-error", &ON_ERROR, "on-error-block")];

/// The steps inside, and what holds for them.
static BODY: &[Key] = &[key("steps", &STEPS, "inner-steps").required()];

static REQUEST: Object = Object {
    id: "request",
    keys: &[REQUEST_LINE, REQUEST_PARTS, SETTINGS, COMMON],
    groups: REQUEST_GROUPS,
};
static REQUEST_GROUPS: &[Group] = &[
    exactly_one(&[
        "get", "head", "post", "put", "patch", "delete", "options", "trace", "request",
    ]),
    BODY_GROUP,
];
const BODY_GROUP: Group = at_most_one(&["body", "json", "form", "multipart", "file"]);
static REQUEST_LINE: &[Key] = &[
    key("get", &TEXT, "method"),
    key("head", &TEXT, "method"),
    key("post", &TEXT, "method"),
    key("put", &TEXT, "method"),
    key("patch", &TEXT, "method"),
    key("delete", &TEXT, "method"),
    key("options", &TEXT, "method"),
    key("trace", &TEXT, "method"),
    key("request", &REQUEST_VALUE, "request"),
];
static REQUEST_VALUE: Kind = Kind::Object(&Object {
    id: "request-line",
    keys: &[&[
        key("method", &TEXT, "request-method").required(),
        key("url", &TEXT, "request-url").required(),
    ]],
    groups: &[],
});
static REQUEST_PARTS: &[Key] = &[
    key("label", &TEXT, "label"),
    key("target", &URL, "target"),
    key("query", &TEXTS, "query"),
    key("headers", &TEXTS, "headers"),
    key("body", &TEXT, "body"),
    key("json", &Kind::Any, "json"),
    key("form", &TEXTS, "form"),
    key("multipart", &MULTIPART, "multipart"),
    key("file", &PATH, "file"),
    key("content-type", &TEXT, "content-type"),
    key("think", &PAUSE_VALUE, "think-request"),
    key("before", &BEFORE, "before-request"),
    key("save", &SAVES, "save"),
    key("after", &AFTER, "after-request"),
    key("check", &CHECKS, "check"),
    key("any-status", &BOOL, "any-status").default("false"),
    key("discard", &BOOL, "discard").default("false"),
    key("on-error", &ON_ERROR, "on-error-request"),
];
static MULTIPART: Kind = Kind::Map(&PART);
static PART: Kind = Kind::OneOf(&[&TEXT, &PART_OBJECT]);
static PART_OBJECT: Kind = Kind::Tagged(&Tagged {
    id: "part",
    cases: &[
        Case {
            tags: &["file"],
            object: &FILE_PART,
        },
        Case {
            tags: &["text"],
            object: &TEXT_PART,
        },
    ],
});
static FILE_PART: Object = Object {
    id: "file-part",
    keys: &[&[
        key("file", &PATH, "part-file").required(),
        key("file-name", &TEXT, "part-file-name"),
        key("content-type", &TEXT, "part-content-type"),
    ]],
    groups: &[],
};
static TEXT_PART: Object = Object {
    id: "text-part",
    keys: &[&[
        key("text", &TEXT, "part-text").required(),
        key("content-type", &TEXT, "part-content-type"),
    ]],
    groups: &[],
};

static TRANSACTION: Object = Object {
    id: "transaction",
    keys: &[
        &[
            key("transaction", &TEXT, "transaction").required(),
            key("include-pauses", &BOOL, "include-pauses").default("false"),
            key("as-parent", &BOOL, "as-parent").default("false"),
        ],
        BODY,
        SCOPE,
        SETTINGS,
        RULE,
        COMMON,
    ],
    groups: &[],
};
static GROUP: Object = Object {
    id: "group",
    keys: &[
        &[key("group", &STEPS, "group").required()],
        SCOPE,
        SETTINGS,
        RULE,
        COMMON,
    ],
    groups: &[],
};
static IF: Object = Object {
    id: "if",
    keys: &[
        &[
            key("if", &CONDITION, "if").required(),
            key("then", &STEPS, "then").required(),
            key("else", &STEPS, "else"),
        ],
        COMMON,
    ],
    groups: &[],
};
static WHILE: Object = Object {
    id: "while",
    keys: &[
        &[
            key("while", &CONDITION, "while").required(),
            key("at-most", &LONG_COUNT, "while-at-most"),
            key("index", &VARIABLE, "index"),
        ],
        BODY,
        SCOPE,
        SETTINGS,
        RULE,
        COMMON,
    ],
    groups: &[],
};
static REPEAT: Object = Object {
    id: "repeat",
    keys: &[
        &[
            key("repeat", &TIMES, "repeat").required(),
            key("index", &VARIABLE, "index"),
        ],
        BODY,
        SCOPE,
        SETTINGS,
        RULE,
        COMMON,
    ],
    groups: &[],
};
static RUN_FOR: Object = Object {
    id: "run-for",
    keys: &[
        &[key("run-for", &SECONDS, "run-for").required()],
        BODY,
        SCOPE,
        SETTINGS,
        RULE,
        COMMON,
    ],
    groups: &[],
};
static FOR_EACH: Object = Object {
    id: "for-each",
    keys: &[
        &[
            key("for-each", &VARIABLE, "for-each").required(),
            key("in", &LIST_OF_TEXTS, "for-each-in"),
            key("in-json", &TEMPLATE, "for-each-in-json"),
            key("in-matches", &MATCHES, "for-each-in-matches"),
            key("index", &VARIABLE, "index"),
        ],
        BODY,
        SCOPE,
        SETTINGS,
        RULE,
        COMMON,
    ],
    groups: &[exactly_one(&["in", "in-json", "in-matches"])],
};
static LIST_OF_TEXTS: Kind = Kind::List(&TEXT);
static MATCHES: Kind = Kind::OneOf(&[&NAME, &MATCHES_OBJECT]);
static MATCHES_OBJECT: Kind = Kind::Object(&Object {
    id: "matches",
    keys: &[&[
        key("prefix", &NAME, "matches-prefix").required(),
        key("separator", &BOOL, "matches-separator").default("true"),
        key("after", &TEMPLATE, "matches-after"),
        key("until", &TEMPLATE, "matches-until"),
    ]],
    groups: &[],
});
static CHOOSE: Object = Object {
    id: "choose",
    keys: &[
        &[
            key("choose", &CHOOSE_BY, "choose").required(),
            key("branches", &BRANCHES, "branches").required(),
        ],
        COMMON,
    ],
    groups: &[],
};
static CHOOSE_BY: Kind = Kind::OneOf(&[&CHOOSE_WORD, &CHOOSE_SWITCH]);
static CHOOSE_WORD: Kind = Kind::Word(&[
    "random",
    "by-users",
    "by-iterations",
    "in-turn",
    "in-turn-of-scenario",
    "in-turn-of-all",
    "in-turn-from-user",
    "in-turn-by-request-from-user",
    "random-by-request",
    "in-turn-by-request",
    "in-turn-by-request-of-scenario",
    "in-turn-by-request-of-all",
]);
static CHOOSE_SWITCH: Kind = Kind::Object(&Object {
    id: "switch",
    keys: &[&[key("value", &TEMPLATE, "switch-value").required()]],
    groups: &[],
});
static BRANCHES: Kind = Kind::List(&BRANCH);
static BRANCH: Kind = Kind::Object(&Object {
    id: "branch",
    keys: &[
        &[
            key("weight", &COUNT_OR_ZERO, "branch-weight").default("1"),
            key("value", &TEXT, "branch-value"),
        ],
        BODY,
        SCOPE,
        SETTINGS,
        RULE,
    ],
    groups: &[],
});
static RANDOM_ORDER: Object = Object {
    id: "random-order",
    keys: &[
        &[key("random-order", &STEPS, "random-order").required()],
        SCOPE,
        SETTINGS,
        RULE,
        COMMON,
    ],
    groups: &[],
};
static PERCENT_STEP: Object = Object {
    id: "percent",
    keys: &[
        &[
            key("percent", &PERCENT, "percent").required(),
            key(
                "shared-by",
                &Kind::Word(&["user", "scenario", "all"]),
                "shared-by",
            )
            .default("all"),
        ],
        BODY,
        SCOPE,
        SETTINGS,
        RULE,
        COMMON,
    ],
    groups: &[],
};
static ONCE: Object = Object {
    id: "once",
    keys: &[
        &[key("once", &STEPS, "once").required()],
        SCOPE,
        SETTINGS,
        RULE,
        COMMON,
    ],
    groups: &[],
};
static CRITICAL: Object = Object {
    id: "critical",
    keys: &[
        &[key("critical", &TEXT, "critical").required()],
        BODY,
        SCOPE,
        SETTINGS,
        RULE,
        COMMON,
    ],
    groups: &[],
};
static THINK: Object = Object {
    id: "think",
    keys: &[&[key("think", &PAUSE_VALUE, "think").required()], COMMON],
    groups: &[],
};
static RENDEZVOUS_STEP: Object = Object {
    id: "rendezvous",
    keys: &[
        &[key("rendezvous", &RENDEZVOUS, "rendezvous").required()],
        COMMON,
    ],
    groups: &[],
};
static SET: Object = Object {
    id: "set",
    keys: &[&[key("set", &SET_VALUES, "set").required()], COMMON],
    groups: &[],
};
static JS: Object = Object {
    id: "js",
    keys: &[&[key("js", &SCRIPT, "js").required()], COMMON],
    groups: &[],
};
static ACTION: Object = Object {
    id: "action",
    keys: &[
        &[key("action", &Kind::Word(ACTIONS), "action").required()],
        COMMON,
    ],
    groups: &[],
};
static ACTIONS: &[&str] = &[
    "next-pass",
    "leave-loop",
    "next-iteration",
    "stop-user",
    "stop-scenario",
    "stop-run",
    "stop-run-now",
];

static FIRST_PASS: Object = Object {
    id: "first-pass",
    keys: &[
        &[key("first-pass", &STEPS, "first-pass").required()],
        SCOPE,
        SETTINGS,
        RULE,
        COMMON,
    ],
    groups: &[],
};
static FIRST_TIMES: Object = Object {
    id: "first-times",
    keys: &[
        &[
            key("first-times", &TIMES, "first-times").required(),
            key(
                "shared-by",
                &Kind::Word(&["user", "scenario", "all"]),
                "shared-by",
            )
            .default("all"),
        ],
        BODY,
        SCOPE,
        SETTINGS,
        RULE,
        COMMON,
    ],
    groups: &[],
};
static SAMPLE: Object = Object {
    id: "sample",
    keys: &[
        &[
            key("sample", &TEXT, "sample").required(),
            key("js", &SCRIPT, "sample-js"),
            key("flow", &FLOW, "sample-flow"),
            key("element", &ELEMENT, "element"),
            key("before", &BEFORE, "before-request"),
            key("after", &AFTER, "after-request"),
            key("check", &CHECKS, "check"),
        ],
        COMMON,
    ],
    groups: &[exactly_one(&["js", "flow", "element"])],
};
static FLOW: Kind = Kind::Object(&Object {
    id: "flow",
    keys: &[&[
        key("pause-ms", &TEMPLATE, "flow-pause"),
        key("action", &Kind::Word(ACTIONS), "action"),
    ]],
    groups: &[],
});

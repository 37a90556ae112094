//! What is taken from responses and what is checked.

use super::grammar::{Case, Key, Kind, Object, Tagged, key};
use super::leaf::{BOOL, COMPARED_SIZE, COMPARED_TIME, COUNT_OR_ZERO, SCRIPT, STATUS, TEXT, WHICH};
use super::texts::ONE_OR_MORE;

/// Variables with how their values are found.
pub(super) static SAVES: Kind = Kind::Map(&SAVE);
static SAVE: Kind = Kind::OneOf(&[&super::leaf::EXTRACTOR, &SAVE_OBJECT]);
static SAVE_OBJECT: Kind = Kind::Tagged(&Tagged {
    id: "save",
    cases: &[
        Case {
            tags: &["json"],
            object: &object_save::JSON,
        },
        Case {
            tags: &["regex"],
            object: &object_save::REGEX,
        },
        Case {
            tags: &["css"],
            object: &object_save::CSS,
        },
        Case {
            tags: &["xpath"],
            object: &object_save::XPATH,
        },
        Case {
            tags: &["header"],
            object: &object_save::HEADER,
        },
        Case {
            tags: &["cookie"],
            object: &object_save::COOKIE,
        },
        Case {
            tags: &["boundary"],
            object: &object_save::BOUNDARY,
        },
        Case {
            tags: &["part"],
            object: &object_save::PART,
        },
    ],
});

static WHICH_KEYS: &[Key] = &[
    key("which", &WHICH, "which").default("1"),
    key("default", &TEXT, "save-default"),
];

static JSON: &[Key] = &[key("json", &TEXT, "extract-json").required()];
static REGEX: &[Key] = &[
    key("regex", &TEXT, "extract-regex").required(),
    key("group", &COUNT_OR_ZERO, "extract-group").default("1"),
    key("in", &Kind::Word(&["body", "headers"]), "extract-in").default("body"),
];
static CSS: &[Key] = &[
    key("css", &TEXT, "extract-css").required(),
    key("attribute", &TEXT, "extract-attribute"),
];
static XPATH: &[Key] = &[key("xpath", &TEXT, "extract-xpath").required()];
static HEADER: &[Key] = &[key("header", &TEXT, "extract-header").required()];
static COOKIE: &[Key] = &[key("cookie", &TEXT, "extract-cookie").required()];
static BOUNDARY: &[Key] = &[key("boundary", &BOUNDS, "extract-boundary").required()];
static PART: &[Key] = &[key(
    "part",
    &Kind::Word(&["body", "status", "url"]),
    "extract-part",
)
.required()];
static BOUNDS: Kind = Kind::List(&TEXT);

/// The same extractors, to save a value or to check it.
macro_rules! objects {
    ($module:ident, $more:ident; $($name:ident = $id:literal;)*) => {
        mod $module {
            use crate::yaml::table::grammar::{Key, Object};
            static MORE: &[Key] = super::$more;
            $(pub(super) static $name: Object = Object {
                id: $id,
                keys: &[super::$name, MORE],
                groups: &[],
            };)*
        }
    };
}
objects! { object_save, WHICH_KEYS;
    JSON = "save-json"; REGEX = "save-regex"; CSS = "save-css"; XPATH = "save-xpath";
    HEADER = "save-header"; COOKIE = "save-cookie"; BOUNDARY = "save-boundary";
    PART = "save-part";
}
objects! { object_check, TEST_KEYS;
    JSON = "check-json"; REGEX = "check-regex"; CSS = "check-css"; XPATH = "check-xpath";
    HEADER = "check-header"; COOKIE = "check-cookie"; BOUNDARY = "check-boundary";
    PART = "check-part";
}

/// Checks: a mapping of what must hold, or a list of such.
pub(super) static CHECKS: Kind = Kind::OneOf(&[&CHECK, &CHECK_LIST]);
static CHECK_LIST: Kind = Kind::List(&CHECK);
static CHECK: Kind = Kind::Object(&Object {
    id: "check",
    keys: &[&[
        key("status", &STATUSES, "check-status"),
        key("text", &ONE_OR_MORE, "check-text"),
        key("not-text", &ONE_OR_MORE, "check-not-text"),
        key("json", &TESTS, "check-json"),
        key("header", &TESTS, "check-header"),
        key("cookie", &TESTS, "check-cookie"),
        key("regex", &TESTS, "check-regex"),
        key("css", &TESTS, "check-css"),
        key("xpath", &TESTS, "check-xpath"),
        key("size", &SIZE_TEST, "check-size"),
        key("time", &TIME_TEST, "check-time"),
        key("js", &SCRIPT, "check-js"),
        key("value", &VALUE_CHECK, "check-value"),
        key("element", &super::element::ELEMENT, "element"),
    ]],
    groups: &[],
});
static STATUSES: Kind = Kind::OneOf(&[&STATUS, &STATUS_LIST]);
static STATUS_LIST: Kind = Kind::List(&STATUS);
static TESTS: Kind = Kind::Map(&TEST);

/// A text that the value must equal, or what it must be.
static TEST: Kind = Kind::OneOf(&[&TEXT, &TEST_OBJECT]);
static TEST_OBJECT: Kind = Kind::Object(&Object {
    id: "test",
    keys: &[TEST_KEYS],
    groups: &[],
});
static TEST_KEYS: &[Key] = &[
    key("equals", &TEXT, "test-equals"),
    key("not-equals", &TEXT, "test-not-equals"),
    key("contains", &TEXT, "test-contains"),
    key("not-contains", &TEXT, "test-not-contains"),
    key("matches", &TEXT, "test-matches"),
    key("not-matches", &TEXT, "test-not-matches"),
    key("less-than", &TEXT, "test-less-than"),
    key("at-most", &TEXT, "test-at-most"),
    key("greater-than", &TEXT, "test-greater-than"),
    key("at-least", &TEXT, "test-at-least"),
    key("exists", &BOOL, "test-exists"),
    key("count", &COUNT_TEST, "test-count"),
    key("not", &TEST_OBJECT, "test-not"),
];

static COUNT_TEST: Kind = Kind::OneOf(&[&COUNT_OR_ZERO, &COUNT_BOUNDS]);
static COUNT_BOUNDS: Kind = Kind::Object(&Object {
    id: "count-test",
    keys: &[&[
        key("at-least", &COUNT_OR_ZERO, "test-at-least"),
        key("at-most", &COUNT_OR_ZERO, "test-at-most"),
    ]],
    groups: &[],
});

static SIZE_TEST: Kind = Kind::OneOf(&[&COMPARED_SIZE, &SIZE_BOUNDS]);
static SIZE_BOUNDS: Kind = Kind::Object(&Object {
    id: "size-test",
    keys: &[&[
        key("at-least", &super::leaf::SIZE, "test-at-least"),
        key("at-most", &super::leaf::SIZE, "test-at-most"),
    ]],
    groups: &[],
});
static TIME_TEST: Kind = Kind::OneOf(&[&COMPARED_TIME, &TIME_BOUNDS]);
static TIME_BOUNDS: Kind = Kind::Object(&Object {
    id: "time-test",
    keys: &[&[
        key("at-least", &super::leaf::DURATION, "test-at-least"),
        key("at-most", &super::leaf::DURATION, "test-at-most"),
    ]],
    groups: &[],
});

/// The long form: an extractor and what its value must be.
static VALUE_CHECK: Kind = Kind::Tagged(&Tagged {
    id: "value-check",
    cases: &[
        Case {
            tags: &["json"],
            object: &object_check::JSON,
        },
        Case {
            tags: &["regex"],
            object: &object_check::REGEX,
        },
        Case {
            tags: &["css"],
            object: &object_check::CSS,
        },
        Case {
            tags: &["xpath"],
            object: &object_check::XPATH,
        },
        Case {
            tags: &["header"],
            object: &object_check::HEADER,
        },
        Case {
            tags: &["cookie"],
            object: &object_check::COOKIE,
        },
        Case {
            tags: &["boundary"],
            object: &object_check::BOUNDARY,
        },
        Case {
            tags: &["part"],
            object: &object_check::PART,
        },
    ],
});

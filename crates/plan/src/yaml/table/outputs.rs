//! Who hears the run while it goes on.

use super::grammar::{Case, Key, Kind, Object, Tagged, key};
use super::leaf::TEXT;

/// One output or several.
pub(super) static OUTPUTS: Kind = Kind::OneOf(&[&OUTPUT_LIST, &OUTPUT]);
static OUTPUT_LIST: Kind = Kind::List(&OUTPUT);

static OUTPUT: Kind = Kind::Tagged(&Tagged {
    id: "output",
    cases: &[
        Case {
            tags: &["influxdb"],
            object: &INFLUXDB,
        },
        Case {
            tags: &["jsonl"],
            object: &JSON_LINES,
        },
        Case {
            tags: &["otlp"],
            object: &OTLP,
        },
        Case {
            tags: &["prometheus"],
            object: &PROMETHEUS,
        },
    ],
});

const fn object(id: &'static str, keys: &'static [&'static [Key]]) -> Object {
    Object {
        id,
        keys,
        groups: &[],
    }
}

static TAG_MAP: Kind = Kind::Map(&TEXT);
/// Of every output.
static COMMON: &[Key] = &[key("tags", &TAG_MAP, "output-tags")];
/// Of receivers that are posted to.
static RECEIVER: &[Key] = &[
    key("token-env", &TEXT, "watch-token-env"),
    key("user", &TEXT, "watch-user"),
    key("password-env", &TEXT, "watch-password-env"),
    key("ca-file", &TEXT, "watch-ca"),
];

static INFLUXDB: Object = object(
    "output-influxdb",
    &[
        &[key("influxdb", &TEXT, "output-influxdb").required()],
        RECEIVER,
        COMMON,
    ],
);
static JSON_LINES: Object = object(
    "output-jsonl",
    &[&[key("jsonl", &TEXT, "output-jsonl").required()], COMMON],
);
static OTLP: Object = object(
    "output-otlp",
    &[
        &[key("otlp", &TEXT, "output-otlp").required()],
        RECEIVER,
        COMMON,
    ],
);
static PROMETHEUS: Object = object(
    "output-prometheus",
    &[
        &[key("prometheus", &TEXT, "output-prometheus").required()],
        RECEIVER,
        COMMON,
    ],
);

/// The names of all outputs with the keys that each understands, in the table's order.
#[must_use]
pub fn outputs() -> Vec<(&'static str, Vec<&'static str>)> {
    OUTPUT.cases()
}

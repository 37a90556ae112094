//! Pauses.

use super::grammar::{Case, Kind, Object, Tagged, key};
use super::leaf::{DURATION, PAUSE, TEXT};

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

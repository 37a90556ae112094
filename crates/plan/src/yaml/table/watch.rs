//! What is watched while the load runs.

use super::grammar::{Case, Key, Kind, Object, Tagged, key};
use super::leaf::{BOOL, TEXT};

/// One source or several; `auto` and `host` need nothing more.
pub(super) static WATCH: Kind = Kind::OneOf(&[&WORD, &WATCH_LIST, &SOURCE]);
static WATCH_LIST: Kind = Kind::List(&ITEM);
static ITEM: Kind = Kind::OneOf(&[&WORD, &SOURCE]);
static WORD: Kind = Kind::Word(&["auto", "host"]);

static SOURCE: Kind = Kind::Tagged(&Tagged {
    id: "watch-source",
    cases: &[
        case(&["auto"], &AUTO),
        case(&["host"], &HOST),
        case(&["process"], &PROCESS),
        case(&["jvm"], &JVM),
        case(&["gc-log"], &GC_LOG),
        case(&["actuator"], &ACTUATOR),
        case(&["jolokia"], &JOLOKIA),
        case(&["prometheus"], &PROMETHEUS),
        case(&["nginx"], &NGINX),
        case(&["mysql"], &MYSQL),
        case(&["redis"], &REDIS),
        case(&["agent"], &AGENT),
    ],
});

const fn case(tags: &'static [&'static str], object: &'static Object) -> Case {
    Case { tags, object }
}

const fn object(id: &'static str, keys: &'static [&'static [Key]]) -> Object {
    Object {
        id,
        keys,
        groups: &[],
    }
}

/// Of every source.
static COMMON: &[Key] = &[
    key("on", &TEXT, "watch-on"),
    key("allow", &Kind::Word(&["observe", "capture"]), "watch-allow").default("observe"),
];
/// Of sources that are known by a name.
static NAME: &[Key] = &[key("name", &TEXT, "watch-name")];
/// Of endpoints that may have any number of series.
static SERIES: &[Key] = &[key("max-series", &TEXT, "watch-max-series")];
/// Of sources that one logs in to.
static LOGIN: &[Key] = &[
    key("user", &TEXT, "watch-user"),
    key("password-env", &TEXT, "watch-password-env"),
    key("password-file", &TEXT, "watch-password-file"),
];
/// Of sources that take a token.
static TOKEN: &[Key] = &[
    key("token-env", &TEXT, "watch-token-env"),
    key("token-file", &TEXT, "watch-token-file"),
];
/// Of sources behind TLS.
static TLS: &[Key] = &[
    key("ca-file", &TEXT, "watch-ca"),
    key("insecure", &BOOL, "watch-insecure").default("false"),
];

static AUTO: Object = object(
    "watch-auto",
    &[&[key("auto", &TEXT, "watch-auto").required()], COMMON],
);
static HOST: Object = object(
    "watch-host",
    &[&[key("host", &TEXT, "watch-host").required()], COMMON],
);
static PROCESS: Object = object(
    "watch-process",
    &[&[key("process", &TEXT, "watch-process").required()], COMMON],
);
static JVM: Object = object(
    "watch-jvm",
    &[
        &[
            key("jvm", &TEXT, "watch-jvm").required(),
            key("jfr", &Kind::Word(&["running", "start"]), "watch-jfr").default("running"),
            key("profiler", &TEXT, "watch-profiler"),
        ],
        COMMON,
    ],
);
static GC_LOG: Object = object(
    "watch-gc-log",
    &[&[key("gc-log", &TEXT, "watch-gc-log").required()], COMMON],
);
static ACTUATOR: Object = object(
    "watch-actuator",
    &[
        &[key("actuator", &TEXT, "watch-actuator").required()],
        COMMON,
        NAME,
        SERIES,
        LOGIN,
        TOKEN,
        TLS,
    ],
);
static JOLOKIA: Object = object(
    "watch-jolokia",
    &[
        &[key("jolokia", &TEXT, "watch-jolokia").required()],
        COMMON,
        NAME,
        LOGIN,
        TOKEN,
        TLS,
    ],
);
static PROMETHEUS: Object = object(
    "watch-prometheus",
    &[
        &[key("prometheus", &TEXT, "watch-prometheus").required()],
        COMMON,
        NAME,
        SERIES,
        LOGIN,
        TOKEN,
        TLS,
    ],
);
static NGINX: Object = object(
    "watch-nginx",
    &[
        &[
            key("nginx", &TEXT, "watch-nginx").required(),
            key("access-log", &TEXT, "watch-access-log"),
            key("error-log", &TEXT, "watch-error-log"),
            key("log-format", &TEXT, "watch-log-format"),
            key("pid", &TEXT, "watch-pid"),
        ],
        COMMON,
        NAME,
        LOGIN,
        TOKEN,
        TLS,
    ],
);
static MYSQL: Object = object(
    "watch-mysql",
    &[
        &[
            key("mysql", &TEXT, "watch-mysql").required(),
            key("tls", &BOOL, "watch-tls").default("false"),
        ],
        COMMON,
        NAME,
        LOGIN,
        TLS,
    ],
);
static REDIS: Object = object(
    "watch-redis",
    &[
        &[
            key("redis", &TEXT, "watch-redis").required(),
            key("tls", &BOOL, "watch-tls").default("false"),
        ],
        COMMON,
        NAME,
        LOGIN,
        TLS,
    ],
);
static AGENT: Object = object(
    "watch-agent",
    &[
        &[
            key("agent", &TEXT, "watch-agent").required(),
            key("fingerprint", &TEXT, "watch-fingerprint"),
            key("sources", &TEXT, "watch-sources"),
        ],
        COMMON,
        TOKEN,
    ],
);

/// The names of all sources with the keys that each understands, in the table's order.
#[must_use]
pub fn sources() -> Vec<(&'static str, Vec<&'static str>)> {
    SOURCE.cases()
}

//! How requests are sent: what can be set for a plan, a scenario, a block of steps and a request
//! alike.

use super::grammar::{Case, Key, Kind, Object, Tagged, key};
use super::leaf::{BOOL, DURATION, IP, NAME_SERVER, REDIRECT_COUNT, SIZE, TEXT};

/// HTTP settings: the nearest wins, each by itself.
pub(super) static SETTINGS: &[Key] = &[
    key("redirects", &REDIRECTS, "redirects").default("10"),
    key("connect-timeout", &DURATION, "connect-timeout").default("10s"),
    key("timeout", &DURATION, "timeout").default("30s"),
    key("auth", &AUTH, "auth"),
    key(
        "cookies",
        &Kind::Word(&["keep", "clear-each-iteration", "off"]),
        "cookies",
    )
    .default("keep"),
    key("keep-alive", &BOOL, "keep-alive").default("true"),
    key("compression", &BOOL, "compression").default("false"),
    key("share-connections", &BOOL, "share-connections").default("false"),
    key("tls", &TLS, "tls"),
    key("proxy", &TEXT, "proxy"),
    key("source-addresses", &ADDRESSES, "source-addresses"),
    key("dns", &DNS, "dns"),
    key("dns-servers", &NAME_SERVERS, "dns-servers"),
    key("unix-socket", &TEXT, "unix-socket"),
    key("max-body", &SIZE, "max-body").default("64MiB"),
    key("max-head", &SIZE, "max-head").default("64KiB"),
];

static REDIRECTS: Kind = Kind::OneOf(&[&REDIRECT_COUNT, &BOOL]);

static ADDRESSES: Kind = Kind::List(&IP);
static NAME_SERVERS: Kind = Kind::List(&NAME_SERVER);
static ONE_OR_MORE_IPS: Kind = Kind::OneOf(&[&IP, &ADDRESSES]);
static DNS: Kind = Kind::Map(&ONE_OR_MORE_IPS);

static AUTH: Kind = Kind::Tagged(&Tagged {
    id: "auth",
    cases: &[
        Case {
            tags: &["basic"],
            object: &AUTH_BASIC,
        },
        Case {
            tags: &["digest"],
            object: &AUTH_DIGEST,
        },
        Case {
            tags: &["bearer"],
            object: &AUTH_BEARER,
        },
    ],
});
static AUTH_BASIC: Object = Object {
    id: "auth-basic",
    keys: &[&[key("basic", &Kind::Object(&LOGIN), "auth-basic").required()]],
    groups: &[],
};
static AUTH_DIGEST: Object = Object {
    id: "auth-digest",
    keys: &[&[key("digest", &Kind::Object(&LOGIN), "auth-digest").required()]],
    groups: &[],
};
static AUTH_BEARER: Object = Object {
    id: "auth-bearer",
    keys: &[&[key("bearer", &TEXT, "auth-bearer").required()]],
    groups: &[],
};
static LOGIN: Object = Object {
    id: "login",
    keys: &[&[
        key("user", &TEXT, "login-user").required(),
        key("password", &TEXT, "login-password").required(),
    ]],
    groups: &[],
};

static TLS: Kind = Kind::Object(&Object {
    id: "tls",
    keys: &[&[
        key("insecure", &BOOL, "tls-insecure").default("false"),
        key("ca", &TEXT, "tls-ca"),
        key("certificate", &TEXT, "tls-certificate"),
        key("key", &TEXT, "tls-key"),
        key("server-name", &TEXT, "tls-server-name"),
    ]],
    groups: &[],
});

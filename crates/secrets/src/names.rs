//! Names of secrets.

/// Words that make a name a secret's, wherever they stand in it.
const WORDS: &[&str] = &[
    "password",
    "passwords",
    "passwd",
    "pwd",
    "pw",
    "pass",
    "passphrase",
    "passcode",
    "passkey",
    "requirepass",
    "masterauth",
    "secret",
    "secrets",
    "token",
    "tokens",
    "credential",
    "credentials",
    "creds",
    "cred",
    "apikey",
    "apikeys",
    "apitoken",
    "authorization",
    "cookie",
    "cookies",
    "jwt",
    "jwts",
    "bearer",
    "salt",
    "signature",
    "sig",
    "sas",
    "dsn",
    "sid",
    "otp",
    "totp",
    "cvv",
    "cvc",
    "csrf",
    "xsrf",
    "saml",
    "assertion",
    "userinfo",
    "sessid",
    "sessionid",
    "jsessionid",
    "phpsessid",
    "connstr",
    "authkey",
    "privkey",
    "pin",
    "pincode",
    "mnemonic",
    "senha",
    "passwort",
    "kennwort",
    "contrasena",
    "motdepasse",
    "mdp",
    "wachtwoord",
    "parola",
    "haslo",
    "apisecret",
    "authcode",
    "ticket",
    "webhook",
    "pat",
];

/// Words that are secrets only behind another one.
const PAIRS: &[(&str, &str)] = &[
    ("session", "id"),
    ("session", "key"),
    ("connection", "string"),
    ("connection", "strings"),
    ("conn", "str"),
    ("conn", "string"),
    ("connect", "string"),
    ("client", "assertion"),
    ("auth", "code"),
    ("access", "code"),
    ("verification", "code"),
    ("security", "code"),
    ("recovery", "code"),
    ("backup", "code"),
    ("seed", "phrase"),
    ("pass", "word"),
    ("pass", "phrase"),
    ("pass", "code"),
    ("basic", "auth"),
    ("x", "auth"),
    ("x", "session"),
    ("mot", "passe"),
    ("proxy", "auth"),
    ("http", "auth"),
    ("master", "auth"),
];

/// Parts of longer words that are written in one: `dbpassword`, `clientsecret`.
const PARTS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "apikey",
    "secretkey",
    "accesskey",
    "privatekey",
    "clientsecret",
    "authtoken",
    "accesstoken",
    "refreshtoken",
    "connectionstring",
    "sessionkey",
    "signingkey",
    "encryptionkey",
];

/// Ends of longer words that are written in one.
const ENDS: &[&str] = &[
    "secret",
    "token",
    "pwd",
    "pass",
    "credential",
    "credentials",
    "sessid",
    "sessionid",
    "jwt",
    "secrets",
    "cookie",
    "signature",
    "authkey",
    "accountkey",
    "masterkey",
    "sharedkey",
];

/// Words with such a part or end that mean something else.
const OTHER_WORDS: &[&str] = &[
    "bypass",
    "compass",
    "encompass",
    "trespass",
    "overpass",
    "underpass",
    "surpass",
    "impass",
    "multipass",
    "onepass",
    "twopass",
    "singlepass",
    "firstpass",
    "lastpass",
    "passwordless",
    "allpass",
    "lowpass",
    "highpass",
    "bandpass",
    "backpass",
    "renderpass",
    "nonsecret",
    "detoken",
    "subtoken",
    "pretoken",
];

/// Words of other scripts, which have no spaces.
const FOREIGN: &[&str] = &[
    "密码",
    "验证码",
    "密碼",
    "口令",
    "密钥",
    "密鑰",
    "私钥",
    "私鑰",
    "令牌",
    "秘密",
    "パスワード",
    "비밀번호",
    "пароль",
    "contraseña",
    "hasło",
    "गुप्त",
];

/// What a name ends with when its value is no secret though a word of it says so.
const HARMLESS_ENDS: &[&str] = &[
    "file",
    "files",
    "filename",
    "path",
    "paths",
    "dir",
    "folder",
    "length",
    "len",
    "size",
    "timeout",
    "enabled",
    "disabled",
    "name",
    "names",
    "count",
    "counts",
    "counter",
    "policy",
    "policies",
    "type",
    "types",
    "kind",
    "limit",
    "limits",
    "url",
    "uri",
    "urls",
    "endpoint",
    "ttl",
    "expiry",
    "expires",
    "expired",
    "expiration",
    "expire",
    "age",
    "format",
    "version",
    "location",
    "min",
    "max",
    "used",
    "usage",
    "total",
    "algorithm",
    "alg",
    "field",
    "header",
    "param",
    "parameter",
    "attempts",
    "attempt",
    "retries",
    "rotation",
    "strength",
    "required",
    "changed",
    "updated",
    "created",
    "issued",
    "at",
    "date",
    "time",
    "in",
    "provider",
    "store",
    "manager",
    "service",
    "class",
    "factory",
    "encoder",
    "encoding",
    "validator",
    "validation",
    "label",
    "placeholder",
    "env",
    "mode",
    "scope",
    "scopes",
    "issuer",
    "audience",
    "domain",
    "site",
    "secure",
    "only",
    "spec",
    "rate",
    "budget",
    "bucket",
    "window",
    "index",
    "position",
    "visible",
    "page",
    "form",
    "pattern",
    "regex",
    "rule",
    "rules",
    "status",
    "state",
    "error",
    "errors",
    "interval",
    "stdin",
    "through",
    "prefix",
    "suffix",
    "consent",
    "banner",
    "notice",
    "jar",
    "spec",
    "ratio",
    "cost",
    "price",
    "complexity",
    "history",
    "prompt",
    "hint",
    "screen",
    "view",
    "button",
    "input",
    "box",
    "icon",
    "link",
    "generator",
    "reader",
    "parser",
    "filter",
    "handler",
    "helper",
    "util",
    "utils",
    "list",
    "owner",
    "user",
    "username",
    "lifetime",
    "seconds",
    "ms",
    "minutes",
    "hours",
    "days",
    "latency",
    "duration",
    "delay",
    "per",
    "second",
    "throughput",
    "id",
    "ids",
    "protected",
    "reset",
    "manager",
    "present",
    "valid",
    "ok",
    "exists",
    "set",
    "test",
    "tests",
    "fail",
    "failed",
    "failure",
    "failures",
    "success",
    "number",
    "height",
    "width",
    "color",
    "queue",
    "pool",
    "cache",
    "stream",
    "definition",
    "schema",
    "support",
    "supported",
    "allowed",
    "mapping",
    "threshold",
    "quota",
    "remaining",
    "bytes",
    "lines",
    "chars",
    "offset",
    "vocabulary",
];

/// Those of them that do not say so behind these: `session_id`, `secret_id`, `sessionTokenId`.
const SECRET_IDS: &[&str] = &["session", "secret", "sess", "ticket"];

/// What a name begins with when its value is a truth or a number.
const HARMLESS_STARTS: &[&str] = &[
    "is",
    "has",
    "show",
    "hide",
    "enable",
    "disable",
    "require",
    "requires",
    "allow",
    "allows",
    "supports",
    "forgot",
    "forgotten",
    "max",
    "min",
    "num",
    "total",
    "count",
    "number",
    "no",
    "without",
    "missing",
    "invalid",
    "expired",
    "prompt",
    "completion",
    "input",
    "output",
    "cached",
    "remaining",
    "used",
    "unknown",
    "unexpected",
];

/// Words before `key` that make it a key of data or of a keyboard, not of a lock.
const OPEN_KEYS: &[&str] = &[
    "primary",
    "foreign",
    "public",
    "pub",
    "cache",
    "sort",
    "partition",
    "shard",
    "routing",
    "row",
    "hash",
    "range",
    "map",
    "object",
    "index",
    "unique",
    "lookup",
    "group",
    "idempotency",
    "dedup",
    "message",
    "translation",
    "i18n",
    "locale",
    "hot",
    "arrow",
    "shortcut",
    "column",
    "composite",
    "candidate",
    "natural",
    "surrogate",
    "item",
    "config",
    "configuration",
    "settings",
    "setting",
    "property",
    "metric",
    "label",
    "tag",
    "order",
    "parent",
    "child",
    "entity",
    "document",
    "search",
    "any",
    "press",
    "escape",
    "enter",
    "function",
    "up",
    "down",
    "left",
    "right",
    "home",
    "tab",
    "shift",
    "by",
    "data",
    "json",
    "field",
    "record",
    "business",
    "duplicate",
    "join",
    "sorted",
    "redis",
    "s3",
    "cluster",
    "max",
    "min",
    "num",
    "total",
    "count",
    "the",
    "per",
    "no",
    "is",
    "has",
    "first",
    "last",
    "next",
    "unknown",
    "missing",
    "dict",
    "event",
    "soft",
    "meta",
    "alt",
    "ctrl",
    "control",
    "physical",
    "answer",
    "rate",
    "limit",
    "resource",
    "trusted",
    "host",
    "known",
    "context",
    "attribute",
    "option",
    "alternate",
];

/// Longer names are judged by their end.
const MAX_BYTES: usize = 256;

/// Whether what stands under that name is a secret: `spring.datasource.password`, `apiKey`,
/// `SSL_KEY`, `--token`, `-Dtoken`, `X-Auth-Token`, `user[password]`.
#[must_use]
pub fn is_secret(name: &str) -> bool {
    let mut start = name.len().saturating_sub(MAX_BYTES);
    while !name.is_char_boundary(start) {
        start += 1;
    }
    let name = &name[start..];
    // `-Dtoken`, `-Jpassword`: an option and a name in one.
    let defined = name
        .strip_prefix('-')
        .and_then(|rest| rest.strip_prefix(['D', 'J', 'G']));
    says_secret(defined.filter(|rest| !rest.is_empty()).unwrap_or(name))
}

fn says_secret(name: &str) -> bool {
    if !name.is_ascii()
        && FOREIGN
            .iter()
            .any(|word| name.to_lowercase().contains(word))
    {
        return true;
    }
    let words = words(name);
    let Some(last) = words.last().map(String::as_str) else {
        return false;
    };
    let first = words[0].as_str();
    let before = words.len().checked_sub(2).map(|at| words[at].as_str());
    if words
        .windows(2)
        .any(|two| two[0] == "private" && two[1] == "key")
    {
        return !HARMLESS_ENDS.contains(&last);
    }
    if matches!(last, "key" | "keys") {
        return before.is_some_and(|word| !OPEN_KEYS.contains(&word));
    }
    if words.len() > 1 && HARMLESS_STARTS.contains(&first) {
        return false;
    }
    let is_pair = |two: &[String]| PAIRS.contains(&(two[0].as_str(), two[1].as_str()));
    if words.windows(2).any(is_pair) {
        return last == "id" || !HARMLESS_ENDS.contains(&last);
    }
    if !words.iter().any(|word| is_secret_word(word)) {
        return false;
    }
    let ids = matches!(last, "id" | "ids") && before.is_some_and(|w| SECRET_IDS.contains(&w));
    ids || !HARMLESS_ENDS.contains(&last) || is_secret_word(last)
}

fn is_secret_word(word: &str) -> bool {
    let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
    if WORDS.contains(&word) {
        return true;
    }
    if word.len() < 5 || OTHER_WORDS.contains(&word) {
        return false;
    }
    ENDS.iter().any(|end| word.ends_with(end))
        || PARTS.iter().any(|part| {
            let rest = word.split(part).last().unwrap_or_default();
            word.contains(part) && !HARMLESS_ENDS.contains(&rest)
        })
}

/// The words of `camelCase`, `kebab-case`, `snake_case`, `dotted.names` and `APIKey`, in small
/// letters.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        let next_small = letters.peek().is_some_and(|next| next.is_lowercase());
        let begins = letter.is_uppercase()
            && (before.is_lowercase()
                || before.is_numeric()
                || before.is_uppercase() && next_small);
        if (begins || !letter.is_alphanumeric())
            && words.last().is_some_and(|word| !word.is_empty())
        {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    words.retain(|word| !word.is_empty());
    words
}

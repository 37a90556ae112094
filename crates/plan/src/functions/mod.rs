//! The functions of templates: names, arguments, meaning. The engine computes them.

mod jmeter;

pub use jmeter::{JMETER_FUNCTIONS, JMeterFunction, Saves, jmeter_function, learn_function};

/// A function of templates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Function {
    /// `random(min, max)`: a whole number, both ends in.
    Random,
    /// `random_text(length[, alphabet])`.
    RandomText,
    /// `pick(a, b, …)`: one of the arguments.
    Pick,
    /// `uuid()`: a random (version 4) UUID.
    Uuid,
    /// `now([format[, zone]])`: the time, by strftime format; RFC 3339 by default.
    Now,
    /// `timestamp([unit])`: Unix time in `ms` (default), `s`, `us` or `ns`.
    Timestamp,
    /// `env(NAME[, default])`: an environment variable.
    Env,
    /// `user()`: the user's number, from 1.
    User,
    /// `iteration()`: the user's iteration, from 1.
    Iteration,
    /// `scenario()`: the scenario's name.
    Scenario,
    /// `counter(name[, start[, step]])`: the next value of a counter over all users.
    Counter,
    /// `url_encode(text)`.
    UrlEncode,
    /// `base64(text)`.
    Base64,
    /// `md5(text)`: hex.
    Md5,
    /// `sha256(text)`: hex.
    Sha256,
    /// `lower(text)`.
    Lower,
    /// `upper(text)`.
    Upper,
    /// `json(text)`: escaped for the inside of a JSON string.
    Json,
    /// A function of JMeter's, by its name (`__Random`).
    JMeter(&'static str),
}

/// What the checker knows of a function.
#[derive(Debug, Clone, Copy)]
pub struct FunctionDef {
    /// The function.
    pub function: Function,
    /// Its name in templates.
    pub name: &'static str,
    /// Fewest and most arguments.
    pub args: (usize, usize),
    /// Its arguments, as documentation shows them.
    pub usage: &'static str,
}

/// Every function, one line each.
pub const FUNCTIONS: &[FunctionDef] = &[
    def(Function::Random, "random", (2, 2), "random(min, max)"),
    def(
        Function::RandomText,
        "random_text",
        (1, 2),
        "random_text(length[, alphabet])",
    ),
    def(Function::Pick, "pick", (1, usize::MAX), "pick(a, b, …)"),
    def(Function::Uuid, "uuid", (0, 0), "uuid()"),
    def(Function::Now, "now", (0, 2), "now([format[, utc|local]])"),
    def(
        Function::Timestamp,
        "timestamp",
        (0, 1),
        "timestamp([ms|s|us|ns])",
    ),
    def(Function::Env, "env", (1, 2), "env(NAME[, default])"),
    def(Function::User, "user", (0, 0), "user()"),
    def(Function::Iteration, "iteration", (0, 0), "iteration()"),
    def(Function::Scenario, "scenario", (0, 0), "scenario()"),
    def(
        Function::Counter,
        "counter",
        (1, 3),
        "counter(name[, start[, step]])",
    ),
    def(
        Function::UrlEncode,
        "url_encode",
        (1, 1),
        "url_encode(text)",
    ),
    def(Function::Base64, "base64", (1, 1), "base64(text)"),
    def(Function::Md5, "md5", (1, 1), "md5(text)"),
    def(Function::Sha256, "sha256", (1, 1), "sha256(text)"),
    def(Function::Lower, "lower", (1, 1), "lower(text)"),
    def(Function::Upper, "upper", (1, 1), "upper(text)"),
    def(Function::Json, "json", (1, 1), "json(text)"),
];

const fn def(
    function: Function,
    name: &'static str,
    args: (usize, usize),
    usage: &'static str,
) -> FunctionDef {
    FunctionDef {
        function,
        name,
        args,
        usage,
    }
}

/// A text as it stands within the quotation marks of a JSON string (RFC 8259, section 7).
#[must_use]
pub fn json_inside(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted
        .get(1..quoted.len() - 1)
        .unwrap_or_default()
        .to_owned()
}

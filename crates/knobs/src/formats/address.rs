//! What stands where in a text.

use super::error::Stop;

/// The name of a value in a text, and what makes it hold there.
///
/// | format | path |
/// |---|---|
/// | properties, redis.conf, postgresql.conf, sysctl, env-file, python | the key |
/// | YAML, JSON, TOML | the keys with dots between them; `servers[0].port` |
/// | XML | `Server/Service/Connector[port=8080]@maxThreads`; without `@` the element's text |
/// | ini, my.cnf | `[section] key` |
/// | php-ini | the same, or the key alone, in whatever section |
/// | nginx | `http > upstream app > keepalive`; `listen[backlog]` for one parameter |
/// | command | `-Xmx`, `-XX:MaxGCPauseMillis`, `-Dname`, `--name` |
/// | pattern | a regular expression with one group, which is the value, at one place of the text |
/// | value | nothing |
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Address {
    /// The path, by the format.
    pub path: String,
    /// The profiles of Spring that are active.
    pub profiles: Vec<String>,
}

impl Address {
    /// An address without active profiles.
    #[must_use]
    pub fn new(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            profiles: Vec::new(),
        }
    }

    /// The same while these profiles of Spring are active.
    #[must_use]
    pub fn while_active<S: Into<String>>(mut self, profiles: impl IntoIterator<Item = S>) -> Self {
        self.profiles = profiles.into_iter().map(Into::into).collect();
        self
    }
}

/// What keys with dots between them look like, in any language.
const DOTTED: &str = "key.key[0].key";

impl Address {
    /// The path of a format whose keys have dots between them, without quotes.
    pub(super) fn dotted(&self) -> Result<&str, Stop> {
        let path = self.path.trim();
        let odd = |c: char| c.is_control() || c == '"' || c == '\'';
        match path.split('.').any(str::is_empty) || path.contains(odd) {
            true => Err(self.undotted()),
            false => Ok(path),
        }
    }

    /// It is no such path.
    pub(super) fn undotted(&self) -> Stop {
        Stop::address(self.path.trim(), DOTTED)
    }
}

impl From<&str> for Address {
    fn from(path: &str) -> Self {
        Self::new(path)
    }
}

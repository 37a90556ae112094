//! The line formats, each after its own reader.

mod common;
mod env_file;
mod ini;
mod my_cnf;
mod php_ini;
mod postgres;
mod properties;
mod python;
mod redis;
mod sysctl;

use super::editor::relaxed;
use super::lines::LineDialect;

pub(crate) use my_cnf::SERVERS;
pub(crate) use sysctl::path_of;

/// `java.util.Properties` (Java SE 17, `Properties.load`).
pub(super) static PROPERTIES: LineDialect = LineDialect {
    parts: properties::parts,
    key: properties::decoded,
    decoded: properties::decoded,
    encoded: properties::encoded,
    written_key: properties::written_key,
    between: "=",
    goes_on: properties::goes_on,
    sections: None,
    documents: false,
    bare: false,
    exact_first: false,
    stands_for: |_, _| None,
    adds_up: |_| None,
    include: |_| None,
};

/// Spring Boot's: names are relaxed, `#---` parts documents
/// (`OriginTrackedPropertiesLoader`, Spring Boot 2.4).
pub(super) static SPRING_PROPERTIES: LineDialect = LineDialect {
    key: |key| relaxed(&properties::decoded(key)),
    documents: true,
    include: |line| imported(line.strip_prefix("spring.config.import")?),
    ..PROPERTIES
};

/// Python's `configparser`.
pub(super) static INI: LineDialect = LineDialect {
    parts: ini::parts,
    key: str::to_lowercase,
    decoded: ini::decoded,
    encoded: ini::encoded,
    written_key: str::to_owned,
    between: " = ",
    goes_on: ini::goes_on,
    sections: Some(|asked, section| asked == section),
    documents: false,
    bare: false,
    // systemd's files are read by this, too.
    exact_first: true,
    stands_for: |_, _| None,
    adds_up: |_| None,
    include: |_| None,
};

/// PHP's scanner of ini files (`zend_ini_scanner.l`): sections say nothing in `php.ini` and the files of extensions.
/// PHP-FPM's are its pools; where there is one, it is meant whatever it is called.
pub(super) static PHP_INI: LineDialect = LineDialect {
    parts: php_ini::parts,
    key: str::to_owned,
    decoded: php_ini::decoded,
    encoded: php_ini::encoded,
    goes_on: |_, _, _| false,
    bare: true,
    exact_first: false,
    stands_for: php_ini::only_pool,
    include: |line| {
        let (key, path) = line.split_once('=')?;
        (key.trim() == "include").then_some((path, false))
    },
    ..INI
};

/// MySQL's and MariaDB's (`my_default.c`).
pub(super) static MY_CNF: LineDialect = LineDialect {
    parts: my_cnf::parts,
    key: my_cnf::key,
    decoded: my_cnf::decoded,
    encoded: my_cnf::encoded,
    sections: Some(my_cnf::reads),
    bare: false,
    stands_for: |_, _| None,
    include: |line| match line.strip_prefix("!includedir") {
        Some(folder) => Some((folder, true)),
        None => line.strip_prefix("!include").map(|file| (file, false)),
    },
    ..PHP_INI
};

/// Redis' (`loadServerConfigFromString`, `sdssplitargs`).
pub(super) static REDIS_CONF: LineDialect = LineDialect {
    parts: redis::parts,
    key: str::to_lowercase,
    decoded: redis::decoded,
    encoded: redis::encoded,
    between: " ",
    sections: None,
    // Each line is one more pair of seconds and changes; versions before 7 take no notice of a line with several.
    adds_up: |key| (key == "save").then_some(2),
    include: |line| line.strip_prefix("include ").map(|path| (path, false)),
    ..PHP_INI
};

/// PostgreSQL's (`guc-file.l`).
pub(super) static POSTGRES_CONF: LineDialect = LineDialect {
    parts: postgres::parts,
    decoded: postgres::decoded,
    encoded: postgres::encoded,
    between: " = ",
    adds_up: |_| None,
    include: postgres::include,
    ..REDIS_CONF
};

/// Python's assignments.
pub(super) static PYTHON: LineDialect = LineDialect {
    parts: python::parts,
    key: str::to_owned,
    decoded: python::decoded,
    encoded: python::encoded,
    between: " = ",
    goes_on: python::goes_on,
    adds_up: |_| None,
    include: |_| None,
    ..REDIS_CONF
};

/// procps' `sysctl.conf(5)`.
pub(super) static SYSCTL: LineDialect = LineDialect {
    parts: sysctl::parts,
    key: sysctl::key,
    decoded: |value| value.to_owned(),
    encoded: |value| ini::encoded(value),
    include: |_| None,
    ..POSTGRES_CONF
};

/// systemd's `EnvironmentFile` and what is common with it.
pub(super) static ENV_FILE: LineDialect = LineDialect {
    parts: env_file::parts,
    key: str::to_owned,
    decoded: env_file::decoded,
    encoded: env_file::encoded,
    between: "=",
    goes_on: |first, line, _| {
        !first.trim_start().starts_with('#') && common::ends_in_backslash(line)
    },
    ..SYSCTL
};

/// What `spring.config.import=…` takes in.
fn imported(rest: &str) -> Option<(&str, bool)> {
    let (_, path) = rest.split_once(['=', ':'])?;
    Some((path, false))
}

//! What gives something up for speed, wherever it is named.

use crate::formats::relaxed;
use crate::knob::{Gives, Knob, KnobPlace, PlaceKind};
use crate::registry::{all, find};
use crate::written::spring_variable;

/// Names that are no place of a knob and give up what it does: of statements, other versions and other libraries. They
/// are relaxed, and may have a prefix with a dot.
const FURTHER: &[(&str, &str)] = &[
    ("transaction isolation level", "mysql.isolation"),
    ("txisolation", "mysql.isolation"),
    ("skipinnodbdoublewrite", "mysql.doublewrite"),
    ("skiplogbin", "mysql.sync-binlog"),
    ("disablelogbin", "mysql.sync-binlog"),
    ("noappendfsynconrewrite", "redis.appendfsync"),
    ("synchronousstandbynames", "postgres.synchronous-commit"),
    // A table that is not there any more after a crash.
    ("unlogged", "postgres.synchronous-commit"),
    (
        "defaulttransactionisolation",
        "hikari.transaction-isolation",
    ),
    (
        "hibernate.connection.isolation",
        "hikari.transaction-isolation",
    ),
    ("log4jcontextselector", "logging.log4j2.async"),
    ("log4j2.contextselector", "logging.log4j2.async"),
    (
        "log4j2.asyncloggerringbuffersize",
        "logging.log4j2.ring-buffer",
    ),
];

/// Levels of a log at which lines are left out that servers write by default.
const QUIET: &[&str] = &["WARN", "WARNING", "ERROR", "FATAL", "OFF"];

/// What one value of a setting gives up for speed, where its other values do not. `of` is a knob's id or a key.
#[must_use]
pub fn value_gives(of: &str, value: &str) -> Option<Gives> {
    let is_level = of == "logging.level" || of.to_ascii_lowercase().starts_with("logging.level.");
    let is_quiet = QUIET.contains(&value.trim().to_ascii_uppercase().as_str());
    (is_level && is_quiet).then_some(Gives::Logs)
}

/// The knob that gives something up for speed and is named in a line of whatever form: a statement, a command, an
/// argument, a variable, a line of a file.
#[must_use]
pub fn giving(line: &str) -> Option<&'static Knob> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    let words: Vec<&str> = line
        .split(|c| !is_name(c))
        .filter(|word| !word.is_empty())
        .collect();
    let of_place = words.iter().find_map(|word| {
        let mut gives = all().filter(|knob| knob.gives.is_some());
        gives.find(|knob| knob.places.iter().any(|place| is_named(place, word)))
    });
    let further = || {
        let words: Vec<String> = words.iter().map(|word| bare(word)).collect();
        let line = format!(" {} ", words.join(" "));
        let is_there = |name: &str| {
            let ends = |sign| line.contains(&format!("{sign}{name} "));
            ends(' ') || ends('.')
        };
        let (_, id) = FURTHER.iter().find(|(name, _)| is_there(name))?;
        find(id)
    };
    of_place.or_else(further)
}

/// Whether a word is what a place calls its knob, as programs and Spring take names: in any case, with dashes or
/// without.
fn is_named(place: &KnobPlace, word: &str) -> bool {
    let behind = |sign| place.address.rsplit_once(sign).map(|(_, name)| name);
    let name = behind("> ").or_else(|| behind("] "));
    let of_variable = || place.kind == PlaceKind::Spring && spring_variable(place.address) == word;
    bare(name.unwrap_or(place.address)) == bare(word) || of_variable()
}

/// A name without what marks it as an argument or a property.
fn bare(name: &str) -> String {
    let name = name.strip_prefix("-D").unwrap_or(name);
    relaxed(name)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::registry::FAMILIES;

    #[test]
    fn what_gives_something_up_is_known_in_lines_of_any_form() {
        for (line, id) in [
            ("SET GLOBAL tx_isolation = '{}'", "mysql.isolation"),
            (
                "set global  transaction\tISOLATION level {}",
                "mysql.isolation",
            ),
            (
                "SET GLOBAL innodb_flush_log_at_timeout = {}",
                "mysql.flush-log-at-timeout",
            ),
            (
                "mysqld --innodb-flush-log-at-trx-commit=2",
                "mysql.flush-log-at-trx-commit",
            ),
            (
                "ALTER SYSTEM SET full_page_writes = {}",
                "postgres.full-page-writes",
            ),
            ("default_transaction_isolation = x", "postgres.isolation"),
            (
                "spring.datasource.hikari.transaction-isolation",
                "hikari.transaction-isolation",
            ),
            (
                "--spring.datasource.hikari.transactionIsolation={}",
                "hikari.transaction-isolation",
            ),
            (
                "SPRING_DATASOURCE_HIKARI_TRANSACTIONISOLATION",
                "hikari.transaction-isolation",
            ),
            (
                "spring.datasource.druid.default-transaction-isolation",
                "hikari.transaction-isolation",
            ),
            ("-Dlog4j2.contextSelector={}", "logging.log4j2.async"),
            ("LOG4J_CONTEXT_SELECTOR", "logging.log4j2.async"),
            ("redis-cli config set appendfsync {}", "redis.appendfsync"),
        ] {
            assert_eq!(giving(line).map(|knob| knob.id), Some(id), "{line}");
        }
        for line in [
            "",
            "SET GLOBAL innodb_io_capacity = {}",
            "isolation level",
            "-Xmx{}m",
            "level",
        ] {
            assert!(giving(line).is_none(), "{line}");
        }
    }

    #[test]
    fn a_log_that_leaves_lines_out_gives_them_up() {
        for of in [
            "logging.level",
            "logging.level.root",
            "logging.level.org.example",
        ] {
            assert_eq!(value_gives(of, "warn"), Some(Gives::Logs));
            assert_eq!(value_gives(of, "OFF"), Some(Gives::Logs));
            assert_eq!(value_gives(of, "INFO"), None);
            assert_eq!(value_gives(of, "DEBUG"), None);
        }
        assert_eq!(value_gives("jvm.collector", "OFF"), None);
    }

    /// Each place of a knob that gives something up is known by its own name, and what is named further is one.
    #[test]
    fn each_that_gives_something_up_is_known() {
        for (name, id) in FURTHER {
            let knob = giving(name).unwrap();
            assert!(find(id).unwrap().gives == knob.gives, "{name}");
        }
        for knob in FAMILIES.iter().flat_map(|family| family.knobs) {
            for place in knob
                .places
                .iter()
                .filter(|place| place.kind != PlaceKind::Xml)
            {
                let found = giving(place.address);
                assert_eq!(found.is_some(), knob.gives.is_some(), "{}", place.address);
            }
        }
    }
}

//! The knobs belong together: names, texts, conditions, sources; the list and its schema.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::Path;

use plimsoll_knobs::{
    Applies, Condition, FAMILIES, Format, Knob, KnobRange, KnobValue, PlaceKind, all, document,
    find, get, named, table,
};
use plimsoll_text::{Lang, Message, render};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn has_text(id: &str) -> bool {
    Lang::ALL.iter().all(|lang| {
        let text = render(*lang, &Message::new(id));
        text != id && !text.is_empty()
    })
}

#[test]
fn names_are_unique_and_have_texts_and_sources() {
    let mut seen = BTreeSet::new();
    for family in FAMILIES {
        assert!(
            has_text(&format!("knobs-family-{}", family.id)),
            "{}",
            family.id
        );
        for knob in family.knobs {
            assert!(seen.insert(knob.id), "{} is there twice", knob.id);
            assert_eq!(knob.family(), family.id);
            assert!(has_text(&knob.message().id), "{}", knob.id);
            assert!(knob.source.starts_with("https://"), "{}", knob.id);
            assert!(!knob.places.is_empty(), "{}", knob.id);
            for default in knob.default {
                if let Some(how) = default.derived {
                    assert!(has_text(&format!("knobs-derived-{how}")), "{}", knob.id);
                }
            }
        }
    }
    assert!(seen.len() > 150, "{}", seen.len());
}

/// Chinese texts are Chinese, not what English falls back to.
#[test]
fn texts_are_in_both_languages() {
    for knob in all() {
        let texts = [Lang::En, Lang::Zh].map(|lang| render(lang, &knob.message()));
        assert!(!texts[1].is_ascii(), "{}", knob.id);
        assert!(texts[0] != texts[1], "{}", knob.id);
    }
}

#[test]
fn conditions_name_knobs_and_values_that_are_there() {
    for knob in all() {
        for condition in knob.conditions {
            match condition {
                Condition::When { knob: other, is } => {
                    let other = find(other).unwrap();
                    for value in *is {
                        other.value(value).unwrap();
                    }
                }
                Condition::AtMost { knob: other, .. } => {
                    assert!(matches!(
                        find(other).unwrap().range,
                        KnobRange::Number { .. }
                    ));
                }
                Condition::Without(other) => assert!(find(other).is_some()),
                Condition::Needs(what) => assert!(!what.is_empty()),
            }
        }
    }
}

#[test]
fn ranges_are_ranges_and_defaults_values() {
    let one = |knob: &Knob, value: &str| {
        let read = knob.read(value, plimsoll_knobs::Spelling::Plain);
        let number = matches!(knob.range, KnobRange::Number { .. });
        // Times and sizes of defaults are written as their manual does.
        assert!(
            !number || matches!(read, KnobValue::Number(_)) || knob.check(&read).is_ok(),
            "{} {value}",
            knob.id
        );
        if matches!(knob.range, KnobRange::Choice(_) | KnobRange::Switch) {
            knob.check(&read).unwrap();
        }
    };
    for knob in all() {
        if let KnobRange::Number { least, most, .. } = knob.range {
            assert!(least < most, "{}", knob.id);
        }
        for default in knob
            .default
            .iter()
            .filter(|default| !default.value.is_empty())
        {
            if !default.value.contains('|') {
                one(knob, default.value);
            }
        }
    }
}

/// Every address is one of its format: reading it from an empty text is no mistake of the address.
#[test]
fn addresses_are_of_their_formats() {
    for knob in all() {
        for place in knob.places {
            let formats = Format::ALL
                .iter()
                .filter_map(|format| Some((*format, place.address_in(*format)?)));
            let mut some = false;
            for (format, address) in formats {
                some = true;
                let text = if format == Format::Xml { "<a/>" } else { "" };
                get(format, text.as_bytes(), &address)
                    .unwrap_or_else(|error| panic!("{} {error}", knob.id));
            }
            assert!(some, "{}: {} has no format", knob.id, place.address);
        }
    }
}

/// What trades safety, by the word of each manual.
#[test]
fn what_gives_something_up_says_so() {
    for id in [
        "mysql.flush-log-at-trx-commit",
        "mysql.sync-binlog",
        "mysql.isolation",
        "redis.appendfsync",
        "redis.maxmemory-policy",
        "postgres.synchronous-commit",
        "postgres.fsync",
        "postgres.isolation",
        "logging.logback.never-block",
        "mysql.doublewrite",
        "nginx.access-log",
        "logging.log4j2.async",
        "logging.log4j2.ring-buffer",
        "logging.logback.queue-size",
        "hikari.transaction-isolation",
        "postgres.full-page-writes",
        "mysql.flush-log-at-timeout",
    ] {
        assert!(find(id).unwrap().gives.is_some(), "{id}");
    }
    for id in [
        "tomcat.threads.max",
        "jvm.heap.max",
        "mysql.buffer-pool-size",
    ] {
        assert!(find(id).unwrap().gives.is_none(), "{id}");
    }
}

/// What the makers' sources have, where manuals and habits say otherwise.
#[test]
fn defaults_are_those_of_the_sources() {
    for (id, expected) in [
        ("jvm.httpserver.nodelay", "off"),
        (
            "jetty.threads.acceptors",
            "1 (Jetty 10+), -1 (Jetty 9, Spring Boot)",
        ),
        ("undertow.buffer-size", "16364 (≥ 128 MiB heap)"),
        (
            "tomcat.max-connections",
            "8192 (Tomcat 9+, Spring Boot 2.3+), 10000 (Tomcat 7, 8, Spring Boot < 2.3), tomcat.threads.max (Tomcat 7, BIO)",
        ),
        ("php-fpm.backlog", "-1 (8.2+), 511 (< 8.2)"),
        ("php-fpm.max-children", "none: it must be set"),
        (
            "mysql.thread-cache-size",
            "8 + max_connections / 100 (MySQL), the lesser of 256 and max_connections (MariaDB 10.2+)",
        ),
    ] {
        assert_eq!(find(id).unwrap().defaults(Lang::En), expected, "{id}");
    }
}

/// A socket that listens already keeps its queue, and a file of `sysctl` sets nothing by itself.
#[test]
fn what_the_kernel_takes_notice_of_is_told() {
    assert_eq!(find("kernel.somaxconn").unwrap().applies, Applies::Restart);
    for place in all().flat_map(|knob| knob.places) {
        for lang in Lang::ALL {
            let note = place.note(lang);
            let is_sysctl = place.kind == PlaceKind::Sysctl;
            assert_eq!(note.contains("sysctl -p"), is_sysctl, "{}", place.address);
            assert_eq!(!note.is_empty(), is_sysctl || place.unless.is_some());
        }
    }
    // An option that another one overrules says so.
    let percent = find("jvm.heap.max-percent").unwrap();
    assert!(
        percent
            .conditions
            .contains(&Condition::Without("jvm.heap.max"))
    );
}

#[test]
fn settings_are_found_by_the_words_of_their_servers() {
    for (setting, id) in [
        ("server.tomcat.threads.max", "tomcat.threads.max"),
        (
            "spring.datasource.hikari.maximum-pool-size",
            "hikari.maximum-pool-size",
        ),
        ("-Xmx", "jvm.heap.max"),
        ("-XX:+DisableExplicitGC", "jvm.disable-explicit-gc"),
        ("worker_connections", "nginx.worker-connections"),
        ("upstream: keepalive", "nginx.upstream.keepalive"),
        ("backend_app: keepalive", "nginx.upstream.keepalive"),
        ("access_log", "nginx.access-log"),
        ("innodb_buffer_pool_size", "mysql.buffer-pool-size"),
        ("maxmemory", "redis.maxmemory"),
        ("logging.level.com.example", "logging.level"),
        ("LimitNOFILE / ulimit -n", "kernel.open-files"),
        ("pm.max_children", "php-fpm.max-children"),
    ] {
        assert_eq!(
            named(setting).map(|(knob, _)| knob.id),
            Some(id),
            "{setting}"
        );
    }
    // Of MySQL and of PostgreSQL; of nobody; a part of a name.
    for setting in [
        "max_connections",
        "no.such.thing",
        "",
        "connections",
        "cpu quota",
    ] {
        assert!(named(setting).is_none(), "{setting}");
    }
}

#[test]
fn the_list_is_whole_in_both_languages() {
    for lang in Lang::ALL {
        let text = table(lang);
        for knob in all() {
            assert!(text.contains(knob.id), "{}", knob.id);
        }
        assert!(!text.contains("knobs-"), "a text is missing");
    }
}

#[test]
fn the_list_keeps_its_schema() {
    let schema = std::fs::read_to_string(root().join("schema/knobs.schema.json")).unwrap();
    let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for lang in Lang::ALL {
        let list = document(lang, None);
        let errors: Vec<String> = validator
            .iter_errors(&list)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
    let mut other = document(Lang::En, None);
    other["families"][0]["knobs"][0]["applies"] = "sometimes".into();
    assert!(!validator.is_valid(&other));
}

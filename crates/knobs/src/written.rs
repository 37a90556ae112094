//! A knob in a text: which of its places can be there, and its value in that place's words.

use std::fmt;

use plimsoll_text::{Lang, Message, render};

use crate::formats::{Address, EditError, EditFault, Format, Found, get, remove, set};
use crate::knob::{Knob, KnobPlace, KnobRange, PlaceKind, Spelling};
use crate::value::{KnobValue, ValueError};

/// Why a knob was not written.
#[derive(Debug, Clone, PartialEq)]
pub enum PutError {
    /// The place has no word for the value.
    Value(ValueError),
    /// The text has no place for it.
    Edit(EditError),
}

impl PutError {
    /// What to say.
    #[must_use]
    pub fn message(&self) -> Message {
        match self {
            Self::Value(error) => error.message(),
            Self::Edit(error) => error.message(),
        }
    }
}

impl fmt::Display for PutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&render(Lang::En, &self.message()))
    }
}

impl std::error::Error for PutError {}

impl KnobPlace {
    /// Its address in texts of a format; `None` if it is not written there.
    #[must_use]
    pub fn address_in(&self, format: Format) -> Option<Address> {
        let own = Address::new(self.address);
        let name = self.address;
        match (self.kind, format) {
            (
                PlaceKind::Spring,
                Format::SpringYaml | Format::SpringProperties | Format::Yaml | Format::Properties,
            )
            | (PlaceKind::SystemProperty | PlaceKind::Jvm, Format::Command | Format::JvmOptions)
            | (PlaceKind::Argument, Format::Command)
            | (PlaceKind::Environment, Format::EnvFile)
            | (PlaceKind::Xml, Format::Xml)
            | (PlaceKind::Properties, Format::Properties)
            | (PlaceKind::Nginx, Format::Nginx)
            | (PlaceKind::MyCnf, Format::MyCnf)
            | (PlaceKind::Ini, Format::Ini | Format::PhpIni)
            | (PlaceKind::Python, Format::Python)
            | (PlaceKind::Redis, Format::RedisConf)
            | (PlaceKind::Postgres, Format::PostgresConf)
            | (PlaceKind::Sysctl, Format::Sysctl)
            | (PlaceKind::ValueFile, Format::Whole) => Some(own),
            (PlaceKind::Spring, Format::Command) => Some(Address::new(format!("--{name}"))),
            (PlaceKind::Spring, Format::JvmOptions) => Some(Address::new(format!("-D{name}"))),
            (PlaceKind::Spring, Format::EnvFile) => Some(Address::new(spring_variable(name))),
            (PlaceKind::Environment, Format::Command) => Some(Address::new(format!("{name}="))),
            _ => None,
        }
    }

    /// Whether the program takes notice of what is written at an address of this place.
    fn counts_in(&self, format: Format, text: &[u8], address: &Address) -> Result<(), EditError> {
        let element = address.path.rsplit_once('@');
        let (Format::Xml, Some(other), Some((element, _))) = (format, self.unless, element) else {
            return Ok(());
        };
        let found = get(format, text, &Address::new(format!("{element}@{other}")))?;
        match found {
            Some(Found { line, column, .. }) => Err(EditError {
                line,
                column,
                fault: EditFault::Overruled(other.to_owned()),
            }),
            None => Ok(()),
        }
    }
}

impl Knob {
    /// The places and addresses of the knob in texts of a format, the newest name first.
    pub fn places_in(
        &self,
        format: Format,
    ) -> impl Iterator<Item = (&'static KnobPlace, Address)> + use<> {
        let places = self.places.iter();
        places.filter_map(move |place| Some((place, place.address_in(format)?)))
    }

    /// The first of them.
    #[must_use]
    pub fn place_in(&self, format: Format) -> Option<(&'static KnobPlace, Address)> {
        self.places_in(format).next()
    }

    /// The knob's value in a text; `None` if it is not written there.
    ///
    /// # Errors
    ///
    /// As of [`get`].
    pub fn value_in(
        &self,
        format: Format,
        text: &[u8],
        place: &KnobPlace,
        address: &Address,
    ) -> Result<Option<KnobValue>, EditError> {
        place.counts_in(format, text, address)?;
        let found = get(format, text, address)?;
        Ok(match (found, place.spelling) {
            (None, Spelling::Present) => Some(KnobValue::Word("off".to_owned())),
            (found, spelling) => found.map(|found| {
                let (own, _) = self.own_word(format, &found.value);
                self.read(own, spelling)
            }),
        })
    }

    /// What a directive says of the knob, and what else it says: `keepalive_timeout 65s 60s`.
    pub(crate) fn own_word<'a>(&self, format: Format, value: &'a str) -> (&'a str, &'a str) {
        let is_number = matches!(self.range, KnobRange::Number { .. });
        match value
            .find(' ')
            .filter(|_| format == Format::Nginx && is_number)
        {
            Some(at) => value.split_at(at),
            None => (value, ""),
        }
    }

    /// The text with the knob at that value.
    ///
    /// # Errors
    ///
    /// If the place has no word for the value, or as of [`set`].
    pub fn put(
        &self,
        format: Format,
        text: &[u8],
        place: &KnobPlace,
        address: &Address,
        value: &KnobValue,
    ) -> Result<Vec<u8>, PutError> {
        let counts = place.counts_in(format, text, address);
        counts.map_err(PutError::Edit)?;
        let off = matches!(value, KnobValue::Word(word) if word == "off");
        if place.spelling == Spelling::Present && off {
            return remove(format, text, address).map_err(PutError::Edit);
        }
        let mut spelled = self.spell(value, place.spelling).map_err(PutError::Value)?;
        if let Ok(Some(found)) = get(format, text, address) {
            spelled.push_str(self.own_word(format, &found.value).1);
        }
        set(format, text, address, &spelled).map_err(PutError::Edit)
    }
}

/// The environment variable that Spring Boot reads a property from: capitals, `_` for dots, no dashes.
#[must_use]
pub fn spring_variable(property: &str) -> String {
    property
        .chars()
        .filter(|c| !matches!(c, '-' | ']'))
        .map(|c| {
            if matches!(c, '.' | '[') {
                '_'
            } else {
                c.to_ascii_uppercase()
            }
        })
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::registry::{all, find};

    fn put(id: &str, format: Format, text: &str, value: &str) -> String {
        let knob = find(id).unwrap();
        let (place, address) = knob.place_in(format).unwrap();
        let value = knob.value(value).unwrap();
        let now = knob
            .put(format, text.as_bytes(), place, &address, &value)
            .unwrap();
        assert_eq!(
            knob.value_in(format, &now, place, &address).unwrap(),
            Some(value)
        );
        String::from_utf8(now).unwrap()
    }

    /// Spring and PostgreSQL refuse sizes in other letters; Java 8 percentages without a point.
    #[test]
    fn sizes_and_percentages_are_those_of_their_programs() {
        for (id, format, value, expected) in [
            (
                "tomcat.compression-min-size",
                Format::SpringProperties,
                "4k",
                "server.compression.min-response-size=4KB\n",
            ),
            (
                "undertow.buffer-size",
                Format::SpringProperties,
                "1m",
                "server.undertow.buffer-size=1MB\n",
            ),
            (
                "redis.maxmemory",
                Format::RedisConf,
                "1g",
                "maxmemory 1gb\n",
            ),
            (
                "postgres.work-mem",
                Format::PostgresConf,
                "64k",
                "work_mem = 64kB\n",
            ),
            (
                "jvm.heap.max-percent",
                Format::JvmOptions,
                "50",
                "-XX:MaxRAMPercentage=50.0",
            ),
            (
                "jvm.heap.max-percent",
                Format::JvmOptions,
                "12.5",
                "-XX:MaxRAMPercentage=12.5",
            ),
        ] {
            assert_eq!(put(id, format, "", value), expected, "{id}");
        }
    }

    /// A number alone counts what the parameter counts.
    #[test]
    fn numbers_of_postgres_have_the_unit_of_their_parameter() {
        for (id, line, expected) in [
            ("postgres.work-mem", "work_mem = 4096", 4 << 20),
            (
                "postgres.shared-buffers",
                "shared_buffers = 16384",
                128 << 20,
            ),
            (
                "postgres.effective-cache-size",
                "effective_cache_size=131072",
                1 << 30,
            ),
            ("postgres.wal-buffers", "wal_buffers = 512", 4 << 20),
            ("postgres.max-wal-size", "max_wal_size = 1024", 1 << 30),
            ("postgres.work-mem", "work_mem = '4MB'", 4 << 20),
        ] {
            let knob = find(id).unwrap();
            let (place, address) = knob.place_in(Format::PostgresConf).unwrap();
            let read = knob.value_in(Format::PostgresConf, line.as_bytes(), place, &address);
            assert_eq!(
                read,
                Ok(Some(KnobValue::Number(f64::from(expected)))),
                "{line}"
            );
            // Parts of kilobytes have no word there.
            let parts = knob.spell(&KnobValue::Number(1_000_000.0), place.spelling);
            assert!(parts.is_err(), "{id}");
        }
    }

    #[test]
    fn each_place_has_its_own_words() {
        for (id, format, text, value, expected) in [
            (
                "tomcat.threads.max",
                Format::SpringYaml,
                "",
                "300",
                "server:\n  tomcat:\n    threads:\n      max: 300\n",
            ),
            (
                "tomcat.threads.max",
                Format::Command,
                "java -jar a.jar",
                "300",
                "java -jar a.jar --server.tomcat.threads.max=300",
            ),
            (
                "tomcat.threads.max",
                Format::EnvFile,
                "",
                "300",
                "SERVER_TOMCAT_THREADS_MAX=300\n",
            ),
            (
                "tomcat.accept-count",
                Format::JvmOptions,
                "",
                "300",
                "-Dserver.tomcat.accept-count=300",
            ),
            (
                "tomcat.compression",
                Format::SpringProperties,
                "",
                "on",
                "server.compression.enabled=true\n",
            ),
            (
                "jvm.heap.max",
                Format::Command,
                "java -jar a.jar",
                "1536m",
                "java -Xmx1536m -jar a.jar",
            ),
            (
                "jvm.collector",
                Format::JvmOptions,
                "-XX:+UseG1GC",
                "z",
                "-XX:+UseZGC",
            ),
            (
                "mysql.buffer-pool-size",
                Format::MyCnf,
                "",
                "2g",
                "[mysqld]\ninnodb_buffer_pool_size = 2g\n",
            ),
            (
                "nginx.keepalive-timeout",
                Format::Nginx,
                "http { keepalive_timeout 65s 60s; }",
                "30s",
                "http { keepalive_timeout 30 60s; }",
            ),
            (
                "redis.appendonly",
                Format::RedisConf,
                "appendonly yes\n",
                "off",
                "appendonly no\n",
            ),
            (
                "postgres.shared-buffers",
                Format::PostgresConf,
                "",
                "512m",
                "shared_buffers = 512MB\n",
            ),
            (
                "nginx.reuseport",
                Format::Nginx,
                "http { server { listen 80 reuseport; } }",
                "off",
                "http { server { listen 80; } }",
            ),
            (
                "nginx.reuseport",
                Format::Nginx,
                "http { server { listen 80; } }",
                "on",
                "http { server { listen 80 reuseport; } }",
            ),
            (
                "nginx.keepalive-timeout",
                Format::Nginx,
                "http {}",
                "20s",
                "http {keepalive_timeout 20; }",
            ),
            (
                "kernel.transparent-huge-pages",
                Format::Whole,
                "[always] madvise never\n",
                "never",
                "never\n",
            ),
            (
                "runtime.go.maxprocs",
                Format::Command,
                "./app",
                "2",
                "GOMAXPROCS=2 ./app",
            ),
        ] {
            assert_eq!(put(id, format, text, value), expected, "{id} {format:?}");
        }
    }

    #[test]
    fn what_another_attribute_overrules_is_neither_read_nor_written() {
        let knob = find("tomcat.threads.max").unwrap();
        let (place, usual) = knob.place_in(Format::Xml).unwrap();
        let file = "<Server><Service><Connector port='1' maxThreads='5'/>\n\
                    <Connector port='2' executor='x' maxThreads='5'/></Service></Server>";
        let value = KnobValue::Number(9.0);
        let at = |port: &str| Address::new(usual.path.replace('@', &format!("[port={port}]@")));
        let read = |port: &str| knob.value_in(Format::Xml, file.as_bytes(), place, &at(port));
        let put = |port: &str| knob.put(Format::Xml, file.as_bytes(), place, &at(port), &value);
        assert_eq!(read("1"), Ok(Some(KnobValue::Number(5.0))));
        assert!(put("1").is_ok());
        let refused = read("2").unwrap_err();
        assert_eq!(
            (refused.line, &refused.fault),
            (2, &EditFault::Overruled("executor".to_owned()))
        );
        assert_eq!(put("2"), Err(PutError::Edit(refused)));
        // It is another attribute's alone.
        let backlog = find("tomcat.accept-count").unwrap();
        let (place, _) = backlog.place_in(Format::Xml).unwrap();
        let address = Address::new("Server/Service/Connector[port=2]@acceptCount");
        let put = backlog.put(Format::Xml, file.as_bytes(), place, &address, &value);
        assert!(put.is_ok());
    }

    /// Each knob, in each format that it may stand in, with values of its range.
    #[test]
    fn all_knobs_are_written_and_read_again() {
        use crate::knob::KnobRange;
        let mut written = 0;
        for knob in all() {
            let values = match knob.range {
                KnobRange::Number {
                    least, most, also, ..
                } => {
                    let numbers = [least, most].map(KnobValue::Number).into_iter();
                    numbers
                        .chain(also.iter().map(|word| knob.read(word, Spelling::Plain)))
                        .collect()
                }
                KnobRange::Choice(words) => words
                    .iter()
                    .map(|word| knob.read(word, Spelling::Plain))
                    .collect(),
                KnobRange::Switch => vec![
                    KnobValue::Word("on".to_owned()),
                    KnobValue::Word("off".to_owned()),
                ],
                KnobRange::Text => vec![KnobValue::Word("a b".to_owned())],
            };
            for format in Format::ALL {
                let text = match format {
                    Format::Xml => "<Server><Service><Connector/></Service></Server>",
                    Format::Command => "java -jar a.jar",
                    Format::Nginx => {
                        "events {}\nhttp {\n upstream a { server b; }\n server { listen 80; }\n}\n"
                    }
                    _ => "",
                };
                let Some((place, address)) = knob.place_in(*format) else {
                    continue;
                };
                if *format == Format::Xml && !address.path.starts_with("Server") {
                    continue;
                }
                for value in &values {
                    knob.check(value).unwrap();
                    if knob.spell(value, place.spelling).is_err() {
                        continue;
                    }
                    let now = knob.put(*format, text.as_bytes(), place, &address, value);
                    let now = now
                        .unwrap_or_else(|error| panic!("{} {format:?} {value}: {error}", knob.id));
                    let again = knob
                        .value_in(*format, &now, place, &address)
                        .unwrap()
                        .unwrap();
                    assert!(again.same(value), "{} {format:?} {value} {again}", knob.id);
                    written += 1;
                }
            }
        }
        assert!(written > 700, "{written}");
    }
}

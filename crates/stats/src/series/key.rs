//! What a series is known by.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// What kind of thing was watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntityKind {
    /// A host, or the container that stands for one.
    Host,
    /// An operating system process.
    Process,
    /// A Java virtual machine.
    Jvm,
    /// A web server inside a process: Tomcat, Undertow, Jetty.
    WebServer,
    /// A pool of connections inside a process: HikariCP and its like.
    Pool,
    /// A client inside a process that calls a database, cache or service.
    Client,
    /// The application itself: its own metrics, log events.
    Application,
    /// nginx, OpenResty.
    Proxy,
    /// MySQL, MariaDB, PostgreSQL.
    Database,
    /// Redis.
    Cache,
    /// Any other Prometheus endpoint.
    Exporter,
    /// The watching itself: what it costs.
    Watcher,
}

impl EntityKind {
    /// Its name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Process => "process",
            Self::Jvm => "jvm",
            Self::WebServer => "web_server",
            Self::Pool => "pool",
            Self::Client => "client",
            Self::Application => "application",
            Self::Proxy => "proxy",
            Self::Database => "database",
            Self::Cache => "cache",
            Self::Exporter => "exporter",
            Self::Watcher => "watcher",
        }
    }
}

/// The thing that was watched.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Entity {
    /// Its kind.
    pub kind: EntityKind,
    /// Its name on the host: `java[8080]`, `HikariPool-1`; empty for the host itself.
    pub name: String,
    /// The host it is on, as the plan or the agent names it.
    pub host: String,
}

impl Entity {
    /// A thing of that kind and name on a host, to be shared by its series.
    #[must_use]
    pub fn new(kind: EntityKind, name: impl Into<String>, host: impl Into<String>) -> Arc<Self> {
        Arc::new(Self {
            kind,
            name: name.into(),
            host: host.into(),
        })
    }
}

impl fmt::Display for Entity {
    /// `process java[8080] @ web1`; a host is `host web1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name.as_str() {
            "" => write!(f, "{} {}", self.kind.name(), self.host),
            name => write!(f, "{} {name} @ {}", self.kind.name(), self.host),
        }
    }
}

/// How the values of a series are to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeriesKind {
    /// The value at that moment.
    Gauge,
    /// A sum that only grows, but for a restart, after which it begins again at or near zero.
    Counter,
}

/// What a series is known by: the thing, the name, its attributes, the unit and the kind.
/// Names, attributes and units follow OpenTelemetry's semantic conventions where there are
/// any (units are UCUM: `s`, `By`, `1`, `{thread}`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SeriesKey {
    /// The thing.
    #[serde(with = "shared")]
    pub entity: Arc<Entity>,
    /// The name, such as `system.cpu.time`.
    pub name: Cow<'static, str>,
    /// Attributes, sorted by name: `[("cpu.mode", "user")]`.
    pub attributes: Vec<(Cow<'static, str>, String)>,
    /// The unit.
    pub unit: Cow<'static, str>,
    /// The kind.
    pub kind: SeriesKind,
}

impl SeriesKey {
    /// The value of an attribute.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// A number for a series within one run or one connection.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct SeriesId(pub u32);

/// Something about a thing that is no number or seldom changes: a version, a setting.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Fact {
    /// The thing.
    #[serde(with = "shared")]
    pub entity: Arc<Entity>,
    /// What it is: `server.tomcat.threads.max`.
    pub name: String,
    /// Its value; secrets are redacted before it gets here.
    pub value: String,
}

/// An [`Entity`] behind an [`Arc`], for serde: as the entity itself.
pub mod shared {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Entity;

    /// Writes the entity.
    ///
    /// # Errors
    /// The serializer's.
    pub fn serialize<S: Serializer>(entity: &Arc<Entity>, to: S) -> Result<S::Ok, S::Error> {
        entity.as_ref().serialize(to)
    }

    /// Reads the entity.
    ///
    /// # Errors
    /// The deserializer's.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<Entity>, D::Error> {
        Entity::deserialize(from).map(Arc::new)
    }
}

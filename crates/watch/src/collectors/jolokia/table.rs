//! Which beans are read, and what their attributes are to us.

use plimsoll_stats::series::EntityKind::{self, Jvm, Pool, WebServer};
use serde_json::Value;

use crate::collectors::jvm::family::{action_of, counts_pauses, is_cycle};
use crate::names::{SeriesName, jvm, pool, web_server as web};

/// An attribute that is a text, ours for it, and its values as we write them.
type Text = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

/// Our attribute, and what a bean's name says of it.
type Named = (&'static str, fn(&str) -> Option<&'static str>);

/// A kind of bean.
pub(super) struct Bean {
    /// Its name, or a pattern.
    pub(super) pattern: &'static str,
    pub(super) of: EntityKind,
    /// The property of its name that tells beans apart, and our attribute for it.
    pub(super) property: Option<(&'static str, &'static str)>,
    /// A text that becomes an attribute.
    text: Option<Text>,
    /// An attribute that its name says.
    pub(super) named: Option<Named>,
    pub(super) fields: &'static [BeanField],
    /// Attributes that are facts, and what these are called after.
    pub(super) facts: &'static [&'static str],
    pub(super) facts_of: &'static str,
}

impl Bean {
    /// All attributes to ask for.
    pub(super) fn attributes(&self) -> impl Iterator<Item = &'static str> {
        let fields = self.fields.iter().map(|field| field.path[0]);
        fields
            .chain(self.facts.iter().copied())
            .chain(self.text.iter().map(|text| text.0))
    }

    pub(super) fn text(&self, values: &Value) -> Option<(&'static str, String)> {
        let (from, to, known) = self.text?;
        let value = values[from].as_str()?;
        let ours = known.iter().find(|(theirs, _)| *theirs == value);
        Some((to, ours.map_or(value, |(_, ours)| ours).to_owned()))
    }
}

/// A number of a bean.
pub(super) struct BeanField {
    /// The attribute, and the part of it.
    path: &'static [&'static str],
    pub(super) metric: &'static SeriesName,
    pub(super) fixed: &'static [(&'static str, &'static str)],
    /// Our unit in theirs.
    scale: f64,
    /// Of beans of which names it is told.
    of: fn(&str) -> bool,
    /// Summed over beans, without their names.
    pub(super) summed: bool,
}

impl BeanField {
    /// The number; none where the bean says -1: no limit, or it cannot tell.
    pub(super) fn value(&self, name: &str, values: &Value) -> Option<f64> {
        if !(self.of)(name) {
            return None;
        }
        let value = self.path.iter().fold(values, |value, part| &value[*part]);
        let number = value.as_f64().filter(|number| *number >= 0.0)?;
        Some(number * self.scale)
    }
}

const fn field(path: &'static [&'static str], metric: &'static SeriesName) -> BeanField {
    BeanField {
        path,
        metric,
        fixed: &[],
        scale: 1.0,
        of: |_| true,
        summed: false,
    }
}

impl BeanField {
    const fn fixed(self, fixed: &'static [(&'static str, &'static str)]) -> Self {
        Self { fixed, ..self }
    }

    const fn scale(self, scale: f64) -> Self {
        Self { scale, ..self }
    }

    const fn of(self, of: fn(&str) -> bool) -> Self {
        Self { of, ..self }
    }

    const fn summed(self) -> Self {
        Self {
            summed: true,
            ..self
        }
    }
}

const fn bean(pattern: &'static str, of: EntityKind, fields: &'static [BeanField]) -> Bean {
    Bean {
        pattern,
        of,
        property: None,
        text: None,
        named: None,
        fields,
        facts: &[],
        facts_of: "",
    }
}

impl Bean {
    const fn by(self, property: &'static str, attribute: &'static str) -> Self {
        Self {
            property: Some((property, attribute)),
            ..self
        }
    }

    const fn facts(self, of: &'static str, facts: &'static [&'static str]) -> Self {
        Self {
            facts,
            facts_of: of,
            ..self
        }
    }
}

const USER_THREADS: &[(&str, &str)] = &[("jvm.thread.daemon", "false")];
const TYPES: &[(&str, &str)] = &[("HEAP", "heap"), ("NON_HEAP", "non_heap")];
const USED: &[(&str, &str)] = &[("db.client.connection.state", "used")];
const IDLE: &[(&str, &str)] = &[("db.client.connection.state", "idle")];

/// All of them. Domains differ: embedded Tomcat is `Tomcat`, a Tomcat of its own `Catalina`.
pub(super) static BEANS: &[Bean] = &[
    bean("*:type=ThreadPool,name=*", WebServer, THREAD_POOL)
        .by("name", "tomcat.thread.pool.name")
        .facts(
            "tomcat",
            &[
                "maxThreads",
                "minSpareThreads",
                "acceptCount",
                "maxConnections",
                "keepAliveTimeout",
                "maxKeepAliveRequests",
                "connectionTimeout",
            ],
        ),
    bean("*:type=GlobalRequestProcessor,name=*", WebServer, PROCESSOR)
        .by("name", "tomcat.request.processor.name"),
    bean("*:type=Manager,context=*,host=*", WebServer, SESSIONS),
    bean("org.xnio:type=Xnio,provider=*,worker=*", WebServer, XNIO)
        .by("worker", "undertow.worker.name"),
    // One for each address that the worker serves.
    bean(
        "org.xnio:type=Xnio,provider=*,worker=*,address=*",
        WebServer,
        XNIO_SERVER,
    )
    .by("worker", "undertow.worker.name"),
    bean("com.zaxxer.hikari:type=Pool (*)", Pool, HIKARI)
        .by("type", "db.client.connection.pool.name"),
    bean("com.zaxxer.hikari:type=PoolConfig (*)", Pool, HIKARI_CONFIG)
        .by("type", "db.client.connection.pool.name"),
    Bean {
        text: Some(("Type", "jvm.memory.type", TYPES)),
        ..bean("java.lang:type=MemoryPool,name=*", Jvm, MEMORY_POOL)
            .by("name", "jvm.memory.pool.name")
    },
    Bean {
        named: Some(("jvm.gc.action", action_of)),
        ..bean("java.lang:type=GarbageCollector,name=*", Jvm, COLLECTOR).by("name", "jvm.gc.name")
    },
    bean("java.nio:type=BufferPool,name=*", Jvm, BUFFERS).by("name", "jvm.buffer.pool.name"),
    bean("java.lang:type=Threading", Jvm, THREADING),
    bean("java.lang:type=ClassLoading", Jvm, CLASSES),
    bean("java.lang:type=OperatingSystem", Jvm, SYSTEM),
    bean("java.lang:type=Compilation", Jvm, COMPILATION),
    bean("java.lang:type=Runtime", Jvm, RUNTIME)
        .facts("jvm", &["VmName", "VmVendor", "VmVersion", "SpecVersion"]),
];

static THREAD_POOL: &[BeanField] = &[
    field(&["currentThreadCount"], &web::TOMCAT_THREADS),
    field(&["currentThreadsBusy"], &web::TOMCAT_BUSY),
    field(&["maxThreads"], &web::TOMCAT_THREAD_LIMIT),
    field(&["connectionCount"], &web::TOMCAT_CONNECTIONS),
    field(&["keepAliveCount"], &web::TOMCAT_KEEP_ALIVE),
    field(&["maxConnections"], &web::TOMCAT_CONNECTION_LIMIT),
    field(&["acceptCount"], &web::TOMCAT_ACCEPT_LIMIT),
];

static PROCESSOR: &[BeanField] = &[
    field(&["requestCount"], &web::TOMCAT_REQUESTS),
    field(&["errorCount"], &web::TOMCAT_ERRORS),
    field(&["processingTime"], &web::TOMCAT_REQUEST_TIME).scale(1e-3),
    field(&["maxTime"], &web::TOMCAT_REQUEST_MAX).scale(1e-3),
    field(&["bytesReceived"], &web::TOMCAT_IO).fixed(&[("network.io.direction", "receive")]),
    field(&["bytesSent"], &web::TOMCAT_IO).fixed(&[("network.io.direction", "transmit")]),
];

static SESSIONS: &[BeanField] = &[
    field(&["activeSessions"], &web::TOMCAT_SESSIONS),
    field(&["maxActive"], &web::TOMCAT_SESSIONS_PEAK),
    field(&["sessionCounter"], &web::TOMCAT_SESSIONS_CREATED),
    field(&["expiredSessions"], &web::TOMCAT_SESSIONS_EXPIRED),
    field(&["rejectedSessions"], &web::TOMCAT_SESSIONS_REJECTED),
];

static XNIO: &[BeanField] = &[
    field(&["WorkerPoolSize"], &web::UNDERTOW_THREADS),
    field(&["BusyWorkerThreadCount"], &web::UNDERTOW_BUSY),
    field(&["MaxWorkerPoolSize"], &web::UNDERTOW_THREAD_LIMIT),
    field(&["IoThreadCount"], &web::UNDERTOW_IO_THREADS),
    field(&["WorkerQueueSize"], &web::UNDERTOW_QUEUE),
];

static XNIO_SERVER: &[BeanField] = &[field(&["ConnectionCount"], &web::UNDERTOW_CONNECTIONS)];

static HIKARI: &[BeanField] = &[
    field(&["ActiveConnections"], &pool::CONNECTIONS).fixed(USED),
    field(&["IdleConnections"], &pool::CONNECTIONS).fixed(IDLE),
    field(&["ThreadsAwaitingConnection"], &pool::PENDING),
];

static HIKARI_CONFIG: &[BeanField] = &[
    field(&["MaximumPoolSize"], &pool::MAX),
    field(&["MinimumIdle"], &pool::IDLE_MIN),
];

static MEMORY_POOL: &[BeanField] = &[
    field(&["Usage", "used"], &jvm::MEMORY_USED),
    field(&["Usage", "committed"], &jvm::MEMORY_COMMITTED),
    field(&["Usage", "max"], &jvm::MEMORY_LIMIT),
    field(
        &["CollectionUsage", "used"],
        &jvm::MEMORY_USED_AFTER_LAST_GC,
    ),
];

static COLLECTOR: &[BeanField] = &[
    field(&["CollectionCount"], &jvm::GC_PAUSE_COUNT).of(counts_pauses),
    field(&["CollectionTime"], &jvm::GC_PAUSE_TIME)
        .scale(1e-3)
        .of(|name| !is_cycle(name)),
    field(&["CollectionTime"], &jvm::GC_CONCURRENT_TIME)
        .scale(1e-3)
        .of(is_cycle)
        .summed(),
];

static BUFFERS: &[BeanField] = &[
    field(&["MemoryUsed"], &jvm::BUFFER_MEMORY_USED),
    field(&["TotalCapacity"], &jvm::BUFFER_MEMORY_LIMIT),
    field(&["Count"], &jvm::BUFFER_COUNT),
];

static THREADING: &[BeanField] = &[
    field(&["DaemonThreadCount"], &jvm::THREAD_COUNT).fixed(&[("jvm.thread.daemon", "true")]),
    field(&["ThreadCount"], &jvm::THREAD_COUNT).fixed(USER_THREADS),
    field(&["DaemonThreadCount"], &jvm::THREAD_COUNT)
        .fixed(USER_THREADS)
        .scale(-1.0),
    field(&["PeakThreadCount"], &jvm::THREAD_PEAK),
    field(&["TotalStartedThreadCount"], &jvm::THREAD_STARTED),
];

static CLASSES: &[BeanField] = &[
    field(&["LoadedClassCount"], &jvm::CLASS_COUNT),
    field(&["TotalLoadedClassCount"], &jvm::CLASS_LOADED),
    field(&["UnloadedClassCount"], &jvm::CLASS_UNLOADED),
];

static SYSTEM: &[BeanField] = &[
    field(&["ProcessCpuTime"], &jvm::CPU_TIME).scale(1e-9),
    field(&["ProcessCpuLoad"], &jvm::CPU_RECENT_UTILIZATION),
    field(&["AvailableProcessors"], &jvm::CPU_COUNT),
];

static COMPILATION: &[BeanField] =
    &[field(&["TotalCompilationTime"], &jvm::COMPILATION_TIME).scale(1e-3)];

static RUNTIME: &[BeanField] = &[field(&["Uptime"], &jvm::UPTIME).scale(1e-3)];

//! What kinds of knobs, places and ways are called in JSON.

use crate::knob::{Applies, Gives, KnobUnit, PlaceKind, ReadWay};

impl KnobUnit {
    /// Its name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Bytes => "bytes",
            Self::Milliseconds => "milliseconds",
            Self::Percent => "percent",
            Self::Word => "word",
        }
    }
}

impl Applies {
    /// Its name in JSON and in the ids of texts.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AtOnce => "at-once",
            Self::Reload => "reload",
            Self::Restart => "restart",
        }
    }
}

impl Gives {
    /// Its name in studies, JSON and the ids of texts.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Durability => "durability",
            Self::Isolation => "isolation",
            Self::Data => "data",
            Self::Logs => "logs",
        }
    }
}

impl PlaceKind {
    /// Its name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Spring => "spring",
            Self::SystemProperty => "system-property",
            Self::Jvm => "jvm",
            Self::Argument => "argument",
            Self::Environment => "environment",
            Self::Xml => "xml",
            Self::Properties => "properties",
            Self::Nginx => "nginx",
            Self::MyCnf => "my.cnf",
            Self::Ini => "ini",
            Self::Python => "python",
            Self::Redis => "redis.conf",
            Self::Postgres => "postgresql.conf",
            Self::Sysctl => "sysctl",
            Self::ValueFile => "value",
        }
    }
}

impl ReadWay {
    /// Its kind, and the name that is looked for.
    #[must_use]
    pub const fn parts(self) -> (&'static str, &'static str) {
        match self {
            Self::Actuator(name) | Self::ActuatorEnvironment(name) => ("actuator", name),
            Self::Meter(name) => ("meter", name),
            Self::JvmFlag(name) => ("jvm-flag", name),
            Self::Argument(name) => ("argument", name),
            Self::Environment(name) => ("environment", name),
            Self::NginxConfig => ("nginx-config", ""),
            Self::NginxWorkers => ("nginx-workers", ""),
            Self::NginxOpenFiles => ("nginx-open-files", ""),
            Self::Backlog => ("backlog", ""),
            Self::Variable(name) => ("sql-variable", name),
            Self::RedisConfig(name) => ("redis-config", name),
            Self::PostgresSetting(name) => ("postgres-setting", name),
            Self::KernelFile(name) => ("kernel-file", name),
            Self::CgroupFile(name) => ("cgroup-file", name),
            Self::OpenFiles => ("open-files", ""),
        }
    }
}

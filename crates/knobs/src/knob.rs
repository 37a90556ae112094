//! What a knob is.

use plimsoll_text::Message;

/// A setting by name.
#[derive(Debug)]
pub struct Knob {
    /// `family.name`, such as `tomcat.threads.max`; its text is `knob-family-name`.
    pub id: &'static str,
    /// What it may be.
    pub range: KnobRange,
    /// What its numbers count.
    pub unit: KnobUnit,
    /// What it is where nobody sets it, and in which versions.
    pub default: &'static [KnobDefault],
    /// What has to happen before it holds.
    pub applies: Applies,
    /// What is given up for speed. Such a knob is turned only where a study names it.
    pub gives: Option<Gives>,
    /// What must hold for it to mean anything.
    pub conditions: &'static [Condition],
    /// Where it can be written.
    pub places: &'static [KnobPlace],
    /// How a running target shows it, best first. Empty: nothing does.
    pub reads: &'static [ReadWay],
    /// The least and the most that the program may make of a number; none: it takes each number as it is.
    pub rounds: Option<fn(f64) -> [f64; 2]>,
    /// Those of the values beside its numbers for which the program takes a number of its own.
    pub automatic: &'static [&'static str],
    /// The page of its maker's manual.
    pub source: &'static str,
}

/// Knobs of one server or library.
#[derive(Debug)]
pub struct Family {
    /// Its name, such as `tomcat`; its text is `knobs-family-name`.
    pub id: &'static str,
    /// Its knobs.
    pub knobs: &'static [Knob],
}

/// What a knob may be. The bounds are those between which a search looks: wider than what is common,
/// narrower than what the program takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum KnobRange {
    /// A number between two, both included.
    Number {
        /// The least, in the knob's unit.
        least: f64,
        /// The most.
        most: f64,
        /// How its values are spaced.
        scale: KnobScale,
        /// Whole numbers only.
        whole: bool,
        /// Further values that are no number between the bounds (`auto`, `off`, `-1`).
        also: &'static [&'static str],
    },
    /// One of several words.
    Choice(&'static [&'static str]),
    /// `on` or `off`, however the place spells it.
    Switch,
    /// A text, whose choices only a study can know.
    Text,
}

/// How the values of a number are spaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnobScale {
    /// A step is a difference.
    Linear,
    /// A step is a factor.
    Log,
}

/// What the numbers of a knob count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnobUnit {
    /// Things: threads, connections.
    Count,
    /// Bytes.
    Bytes,
    /// Milliseconds.
    Milliseconds,
    /// Parts of a hundred.
    Percent,
    /// It has no numbers.
    Word,
}

/// A default and where it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnobDefault {
    /// As the program's manual writes it; empty where it is derived.
    pub value: &'static str,
    /// The versions; none: all.
    pub versions: &'static str,
    /// How it is derived: its text is `knobs-derived-…`.
    pub derived: Option<&'static str>,
}

/// What has to happen before a changed value holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Applies {
    /// Nothing: it holds once it is written there (SQL, `/proc`, a cgroup's file).
    AtOnce,
    /// A reload, which keeps what is being served.
    Reload,
    /// A restart.
    Restart,
}

/// What a knob can give up for speed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gives {
    /// What was confirmed may be lost in a crash.
    Durability,
    /// Transactions may see what others have not finished, or numbers that change.
    Isolation,
    /// Data may be thrown away while the server runs.
    Data,
    /// Lines of logs may be lost.
    Logs,
}

/// What must hold for a knob to mean anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// Another knob is one of these.
    When {
        /// The other's id.
        knob: &'static str,
        /// Its values.
        is: &'static [&'static str],
    },
    /// It is no more than another knob's value.
    AtMost {
        /// The other's id.
        knob: &'static str,
        /// The program does not start otherwise; else it takes the other's value, or warns.
        refuses: bool,
    },
    /// Another knob is not set: that one holds where both are.
    Without(&'static str),
    /// A version or library is there, by its name: `Java 21`.
    Needs(&'static str),
}

/// One place where a knob can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnobPlace {
    /// Which kind of file or command.
    pub kind: PlaceKind,
    /// The address there ([`crate::Address`]).
    pub address: &'static str,
    /// How a value is spelled there.
    pub spelling: Spelling,
    /// The attribute of the same element of XML with which the program takes no notice of this one.
    pub unless: Option<&'static str>,
}

/// Kinds of places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlaceKind {
    /// A property of Spring Boot: in its files, as an argument, a system property or a variable.
    Spring,
    /// A Java system property (`-D`).
    SystemProperty,
    /// An option of the JVM.
    Jvm,
    /// An argument of the start command.
    Argument,
    /// A variable of the start command's environment.
    Environment,
    /// An attribute or element of an XML file.
    Xml,
    /// A key of a properties file that is not Spring's.
    Properties,
    /// A directive of nginx.
    Nginx,
    /// An option of MySQL or MariaDB.
    MyCnf,
    /// A key of an ini file.
    Ini,
    /// A name that a file of Python assigns.
    Python,
    /// A directive of Redis.
    Redis,
    /// A parameter of PostgreSQL.
    Postgres,
    /// A kernel parameter.
    Sysctl,
    /// A file that holds the value alone, below `/sys` or a cgroup.
    ValueFile,
}

/// How a value is spelled in a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// A number of the unit, a word as it is.
    Plain,
    /// Bytes with `k`, `m` or `g` where they are whole.
    Size,
    /// As Spring's `DataSize` has it: `KB`, `MB`, `GB`, in capitals alone.
    SpringSize,
    /// As Redis has it: `kb`, `mb`, `gb`; without the `b` it counts in thousands.
    RedisSize,
    /// As PostgreSQL has it: `kB`, `MB`, `GB`; a number alone counts units of so many bytes. What is no whole `kB` has
    /// no word.
    PostgresSize(u32),
    /// A number with a point, whole ones too: `50.0`.
    Decimal,
    /// Milliseconds as a plain number of seconds.
    Seconds,
    /// Milliseconds with their unit: `1500ms`, `20s`.
    Duration,
    /// `true` and `false`.
    TrueFalse,
    /// `yes` and `no`.
    YesNo,
    /// `1` and `0`.
    OneZero,
    /// The word is there, or it is not.
    Present,
}

/// How a running target shows a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadWay {
    /// Spring's actuator, by the name of a property that a bean is made of (`configprops`; after all other ways `env`,
    /// which shows what is written, also where no bean reads it).
    Actuator(&'static str),
    /// The same of a property that is read without a bean, or of a part that `configprops` leaves out (an object of another
    /// package that has no setter, as `server.compression`).
    ActuatorEnvironment(&'static str),
    /// A meter of the actuator whose value is the setting.
    Meter(&'static str),
    /// An option of the JVM, by its name: from its performance data, else from its command line.
    JvmFlag(&'static str),
    /// An argument of the process as `/proc` has it, by its [`crate::Address`].
    Argument(&'static str),
    /// A variable of the process's environment as `/proc` has it.
    Environment(&'static str),
    /// nginx' configuration on disk, with workers younger than the last change of its files.
    NginxConfig,
    /// How many workers nginx has.
    NginxWorkers,
    /// The limit of open files that nginx' workers have.
    NginxOpenFiles,
    /// The accept queue that the kernel keeps for the listening socket.
    Backlog,
    /// A variable of MySQL or MariaDB.
    Variable(&'static str),
    /// `CONFIG GET` of Redis.
    RedisConfig(&'static str),
    /// `SHOW` of PostgreSQL.
    PostgresSetting(&'static str),
    /// A file of the kernel that holds the value.
    KernelFile(&'static str),
    /// A file of the component's cgroup.
    CgroupFile(&'static str),
    /// The limit of open files of the process.
    OpenFiles,
}

impl Knob {
    /// A number of things between two, spaced by factors.
    #[must_use]
    pub const fn counts(id: &'static str, least: i64, most: i64) -> Self {
        Self::number(id, KnobUnit::Count, least, most, KnobScale::Log)
    }

    /// A number of bytes between two, spaced by factors.
    #[must_use]
    pub const fn bytes(id: &'static str, least: i64, most: i64) -> Self {
        Self::number(id, KnobUnit::Bytes, least, most, KnobScale::Log)
    }

    /// A time between two, in milliseconds, spaced by factors.
    #[must_use]
    pub const fn millis(id: &'static str, least: i64, most: i64) -> Self {
        Self::number(id, KnobUnit::Milliseconds, least, most, KnobScale::Log)
    }

    /// A part of a hundred between two.
    #[must_use]
    pub const fn percent(id: &'static str, least: i64, most: i64) -> Self {
        Self::number(id, KnobUnit::Percent, least, most, KnobScale::Linear)
    }

    /// A number of whole units between two.
    #[must_use]
    #[allow(clippy::cast_precision_loss)]
    pub const fn number(
        id: &'static str,
        unit: KnobUnit,
        least: i64,
        most: i64,
        scale: KnobScale,
    ) -> Self {
        let range = KnobRange::Number {
            least: least as f64,
            most: most as f64,
            scale,
            whole: true,
            also: &[],
        };
        Self::of(id, range, unit)
    }

    /// On or off.
    #[must_use]
    pub const fn switch(id: &'static str) -> Self {
        Self::of(id, KnobRange::Switch, KnobUnit::Word)
    }

    /// One of several words.
    #[must_use]
    pub const fn choice(id: &'static str, words: &'static [&'static str]) -> Self {
        Self::of(id, KnobRange::Choice(words), KnobUnit::Word)
    }

    /// A text whose choices a study knows.
    #[must_use]
    pub const fn text(id: &'static str) -> Self {
        Self::of(id, KnobRange::Text, KnobUnit::Word)
    }

    /// A knob with nothing but a name and a range, for what restarts.
    const fn of(id: &'static str, range: KnobRange, unit: KnobUnit) -> Self {
        Self {
            id,
            range,
            unit,
            default: &[],
            applies: Applies::Restart,
            gives: None,
            conditions: &[],
            places: &[],
            reads: &[],
            rounds: None,
            automatic: &[],
            source: "",
        }
    }

    /// The same, whose program makes a number between these of each.
    #[must_use]
    pub const fn rounded(mut self, between: fn(f64) -> [f64; 2]) -> Self {
        self.rounds = Some(between);
        self
    }

    /// The same with values beside its numbers.
    #[must_use]
    pub const fn also(mut self, words: &'static [&'static str]) -> Self {
        if let KnobRange::Number { also, .. } = &mut self.range {
            *also = words;
        }
        self
    }

    /// The same with values beside its numbers for which the program takes a number of its own.
    #[must_use]
    pub const fn automatic(mut self, words: &'static [&'static str]) -> Self {
        self.automatic = words;
        self.also(words)
    }

    /// The same, by differences.
    #[must_use]
    pub const fn linear(mut self) -> Self {
        if let KnobRange::Number { scale, .. } = &mut self.range {
            *scale = KnobScale::Linear;
        }
        self
    }

    /// The same, with parts of numbers.
    #[must_use]
    pub const fn parts(mut self) -> Self {
        if let KnobRange::Number { whole, .. } = &mut self.range {
            *whole = false;
        }
        self
    }

    /// The part of the id before its first dot: its family.
    #[must_use]
    pub fn family(&self) -> &'static str {
        self.id
            .split_once('.')
            .map_or(self.id, |(family, _)| family)
    }

    /// What it does, in a line.
    #[must_use]
    pub fn message(&self) -> Message {
        Message::new(format!("knob-{}", self.id.replace('.', "-")))
    }

    /// Where it is written in places of a kind.
    pub fn places_of(&self, kind: PlaceKind) -> impl Iterator<Item = &'static KnobPlace> {
        self.places.iter().filter(move |place| place.kind == kind)
    }
}

impl KnobDefault {
    /// A default and the versions that have it.
    #[must_use]
    pub const fn new(value: &'static str, versions: &'static str) -> Self {
        Self {
            value,
            versions,
            derived: None,
        }
    }

    /// A default that depends on something else.
    #[must_use]
    pub const fn derived(how: &'static str) -> Self {
        Self {
            value: "",
            versions: "",
            derived: Some(how),
        }
    }
}

impl KnobPlace {
    /// An address in places of a kind, its values spelled plainly.
    #[must_use]
    pub const fn new(kind: PlaceKind, address: &'static str) -> Self {
        Self {
            kind,
            address,
            spelling: Spelling::Plain,
            unless: None,
        }
    }

    /// The same with another spelling.
    #[must_use]
    pub const fn spelled(mut self, spelling: Spelling) -> Self {
        self.spelling = spelling;
        self
    }

    /// The same, which means nothing beside that attribute.
    #[must_use]
    pub const fn unless(mut self, attribute: &'static str) -> Self {
        self.unless = Some(attribute);
        self
    }
}

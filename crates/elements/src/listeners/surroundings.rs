//! What listeners know of the run.

use std::fmt;
use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use plimsoll_access::Access;

use crate::context::Properties;

use super::files::Files;
use super::readings::TargetReadings;
use super::totals::Summaries;

/// What listeners know of the run. Clones share what the listeners of a run share.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// What they may do on this host.
    pub access: Access,
    /// JMeter's properties, `jmeter.save.saveservice.*` among them.
    pub properties: Properties,
    /// The folder that relative file names start from (JMeter: the working directory).
    pub folder: PathBuf,
    /// The folder of the plan, for file names that begin with `~/`.
    pub plan_folder: PathBuf,
    /// The name of this host, as JMeter puts it into results.
    pub host: String,
    /// The offset of local time to UTC and the zone are the system's unless a test sets this.
    pub time_zone: Option<String>,
    /// The plan's "functional test mode": bodies and requests are saved whatever the listener
    /// says.
    pub functional_mode: bool,
    /// Where lines for people at the terminal go.
    pub output: ConsoleOutput,
    /// How many users there are; the engine keeps it up to date.
    pub threads: Arc<ThreadCounts>,
    /// The time of day.
    pub clock: ListenerClock,
    /// Which hosts may be sent to.
    pub hosts: HostCheck,
    /// What is seen of the target.
    pub readings: TargetReadings,
    pub(super) files: Files,
    pub(super) summaries: Summaries,
}

/// Users of the run.
#[derive(Debug, Default)]
pub struct ThreadCounts {
    /// At work now.
    pub active: AtomicU32,
    /// That have begun so far.
    pub started: AtomicU32,
    /// That have ended so far.
    pub finished: AtomicU32,
    /// That the plan's groups have at most, together.
    pub planned: AtomicU32,
}

/// Where lines for people go; nowhere unless set.
#[derive(Clone, Default)]
pub struct ConsoleOutput(Option<Arc<Mutex<dyn Write + Send>>>);

impl ConsoleOutput {
    /// Lines go to this writer.
    #[must_use]
    pub fn to(writer: Arc<Mutex<dyn Write + Send>>) -> Self {
        Self(Some(writer))
    }

    /// Writes a line. What cannot be written is lost: nobody could be told.
    pub(super) fn line(&self, text: &str) {
        if let Some(writer) = &self.0 {
            let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = writeln!(writer, "{text}").and_then(|()| writer.flush());
        }
    }
}

impl fmt::Debug for ConsoleOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Output({})", self.0.is_some())
    }
}

/// Milliseconds since 1970-01-01 UTC; the system's clock unless a test sets another.
#[derive(Clone, Default)]
pub struct ListenerClock(Option<Arc<dyn Fn() -> u64 + Send + Sync>>);

impl ListenerClock {
    /// A clock of a test's own.
    #[must_use]
    pub fn new(now: Arc<dyn Fn() -> u64 + Send + Sync>) -> Self {
        Self(Some(now))
    }

    /// Milliseconds since 1970-01-01 UTC.
    #[must_use]
    pub fn unix_ms(&self) -> u64 {
        match &self.0 {
            Some(now) => now(),
            None => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH);
                since.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(0))
            }
        }
    }
}

impl fmt::Debug for ListenerClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Clock({})",
            if self.0.is_some() { "set" } else { "system" }
        )
    }
}

/// Which hosts listeners may send to; only this machine unless set.
#[derive(Clone, Default)]
pub struct HostCheck(Option<Arc<dyn HostRule>>);

/// Which hosts may be sent to.
pub trait HostRule: Send + Sync {
    /// Whether a host (a name or an address) may be asked for on a port.
    fn allows(&self, host: &str, port: u16) -> bool;
    /// Whether it may lead to an address.
    fn leads(&self, host: &str, to: SocketAddr) -> bool;
}

impl HostCheck {
    /// By a rule.
    #[must_use]
    pub fn new(rule: Arc<dyn HostRule>) -> Self {
        Self(Some(rule))
    }

    /// Whether a host (a name or an address) may be asked for on a port.
    #[must_use]
    pub fn allows(&self, host: &str, port: u16) -> bool {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        match &self.0 {
            Some(rule) => rule.allows(bare, port),
            None => is_loopback(bare),
        }
    }

    /// Whether a host that was asked for may lead to an address.
    #[must_use]
    pub fn leads(&self, host: &str, to: SocketAddr) -> bool {
        match &self.0 {
            Some(rule) => rule.leads(host, to),
            None => to.ip().to_canonical().is_loopback(),
        }
    }
}

/// Whether a host is this one by its name or address.
#[must_use]
pub fn is_loopback(bare: &str) -> bool {
    bare == "localhost" || bare.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

impl fmt::Debug for HostCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "HostCheck({})",
            if self.0.is_some() { "set" } else { "loopback" }
        )
    }
}

impl Surroundings {
    /// A file's place: names that begin with `~/` (or what the property
    /// `jmeter.save.saveservice.base_prefix` says) start from the plan's folder (5.6.3,
    /// `FileServer.resolveBaseRelativeName`).
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        let prefix = self.properties.get("jmeter.save.saveservice.base_prefix");
        match name.strip_prefix(prefix.as_deref().unwrap_or("~/")) {
            Some(rest) => self.plan_folder.join(rest),
            None => self.folder.join(Path::new(name)),
        }
    }

    /// The names in `sample_variables`.
    #[must_use]
    pub fn sample_variables(&self) -> Vec<String> {
        let names = self.properties.get("sample_variables").unwrap_or_default();
        let mut names: Vec<String> = names.split(',').map(str::to_owned).collect();
        // As Java's split: empty names at the end do not count.
        while names.last().is_some_and(String::is_empty) {
            names.pop();
        }
        names
    }
}

//! What all users of a run share of JMeter's things.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use plimsoll_access::Access;
use plimsoll_companion::Companion;
use plimsoll_elements::listeners::{Namer, ThreadCounts};
use plimsoll_elements::{Evaluated, Properties, Shared};
use plimsoll_plan::program::{ElementId, ElementProgram, PackageId, Program, SiteId, Template};
use plimsoll_text::Message;

use super::allowed;
use super::bound::{BoundElement, BoundPackage, BoundProgram, has_elements};
use super::http::keystore::ClientKeys;
use super::listeners::{Listeners, Outlet};
use super::needs::Needs;
use super::options::JMeterOptions;
use super::table_server::TableServer;
use plimsoll_load::engine::Event;
use plimsoll_load::kit::extract::BindError;
use plimsoll_load::kit::shared::Meeting;

/// Lines of the log that become events of the run; a plan that logs each sample must not
/// fill the run's record.
const MAX_LOG_LINES: u32 = 100;

/// What all users of a run share.
pub struct JMeterRun {
    /// What the plan may do on this host.
    pub access: Access,
    /// JMeter's properties.
    pub properties: Properties,
    /// The elements.
    pub bound: BoundProgram,
    packages: OnceLock<Vec<BoundPackage>>,
    /// Client certificates, once they were read; none when the run has none.
    pub(crate) client_keys: OnceLock<Option<Arc<ClientKeys>>>,
    /// What was told from outside.
    pub(crate) options: JMeterOptions,
    /// What is evaluated before the run.
    pub(crate) prepared: OnceLock<PreparedElements>,
    /// What listeners do on the user's own thread, by their number.
    pub(crate) namers: OnceLock<Vec<Option<Arc<dyn Namer>>>>,
    /// The companion and what its elements set when the test began.
    pub(crate) companion: OnceLock<Beside>,
    pub(crate) starting: OnceLock<Companion>,
    counts: Arc<ThreadCounts>,
    /// Its folder.
    pub plan_folder: PathBuf,
    /// The variables that listeners are told of with each sample.
    pub sample_variables: Vec<String>,
    /// What the delays of random timers are multiplied by (the property `timer.factor`).
    pub timer_factor: f64,
    /// Where users meet, by the timer's element.
    pub(crate) meetings: HashMap<ElementId, RendezvousPlace>,
    /// The listeners' thread, while the run lasts.
    pub(crate) listeners: Mutex<Option<Listeners>>,
    /// The Simple Table Server, if the properties ask for it.
    pub(crate) table_server: Mutex<Option<TableServer>>,
    /// Users at work, by scenario: setup, scenarios and teardown in this order.
    users: Vec<AtomicU32>,
    /// When the run began: milliseconds since 1970-01-01 UTC.
    start_unix_ms: AtomicU64,
    /// What was due before is not made up for, in the same.
    due_from_unix_ms: AtomicU64,
    sites: Vec<Shared>,
    /// What is kept for the whole run, for no place in the plan
    /// ([`plimsoll_elements::context::EVERYWHERE`]).
    everywhere: Shared,
    logged: AtomicU32,
    events: Mutex<Option<Sender<Event>>>,
}

/// The companion, and what its elements set when the test began.
pub(crate) struct Beside {
    pub companion: Companion,
    pub variables: Vec<(String, String)>,
}

/// Elements with the texts that they have before the run.
pub(crate) struct PreparedElements {
    /// The plan's listeners, in their order.
    pub listeners: Vec<Evaluated>,
    /// The companion's elements.
    pub remote: Vec<Evaluated>,
}

/// Where users meet.
pub(crate) struct RendezvousPlace {
    /// The place.
    pub point: Meeting,
    /// Longest wait; 0: for ever.
    pub timeout_ms: u64,
}

impl JMeterRun {
    /// Binds a program's elements.
    ///
    /// # Errors
    /// All mistakes.
    pub fn new(
        program: &Program,
        options: &JMeterOptions,
        access: &Access,
    ) -> Result<Arc<Self>, Vec<BindError>> {
        if has_elements(program) {
            set_start(&options.properties);
        }
        let scenarios = program.setup.len() + program.scenarios.len() + program.teardown.len();
        let variables = options.properties.get("sample_variables");
        let names = variables.as_deref().unwrap_or_default().split(',');
        let mut sites = Vec::new();
        sites.resize_with(program.sites as usize, Shared::default);
        let bound = BoundProgram::new(program, options)?;
        allowed::check(program, &bound, access)?;
        let factor = options.properties.get("timer.factor");
        Ok(Arc::new(Self {
            access: access.clone(),
            packages: OnceLock::new(),
            client_keys: OnceLock::new(),
            options: options.clone(),
            prepared: OnceLock::new(),
            namers: OnceLock::new(),
            companion: OnceLock::new(),
            starting: OnceLock::new(),
            counts: Arc::new(counts_of(program)),
            timer_factor: factor
                .and_then(|text| text.trim().parse().ok())
                .unwrap_or(1.0),
            meetings: meetings(program, &bound),
            listeners: Mutex::default(),
            table_server: Mutex::default(),
            properties: options.properties.clone(),
            bound,
            plan_folder: program.folder.clone(),
            sample_variables: names
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect(),
            users: (0..scenarios).map(|_| AtomicU32::new(0)).collect(),
            start_unix_ms: AtomicU64::new(unix_ms_now()),
            due_from_unix_ms: AtomicU64::new(0),
            sites,
            everywhere: Shared::default(),
            logged: AtomicU32::new(0),
            events: Mutex::default(),
        }))
    }

    /// Binds the packages, when it is known what the listeners want; of all results somebody
    /// wants at least this.
    ///
    /// # Errors
    /// All mistakes.
    pub fn bind_packages(
        &self,
        program: &Program,
        wants: &[Needs],
        least: Needs,
    ) -> Result<(), Vec<BindError>> {
        let packages = self.bound.packages(program, wants, least)?;
        // They are bound once.
        let _ = self.packages.set(packages);
        Ok(())
    }

    /// The packages, by their number.
    #[must_use]
    pub fn packages(&self) -> &[BoundPackage] {
        self.packages.get().map_or(&[], Vec::as_slice)
    }

    /// The listeners of a transaction's package; without one, those that are told of all.
    #[must_use]
    pub fn listeners_of(&self, package: Option<PackageId>) -> Arc<[u32]> {
        match package {
            Some(id) => Arc::clone(&self.packages()[id.0 as usize].listeners),
            None => {
                let own = u32::try_from(self.bound.listeners.len()).unwrap_or(0);
                (own..own + self.bound.more_listeners).collect()
            }
        }
    }

    /// How many users there are, for listeners.
    #[must_use]
    pub fn thread_counts(&self) -> Arc<ThreadCounts> {
        Arc::clone(&self.counts)
    }

    /// What a site keeps for all users.
    #[must_use]
    pub fn site(&self, site: SiteId) -> &Shared {
        self.sites.get(site.0 as usize).unwrap_or(&self.everywhere)
    }

    /// When the run began.
    #[must_use]
    pub fn start_unix_ms(&self) -> u64 {
        self.start_unix_ms.load(Ordering::Relaxed)
    }

    /// The run begins at this time: milliseconds since 1970-01-01 UTC.
    pub fn starts_at(&self, unix_ms: u64) {
        self.start_unix_ms.store(unix_ms, Ordering::Relaxed);
    }

    /// What was due before this time is not made up for: milliseconds since 1970-01-01 UTC.
    pub fn due_from(&self, unix_ms: u64) {
        self.due_from_unix_ms.fetch_max(unix_ms, Ordering::Relaxed);
    }

    /// What was due before this time is not made up for; 0: everything is.
    #[must_use]
    pub fn due_from_unix_ms(&self) -> u64 {
        self.due_from_unix_ms.load(Ordering::Relaxed)
    }

    /// Counts users of a scenario that begin or end.
    pub fn count_users(&self, scenario: u32, change: i32) {
        if let Some(users) = self.users.get(scenario as usize) {
            let by = change.unsigned_abs();
            if change < 0 {
                users.fetch_sub(by, Ordering::Relaxed);
                self.counts.active.fetch_sub(by, Ordering::Relaxed);
                self.counts.finished.fetch_add(by, Ordering::Relaxed);
            } else {
                users.fetch_add(by, Ordering::Relaxed);
                self.counts.active.fetch_add(by, Ordering::Relaxed);
                self.counts.started.fetch_add(by, Ordering::Relaxed);
            }
        }
    }

    /// Users of a scenario came or ended: meetings wait for nobody who cannot come any more.
    pub fn expect_users(&self, scenario: u32, change: i64) {
        for meeting in self.meetings.values() {
            meeting.point.users(scenario, change);
        }
    }

    /// Users at work: of the scenario, and of all.
    #[must_use]
    pub fn users(&self, scenario: u32) -> (u32, u32) {
        let count = |users: &AtomicU32| users.load(Ordering::Relaxed);
        let own = self.users.get(scenario as usize).map_or(0, count);
        (own, self.users.iter().map(count).sum())
    }

    /// Where lines of the log go from now on.
    pub fn log_to(&self, events: Option<Sender<Event>>) {
        *self.events.lock().unwrap_or_else(PoisonError::into_inner) = events;
    }

    /// Where events go, if anybody listens.
    pub(crate) fn outlet(&self) -> Option<Outlet> {
        let listeners = self
            .listeners
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        listeners.as_ref().map(Listeners::outlet)
    }

    /// The encoding of results that name none.
    #[must_use]
    pub fn default_encoding(&self) -> String {
        let set = self.properties.get("sampleresult.default.encoding");
        set.unwrap_or_else(|| "UTF-8".to_owned())
    }

    /// Whether parts of results keep their own names by JMeter's properties.
    #[must_use]
    pub fn keeps_part_names(&self) -> bool {
        let set = self.properties.get("subresults.disable_renaming");
        set.is_some_and(|text| text.eq_ignore_ascii_case("true"))
    }

    /// Something that JMeter would write to its log: an event of the run, the first lines
    /// only.
    pub fn log(&self, at_ns: u64, text: &str) {
        if self.logged.fetch_add(1, Ordering::Relaxed) >= MAX_LOG_LINES {
            return;
        }
        let events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(events) = &*events {
            let message = Message::new("jmeter-log").with("text", text);
            // Nobody listens only when the run is over.
            let _ = events.send(Event {
                at_ns,
                message,
                is_error: false,
            });
        }
    }
}

/// The users that the plan has at most; none of them has begun.
fn counts_of(program: &Program) -> ThreadCounts {
    let users = program.scenarios.iter().map(|it| it.load.most_users());
    let users = users.fold(0, u64::saturating_add);
    ThreadCounts {
        planned: AtomicU32::new(u32::try_from(users).unwrap_or(u32::MAX)),
        ..ThreadCounts::default()
    }
}

/// The places where users meet.
fn meetings(program: &Program, bound: &BoundProgram) -> HashMap<ElementId, RendezvousPlace> {
    let scenarios = program.setup.len() + program.scenarios.len() + program.teardown.len();
    let scenarios: Vec<u32> = (0..u32::try_from(scenarios).unwrap_or(0)).collect();
    let number = |element: &ElementProgram, name: &str| {
        let text = element.text(name).and_then(Template::as_text);
        text.and_then(|text| text.trim().parse::<u64>().ok())
            .unwrap_or(0)
    };
    let meeting = |(at, element): (u32, &BoundElement)| {
        let BoundElement::Meeting = element else {
            return None;
        };
        let element = &program.elements[at as usize];
        let users = u32::try_from(number(element, "groupSize")).unwrap_or(u32::MAX);
        let place = RendezvousPlace {
            point: Meeting::new(users, scenarios.clone()),
            timeout_ms: number(element, "timeoutInMs"),
        };
        Some((ElementId(at), place))
    };
    (0..).zip(&bound.elements).filter_map(meeting).collect()
}

/// The properties that say when JMeter and the test began, unless somebody set them.
fn set_start(properties: &Properties) {
    let now = jiff::Zoned::now();
    let ms = now.timestamp().as_millisecond().to_string();
    let (day, time) = (now.strftime("%Y%m%d"), now.strftime("%H%M%S"));
    let values = [
        ("START.MS", ms.clone()),
        ("START.YMD", day.to_string()),
        ("START.HMS", time.to_string()),
        ("TESTSTART.MS", ms),
    ];
    for (name, value) in values {
        if properties.get(name).is_none() {
            properties.set(name, &value);
        }
    }
}

/// Milliseconds since 1970-01-01 UTC.
fn unix_ms_now() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}

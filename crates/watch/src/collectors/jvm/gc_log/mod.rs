//! GC logs, followed as they grow: heap before and after, pauses, causes, allocation.

mod event;
mod follow;
mod legacy;
mod place;
mod totals;
mod unified;

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use crate::collector::{Collector, Look, Nearness, Pending, Trouble};
use crate::proc::log_file::LogFile;

use event::{GcSaid, GcStamp};
use follow::Follower;
use legacy::Legacy;
pub(crate) use place::GcLogPlace;
use totals::GcTotals;

/// Reads one GC log.
pub(crate) struct GcLog {
    place: GcLogPlace,
    host: String,
    /// Told to the collector of the same JVM's counters: whether the log tells of pauses.
    /// None: nobody else watches this JVM.
    beside: Option<Rc<Cell<bool>>>,
    found: Option<(LogFile, Arc<Entity>)>,
    /// The JVM that has no log: its name is dear to find out.
    without: Option<Arc<Entity>>,
    follower: Follower,
    legacy: Legacy,
    totals: GcTotals,
    clock: GcLogClock,
}

/// Turns the log's times into moments.
#[derive(Debug, Default)]
struct GcLogClock {
    /// When the uptime was zero, Unix nanoseconds: as early as any line that was read says.
    began: Option<i128>,
    /// No moment goes back behind the last one.
    last: u64,
    /// The uptime of the last line.
    uptime_ns: u64,
}

/// Lines of several threads may be out of order by less than this.
const RESTARTED_NS: u64 = 1_000_000_000;

impl GcLogClock {
    /// Learns from a line that was read at `now`: it cannot have been written later.
    fn learn(&mut self, stamp: GcStamp, now: u64) {
        if let Some(uptime) = stamp.uptime_ns {
            // Another JVM writes the same file: its time begins anew.
            if uptime.saturating_add(RESTARTED_NS) < self.uptime_ns {
                self.began = None;
            }
            self.uptime_ns = uptime;
            let began = i128::from(now) - i128::from(uptime);
            self.began = Some(self.began.map_or(began, |known| known.min(began)));
        }
    }

    /// The moment of a line that was read at `now`.
    fn moment(&mut self, stamp: GcStamp, now: u64) -> u64 {
        let by_uptime = || {
            let at = self.began? + i128::from(stamp.uptime_ns?);
            u64::try_from(at).ok()
        };
        let at = stamp.unix_ns.or_else(by_uptime).unwrap_or(now);
        self.last = at.clamp(self.last.min(now), now);
        self.last
    }
}

impl GcLog {
    pub(crate) fn new(place: GcLogPlace, host: String, beside: Option<Rc<Cell<bool>>>) -> Self {
        Self {
            place,
            host,
            beside,
            found: None,
            without: None,
            follower: Follower::default(),
            legacy: Legacy::default(),
            totals: GcTotals::default(),
            clock: GcLogClock::default(),
        }
    }

    fn look(&mut self, look: &mut Look) -> Result<(), Trouble> {
        let now = look.moment_unix_ns();
        if self.place.is_new_process() {
            self.clock = GcLogClock::default();
            self.found = None;
            self.without = None;
        }
        let (file, entity) = match &self.found {
            Some(found) => found.clone(),
            None => match self.find(look) {
                Ok(found) => found,
                Err(trouble) => return self.not_there(trouble, look),
            },
        };
        let mut lines = Vec::new();
        let result = self.follower.read(&file, &mut |line| {
            if unified::is_unified(line) {
                lines.extend(unified::read(line));
            } else {
                lines.extend(self.legacy.read(line));
            }
        });
        for said in &lines {
            if let GcSaid::Event(event) = said {
                self.clock.learn(event.stamp, now);
            }
        }
        for said in lines {
            self.said(&entity, now, said, look);
        }
        self.totals.flush(&entity, look);
        look.begin(now);
        let alone = self.beside.is_none();
        self.totals.sums(&entity, alone, look);
        if let Some(beside) = &self.beside {
            beside.set(self.totals.tells_pauses);
        }
        result.map_err(|error| {
            // JDK 8 gives its current file another name as it rotates.
            self.found = None;
            Trouble::new(
                Message::new("watch-file-unreadable")
                    .with("path", file.path().display().to_string())
                    .with("reason", error.to_string()),
            )
        })
    }

    fn find(&mut self, look: &mut Look) -> Result<(LogFile, Arc<Entity>), Trouble> {
        let file = self.place.find()?;
        let name = self.place.name();
        let entity = Entity::new(EntityKind::Jvm, name, self.host.as_str());
        for line in Follower::head(&file).unwrap_or_default().lines() {
            if let Some(GcSaid::Using(name)) = unified::read(line) {
                look.fact(&entity, "jvm.gc", name);
            }
        }
        look.fact(&entity, "jvm.gc.log", file.path().display().to_string());
        Ok(self.found.insert((file, entity)).clone())
    }

    /// A JVM need not have a log: that is no failure where its counters are watched too, and
    /// that it is gone is told by these.
    fn not_there(&mut self, trouble: Trouble, look: &mut Look) -> Result<(), Trouble> {
        if self.beside.is_none() {
            return Err(trouble);
        }
        if self.place.has_process() {
            let (place, host) = (&self.place, self.host.as_str());
            let named = || Entity::new(EntityKind::Jvm, place.name(), host);
            look.missing(self.without.get_or_insert_with(named), trouble.message);
        }
        Ok(())
    }

    fn said(&mut self, entity: &Arc<Entity>, now: u64, said: GcSaid, look: &mut Look) {
        match said {
            GcSaid::Event(event) => {
                let at = self.clock.moment(event.stamp, now);
                self.totals.add(entity, at, event, look);
            }
            GcSaid::Stall(seconds) => self.totals.stall(seconds),
            GcSaid::Using(name) => look.fact(entity, "jvm.gc", name),
        }
    }
}

impl Collector for GcLog {
    fn nearness(&self) -> Nearness {
        Nearness::Log
    }

    fn about(&self) -> String {
        format!("gc-log {}", self.place.text())
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(async move { self.look(look) })
    }
}

#[cfg(test)]
mod tests;

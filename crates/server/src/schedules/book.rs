//! The schedules that there are, kept over restarts.

use std::path::Path;

use plimsoll_text::Message;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::times::{ScheduleTimes, own_zone};
use crate::desk::{BothTexts, RunOrder};
use crate::kept::{KeptItem, KeptList};
use crate::now::text_of;
use crate::problem::ApiError;
use crate::shared::{Person, is_title};

/// What is begun later than that is not begun.
const LATE_S: i64 = 60;

/// A schedule that is asked for.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScheduleOrder {
    /// What it is called.
    pub name: String,
    /// When: minute, hour, day, month, weekday, as cron has it: `30 2 * * *`.
    pub cron: String,
    /// In which time zone: `Asia/Shanghai`; absent: that of the server's host.
    #[serde(default)]
    pub zone: Option<String>,
    /// What is run, as `POST /runs` has it.
    pub order: RunOrder,
}

/// What of a schedule is to be another; what is absent stays.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ScheduleChange {
    /// What it is called.
    pub name: Option<String>,
    /// When.
    pub cron: Option<String>,
    /// In which time zone.
    pub zone: Option<String>,
    /// Whether it begins runs.
    pub enabled: Option<bool>,
}

/// What came of the last time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub(crate) struct ScheduleLast {
    /// When it was due, UTC.
    pub at: String,
    /// The run, or its ticket while it waits; null: none was begun.
    pub run: Option<String>,
    /// Why none was begun; null: one was.
    pub error: Option<BothTexts>,
}

/// Times at which nothing was begun, since the server was not there or too late.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub(crate) struct MissedTimes {
    /// How many since the schedule was made; 10000 of a stretch at most.
    pub count: u64,
    /// The last of them, UTC.
    pub last: String,
}

/// A schedule.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ScheduleKept {
    /// What it is found by.
    pub schedule: String,
    pub name: String,
    pub cron: String,
    pub zone: String,
    pub enabled: bool,
    pub order: RunOrder,
    /// Who made it; none: nobody has to say here.
    pub by: Option<String>,
    /// Since when there is that user: another one of the name is another.
    #[serde(default)]
    pub by_since_s: Option<u64>,
    /// When, UTC.
    pub added: String,
    /// All times until then were looked at, Unix seconds.
    looked_s: i64,
    pub last: Option<ScheduleLast>,
    pub missed: Option<MissedTimes>,
}

/// A schedule that is due.
#[derive(Debug, Clone)]
pub(crate) struct ScheduleDue {
    pub kept: ScheduleKept,
    /// When it was due, Unix seconds.
    pub at_s: i64,
}

impl ScheduleKept {
    /// When it is due next, Unix seconds; none: never, or not as long as it is not enabled.
    pub fn next(&self, now_s: i64) -> Option<i64> {
        let times = ScheduleTimes::parse(&self.cron, &self.zone).ok()?;
        self.enabled.then(|| times.next(now_s))?
    }

    /// Looks at the times until now; whether one of them is to be begun. The others were missed.
    fn look(&mut self, now_s: i64) -> Option<i64> {
        let times = ScheduleTimes::parse(&self.cron, &self.zone).ok()?;
        let found = times.between(self.looked_s, now_s)?;
        self.looked_s = found.last_s;
        let is_late = now_s - found.last_s > LATE_S;
        let missed = found.count - u32::from(!is_late);
        if missed > 0 {
            let before = self.missed.as_ref().map_or(0, |missed| missed.count);
            let last_s = match is_late {
                true => found.last_s,
                // The one before the one that is begun.
                false => times.before(found.last_s).unwrap_or(found.last_s),
            };
            self.missed = Some(MissedTimes {
                count: before + u64::from(missed),
                last: utc(last_s),
            });
        }
        (!is_late).then_some(found.last_s)
    }
}

/// A moment in words, UTC.
pub(super) fn utc(unix_s: i64) -> String {
    text_of(u64::try_from(unix_s).unwrap_or(0))
}

/// All schedules.
pub(crate) struct ScheduleBook(KeptList<ScheduleKept>);

impl ScheduleBook {
    /// Those of a workbench's own folder.
    ///
    /// # Errors
    /// A file that cannot be read: nobody is to think that his runs are made.
    pub fn open(folder: &Path) -> Result<Self, Message> {
        KeptList::open(folder.join("schedules.json")).map(Self)
    }

    /// All of them, as they were made.
    pub fn all(&self) -> Vec<ScheduleKept> {
        self.0.lock().clone()
    }

    /// One of them.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn find(&self, schedule: &str) -> Result<ScheduleKept, ApiError> {
        self.0.find(schedule)
    }

    /// A new one, from now on.
    ///
    /// # Errors
    /// What is no time, too many, a disk that is full.
    pub fn add(
        &self,
        order: ScheduleOrder,
        by: Option<&Person>,
        now_s: i64,
    ) -> Result<ScheduleKept, ApiError> {
        let zone = order.zone.unwrap_or_else(own_zone);
        ScheduleTimes::parse(&order.cron, &zone)?;
        let name = named(&order.name)?;
        self.0.add(|schedule| ScheduleKept {
            schedule,
            name,
            cron: order.cron,
            zone,
            enabled: true,
            order: order.order,
            by: by.map(|person| person.user.clone()),
            by_since_s: by.map(|person| person.added_s),
            added: utc(now_s),
            looked_s: now_s,
            last: None,
            missed: None,
        })
    }

    /// Changes one. One that was not enabled begins anew from now on.
    ///
    /// # Errors
    /// There is none of that name; what is no time.
    pub fn alter(
        &self,
        schedule: &str,
        change: ScheduleChange,
        now_s: i64,
    ) -> Result<ScheduleKept, ApiError> {
        self.0.alter(schedule, |found| {
            if let Some(name) = change.name {
                found.name = named(&name)?;
            }
            found.cron = change.cron.unwrap_or_else(|| found.cron.clone());
            found.zone = change.zone.unwrap_or_else(|| found.zone.clone());
            found.enabled = change.enabled.unwrap_or(found.enabled);
            ScheduleTimes::parse(&found.cron, &found.zone)?;
            found.looked_s = now_s;
            Ok(())
        })
    }

    /// Takes one away.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn remove(&self, schedule: &str) -> Result<(), ApiError> {
        self.0.remove(schedule)
    }

    /// The schedules that are to begin a run now. Each time is looked at once, whatever comes of it.
    ///
    /// # Errors
    /// What was looked at cannot be kept: nothing is begun, so that nothing is begun twice.
    pub fn due(&self, now_s: i64) -> Result<Vec<ScheduleDue>, ApiError> {
        let is_any = |kept: &ScheduleKept| kept.enabled && kept.looks(now_s);
        if !self.0.lock().iter().any(is_any) {
            return Ok(Vec::new());
        }
        self.0.change(|kept| {
            let mut due = Vec::new();
            for schedule in kept.iter_mut().filter(|schedule| schedule.enabled) {
                if let Some(at_s) = schedule.look(now_s) {
                    due.push(ScheduleDue {
                        kept: schedule.clone(),
                        at_s,
                    });
                }
            }
            Ok(due)
        })
    }

    /// What came of a time.
    ///
    /// # Errors
    /// It cannot be kept.
    pub fn done(&self, schedule: &str, last: ScheduleLast) -> Result<(), ApiError> {
        self.0.change(|kept| {
            // It may have been taken away meanwhile.
            let found = kept.iter_mut().find(|kept| kept.schedule == schedule);
            if let Some(found) = found {
                found.last = Some(last);
            }
            Ok(())
        })
    }
}

impl ScheduleKept {
    /// Whether there is a time until now that was not looked at.
    fn looks(&self, now_s: i64) -> bool {
        let times = ScheduleTimes::parse(&self.cron, &self.zone).ok();
        times
            .and_then(|times| times.next(self.looked_s))
            .is_some_and(|next| next <= now_s)
    }
}

impl KeptItem for ScheduleKept {
    const LETTER: char = 's';
    const MOST_KEPT: usize = 200;
    /// Plans have their files in it.
    const MOST_BYTES: u64 = 512 << 20;

    fn id(&self) -> &str {
        &self.schedule
    }

    fn missing(id: &str) -> ApiError {
        ApiError::not_found(Message::new("server-no-schedule").with("name", id))
    }
}

fn named(name: &str) -> Result<String, ApiError> {
    let name = name.trim();
    match is_title(name, 200) {
        true => Ok(name.to_owned()),
        false => Err(ApiError::bad(Message::new("server-bad-name"))),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::shared::UserRole;

    use super::*;

    const DAY: i64 = 86_400;
    /// A midnight, UTC.
    const NIGHT: i64 = 20_000 * DAY;

    fn nightly() -> ScheduleOrder {
        ScheduleOrder {
            name: "夜间".to_owned(),
            cron: "30 2 * * *".to_owned(),
            zone: Some("UTC".to_owned()),
            order: RunOrder {
                url: Some("http://127.0.0.1/".to_owned()),
                ..RunOrder::default()
            },
        }
    }

    /// All moments at which something is begun, when it is looked each second.
    fn begun(book: &ScheduleBook, seconds: impl Iterator<Item = i64>) -> Vec<i64> {
        let due = seconds.flat_map(|now_s| book.due(now_s).unwrap());
        due.map(|due| due.at_s).collect()
    }

    #[test]
    fn each_time_is_begun_once_and_what_was_missed_is_said() {
        let dir = tempfile::tempdir().unwrap();
        let book = ScheduleBook::open(dir.path()).unwrap();
        let made = book.add(nightly(), None, NIGHT).unwrap();
        let at = |day: i64| NIGHT + day * DAY + 9_000;
        assert_eq!(made.next(NIGHT), Some(at(0)));
        let seconds = (at(0) - 5)..(at(0) + 200);
        assert_eq!(begun(&book, seconds), [at(0)]);
        // A server that comes after three nights says that they were missed, and makes none of them.
        drop(book);
        let book = ScheduleBook::open(dir.path()).unwrap();
        let later = at(3) + 3_600;
        assert_eq!(begun(&book, later..later + 10), [] as [i64; 0]);
        let known = book.find(&made.schedule).unwrap();
        assert_eq!(
            known.missed,
            Some(MissedTimes {
                count: 3,
                last: utc(at(3))
            })
        );
        assert_eq!(begun(&book, at(4)..at(4) + 90), [at(4)]);
        // One that comes a little late makes the last of them.
        assert_eq!(begun(&book, std::iter::once(at(6) + LATE_S)), [at(6)]);
        let known = book.find(&made.schedule).unwrap();
        assert_eq!(known.missed.as_ref().unwrap().count, 4);
        // A clock that goes back begins nothing twice.
        assert_eq!(begun(&book, (at(6) - 600)..at(6) + 600), [] as [i64; 0]);
    }

    #[test]
    fn what_is_not_enabled_misses_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let book = ScheduleBook::open(dir.path()).unwrap();
        let li = Person {
            user: "li".to_owned(),
            role: UserRole::Run,
            password: String::new(),
            added_s: 7,
        };
        let made = book.add(nightly(), Some(&li), NIGHT).unwrap();
        let set = |enabled: bool, now_s: i64| {
            let change = ScheduleChange {
                enabled: Some(enabled),
                ..ScheduleChange::default()
            };
            book.alter(&made.schedule, change, now_s).unwrap()
        };
        assert_eq!(set(false, NIGHT).next(NIGHT), None);
        assert_eq!(begun(&book, NIGHT..NIGHT + 10_000), [] as [i64; 0]);
        set(true, NIGHT + 3 * DAY);
        assert!(book.due(NIGHT + 3 * DAY + 1).unwrap().is_empty());
        let known = book.find(&made.schedule).unwrap();
        assert_eq!((known.missed, known.by.as_deref()), (None, Some("li")));
        let second = book.add(nightly(), None, NIGHT).unwrap();
        assert_ne!(second.schedule, made.schedule);
        book.remove(&made.schedule).unwrap();
        assert!(book.remove(&made.schedule).is_err());
        assert_eq!(ScheduleBook::open(dir.path()).unwrap().all().len(), 1);
        std::fs::write(dir.path().join("schedules.json"), "{").unwrap();
        assert!(ScheduleBook::open(dir.path()).is_err());
    }
}

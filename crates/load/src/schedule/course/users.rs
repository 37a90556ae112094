//! A closed load that was changed while it ran.

use plimsoll_plan::model::{UserLoad, UserStage};

use super::line::{LinePart, split};
use super::planned::held_from;
use crate::clock::{Nanos, nanos};
use crate::schedule::users::{UserWindow, end_ns, peak, windows};

/// A closed load over time.
#[derive(Debug, Clone)]
pub(super) struct UserCourse {
    stages: Vec<UserStage>,
    open_end: bool,
    /// Iterations end it, or end its users.
    is_counted: bool,
    turns: Vec<UserTurn>,
    end_ns: Nanos,
    /// The end of the last time in which users neither come nor go.
    last_hold_ns: Option<Nanos>,
    /// There are users at the end.
    ends_high: bool,
}

#[derive(Debug, Clone, Copy)]
enum UserTurn {
    /// So many users from then to the end that the load had.
    Level {
        at_ns: Nanos,
        users: u32,
        end_ns: Option<Nanos>,
    },
    /// What was at that moment stays for a time; what followed it is so much later.
    Pause { at_ns: Nanos, by_ns: Nanos },
}

impl UserCourse {
    pub fn new(load: &UserLoad) -> Self {
        let mut at_ns = 0;
        let mut last_hold_ns = None;
        for stage in &load.stages {
            at_ns += nanos(stage.ramp) + nanos(stage.hold);
            if stage.users > 0 && !stage.hold.is_zero() {
                last_hold_ns = Some(at_ns);
            }
        }
        Self {
            stages: load.stages.clone(),
            open_end: !load.ends_with_stages,
            is_counted: !load.ends_with_stages || load.ends_by_iterations(),
            turns: Vec::new(),
            end_ns: end_ns(&load.stages),
            last_hold_ns,
            ends_high: load.stages.last().is_some_and(|stage| stage.users > 0),
        }
    }

    pub fn end_ns(&self) -> Option<Nanos> {
        (!self.open_end).then_some(self.end_ns)
    }

    pub fn level(&mut self, at_ns: Nanos, users: u32) {
        self.turns.push(UserTurn::Level {
            at_ns,
            users,
            end_ns: self.end_ns(),
        });
        self.ends_high = users > 0;
        self.last_hold_ns = self.ends_high.then_some(self.end_ns);
    }

    pub fn longer(&mut self, at_ns: Nanos, by_ns: Nanos, limit_ns: Nanos) {
        let hold_ns = held_from(at_ns, self.last_hold_ns, self.end_ns, self.ends_high);
        let at_ns = hold_ns.min(limit_ns);
        self.turns.push(UserTurn::Pause { at_ns, by_ns });
        self.end_ns = self.end_ns.saturating_add(by_ns);
        // Behind the pause, where there was no hold before, there is one now.
        let hold_ns = self.last_hold_ns.filter(|hold_ns| *hold_ns >= at_ns);
        self.last_hold_ns = Some(hold_ns.unwrap_or(at_ns).saturating_add(by_ns));
    }

    /// The users over time; none if iterations end it.
    pub fn line(&self) -> Option<Vec<LinePart>> {
        if self.is_counted {
            return None;
        }
        let mut users = 0;
        let planned = self.stages.iter().flat_map(|stage| {
            let (before, now) = (f64::from(users), f64::from(stage.users));
            users = stage.users;
            [(stage.ramp, before), (stage.hold, now)].map(|(lasts, from)| LinePart {
                lasts_ns: nanos(lasts),
                from,
                to: now,
            })
        });
        let planned: Vec<LinePart> = planned.filter(|part| part.lasts_ns > 0).collect();
        let turns = self.turns.iter();
        Some(turns.fold(planned, |line, turn| turn.of_line(&line)))
    }

    pub fn peak(&self) -> u32 {
        let turned = self.turns.iter().map(|turn| match turn {
            UserTurn::Level { users, .. } => *users,
            UserTurn::Pause { .. } => 0,
        });
        turned.fold(peak(&self.stages), u32::max)
    }

    pub fn windows(&self, index: u32) -> Vec<UserWindow> {
        let planned = windows(&self.stages, index, self.open_end);
        self.turns
            .iter()
            .fold(planned, |windows, turn| turn.apply(windows, index))
    }
}

impl UserTurn {
    fn apply(self, windows: Vec<UserWindow>, index: u32) -> Vec<UserWindow> {
        match self {
            Self::Level {
                at_ns,
                users,
                end_ns,
            } => levelled(windows, at_ns, end_ns, index < users),
            Self::Pause { at_ns, by_ns } => {
                let later = |ns: Nanos| match ns >= at_ns {
                    true => ns.saturating_add(by_ns),
                    false => ns,
                };
                let paused = windows.into_iter().map(|window| UserWindow {
                    start_ns: later(window.start_ns),
                    stop_ns: window.stop_ns.map(later),
                });
                paused.collect()
            }
        }
    }
}

impl UserTurn {
    fn of_line(self, line: &[LinePart]) -> Vec<LinePart> {
        let (at_ns, level, lasts_ns) = match self {
            Self::Level {
                at_ns,
                users,
                end_ns,
            } => {
                let lasts_ns = end_ns.unwrap_or(at_ns).saturating_sub(at_ns);
                (at_ns, Some(f64::from(users)), lasts_ns)
            }
            Self::Pause { at_ns, by_ns } => (at_ns, None, by_ns),
        };
        let (mut changed, after) = split(line, at_ns);
        let before = changed.last().map_or(0.0, |part| part.to);
        let held = level.unwrap_or(before);
        changed.push(LinePart {
            lasts_ns,
            from: held,
            to: held,
        });
        if level.is_none() {
            changed.extend(after);
        }
        changed
    }
}

/// What was before stays; from then on the user is there or not. Who is there goes on.
fn levelled(
    windows: Vec<UserWindow>,
    at_ns: Nanos,
    end_ns: Option<Nanos>,
    stays: bool,
) -> Vec<UserWindow> {
    let before = windows.into_iter().filter(|window| window.start_ns < at_ns);
    let mut kept: Vec<UserWindow> = before
        .map(|window| UserWindow {
            stop_ns: Some(window.stop_ns.map_or(at_ns, |stop_ns| stop_ns.min(at_ns))),
            ..window
        })
        .collect();
    if stays {
        match kept.last_mut().filter(|last| last.stop_ns == Some(at_ns)) {
            Some(last) => last.stop_ns = end_ns,
            None => kept.push(UserWindow {
                start_ns: at_ns,
                stop_ns: end_ns,
            }),
        }
    }
    kept
}

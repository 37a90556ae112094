//! Runs at set times. What was due while the server was not there is said, and not made up for.

mod book;
mod times;
mod turn;

pub(crate) use book::{
    MissedTimes, ScheduleBook, ScheduleChange, ScheduleKept, ScheduleLast, ScheduleOrder,
};
pub(crate) use turn::{begin_now, turn};

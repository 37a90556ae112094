//! The step, made ready.

use plimsoll_plan::model::Span;
use plimsoll_plan::program::ExchangeProgram;

use super::super::step::ProtocolStep;
use crate::check::{BoundCheck, bind_check};
use crate::clock::{Nanos, nanos};
use crate::extract::BindError;

/// When enough of a stream was read.
pub(crate) struct StreamStep {
    /// So many events.
    pub events: Option<u64>,
    /// An event that fulfils these.
    pub until: Vec<BoundCheck>,
    /// So much time.
    pub lasts_ns: Option<Nanos>,
}

impl ProtocolStep for StreamStep {
    const KEYS: &'static [&'static str] = &["sse"];

    fn bind(exchange: &ExchangeProgram, _: Span) -> Result<Self, BindError> {
        let until = exchange.checks("until").iter().map(bind_check);
        Ok(Self {
            events: exchange.count("events"),
            until: until.collect::<Result<_, _>>()?,
            lasts_ns: exchange.time("for").map(nanos),
        })
    }
}

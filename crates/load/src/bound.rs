//! Requests with their expressions compiled, one copy a thread.

use plimsoll_plan::model::Span;
use plimsoll_plan::program::{After, Request, ScriptId, Slot, Template};

use crate::check::{BoundCheck, bind_check};
use crate::extract::{BindError, BoundExtract, bind_extract};
use crate::protocols::bound::BoundExchange;

/// A request's expressions.
pub struct BoundRequest {
    /// What is done with the response, in order.
    pub after: Vec<BoundAfter>,
    /// Checks, in order.
    pub checks: Vec<BoundCheck>,
    /// What another protocol makes of the request.
    pub(crate) exchange: Option<BoundExchange>,
}

/// Something done with a response.
pub enum BoundAfter {
    /// Take a value.
    Extract(BoundExtract),
    /// Run a script.
    Script(ScriptId),
    /// Set a variable.
    Set(Slot, Template),
}

impl BoundRequest {
    /// Compiles a request's expressions.
    ///
    /// # Errors
    /// The first that cannot be compiled.
    pub fn new(request: &Request) -> Result<Self, BindError> {
        Self::within(request, &|_| Ok(()))
    }

    /// The same, as long as it may go on: that is asked before each expression, with its place.
    ///
    /// # Errors
    /// The first that cannot be compiled, or why it may not go on.
    pub fn within(
        request: &Request,
        may_go_on: &dyn Fn(Span) -> Result<(), BindError>,
    ) -> Result<Self, BindError> {
        let after = request.after.iter().map(|after| {
            Ok(match after {
                After::Extract(extract) => {
                    may_go_on(extract.at)?;
                    BoundAfter::Extract(bind_extract(extract)?)
                }
                After::Script(script) => BoundAfter::Script(*script),
                After::Set(slot, value) => BoundAfter::Set(*slot, value.clone()),
            })
        });
        let checks = request.checks.iter().map(|check| {
            may_go_on(check.at)?;
            bind_check(check)
        });
        Ok(Self {
            exchange: BoundExchange::new(request)?,
            after: after.collect::<Result<_, BindError>>()?,
            checks: checks.collect::<Result<_, BindError>>()?,
        })
    }
}

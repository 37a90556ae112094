//! Making exchanges: the step of a program, by whichever protocol.

use std::rc::Rc;

use plimsoll_plan::program::RequestId;

use super::bound::BoundExchange;
use super::registry::with_protocols;
use super::seam::{ExchangeCall, MadeExchange, ProtocolExchange as _};
use crate::clock::{Nanos, nanos};
use crate::deadline::Deadline;
use crate::user::User;
use crate::user::due::Due;
use crate::user::step::Cut;

macro_rules! exchanges {
    ($($name:ident: $step:ty;)*) => {
        async fn make(
            step: &BoundExchange,
            user: &mut User,
            call: &ExchangeCall<'_>,
        ) -> Result<Option<MadeExchange>, Cut> {
            match step {
                $(BoundExchange::$name(step) => step.exchange(user, call).await,)*
            }
        }
    };
}
with_protocols!(exchanges);

impl User {
    /// Makes an exchange and records its sample.
    pub(crate) async fn exchange(&mut self, id: RequestId, start_ns: Nanos) -> Result<(), Cut> {
        let thread = Rc::clone(&self.thread);
        let request = &thread.program.requests[id.0 as usize];
        let label = self.label(request);
        let due = Due::of(self.intended_ns.take(), self.previous_end_ns, start_ns);
        let timeout_ns = nanos(request.timeout);
        let call = ExchangeCall {
            id,
            request,
            label,
            start_ns,
            timeout_ns,
            deadline: Deadline {
                timeout_ns: start_ns.saturating_add(timeout_ns),
                cut_ns: self.scenario.cut_ns.get(),
            },
        };
        let Some(step) = &thread.bound[id.0 as usize].exchange else {
            return Ok(());
        };
        if let Some(made) = make(step, self, &call).await? {
            self.conclude(id, label, due, made.done, &made.sent);
        }
        Ok(())
    }
}

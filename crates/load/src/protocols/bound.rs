//! Steps of protocols, made ready.

use plimsoll_plan::program::{
    CheckOfProgram, CheckProgram, ExchangeProgram, ExtractorProgram, Request,
};
use plimsoll_text::Message;

use super::registry::with_protocols;
use super::step::ProtocolStep as _;
use crate::extract::BindError;

macro_rules! bound {
    ($($name:ident: $step:ty;)*) => {
        /// A step of a protocol, made ready.
        pub(crate) enum BoundExchange {
            $($name($step),)*
        }

        impl BoundExchange {
            /// Makes a request's exchange ready; none when it is plain HTTP.
            ///
            /// # Errors
            /// What of it cannot be.
            pub(crate) fn new(request: &Request) -> Result<Option<Self>, BindError> {
                let Some(exchange) = &request.exchange else {
                    return Ok(None);
                };
                only_of_messages(request, exchange)?;
                $(if <$step>::KEYS.contains(&exchange.step) {
                    return Ok(Some(Self::$name(<$step>::bind(exchange, request.at)?)));
                })*
                let message = Message::new("exchange-unknown").with("step", exchange.step);
                Err(BindError { at: request.at, message })
            }
        }
    };
}
with_protocols!(bound);

/// A message has neither status nor headers: what is asked of these can never hold.
fn only_of_messages(request: &Request, exchange: &ExchangeProgram) -> Result<(), BindError> {
    let own = match exchange.has_url {
        true => &[][..],
        false => &request.checks,
    };
    let asks_more = |check: &&CheckProgram| match &check.of {
        CheckOfProgram::Status => true,
        CheckOfProgram::Value(how) | CheckOfProgram::Count(how) => matches!(
            how,
            ExtractorProgram::Status | ExtractorProgram::Header(_) | ExtractorProgram::Cookie(_)
        ),
        _ => false,
    };
    let all = own.iter().chain(exchange.checks("until"));
    match all.into_iter().find(asks_more) {
        Some(check) => Err(BindError {
            at: check.at,
            message: Message::new("exchange-no-status"),
        }),
        None => Ok(()),
    }
}

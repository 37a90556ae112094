//! Steps of protocols, made ready.

use plimsoll_plan::program::Request;
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
                $(if <$step>::KEYS.contains(&exchange.step) {
                    return Ok(Some(Self::$name(<$step>::bind(exchange)?)));
                })*
                let message = Message::new("exchange-unknown").with("step", exchange.step);
                Err(BindError { at: request.at, message })
            }
        }
    };
}
with_protocols!(bound);

//! What is spoken over the driver's connections: a folder for each protocol. The engine knows
//! [`Op::Request`] and [`Op::Exchange`], and no protocol beside HTTP by name: the registry lists
//! them; a step is bound once ([`bound`]), made by its protocol ([`seam`]), and its sample is
//! concluded as that of any request.
//!
//! [`Op::Request`]: plimsoll_plan::program::Op::Request
//! [`Op::Exchange`]: plimsoll_plan::program::Op::Exchange

pub(crate) mod bound;
mod carrier;
mod exchange;
pub mod http;
pub(crate) mod kept;
mod registry;
mod seam;
mod sse;
mod step;
pub mod websocket;

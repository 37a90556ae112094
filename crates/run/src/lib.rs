//! A judged run: a [`PlanSource`] and a load in, a run that is stored, watched and judged out.
//!
//! [`ready`] reads and compiles what is to be loaded, [`make`] loads it from this machine,
//! [`fleet::run::make`] from many. Whoever wants to hear of the run while it goes on is its
//! [`Listener`]; whoever wants to end it holds its [`Interrupt`].
//!
//! `examples/verdict.rs` goes from a URL to a verdict.
//!
//! It knows no arguments, no terminal and no process: nothing is printed, and no signal is caught.

pub mod calibration;
pub mod environment;
pub mod fleet;
mod interrupt;
pub mod jmx;
mod listener;
mod make;
pub mod measure;
mod meta;
pub mod no_request;
mod outputs;
pub mod ready;
pub mod reasons;
mod rejected;
mod request;
pub mod runs;
pub mod session;
pub mod watching;

pub use interrupt::{Interrupt, Signalled};
pub use listener::{Listener, Quiet};
pub use make::{RunSetting, make, random_seed};
pub use meta::{load_in_words, planned};
pub use ready::ReadyPlan;
pub use rejected::RejectedPlan;
pub use request::{
    FleetSettings, JMeterSettings, LoadSettings, NatsSettings, PlanSource, UnpackedPlan, UrlRequest,
};
pub use session::Made;

//! A judged run: a request in, a handle out.
//!
//! A [`RunRequest`] says what is loaded, how much and by whom: by this machine, or by workers, which
//! whoever asks does not tell apart. [`RunRequest::begin`] gives a [`RunHandle`], which lives beside the
//! run: it hears of it, ends it, changes its load, and waits for its end and its judgement ([`Made`]).
//!
//! `examples/verdict.rs` goes from a URL to a verdict, `examples/steer.rs` changes the load of a run.
//!
//! It knows no arguments, no terminal and no process: nothing is printed, and no signal is caught.

pub mod calibration;
mod changes;
pub mod comparable;
mod control;
pub mod environment;
pub mod fleet;
mod foreign;
mod handle;
mod hearers;
mod interrupt;
mod java_properties;
pub mod jmx;
mod listener;
mod make;
pub mod measure;
mod meta;
pub mod no_request;
mod origins;
mod outputs;
pub mod ready;
pub mod reasons;
mod rejected;
pub mod report_files;
mod request;
pub mod runs;
pub mod session;
mod subscription;
pub mod watching;

pub use control::RunControl;
pub use handle::{RunHandle, RunRequest, take_up};
pub use interrupt::{Interrupt, Signalled};
pub use listener::{Listener, Quiet};
pub use make::{RunSetting, random_seed};
pub use meta::{load_in_words, planned};
pub use plimsoll_load::engine::steer::{LoadNow, ScenarioNow};
pub use plimsoll_load::schedule::{ChangeError, LoadChange, NewLoad, TimedChange};
pub use ready::ReadyPlan;
pub use rejected::RejectedPlan;
pub use request::{
    FleetSettings, JMeterSettings, LoadSettings, NatsSettings, PlanSource, UnpackedPlan, UrlRequest,
};
pub use session::{LoadProbe, Made};
pub use subscription::{RunNews, Subscription};

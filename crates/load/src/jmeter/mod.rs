//! How packages of JMeter elements are run: what works before a sampler, the sampler, what
//! works on its result, and who is told of it, in JMeter's order and with its rules
//! (JMeter 5.6.3, `JMeterThread`).
//!
//! What an element means is said in `plimsoll-elements`; here are the parts that wait: the
//! samplers, the timers' sleep, the JVM companion.

mod allowed;
pub mod assertions;
mod beside;
pub mod bound;
mod changed;
pub mod context;
mod dynamic;
pub mod element_user;
pub mod extension;
mod failed;
pub mod http;
mod java_map;
pub mod jdbc;
pub mod leaf;
pub(crate) mod memo;
mod needs;
pub mod options;
pub mod package;
pub mod record;
pub mod remote;
pub mod run;
pub mod sampled;
pub mod sampler;
mod sampler_properties;
pub mod samplers;
pub mod start;
pub mod tell;
pub mod thread;
pub mod timers;
mod trace;
pub mod transaction;
pub mod user;
mod verdict;

pub use bound::{BoundElement, BoundPackage, BoundProgram};
pub use context::ElementContext;
pub use needs::Needs;
pub use options::JMeterOptions;
pub use run::JMeterRun;
pub use sampled::{Sampled, Times};
pub use user::JMeterUser;

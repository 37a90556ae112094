//! How packages of JMeter elements are run: what works before a sampler, the sampler, what
//! works on its result, and who is told of it, in JMeter's order and with its rules
//! (JMeter 5.6.3, `JMeterThread`).
//!
//! What an element means is said in `plimsoll-elements`; here are the parts that wait: the
//! samplers, the timers' sleep, the JVM companion.

pub mod bound;
pub mod http;
pub mod sampled;
pub mod sampler;
pub mod user;

pub use bound::{BoundElement, BoundPackage, Needs};
pub use sampled::{Sampled, Times};
pub use user::JMeterUser;

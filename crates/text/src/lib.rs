//! Messages in English and Chinese.
//!
//! Every crate that has something to say to a person says it as a [`Message`]: an id and
//! arguments. Only the edge (command line, reports) renders it in a language. This crate
//! must know nobody: it holds the texts of `locales/` and nothing of loading or measuring. Of what is
//! never localised it has what two crates write: the form of JMeter's results ([`jtl`]), InfluxDB's lines
//! ([`line_protocol`]) and the metrics of JMeter's PerfMon plugin ([`perf_mon`]).

mod catalogue;
pub mod jtl;
mod lang;
pub mod line_protocol;
mod message;
pub mod perf_mon;
mod printable;
mod render;
mod retold;
mod sources;
mod system;
mod table;
mod wrap;

pub use lang::Lang;
pub use message::{Arg, Message};
pub use printable::printable;
pub use render::render;
pub use sources::texts;
pub use table::{Align, Table, display_width};
pub use wrap::{COLUMNS, wrap, wrap_after};

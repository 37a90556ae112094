//! Messages in English and Chinese.
//!
//! Every crate that has something to say to a person says it as a [`Message`]: an id and
//! arguments. Only the edge (command line, reports) renders it in a language. This crate
//! must know nobody: it holds the texts of `locales/` and nothing of loading or measuring.

mod catalogue;
mod lang;
mod message;
mod printable;
mod retold;
mod system;
mod table;
mod wrap;

pub use catalogue::{render, texts};
pub use lang::Lang;
pub use message::{Arg, Message};
pub use printable::printable;
pub use table::{Align, Table, display_width};
pub use wrap::{COLUMNS, wrap, wrap_after};

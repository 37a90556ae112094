//! JSON as JMeter's extractors see it: json-smart 2.5 reads and writes it, Jayway's JsonPath
//! 2.8 or JMESPath find values in it.

pub mod jmes;
mod number;
mod parse;
pub mod path;
mod value;
mod write;
mod yaml;

pub use jmes::Jmes;
pub use number::Number;
pub use parse::{parse, parse_strict};
pub use path::{Path, PathError};
pub use value::Json;
pub use yaml::of_yaml;

//! What is spoken over the driver's connections: a folder for each protocol.

pub mod http;

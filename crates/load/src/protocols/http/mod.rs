//! HTTP: what it keeps for a connection.

pub mod connection;

pub use connection::HttpConnection;

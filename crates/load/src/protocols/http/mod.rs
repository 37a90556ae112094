//! HTTP: requests of plans, their redirects and challenges, what becomes of them; and what other
//! makers of HTTP requests share: connections ([`pool`], [`connect`]), one request and its response
//! on one of them ([`hop`], [`exchange`]), which redirects are followed ([`redirects`]).

pub mod conclude;
pub mod connect;
pub mod connection;
mod connections;
pub(crate) mod draft;
pub mod exchange;
mod failed;
pub mod fixed;
mod follow;
pub mod hop;
pub mod message;
mod parts;
pub mod pool;
pub mod redirects;
mod request;
pub mod response;

pub use connection::HttpConnection;

//! stub
pub mod http1;

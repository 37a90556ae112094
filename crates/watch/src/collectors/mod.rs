//! Collectors: one file or folder a source.

pub(crate) mod actuator;
pub mod agent;
pub(crate) mod auto;
pub(crate) mod entities;
pub(crate) mod haproxy;
pub mod host;
pub(crate) mod jolokia;
pub mod jvm;
pub(crate) mod mysql;
pub(crate) mod nginx;
pub(crate) mod node_inspector;
pub(crate) mod pgbouncer;
pub(crate) mod php_fpm;
pub(crate) mod places;
pub(crate) mod postgresql;
pub(crate) mod pprof;
pub mod process;
pub(crate) mod prometheus;
pub(crate) mod redis;
pub(crate) mod server;
pub(crate) mod server_agent;
#[cfg(test)]
mod truth;

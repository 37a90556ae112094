//! Protocols: one file each, and a line in the registry.

mod fastcgi;
mod http1;
mod http2;
mod left;
mod line;
mod memcached;
mod multiplexed;
mod mysql;
mod part_hash;
mod postgres;
mod redis;
mod redis_keys;
pub(crate) mod registry;
mod statements;
mod tls;

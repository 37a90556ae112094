//! The knobs, one file a family.

pub(crate) mod cgroup;
pub(crate) mod druid;
pub(crate) mod hikari;
pub(crate) mod jetty;
pub(crate) mod jvm;
pub(crate) mod kernel;
pub(crate) mod logging;
pub(crate) mod mysql;
pub(crate) mod nginx;
pub(crate) mod php_fpm;
pub(crate) mod postgres;
pub(crate) mod redis;
pub(crate) mod redis_client;
pub(crate) mod runtime;
pub(crate) mod spring;
pub(crate) mod tomcat;
pub(crate) mod undertow;

//! Captures: one file each.

pub(crate) mod actuator_threads;
pub(crate) mod class_histogram;
pub(crate) mod cpu_samples;
pub(crate) mod goroutines;
pub(crate) mod innodb_status;
pub(crate) mod jfr;
pub(crate) mod jvm;
pub(crate) mod jvm_files;
pub(crate) mod jvm_info;
pub(crate) mod node_profile;
pub(crate) mod postgresql_queries;
pub(crate) mod profile;
pub(crate) mod redis_slowlog;
pub(crate) mod server_report;
pub(crate) mod slow_queries;
pub(crate) mod sockets;
pub(crate) mod stacks;
pub(crate) mod thread_dump;
pub(crate) mod thread_states;
pub(crate) mod virtual_threads;
pub(crate) mod wire;

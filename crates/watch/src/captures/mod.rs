//! Captures: one file each.

pub(crate) mod actuator_threads;

//! What this host allows a load generator, what that costs its user, and what mends it.
//!
//! Each thing is looked at as the program itself would use it: a right is known by trying the very call
//! that needs it, a limit is read where the kernel says it. Nothing is changed, no other host is asked.
//! This crate knows neither plans, runs, arguments nor terminals.

mod clock;
mod cpu;
mod disk;
mod examined;
mod network;
mod ports;
mod proc;
mod rights;
mod software;

use std::path::Path;

pub use examined::{Examined, Grade, HostSetting, Remedy};

/// Version of what is told as JSON; rises when a field changes its meaning.
pub const SCHEMA_VERSION: u32 = 1;

/// Looks at this host for a program that would store its runs in `runs`, which need not be there.
#[must_use]
pub fn examine(runs: &Path) -> Vec<Examined> {
    let setting = HostSetting::here();
    vec![
        rights::packets(&setting),
        rights::processes(&setting),
        rights::cpu_samples(&setting),
        rights::bpf(&setting),
        ports::ports(&setting),
        network::conntrack(&setting),
        network::accept_queue(&setting),
        disk::descriptors(&setting),
        clock::clock(&setting),
        cpu::cpu(&setting),
        cpu::memory(),
        disk::disk(runs),
        network::loopback(&setting),
        software::names(),
        software::certificates(&setting),
        software::companion(&setting),
    ]
}

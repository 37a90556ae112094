//! The instrument watches itself: CPU, waiting for CPU, descriptors, ports, memory.

mod limits;
mod process;
mod thread;

pub use limits::{Allowance, raise_descriptor_limit};
pub use process::{ProcessMonitor, ProcessUsage};
pub use thread::{ThreadUsage, pin_to, thread_cpu_ns, thread_id, thread_usage};

//! What Linux tells in `/proc` and `/sys`, read cheaply.

pub(crate) mod cgroup;
pub(crate) mod command_line;
pub(crate) mod container;
pub(crate) mod cpus;
pub(crate) mod demand;
pub(crate) mod descriptors;
pub(crate) mod file;
pub(crate) mod find;
pub(crate) mod host;
pub(crate) mod log_file;
pub(crate) mod memory;
pub(crate) mod name;
mod owner;
pub(crate) mod root;
pub(crate) mod script;
pub(crate) mod stat;
pub(crate) mod thread_name;

pub(crate) use file::KeptFile;

/// The number of a process.
pub type Pid = u32;

/// All processes that can be seen.
pub(crate) fn pids() -> Vec<Pid> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let mut pids: Vec<Pid> = names.collect();
    pids.sort_unstable();
    pids
}

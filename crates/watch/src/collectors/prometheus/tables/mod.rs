//! What known exporters' samples are to us: one table an exporter.

mod jmx;
mod micrometer;

use super::map::Rule;

/// All tables. Of several rules for a name the first that takes a sample counts.
pub(super) static ALL: &[&[Rule]] = &[micrometer::RULES, jmx::RULES];

/// Samples that tell of the exporter alone, by how their names begin.
pub(super) static IGNORED: &[&str] = &[
    "go_",
    "promhttp_",
    "scrape_",
    "net_conntrack_dialer_",
    "process_start_time",
    "application_ready_time",
    "application_started_time",
    "disk_free_bytes",
    "disk_total_bytes",
];

/// Samples that only repeat others, or sum them up.
pub(super) static REPEATED: &[&str] = &["hikaricp_connections", "jvm_threads_live_threads"];

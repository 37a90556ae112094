//! What known exporters' samples are to us: one table an exporter.

mod jmx;
mod micrometer;
mod mysqld;
mod nginx;
mod node;
mod redis;

pub(super) use jmx::plain_name;

use super::facts::PrometheusFacts;
use super::rule::PrometheusRule;
use super::text::PrometheusSample;

/// All tables. Of several rules for a name the first that takes a sample counts, and beside it
/// those before it that are `also`.
pub(super) static ALL: &[&[PrometheusRule]] = &[
    micrometer::RULES,
    jmx::RULES,
    node::RULES,
    mysqld::RULES,
    redis::RULES,
    nginx::RULES,
];

/// What samples say that stands still. Another rule may take the same sample.
pub(super) static FACTS: &[fn(&PrometheusSample<'_>) -> Option<PrometheusFacts>] =
    &[node::facts, mysqld::facts, redis::facts];

/// Samples that tell of the exporter alone or that nobody asks for, by how their names begin.
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
    "mysql_exporter_",
    "mysql_info_schema_innodb_cmp",
    "mysql_global_status_performance_schema_lost_",
    "node_cooling_device_",
    "node_network_address_assign_type",
    "node_network_carrier",
    "node_network_device_id",
    "node_network_dormant",
    "node_network_flags",
    "node_network_iface_",
    "node_network_name_assign_type",
    "node_network_net_dev_group",
    "node_network_protocol_type",
    "node_scrape_",
    "node_softnet_",
    "node_textfile_",
    "node_time_",
    "node_timex_",
    "redis_exporter_",
];

/// Samples that only repeat others, or sum them up.
pub(super) static REPEATED: &[&str] = &[
    "hikaricp_connections",
    "node_cpu_guest_seconds_total",
    "redis_latency_percentiles_usec_count",
    "redis_latency_percentiles_usec_sum",
];

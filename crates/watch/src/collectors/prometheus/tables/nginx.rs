//! nginx-prometheus-exporter, with stub_status of nginx.

use plimsoll_stats::series::EntityKind::Proxy;

use super::super::rule::{PrometheusRule, rule};
use crate::names::nginx::{ACCEPTED, CONNECTIONS, HANDLED, REQUESTS};

const STATE: &str = "nginx.connection.state";

pub(super) static RULES: &[PrometheusRule] = &[
    rule("nginx_connections_active", Proxy, &CONNECTIONS).fixed(&[(STATE, "active")]),
    rule("nginx_connections_reading", Proxy, &CONNECTIONS).fixed(&[(STATE, "reading")]),
    rule("nginx_connections_writing", Proxy, &CONNECTIONS).fixed(&[(STATE, "writing")]),
    rule("nginx_connections_waiting", Proxy, &CONNECTIONS).fixed(&[(STATE, "waiting")]),
    rule("nginx_connections_accepted", Proxy, &ACCEPTED),
    rule("nginx_connections_handled", Proxy, &HANDLED),
    rule("nginx_http_requests_total", Proxy, &REQUESTS),
];

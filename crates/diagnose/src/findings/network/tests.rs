#![allow(clippy::unwrap_used, clippy::expect_used)]
use std::sync::Arc;

use plimsoll_stats::ErrorKind;
use plimsoll_stats::series::{Entity, EntityKind};

use crate::model::{Layer, ShareOf};
use crate::testing::{Made, thing};

fn host() -> Arc<Entity> {
    thing(EntityKind::Host, "")
}

fn link(rate: f64, dropped: f64) -> Made {
    let interface = ("network.interface.name", "eth0");
    let sent = [interface, ("network.io.direction", "transmit")];
    Made::load(60.0, 200.0)
        .received(160_000)
        .gauge(
            &host(),
            "system.network.bandwidth.limit",
            &[interface],
            12.5e6,
        )
        .counter(&host(), "system.network.io", &sent, rate)
        .counter(
            &host(),
            "system.network.queue.overlimits",
            &[interface],
            dropped,
        )
        .fact(
            &thing(EntityKind::Application, "java[8080]"),
            "server.compression.enabled",
            "false",
        )
}

#[test]
fn a_full_link_is_found_with_the_compression_that_is_off() {
    let finding = link(11.9e6, 0.0).find("network_full").unwrap();
    assert_eq!(finding.object.name, "eth0");
    assert_eq!(finding.layer, Layer::Cause);
    let advice = &finding.advice[0];
    assert_eq!(
        advice.setting.as_deref(),
        Some("server.compression.enabled")
    );
    assert_eq!(advice.current.as_deref(), Some("false"));
    // What is compressed already is to be made smaller in other ways.
    let app = thing(EntityKind::Application, "java[8080]");
    let compressed = link(11.9e6, 0.0).fact(&app, "server.compression.enabled", "true");
    let advice = compressed.find("network_full").unwrap().advice;
    assert!(
        advice.iter().all(|advice| advice.setting.is_none()),
        "{advice:?}"
    );
    let with_full_cpu = link(11.9e6, 0.0).process("java[8080]", 0.99, 1.0);
    assert_eq!(
        with_full_cpu.find("network_full").unwrap().layer,
        Layer::Hint
    );
    assert_eq!(link(10.5e6, 0.0).find("network_full"), None);
    assert!(link(10.5e6, 100.0).find("network_full").is_some());
    assert_eq!(link(2e6, 100.0).find("network_full"), None);
}

#[test]
fn losses_are_a_remark() {
    let sent = [("network.io.direction", "transmit")];
    let made = |again: f64| {
        Made::load(60.0, 200.0)
            .counter(&host(), "system.tcp.segments", &sent, 1_000.0)
            .counter(&host(), "system.tcp.retransmits", &[], again)
    };
    assert_eq!(made(30.0).find("packet_loss").unwrap().layer, Layer::Hint);
    assert_eq!(made(3.0).find("packet_loss"), None);
}

/// A proxy that passes 2,000 requests a second on, and opens so many connections for it.
fn proxy(opens: f64, keepalive: Option<&str>, app_cpu: f64) -> Made {
    let proxy = thing(EntityKind::Proxy, "nginx:80");
    let to = [("server.address", "10.0.0.2:8080")];
    let closed = [
        ("network.connection.state", "time_wait"),
        ("server.address", "10.0.0.2"),
        ("server.port", "8080"),
    ];
    let made = Made::load(2_000.0, 20.0)
        .process("nginx[80]", 0.3, 2.0)
        .process("java[8080]", app_cpu, 1.0)
        .counter(&proxy, "nginx.upstream.duration.count", &to, 2_000.0)
        .counter(
            &host(),
            "system.tcp.opens",
            &[("tcp.open", "active")],
            opens,
        )
        .level(
            &host(),
            "system.network.peer.connection.count",
            &closed,
            (0.0, opens * 20.0),
        )
        .fact(&proxy, "nginx.http.upstream.app.server", "10.0.0.2:8080")
        .fact(&proxy, "nginx.http.server.proxy_pass", "http://app");
    match keepalive {
        Some(value) => made.fact(&proxy, "nginx.http.upstream.app.keepalive", value),
        None => made,
    }
}

#[test]
fn a_connection_for_each_request_is_found_where_it_costs() {
    let finding = proxy(2_000.0, None, 0.95)
        .find("upstream_short_connections")
        .unwrap();
    assert_eq!(finding.object.name, "nginx[80]");
    assert_eq!(finding.layer, Layer::Cause);
    assert_eq!(finding.explains.of, ShareOf::Throughput);
    let advice = &finding.advice[0];
    assert_eq!(advice.setting.as_deref(), Some("upstream app: keepalive"));
    assert_eq!(advice.proposed.as_deref(), Some("64"));
    // Another source tells of it too, and knows no process.
    let twice = thing(EntityKind::Proxy, "nginx");
    let made = proxy(2_000.0, None, 0.95)
        .counter(&twice, "nginx.upstream.duration.count", &[], 2_000.0)
        .all();
    let told = made
        .iter()
        .filter(|finding| finding.id == "upstream_short_connections");
    assert_eq!(told.count(), 1);
    // With CPU to spare nothing is lost.
    let idle = proxy(2_000.0, None, 0.2).find("upstream_short_connections");
    assert_eq!(idle.unwrap().layer, Layer::Hint);
}

#[test]
fn keep_alive_connections_are_no_finding() {
    for made in [
        proxy(20.0, None, 0.95),
        proxy(2_000.0, Some("64"), 0.95),
        proxy(1_000.0, None, 0.95),
    ] {
        assert_eq!(made.find("upstream_short_connections"), None);
    }
}

#[test]
fn ports_that_ran_out_explain_failures() {
    let of = thing(EntityKind::Proxy, "nginx:80");
    let error = [("log.level", "crit"), ("nginx.error", "no_local_port")];
    let made = proxy(300.0, None, 0.2)
        .counter(&of, "nginx.error_log.events", &error, 100.0)
        .errors(ErrorKind::CheckFailed, 2_000);
    let finding = made.find("upstream_short_connections").unwrap();
    assert_eq!(finding.explains.of, ShareOf::Errors);
    assert!(finding.explains.share > 0.95);
    assert_eq!(finding.layer, Layer::Cause);
}

fn sockets(from: f64, to: f64) -> Made {
    let process = thing(EntityKind::Process, "java[8080]");
    let state = [("network.connection.state", "close_wait")];
    Made::load(300.0, 1_000.0).level(
        &process,
        "process.network.connection.count",
        &state,
        (from, to),
    )
}

#[test]
fn sockets_that_are_never_closed() {
    let failing = sockets(0.0, 2_000.0).errors(ErrorKind::ConnectTimeout, 3_000);
    let finding = failing.find("close_wait").unwrap();
    assert_eq!(
        (finding.layer, finding.explains.of),
        (Layer::Cause, ShareOf::Errors)
    );
    // It has not failed yet: a remark.
    let growing = sockets(0.0, 200.0).find("close_wait").unwrap();
    assert_eq!(growing.layer, Layer::Hint);
    for (from, to) in [(100.0, 10.0), (5.0, 20.0), (60.0, 60.0)] {
        assert_eq!(sockets(from, to).find("close_wait"), None, "{from} {to}");
    }
}

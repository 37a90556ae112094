//! Settings of a proxy that cost it CPU, and limits of its own.

use std::sync::Arc;

use plimsoll_stats::names::{self, attributes, facts};
use plimsoll_stats::series::Entity;
use plimsoll_text::Message;

use super::Rule;
use super::support::{kept_by_each_worker, mean_ms, process_name, proxies};
use crate::about::object;
use crate::cpu::{CpuUse, cpus, of};
use crate::figures::{hundredths, percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::processes::process_of;
use crate::scene::Scene;

pub const RULE: Rule = Rule {
    ids: &["proxy_settings", "proxy_connections"],
    refuted_by: "a proxy whose CPU has room, or connections below their limit",
    look,
};

/// What a line of the access log costs that is written for each request, s of CPU: a write call.
/// As the other costs here a rule of thumb, so that what is concluded from it is not sure.
const LOG_S: f64 = 8e-6;
/// What a new connection to the upstream costs the proxy, s of CPU.
const CONNECT_S: f64 = 40e-6;
/// Share of the CPU that goes to changing between workers where there are more than CPUs.
const SWITCHING: f64 = 0.1;
/// Settings explain no more than that.
const MOST_BY_SETTINGS: f64 = 0.6;
/// Below this share nothing is said.
const LEAST: f64 = 0.15;
/// From this share on they come before the CPU that they use up: a good third of it would be free
/// without them.
const CAUSE: f64 = 0.35;

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for proxy in proxies(scene) {
        found.extend(settings(scene, &proxy));
        found.extend(connections(scene, &proxy));
    }
    found
}

/// A setting that could be better, with the share of the proxy's CPU that it takes by guess.
struct ProxySetting {
    share: f64,
    shows: Exhibit,
    advice: Advice,
}

/// A proxy that is out of CPU, with settings that cost a good part of it.
fn settings(scene: &Scene<'_>, proxy: &Arc<Entity>) -> Option<Finding> {
    let cpu = of(scene, &process_of(scene, proxy)?).filter(CpuUse::is_full)?;
    let requests = scene.of(proxy, names::nginx::REQUESTS).mean()?;
    let each_s = cpu.used / requests.max(1e-9);
    let poor: Vec<ProxySetting> = [
        access_log(scene, proxy, each_s),
        workers(scene, proxy, &cpu),
        keepalive(scene, proxy, each_s, requests),
    ]
    .into_iter()
    .flatten()
    .collect();
    let share = poor
        .iter()
        .map(|each| each.share)
        .sum::<f64>()
        .min(MOST_BY_SETTINGS);
    if share < LEAST {
        return None;
    }
    let explains = Explains::new(share, ShareOf::Throughput);
    let used = Message::new("exhibit-proxy-cpu")
        .with("used", hundredths(cpu.used))
        .with("limit", hundredths(cpu.limit))
        .with("micros", tenths(each_s * 1e6));
    let about = object("proxy", cpu.process.name.as_str(), proxy);
    // What settings cost is known by rules of thumb only: unless it is much, whatever was measured
    // comes before.
    let layer = Layer::cause_if(share >= CAUSE);
    let mut finding = Finding::new("proxy_settings", layer, about, explains)
        .shows(Exhibit::new(used).series(names::process::CPU_TIME));
    for each in poor {
        finding = finding.shows(each.shows).advises(each.advice);
    }
    Some(Finding {
        confidence: 0.5,
        source: "rule of thumb; nginx, ngx_core_module and ngx_http_upstream_module; field case F12",
        ..finding
    })
}

/// A line for each request, written at once.
fn access_log(scene: &Scene<'_>, proxy: &Entity, each_s: f64) -> Option<ProxySetting> {
    let mut logs = scene.facts_ending("access_log");
    let plain = logs.find(|(of, name, value)| {
        let of_status_page = name.contains("status");
        let buffered = value.contains("buffer=") || *value == "off";
        *of == proxy && !of_status_page && !buffered
    });
    let (_, _, value) = plain?;
    let text = Message::new("exhibit-access-log").with("value", value);
    let why = Message::new("advice-access-log");
    Some(ProxySetting {
        share: LOG_S / each_s.max(1e-9),
        shows: Exhibit::new(text),
        advice: Advice::setting("access_log", Some(value.to_owned()), "off", why),
    })
}

/// More workers than there are CPUs for them.
fn workers(scene: &Scene<'_>, proxy: &Entity, cpu: &CpuUse) -> Option<ProxySetting> {
    let told = scene.of(proxy, names::nginx::WORKERS).last();
    let set = scene.fact(proxy, facts::NGINX_WORKER_PROCESSES);
    let workers = told.or_else(|| set?.parse().ok())?;
    let host = cpus(scene, &proxy.host).unwrap_or(cpu.limit);
    let useful = host.min(cpu.limit).ceil().max(1.0);
    if workers < 2.0 * useful {
        return None;
    }
    let text = Message::new("exhibit-workers-cpus")
        .with("workers", workers)
        .with("cpus", useful);
    let why = Message::new("advice-proxy-workers");
    let now = Some(workers.to_string());
    Some(ProxySetting {
        share: SWITCHING,
        shows: Exhibit::new(text).series(names::nginx::WORKERS),
        advice: Advice::setting("worker_processes", now, useful.to_string(), why),
    })
}

/// Keep-alive connections, but fewer for each worker than requests are with it at once.
fn keepalive(
    scene: &Scene<'_>,
    proxy: &Entity,
    each_s: f64,
    requests: f64,
) -> Option<ProxySetting> {
    let facts = scene.facts_ending(".keepalive");
    let mut own = facts.filter(|(of, name, _)| *of == proxy && name.contains("upstream."));
    let (_, _, value) = own.next()?;
    let kept: f64 = value.parse().ok().filter(|kept| *kept > 0.0)?;
    let upstream_ms = mean_ms(
        |part| scene.of(proxy, part),
        (names::nginx::UPSTREAM_TIME, names::nginx::UPSTREAM_COUNT),
    )?;
    let workers = scene.of(proxy, names::nginx::WORKERS).last().unwrap_or(1.0);
    let at_once = requests * upstream_ms / 1e3 / workers.max(1.0);
    if kept >= at_once.max(1.0) * 1.5 {
        return None;
    }
    // What is not kept is opened: the more, the fewer are kept of those that are wanted at once.
    let opened = (1.0 - kept / (at_once.max(1.0) * 1.5)).clamp(0.1, 1.0);
    let proposed = kept_by_each_worker(scene, proxy, 64.0).max(2.0 * kept);
    let text = Message::new("exhibit-kept")
        .with("kept", kept)
        .with("at_once", tenths(at_once));
    let why = Message::new("advice-proxy-keepalive");
    let now = Some(value.to_owned());
    Some(ProxySetting {
        share: CONNECT_S * opened / each_s.max(1e-9),
        shows: Exhibit::new(text).series(names::nginx::UPSTREAM_TIME),
        advice: Advice::setting("upstream: keepalive", now, proposed.to_string(), why),
    })
}

/// A proxy that has taken all the connections that it may have.
fn connections(scene: &Scene<'_>, proxy: &Arc<Entity>) -> Option<Finding> {
    let errors = scene.of(proxy, names::nginx::ERRORS);
    let refused = errors
        .with(attributes::NGINX_ERROR, "worker_connections")
        .counted()
        .filter(|count| *count >= 1.0)?;
    let failed = scene.total().errors;
    #[expect(clippy::cast_precision_loss, reason = "counts of a run")]
    let share = match failed {
        0 => 0.0,
        failed => (refused / failed as f64).min(1.0),
    };
    let explains = Explains::new(share, ShareOf::Errors);
    let text = Message::new("exhibit-worker-connections").with("count", refused.round());
    let name = process_name(scene, proxy);
    let layer = Layer::cause_if(failed > 0);
    let finding = Finding::new(
        "proxy_connections",
        layer,
        object("proxy", name, proxy),
        explains,
    )
    .with("percent_failed", percent(share))
    .shows(Exhibit::new(text).series(names::nginx::ERRORS));
    let now = scene.fact(proxy, facts::NGINX_EVENTS_WORKER_CONNECTIONS);
    let limit = now.and_then(|now| now.parse::<f64>().ok()).unwrap_or(512.0);
    let why = Message::new("advice-worker-connections");
    Some(Finding {
        confidence: 0.95,
        source: "nginx, ngx_core_module: worker_connections counts both sides",
        ..finding.advises(Advice::setting(
            "worker_connections",
            now.map(str::to_owned),
            (limit * 4.0).max(4_096.0).to_string(),
            why,
        ))
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use plimsoll_stats::ErrorKind;
    use plimsoll_stats::series::EntityKind;

    use crate::model::Layer;
    use crate::testing::{Made, thing};

    /// A proxy with 0.12 CPUs that serves so many requests a second, so set.
    fn proxy(requests: f64, log: &str, workers: f64, kept: &str) -> Made {
        let of = thing(EntityKind::Proxy, "nginx:80");
        Made::load(requests, 30.0)
            .process("nginx[80]", 0.12, 0.12)
            .counter(&of, "nginx.requests", &[], requests)
            .counter(&of, "nginx.upstream.duration.count", &[], requests)
            .counter(&of, "nginx.upstream.duration.sum", &[], requests * 0.02)
            .gauge(&of, "nginx.worker.count", &[], workers)
            .fact(&of, "nginx.http.access_log", log)
            .fact(&of, "nginx.http.upstream.app.keepalive", kept)
    }

    #[test]
    fn settings_that_cost_much_are_found_and_not_sure() {
        let finding = proxy(2_000.0, "/log/a timed", 24.0, "1")
            .find("proxy_settings")
            .unwrap();
        assert!(finding.confidence <= 0.5);
        let settings: Vec<_> = finding
            .advice
            .iter()
            .filter_map(|advice| advice.setting.as_deref())
            .collect();
        let expected = ["access_log", "worker_processes", "upstream: keepalive"];
        assert_eq!(settings, expected);
        // As many as the CPUs that it may use, of the 8 of its host.
        let expected = Some("1");
        assert_eq!(finding.advice[1].proposed.as_deref(), expected);
        assert_eq!(finding.layer, Layer::Cause);
        // One of them alone, of a request that costs more, is a side remark.
        let less = proxy(800.0, "/log/a timed", 24.0, "64");
        assert_eq!(less.find("proxy_settings").unwrap().layer, Layer::Hint);
    }

    #[test]
    fn settings_explain_no_request_that_costs_much_itself() {
        assert_eq!(
            proxy(100.0, "/log/a timed", 2.0, "64").find("proxy_settings"),
            None
        );
        assert_eq!(
            proxy(2_000.0, "off", 2.0, "64").find("proxy_settings"),
            None
        );
    }

    #[test]
    fn connections_that_were_refused() {
        let of = thing(EntityKind::Proxy, "nginx:80");
        let error = [("nginx.error", "worker_connections")];
        let made = Made::load(100.0, 30.0)
            .counter(&of, "nginx.error_log.events", &error, 10.0)
            .fact(&of, "nginx.events.worker_connections", "768")
            .errors(ErrorKind::ConnectionClosed, 200);
        let finding = made.find("proxy_connections").unwrap();
        assert_eq!(finding.advice[0].current.as_deref(), Some("768"));
        assert_eq!(finding.advice[0].proposed.as_deref(), Some("4096"));
        assert!(finding.explains.share > 0.9);
    }
}

//! Errors that a proxy's log names: what it says of a failed request is more than a status.

use plimsoll_stats::names::{self, attributes};
use plimsoll_stats::series::Entity;
use plimsoll_text::Message;

use super::Rule;
use super::support::{process_name, proxies};
use crate::about::object;
use crate::figures::percent;
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;

pub const ID: &str = "logged_errors";
pub const RULE: Rule = Rule {
    ids: &[ID],
    refuted_by: "no failed requests, or lines of another time",
    look,
};

/// So much of the failed requests must have such a line.
const LEAST_WITH_LINE: f64 = 0.3;
/// Lines that have rules of their own, and those that say nothing of a failed request.
const OTHERS: &[&str] = &[
    "limiting_requests",
    "limiting_connections",
    "worker_connections",
    "no_local_port",
    "buffered_to_disk",
    "client_closed",
    "broken_pipe",
    "other",
];
/// Lines that have words of their own here.
const KNOWN: &[&str] = &[
    "upstream_timed_out",
    "upstream_refused",
    "upstream_closed_early",
    "connection_reset",
    "no_route",
    "resource_unavailable",
    "upstream_header_too_big",
    "body_too_large",
    "host_not_resolved",
    "disk_full",
    "permission_denied",
    "worker_died",
    "out_of_memory",
    "tls_handshake",
    "file_not_found",
    "too_many_open_files",
];

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    if !scene.failed_enough() {
        return Vec::new();
    }
    let all = proxies(scene);
    all.iter().filter_map(|proxy| of(scene, proxy)).collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts of a run")]
fn of(scene: &Scene<'_>, proxy: &Entity) -> Option<Finding> {
    let lines = scene
        .of(proxy, names::nginx::ERRORS)
        .by(attributes::NGINX_ERROR);
    let named = lines
        .into_iter()
        .filter(|(class, _)| !OTHERS.contains(&class.as_str()));
    let counted = named.filter_map(|(class, lines)| Some((class, lines.counted()?)));
    let (class, count) = counted.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let failed = scene.total().errors.max(1) as f64;
    let share = (count / failed).min(1.0);
    if share < LEAST_WITH_LINE {
        return None;
    }
    let known = KNOWN.iter().find(|known| **known == class);
    let words = known.map_or("other", |known| *known);
    let text = Message::new("exhibit-logged-errors")
        .with("count", count.round())
        .with("class", class.as_str())
        .with("percent", percent(share));
    let about = object("proxy", process_name(scene, proxy), proxy);
    let explains = Explains::new(share, ShareOf::Errors);
    let why = Message::new("advice-logged-errors").with("class", words);
    let finding = Finding::new(ID, Layer::Cause, about, explains)
        .with("class", words)
        .with("name", class.as_str())
        .shows(Exhibit::new(text).series(names::nginx::ERRORS))
        .advises(Advice::code(why));
    // Who knows the limit behind the line is surer; a bare status is less.
    Some(Finding {
        confidence: 0.65,
        source: "nginx, ngx_http_upstream_module, error_log",
        ..finding
    })
}

#[cfg(test)]
mod tests {
    use super::{KNOWN, OTHERS};

    #[test]
    fn lines_are_called_as_the_watcher_calls_them() {
        let watcher = include_str!("../../../watch/src/collectors/nginx/error_log.rs");
        for class in KNOWN.iter().chain(OTHERS) {
            assert!(watcher.contains(&format!("\"{class}\"")), "{class}");
        }
    }
}

//! Hosts and control groups that have no memory left.

use plimsoll_stats::ErrorKind;
use plimsoll_stats::names;
use plimsoll_text::Message;

use crate::about::object;
use crate::figures::{percent, tenths};
use crate::findings::support::stalled;
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;

/// Pages a second from which on swapping is felt.
const PAGES: f64 = 200.0;

/// Hosts that swap while they serve.
pub(super) fn swapping(scene: &Scene<'_>) -> Vec<Finding> {
    let hosts = scene.series(names::host::SWAPPED).by_thing();
    let found = hosts.into_iter().filter_map(|(host, pages)| {
        let rate = pages.mean().filter(|rate| *rate >= PAGES)?;
        let stalled = stalled(scene, &host, "memory");
        let text = Message::new("exhibit-swapping")
            .with("rate", rate.round())
            .with("known", if stalled.is_some() { "yes" } else { "no" })
            .with("percent", percent(stalled.unwrap_or(0.0)));
        let explains = Explains {
            // Without the kernel's own account a guess: what is swapped is waited for.
            share: stalled.unwrap_or(0.3).min(1.0),
            of: ShareOf::ResponseTime,
        };
        let about = object("host", host.host.as_str(), &host);
        let finding = Finding::new("swapping", Layer::Cause, about, explains)
            .shows(Exhibit::new(text).series(names::host::SWAPPED))
            .advises(Advice::code(Message::new("advice-swapping")));
        Some(Finding {
            confidence: if stalled.is_some() { 0.9 } else { 0.6 },
            source: "Linux, Documentation/accounting/psi.rst; USE method, Gregg 2012",
            ..finding
        })
    });
    found.collect()
}

/// How requests fail to whom no longer lives.
fn is_of_death(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::ConnectionRefused
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionClosed
            | ErrorKind::ClosedInBody
    )
}

/// Processes that the kernel ended for want of memory.
pub(super) fn oom_kills(scene: &Scene<'_>) -> Vec<Finding> {
    let series = [names::host::CGROUP_OOM_KILLS, names::host::OOM_KILLS];
    let killed = series
        .iter()
        .flat_map(|series| {
            let things = scene.series(*series).by_thing().into_iter();
            things.filter_map(|(thing, kills)| Some((*series, thing, kills.rise()?)))
        })
        .find(|(_, _, kills)| *kills >= 1.0);
    let Some((series, thing, kills)) = killed else {
        return Vec::new();
    };
    let failed = scene.failed_enough();
    let text = Message::new("exhibit-oom-kill").with("count", tenths(kills));
    let explains = Explains::new(if failed { 0.8 } else { 0.0 }, ShareOf::Errors);
    // Of a whole host it may be anybody's: whoever is killed takes his connections along.
    let ours =
        series.name == names::host::CGROUP_OOM_KILLS.name || scene.failed(is_of_death) >= 1.0;
    let layer = Layer::cause_if(failed && ours);
    let name = match thing.name.as_str() {
        "" => thing.host.as_str(),
        name => name,
    };
    let about = object("process", name, &thing);
    let finding = Finding::new("oom_kill", layer, about, explains)
        .shows(Exhibit::new(text).series(series))
        .advises(Advice::code(Message::new("advice-oom-kill")));
    vec![Finding {
        confidence: 0.85,
        source: "/proc/vmstat oom_kill; cgroup memory.events",
        ..finding
    }]
}

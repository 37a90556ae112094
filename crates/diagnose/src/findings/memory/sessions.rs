//! Sessions that are made for requests and stay.

use std::sync::Arc;

use plimsoll_stats::names::{self, SeriesName, facts};
use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use super::heap::{self, JvmHeap};
use super::histogram::{Class, Growth};
use crate::about::object;
use crate::evidence::SecondOfLoad;
use crate::figures::{hundredths, percent};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::processes::process_of;
use crate::scene::Scene;

/// So many of the requests must leave a session behind.
const OFTEN: f64 = 0.3;
/// So much of what was made must stay.
const STAYS: f64 = 0.8;
/// Fewer sessions are no leak.
const LEAST: f64 = 1_000.0;
/// Where this share of the long-lived part stays in use, the heap is nearly full.
const NEARLY_FULL: f64 = 0.65;
/// Pauses from this share of the time on are felt.
const FELT: f64 = 0.1;

/// Series of sessions that are kept, with the class that a server keeps them in.
const SERVERS: &[(SeriesName, &str)] = &[
    (
        names::web_server::TOMCAT_SESSIONS,
        "org.apache.catalina.session.StandardSession",
    ),
    (
        names::web_server::UNDERTOW_SESSIONS,
        "io.undertow.server.session.InMemorySessionManager$SessionImpl",
    ),
];
/// Classes of sessions that servers and frameworks keep in memory.
const CLASSES: &[&str] = &[
    "org.apache.catalina.session.StandardSession",
    "io.undertow.server.session.InMemorySessionManager$SessionImpl",
    "org.eclipse.jetty.server.session.Session",
    "org.eclipse.jetty.session.ManagedSession",
    "org.springframework.session.MapSession",
    "org.apache.shiro.session.mgt.SimpleSession",
];

/// JVMs whose sessions become more and more, and the findings about them.
pub(super) fn find(scene: &Scene<'_>) -> (Vec<Arc<Entity>>, Vec<Finding>) {
    let (mut jvms, mut found) = (Vec::new(), Vec::new());
    for server in scene.things(EntityKind::WebServer) {
        let jvm = jvm_of(scene, &server);
        if jvm.as_ref().is_some_and(|jvm| jvms.contains(jvm)) {
            continue; // seen by another source
        }
        let of_series = |of: &(SeriesName, &'static str)| of_server(scene, &server, *of);
        if let Some(finding) = SERVERS.iter().find_map(of_series) {
            jvms.extend(jvm);
            found.push(finding);
        }
    }
    (jvms, found)
}

fn of_server(
    scene: &Scene<'_>,
    server: &Arc<Entity>,
    (series, class): (SeriesName, &'static str),
) -> Option<Finding> {
    let whole = whole(scene)?;
    let active = whole.of(server, series);
    let (grew, now) = (active.rise()?, active.last()?);
    // Seen at the same looks: what a starved server did not tell is missing in both.
    let created = whole
        .of(server, names::web_server::TOMCAT_SESSIONS_CREATED)
        .rise();
    let stays = created.is_none_or(|created| grew >= STAYS * created);
    #[expect(clippy::cast_precision_loss, reason = "counts of a run")]
    let served = whole.seconds().map(|second| second.samples).sum::<u64>() as f64;
    if grew < LEAST || grew < OFTEN * served || !stays {
        return None;
    }
    let jvm = jvm_of(scene, server);
    let heap = jvm.as_ref().and_then(|jvm| heap::of(scene, jvm));
    let (share, layer) = explains(scene, heap.as_ref());
    let grown = jvm.as_ref().and_then(|jvm| Growth::of(scene, jvm));
    let known = grown.as_ref().and_then(session_class);
    let name = known.as_ref().map_or(class, |class| class.name.as_str());
    let ended = match created {
        Some(created) if created <= grew => "none",
        Some(_) => "few",
        None => "unknown",
    };
    let text = Message::new("exhibit-sessions")
        .with("grew", grew.round())
        .with("now", now.round())
        .with("ended", ended)
        .with("per_request", hundredths(grew / served.max(1.0)));
    let explains = Explains::new(share, ShareOf::Throughput);
    let grown = grown.as_ref().zip(known.as_ref());
    let about = object("class", name, server);
    let finding = Finding::new("session_leak", layer, about, explains)
        .with("count", now.round())
        .with("percent_left", percent((grew / served.max(1.0)).min(1.0)))
        .shows(Exhibit::new(text).series(series))
        .shows_all(heap.iter().flat_map(JvmHeap::evidence))
        .shows_all(grown.map(|(grown, class)| grown.exhibit(class)))
        .shows_all(falling(scene))
        .advises(Advice::code(Message::new("advice-session-leak")))
        .advises_all(timeout(scene));
    Some(Finding {
        confidence: 0.95,
        source: "sessions kept = rate × time-out (Little's law); field case F08",
        ..finding
    })
}

/// That throughput falls, if it does.
fn falling(scene: &Scene<'_>) -> Option<Exhibit> {
    let lost = lost(scene).filter(|lost| *lost > 0.1)?;
    let text = Message::new("exhibit-falling").with("percent", percent(lost));
    Some(Exhibit::new(text))
}

/// Sessions that end sooner, of Spring Boot, which tells of itself; none where they already do.
fn timeout(scene: &Scene<'_>) -> Option<Advice> {
    let set = scene.facts_ending("servlet.session.timeout").next();
    let now = set.map(|(_, _, value)| value.to_owned());
    let is_spring = now.is_some() || scene.knows(EntityKind::Application);
    let is_short = now
        .as_deref()
        .is_some_and(|now| now.ends_with('s') || now == "1m" || now == "PT1M");
    let why = Message::new("advice-session-timeout");
    let setting = facts::SERVER_SERVLET_SESSION_TIMEOUT;
    (is_spring && !is_short).then(|| Advice::setting(setting, now, "1m", why))
}

/// The target from the run's start to its end: what leaks does so all the time, and a heap that is
/// full lets little be seen any more.
fn whole<'a>(scene: &Scene<'a>) -> Option<Scene<'a>> {
    let last = scene
        .load()
        .seconds
        .iter()
        .map(|second| second.second)
        .max();
    Scene::over(scene.evidence(), (0, last? + 1))
}

/// What is lost because of it: the time in pauses, or what throughput lost meanwhile, where the
/// heap is nearly full. Until then it only will be.
fn explains(scene: &Scene<'_>, heap: Option<&JvmHeap>) -> (f64, Layer) {
    let Some(heap) = heap else {
        return (lost(scene).unwrap_or(0.0), Layer::Cause);
    };
    let full = heap.after.is_some_and(|after| after >= NEARLY_FULL);
    if !full && heap.paused < FELT {
        return (0.0, Layer::Hint);
    }
    let lost = lost(scene).unwrap_or(0.0);
    (heap.paused.max(lost), Layer::Cause)
}

/// How much less is served in the last quarter of the stretch than in its best.
#[expect(clippy::cast_precision_loss, reason = "counts of a second")]
fn lost(scene: &Scene<'_>) -> Option<f64> {
    let served: Vec<f64> = scene.seconds().map(SecondOfLoad::served).collect();
    let quarter = served.len() / 4;
    if quarter == 0 {
        return None;
    }
    let means = served
        .chunks_exact(quarter)
        .map(|part| part.iter().sum::<f64>() / quarter as f64);
    let best = means.fold(0.0, f64::max);
    let last = served[served.len() - quarter..].iter().sum::<f64>() / quarter as f64;
    (best > 0.0).then(|| (1.0 - last / best).clamp(0.0, 1.0))
}

/// The class of sessions that became most.
fn session_class(grown: &Growth) -> Option<Class> {
    let sessions = grown
        .classes
        .iter()
        .filter(|class| CLASSES.contains(&class.name.as_str()) && class.objects >= LEAST / 2.0);
    sessions
        .max_by(|a, b| a.objects.total_cmp(&b.objects))
        .cloned()
}

/// The JVM that a web server runs in.
fn jvm_of(scene: &Scene<'_>, server: &Entity) -> Option<Arc<Entity>> {
    let process = process_of(scene, server);
    let jvms = scene.things(EntityKind::Jvm);
    let same = |jvm: &&Arc<Entity>| {
        jvm.name == server.name && jvm.host == server.host
            || process.is_some() && process_of(scene, jvm) == process
    };
    jvms.iter().find(same).cloned()
}

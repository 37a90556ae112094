//! Connections that are made late without any failure: they wait in a listen queue all the time, or their
//! first packets are lost and sent again after a second.

use plimsoll_stats::names::{self, attributes};
use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use super::Rule;
use super::support::turned_away;
use crate::about::object;
use crate::figures::{hundredths, percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::processes::listens_at;
use crate::rank::LEAST_SHARE;
use crate::scene::Scene;

pub(super) const QUEUE: &str = "listen_queue";
const AGAIN: &str = "connections_sent_again";

pub const RULE: Rule = Rule {
    ids: &[QUEUE, AGAIN],
    refuted_by: "connections that are made in less time than the lost packets would cost, a port that nobody listens at, or a queue of more than there are requests in flight",
    look,
};

/// A lost first packet is sent again after that (RFC 6298, section 2; Linux: TCP_TIMEOUT_INIT).
pub(super) const LOST_S: f64 = 1.0;
/// What a queue drops later, behind the handshake, is sent again after that at the earliest (Linux:
/// TCP_RTO_MIN).
const LOST_LATER_S: f64 = 0.2;
/// Fewer may be chance.
const LEAST_LOST: f64 = 3.0;
/// With so many requests that were turned away the failures say it: a finding of its own.
const FAILING: f64 = 0.05;
/// What is lost costs no more than there is, give or take.
const MOST_SHARE_LOST: f64 = 1.2;
/// So much of what is lost must be seen in the time that connecting takes.
const MATCHES: f64 = 0.5;
/// A queue that holds somebody in so many of the looks stands.
const STANDS: f64 = 0.8;
/// A shorter queue is one of moments.
const LEAST_QUEUE: f64 = 1.0;

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let mut found = standing(scene);
    if turned_away(scene) < FAILING {
        let dropped = dropped(scene);
        if dropped.is_empty() {
            found.extend(sent_again(scene));
        }
        found.extend(dropped);
    }
    found
}

/// The time of all requests together, s.
pub(super) fn all_s(scene: &Scene<'_>) -> f64 {
    (scene.requests() * scene.total().response_time_ms.mean / 1e3).max(1e-9)
}

/// The time that making connections took of it, s.
#[expect(clippy::cast_precision_loss, reason = "counts of a run")]
pub(super) fn connecting_s(scene: &Scene<'_>) -> f64 {
    let connect = scene.total().phases.connect;
    connect.count as f64 * connect.mean_ms / 1e3
}

/// Whether a process that is watched listens at a port of a host, or is the thing that tells of it.
pub(super) fn listener(scene: &Scene<'_>, thing: &Entity, port: &str) -> Option<Entity> {
    let mut processes = scene.things(EntityKind::Process).into_iter();
    let found = processes.find(|process| {
        process.host == thing.host
            && (thing.kind == EntityKind::Host || **process == *thing)
            && listens_at(scene, process, port)
    });
    found.map(|process| (*process).clone())
}

/// Queues in which connections wait to be accepted at nearly every look.
pub(super) fn standing(scene: &Scene<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for (thing, queues) in scene.series(names::host::LISTEN_QUEUE).by_thing() {
        for (port, queue) in queues.by(attributes::SERVER_PORT) {
            let Some(process) = listener(scene, &thing, &port) else {
                continue;
            };
            let track = queue.track();
            let held = track.iter().filter(|(_, length)| *length >= 1.0).count();
            #[expect(clippy::cast_precision_loss, reason = "seconds of a run")]
            let share_held = held as f64 / track.len().max(1) as f64;
            let length = queue.mean().unwrap_or(0.0);
            let share = length / scene.outstanding().max(1e-9);
            // More than are in flight are others' connections.
            if length < LEAST_QUEUE || share_held < STANDS || share > MOST_SHARE_LOST {
                continue;
            }
            let text = Message::new("exhibit-listen-queue-stands")
                .with("port", port.as_str())
                .with("length", tenths(length))
                .with("percent", percent(share_held))
                .with("share", percent(share.min(1.0)));
            let explains = Explains::new(share.min(1.0), ShareOf::ResponseTime);
            let about = object("listen_socket", port, &process);
            let finding = Finding::new(QUEUE, Layer::Resource, about, explains)
                .with("process", process.name.as_str())
                .shows(Exhibit::new(text).series(names::host::LISTEN_QUEUE))
                .advises(Advice::code(Message::new("advice-listen-queue")));
            found.push(Finding {
                confidence: 0.7,
                source: "listen(2); Little's law",
                ..finding
            });
        }
    }
    found
}

/// Ports whose queue drops connections, which come again later and then succeed.
fn dropped(scene: &Scene<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for (thing, drops) in scene.series(names::host::LISTEN_SOCKET_DROPS).by_thing() {
        for (port, drops) in drops.by(attributes::SERVER_PORT) {
            // What waits for the client's first bytes before it accepts counts each handshake's end as dropped.
            let deferred = scene.of(&thing, names::host::TCP_DEFERRED).counted();
            let lost = drops.counted().unwrap_or(0.0) - deferred.unwrap_or(0.0);
            let Some(process) = listener(scene, &thing, &port).filter(|_| lost >= LEAST_LOST)
            else {
                continue;
            };
            let again = scene.of(&thing, names::host::TCP_SYN_RETRANSMITS).counted();
            let first = again.unwrap_or(0.0).min(lost);
            let cost_s = first * LOST_S + (lost - first) * LOST_LATER_S;
            let text = Message::new("exhibit-listen-drops")
                .with("port", port.as_str())
                .with("count", lost.round());
            let text = Exhibit::new(text).series(names::host::LISTEN_SOCKET_DROPS);
            let about = object("listen_socket", port, &process);
            found.push(lost_time(scene, about, cost_s, cost_s / all_s(scene)).shows(text));
        }
    }
    found
}

/// First packets that were sent again, while nobody who is watched says why they were lost.
fn sent_again(scene: &Scene<'_>) -> Option<Finding> {
    let all = scene.series(names::host::TCP_SYN_RETRANSMITS).by_thing();
    let counted = all
        .into_iter()
        .filter_map(|(thing, again)| Some((thing, again.counted()?)));
    let (thing, again) = counted.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let (cost_s, connecting_s) = (again * LOST_S, connecting_s(scene));
    if again < LEAST_LOST {
        return None;
    }
    // Where connecting does not take that long, they were others'.
    let share = match connecting_s >= MATCHES * cost_s {
        true => connecting_s.min(cost_s) / all_s(scene),
        false => 0.0,
    };
    let text = Message::new("exhibit-syns-again")
        .with("count", again.round())
        .with("seconds", hundredths(connecting_s));
    let name = match thing.name.as_str() {
        "" => thing.host.as_str(),
        name => name,
    };
    let about = object("host", name, &thing);
    let text = Exhibit::new(text).series(names::host::TCP_SYN_RETRANSMITS);
    Some(lost_time(scene, about, cost_s, share).shows(text))
}

/// Time that requests lose by what is sent again; more than there is was not lost by them.
fn lost_time(
    scene: &Scene<'_>,
    about: crate::model::FindingObject,
    cost_s: f64,
    share: f64,
) -> Finding {
    let is_theirs = share <= MOST_SHARE_LOST;
    let explains = Explains::new(
        if is_theirs { share.min(1.0) } else { 0.0 },
        ShareOf::ResponseTime,
    );
    let layer = Layer::cause_if(is_theirs && share >= LEAST_SHARE);
    let cost_ms = cost_s * 1e3 / scene.requests();
    let finding = Finding::new(AGAIN, layer, about, explains)
        .with("ms", hundredths(cost_ms))
        .advises(Advice::code(Message::new("advice-connections-sent-again")));
    Finding {
        confidence: 0.8,
        source: "RFC 6298, section 2; TcpExtTCPSynRetrans (nstat); ss(8)",
        ..finding
    }
}

/// A queue before what is known to limit is its consequence.
pub(super) fn settle(found: &mut [Finding]) {
    let limits = |finding: &Finding| {
        finding.id != QUEUE
            && matches!(finding.layer, Layer::Cause | Layer::Resource)
            && finding.explains.share >= LEAST_SHARE
    };
    if found.iter().any(limits) {
        for queue in found.iter_mut().filter(|finding| finding.id == QUEUE) {
            queue.layer = Layer::Hint;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use plimsoll_stats::ErrorKind;
    use plimsoll_stats::series::EntityKind;

    use crate::DiagnosisOutcome;
    use crate::account::PartKind;
    use crate::model::Layer;
    use crate::testing::{Made, thing};

    const PORT: (&str, &str) = ("server.port", "9000");

    /// 20 requests in flight, of which so many wait to be accepted.
    fn queue(length: f64) -> Made {
        let host = thing(EntityKind::Host, "");
        Made::load(80.0, 250.0)
            .process("php-fpm[9000]", 0.1, 2.0)
            .gauge(&host, "system.tcp.listen.queue.length", &[PORT], length)
    }

    #[test]
    fn a_queue_that_stands_is_never_nothing() {
        let diagnosis = queue(16.0).diagnose();
        assert_eq!(diagnosis.outcome, DiagnosisOutcome::Found);
        let first = &diagnosis.findings[0];
        assert_eq!((first.id, first.layer), ("listen_queue", Layer::Resource));
        assert!((first.explains.share - 0.8).abs() < 0.01);
        for length in [0.0, 0.5, 40.0] {
            assert_eq!(queue(length).find("listen_queue"), None, "{length}");
        }
        // Behind it something is known to limit.
        let full = queue(16.0).process("java[8080]", 1.99, 2.0).diagnose();
        assert_eq!(full.findings[0].id, "cpu");
        let behind = full
            .findings
            .iter()
            .find(|finding| finding.id == "listen_queue");
        assert_eq!(behind.unwrap().layer, Layer::Hint);
    }

    /// 12 users of whom 5 get responses, of 51 ms each; the connections of the others wait to be accepted all the time.
    fn users_without_a_turn(open: f64) -> Made {
        let process = thing(EntityKind::Process, "shop[9000]");
        let host = thing(EntityKind::Host, "");
        Made::load(97.5, 51.0)
            .at("http://127.0.0.1:9000/")
            .outstanding(12)
            .process("shop[9000]", 0.1, 2.0)
            .gauge(&process, "process.unix.file_descriptor.count", &[], open)
            .gauge(&process, "process.unix.file_descriptor.limit", &[], 12.0)
            .gauge(&host, "system.tcp.listen.queue.length", &[PORT], 7.0)
    }

    #[test]
    fn requests_that_never_get_a_response_wait_all_the_same() {
        let diagnosis = users_without_a_turn(12.0).diagnose();
        assert_eq!(diagnosis.outcome, DiagnosisOutcome::Found);
        let first = &diagnosis.findings[0];
        assert_eq!((first.id, first.layer), ("file_descriptors", Layer::Cause));
        assert!((first.explains.share - 7.0 / 12.0).abs() < 0.01);
        let queue = &diagnosis.findings[1];
        assert_eq!((queue.id, queue.layer), ("listen_queue", Layer::Hint));
        // They are none of those whose time is accounted for.
        let parts = diagnosis.account.unwrap().parts;
        assert!(
            parts.iter().all(|part| part.kind != PartKind::AcceptQueue),
            "{parts:?}"
        );
        // Where descriptors are left, it is the queue that is known.
        let diagnosis = users_without_a_turn(9.0).diagnose();
        let first = &diagnosis.findings[0];
        assert_eq!((first.id, first.layer), ("listen_queue", Layer::Resource));
    }

    #[test]
    fn a_queue_of_a_port_that_nobody_watched_serves_is_not_theirs() {
        let host = thing(EntityKind::Host, "");
        let other = [("server.port", "22")];
        let made = Made::load(80.0, 250.0)
            .process("php-fpm[9000]", 0.1, 2.0)
            .gauge(&host, "system.tcp.listen.queue.length", &[other[0]], 16.0)
            .counter(&host, "system.tcp.listen.socket.drops", &other, 10.0);
        assert_eq!(made.find("listen_queue"), None);
        assert_eq!(made.find("connections_sent_again"), None);
    }

    /// 100 requests a second of 300 ms, and so many drops at the port, each of which is sent again.
    fn drops(rate: f64) -> Made {
        let host = thing(EntityKind::Host, "");
        Made::load(100.0, 300.0)
            .process("php-fpm[9000]", 0.1, 2.0)
            .counter(&host, "system.tcp.listen.socket.drops", &[PORT], rate)
            .counter(&host, "system.tcp.syn.retransmits", &[], rate)
    }

    #[test]
    fn drops_cost_a_second_each_and_no_more_than_there_is() {
        let finding = drops(20.0).find("connections_sent_again").unwrap();
        assert_eq!(finding.layer, Layer::Cause);
        assert_eq!(finding.object.name, "9000");
        assert!(
            (finding.explains.share - 20.0 / 30.0).abs() < 0.02,
            "{finding:?}"
        );
        let few = drops(1.0).find("connections_sent_again").unwrap();
        assert_eq!(few.layer, Layer::Hint);
        let others = drops(500.0).find("connections_sent_again").unwrap();
        assert_eq!(others.layer, Layer::Hint);
        // Failures are a finding of their own.
        let failing = drops(20.0).errors(ErrorKind::ConnectTimeout, 500);
        assert_eq!(failing.find("connections_sent_again"), None);
    }

    #[test]
    fn what_waits_for_the_first_bytes_has_lost_nothing() {
        let host = thing(EntityKind::Host, "");
        let deferred = |rate: f64| drops(20.0).counter(&host, "system.tcp.deferred", &[], rate);
        // SYNs that were sent again are of others then.
        let of_others = deferred(20.0).find("connections_sent_again").unwrap();
        assert_eq!(
            (of_others.layer, of_others.explains.share),
            (Layer::Hint, 0.0)
        );
        let rest = deferred(10.0).find("connections_sent_again").unwrap();
        assert!((rest.explains.share - 10.0 / 30.0).abs() < 0.02, "{rest:?}");
    }

    #[test]
    fn packets_sent_again_are_ours_where_connecting_takes_that_long() {
        let host = thing(EntityKind::Host, "");
        let made = |connect_ms: f64| {
            Made::load(100.0, 300.0).connects(0.2, connect_ms).counter(
                &host,
                "system.tcp.syn.retransmits",
                &[],
                20.0,
            )
        };
        let finding = made(1_000.0).find("connections_sent_again").unwrap();
        assert_eq!(finding.layer, Layer::Cause);
        assert!((finding.explains.share - 20.0 / 30.0).abs() < 0.02);
        let others = made(1.0).find("connections_sent_again").unwrap();
        assert_eq!((others.layer, others.explains.share), (Layer::Hint, 0.0));
    }
}

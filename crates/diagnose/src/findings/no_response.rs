//! Requests that end without a response, while nothing that was watched says why: that is never
//! "nothing limits".

use plimsoll_stats::ErrorKind;
use plimsoll_text::Message;

use super::Rule;
use crate::about::seen_by_client;
use crate::figures::{percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::processes::is_loaded;
use crate::scene::Scene;

const ID: &str = "requests_without_response";

pub const RULE: Rule = Rule {
    ids: &[ID],
    refuted_by: "a rule that says why they get none",
    look,
};

/// So much of the requests must get no response.
const SHARE_WITHOUT_RESPONSE: f64 = 0.2;
/// Errors of a server that does not respond, or of what is before it.
const KINDS: &[ErrorKind] = &[
    ErrorKind::ReadTimeout,
    ErrorKind::ConnectTimeout,
    ErrorKind::ConnectionRefused,
    ErrorKind::ConnectionClosed,
    ErrorKind::ClosedInBody,
    ErrorKind::ConnectionReset,
];
/// Fewer threads than this share of the requests in flight serve one: the others do not get so far.
const REACHED: f64 = 0.5;

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let kinds = KINDS.iter().map(|kind| (share(scene, *kind), *kind));
    let Some((most, kind)) = kinds.max_by(|a, b| a.0.total_cmp(&b.0)) else {
        return Vec::new();
    };
    let Some(explains) = explains(scene) else {
        return Vec::new();
    };
    let text = Message::new("exhibit-without-response")
        .with("kind", kind.name())
        .with("percent", percent(most));
    let why = Message::new("advice-requests-without-response").with("kind", kind.name());
    let about = seen_by_client("error", kind.name());
    let finding = Finding::new(ID, Layer::Cause, about, explains)
        .with("unanswered", percent(share_of_all(scene)))
        .shows(Exhibit::new(text))
        .advises(Advice::code(why))
        .shows_all(not_reached(scene));
    vec![Finding {
        confidence: 0.5,
        source: "RFC 9110, section 15: a server that serves responds; the client's own errors by kind",
        ..finding
    }]
}

/// What missing responses explain, where there are many.
pub(super) fn explains(scene: &Scene<'_>) -> Option<Explains> {
    let all = share_of_all(scene);
    (all >= SHARE_WITHOUT_RESPONSE).then(|| {
        Explains::new(
            (all / scene.total().error_rate.max(all)).min(1.0),
            ShareOf::Errors,
        )
    })
}

/// The share of all requests that the server left without a response.
fn share_of_all(scene: &Scene<'_>) -> f64 {
    KINDS.iter().map(|kind| share(scene, *kind)).sum()
}

fn share(scene: &Scene<'_>, kind: ErrorKind) -> f64 {
    scene.failed(|failed| failed == kind) / scene.requests()
}

/// That requests do not get as far as a thread of the JVM that is loaded.
#[expect(clippy::cast_precision_loss, reason = "requests in flight")]
fn not_reached(scene: &Scene<'_>) -> Option<Exhibit> {
    let mut all = scene.stacks().iter();
    let loaded = all.find(|stacks| is_loaded(scene, &stacks.jvm))?;
    // By Little's law it would be 0 where nothing gets a response at all.
    let counted = scene.seconds().map(|second| second.in_flight as f64);
    let in_flight = counted.fold(scene.in_flight(), f64::max);
    let busy = loaded.busy();
    let text = Message::new("exhibit-not-reached")
        .with("name", loaded.jvm.name.as_str())
        .with("busy", tenths(busy))
        .with("in_flight", tenths(in_flight));
    (busy < REACHED * in_flight).then(|| Exhibit::new(text))
}

/// Whatever else limits explains the missing responses better.
pub(super) fn settle(found: &mut Vec<Finding>) {
    let explained = |finding: &Finding| finding.id != ID && finding.layer != Layer::Hint;
    if found.iter().any(explained) {
        found.retain(|finding| finding.id != ID);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use plimsoll_stats::ErrorKind;

    use super::super::tests::{JVM, with};
    use crate::DiagnosisOutcome;
    use crate::testing::Made;

    const SERVES: (&str, &str) = ("RUNNABLE", "\tat shop.Page.show(Page.java:9)\n");

    #[test]
    fn missing_responses_are_told_where_nothing_else_explains_them() {
        let made = |failed: u64, used: f64| {
            let made = Made::load(100.0, 1_000.0).process(JVM, used, 2.0);
            made.errors(ErrorKind::ReadTimeout, failed)
        };
        let diagnosis = made(1_900, 0.1).diagnose();
        assert_eq!(diagnosis.outcome, DiagnosisOutcome::Found);
        let first = &diagnosis.findings[0];
        assert_eq!(
            (first.id, first.object.name.as_str()),
            ("requests_without_response", "read_timeout")
        );
        assert_eq!(first.evidence.len(), 1);
        // Few; or the CPU is saturated.
        assert_eq!(
            made(200, 0.1).diagnose().outcome,
            DiagnosisOutcome::Insufficient
        );
        let full = made(1_900, 1.95).diagnose();
        assert_eq!(full.findings[0].id, "cpu");
        let mut findings = full.findings.iter();
        assert!(findings.all(|finding| finding.id != "requests_without_response"));
    }

    #[test]
    fn requests_that_reach_no_thread_are_evidence() {
        let made = |threads: usize| {
            let made = Made::load(20.0, 1_000.0).at("http://127.0.0.1:8080/");
            let made = with(made.process(JVM, 0.1, 2.0), &[(threads, SERVES)]);
            made.errors(ErrorKind::ReadTimeout, 390)
        };
        let shown = |threads| super::look(&made(threads).scene())[0].evidence.clone();
        assert_eq!(shown(2)[1].text.id, "exhibit-not-reached");
        assert_eq!(shown(18).len(), 1);
    }
}

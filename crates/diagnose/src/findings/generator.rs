//! The generator is the first suspect, always: was it the limit itself?

use plimsoll_stats::{ErrorKind, GeneratorReason, ReasonKind, Touched, ceiling};
use plimsoll_text::Message;

use super::Rule;
use crate::figures::{hundredths, percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, FindingObject, Layer, ShareOf};
use crate::scene::Scene;

pub const RULE: Rule = Rule {
    ids: &[
        "generator_cpu",
        "generator_ports",
        "generator_late",
        "generator_descriptors",
        "generator_memory",
        "generator_starved",
        "generator_stopped",
        "generator_near_limit",
    ],
    refuted_by: "load threads with CPU left that send on time",
    look,
};

/// Late sends that make up less than this of a response change nothing that is said of it.
const LATE_MATTERS: f64 = 0.2;
/// The figure that all samples are in.
const MEAN: &str = "mean";

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let reasons = &scene.load().generator.reasons;
    let mut found: Vec<Finding> = reasons
        .iter()
        .filter(|reason| !is_covered(reason, reasons))
        .map(|reason| finding(scene, reason))
        .collect();
    let failed = scene.total().errors_by_kind.get(&ErrorKind::NoLocalPort);
    let ports = found
        .iter_mut()
        .find(|finding| finding.id == "generator_ports");
    if let Some(&failed) = failed
        && failed > 0
    {
        let exhibit = Exhibit::new(Message::new("exhibit-no-local-port").with("count", failed));
        match ports {
            Some(ports) => ports.evidence.push(exhibit),
            None => found.push(ports_finding(scene, failed).shows(exhibit)),
        }
    }
    if found
        .iter()
        .all(|finding| finding.layer != Layer::Measurement)
    {
        found.extend(near_limit(scene));
    }
    found
}

/// A throughput near the most that this generator was seen to do: a plateau there may be its own.
fn near_limit(scene: &Scene<'_>) -> Option<Finding> {
    let load = scene.load();
    let ceiling = load.ceiling.as_ref()?;
    if scene.failed(ErrorKind::is_before_sending) > 0.5 * scene.requests() {
        // A busy loop of failures says nothing of how fast responses come.
        return None;
    }
    let most_per_s = ceiling.of_threads_per_s(load.threads);
    let share = scene.throughput_per_s() / most_per_s.max(1e-9);
    if share < ceiling::NEAR {
        return None;
    }
    let layer = if share >= ceiling::AT {
        Layer::Measurement
    } else {
        Layer::Hint
    };
    let finding = Finding::new(
        "generator_near_limit",
        layer,
        generator(scene),
        of_measurement(share),
    );
    let text = Message::new("exhibit-generator-ceiling")
        .with("rate", scene.throughput_per_s().round())
        .with("most", most_per_s.round())
        .with("micros", tenths(ceiling.cpu_us_per_request))
        .with("date", ceiling.measured_at.get(..10).unwrap_or_default());
    Some(Finding {
        confidence: 0.8,
        source: "utilization law, Denning and Buzen 1978; plimsoll_stats::ceiling",
        ..finding
            .shows(Exhibit::new(text))
            .advises(Advice::code(Message::new("advice-generator-near-limit")))
    })
}

/// Lateness and starvation follow from a CPU that is saturated; ports from nothing else.
fn is_covered(reason: &GeneratorReason, all: &[GeneratorReason]) -> bool {
    let has = |kind| all.iter().any(|other| other.kind == kind);
    match reason.kind {
        ReasonKind::Lateness | ReasonKind::ReceiveLag => {
            has(ReasonKind::Cpu) || has(ReasonKind::Starved) || has(ReasonKind::Stopped)
        }
        ReasonKind::Starved => has(ReasonKind::Cpu),
        _ => false,
    }
}

fn id(kind: ReasonKind) -> &'static str {
    match kind {
        ReasonKind::Cpu => "generator_cpu",
        ReasonKind::Lateness | ReasonKind::ReceiveLag => "generator_late",
        ReasonKind::Ports => "generator_ports",
        ReasonKind::Fds => "generator_descriptors",
        ReasonKind::Memory => "generator_memory",
        ReasonKind::Starved => "generator_starved",
        ReasonKind::Stopped => "generator_stopped",
    }
}

fn finding(scene: &Scene<'_>, reason: &GeneratorReason) -> Finding {
    let id = id(reason.kind);
    let response_ms = scene.total().response_time_ms.mean.max(1e-3);
    let touched = &scene.load().generator.touched;
    // The throughput hangs on the mean (Little's law): where that stays, a percentile among quick requests may be the
    // generator's, and what limits is not. Of records from before it was known which figures are touched, a little
    // lateness of very short requests is told, too.
    let is_exhausted = reason.kind.is_exhaustion() || reason.kind == ReasonKind::Cpu;
    let touches_mean = || touched.iter().any(|one| one.figure == MEAN);
    let matters = match touched.is_empty() {
        false => is_exhausted || touches_mean(),
        true if reason.kind == ReasonKind::Lateness => {
            lateness_ms(scene) / response_ms >= LATE_MATTERS
        }
        true => true,
    };
    let share = if reason.kind == ReasonKind::Ports {
        without_port(scene).max(reason.seconds_share)
    } else {
        touched
            .iter()
            .map(moved)
            .fold(reason.seconds_share, f64::max)
    };
    let text = Message::new(format!("exhibit-generator-{}", reason.kind.name()))
        .with("percent", percent(reason.seconds_share))
        .with("worst", hundredths(reason.worst))
        .with("limit", hundredths(reason.limit))
        .with(
            "competitor",
            reason
                .competitor
                .clone()
                .unwrap_or_else(|| "none".to_owned()),
        );
    let layer = if matters {
        Layer::Measurement
    } else {
        Layer::Hint
    };
    let finding = Finding::new(id, layer, generator(scene), of_measurement(share));
    let finding = Finding {
        source: "plimsoll_stats::generator; field cases F24, F25",
        ..finding
    };
    let finding = finding.shows(Exhibit::new(text));
    let worst = touched.iter().max_by(|a, b| moved(a).total_cmp(&moved(b)));
    let worst = worst.filter(|_| !reason.kind.is_exhaustion());
    worst
        .map(touched_exhibit)
        .into_iter()
        .fold(finding, Finding::shows)
        .advises(Advice::code(Message::new(format!(
            "advice-{}",
            id.replace('_', "-")
        ))))
}

/// How much of a figure is the generator's.
fn moved(touched: &Touched) -> f64 {
    1.0 - touched.corrected_ms / touched.measured_ms.max(1e-6)
}

fn touched_exhibit(touched: &Touched) -> Exhibit {
    Exhibit::new(
        Message::new("exhibit-generator-touched")
            .with("figure", touched.figure.clone())
            .with("measured", hundredths(touched.measured_ms))
            .with("corrected", hundredths(touched.corrected_ms)),
    )
}

fn ports_finding(scene: &Scene<'_>, failed: u64) -> Finding {
    let share = without_port(scene);
    let finding = Finding::new(
        "generator_ports",
        Layer::Measurement,
        generator(scene),
        of_measurement(share),
    );
    Finding {
        source: "field case F24; ip(7), ip_local_port_range",
        ..finding.with("count", failed)
    }
    .advises(Advice::code(Message::new("advice-generator-ports")))
}

fn generator(scene: &Scene<'_>) -> FindingObject {
    FindingObject {
        kind: "generator",
        name: "generator".to_owned(),
        host: scene.load().host.clone(),
        process: String::new(),
    }
}

fn of_measurement(share: f64) -> Explains {
    Explains::new(share.clamp(0.0, 1.0), ShareOf::Measurement)
}

/// The share of the requests that found no local port.
fn without_port(scene: &Scene<'_>) -> f64 {
    scene.failed(|kind| kind == ErrorKind::NoLocalPort) / scene.requests()
}

/// The mean time that requests left late: response time less service time.
fn lateness_ms(scene: &Scene<'_>) -> f64 {
    scene.total().response_time_ms.mean - scene.total().service_time_ms.mean
}

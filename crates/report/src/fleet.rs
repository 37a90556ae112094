//! What a reader must know of a load that several hosts made.

use plimsoll_stats::FleetSummary;
use plimsoll_text::Message;

use crate::data::RunData;
use crate::document::{NoticeLevel, ReportGrid};
use crate::number::{count, figure};

/// What was missing, lost or withheld: it comes before every figure.
pub(crate) fn notices(data: &RunData<'_>) -> Vec<(NoticeLevel, String)> {
    let (say, Some(fleet)) = (data.say, &data.summary.fleet) else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    for missing in &fleet.missing {
        let message = Message::new("report-fleet-missing")
            .with("part", format!("1/{}", missing.of_shares.max(1)))
            .with("name", missing.worker.clone())
            .with("from", figure(missing.from_s))
            .with("to", figure(missing.to_s));
        lines.push(say.message(&message));
    }
    for lost in &fleet.lost {
        let message = Message::new("report-fleet-lost")
            .with("name", lost.worker.clone())
            .with("most", count(lost.at_most))
            .with("from", figure(lost.from_s))
            .with("to", figure(lost.to_s));
        lines.push(say.message(&message));
    }
    if fleet.withheld > 0 {
        let message = Message::new("report-fleet-withheld").with("count", count(fleet.withheld));
        lines.push(say.message(&message));
    }
    if lines.is_empty() {
        return Vec::new();
    }
    lines.insert(0, say.text("report-fleet-incomplete"));
    vec![(NoticeLevel::Bad, lines.join("\n"))]
}

/// The workers with what they did and how their generators fared; empty for a run on one machine.
pub(crate) fn workers(data: &RunData<'_>) -> ReportGrid {
    let say = data.say;
    let heads = [
        ("report-fleet-worker", false),
        ("report-fleet-host", false),
        ("report-fleet-shares", false),
        ("report-fleet-clock", true),
        ("report-fleet-generator", false),
    ];
    let mut grid = ReportGrid::new(say, &heads);
    for worker in data.summary.fleet.iter().flat_map(|fleet| &fleet.workers) {
        let reasons = worker.reasons.iter().map(|reason| reason.name());
        let generator = match worker.limited {
            true => say.message(
                &Message::new("report-fleet-limited")
                    .with("reasons", reasons.collect::<Vec<_>>().join(", ")),
            ),
            false => say.text("report-fleet-ok"),
        };
        let clock = format!(
            "{:+.2} ± {:.2} ms",
            worker.clock_offset_ms, worker.clock_error_ms
        );
        grid.row(vec![
            worker.name.clone(),
            worker.host.clone(),
            shares(data.summary.fleet.as_ref(), &worker.shares),
            clock,
            generator,
        ]);
    }
    grid
}

/// `1, 4 / 7`; with the whole plan on each worker: `1`.
fn shares(fleet: Option<&FleetSummary>, own: &[u32]) -> String {
    let own: Vec<String> = own.iter().map(u32::to_string).collect();
    match fleet.filter(|fleet| !fleet.each) {
        Some(fleet) => format!("{} / {}", own.join(", "), fleet.shares),
        None => own.join(", "),
    }
}

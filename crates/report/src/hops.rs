//! The hops of a chain, each loaded alone: a table, and what it says.

use plimsoll_stats::HopTimes;
use plimsoll_stats::hops::MeasuredHop;
use plimsoll_text::{Lang, Message};

use crate::curve::estimate;
use crate::document::{ReportBlock, ReportGrid, Say};
use crate::number::{count, figure, percent};
use crate::screen::to_text;

/// The times as text for a terminal.
#[must_use]
pub fn text(times: &HopTimes, lang: Lang) -> String {
    to_text(&blocks(Say(lang), times))
}

/// The section.
pub(crate) fn blocks(say: Say, times: &HopTimes) -> Vec<ReportBlock> {
    let mut blocks = vec![
        ReportBlock::Heading(say.text("hops-title")),
        ReportBlock::Table(grid(say, times)),
    ];
    blocks.extend(sentences(say, times).into_iter().map(ReportBlock::Text));
    blocks
}

/// One row for each hop, the outermost first; the one that adds most stands out.
pub(crate) fn grid(say: Say, times: &HopTimes) -> ReportGrid {
    let heads = [
        ("hops-name", false),
        ("hops-address", false),
        ("hops-requests", true),
        ("report-column-error", true),
        ("hops-time", true),
        ("hops-own", true),
        ("hops-share", true),
        ("report-column-median", true),
        ("report-column-p90", true),
    ];
    let mut grid = ReportGrid::new(say, &heads);
    let whole = times.hops.iter().find_map(|hop| hop.time_ms);
    let slowest = times.slowest().map(|slowest| slowest.place);
    for (place, hop) in times.hops.iter().enumerate() {
        let row = row(hop, whole.map(|whole| whole.value));
        match slowest == Some(place) {
            true => grid.strong_row(row),
            false => grid.row(row),
        }
    }
    grid
}

fn row(hop: &MeasuredHop, whole_ms: Option<f64>) -> Vec<String> {
    let nothing = || "–".to_owned();
    let shown = |value: Option<_>| value.map_or_else(nothing, |value| estimate(&value, figure));
    let own = hop.own_ms.map(|own| own.value.max(0.0));
    let share = own.zip(whole_ms.filter(|whole| *whole > 0.0));
    let ended = hop.samples > hop.errors;
    let percentile = |ms: f64| if ended { figure(ms) } else { nothing() };
    let failed = match hop.samples {
        0 => 0.0,
        samples => hop.errors as f64 / samples as f64,
    };
    vec![
        hop.name.clone(),
        hop.address.clone(),
        count(hop.samples),
        percent(failed),
        shown(hop.time_ms),
        shown(hop.own_ms),
        share.map_or_else(nothing, |(own, whole)| percent((own / whole).min(1.0))),
        percentile(hop.p50_ms),
        percentile(hop.p90_ms),
    ]
}

/// How it was measured, which hop adds most, and what cannot be told.
pub(crate) fn sentences(say: Say, times: &HopTimes) -> Vec<String> {
    let mut all = Vec::new();
    if let Some(slowest) = times.slowest() {
        let id = match slowest.clear {
            true => "hops-slowest",
            false => "hops-slowest-unclear",
        };
        let message = Message::new(id)
            .with("name", slowest.hop.name.as_str())
            .with("ms", figure(slowest.own_ms))
            .with("percent", (slowest.share * 100.0).round());
        all.push(say.message(&message));
    }
    let named =
        |id: &'static str, hop: &MeasuredHop| Message::new(id).with("name", hop.name.as_str());
    for hop in times.not_nested() {
        all.push(say.message(&named("hops-not-nested", hop)));
    }
    for hop in times.hops.iter().filter(|hop| hop.time_ms.is_none()) {
        all.push(say.message(&named("hops-failed", hop)));
    }
    let note = Message::new("hops-note")
        .with("users", times.users)
        .with("rounds", times.rounds)
        .with("seconds", times.round_s);
    all.push(say.message(&note));
    all
}

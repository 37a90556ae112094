//! The curve of a run: a table of its loads, its marks, what the laws say.

use plimsoll_stats::Estimate;
use plimsoll_stats::curve::{
    Curve, CurveNote, CurvePoint, LoadModel, Mark, MixDifference, PREDICT_UP_TO, Usl, UslAxis,
};
use plimsoll_text::{Lang, Message};

use crate::document::{ReportBlock, ReportGrid, Say};
use crate::number::{count, figure, percent, rate, trimmed};
use crate::screen::to_text;

/// The marks with the letters they are drawn with.
pub(crate) fn lettered(curve: &Curve) -> [(&'static str, &'static str, Option<Mark>); 7] {
    let marks = &curve.marks;
    [
        ("a", "A", marks.a),
        ("c", "C", marks.c),
        ("d", "D", marks.d),
        ("e", "E", marks.e),
        ("n-star", "N*", marks.n_star),
        ("power", "K", marks.power),
        ("peak", "P", marks.peak),
    ]
}

/// A load as people read it.
pub(crate) fn load(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return count(value.abs() as u64);
    }
    figure(value)
}

/// The text id of what the load is counted in.
pub(crate) fn load_name(model: LoadModel) -> &'static str {
    match model {
        LoadModel::Users => "curve-users",
        LoadModel::Rate => "curve-rate",
    }
}

/// One row for each load.
pub(crate) fn points(say: Say, curve: &Curve) -> ReportGrid {
    let heads = [
        (load_name(curve.model), true),
        ("curve-throughput", true),
        ("curve-mean", true),
        ("report-column-p50", true),
        ("report-column-p90", true),
        ("report-column-p95", true),
        ("report-column-p99", true),
        ("report-column-error", true),
        ("curve-seconds", true),
        ("curve-marks", false),
    ];
    let mut grid = ReportGrid::new(say, &heads);
    grid.heads[3].0 = say.text("report-column-median");
    for point in &curve.points {
        let marks: Vec<&str> = lettered(curve)
            .iter()
            .filter(|(_, _, mark)| mark.is_some_and(|mark| mark.load == point.load))
            .map(|(_, letter, _)| *letter)
            .collect();
        let row = vec![
            load(point.load),
            estimate(&point.throughput_per_s, rate),
            estimate(&point.response_time_ms, figure),
            figure(point.p50_ms),
            figure(point.p90_ms),
            figure(point.p95_ms),
            figure(point.p99_ms),
            percent(point.error_rate),
            seconds(say, point),
            marks.join(" "),
        ];
        match marks.contains(&"C") {
            true => grid.strong_row(row),
            false => grid.row(row),
        }
    }
    grid
}

/// A value with half its interval's width.
pub(crate) fn estimate(of: &Estimate, show: fn(f64) -> String) -> String {
    match of.high {
        Some(high) => format!("{} ± {}", show(of.value), figure(high - of.value)),
        None => show(of.value),
    }
}

fn seconds(say: Say, point: &CurvePoint) -> String {
    let id = match (point.held, point.steady) {
        (false, _) => "curve-seconds-ramp",
        (true, false) => "curve-seconds-unsteady",
        (true, true) => "curve-seconds-steady",
    };
    let message = Message::new(id)
        .with("used", point.seconds_used)
        .with("cut", point.seconds_cut);
    say.message(&message)
}

/// The marks in sentences, then the laws, then what a reader should know.
pub(crate) fn sentences(say: Say, curve: &Curve) -> Vec<String> {
    let mut lines: Vec<String> = lettered(curve)
        .iter()
        .filter_map(|(id, _, mark)| Some(mark_line(say, curve, id, (*mark)?)))
        .collect();
    lines.extend(curve.usl.map(|usl| usl_line(say, curve, &usl)));
    if let Some(demands) = &curve.demands {
        let line = Message::new("curve-demands")
            .with("d-max", figure(demands.d_max_s * 1e3))
            .with("d", figure(demands.d_s * 1e3))
            .with("z", figure(demands.z_s * 1e3))
            .with("most", rate(1.0 / demands.d_max_s));
        lines.push(say.message(&line));
    }
    lines.extend(curve.notes.iter().map(|note| note_line(say, curve, *note)));
    lines.extend(curve.mix.as_ref().map(|mix| say.message(&mix_line(mix))));
    lines
}

/// That the loads are not made of the same requests.
#[must_use]
pub fn mix_line(mix: &MixDifference) -> Message {
    Message::new("curve-mix-differs")
        .with("label", mix.label.as_str())
        .with("load", load(mix.load))
        .with("share", percent(mix.share))
        .with("other-load", load(mix.reference_load))
        .with("other-share", percent(mix.reference_share))
}

fn mark_line(say: Say, curve: &Curve, id: &str, mark: Mark) -> String {
    let model = match curve.model {
        LoadModel::Users => "users",
        LoadModel::Rate => "rate",
    };
    let range = match mark.high {
        Some(high) if high == mark.load && mark.low == mark.load => None,
        Some(high) => {
            let range = Message::new("curve-range").with("low", load(mark.low));
            Some(range.with("high", load(high)))
        }
        None => Some(Message::new("curve-range-open").with("low", load(mark.low))),
    };
    let unit = Message::new(format!("curve-load-{model}")).with("load", load(mark.load));
    let mut at = say.message(&unit);
    if let Some(range) = range {
        at.push(' ');
        at.push_str(&say.message(&range));
    }
    let mut line = say.message(&Message::new(format!("curve-mark-{id}")).with("load", at));
    if let Some(point) = curve.at(Some(mark)) {
        let at = Message::new("curve-mark-at")
            .with("throughput", rate(point.throughput_per_s.value))
            .with("mean", figure(point.response_time_ms.value))
            .with("p95", figure(point.p95_ms));
        line.push(' ');
        line.push_str(&say.message(&at));
    }
    line
}

fn usl_line(say: Say, curve: &Curve, usl: &Usl) -> String {
    let peak = match (usl.peak_n, usl.peak_per_s) {
        // The notes say why; what follows from it would be read as a prediction.
        _ if curve.usl_is_doubtful() => Message::new("curve-usl-doubtful"),
        (Some(n), Some(x)) => Message::new("curve-usl-peak")
            .with("n", figure(n))
            .with("x", rate(x)),
        (None, Some(x)) => Message::new("curve-usl-limit").with("x", rate(x)),
        _ => Message::new("curve-usl-linear"),
    };
    let axis = match usl.axis {
        UslAxis::Load => "curve-usl-users",
        UslAxis::Concurrency => "curve-usl-concurrency",
    };
    let line = Message::new("curve-usl")
        .with("lambda", with_range(&usl.lambda_per_s, rate))
        .with("sigma", with_range(&usl.sigma, small))
        .with("kappa", with_range(&usl.kappa, small))
        .with("fit", percent(usl.r_squared.max(0.0)))
        .with("axis", say.text(axis))
        .with("peak", say.message(&peak));
    say.message(&line)
}

fn with_range(of: &Estimate, show: fn(f64) -> String) -> String {
    match (of.low, of.high) {
        (Some(low), Some(high)) => {
            format!("{} ({}…{})", show(of.value), show(low), show(high))
        }
        _ => show(of.value),
    }
}

/// A share that may be tiny, with two significant digits.
fn small(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        v if v < 1e-4 => format!("{value:.1e}"),
        v => {
            let places = (1.0 - v.log10().floor()).clamp(0.0, 6.0) as usize;
            let text = format!("{value:.places$}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    }
}

fn note_line(say: Say, curve: &Curve, note: CurveNote) -> String {
    let id = match note {
        CurveNote::SmallestLoadIsNotOne => "curve-note-smallest",
        CurveNote::KneeNotReached => "curve-note-no-knee",
        CurveNote::NotSteady => "curve-note-unsteady",
        CurveNote::Ramp => "curve-note-ramp",
        CurveNote::ResponseTimeLawBroken => "curve-note-law",
        CurveNote::UslDoesNotFit => "curve-note-usl-fit",
        CurveNote::UslContradictsBounds => "curve-note-usl-bounds",
        CurveNote::LowerBoundsBroken => "curve-note-bounds",
    };
    let first = curve.points.first().map_or(0.0, |point| point.load);
    let residual = curve.usl.map_or(0.0, |usl| usl.worst_residual);
    let message = Message::new(id).with("load", load(first));
    say.message(&message.with("residual", percent(residual)))
}

/// What the laws say beyond what was measured.
pub(crate) fn predictions(say: Say, curve: &Curve) -> ReportGrid {
    let heads = [
        (load_name(curve.model), true),
        ("curve-by-usl", true),
        ("curve-at-most", true),
        ("curve-at-least", true),
        ("curve-response-at-least", true),
    ];
    let mut grid = ReportGrid::new(say, &heads);
    for prediction in &curve.predictions {
        grid.row(vec![
            load(prediction.load),
            prediction.usl_per_s.map_or_else(|| "–".to_owned(), rate),
            rate(prediction.asymptotic.high_per_s),
            match curve.has_fallen() {
                true => "–".to_owned(),
                false => rate(prediction.balanced.low_per_s),
            },
            figure(prediction.least_response_ms),
        ]);
    }
    grid
}

/// What stands under the predictions.
pub(crate) fn predictions_note(say: Say) -> String {
    say.message(&Message::new("curve-predictions-note").with("times", trimmed(PREDICT_UP_TO)))
}

/// What a curve shows, as text for a terminal, without its loads: who measured them has a table of his own.
#[must_use]
pub fn text(curve: &Curve, lang: Lang) -> String {
    let say = Say(lang);
    let title = ReportBlock::Heading(say.text("curve-title"));
    let blocks: Vec<ReportBlock> = std::iter::once(title).chain(shown(say, curve)).collect();
    to_text(&blocks)
}

/// The section for text and Markdown.
pub(crate) fn blocks(say: Say, curve: &Curve) -> Vec<ReportBlock> {
    let mut blocks = vec![
        ReportBlock::Heading(say.text("curve-title")),
        ReportBlock::Table(points(say, curve)),
    ];
    blocks.extend(shown(say, curve));
    blocks
}

/// What the loads of a curve show: marks, laws, notes, predictions.
fn shown(say: Say, curve: &Curve) -> Vec<ReportBlock> {
    let mut blocks = Vec::new();
    blocks.extend(sentences(say, curve).into_iter().map(ReportBlock::Text));
    blocks.push(ReportBlock::Text(say.text("curve-note")));
    let predictions = predictions(say, curve);
    if !predictions.is_empty() {
        blocks.push(ReportBlock::Heading(say.text("curve-predictions")));
        blocks.push(ReportBlock::Table(predictions));
        blocks.push(ReportBlock::Text(predictions_note(say)));
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_shares_keep_two_digits() {
        let shown = [0.0, 0.051_23, 0.000_512_3, 0.000_002_04, 0.5].map(small);
        assert_eq!(shown, ["0", "0.051", "0.00051", "2.0e-6", "0.5"]);
        assert_eq!((load(200.0), load(12.345)), ("200".into(), "12.3".into()));
    }
}

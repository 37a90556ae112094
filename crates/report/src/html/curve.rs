//! The curve as two pictures without a script: throughput and response time against load.

use plimsoll_stats::Estimate;
use plimsoll_stats::curve::{Curve, CurvePoint, UslAxis};

use super::elements::{note, paragraphs, section as framed_section, table};
use super::escape::escape;
use super::plot::{BOTTOM, HEIGHT, Plot, TOP};
use crate::curve::{lettered, load, load_name};
use crate::data::RunData;
use crate::document::Say;
use crate::number::figure;

/// How far the laws' lines are drawn beyond the largest load.
const BEYOND: f64 = 1.25;
/// The loads of a run that had several.
pub(super) fn section(data: &RunData<'_>) -> String {
    let (say, Some(found)) = (data.say, &data.curve) else {
        return String::new();
    };
    let mut html = charts(say, found);
    html.push_str(&table(&crate::curve::points(say, found), ""));
    html.push_str(&paragraphs(&crate::curve::sentences(say, found)));
    html.push_str(&note(&say.text("curve-note")));
    let predictions = crate::curve::predictions(say, found);
    if !predictions.is_empty() {
        html.push_str(&format!(
            "<details><summary>{}</summary>{}<p class=\"note\">{}</p></details>\n",
            escape(&say.text("curve-predictions")),
            table(&predictions, ""),
            escape(&crate::curve::predictions_note(say))
        ));
    }
    framed_section(&say.text("curve-title"), &html)
}

/// Both pictures.
fn charts(say: Say, curve: &Curve) -> String {
    format!(
        "<div class=\"charts\">\n{}{}</div>\n",
        throughput(say, curve),
        response(say, curve)
    )
}

/// A picture over the loads, with the marks.
fn over_loads(say: Say, curve: &Curve, most_y: f64, title: &str) -> Plot {
    let most_x = curve.largest_load() * BEYOND;
    let mut plot = Plot::new(most_x, most_y, title, &say.text(load_name(curve.model)));
    add_marks(&mut plot, curve);
    plot
}

/// A line down from each mark's letter; letters at the same load share it.
fn add_marks(plot: &mut Plot, curve: &Curve) {
    let mut drawn: Vec<(f64, String)> = Vec::new();
    for (_, letter, mark) in lettered(curve) {
        let Some(mark) = mark.filter(|mark| mark.load <= plot.most_x) else {
            continue;
        };
        let x = plot.x(mark.load);
        match drawn.iter_mut().find(|(at, _)| (*at - x).abs() < 9.0) {
            Some((_, letters)) => {
                letters.push(' ');
                letters.push_str(letter);
            }
            None => drawn.push((x, letter.to_owned())),
        }
    }
    for (x, letters) in drawn {
        plot.line("mark", (x, TOP), (x, HEIGHT - BOTTOM));
        plot.text(x, TOP - 8.0, "mid letter", &letters);
    }
}

/// The measured values, with their intervals and a line through them.
fn add_measured(
    plot: &mut Plot,
    colour: &str,
    curve: &Curve,
    of: impl Fn(&CurvePoint) -> Estimate,
) {
    let values: Vec<(f64, Estimate)> = curve.points.iter().map(|p| (p.load, of(p))).collect();
    plot.path(colour, values.iter().map(|(n, value)| (*n, value.value)));
    for (n, value) in values {
        let (x, y) = (plot.x(n), plot.y(value.value.min(plot.most_y)));
        if let (Some(low), Some(high)) = (value.low, value.high) {
            let (low, high) = (plot.y(low), plot.y(high.min(plot.most_y)));
            plot.line(colour, (x, low), (x, high));
        }
        let title = format!("{}: {}", load(n), figure(value.value));
        plot.add(&format!(
            "<circle class=\"{colour}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"><title>{}</title></circle>",
            escape(&title)
        ));
    }
}

fn throughput(say: Say, curve: &Curve) -> String {
    let title = say.text("curve-chart-throughput");
    let high = |p: &CurvePoint| p.throughput_per_s.high.unwrap_or(p.throughput_per_s.value);
    let most = curve.points.iter().map(high).fold(0.0, f64::max);
    let mut plot = over_loads(say, curve, most, &title);
    let mut legend = vec![("c1", say.text("curve-legend-measured"))];
    if let Some(demands) = curve.demands {
        plot.function("bound", |n| demands.asymptotic(n).high_per_s);
        // A throughput that falls is outside of what this bound supposes.
        if !curve.has_fallen() {
            plot.function("bound", |n| demands.balanced(n, None).low_per_s);
        }
        legend.push(("c6", say.text("curve-legend-bounds")));
    }
    let usl = curve.usl.filter(|usl| usl.axis == UslAxis::Load);
    if let Some(usl) = usl.filter(|_| !curve.usl_is_doubtful()) {
        plot.function("law", |n| usl.throughput_per_s(n));
        legend.push(("c5", say.text("curve-legend-usl")));
    }
    add_measured(&mut plot, "s1", curve, |point| point.throughput_per_s);
    let unit = format!("1{}", say.text("report-per-second"));
    framed(&title, &unit, &legend, &plot.svg())
}

fn response(say: Say, curve: &Curve) -> String {
    let title = say.text("curve-chart-response");
    let high = |p: &CurvePoint| {
        let mean = p.response_time_ms.high.unwrap_or(p.response_time_ms.value);
        p.p95_ms.max(mean)
    };
    let most = curve.points.iter().map(high).fold(0.0, f64::max);
    let mut plot = over_loads(say, curve, most, &title);
    add_measured(&mut plot, "s2", curve, |point| {
        Estimate::unsure(point.p95_ms)
    });
    add_measured(&mut plot, "s1", curve, |point| point.response_time_ms);
    let legend = [
        ("c1", say.text("curve-legend-mean")),
        ("c2", say.text("curve-legend-p95")),
    ];
    framed(&title, "ms", &legend, &plot.svg())
}

/// A picture with its name, unit and legend.
pub(crate) fn framed(title: &str, unit: &str, legend: &[(&str, String)], svg: &str) -> String {
    let entry = |(colour, name): &(&str, String)| {
        format!(
            "<span><i style=\"background:var(--{colour})\"></i>{}</span>",
            escape(name)
        )
    };
    format!(
        "<div class=\"chart\"><h3>{} ({})</h3><div class=\"legend\">{}</div>\n{svg}</div>\n",
        escape(title),
        escape(unit),
        legend.iter().map(entry).collect::<String>()
    )
}

//! The curve as two pictures without a script: throughput and response time against load.

use plimsoll_stats::Estimate;
use plimsoll_stats::curve::{Curve, CurvePoint, UslAxis};

use super::{escape, page};
use crate::curve::{lettered, load, load_name};
use crate::data::Data;
use crate::document::Say;
use crate::number::figure;

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 300.0;
/// Room for the axes' numbers and the marks' letters.
const LEFT: f64 = 58.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 40.0;
/// How far the laws' lines are drawn beyond the largest load.
const BEYOND: f64 = 1.25;
/// Pieces of a line that is a function.
const PIECES: u32 = 80;

/// The loads of a run that had several.
pub(super) fn section(data: &Data<'_>) -> String {
    let (say, Some(found)) = (data.say, &data.curve) else {
        return String::new();
    };
    let mut html = charts(say, found);
    html.push_str(&page::table(&crate::curve::points(say, found), ""));
    html.push_str(&page::paragraphs(&crate::curve::sentences(say, found)));
    let note = escape(&say.text("curve-note"));
    html.push_str(&format!("<p class=\"note\">{note}</p>\n"));
    let predictions = crate::curve::predictions(say, found);
    if !predictions.is_empty() {
        html.push_str(&format!(
            "<details><summary>{}</summary>{}<p class=\"note\">{}</p></details>\n",
            escape(&say.text("curve-predictions")),
            page::table(&predictions, ""),
            escape(&crate::curve::predictions_note(say))
        ));
    }
    page::section(&say.text("curve-title"), &html)
}

/// Both pictures.
fn charts(say: Say, curve: &Curve) -> String {
    format!(
        "<div class=\"charts\">\n{}{}</div>\n",
        throughput(say, curve),
        response(say, curve)
    )
}

pub(crate) struct Plot {
    most_x: f64,
    most_y: f64,
    svg: String,
}

fn opened(title: &str) -> String {
    format!(
        "<svg class=\"curve\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-label=\"{}\">\n",
        escape(title)
    )
}

impl Plot {
    fn new(say: Say, curve: &Curve, most_y: f64, title: &str) -> Self {
        let mut plot = Self {
            most_x: curve.largest_load() * BEYOND,
            most_y: if most_y > 0.0 { most_y * 1.05 } else { 1.0 },
            svg: opened(title),
        };
        plot.axes(&say.text(load_name(curve.model)));
        plot.marks(curve);
        plot
    }

    /// A picture without laws and marks.
    pub(crate) fn plain(most_x: f64, most_y: f64, title: &str, x_name: &str) -> Self {
        let at_least = |most: f64| if most > 0.0 { most * 1.05 } else { 1.0 };
        let mut plot = Self {
            most_x: at_least(most_x),
            most_y: at_least(most_y),
            svg: opened(title),
        };
        plot.axes(x_name);
        plot
    }

    /// The points with a line through them.
    pub(crate) fn series(&mut self, class: &str, points: &[(f64, f64)]) {
        self.path(class, points.iter().copied());
        for (x, y) in points {
            let (x, y) = (self.x(*x), self.y(*y));
            self.add(&format!(
                "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.2\"/>"
            ));
        }
    }

    /// A limit across the picture.
    pub(crate) fn limit(&mut self, value: f64) {
        let y = self.y(value);
        self.line("law", (LEFT, y), (WIDTH - RIGHT, y));
    }

    pub(crate) fn svg(mut self) -> String {
        self.add("</svg>");
        self.svg
    }

    fn x(&self, value: f64) -> f64 {
        LEFT + value / self.most_x * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - value / self.most_y * (HEIGHT - TOP - BOTTOM)
    }

    fn add(&mut self, element: &str) {
        self.svg.push_str(element);
        self.svg.push('\n');
    }

    fn text(&mut self, x: f64, y: f64, class: &str, text: &str) {
        let text = escape(text);
        self.add(&format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"{class}\">{text}</text>"
        ));
    }

    fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.add(&format!(
            "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
        ));
    }

    fn axes(&mut self, name: &str) {
        let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
        for value in ticks(self.most_y) {
            let y = self.y(value);
            self.line("grid", (LEFT, y), (right, y));
            self.text(LEFT - 6.0, y + 4.0, "end", &figure(value));
        }
        for value in ticks(self.most_x) {
            let x = self.x(value);
            self.line("grid", (x, bottom), (x, bottom + 4.0));
            self.text(x, bottom + 17.0, "mid", &load(value));
        }
        self.line("axis", (LEFT, bottom), (right, bottom));
        self.text((LEFT + right) / 2.0, HEIGHT - 5.0, "mid", name);
    }

    /// A line down from each mark's letter; letters at the same load share it.
    fn marks(&mut self, curve: &Curve) {
        let mut drawn: Vec<(f64, String)> = Vec::new();
        for (_, letter, mark) in lettered(curve) {
            let Some(mark) = mark.filter(|mark| mark.load <= self.most_x) else {
                continue;
            };
            let x = self.x(mark.load);
            match drawn.iter_mut().find(|(at, _)| (*at - x).abs() < 9.0) {
                Some((_, letters)) => {
                    letters.push(' ');
                    letters.push_str(letter);
                }
                None => drawn.push((x, letter.to_owned())),
            }
        }
        for (x, letters) in drawn {
            self.line("mark", (x, TOP), (x, HEIGHT - BOTTOM));
            self.text(x, TOP - 8.0, "mid letter", &letters);
        }
    }

    /// Lines that leave the picture are cut off at its edge.
    fn path(&mut self, class: &str, points: impl Iterator<Item = (f64, f64)>) {
        let top = self.most_y;
        let inside = points.map(|(x, y)| (self.x(x), self.y(y.clamp(0.0, top))));
        let text: Vec<String> = inside.map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        if text.len() > 1 {
            self.add(&format!(
                "<polyline class=\"{class}\" points=\"{}\"/>",
                text.join(" ")
            ));
        }
    }

    fn function(&mut self, class: &str, of: impl Fn(f64) -> f64) {
        let most = self.most_x;
        let at = |piece: u32| most * f64::from(piece) / f64::from(PIECES);
        let points = (1..=PIECES).map(at).map(|n| (n, of(n)));
        let points: Vec<_> = points.filter(|(_, y)| y.is_finite()).collect();
        self.path(class, points.into_iter());
    }

    /// The measured values, with their intervals and a line through them.
    fn measured(&mut self, colour: &str, curve: &Curve, of: impl Fn(&CurvePoint) -> Estimate) {
        let values: Vec<(f64, Estimate)> = curve.points.iter().map(|p| (p.load, of(p))).collect();
        self.path(colour, values.iter().map(|(n, value)| (*n, value.value)));
        for (n, value) in values {
            let (x, y) = (self.x(n), self.y(value.value.min(self.most_y)));
            if let (Some(low), Some(high)) = (value.low, value.high) {
                let (low, high) = (self.y(low), self.y(high.min(self.most_y)));
                self.line(colour, (x, low), (x, high));
            }
            let title = format!("{}: {}", load(n), figure(value.value));
            self.add(&format!(
                "<circle class=\"{colour}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"><title>{}</title></circle>",
                escape(&title)
            ));
        }
    }

    fn end(mut self) -> String {
        self.svg.push_str("</svg>\n");
        self.svg
    }
}

fn throughput(say: Say, curve: &Curve) -> String {
    let title = say.text("curve-chart-throughput");
    let high = |p: &CurvePoint| p.throughput_per_s.high.unwrap_or(p.throughput_per_s.value);
    let most = curve.points.iter().map(high).fold(0.0, f64::max);
    let mut plot = Plot::new(say, curve, most, &title);
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
    plot.measured("s1", curve, |point| point.throughput_per_s);
    let unit = format!("1{}", say.text("report-per-second"));
    framed(&title, &unit, &legend, &plot.end())
}

fn response(say: Say, curve: &Curve) -> String {
    let title = say.text("curve-chart-response");
    let high = |p: &CurvePoint| {
        let mean = p.response_time_ms.high.unwrap_or(p.response_time_ms.value);
        p.p95_ms.max(mean)
    };
    let most = curve.points.iter().map(high).fold(0.0, f64::max);
    let mut plot = Plot::new(say, curve, most, &title);
    plot.measured("s2", curve, |point| Estimate::unsure(point.p95_ms));
    plot.measured("s1", curve, |point| point.response_time_ms);
    let legend = [
        ("c1", say.text("curve-legend-mean")),
        ("c2", say.text("curve-legend-p95")),
    ];
    framed(&title, "ms", &legend, &plot.end())
}

fn framed(title: &str, unit: &str, legend: &[(&str, String)], svg: &str) -> String {
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

/// Round numbers from 0 on, four to eight of them.
fn ticks(most: f64) -> Vec<f64> {
    let rough = most / 5.0;
    let unit = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * unit)
        .find(|step| *step >= rough * 0.999)
        .unwrap_or(unit * 10.0);
    let count = (most / step).floor();
    if !count.is_finite() {
        return vec![0.0];
    }
    (0..=count as u32).map(|i| f64::from(i) * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(ticks(10.0), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(ticks(0.7), [0.0, 0.2, 0.4, 0.6000000000000001]);
        for most in [0.003, 1.0, 17.0, 99.0, 123_456.0] {
            assert!((3..=9).contains(&ticks(most).len()), "{most}");
        }
        assert_eq!(ticks(0.0).len(), 1);
    }
}

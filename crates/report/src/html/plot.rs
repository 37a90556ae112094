//! A picture without a script: axes, lines and points as SVG.

use super::escape::escape;
use crate::curve::load;
use crate::number::figure;

const WIDTH: f64 = 560.0;
pub(super) const HEIGHT: f64 = 300.0;
/// Room for the axes' numbers and the marks' letters.
const LEFT: f64 = 58.0;
const RIGHT: f64 = 12.0;
pub(super) const TOP: f64 = 26.0;
pub(super) const BOTTOM: f64 = 40.0;
/// Pieces of a line that is a function.
const PIECES: u32 = 80;

/// A picture with two axes.
pub(crate) struct Plot {
    pub(super) most_x: f64,
    pub(super) most_y: f64,
    svg: String,
}

fn opened(title: &str) -> String {
    format!(
        "<svg class=\"curve\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-label=\"{}\">\n",
        escape(title)
    )
}

/// An axis' end for values up to that one.
pub(crate) fn with_room(most: f64) -> f64 {
    if most > 0.0 { most * 1.05 } else { 1.0 }
}

impl Plot {
    /// An empty picture with axes up to these values.
    pub(crate) fn new(most_x: f64, most_y: f64, title: &str, x_name: &str) -> Self {
        let mut plot = Self {
            most_x,
            most_y: with_room(most_y),
            svg: opened(title),
        };
        plot.axes(x_name);
        plot
    }

    /// The points with a line through them.
    pub(crate) fn series(&mut self, class: &str, points: &[(f64, f64)]) {
        self.path(class, points.iter().copied());
        self.dots(class, points);
    }

    /// The points alone.
    pub(crate) fn dots(&mut self, class: &str, points: &[(f64, f64)]) {
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

    pub(super) fn x(&self, value: f64) -> f64 {
        LEFT + value / self.most_x * (WIDTH - LEFT - RIGHT)
    }

    pub(super) fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - value / self.most_y * (HEIGHT - TOP - BOTTOM)
    }

    pub(super) fn add(&mut self, element: &str) {
        self.svg.push_str(element);
        self.svg.push('\n');
    }

    pub(super) fn text(&mut self, x: f64, y: f64, class: &str, text: &str) {
        let text = escape(text);
        self.add(&format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"{class}\">{text}</text>"
        ));
    }

    pub(super) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
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

    /// Lines that leave the picture are cut off at its edge.
    pub(crate) fn path(&mut self, class: &str, points: impl Iterator<Item = (f64, f64)>) {
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

    pub(super) fn function(&mut self, class: &str, of: impl Fn(f64) -> f64) {
        let most = self.most_x;
        let at = |piece: u32| most * f64::from(piece) / f64::from(PIECES);
        let points = (1..=PIECES).map(at).map(|n| (n, of(n)));
        let points: Vec<_> = points.filter(|(_, y)| y.is_finite()).collect();
        self.path(class, points.into_iter());
    }
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

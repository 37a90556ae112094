//! Lines over a number, as a picture.

use crate::document::ReportBlock;
use crate::html::{Plot, framed, with_room};

/// A line of a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct PaperLine {
    /// Its name.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
    /// Points alone, without what joins them.
    pub dots: bool,
}

/// The classes of lines and their colours.
const CLASSES: [(&str, &str); 2] = [("s1", "c1"), ("s2", "c2")];

/// A picture of at most two lines, with the unit of what goes upwards; nothing where there are no points.
#[must_use]
pub fn picture(title: &str, unit: &str, x_name: &str, lines: &[PaperLine]) -> ReportBlock {
    let points = || lines.iter().flat_map(|line| &line.points);
    if points().next().is_none() {
        return ReportBlock::Picture(String::new());
    }
    let most = |of: fn(&(f64, f64)) -> f64| points().map(of).fold(0.0, f64::max);
    let mut plot = Plot::new(with_room(most(|it| it.0)), most(|it| it.1), title, x_name);
    let mut legend = Vec::new();
    for (line, (class, colour)) in lines.iter().zip(CLASSES) {
        if line.dots {
            plot.dots(class, &line.points);
        } else {
            plot.path(class, line.points.iter().copied());
        }
        legend.push((colour, line.name.clone()));
    }
    let framed = framed(title, unit, &legend, &plot.svg());
    ReportBlock::Picture(format!("<div class=\"charts\">\n{framed}</div>\n"))
}

//! A load over time as a line: users, or arrivals a second.

use crate::clock::Nanos;

/// A part of the line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinePart {
    /// How long.
    pub lasts_ns: Nanos,
    /// The load at its start.
    pub from: f64,
    /// The load at its end.
    pub to: f64,
}

impl LinePart {
    /// The load after a time in it.
    #[expect(clippy::cast_precision_loss)]
    fn at(&self, at_ns: Nanos) -> f64 {
        match self.lasts_ns {
            0 => self.to,
            lasts_ns => self.from + (self.to - self.from) * (at_ns as f64 / lasts_ns as f64),
        }
    }
}

/// What there is of a line before and from a time on.
pub(super) fn split(line: &[LinePart], at_ns: Nanos) -> (Vec<LinePart>, Vec<LinePart>) {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let mut left_ns = at_ns;
    for part in line {
        let own_ns = part.lasts_ns.min(left_ns);
        let middle = part.at(own_ns);
        before.push(LinePart {
            lasts_ns: own_ns,
            to: middle,
            ..*part
        });
        after.push(LinePart {
            lasts_ns: part.lasts_ns - own_ns,
            from: middle,
            ..*part
        });
        left_ns -= own_ns;
    }
    before.retain(|part| part.lasts_ns > 0);
    after.retain(|part| part.lasts_ns > 0);
    (before, after)
}

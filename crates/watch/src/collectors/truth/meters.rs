//! Meters as Micrometer has them.

use serde_json::json;

use super::said::{Said, exposed};
use crate::collectors::actuator;

/// A meter: name, tags, base unit, values by statistic.
pub(super) struct Meter {
    name: &'static str,
    tags: Vec<(&'static str, String)>,
    unit: &'static str,
    values: Vec<(&'static str, f64)>,
}

impl Meter {
    /// A level.
    pub(super) fn level(name: &'static str, unit: &'static str, value: f64) -> Self {
        let (tags, values) = (Vec::new(), vec![("VALUE", value)]);
        Self {
            name,
            tags,
            unit,
            values,
        }
    }

    /// A counter.
    pub(super) fn count(name: &'static str, unit: &'static str, value: f64) -> Self {
        let (tags, values) = (Vec::new(), vec![("COUNT", value)]);
        Self {
            name,
            tags,
            unit,
            values,
        }
    }

    /// A timer.
    pub(super) fn timer(name: &'static str, count: f64, seconds: f64) -> Self {
        let mut timer = Self::count(name, "seconds", count);
        timer.values.push(("TOTAL_TIME", seconds));
        timer
    }

    /// The same with its longest time.
    pub(super) fn longest(mut self, seconds: f64) -> Self {
        self.values.push(("MAX", seconds));
        self
    }

    /// The same with a tag.
    pub(super) fn of(mut self, tag: &'static str, value: &str) -> Self {
        self.tags.push((tag, value.to_owned()));
        self
    }
}

/// By the actuator's meters one by one, which are written as Micrometer's registry does.
pub(super) fn by_meters(source: &'static str, meters: &[Meter]) -> Said {
    let mut text = String::new();
    for meter in meters {
        let tags = meter.tags.iter();
        let tags: Vec<_> = tags.map(|(tag, value)| (*tag, value.as_str())).collect();
        let values = meter.values.iter();
        let measurements =
            values.map(|(statistic, value)| json!({"statistic": statistic, "value": value}));
        let response = json!({"baseUnit": meter.unit, "availableTags": [],
            "measurements": measurements.collect::<Vec<_>>()});
        text.push_str(&actuator::meters::as_text(meter.name, &tags, &response));
    }
    exposed(source, &text)
}

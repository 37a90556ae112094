//! The phases of requests as bars.

use plimsoll_stats::{LabelKind, LabelSummary};

use super::escape::escape;
use crate::data::RunData;
use crate::number::figure;
use crate::sections::phase_means;

/// Labels whose phases are drawn as bars.
const MAX_BARS: usize = 12;

/// The phases as bars to one scale: the total and the busiest labels.
pub(super) fn bars(data: &RunData<'_>) -> String {
    let say = data.say;
    let mut labels: Vec<&LabelSummary> = data
        .labels(LabelKind::Request)
        .filter(|label| label.samples > 0)
        .collect();
    labels.sort_by_key(|label| std::cmp::Reverse(label.samples));
    labels.truncate(MAX_BARS);
    let total = (say.text("report-total"), &data.summary.total);
    let named = labels.into_iter().map(|label| (label.label.clone(), label));
    let rows: Vec<(String, [f64; 5])> = std::iter::once(total)
        .chain(named)
        .map(|(name, label)| (name, phase_means(label).map(|(_, ms)| ms)))
        .collect();
    let longest = rows
        .iter()
        .map(|(_, ms)| ms.iter().sum::<f64>())
        .fold(0.0, f64::max);
    if longest <= 0.0 {
        return String::new();
    }
    let names = phase_means(&data.summary.total)
        .map(|(phase, _)| escape(&say.text(&format!("report-phase-{}", phase.name()))));
    let mut html = String::from("<div class=\"legend\">");
    for (i, name) in names.iter().enumerate() {
        html.push_str(&format!("<span><i class=\"f{i}\"></i>{name}</span>"));
    }
    html.push_str("</div>\n<div class=\"bars\">\n");
    for (name, means) in rows {
        let parts = means
            .iter()
            .enumerate()
            .filter(|(_, ms)| **ms > 0.0)
            .map(|(i, ms)| {
                let (width, name, ms) = (ms / longest * 100.0, &names[i], figure(*ms));
                format!(
                    "<i class=\"f{i}\" style=\"width:{width:.2}%\" title=\"{name} {ms} ms\"></i>"
                )
            });
        html.push_str(&format!(
            "<div class=\"part\"><div class=\"name\">{}</div><div class=\"bar\">{}</div>\
             <div class=\"sum\">{} ms</div></div>\n",
            escape(&name),
            parts.collect::<String>(),
            figure(means.iter().sum())
        ));
    }
    html.push_str("</div>\n");
    html
}

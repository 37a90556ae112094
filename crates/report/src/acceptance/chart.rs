//! The loads as pictures: throughput, then each goal's own figure with its limit.

use super::report::AcceptanceReport;
use super::rows::LoadRow;
use crate::html::{Plot, escape, with_room};

/// A picture for the throughput and one for each goal; nothing where there is a single load.
pub(super) fn svg(report: &AcceptanceReport) -> String {
    let mut rows: Vec<&LoadRow> = report.rows.iter().collect();
    if rows.len() < 2 {
        return String::new();
    }
    rows.sort_by(|a, b| a.load.total_cmp(&b.load));
    let throughput = rows.iter().map(|row| (row.load, row.throughput_per_s));
    let title = report.say.text("acceptance-column-throughput");
    let mut html = picture(report, &title, &throughput.collect::<Vec<_>>(), None);
    for (at, goal) in report.requirements.iter().enumerate() {
        let seen = rows.iter().filter_map(|row| {
            let observed = row.goals.get(at)?.observed?;
            Some((row.load, observed))
        });
        let points: Vec<(f64, f64)> = seen.collect();
        html.push_str(&picture(
            report,
            &goal.to_string(),
            &points,
            Some(goal.value),
        ));
    }
    format!("<div class=\"charts\">\n{html}</div>\n")
}

fn picture(
    report: &AcceptanceReport,
    title: &str,
    points: &[(f64, f64)],
    limit: Option<f64>,
) -> String {
    let most_x = points.iter().map(|p| p.0).fold(0.0, f64::max);
    let most_y = points
        .iter()
        .map(|p| p.1)
        .fold(limit.unwrap_or(0.0), f64::max);
    let x_name = super::words::load_head(report);
    let mut plot = Plot::new(with_room(most_x), most_y, title, &x_name);
    if let Some(limit) = limit {
        plot.limit(limit);
    }
    plot.series("s1", points);
    let (title, svg) = (escape(title), plot.svg());
    format!("<div class=\"chart\"><h3>{title}</h3>{svg}</div>\n")
}

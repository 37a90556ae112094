//! The key figures at the top of the page.

use plimsoll_stats::LabelSummary;
use plimsoll_text::Message;

use super::elements::class;
use super::escape::escape;
use crate::aggregate::visibly_differs;
use crate::data::RunData;
use crate::document::NoticeLevel;
use crate::number::{count, duration, figure, kilobytes, percent, rate};

/// One key figure.
fn card(name: &str, value: &str, unit: &str, more: &str, level: NoticeLevel) -> String {
    format!(
        "<div class=\"card {}\"><div class=\"name\">{}</div><div class=\"value\">{}<small>{}</small></div>\
         <div class=\"more\">{}</div></div>\n",
        class(level),
        escape(name),
        escape(value),
        escape(unit),
        escape(more)
    )
}

/// The key figures of a run.
pub(super) fn cards(data: &RunData<'_>) -> String {
    let (say, summary) = (data.say, &data.summary);
    let total = &summary.total;
    let seconds = summary.duration_s;
    let traffic = Message::new("report-received")
        .with("received", figure(kilobytes(total.received_bytes, seconds)))
        .with("sent", figure(kilobytes(total.sent_bytes, seconds)));
    let unit = say.text("report-per-second");
    let name = say.text("report-throughput");
    let traffic = say.message(&traffic);
    let mut html = String::from("<div class=\"cards\">\n");
    html.push_str(&card(
        &name,
        &rate(total.throughput_per_s),
        &unit,
        &traffic,
        NoticeLevel::Plain,
    ));
    let errors = match total.errors {
        0 => NoticeLevel::Plain,
        _ => NoticeLevel::Bad,
    };
    let of = Message::new("report-of-samples")
        .with("errors", count(total.errors))
        .with("count", count(total.samples));
    let of = say.message(&of);
    let name = say.text("report-error-share");
    html.push_str(&card(&name, &percent(total.error_rate), "%", &of, errors));
    html.push_str(&time_cards(data, total));
    let measured = duration(summary.duration_s);
    let warm_up = match summary.warm_up_s {
        s if s > 0.0 => format!("{} {}", say.text("report-warm-up"), duration(s)),
        _ => String::new(),
    };
    html.push_str(&card(
        &say.text("report-duration"),
        &measured,
        "",
        &warm_up,
        NoticeLevel::Plain,
    ));
    for (id, n) in [
        ("report-dropped", total.dropped_iterations),
        ("report-cut-off", total.cut_off),
        ("report-resent", total.resent),
    ] {
        if n > 0 {
            html.push_str(&card(&say.text(id), &count(n), "", "", NoticeLevel::Warn));
        }
    }
    html.push_str("</div>\n");
    html
}

/// The response time, with the service time below where it differs.
fn time_cards(data: &RunData<'_>, total: &LabelSummary) -> String {
    let say = data.say;
    let (response, service) = (&total.response_time_ms, &total.service_time_ms);
    let differs = visibly_differs(total);
    let name = say.text("report-response-time");
    let pairs = [
        ("p50", response.p50, service.p50),
        ("p95", response.p95, service.p95),
        ("p99", response.p99, service.p99),
        ("max", response.max, service.max),
    ];
    let card = |(at, response, service): (&str, f64, f64)| {
        let more = match differs {
            true => format!("{} {} ms", say.text("report-service-time"), figure(service)),
            false => String::new(),
        };
        let value = if total.samples == 0 {
            "–".to_owned()
        } else {
            figure(response)
        };
        card(
            &format!("{name} {at}"),
            &value,
            "ms",
            &more,
            NoticeLevel::Plain,
        )
    };
    pairs.into_iter().map(card).collect()
}

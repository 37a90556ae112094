//! The page: verdict, key figures, charts, tables, facts.

use plimsoll_diagnose::Diagnosis;
use plimsoll_text::Message;

use super::cards::cards;
use super::diagnosis::diagnosis_section;
use super::elements::{NAMED, class, definitions, note, notice, paragraphs, section, table};
use super::escape::{escape, script_json};
use super::frame::{MARK, shell};
use super::{charts, curve, hops};
use crate::data::RunData;
use crate::document::Say;
use crate::facts::{events, facts};
use crate::sections::{ERRORS_BY_KIND, PHASES, TableSection, generator, goal_verdict, goals};
use crate::sections::{not_run, notices, says_limited, tables, verdict};
use crate::series::RunCharts;
use crate::target::{ReportTarget, entity_name};

/// The workbench's chart module (`web/src/report`), built by `make report-script`: it has uPlot in it.
const SCRIPT: &str = include_str!("../../assets/report.js");
const CHART_LICENCE: &str = include_str!("../../assets/uPlot.LICENSE");

/// The whole page.
pub(crate) fn page(
    data: &RunData<'_>,
    series: &RunCharts,
    target: &ReportTarget,
    diagnosis: &Diagnosis,
) -> String {
    let say = data.say;
    let title = Message::new("report-title").with("name", data.summary.run.as_str());
    let json = script_json(&charts::json(data, series, &target.charts));
    let mut body = String::new();
    body.push_str(&top(data));
    body.push_str("<main>\n");
    for (level, text) in notices(data) {
        body.push_str(&notice(level, &text));
    }
    let (level, name, meaning) = verdict(data);
    if !says_limited(data) {
        body.push_str(&format!(
            "<div class=\"verdict {}\"><strong>{}</strong><span>{}</span></div>\n",
            class(level),
            escape(&name),
            escape(&meaning)
        ));
    }
    body.push_str(&cards(data));
    body.push_str(&goals_section(data));
    body.push_str(&diagnosis_section(diagnosis, say));
    body.push_str(&curve::section(data));
    body.push_str(&hops::section(data));
    body.push_str(&charts_section(data, series));
    body.push_str(&tables_section(data));
    body.push_str(&target_section(data.say, target));
    body.push_str(&about(data));
    body.push_str("</main>\n");
    let scripts = format!(
        "<script type=\"application/json\" id=\"data\">{json}</script>\n\
         <!-- uPlot\n{CHART_LICENCE}-->\n<script>{SCRIPT}</script>\n"
    );
    shell(say, &say.message(&title), &body, &scripts)
}

fn top(data: &RunData<'_>) -> String {
    let (meta, summary) = (data.meta(), &data.summary);
    let name = match summary.plan.as_str() {
        "" => &summary.run,
        plan => plan,
    };
    let facts = [meta.target.as_str(), &summary.started_at, &summary.run];
    let known: Vec<String> = facts
        .iter()
        .filter(|f| !f.is_empty())
        .map(|f| escape(f))
        .collect();
    format!(
        "<header class=\"top\">{MARK}<div><h1>{}</h1><div class=\"sub\">{}</div></div></header>\n",
        escape(name),
        known.join(" · ")
    )
}

fn goals_section(data: &RunData<'_>) -> String {
    let grid = goals(data);
    if grid.is_empty() {
        return String::new();
    }
    let mut verdicts = data
        .summary
        .goals
        .iter()
        .map(|goal| match goal_verdict(goal) {
            "report-goal-met" => "✓ ",
            _ => "✗ ",
        });
    let mut marked = grid;
    for row in &mut marked.rows {
        if let (Some(mark), Some(cell)) = (verdicts.next(), row.last_mut()) {
            cell.insert_str(0, mark);
        }
    }
    section(&data.say.text("report-goals"), &table(&marked, "stack"))
}

fn charts_section(data: &RunData<'_>, series: &RunCharts) -> String {
    let say = data.say;
    let chart = |id: &str, title: &str, unit: &str| chart_box(id, &say.text(title), unit);
    let per_second = format!("1{}", say.text("report-per-second"));
    let mut html = format!(
        "<noscript><p class=\"note\">{}</p></noscript>\n<div id=\"charts\" hidden>\n\
         <div class=\"controls\"><label for=\"label\">{}</label><select id=\"label\"></select></div>\n\
         <div class=\"charts\">\n",
        escape(&say.text("report-needs-script")),
        escape(&say.text("report-chart-label"))
    );
    html.push_str(&chart("throughput", "report-chart-throughput", &per_second));
    html.push_str(&chart("response", "report-chart-response", "ms"));
    html.push_str(&chart("users", "report-chart-users", ""));
    html.push_str(&chart("distribution", "report-chart-distribution", "ms"));
    html.push_str(&chart("heat", "report-chart-heat", "ms"));
    html.push_str(&chart("against", "report-chart-against", "ms"));
    html.push_str(&chart("cpu", "report-chart-cpu", "%"));
    html.push_str(&chart("lateness", "report-chart-lateness", "ms"));
    html.push_str("</div>\n");
    if series.step_s > 1 {
        let message = Message::new("report-bucket-note").with("seconds", series.step_s);
        html.push_str(&note(&say.message(&message)));
    }
    let shown = series.labels.len() - 1;
    if shown < series.all_labels {
        let message = Message::new("report-labels-left-out").with("shown", shown);
        let message = message.with("all", series.all_labels);
        html.push_str(&note(&say.message(&message)));
    }
    html.push_str("</div>\n");
    section(&say.text("report-charts"), &html)
}

/// The target: a block of charts for each thing, then what was captured and what is known.
fn target_section(say: Say, target: &ReportTarget) -> String {
    if target.charts.is_empty() && target.facts.is_empty() && target.captures.is_empty() {
        return String::new();
    }
    let mut html = String::from("<div class=\"needs-script\" hidden>\n");
    let mut open = None;
    for (number, chart) in target.charts.iter().enumerate() {
        if open != Some(&chart.entity) {
            if open.is_some() {
                html.push_str("</div>\n");
            }
            let name = escape(&entity_name(&chart.entity, say));
            html.push_str(&format!(
                "<h3 class=\"thing\">{name}</h3>\n<div class=\"charts\">\n"
            ));
            open = Some(&chart.entity);
        }
        html.push_str(&chart_box(
            &format!("target-{number}"),
            &chart.title,
            &chart.unit,
        ));
    }
    if open.is_some() {
        html.push_str("</div>\n");
    }
    html.push_str("</div>\n");
    html.push_str(&format!(
        "<noscript>{}</noscript>\n",
        table(&target.table, "wide")
    ));
    for (title, grid) in [
        ("report-captures", &target.captures),
        ("report-target-facts", &target.facts),
    ] {
        if !grid.is_empty() {
            html.push_str(&format!(
                "<details><summary>{}</summary>{}</details>\n",
                escape(&say.text(title)),
                table(grid, "wide")
            ));
        }
    }
    section(&say.text("report-target"), &html)
}

fn chart_box(id: &str, title: &str, unit: &str) -> String {
    let unit = match unit {
        "" => String::new(),
        unit => format!(" ({unit})"),
    };
    format!(
        "<div class=\"chart\" id=\"{id}\"><h3>{}{}</h3><div class=\"legend\"></div>\
         <div class=\"plot\"></div></div>\n",
        escape(title),
        escape(&unit)
    )
}

fn tables_section(data: &RunData<'_>) -> String {
    let say = data.say;
    let parts = tables(data).into_iter();
    let parts = parts.filter(|part| !part.grid.is_empty());
    let mut html: String = parts.map(|part| table_section(data, &part)).collect();
    html.push_str(&super::errors::section(data));
    let lines = not_run(data);
    if !lines.is_empty() {
        html.push_str(&section(&say.text("report-not-run"), &paragraphs(&lines)));
    }
    html.push_str(&section(
        &say.text("report-generator"),
        &paragraphs(&generator(data)),
    ));
    html
}

/// A table with its note; the phases have bars above it.
fn table_section(data: &RunData<'_>, part: &TableSection) -> String {
    let say = data.say;
    let class = match part.title {
        ERRORS_BY_KIND => "stack",
        PHASES => NAMED,
        "report-status-codes" | "report-fleet" => "",
        _ => "wide",
    };
    let before = match part.title {
        PHASES => super::phases::bars(data),
        _ => String::new(),
    };
    let note = part.note.map(|id| note(&say.text(id))).unwrap_or_default();
    let table = table(&part.grid, class);
    section(&say.text(part.title), &format!("{before}{table}{note}"))
}

fn about(data: &RunData<'_>) -> String {
    let say = data.say;
    let mut html = section(&say.text("report-run"), &definitions(&facts(data)));
    let events = events(data);
    if !events.is_empty() {
        html.push_str(&section(&say.text("report-events"), &table(&events, "")));
    }
    if !data.meta().plan_source.is_empty() {
        let name = match data.meta().plan_name.as_str() {
            "" => &data.meta().name,
            name => name,
        };
        let plan = format!(
            "<details><summary>{}</summary><pre>{}</pre></details>",
            escape(name),
            escape(&data.meta().plan_source)
        );
        html.push_str(&section(&say.text("report-plan-text"), &plan));
    }
    let made = Message::new("report-made-by")
        .with("version", env!("CARGO_PKG_VERSION"))
        .with("dir", data.run.dir().display().to_string());
    html.push_str(&note(&say.message(&made)));
    html
}

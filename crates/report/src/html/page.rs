//! The page: verdict, key figures, charts, tables, facts.

use plimsoll_diagnose::Diagnosis;
use plimsoll_stats::LabelKind;
use plimsoll_text::{Lang, Message};

use super::cards::cards;
use super::diagnosis::diagnosis_section;
use super::{charts, curve, escape, hops, script_json};
use crate::aggregate::{aggregate, service_times};
use crate::data::Data;
use crate::document::{Block, Grid, Level, Say};
use crate::facts::{events, facts};
use crate::sections::{errors, generator, goal_verdict, goals, not_run, notices};
use crate::sections::{phases, says_limited, status_codes, verdict};
use crate::series::Series;
use crate::target::{Target, entity_name};

const STYLE: &str = include_str!("../../assets/report.css");
const SCRIPT: &str = include_str!("../../assets/report.js");
const TABLE_SCRIPT: &str = include_str!("../../assets/tables.js");
const CHART_STYLE: &str = include_str!("../../assets/uPlot.min.css");
const CHART_SCRIPT: &str = include_str!("../../assets/uPlot.iife.min.js");
const CHART_LICENCE: &str = include_str!("../../assets/uPlot.LICENSE");

/// A disc with a line through it: the mark on a ship's hull.
const MARK: &str = "<svg viewBox=\"0 0 48 48\" fill=\"none\" stroke=\"currentColor\" \
    stroke-width=\"4\" aria-hidden=\"true\"><circle cx=\"24\" cy=\"24\" r=\"15\"/>\
    <path d=\"M2 24h44\"/></svg>";

/// Tables whose cells are named where there is no room for columns.
pub(super) const NAMED: &str = "stack named";

/// The whole page.
pub(crate) fn page(
    data: &Data<'_>,
    series: &Series,
    target: &Target,
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
    body.push_str(&tables(data));
    body.push_str(&target_section(data.say, target));
    body.push_str(&about(data));
    body.push_str("</main>\n");
    let scripts = format!(
        "<script type=\"application/json\" id=\"data\">{json}</script>\n\
         <!-- uPlot\n{CHART_LICENCE}-->\n<script>{CHART_SCRIPT}</script>\n\
         <script>{SCRIPT}</script>\n"
    );
    shell(say, &say.message(&title), &body, &scripts)
}

/// The frame of every page.
fn shell(say: Say, title: &str, body: &str, scripts: &str) -> String {
    let body = super::contents::with_contents(say, body);
    format!(
        "<!doctype html>\n<html lang=\"{lang}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>{CHART_STYLE}\n{STYLE}</style>\n</head>\n<body>\n{body}\
         {scripts}<script>{TABLE_SCRIPT}</script>\n</body>\n</html>\n",
        lang = if say.0 == Lang::Zh {
            "zh-CN"
        } else {
            say.0.code()
        },
        title = escape(title),
    )
}

/// A page of blocks, without charts: a section for each heading.
pub(crate) fn simple_page(say: Say, title: &str, blocks: &[Block]) -> String {
    let mut body = format!(
        "<header class=\"top\">{MARK}<div><h1>{}</h1></div></header>\n<main>\n",
        escape(title)
    );
    let (mut heading, mut content) = (None, String::new());
    for block in blocks {
        if let Block::Heading(text) = block {
            body.push_str(&finished(heading.replace(text), &mut content));
        } else if let (Block::Notice(..), None, true) = (block, heading, content.is_empty()) {
            // What is said before anything else stands by itself.
            body.push_str(&block_html(block));
        } else {
            content.push_str(&block_html(block));
        }
    }
    body.push_str(&finished(heading, &mut content));
    body.push_str("</main>\n");
    shell(say, title, &body, "")
}

/// The section that is over; its content begins anew.
fn finished(heading: Option<&String>, content: &mut String) -> String {
    let content = std::mem::take(content);
    match heading {
        Some(title) => section(title, &content),
        None if content.is_empty() => String::new(),
        None => format!("<section class=\"long\">{content}</section>\n"),
    }
}

fn block_html(block: &Block) -> String {
    match block {
        Block::Heading(text) => format!("<h3>{}</h3>\n", escape(text)),
        Block::Notice(level, text) => notice(*level, text),
        Block::Text(text) => paragraphs(std::slice::from_ref(text)),
        Block::Table(grid) => table(grid, "wide"),
        Block::Facts(facts) => definitions(facts),
        Block::Picture(svg) => svg.clone(),
        Block::Verbatim(text) => format!("<pre>{}</pre>\n", escape(text)),
    }
}

fn notice(level: Level, text: &str) -> String {
    let lines = text.lines().map(|line| format!("<p>{}</p>", escape(line)));
    let (class, lines) = (class(level), lines.collect::<String>());
    format!("<div class=\"notice {class}\">{lines}</div>\n")
}

fn definitions(facts: &[(String, String)]) -> String {
    let facts = facts
        .iter()
        .map(|(name, value)| format!("<dt>{}</dt><dd>{}</dd>\n", escape(name), escape(value)));
    format!("<dl>{}</dl>\n", facts.collect::<String>())
}

pub(super) fn class(level: Level) -> &'static str {
    match level {
        Level::Good => "good",
        Level::Plain => "plain",
        Level::Warn => "warn",
        Level::Bad => "bad",
    }
}

fn top(data: &Data<'_>) -> String {
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

fn goals_section(data: &Data<'_>) -> String {
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

pub(super) fn section(title: &str, content: &str) -> String {
    format!(
        "<section class=\"long\"><h2>{}</h2>\n{content}</section>\n",
        escape(title)
    )
}

pub(super) fn table(grid: &Grid, class: &str) -> String {
    let class_of = |column: usize| match grid.heads.get(column) {
        Some((_, true)) => " class=\"r\"",
        _ => "",
    };
    // Where a phone stacks the cells, each says what it is.
    let head_of = |column: usize| match grid.heads.get(column) {
        Some((head, _)) if class == NAMED => format!(" data-head=\"{}\"", escape(head)),
        _ => String::new(),
    };
    let mut html = format!("<div class=\"scroll\"><table class=\"{class}\"><thead><tr>");
    for (column, (head, _)) in grid.heads.iter().enumerate() {
        html.push_str(&format!("<th{}>{}</th>", class_of(column), escape(head)));
    }
    html.push_str("</tr></thead><tbody>\n");
    for (number, row) in grid.rows.iter().enumerate() {
        let of = |rows: &[usize]| rows.contains(&number);
        html.push_str(match (of(&grid.totals), of(&grid.strong)) {
            (true, _) => "<tr class=\"strong total\">",
            (false, true) => "<tr class=\"strong\">",
            (false, false) => "<tr>",
        });
        for (column, cell) in row.iter().enumerate() {
            let (class, name) = (class_of(column), head_of(column));
            html.push_str(&format!("<td{class}{name}>{}</td>", marked(cell)));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody></table></div>\n");
    html
}

/// A cell; those that begin with a verdict's mark get its colour.
fn marked(cell: &str) -> String {
    match cell.chars().next() {
        Some('✓') => format!("<span class=\"good\">{}</span>", escape(cell)),
        Some('✗') => format!("<span class=\"bad\">{}</span>", escape(cell)),
        _ => escape(cell),
    }
}

fn charts_section(data: &Data<'_>, series: &Series) -> String {
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
    html.push_str(&chart("cpu", "report-chart-cpu", "%"));
    html.push_str(&chart("lateness", "report-chart-lateness", "ms"));
    html.push_str("</div>\n");
    let mut note = |message: Message| {
        let text = escape(&say.message(&message));
        html.push_str(&format!("<p class=\"note\">{text}</p>\n"));
    };
    if series.step_s > 1 {
        note(Message::new("report-bucket-note").with("seconds", series.step_s));
    }
    let shown = series.labels.len() - 1;
    if shown < series.all_labels {
        let message = Message::new("report-labels-left-out").with("shown", shown);
        note(message.with("all", series.all_labels));
    }
    html.push_str("</div>\n");
    section(&say.text("report-charts"), &html)
}

/// The target: a block of charts for each thing, then what was captured and what is known.
fn target_section(say: Say, target: &Target) -> String {
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

fn tables(data: &Data<'_>) -> String {
    let say = data.say;
    let mut html = String::new();
    let mut add = |title: &str, note: &str, grid: Grid, class: &str, before: &str| {
        if grid.is_empty() {
            return;
        }
        let note = match note {
            "" => String::new(),
            id => format!("<p class=\"note\">{}</p>\n", escape(&say.text(id))),
        };
        let content = format!("{before}{}{note}", table(&grid, class));
        html.push_str(&section(&say.text(title), &content));
    };
    let of = |kind| aggregate(data, kind);
    add(
        "report-aggregate",
        "report-aggregate-note",
        of(LabelKind::Request),
        "wide",
        "",
    );
    add(
        "report-service-table",
        "report-service-note",
        service_times(data),
        "wide",
        "",
    );
    let grid = of(LabelKind::Transaction);
    add(
        "report-transactions",
        "report-transactions-note",
        grid,
        "wide",
        "",
    );
    let grid = of(LabelKind::SubRequest);
    add(
        "report-sub-requests",
        "report-sub-requests-note",
        grid,
        "wide",
        "",
    );
    add("report-errors-by-kind", "", errors(data), "stack", "");
    add("report-status-codes", "", status_codes(data), "", "");
    add(
        "report-phases",
        "report-phases-note",
        phases(data),
        NAMED,
        &super::phases::bars(data),
    );
    add("report-fleet", "", crate::fleet::workers(data), "", "");
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

pub(super) fn paragraphs(lines: &[String]) -> String {
    lines
        .iter()
        .map(|line| format!("<p>{}</p>\n", escape(line)))
        .collect()
}

fn about(data: &Data<'_>) -> String {
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
    html.push_str(&format!(
        "<p class=\"note\">{}</p>\n",
        escape(&say.message(&made))
    ));
    html
}

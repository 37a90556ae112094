//! The parts of a report, in the order in which they matter.

use plimsoll_stats::{
    GeneratorReason, GoalResult, LabelKind, LabelSummary, Phase, PhaseTimes, ReasonKind, Summary,
    Touched, Verdict,
};
use plimsoll_store::RunState;
use plimsoll_text::{Lang, Message};

use crate::aggregate::{aggregate, service_times};
use crate::data::RunData;
use crate::document::{NoticeLevel, ReportGrid, Say};
use crate::facts::grave_events;
use crate::number::{count, figure, percent, told_apart, trimmed};

/// From this share of the arrivals on it is told that they left together with the one before.
const COALESCED_TOLD: f64 = 0.01;

/// Titles of tables that are shown in a way of their own.
pub(crate) const ERRORS_BY_KIND: &str = "report-errors-by-kind";
pub(crate) const PHASES: &str = "report-phases";

/// Everything a reader must know before the numbers: a limited generator first, then
/// whether the run is whole, then the verdict.
pub(crate) fn notices(data: &RunData<'_>) -> Vec<(NoticeLevel, String)> {
    let (say, summary) = (data.say, &data.summary);
    let mut notices = crate::fleet::notices(data);
    if summary.generator.limited {
        let mut text = say.text("report-generator-limited");
        if !summary.generator.touched.is_empty() {
            text.push('\n');
            text.push_str(&touched_text(say, &summary.generator.touched));
        }
        for reason in &summary.generator.reason_details {
            text.push('\n');
            text.push_str(&reason_text(say, reason));
        }
        notices.push((NoticeLevel::Bad, text));
    }
    notices.extend(crate::changed::notice(data));
    notices.extend(crate::probed::notice(data));
    let state = match data.state {
        RunState::Finished => None,
        RunState::Running => Some("report-running"),
        RunState::CutShort => Some("report-cut-short"),
    };
    if let Some(id) = state {
        let seconds = summary.duration_s + summary.warm_up_s;
        notices.push((
            NoticeLevel::Warn,
            say.message(&Message::new(id).with("seconds", seconds)),
        ));
    }
    let grave = grave_events(data)
        .into_iter()
        .map(|text| (NoticeLevel::Warn, text));
    notices.extend(grave);
    // The verdict says it, unless something else comes before it.
    if summary.total.samples == 0 && summary.verdict != Verdict::NoSuccess {
        notices.push((NoticeLevel::Warn, say.text("report-no-samples")));
    }
    notices
}

/// The verdict: how good, its name, and what it means.
pub(crate) fn verdict(data: &RunData<'_>) -> (NoticeLevel, String, String) {
    let total = &data.summary.total;
    let level = match data.summary.verdict {
        Verdict::Passed => NoticeLevel::Good,
        Verdict::NotJudged if total.errors == 0 => NoticeLevel::Plain,
        Verdict::NotJudged | Verdict::Aborted | Verdict::Interrupted => NoticeLevel::Warn,
        Verdict::Failed | Verdict::NoSuccess | Verdict::Limited | Verdict::Error => {
            NoticeLevel::Bad
        }
    };
    let (name, meaning) = verdict_words(&data.summary, data.say);
    (level, name, meaning)
}

/// What came of a run, in a line.
#[must_use]
pub fn verdict_line(summary: &Summary, lang: Lang) -> String {
    let say = Say(lang);
    let (name, meaning) = verdict_words(summary, say);
    let line = Message::new("report-verdict-line").with("verdict", name);
    say.message(&line.with("meaning", meaning))
}

/// The name of a verdict, and what it means for this run.
fn verdict_words(summary: &Summary, say: Say) -> (String, String) {
    let (total, goals) = (&summary.total, &summary.goals);
    let id = verdict_text(summary.verdict);
    let meaning = match summary.verdict {
        Verdict::NoSuccess if total.samples == 0 => "report-verdict-no-request-meaning".to_owned(),
        _ => format!("{id}-meaning"),
    };
    let missed = goals.iter().filter(|goal| !goal.met).count();
    let meaning = Message::new(meaning)
        .with("goals", goals.len())
        .with("missed", missed)
        .with("requests", count(total.samples))
        .with("errors", percent(total.error_rate));
    (say.text(id), say.message(&meaning))
}

/// The id of a verdict's name.
const fn verdict_text(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "report-verdict-passed",
        Verdict::NotJudged => "report-verdict-not-judged",
        Verdict::Failed => "report-verdict-failed",
        Verdict::NoSuccess => "report-verdict-no-success",
        Verdict::Limited => "report-verdict-limited",
        Verdict::Aborted => "report-verdict-aborted",
        Verdict::Interrupted => "report-verdict-interrupted",
        Verdict::Error => "report-verdict-error",
    }
}

/// The id of the name of a run's verdict in tables; a limited generator comes before any other.
#[must_use]
pub fn verdict_id(summary: &Summary) -> &'static str {
    match summary.generator.limited {
        true => verdict_text(Verdict::Limited),
        false => verdict_text(summary.verdict),
    }
}

/// The figures that are the generator's to a notable part, with and without it.
fn touched_text(say: Say, touched: &[Touched]) -> String {
    let name = |figure: &str| match figure {
        "mean" => say.text("report-figure-mean"),
        percentile => percentile.to_owned(),
    };
    let figures = touched.iter().map(|touched| {
        let one = Message::new("report-touched-figure")
            .with("figure", name(&touched.figure))
            .with("measured", figure(touched.measured_ms))
            .with("corrected", figure(touched.corrected_ms));
        say.message(&one)
    });
    let figures: Vec<String> = figures.collect();
    let figures = figures.join(&say.text("report-touched-separator"));
    say.message(&Message::new("report-touched").with("figures", figures))
}

/// Why the generator was, or was nearly, the limit in the last seconds, so many, in words.
#[must_use]
pub fn last_seconds_reason(reason: &GeneratorReason, seconds: usize, lang: Lang) -> String {
    reason_of(Say(lang), reason, Some(seconds))
}

/// One reason why the generator was, or was nearly, the limit in a run.
pub(crate) fn reason_text(say: Say, reason: &GeneratorReason) -> String {
    reason_of(say, reason, None)
}

fn reason_of(say: Say, reason: &GeneratorReason, last_seconds: Option<usize>) -> String {
    // Times are in ms, everything else a share.
    let (unit, factor): (fn(f64) -> String, f64) = match reason.kind {
        ReasonKind::Lateness | ReasonKind::ReceiveLag | ReasonKind::Stopped => (figure, 1.0),
        _ => (percent_short, 100.0),
    };
    let share = percent_short(reason.seconds_share);
    let share = match last_seconds {
        None => Message::new("report-reason-of-run").with("share", share),
        Some(seconds) => Message::new("report-reason-of-last")
            .with("share", share)
            .with("window", seconds),
    };
    let worst = match unit(reason.worst) == unit(reason.limit) {
        true => told_apart(reason.worst * factor, reason.limit * factor),
        false => unit(reason.worst),
    };
    let message = Message::new(format!("report-reason-{}", reason.kind.name()))
        .with("seconds", reason.seconds)
        .with("share", share)
        .with("worst", worst)
        .with("limit", unit(reason.limit));
    let mut text = say.message(&message);
    if let Some(name) = &reason.competitor {
        let who = Message::new("report-reason-competitor").with("name", name.as_str());
        text.push(' ');
        text.push_str(&say.message(&who));
    }
    text
}

fn percent_short(share: f64) -> String {
    match share * 100.0 {
        percent if percent >= 10.0 => format!("{percent:.0}"),
        percent => trimmed((percent * 10.0).round() / 10.0),
    }
}

/// The goals with what was observed.
pub(crate) fn goals(data: &RunData<'_>) -> ReportGrid {
    let say = data.say;
    let heads = [
        ("report-column-goal", false),
        ("report-column-observed", true),
        ("report-column-verdict", false),
    ];
    let mut grid = ReportGrid::new(say, &heads);
    for goal in &data.summary.goals {
        grid.row(vec![
            goal.goal.clone(),
            observed(say, goal),
            say.text(goal_verdict(goal)),
        ]);
    }
    grid
}

pub(crate) fn goal_verdict(goal: &GoalResult) -> &'static str {
    match (goal.met, goal.observed) {
        (true, _) => "report-goal-met",
        (false, None) => "report-goal-no-sample",
        (false, Some(_)) => "report-goal-missed",
    }
}

pub(crate) fn observed(say: Say, goal: &GoalResult) -> String {
    match goal.observed {
        None => "–".to_owned(),
        Some(value) if goal.unit == "%" => format!("{} %", percent(value / 100.0)),
        Some(value) if goal.unit == "/s" => {
            format!("{}{}", figure(value), say.text("report-per-second"))
        }
        Some(value) => format!("{} {}", figure(value), goal.unit),
    }
}

/// Errors by kind, the most frequent first, with their meaning.
fn errors(data: &RunData<'_>) -> ReportGrid {
    let say = data.say;
    let heads = [
        ("report-column-kind", false),
        ("report-column-count", true),
        ("report-column-share", true),
        ("report-column-meaning", false),
        ("report-column-look", false),
    ];
    let mut grid = ReportGrid::new(say, &heads);
    let mut kinds: Vec<_> = data.summary.errors_by_kind.iter().collect();
    kinds.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
    for (kind, n) in kinds {
        let id = format!("error-kind-{}", kind.slug());
        let text = |id: String| say.if_known(&Message::new(id));
        grid.row(vec![
            text(id.clone()).unwrap_or_else(|| kind.name().to_owned()),
            count(*n),
            format!("{} %", percent(share(*n, data.summary.total.samples))),
            text(format!("{id}-meaning")).unwrap_or_default(),
            text(format!("{id}-look")).unwrap_or_default(),
        ]);
    }
    grid
}

/// Whether the first notice already says all there is to the verdict.
pub(crate) fn says_limited(data: &RunData<'_>) -> bool {
    data.summary.generator.limited && data.summary.verdict == Verdict::Limited
}

fn share(n: u64, of: u64) -> f64 {
    match of {
        0 => 0.0,
        _ => n as f64 / of as f64,
    }
}

/// How often each response code came.
fn status_codes(data: &RunData<'_>) -> ReportGrid {
    let say = data.say;
    let heads = [
        ("report-column-code", false),
        ("report-column-count", true),
        ("report-column-share", true),
    ];
    let mut grid = ReportGrid::new(say, &heads);
    for (code, n) in &data.summary.status_codes {
        let name = match code.as_str() {
            "" => say.text("report-no-response"),
            code => code.to_owned(),
        };
        let share = percent(share(*n, data.summary.total.samples));
        grid.row(vec![name, count(*n), format!("{share} %")]);
    }
    grid
}

/// The phases of a label with the mean time each added to one sample, in ms.
pub(crate) fn phase_means(label: &LabelSummary) -> [(Phase, f64); 5] {
    let phases = &label.phases;
    let mean = |times: &PhaseTimes| match label.samples {
        0 => 0.0,
        samples => times.mean_ms * times.count as f64 / samples as f64,
    };
    let times = [
        &phases.dns,
        &phases.connect,
        &phases.tls,
        &phases.first_byte,
        &phases.receive,
    ];
    std::array::from_fn(|i| (Phase::ALL[i], mean(times[i])))
}

/// The phases of every request and of their total.
fn phases(data: &RunData<'_>) -> ReportGrid {
    let say = data.say;
    let mut heads = vec![(say.text("report-column-label"), false)];
    for phase in Phase::ALL {
        heads.push((say.text(&format!("report-phase-{}", phase.name())), true));
    }
    let mut grid = ReportGrid {
        heads,
        ..ReportGrid::default()
    };
    let line = |name: String, label: &LabelSummary| {
        let means = phase_means(label).map(|(_, ms)| figure(ms));
        [name].into_iter().chain(means).collect()
    };
    for label in data
        .labels(LabelKind::Request)
        .filter(|label| label.samples > 0)
    {
        grid.row(line(label.label.clone(), label));
    }
    if data.summary.total.samples > 0 {
        grid.total_row(line(say.text("report-total"), &data.summary.total));
    }
    grid
}

/// What is in no other figure, or not in all: arrivals not started, requests that ended after the
/// load, were cut off or sent again.
pub(crate) fn not_run(data: &RunData<'_>) -> Vec<String> {
    let total = &data.summary.total;
    [
        ("report-dropped-note", total.dropped_iterations),
        ("report-ended-after-note", total.ended_after_load),
        ("report-cut-off-note", total.cut_off),
        ("report-resent-note", total.resent),
    ]
    .into_iter()
    .filter(|(_, n)| *n > 0)
    .map(|(id, n)| data.say.message(&Message::new(id).with("count", count(n))))
    .collect()
}

/// How the generator did, in sentences.
pub(crate) fn generator(data: &RunData<'_>) -> Vec<String> {
    let (say, generator) = (data.say, &data.summary.generator);
    let mut lines = Vec::new();
    if !generator.limited {
        // Where nothing was measured, nothing shows that the generator was able to.
        let id = match data.summary.total.samples {
            0 => "report-generator-unknown",
            _ => "report-generator-ok",
        };
        lines.push(say.text(id));
    }
    // Only the engine knows the lateness; a run that was cut short lacks it.
    if data.state == RunState::Finished {
        let late = &generator.send_lateness_ms;
        let line = Message::new("report-lateness-line")
            .with("p50", figure(late.p50))
            .with("p99", figure(late.p99))
            .with("max", figure(late.max))
            .with("cpu", percent_short(generator.peak_cpu_share));
        lines.push(say.message(&line));
    }
    if let Some(lag) = &generator.receive_lag_ms {
        let line = Message::new("report-receive-lag-line")
            .with("p50", figure(lag.p50))
            .with("p99", figure(lag.p99))
            .with("max", figure(lag.max));
        lines.push(say.message(&line));
    }
    let coalesced = share(generator.arrivals_coalesced, generator.arrivals);
    if coalesced >= COALESCED_TOLD {
        let line = Message::new("report-coalesced-line")
            .with("count", count(generator.arrivals_coalesced))
            .with("of", count(generator.arrivals))
            .with("percent", percent_short(coalesced));
        lines.push(say.message(&line));
    }
    if !generator.warnings.is_empty() {
        lines.push(say.text("report-generator-warning"));
        lines.extend(
            generator
                .warnings
                .iter()
                .map(|reason| reason_text(say, reason)),
        );
    }
    lines
}

/// A table of a report.
pub(crate) struct TableSection {
    /// The id of its title.
    pub(crate) title: &'static str,
    pub(crate) grid: ReportGrid,
    /// The id of the note below it.
    pub(crate) note: Option<&'static str>,
}

/// The tables of figures; those that are empty are left out of a report.
pub(crate) fn tables(data: &RunData<'_>) -> Vec<TableSection> {
    let of = |kind| aggregate(data, kind);
    let all = [
        (
            "report-aggregate",
            of(LabelKind::Request),
            Some("report-aggregate-note"),
        ),
        (
            "report-service-table",
            service_times(data),
            Some("report-service-note"),
        ),
        (
            "report-transactions",
            of(LabelKind::Transaction),
            Some("report-transactions-note"),
        ),
        (
            "report-sub-requests",
            of(LabelKind::SubRequest),
            Some("report-sub-requests-note"),
        ),
        (ERRORS_BY_KIND, errors(data), None),
        ("report-status-codes", status_codes(data), None),
        (PHASES, phases(data), Some("report-phases-note")),
        ("report-fleet", crate::fleet::workers(data), None),
    ];
    let section = |(title, grid, note)| TableSection { title, grid, note };
    all.map(section).into()
}

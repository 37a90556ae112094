//! A study on the terminal: a line for each trial, and what came of all.

use super::effect::{EffectForm, metric, metric_name, signed};
use crate::engine::{NeededBudget, Record};
use crate::judge::Verdict;
use crate::notes::{GENERATOR_LIMITED, StudyNote};
use crate::outcome::{Figures, StudyResult, TrialRecord, Values};
use crate::study::in_words;
use crate::target::{Fragment, Prepared};
use crate::trial::{FailedTrial, Reason, TrialEnd};
use plimsoll_report::short;
use plimsoll_text::{Align, Lang, Message, Table, render};

/// The better of the best objective so far and that of a trial.
#[must_use]
pub fn better(best: Option<f64>, record: &Record, prepared: &Prepared) -> Option<f64> {
    let TrialEnd::Measured(measured) = &record.result else {
        return best;
    };
    if !measured.broken.is_empty() {
        return best;
    }
    let first = prepared.study.objective.parts.first();
    let maximise = first.is_none_or(|part| part.maximise);
    Some(match best {
        Some(best) if maximise => best.max(measured.objective),
        Some(best) => best.min(measured.objective),
        None => measured.objective,
    })
}

/// Why a trial was made.
pub(super) fn why(reason: &Reason) -> Message {
    match reason {
        Reason::Baseline => Message::new("tune-why-baseline"),
        Reason::Incumbent => Message::new("tune-why-incumbent"),
        Reason::Advice { finding, knob } => Message::new("tune-why-advice")
            .with("finding", finding.as_str())
            .with("knob", knob.as_str()),
        Reason::Search => Message::new("tune-why-search"),
        Reason::Final => Message::new("tune-why-final"),
        Reason::PutBack { knob } => Message::new("tune-why-put-back").with("knob", knob.as_str()),
    }
}

/// What came of a trial.
pub(super) fn result(end: &TrialEnd, unit: &str) -> Message {
    match end {
        TrialEnd::Measured(measured) => {
            let value = format!("{} {unit}", short(measured.objective));
            let id = match () {
                () if !measured.broken.is_empty() => "tune-measured-broken",
                () if measured.cut_short => "tune-measured-cut",
                () if measured.generator_limited => "tune-measured-generator",
                () if measured.is_unsteady() => "tune-measured-unsteady",
                () => "tune-measured",
            };
            Message::new(id)
                .with("value", value.trim().to_owned())
                .with("broken", measured.broken.join("; "))
        }
        TrialEnd::Void { instead } => {
            let first = instead.first();
            Message::new("tune-void")
                .with("knob", first.map_or("", |it| it.knob.as_str()))
                .with("wanted", first.map_or("", |it| it.wanted.as_str()))
                .with("has", first.map_or("", |it| it.has.as_str()))
                .with("seen", is_any(first.map_or("", |it| it.has.as_str())))
        }
        TrialEnd::Failed { what, detail } => Message::new(what.id())
            .with("detail", detail.as_str())
            .with("any", is_any(detail)),
        TrialEnd::Interrupted => Message::new("tune-interrupted"),
    }
}

/// A trial in a line: number, what is tried and why, what came of it, the best so far.
#[must_use]
pub fn trial_line(
    record: &Record,
    prepared: &Prepared,
    best: Option<f64>,
    spent_s: f64,
    lang: Lang,
) -> String {
    let parts = &prepared.study.objective.parts;
    let unit = match parts.as_slice() {
        [part] => part.metric.unit(),
        _ => "",
    };
    let tried = match (record.is_changed(), &record.why) {
        (true, _) => in_words(prepared, &record.configuration),
        // Its reason says so.
        (false, Reason::Baseline) => String::new(),
        (false, _) => render(lang, &Message::new("tune-why-baseline")),
    };
    let best = better(best, record, prepared).map_or_else(|| "–".to_owned(), short);
    let what = match record.why {
        Reason::Baseline => why(&record.why),
        _ => Message::new("tune-trial-what")
            .with("why", why(&record.why))
            .with("tried", tried),
    };
    let message = Message::new("tune-trial")
        .with("number", record.number)
        .with("of", prepared.study.trials)
        .with("what", what)
        .with("result", result(&record.result, unit))
        .with("best", best)
        .with(
            "left",
            (left_s(record.number, prepared, spent_s) / 60.0).ceil(),
        );
    render(lang, &message)
}

/// The most seconds that a study may go on for, by what its trials took so far.
fn left_s(made: u32, prepared: &Prepared, spent_s: f64) -> f64 {
    let study = &prepared.study;
    let each = spent_s / f64::from(made.max(1));
    let trials = f64::from(study.trials.saturating_sub(made)) * each;
    let time = study.time.map(|time| time.as_secs_f64() - spent_s);
    time.map_or(trials, |time| trials.min(time)).max(0.0)
}

/// Changes, file by file.
#[must_use]
pub fn changes(fragments: &[Fragment]) -> String {
    titled(fragments, &str::to_owned)
}

/// The same, with what each is of in other words.
pub(super) fn titled(fragments: &[Fragment], title: &dyn Fn(&str) -> String) -> String {
    let mut text = String::new();
    for fragment in fragments {
        text.push_str(&format!("  {}\n", title(&fragment.of)));
        for line in &fragment.lines {
            text.push_str(&format!("    {line}\n"));
        }
    }
    text
}

pub(super) fn pairs(values: &Values) -> String {
    joined(values, " ")
}

/// Values with the names of their knobs.
pub(super) fn joined(values: &Values, between: &str) -> String {
    let all = values.iter();
    let all: Vec<String> = all.map(|(name, value)| format!("{name}={value}")).collect();
    all.join(between)
}

/// What came of a study, in words and tables.
#[must_use]
pub fn text(result: &StudyResult, lang: Lang) -> String {
    let say = |message: Message| format!("{}\n", render(lang, &message));
    let form = EffectForm::of(result);
    let mut text = String::from("\n");
    let is_first = |note: &&StudyNote| note.kind == GENERATOR_LIMITED;
    for note in result.notes.iter().filter(is_first) {
        text.push_str(&say(note_text(note)));
    }
    text.push_str(&say(verdict(result)));
    if let Some(of) = &result.effect_of {
        text.push_str(&say(
            Message::new("tune-effect-of").with("values", pairs(of))
        ));
    }
    if let (Some(before), Some(after)) = (&result.before, &result.after) {
        text.push_str(&format!("\n{}\n", table(result, before, after, lang)));
    }
    for each in &result.each {
        let id = match (each.kept, each.effect.verdict) {
            (true, Verdict::Better) => "tune-knob-kept",
            (true, _) => "tune-knob-needed",
            (false, _) => "tune-knob-put-back",
        };
        text.push_str(&say(Message::new(id)
            .with("knob", each.knob.as_str())
            .with("value", each.value.as_str())
            .with("metric", metric(result))
            .with("share", form.of_effect(&each.effect))
            .with("interval", form.interval(&each.effect))));
    }
    for (knob, value) in result.kept.iter().flatten() {
        if result.not_tested_alone.contains(knob) {
            text.push_str(&say(Message::new("tune-knob-untested")
                .with("knob", knob.as_str())
                .with("value", value.as_str())));
        }
    }
    text.push_str(&limits_text(result, lang).map_or_else(String::new, say));
    for note in result.notes.iter().filter(|note| !is_first(note)) {
        text.push_str(&say(note_text(note)));
    }
    for given in &result.given_up {
        let what = Message::new(format!("knobs-gives-{}", given.what));
        text.push_str(&say(Message::new("tune-given-up")
            .with("knob", given.knob.as_str())
            .with("value", given.value.as_str())
            .with("what", what)));
    }
    if !result.changes.is_empty() {
        text.push_str(&say(Message::new("tune-changes")));
        text.push_str(&changes(&result.changes));
    }
    text.push_str(&say(Message::new("tune-spent")
        .with("count", result.trials.len())
        .with("minutes", (result.seconds / 6.0).round() / 10.0)));
    text
}

/// Whether a text says anything, as texts of messages ask it.
fn is_any(text: &str) -> &'static str {
    yes_or_no(!text.is_empty())
}

fn yes_or_no(it: bool) -> &'static str {
    if it { "yes" } else { "no" }
}

pub(super) fn verdict(result: &StudyResult) -> Message {
    let form = EffectForm::of(result);
    let told = |id: &'static str| {
        let effect = result.effect.as_ref();
        let values = pairs(result.kept.as_ref().unwrap_or(&result.best));
        Message::new(id)
            .with("any", is_any(&values))
            .with("values", values)
            .with("metric", metric(result))
            .with(
                "share",
                effect.map_or_else(String::new, |it| form.of_effect(it)),
            )
            .with(
                "interval",
                effect.map_or_else(String::new, |it| form.interval(it)),
            )
            .with("pairs", effect.map_or(0, |it| it.pairs))
            .with(
                "confidence",
                ((1.0 - result.error_rate) * 1000.0).round() / 10.0,
            )
    };
    if let Some(broken) = without_capacity(result) {
        return Message::new("tune-no-capacity").with("broken", broken);
    }
    if let Some(needs) = &result.needs {
        return not_judged(needs);
    }
    match (result.end.as_str(), &result.kept, &result.effect) {
        ("not_judged", ..) => died(result),
        ("no_baseline", ..) => no_baseline(result),
        ("nothing_tried", ..) => told("tune-nothing-tried"),
        ("none_measured", ..) => none_measured(result),
        ("interrupted", ..) => told("tune-was-interrupted"),
        (_, Some(_), Some(effect)) if effect.verdict != Verdict::Better => {
            told("tune-kept-to-meet")
        }
        (_, Some(_), _) => told("tune-kept"),
        (_, None, Some(effect)) if effect.verdict == Verdict::Better => told("tune-better-breaks"),
        (_, None, Some(effect)) if effect.verdict == Verdict::Open => told("tune-not-shown"),
        (_, None, Some(_)) => told("tune-not-better"),
        (_, None, None) => told("tune-nothing-better"),
    }
}

/// What limits now, or that nobody knows; none where there is no result.
pub(super) fn limits_text(result: &StudyResult, lang: Lang) -> Option<Message> {
    let Some(limits) = &result.limits else {
        let is_over = ["done", "nothing_tried"].contains(&result.end.as_str());
        return is_over.then(|| Message::new("tune-limits-unknown"));
    };
    let title = match lang {
        Lang::En => &limits.title,
        Lang::Zh => &limits.title_zh,
    };
    let message = Message::new("tune-limits").with("title", title.as_str());
    Some(message.with("healthy", u64::from(limits.healthy)))
}

/// What is to be known beside the result.
pub(super) fn note_text(note: &StudyNote) -> Message {
    let is_share = ["errors", "sent_again", "falls"].contains(&note.kind.as_str());
    let shown = |value: Option<f64>, is_share: bool| {
        let value = value.unwrap_or_default();
        short(if is_share { value * 100.0 } else { value })
    };
    // Of so many runs.
    let is_share_of = is_share || note.kind == "rare";
    Message::new("tune-note")
        .with("kind", note.kind.as_str())
        .with("before", shown(note.before, is_share))
        .with("after", shown(note.after, is_share_of))
        .with("text", note.text.as_str())
}

/// That no trial with changed settings could be measured, with what came of the last.
fn none_measured(result: &StudyResult) -> Message {
    let is_changed = |trial: &&TrialRecord| !trial.values.is_empty();
    let changed = || result.trials.iter().filter(is_changed);
    let is_refused = |trial: &TrialRecord| trial.result.failed_by(FailedTrial::NotApproved);
    let last = changed().next_back();
    Message::new("tune-none-measured")
        .with("count", changed().count())
        .with("refused", yes_or_no(changed().all(is_refused)))
        .with(
            "last",
            last.map_or_else(
                || Message::new("tune-interrupted"),
                |it| self::result(&it.result, &result.unit),
            ),
        )
}

/// That the target as it was found could not be measured, and what came of the last try.
fn no_baseline(result: &StudyResult) -> Message {
    let last = result.trials.last();
    let what = last.map(|trial| self::result(&trial.result, &result.unit));
    let is_mute = |trial: &TrialRecord| trial.result.failed_by(FailedTrial::NoSuccess);
    Message::new("tune-no-baseline")
        .with("any", yes_or_no(what.is_some()))
        .with("mute", yes_or_no(last.is_some_and(is_mute)))
        .with(
            "what",
            what.unwrap_or_else(|| Message::new("tune-interrupted")),
        )
}

/// That nothing could be judged because a side of the final pairs died, and how.
fn died(result: &StudyResult) -> Message {
    let is_dead = |trial: &&TrialRecord| {
        trial.why == Reason::Final && !matches!(trial.result, TrialEnd::Measured(_))
    };
    let last = result.trials.iter().rfind(is_dead);
    let values = last.map_or_else(String::new, |trial| pairs(&trial.values));
    let made = result.effect.as_ref().map_or(0, |effect| effect.pairs);
    Message::new("tune-died-at-the-end")
        .with("any", is_any(&values))
        .with("values", values)
        .with("made", made)
        .with(
            "what",
            last.map_or_else(
                || Message::new("tune-interrupted"),
                |it| self::result(&it.result, &result.unit),
            ),
        )
}

/// That nothing could be judged, and what it takes.
fn not_judged(needs: &NeededBudget) -> Message {
    Message::new("tune-not-judged")
        .with("made", needs.pairs_made)
        .with("pairs", needs.pairs)
        .with("trials", needs.trials)
        .with("minutes", (needs.seconds / 60.0).ceil())
        .with("gain", (needs.gain * 1000.0).round() / 10.0)
}

/// The constraints that the target as it was found breaks under every load, where that ended the study.
fn without_capacity(result: &StudyResult) -> Option<String> {
    let last = result
        .trials
        .last()
        .filter(|_| result.end == "no_baseline" && result.objective.contains("capacity"))?;
    match &last.result {
        TrialEnd::Measured(measured) if !measured.broken.is_empty() => {
            Some(measured.broken.join("; "))
        }
        _ => None,
    }
}

fn table(result: &StudyResult, before: &Figures, after: &Figures, lang: Lang) -> String {
    let say = |id: &str| render(lang, &Message::new(id));
    let right = |id: &str| (say(id), Align::Right);
    let mut table = Table::new(vec![
        (String::new(), Align::Left),
        right("tune-before"),
        right(after_id(result)),
        right("tune-change"),
    ]);
    for (name, [before, after, change]) in before_after(result, before, after) {
        table.row(vec![render(lang, &name), before, after, change]);
    }
    table.to_text()
}

/// What the figures after are of: what is kept, or the candidate that was not.
pub(super) const fn after_id(result: &StudyResult) -> &'static str {
    match result.kept {
        Some(_) => "tune-after",
        None => "tune-candidate",
    }
}

/// Figures before and after, and by how much they differ, with their names; an objective that is none of them comes
/// first.
pub(super) fn before_after<'a>(
    result: &StudyResult,
    before: &'a Figures,
    after: &'a Figures,
) -> impl Iterator<Item = (Message, [String; 3])> + use<'a> {
    let mib = |bytes: f64| bytes / (1024.0 * 1024.0);
    let rows = [
        (
            "tune-throughput",
            before.throughput_per_s,
            after.throughput_per_s,
        ),
        ("tune-mean", before.mean_ms, after.mean_ms),
        ("tune-p99", before.p99_ms, after.p99_ms),
        (
            "tune-errors",
            before.error_rate * 100.0,
            after.error_rate * 100.0,
        ),
        (
            "tune-memory",
            mib(before.memory_bytes),
            mib(after.memory_bytes),
        ),
    ];
    // Of components that Plimsoll does not start nobody sees the memory.
    let is_seen =
        |(id, before, after): &(&str, f64, f64)| *id != "tune-memory" || before + after > 0.0;
    let rows = rows.into_iter().filter(is_seen);
    let rows = rows.map(|(id, before, after)| (Message::new(id), before, after));
    let is_other =
        !["throughput", "mean", "p99", "memory"].contains(&metric_name(&result.objective));
    let objective = (metric(result), before.objective, after.objective);
    let objective = is_other.then_some(objective);
    objective
        .into_iter()
        .chain(rows)
        .map(|(name, before, after)| {
            let change = match before > 0.0 {
                true => signed(after / before - 1.0),
                false => "–".to_owned(),
            };
            (name, [short(before), short(after), change])
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_told_as_percentages_and_counts_as_they_are() {
        let told = |kind: &str, before: f64, after: f64| {
            let note = StudyNote {
                kind: kind.to_owned(),
                before: Some(before),
                after: Some(after),
                text: String::new(),
            };
            [Lang::En, Lang::Zh].map(|lang| render(lang, &note_text(&note)))
        };
        for (kind, (before, after), figures) in [
            ("rare", (6.0, 0.393), ["6 ", "39.3 %"]),
            ("errors", (0.01, 0.02), ["1 %", "2 %"]),
            ("p99", (30.0, 160.0), ["30 ", "160 ms"]),
        ] {
            for text in told(kind, before, after) {
                let has = figures.iter().all(|figure| text.contains(figure));
                assert!(has && !text.contains("00 "), "{text}");
            }
        }
    }
}

//! What failed: by label, kind, code and message, with samples.

use std::io::Write;

use plimsoll_stats::{ErrorKind, FailureGroup, FailureSample, LabelKind};
use plimsoll_store::Run;
use plimsoll_text::Message;

use crate::data::RunData;
use crate::document::{NoticeLevel, ReportBlock, ReportGrid, Say};
use crate::number::{count, trimmed};
use crate::screen::to_text;
use crate::{ReportError, ReportOptions};

/// Most groups in a report's table; `report --errors` has all.
const SHOWN: usize = 10;
/// Longest description in a table of text, characters.
const WHAT_CHARS: usize = 100;
/// Characters of the time that a run's name begins with.
const TIME_CHARS: usize = 19;
/// Where runs are unless somebody says otherwise; there their name is enough.
const RUNS: &str = "plimsoll-runs";

/// All errors with their samples, for a terminal.
pub(crate) fn export(
    run: &Run,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let data = RunData::read(run, options.lang)?;
    out.write_all(to_text(&in_full(&data)).as_bytes())?;
    Ok(())
}

/// The groups for people: of requests, and of others where there is more to be seen than that
/// something in them failed.
pub(crate) fn groups<'d>(data: &'d RunData<'_>) -> Vec<&'d FailureGroup> {
    let told =
        |group: &&FailureGroup| group.label_kind == LabelKind::Request || !group.samples.is_empty();
    data.summary.errors.iter().filter(told).collect()
}

/// The first groups as a table.
pub(crate) fn grid(say: Say, groups: &[&FailureGroup], most_chars: usize) -> ReportGrid {
    let heads = [
        ("report-column-count", true),
        ("report-column-label", false),
        ("report-column-what", false),
        ("report-column-first", true),
        ("report-column-last", true),
    ];
    let mut grid = ReportGrid::new(say, &heads);
    for group in groups {
        grid.row(vec![
            count(group.count),
            beginning(group.label.clone(), most_chars / 2),
            beginning(what(say, group), most_chars),
            seconds(say, group.first_s),
            seconds(say, group.last_s),
        ]);
    }
    grid
}

/// At most so many characters.
fn beginning(mut text: String, chars: usize) -> String {
    if let Some((end, _)) = text.char_indices().nth(chars) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// What a table leaves out.
pub(crate) fn more(say: Say, left: &[&FailureGroup]) -> Option<String> {
    let errors: u64 = left.iter().map(|group| group.count).sum();
    let message = Message::new("report-errors-more")
        .with("groups", left.len())
        .with("errors", count(errors));
    (!left.is_empty()).then(|| say.message(&message))
}

/// What went wrong, in a line.
fn what(say: Say, group: &FailureGroup) -> String {
    let id = format!("error-kind-{}", group.kind.slug());
    let kind = say.if_known(&Message::new(id));
    let kind = kind.unwrap_or_else(|| group.kind.name().to_owned());
    let joined = |first: String, then: &str| match then {
        "" => first,
        then => say.message(
            &Message::new("report-errors-what")
                .with("what", first)
                .with("message", then),
        ),
    };
    if group.other {
        return joined(kind, &say.text("report-errors-other"));
    }
    let is_status = group.code.len() == 3 && group.code.bytes().all(|b| b.is_ascii_digit());
    let message = group.message.as_str();
    match (is_status, group.kind) {
        (true, ErrorKind::CheckFailed | ErrorKind::HttpStatus) => {
            match (group.code.as_str(), message) {
                (_, "") => status(group),
                ("200", message) => message.to_owned(),
                (_, message) if status(group).ends_with(message) => status(group),
                (code, message) => joined(code.to_owned(), message),
            }
        }
        (true, _) => joined(format!("{kind} ({})", group.code), message),
        (false, _) => {
            let code = group.code.as_str();
            let parts: Vec<&str> = [code, message]
                .into_iter()
                .filter(|it| !it.is_empty())
                .collect();
            joined(kind, &parts.join(", "))
        }
    }
}

/// The code with the words that came with it.
fn status(group: &FailureGroup) -> String {
    let words = group.samples.iter().find_map(|sample| {
        let line = sample.response.lines().next()?;
        let (_, rest) = line.split_once(' ')?;
        rest.starts_with(&group.code)
            .then(|| rest.trim().to_owned())
    });
    words.unwrap_or_else(|| match group.message.as_str() {
        "" => format!("HTTP {}", group.code),
        message => format!("{} {message}", group.code),
    })
}

/// A time of the run.
fn seconds(say: Say, at_s: f64) -> String {
    let at_s = trimmed((at_s * 10.0).round() / 10.0);
    say.message(&Message::new("report-errors-at").with("seconds", at_s))
}

/// What stands above the samples of a group.
pub(crate) fn title(say: Say, group: &FailureGroup) -> String {
    let title = Message::new("report-errors-group")
        .with("count", count(group.count))
        .with("label", group.label.as_str())
        .with("what", what(say, group));
    say.message(&title)
}

/// What stands above a sample.
pub(crate) fn sample_line(say: Say, sample: &FailureSample) -> String {
    let message = Message::new("report-errors-sample")
        .with("at", seconds(say, sample.at_s))
        .with("detail", sample.detail.as_str());
    say.message(&message)
}

/// Request and response of a sample, with what stands for none.
pub(crate) fn exchange(say: Say, sample: &FailureSample) -> [String; 2] {
    let or = |text: &str, id: &str| match text {
        "" => say.text(id),
        text => text.to_owned(),
    };
    [
        or(&sample.request, "report-errors-not-sent"),
        or(&sample.response, "report-no-response"),
    ]
}

/// What a command takes for this run: the beginning of its name, if no other run begins so, where
/// runs usually are; else its folder.
pub(crate) fn as_argument(run: &Run) -> String {
    let (dir, id) = (run.dir(), run.id());
    let parent = dir
        .parent()
        .filter(|of| of.file_name().is_some_and(|name| name == RUNS));
    let Some(parent) = parent else {
        return dir.display().to_string();
    };
    let Some(begin) = id.get(..TIME_CHARS) else {
        return id;
    };
    let others = std::fs::read_dir(parent).into_iter().flatten().flatten();
    let alike = others.filter(|other| other.file_name().to_string_lossy().starts_with(begin));
    match alike.take(2).count() {
        1 => begin.to_owned(),
        _ => id,
    }
}

/// A command that can be copied: on a line of its own.
pub(crate) fn command(text: &str) -> ReportBlock {
    ReportBlock::Text(format!("  {text}"))
}

/// The part of a report.
pub(crate) fn blocks(data: &RunData<'_>) -> Vec<ReportBlock> {
    let say = data.say;
    let groups = groups(data);
    if groups.is_empty() {
        return Vec::new();
    }
    let (first, left) = groups.split_at(groups.len().min(SHOWN));
    let mut blocks = vec![
        ReportBlock::Heading(say.text("report-errors-title")),
        ReportBlock::Table(grid(say, first, WHAT_CHARS)),
    ];
    blocks.extend(more(say, left).map(ReportBlock::Text));
    blocks.push(ReportBlock::Text(say.text("report-errors-hint")));
    let run = as_argument(data.run);
    blocks.push(command(&format!("plimsoll report {run} --errors")));
    blocks
}

/// All groups with all samples.
fn in_full(data: &RunData<'_>) -> Vec<ReportBlock> {
    let say = data.say;
    let groups = groups(data);
    if groups.is_empty() {
        let (level, id) = match data.summary.total.errors {
            0 => (NoticeLevel::Good, "report-errors-none"),
            _ => (NoticeLevel::Plain, "report-errors-unknown"),
        };
        return vec![ReportBlock::Notice(level, say.text(id))];
    }
    let mut blocks = vec![ReportBlock::Table(grid(say, &groups, WHAT_CHARS))];
    for group in groups.iter().filter(|group| !group.samples.is_empty()) {
        blocks.push(ReportBlock::Heading(title(say, group)));
        for sample in &group.samples {
            blocks.push(ReportBlock::Text(sample_line(say, sample)));
            for text in exchange(say, sample) {
                blocks.push(ReportBlock::Verbatim(format!("{text}\n\n")));
            }
        }
    }
    blocks
}

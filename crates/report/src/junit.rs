//! The verdict as JUnit XML, for build servers. Never localised.

use std::io::Write;

use plimsoll_stats::{GoalResult, Summary};
use plimsoll_store::{Run, RunState};
use plimsoll_text::Lang;

use crate::data::summary_of;
use crate::document::Say;
use crate::number::percent;
use crate::sections::reason_text;
use crate::{ReportError, ReportOptions};

/// JUnit XML: a test case for each goal, one for the generator, one for the run's end and one for
/// whether any request succeeded. A run without goals has a case that is skipped.
pub(crate) fn export(run: &Run, _: &ReportOptions, out: &mut dyn Write) -> Result<(), ReportError> {
    let (summary, state) = summary_of(run)?;
    out.write_all(suite(&summary, state).as_bytes())?;
    Ok(())
}

/// A case: its name and how it ended.
type Case = (String, CaseEnding);

/// How a case ended.
enum CaseEnding {
    Passed,
    /// Nothing was judged, and why.
    Skipped(String),
    /// The target was found wanting: a short and a long reason.
    Failed(String, String),
    /// It was not measured as it should have been: the same.
    Unmeasured(String, String),
}

impl CaseEnding {
    /// Failed for that reason, if there is one.
    fn failed(reason: Option<(String, String)>) -> Self {
        reason.map_or(Self::Passed, |(message, detail)| {
            Self::Failed(message, detail)
        })
    }

    /// Not measured for that reason, if there is one.
    fn unmeasured(reason: Option<(String, String)>) -> Self {
        reason.map_or(Self::Passed, |(message, detail)| {
            Self::Unmeasured(message, detail)
        })
    }

    /// As an element within its case; nothing where it passed.
    fn element(&self) -> String {
        let with_reason = |name: &str, message: &str, detail: &str| {
            format!(
                "<{name} message=\"{}\">{}</{}>",
                escape(message),
                escape(detail),
                name.split(' ').next().unwrap_or_default()
            )
        };
        match self {
            Self::Passed => String::new(),
            Self::Skipped(why) => format!("<skipped message=\"{}\"/>", escape(why)),
            Self::Failed(message, detail) => with_reason("failure type=\"goal\"", message, detail),
            Self::Unmeasured(message, detail) => {
                with_reason("error type=\"not measured\"", message, detail)
            }
        }
    }
}

fn suite(summary: &Summary, state: RunState) -> String {
    let mut cases = vec![
        generator(summary),
        ending(summary, state),
        successes(summary),
    ];
    let is_judged = !summary.generator.limited;
    cases.extend(summary.goals.iter().map(|one| goal(one, is_judged)));
    if summary.goals.is_empty() {
        let why = format!("not judged: the run had no goals; {}", failed(summary));
        cases.push(("goals".to_owned(), CaseEnding::Skipped(why)));
    }
    let is = |wanted: fn(&CaseEnding) -> bool| cases.iter().filter(|(_, e)| wanted(e)).count();
    let failures = is(|ending| matches!(ending, CaseEnding::Failed(..)));
    let errors = is(|ending| matches!(ending, CaseEnding::Unmeasured(..)));
    let skipped = is(|ending| matches!(ending, CaseEnding::Skipped(_)));
    let (tests, time) = (cases.len(), summary.duration_s);
    let name = escape(&summary.run);
    let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"");
    let stamp = escape(&summary.started_at);
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites name=\"plimsoll\" {counts} time=\"{time}\">\n\
         \x20 <testsuite name=\"{name}\" {counts} skipped=\"{skipped}\" time=\"{time}\" timestamp=\"{stamp}\">\n"
    );
    let class = escape(&summary.plan);
    for (name, ending) in cases {
        let open = format!(
            "    <testcase classname=\"{class}\" name=\"{}\" time=\"0\"",
            escape(&name)
        );
        xml.push_str(&match ending.element() {
            empty if empty.is_empty() => format!("{open}/>\n"),
            element => format!("{open}>\n      {element}\n    </testcase>\n"),
        });
    }
    xml.push_str("  </testsuite>\n</testsuites>\n");
    xml
}

fn goal(goal: &GoalResult, is_judged: bool) -> Case {
    let observed = match goal.observed {
        Some(value) => format!("observed {value} {}", goal.unit),
        None => "no sample to judge by".to_owned(),
    };
    if !is_judged {
        let why = format!("not judged: the load generator was the bottleneck; {observed}");
        return (goal.goal.clone(), CaseEnding::Skipped(why));
    }
    let failure = (!goal.met).then(|| (observed.clone(), format!("{}: {observed}", goal.goal)));
    (goal.goal.clone(), CaseEnding::failed(failure))
}

/// The share of errors in words.
fn failed(summary: &Summary) -> String {
    let (total, share) = (&summary.total, percent(summary.total.error_rate));
    format!("{share} % of {} requests failed", total.samples)
}

fn successes(summary: &Summary) -> Case {
    let reason = match summary.total.samples {
        0 => "no request was measured".to_owned(),
        samples => format!("none of {samples} requests succeeded"),
    };
    let failure = (!summary.total.any_success()).then(|| (reason, failed(summary)));
    ("requests succeeded".to_owned(), CaseEnding::failed(failure))
}

fn generator(summary: &Summary) -> Case {
    let reasons: Vec<String> = summary
        .generator
        .reason_details
        .iter()
        .map(|reason| reason_text(Say(Lang::En), reason))
        .collect();
    let failure = summary.generator.limited.then(|| {
        (
            "the load generator was the bottleneck".to_owned(),
            reasons.join("\n"),
        )
    });
    (
        "load generator not limited".to_owned(),
        CaseEnding::unmeasured(failure),
    )
}

fn ending(summary: &Summary, state: RunState) -> Case {
    use plimsoll_stats::Verdict;
    let reason = match (state, summary.verdict) {
        (RunState::CutShort, _) => Some("the run was cut short"),
        (RunState::Running, _) => Some("the run is still in progress"),
        (_, Verdict::Aborted) => Some("a guard ended the run"),
        (_, Verdict::Interrupted) => Some("the run was interrupted"),
        (_, Verdict::Error) => Some("the run could not be made as planned"),
        _ => None,
    };
    let failure = reason.map(|reason| {
        (
            reason.to_owned(),
            format!("exit code {}", summary.exit_code),
        )
    });
    ("run complete".to_owned(), CaseEnding::unmeasured(failure))
}

/// Text for XML 1.0: markup escaped, characters that XML forbids replaced.
fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\n' | '\r' | '\t' => safe.push_str(&format!("&#{};", u32::from(c))),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xml_stays_well_formed() {
        assert_eq!(
            escape("a<b>&\"\u{1}\n"),
            "a&lt;b&gt;&amp;&quot;\u{fffd}&#10;"
        );
    }
}

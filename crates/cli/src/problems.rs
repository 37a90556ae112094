//! Mistakes of plans, shown with the lines they are in.

use std::io::IsTerminal;

use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource, Report,
    Severity,
};
use plimsoll_plan::{self as plan, Problem};
use plimsoll_text::{Lang, render};

/// Shows problems on standard error, all of them.
pub fn print(problems: &[Problem], source: &str, lang: Lang) {
    for problem in problems {
        crate::say::err(text(problem, source, lang).trim_end_matches('\n'));
    }
}

fn text(problem: &Problem, source: &str, lang: Lang) -> String {
    let message = render(lang, &problem.message);
    let place = if problem.at.line > 0 {
        format!(
            "{}:{}:{}: {message}",
            problem.file, problem.at.line, problem.at.column
        )
    } else {
        message
    };
    let severity = match problem.severity {
        plan::Severity::Error => Severity::Error,
        plan::Severity::Warning => Severity::Warning,
    };
    let mut diagnostic = MietteDiagnostic::new(place).with_severity(severity);
    if let Some(remedy) = &problem.remedy {
        diagnostic = diagnostic.with_help(render(lang, remedy));
    }
    let at = offset(source, problem.at.line, problem.at.column);
    if let Some((at, length)) = at {
        diagnostic = diagnostic.with_label(LabeledSpan::underline((at, length)));
    }
    let mut report = Report::new(diagnostic);
    if at.is_some() {
        report = report.with_source_code(NamedSource::new(&problem.file, source.to_owned()));
    }
    let theme = if std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
        GraphicalTheme::unicode()
    } else {
        GraphicalTheme::unicode_nocolor()
    };
    let mut out = String::new();
    let handler = GraphicalReportHandler::new_themed(theme).with_context_lines(1);
    // Writing to a String does not fail.
    let _ = handler.render_report(&mut out, report.as_ref());
    out
}

/// The byte offset of a place, and the length of the word there.
fn offset(source: &str, line: u32, column: u32) -> Option<(usize, usize)> {
    let line_at = usize::try_from(line).ok()?.checked_sub(1)?;
    let begin: usize = source
        .split_inclusive('\n')
        .take(line_at)
        .map(str::len)
        .sum();
    let text = source.get(begin..)?.lines().next()?;
    let skip = usize::try_from(column).ok()?.checked_sub(1)?;
    let at = text
        .char_indices()
        .nth(skip)
        .map_or(text.len(), |(at, _)| at);
    let word = text[at..]
        .split(|c: char| c.is_whitespace() || c == ':')
        .next()
        .unwrap_or_default();
    (begin + at < source.len()).then(|| (begin + at, word.len().max(1)))
}

//! Mistakes of plans, shown with the lines they are in.

mod excerpt;

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, Report, Severity,
};
use plimsoll_text::{Arg, COLUMNS, Lang, Message, render, wrap_after};

use self::excerpt::{Excerpt, SourceLines};
use crate::error::{self, Problem};
use crate::limits::{PROBLEMS_COLLECTED, PROBLEMS_SHOWN};

/// Problems as people read them, the first ones.
pub struct ShownProblems {
    /// Each with its lines, which may have colours.
    pub problems: Vec<ShownProblem>,
    /// How many more there are, if any.
    pub more: Option<String>,
}

/// One problem, or several that are the same.
pub struct ShownProblem {
    /// What is wrong, and the lines that it is in; without a line break at the end.
    pub text: String,
    /// Where else it is.
    pub others: Option<String>,
}

impl ShownProblems {
    /// Shows problems of a source: neither its lines nor what is said of them has secrets.
    #[must_use]
    pub fn of(problems: &[Problem], source: &str, coloured: bool, lang: Lang) -> Self {
        let lines = SourceLines::of(source);
        let groups = groups(problems);
        let shown = |group: &ProblemGroup<'_>| {
            let mut text = text(group.first, &lines, coloured, lang);
            text.truncate(text.trim_end_matches('\n').len());
            let others = others(group)
                .map(|others| wrap_after(&render(lang, &others), COLUMNS, "  ", "  ").join("\n"));
            ShownProblem { text, others }
        };
        // One group may have reached the limit of what is collected alone.
        let not_shown = groups.iter().skip(PROBLEMS_SHOWN);
        let not_shown: usize = not_shown.map(|group| 1 + group.others.len()).sum();
        Self {
            problems: groups.iter().take(PROBLEMS_SHOWN).map(shown).collect(),
            more: more(problems.len(), not_shown).map(|more| render(lang, &more)),
        }
    }
}

/// Problems that are the same but for where they are.
struct ProblemGroup<'p> {
    first: &'p Problem,
    others: Vec<&'p Problem>,
}

/// Equal problems together, in the order of their first ones. Two elements that lack the same class
/// have the same problem, whatever their names.
fn groups(problems: &[Problem]) -> Vec<ProblemGroup<'_>> {
    let key = |problem: &Problem| {
        let message = &problem.message;
        let of_class = message.args.iter().any(|(name, _)| name == "class");
        let args = message.args.iter();
        let args = args.filter(|(name, _)| !(of_class && name == "name"));
        let args: Vec<_> = args.collect();
        format!(
            "{:?} {} {} {args:?} {:?}",
            problem.severity, problem.file, message.id, problem.remedy
        )
    };
    let mut groups: Vec<ProblemGroup<'_>> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for problem in problems {
        match known.entry(key(problem)) {
            Entry::Occupied(at) => groups[*at.get()].others.push(problem),
            Entry::Vacant(place) => {
                place.insert(groups.len());
                groups.push(ProblemGroup {
                    first: problem,
                    others: Vec::new(),
                });
            }
        }
    }
    groups
}

/// Most further places of a problem that are named.
const PLACES: usize = 10;

/// Where else a problem is.
fn others(group: &ProblemGroup<'_>) -> Option<Message> {
    let place = |problem: &&Problem| format!("{}:{}", problem.at.line, problem.at.column);
    let places = group.others.iter().filter(|problem| problem.at.line > 0);
    let mut places: Vec<String> = places.take(PLACES).map(place).collect();
    if group.others.len() > places.len() && !places.is_empty() {
        places.push("…".to_owned());
    }
    let message = Message::new("problem-others")
        .with("count", group.others.len())
        .with("places", places.join(", "));
    (!group.others.is_empty()).then_some(message)
}

/// How many problems are not shown, if any.
fn more(found: usize, more: usize) -> Option<Message> {
    if more == 0 && found < PROBLEMS_COLLECTED {
        return None;
    }
    let id = match found >= PROBLEMS_COLLECTED {
        true => "plan-many-problems",
        false => "plan-more-problems",
    };
    Some(Message::new(id).with("more", more))
}

/// Arguments that are names of things: no secrets, though what is said behind a name such as
/// PASSWORD would be taken for one.
const NAMES: [&str; 6] = ["env", "key", "keys", "name", "names", "variable"];
/// What stands for the first of them while secrets are masked; the others follow it. Private use.
const FIRST_NAME: u32 = 0xF_0000;

/// The message with a mark in place of each name, and the names.
fn without_names(message: &Message) -> (Message, Vec<String>) {
    let mut names = Vec::new();
    let mut message = message.clone();
    for (name, value) in &mut message.args {
        if let Arg::Text(text) = value
            && NAMES.contains(&name.as_ref())
        {
            let mark = FIRST_NAME + u32::try_from(names.len()).unwrap_or(0);
            names.push(std::mem::take(text));
            *text = String::from_iter(char::from_u32(mark));
        }
    }
    (message, names)
}

fn with_names(mut text: String, names: &[String]) -> String {
    for (mark, name) in (FIRST_NAME..).zip(names) {
        if let Some(mark) = char::from_u32(mark) {
            text = text.replace(mark, name);
        }
    }
    text
}

/// A problem as it is shown: neither the lines of the source nor what is said of them has its secrets.
fn text(problem: &Problem, lines: &SourceLines<'_>, coloured: bool, lang: Lang) -> String {
    let excerpt = Excerpt::of(lines, problem.at, &problem.file);
    let rendered = |message: &Message| {
        let (message, names) = without_names(message);
        let text = render(lang, &message);
        let masked = match &excerpt {
            Some(excerpt) => excerpt.without_secrets(&text),
            None => plimsoll_secrets::text(&text).into_owned(),
        };
        with_names(masked, &names)
    };
    let message = rendered(&problem.message);
    let place = if problem.at.line > 0 {
        format!(
            "{}:{}:{}: {message}",
            problem.file, problem.at.line, problem.at.column
        )
    } else {
        message
    };
    let severity = match problem.severity {
        error::Severity::Error => Severity::Error,
        error::Severity::Warning => Severity::Warning,
    };
    let mut diagnostic = MietteDiagnostic::new(place).with_severity(severity);
    if let Some(remedy) = &problem.remedy {
        diagnostic = diagnostic.with_help(rendered(remedy));
    }
    if let Some(excerpt) = &excerpt {
        diagnostic = diagnostic.with_label(LabeledSpan::underline(excerpt.marked()));
    }
    let mut report = Report::new(diagnostic);
    if let Some(excerpt) = excerpt {
        report = report.with_source_code(excerpt);
    }
    let theme = if coloured {
        GraphicalTheme::unicode()
    } else {
        GraphicalTheme::unicode_nocolor()
    };
    let mut out = String::new();
    let handler = GraphicalReportHandler::new_themed(theme).with_context_lines(1);
    // Writing to a String does not fail.
    let _ = handler.render_report(&mut out, report.as_ref());
    match problem.remedy {
        Some(_) => with_word(out, lang),
        None => out,
    }
}

/// The word before the remedy, which comes last and is miette's own, in the language of the rest.
fn with_word(mut text: String, lang: Lang) -> String {
    const MIETTES: &str = "  help: ";
    if let Some(at) = text.rfind(MIETTES) {
        let word = render(lang, &Message::new("problem-remedy"));
        let wide = Lang::Zh == lang;
        let own = format!("  {word}{}", if wide { "" } else { " " });
        text.replace_range(at..at + MIETTES.len(), &own);
    }
    text
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::Span;

    fn shown(source: &str, line: u32, column: u32) -> String {
        let problem = Problem::error(Span { line, column }, Message::new("plan-empty"));
        text(
            &problem.in_file("plan.yaml"),
            &SourceLines::of(source),
            false,
            Lang::En,
        )
    }

    #[test]
    fn neither_lines_nor_what_is_said_of_them_has_secrets() {
        let source = "user: joe\npassword: [hunter2-abc]\n<stringProp name=\"HTTPSampler.password\">pw-4711-xyz</stringProp>\n";
        for line in 1..=3 {
            let text = shown(source, line, 3);
            assert!(
                !text.contains("hunter2") && !text.contains("pw-4711"),
                "{text}"
            );
            assert!(text.contains(&format!("[plan.yaml:{line}:3]")), "{text}");
        }
        let at = Span { line: 2, column: 1 };
        let said = Message::new("plan-view-more").with("count", "hunter2-abc");
        let told = text(
            &Problem::error(at, said),
            &SourceLines::of(source),
            false,
            Lang::En,
        );
        assert!(told.contains("***") && !told.contains("hunter2"), "{told}");
    }

    #[test]
    fn a_problem_is_shown_with_its_line_and_those_around_it() {
        let text = shown("one\ntwo: here\nthree\nfour\n", 2, 6);
        assert!(text.contains("[plan.yaml:2:6]"), "{text}");
        assert!(
            text.contains("1 │ one") && text.contains("2 │ two: here"),
            "{text}"
        );
        assert!(
            text.contains("3 │ three") && !text.contains("four"),
            "{text}"
        );
        assert!(text.contains("·      ────\n"), "{text}");
    }

    #[test]
    fn long_lines_are_cut_around_the_mistake() {
        for (unit, columns) in [
            ("x", 1_000_000),
            ("中", 500_000),
            ("\t", 500_000),
            ("👩‍👩‍👧", 200_000),
        ] {
            let line = format!("{}!mistake {}", unit.repeat(columns), unit.repeat(columns));
            let column = line.chars().position(|c| c == '!').unwrap() + 1;
            let source = format!("{line}\n{line}\n{line}\n");
            let text = shown(&source, 2, u32::try_from(column).unwrap());
            assert!(text.len() < 10_000, "{} bytes", text.len());
            assert!(text.contains("!mistake"), "{text}");
            let end = u32::try_from(line.chars().count()).unwrap();
            for column in [1, end, end + 1, u32::MAX] {
                assert!(shown(&source, 2, column).len() < 10_000);
            }
        }
    }

    #[test]
    fn what_steers_a_terminal_is_not_written() {
        let source = "\u{feff}a: \u{1b}[31m\u{7}\u{202e}b\r\nc: d\r\n";
        let text = shown(source, 1, 4);
        assert!(
            !text.contains(['\u{1b}', '\u{7}', '\u{202e}', '\u{feff}', '\r']),
            "{text:?}"
        );
        assert!(text.contains("[plan.yaml:1:4]"), "{text}");
    }

    #[test]
    fn many_problems_are_counted() {
        assert_eq!(more(PROBLEMS_SHOWN, 0), None);
        let id = |found, left| more(found, left).unwrap().id;
        assert_eq!(id(PROBLEMS_SHOWN + 1, 1), "plan-more-problems");
        assert_eq!(id(PROBLEMS_COLLECTED, 1), "plan-many-problems");
        assert_eq!(id(PROBLEMS_COLLECTED, 0), "plan-many-problems");
    }

    #[test]
    fn equal_problems_are_one_with_its_places() {
        let problem = |class: &str, name: &str, line| {
            let message = Message::new("jmeter-unsupported-element")
                .with("class", class)
                .with("name", name)
                .with("lost", Message::new("jmeter-lost-timer"));
            Problem::error(Span { line, column: 5 }, message)
        };
        let mut all: Vec<Problem> = (1..=470)
            .map(|line| problem("a.B", &line.to_string(), line))
            .collect();
        all.insert(200, problem("a.C", "other", 999));
        let groups = groups(&all);
        let sizes: Vec<usize> = groups.iter().map(|group| group.others.len()).collect();
        assert_eq!(sizes, [469, 0]);
        let told = render(Lang::En, &others(&groups[0]).unwrap());
        assert!(
            told.contains("469") && told.contains("2:5, 3:5") && told.ends_with('…'),
            "{told}"
        );
        assert!(told.len() < 200, "{told}");
        assert!(others(&groups[1]).is_none());
    }

    proptest! {
        #[test]
        fn any_source_can_be_shown(source in "(\\PC|\n|\r|\t|\u{0}|\u{feff}|\u{1f468}){0,60}", line in 0_u32..9, column in 0_u32..70) {
            let _ = shown(&source, line, column);
        }
    }
}

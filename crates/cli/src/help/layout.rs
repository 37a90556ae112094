//! The help of a command in lines that fit a terminal: what arguments look like on the left, what
//! they do on the right.

use clap::builder::ArgAction;
use clap::{Arg, Command};
use plimsoll_text::{COLUMNS, Lang, display_width, wrap_after};

use super::groups::grouped;
use super::texts::{find, text};

/// Columns of the left side; what is longer has its text below it.
const LEFT: usize = 24;

/// The help of a command that clap has built.
pub fn laid_out(command: &mut Command, lang: Lang) -> String {
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim();
    let colon = if lang == Lang::Zh { "：" } else { ": " };
    let mut lines = wrapped(&command.get_about().map(ToString::to_string));
    let about = format!("{}{colon}", text(lang, "help-usage"));
    lines.push(String::new());
    lines.extend(wrap_after(usage, COLUMNS, &about, "    "));
    for (heading, entries) in grouped(command, lang) {
        let colon = colon.trim_end();
        lines.extend([String::new(), format!("\u{1b}[1m{heading}{colon}\u{1b}[0m")]);
        lines.extend(entries.iter().flat_map(|(left, right)| entry(left, right)));
    }
    let [arguments, options] = entries(command, lang);
    for (heading, entries) in [("arguments", arguments), ("options", options)] {
        if entries.is_empty() {
            continue;
        }
        let heading = text(lang, &format!("help-heading-{heading}"));
        // Bold, where there are colours; the colon's width is set where the usage's words are.
        lines.extend([String::new(), format!("\u{1b}[1m{heading}:\u{1b}[0m")]);
        lines.extend(entries.iter().flat_map(|(left, right)| entry(left, right)));
    }
    if let Some(after) = command.get_after_help() {
        lines.push(String::new());
        lines.extend(prose(&after.to_string()));
    }
    lines.push(String::new());
    lines.join("\n")
}

fn wrapped(text: &Option<String>) -> Vec<String> {
    let text = text.as_deref().unwrap_or_default();
    wrap_after(text, COLUMNS, "", "")
}

/// Arguments and options: how each is written, and what it does.
pub(super) fn entries(command: &Command, lang: Lang) -> [Vec<(String, String)>; 2] {
    let said =
        |text: Option<&clap::builder::StyledStr>| text.map(ToString::to_string).unwrap_or_default();
    let options = command.get_arguments();
    let mut options: Vec<&Arg> = options.filter(|arg| !arg.is_positional()).collect();
    // Help and version come last.
    options.sort_by_key(|arg| is_about_itself(arg));
    let of = |arg: &&Arg| (written(arg, lang), said(arg.get_help()));
    [
        command.get_positionals().map(|arg| of(&arg)).collect(),
        options.iter().map(of).collect(),
    ]
}

fn is_about_itself(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Help | ArgAction::Version)
}

/// An argument as it is written.
fn written(arg: &Arg, lang: Lang) -> String {
    if arg.is_positional() {
        return arg.to_string();
    }
    let values: Vec<String> = match arg.get_action().takes_values() {
        true => arg
            .get_value_names()
            .unwrap_or_default()
            .iter()
            .map(|name| format!("<{}>", value_name(name, lang)))
            .collect(),
        false => Vec::new(),
    };
    let optional = arg
        .get_num_args()
        .is_some_and(|range| range.min_values() == 0 && range.takes_values());
    let values = match (values.is_empty(), optional) {
        (true, _) => String::new(),
        (false, true) => format!(" [{}]", values.join(" ")),
        (false, false) => format!(" {}", values.join(" ")),
    };
    match (arg.get_short(), arg.get_long()) {
        (Some(short), Some(long)) => format!("-{short}, --{long}{values}"),
        (Some(short), None) => format!("-{short}{values}"),
        (None, long) => format!("    --{}{values}", long.unwrap_or_default()),
    }
}

/// What stands for a value, in the language where it has a word of its own.
fn value_name(name: &str, lang: Lang) -> String {
    let own = find(
        lang,
        &format!("usage-name-{}", name.to_lowercase().replace('|', "-")),
    );
    own.unwrap_or_else(|| name.to_owned())
}

fn entry(left: &str, right: &str) -> Vec<String> {
    let rest = " ".repeat(LEFT + 4);
    let mut lines = Vec::new();
    let first = match LEFT.checked_sub(display_width(left)) {
        Some(pad) => format!("  {left}{}  ", " ".repeat(pad)),
        None => {
            lines.extend(wrap_after(left, COLUMNS, "  ", "          "));
            rest.clone()
        }
    };
    lines.extend(wrap_after(right, COLUMNS, &first, &rest));
    lines
}

/// Paragraphs, and below them examples, which begin with blanks: those are command lines, and go on
/// behind a backslash.
fn prose(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut paragraph = String::new();
    let mut all = text.lines().peekable();
    while let Some(line) = all.next() {
        if line.starts_with(' ') {
            lines.extend(example(line));
            continue;
        }
        join(&mut paragraph, line);
        let goes_on = all
            .peek()
            .is_some_and(|next| !line.is_empty() && !next.is_empty() && !next.starts_with(' '));
        if !goes_on {
            lines.extend(wrap_after(&std::mem::take(&mut paragraph), COLUMNS, "", ""));
        }
    }
    lines
}

/// Chinese is joined without a blank.
pub(super) fn join(paragraph: &mut String, line: &str) {
    let wide = |c: Option<char>| c.is_some_and(|c| display_width(c.encode_utf8(&mut [0; 4])) > 1);
    if !(paragraph.is_empty() || wide(paragraph.chars().next_back()) || wide(line.chars().next())) {
        paragraph.push(' ');
    }
    paragraph.push_str(line);
}

fn example(line: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let indent = line.len() - line.trim_start().len();
    for word in words(line) {
        let last = lines.last_mut();
        let Some(last) = last else { break };
        // Two columns are for the backslash.
        match last.is_empty() || display_width(last) + 1 + display_width(word) + 2 <= COLUMNS {
            true if last.is_empty() => *last = format!("{}{word}", " ".repeat(indent)),
            true => *last = format!("{last} {word}"),
            false => {
                last.push_str(" \\");
                lines.push(format!("{}{word}", " ".repeat(indent + 4)));
            }
        }
    }
    lines
}

/// The words of a command line; what is quoted is one.
fn words(line: &str) -> Vec<&str> {
    let line = line.trim();
    let mut words = Vec::new();
    let (mut begin, mut quote) = (0, None);
    for (at, c) in line.char_indices() {
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            (' ', None) => {
                words.push(&line[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    words.push(&line[begin..]);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_can_be_copied() {
        let long = "  plimsoll hops http://10.0.0.1/orders --hop nginx=http://10.0.0.1 --hop 'a b=http://10.0.0.2:8080' x";
        let lines = example(long);
        assert!(lines.len() > 1 && lines[0].ends_with(" \\"), "{lines:#?}");
        let joined = lines.join("\n").replace(" \\\n      ", " ");
        assert_eq!(joined, long);
    }

    #[test]
    fn paragraphs_are_filled_and_examples_stay_apart() {
        let text = "One\ntwo:\n  plimsoll a\n\nThree\nfour.";
        assert_eq!(prose(text), ["One two:", "  plimsoll a", "", "Three four."]);
        assert_eq!(prose("中文，\n中文"), ["中文，中文"]);
    }
}

//! Manual pages of the command line, in the language of man(7): the same texts as the help.

use clap::Command;
use plimsoll_text::Lang;

use super::groups::grouped;
use super::layout::{entries, join};
use super::texts::text;

/// A manual page of section 1.
#[derive(Debug, Clone)]
pub struct ManPage {
    /// Its name: `plimsoll`, `plimsoll-run`.
    pub name: String,
    /// Its source.
    pub text: String,
}

/// The page of a command that clap has built; `names` are all commands.
pub(super) fn page(command: &mut Command, names: &[String], lang: Lang) -> ManPage {
    let own = command.get_name().to_owned();
    let name = match own.as_str() {
        "plimsoll" => own,
        _ => format!("plimsoll-{own}"),
    };
    let title = |id: &str| text(lang, &format!("help-man-title-{id}"));
    let heading = |id: &str| text(lang, &format!("help-heading-{id}"));
    let mut lines = vec![
        format!(
            ".TH {} 1 \"\" \"plimsoll {}\" \"Plimsoll\"",
            name.to_uppercase(),
            env!("CARGO_PKG_VERSION")
        ),
        // Chinese has no blanks that a line could be stretched by.
        ".ad l".to_owned(),
        section(&title("name")),
    ];
    let about = command.get_about().map(ToString::to_string);
    let about = about.unwrap_or_default();
    let about = about.trim_end_matches(['.', '。']);
    lines.push(format!("{} \\- {}", dashes(&name), escaped(about)));
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim();
    lines.extend([section(&title("synopsis")), line(usage)]);
    for (group, commands) in grouped(command, lang) {
        lines.push(section(&group));
        lines.extend(commands.iter().flat_map(entry));
    }
    let [arguments, options] = entries(command, lang);
    for (id, entries) in [("arguments", arguments), ("options", options)] {
        if !entries.is_empty() {
            lines.push(section(&heading(id)));
            lines.extend(entries.iter().flat_map(entry));
        }
    }
    if let Some(after) = command.get_after_help() {
        lines.push(section(&title("notes")));
        lines.extend(prose(&after.to_string()));
    }
    lines.push(section(&title("see-also")));
    lines.push(see_also(&name, names));
    let text = lines.join("\n") + "\n";
    ManPage { name, text }
}

fn section(title: &str) -> String {
    format!(".SH \"{}\"", escaped(title).replace('"', "\\(dq"))
}

/// How something is written, and what it does.
fn entry((left, right): &(String, String)) -> [String; 3] {
    let left = dashes(&escaped(left.trim()));
    [".TP".to_owned(), format!("\\fB{left}\\fR"), line(right)]
}

/// The pages of the other commands, or that of the program.
fn see_also(name: &str, names: &[String]) -> String {
    let page = |name: &str| format!("\\fB{}\\fR(1)", dashes(name));
    if name != "plimsoll" {
        return page("plimsoll");
    }
    let pages = names.iter().map(|name| page(&format!("plimsoll-{name}")));
    pages.collect::<Vec<_>>().join(",\n")
}

/// Paragraphs, and examples, which begin with blanks and stay as they are.
fn prose(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut paragraph = String::new();
    let flush = |paragraph: &mut String, lines: &mut Vec<String>| {
        if !paragraph.is_empty() {
            lines.extend([".PP".to_owned(), line(&std::mem::take(paragraph))]);
        }
    };
    let mut all = text.lines().peekable();
    while let Some(next) = all.next() {
        if next.trim().is_empty() {
            flush(&mut paragraph, &mut lines);
        } else if next.starts_with(' ') {
            flush(&mut paragraph, &mut lines);
            lines.extend([".PP".to_owned(), ".nf".to_owned()]);
            lines.push(dashes(&line(next.trim())));
            while let Some(more) = all.next_if(|more| more.starts_with(' ')) {
                lines.push(dashes(&line(more.trim())));
            }
            lines.push(".fi".to_owned());
        } else {
            join(&mut paragraph, next);
        }
    }
    flush(&mut paragraph, &mut lines);
    lines
}

/// A line of text: it begins no request of roff's.
fn line(text: &str) -> String {
    let escaped = escaped(text);
    match escaped.starts_with(['.', '\'']) {
        true => format!("\\&{escaped}"),
        false => escaped,
    }
}

/// What roff would read as an escape is written as itself; what it prints as a typographic sign
/// stays what can be copied.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('`', "\\(ga");
    let text = text.replace('\'', "\\(aq").replace('~', "\\(ti");
    let text = text.replace('^', "\\(ha").replace('\n', " ");
    breakable(&text)
}

/// A line may end after Chinese punctuation: words of both kinds of letters without a space are longer
/// than a line, for which groff 1.22 looks for ever where `man` reads it by the rules of Chinese.
fn breakable(text: &str) -> String {
    let mut breakable = String::with_capacity(text.len());
    for c in text.chars() {
        breakable.push(c);
        if "，、；：。）".contains(c) {
            breakable.push_str("\\:");
        }
    }
    breakable
}

/// Dashes of options and names are those of the keyboard.
fn dashes(text: &str) -> String {
    text.replace('-', "\\-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_becomes_a_request_or_an_escape() {
        assert_eq!(line(".de x"), "\\&.de x");
        assert_eq!(line("'x"), "\\(aqx");
        assert_eq!(line("a\\fBb"), "a\\efBb");
        assert_eq!(line("如 a=1、b=2"), "如 a=1、\\:b=2");
        let lines = prose("One\ntwo:\n  plimsoll -x\n  plimsoll -y\n\nThree");
        assert_eq!(
            lines,
            [
                ".PP",
                "One two:",
                ".PP",
                ".nf",
                "plimsoll \\-x",
                "plimsoll \\-y",
                ".fi",
                ".PP",
                "Three"
            ]
        );
    }
}

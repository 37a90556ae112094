//! Start commands and lists of JVM options: one option is exchanged or added.

mod option;
mod words;

#[cfg(test)]
mod tests;

use std::ops::Range;

use super::address::Address;
use super::editor::{Editor, Splice, Standing};
use super::error::{EditError, EditFault, Stop};
use super::lines::one_line;
use super::placing::as_line;

pub(crate) use option::flag_of_short;
pub use option::java_at;
pub(crate) use option::run_by;
use option::{CommandOption, FoundOption};
use words::{CommandWord, WordRules, commands, written};

/// A command line of a shell.
pub(super) static COMMAND: CommandEditor = CommandEditor {
    rules: WordRules::Shell,
};

/// `JAVA_TOOL_OPTIONS`, `JAVA_OPTS`, files of options.
pub(super) static JVM_OPTIONS: CommandEditor = CommandEditor {
    rules: WordRules::Jvm,
};

/// Words with options among them.
pub(super) struct CommandEditor {
    rules: WordRules,
}

/// The value of an option among the words of a command, its program first; `None` if it is not there.
///
/// # Errors
///
/// If the address names no option.
pub fn in_arguments(words: &[String], address: &Address) -> Result<Option<String>, EditError> {
    let option = CommandOption::read(&address.path).map_err(|stop| stop.at(""))?;
    Ok(option.find(words).map(|found| found.value))
}

/// The words of a command with an option set to a value.
///
/// # Errors
///
/// If the address names no option.
pub fn set_argument(
    words: &[String],
    address: &Address,
    value: &str,
) -> Result<Vec<String>, EditError> {
    let option = CommandOption::read(&address.path).map_err(|stop| stop.at(""))?;
    let mut changed = words.to_vec();
    let mut all = option.exchanged(words);
    match all.pop() {
        Some(last) => {
            let new = option.words(value, &words[last.words.clone()]);
            changed.splice(last.words, new);
        }
        None => {
            let at = option.place_for_new(words);
            changed.splice(at..at, option.words(value, &[]));
        }
    }
    for before in all.into_iter().rev() {
        changed.drain(before.words);
    }
    Ok(changed)
}

fn texts(words: &[CommandWord]) -> Vec<String> {
    words.iter().map(|word| word.text.clone()).collect()
}

impl CommandEditor {
    /// The command that is meant: the one that starts Java, else the last.
    fn command(&self, text: &str) -> Result<Vec<CommandWord>, Stop> {
        let mut all = commands(text, self.rules)?;
        let java = all
            .iter()
            .position(|words| java_at(&texts(words)).is_some());
        let at = java.or_else(|| all.len().checked_sub(1));
        Ok(at.map(|at| all.swap_remove(at)).unwrap_or_default())
    }

    fn written(&self, words: &[String]) -> Result<String, Stop> {
        let all: Result<Vec<String>, Stop> =
            words.iter().map(|word| written(word, self.rules)).collect();
        Ok(all?.join(" "))
    }
}

fn bytes(words: &[CommandWord], range: &Range<usize>) -> Range<usize> {
    match (
        words.get(range.start),
        words.get(range.end.saturating_sub(1)),
    ) {
        (Some(first), Some(last)) => first.span.start..last.span.end.max(first.span.start),
        _ => 0..0,
    }
}

impl Editor for CommandEditor {
    fn find(&self, text: &str, address: &Address) -> Result<Option<Standing>, Stop> {
        let option = CommandOption::read(&address.path)?;
        let words = self.command(text)?;
        let found = option.find(&texts(&words));
        Ok(found.map(|FoundOption { words: at, value }| {
            let span = bytes(&words, &at);
            Standing {
                value,
                whole: span.clone(),
                span,
            }
        }))
    }

    fn replaced(
        &self,
        text: &str,
        address: &Address,
        place: &Standing,
        value: &str,
    ) -> Result<Splice, Stop> {
        one_line(value)?;
        let option = CommandOption::read(&address.path)?;
        let words = self.command(text)?;
        let all = texts(&words);
        let mut exchanged = option.exchanged(&all);
        let before = exchanged.pop().map(|found| all[found.words].to_vec());
        let new = option.words(value, &before.unwrap_or_default());
        // What stands between those that go and the one that is exchanged stays.
        let (mut start, mut with) = (place.span.start, self.written(&new)?);
        for one in exchanged.into_iter().rev() {
            let span = bytes(&words, &one.words);
            let standing = Standing {
                value: one.value,
                whole: span.clone(),
                span,
            };
            let whole = self.whole(text, &standing);
            with.insert_str(0, text.get(whole.end..start).unwrap_or_default());
            start = whole.start;
        }
        Ok(Splice {
            range: start..place.span.end,
            with,
        })
    }

    fn added(&self, text: &str, address: &Address, value: &str) -> Result<Splice, Stop> {
        one_line(value)?;
        let option = CommandOption::read(&address.path)?;
        let words = self.command(text)?;
        let all = texts(&words);
        let no_java = option.of_jvm() && java_at(&all).is_none();
        if self.rules == WordRules::Shell && (words.is_empty() || no_java) {
            return Err(Stop::nowhere(EditFault::NoParent("java".to_owned())));
        }
        let new = self.written(&option.words(value, &[]))?;
        // A file of lines: what stands before an option in its line may say when it counts.
        if self.rules == WordRules::Jvm && text.contains('\n') {
            return Ok(Splice {
                range: text.len()..text.len(),
                with: as_line(text, text.len(), &new),
            });
        }
        let at = option.place_for_new(&all);
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        let (at, with) = match (before, words.get(at)) {
            (Some(before), _) => (before.span.end, format!(" {new}")),
            (None, Some(next)) => (next.span.start, format!("{new} ")),
            // A comment may end the text.
            (None, None) => (
                0,
                format!("{new}{}", if text.is_empty() { "" } else { " " }),
            ),
        };
        Ok(Splice {
            range: at..at,
            with,
        })
    }

    fn whole(&self, text: &str, place: &Standing) -> Range<usize> {
        let rest = &text[place.span.end..];
        let gap = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let before = text[..place.span.start].trim_end_matches([' ', '\t']).len();
        match gap == rest.len() || before < place.span.start && gap == 0 {
            true => before..place.span.end,
            false => place.span.start..place.span.end + gap,
        }
    }
}

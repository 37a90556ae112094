//! Asking a person on a terminal for what a plan is to be made of.

use std::io::{BufRead as _, IsTerminal as _};

use plimsoll_text::{Lang, Message, render};

use crate::say::err;

/// Whether there is somebody to ask.
pub(super) fn is_possible() -> bool {
    std::io::stdin().is_terminal()
}

/// Asks for an address, a curl command line or a file. A command line may be pasted in its lines:
/// it goes on where a line ends with what continues it, or within quotes.
///
/// # Errors
/// When nothing can be read.
pub(super) fn source(lang: Lang) -> Result<String, Message> {
    err(&render(lang, &Message::new("init-ask")));
    let mut text = String::new();
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| {
            Message::new("convert-unreadable").with("reason", error.to_string())
        })?;
        text.push_str(&line);
        text.push('\n');
        if !goes_on(&text) {
            break;
        }
    }
    Ok(text)
}

/// Whether more of a pasted command line is to come.
fn goes_on(text: &str) -> bool {
    let line = text.trim_end_matches(['\r', '\n']);
    if line.ends_with(['\\', '^']) {
        return true;
    }
    // An open quote is closed in a line that is still to come.
    let mut quote = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', None | Some('"' | '$')) | ('^', None) => {
                chars.next();
            }
            ('$', None) if chars.as_str().starts_with('\'') => {
                chars.next();
                quote = Some('$');
            }
            ('\'' | '"', None) => quote = Some(c),
            ('\'', Some('$')) => quote = None,
            (c, Some(open)) if c == open => quote = None,
            _ => {}
        }
    }
    quote.is_some() && text.trim_start().starts_with("curl")
}

#[cfg(test)]
mod tests {
    use super::goes_on;

    #[test]
    fn a_pasted_line_goes_on_where_a_shell_reads_on() {
        for text in [
            "curl h \\\n",
            "curl ^\"h^\" ^\n",
            "curl -d 'a\n",
            "curl -d $'it\\'s\n",
            "curl -d \"a\\\"\n",
        ] {
            assert!(goes_on(text), "{text:?}");
        }
        for text in [
            "curl h\n",
            "http://h/it's\n",
            "curl -d 'a\nb'\n",
            "curl -d $'it\\'s'\n",
            "plan.jmx\n",
        ] {
            assert!(!goes_on(text), "{text:?}");
        }
    }
}

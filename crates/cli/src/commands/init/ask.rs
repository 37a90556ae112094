//! Asking a person on a terminal for what a plan is to be made of.

use std::io::{BufRead as _, IsTerminal as _};

use plimsoll_plan::curl_goes_on;
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
        if !curl_goes_on(&text) {
            break;
        }
    }
    Ok(text)
}

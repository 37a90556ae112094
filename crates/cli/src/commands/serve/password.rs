//! A password from the terminal, unseen, or from standard input.

use std::io::{self, IsTerminal as _, Read as _};

use crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers, read as next_event};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use plimsoll_text::{Lang, Message, render};

/// Longer input is none.
const MOST_BYTES: u64 = 4_096;

/// Reads a user's password: without a terminal the first line of standard input.
///
/// # Errors
/// What the system refuses; somebody who ends it.
pub(super) fn read(user: &str, lang: Lang) -> Result<String, Message> {
    let failed = |error: io::Error| {
        Message::new("run-file-failed")
            .with("path", "stdin")
            .with("reason", error.to_string())
    };
    if !io::stdin().is_terminal() {
        let mut text = String::new();
        let read = io::stdin().take(MOST_BYTES).read_to_string(&mut text);
        read.map_err(failed)?;
        return Ok(text.lines().next().unwrap_or_default().to_owned());
    }
    let prompt = Message::new("serve-password").with("user", user);
    crate::say::err(&render(lang, &prompt));
    enable_raw_mode().map_err(failed)?;
    let typed = typed();
    // The terminal is its user's again, whatever was typed.
    let _ = disable_raw_mode();
    typed.map_err(failed)
}

fn typed() -> io::Result<String> {
    let mut text = String::new();
    loop {
        let Event::Key(key) = next_event()? else {
            continue;
        };
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            _ if key.kind == KeyEventKind::Release => {}
            KeyCode::Enter => return Ok(text),
            KeyCode::Char('c' | 'd') if is_control => return Err(io::ErrorKind::Interrupted.into()),
            KeyCode::Backspace => {
                text.pop();
            }
            KeyCode::Char(letter) if !is_control && text.len() < 4_096 => text.push(letter),
            _ => {}
        }
    }
}

//! The whole screen of a terminal, and its keys.

use std::io::Write as _;
use std::time::Duration;

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers, poll, read};
use crossterm::queue;
use crossterm::style::Print;
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode, size,
};

/// A terminal taken over; given back when dropped.
pub(super) struct Terminal(());

impl Terminal {
    /// Takes the terminal over.
    pub(super) fn enter() -> std::io::Result<Self> {
        enable_raw_mode()?;
        let terminal = Self(());
        let mut out = std::io::stdout();
        queue!(out, EnterAlternateScreen, Hide)?;
        out.flush()?;
        Ok(terminal)
    }

    /// Its width.
    #[allow(clippy::unused_self)] // There is a width only while it is taken over.
    pub(super) fn columns(&self) -> usize {
        size().map_or(80, |(columns, _)| usize::from(columns))
    }

    /// Waits for a key; whether it is one that ends the view: q, Esc, Ctrl-C.
    #[allow(clippy::unused_self)] // Keys come here only while it is taken over.
    pub(super) fn asks_to_end(&self, wait: Duration) -> bool {
        if !poll(wait).unwrap_or(false) {
            return false;
        }
        match read() {
            Ok(Event::Key(KeyEvent {
                code, modifiers, ..
            })) => match code {
                KeyCode::Char('q' | 'Q') | KeyCode::Esc => true,
                KeyCode::Char('c') => modifiers.contains(KeyModifiers::CONTROL),
                _ => false,
            },
            Ok(_) => false,
            // The terminal is gone.
            Err(_) => true,
        }
    }

    /// Shows lines from the top; what does not fit is left out.
    #[allow(clippy::unused_self)] // There is a screen only while it is taken over.
    pub(super) fn draw(&self, lines: &[String]) -> std::io::Result<()> {
        let rows = size().map_or(24, |(_, rows)| rows);
        let mut out = std::io::stdout().lock();
        for (row, line) in (0..rows).zip(lines) {
            queue!(
                out,
                MoveTo(0, row),
                Print(line),
                Clear(ClearType::UntilNewLine)
            )?;
        }
        if let Ok(row) = u16::try_from(lines.len())
            && row < rows
        {
            queue!(out, MoveTo(0, row), Clear(ClearType::FromCursorDown))?;
        }
        out.flush()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // The terminal may be gone; there is nothing to be done then.
        let _ = queue!(std::io::stdout(), Show, LeaveAlternateScreen);
        let _ = std::io::stdout().flush();
        let _ = disable_raw_mode();
    }
}

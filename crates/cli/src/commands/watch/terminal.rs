//! The whole screen of a terminal, and its keys.

use std::io::Write as _;
use std::time::Duration;

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers, poll, read};
use crossterm::queue;
use crossterm::style::{Attribute, Print, SetAttribute};
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode, size,
};

use super::picture::PictureLine;

/// What somebody at the terminal wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    /// That it ends: q, Esc, Ctrl-C.
    End,
    /// To see lines further down (up, if negative).
    Lines(isize),
    /// The same by screens.
    Screens(isize),
    /// A picture for the size that the terminal has now.
    Redraw,
}

/// A terminal taken over; given back when dropped.
pub(super) struct WatchTerminal(());

impl WatchTerminal {
    /// Takes the terminal over.
    pub(super) fn enter() -> std::io::Result<Self> {
        enable_raw_mode()?;
        let terminal = Self(());
        let mut out = std::io::stdout();
        queue!(out, EnterAlternateScreen, Hide)?;
        out.flush()?;
        Ok(terminal)
    }

    /// Its columns and rows.
    #[allow(clippy::unused_self)] // It has a size only while it is taken over.
    pub(super) fn size(&self) -> (usize, usize) {
        let (columns, rows) = size().unwrap_or((80, 24));
        (columns.into(), rows.into())
    }

    /// Waits for a key or a new size; nothing if none came that means something.
    #[allow(clippy::unused_self)] // Keys come here only while it is taken over.
    pub(super) fn wish(&self, wait: Duration) -> Option<Wish> {
        if !poll(wait).unwrap_or(false) {
            return None;
        }
        match read() {
            Ok(Event::Key(key)) => wish_of(key),
            Ok(Event::Resize(..)) => Some(Wish::Redraw),
            Ok(_) => None,
            // The terminal is gone.
            Err(_) => Some(Wish::End),
        }
    }

    /// Shows lines from the top, at most as many as there are rows.
    #[allow(clippy::unused_self)] // There is a screen only while it is taken over.
    pub(super) fn draw(&self, lines: &[PictureLine]) -> std::io::Result<()> {
        let rows = size().map_or(24, |(_, rows)| rows);
        let mut out = std::io::stdout().lock();
        for (row, line) in (0..rows).zip(lines) {
            let (on, off) = match line.title {
                true => (Attribute::Bold, Attribute::Reset),
                false => (Attribute::Reset, Attribute::Reset),
            };
            queue!(
                out,
                MoveTo(0, row),
                SetAttribute(on),
                Print(&line.text),
                SetAttribute(off),
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

fn wish_of(key: KeyEvent) -> Option<Wish> {
    match key.code {
        KeyCode::Char('q' | 'Q') | KeyCode::Esc => Some(Wish::End),
        KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => Some(Wish::End),
        KeyCode::Down | KeyCode::Char('j') => Some(Wish::Lines(1)),
        KeyCode::Up | KeyCode::Char('k') => Some(Wish::Lines(-1)),
        KeyCode::PageDown | KeyCode::Char(' ') => Some(Wish::Screens(1)),
        KeyCode::PageUp => Some(Wish::Screens(-1)),
        KeyCode::Home => Some(Wish::Lines(isize::MIN)),
        KeyCode::End => Some(Wish::Lines(isize::MAX)),
        _ => None,
    }
}

impl Drop for WatchTerminal {
    fn drop(&mut self) {
        // The terminal may be gone; there is nothing to be done then.
        let _ = queue!(std::io::stdout(), Show, LeaveAlternateScreen);
        let _ = std::io::stdout().flush();
        let _ = disable_raw_mode();
    }
}

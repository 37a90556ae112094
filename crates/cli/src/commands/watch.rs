//! `plimsoll watch`: what happens on the target, live and without load.

mod cell;
mod cells;
mod json;
mod picture;
mod state;
mod terminal;

use std::io::{IsTerminal as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use plimsoll_run::watching::{from_texts, open};
use plimsoll_text::{Lang, Message, render};
use plimsoll_watch::{Level, SOURCES, Watcher, WatcherOptions};

use self::state::WatchState;
use self::terminal::{WatchTerminal, Wish};
use crate::args::WatchArgs;
use crate::tell::{BAD_USE, fail};

/// Exit code when nothing of the target could be seen.
const UNREACHABLE: u8 = 3;
/// How often it is looked whether somebody pressed a key or interrupted.
const TICK: Duration = Duration::from_millis(50);
/// A single picture waits this long for sources that respond slowly.
const PATIENCE: Duration = Duration::from_secs(10);
/// Columns of a picture that goes to no terminal.
const PLAIN_COLUMNS: usize = 120;

/// Runs `plimsoll watch`; gives the exit code.
#[must_use]
pub fn run(args: &WatchArgs, lang: Lang) -> u8 {
    let specs = match from_texts(&sources(args), Level::Observe) {
        Ok(specs) => specs,
        Err(message) => return fail(&message, lang, BAD_USE),
    };
    let cannot =
        |error: std::io::Error| Message::new("view-cannot-start").with("reason", error.to_string());
    let watcher = match Watcher::start(
        move || open(&specs, |message| crate::say::err(&render(lang, &message))),
        WatcherOptions::default(),
    ) {
        Ok(watcher) => watcher,
        Err(error) => return fail(&cannot(error), lang, BAD_USE),
    };
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    // Without a handler the signal ends the process, which is as good without a terminal.
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
    let live = !args.once && !args.json && std::io::stdout().is_terminal();
    let terminal = match live.then(WatchTerminal::enter).transpose() {
        Ok(terminal) => terminal,
        Err(error) => return fail(&cannot(error), lang, BAD_USE),
    };
    let view = WatchView {
        args,
        lang,
        watcher,
        state: WatchState::default(),
        terminal,
        interrupted,
        from: 0,
    };
    view.show()
}

/// What is watched: what the options name, or what is found around the target, or this host.
fn sources(args: &WatchArgs) -> Vec<String> {
    let mut sources = args.watch.clone();
    if sources.is_empty() {
        let finds = SOURCES.iter().any(|source| source.name == "auto");
        let find = finds && args.target.is_some();
        sources.push(if find { "auto" } else { "host" }.to_owned());
    }
    if let Some(target) = &args.target {
        for source in &mut sources {
            if source == "auto" {
                *source = format!("auto={target}");
            }
        }
    }
    sources
}

struct WatchView<'a> {
    args: &'a WatchArgs,
    lang: Lang,
    watcher: Watcher,
    state: WatchState,
    terminal: Option<WatchTerminal>,
    interrupted: Arc<AtomicBool>,
    /// Lines that the screen is scrolled down by.
    from: usize,
}

impl WatchView<'_> {
    fn show(mut self) -> u8 {
        // Rates need two looks.
        let began = Instant::now();
        let mut next = began + self.args.interval.min(Duration::from_secs(1));
        loop {
            if self.waits_until(next) {
                return 0;
            }
            next = Instant::now() + self.args.interval;
            let seen = self.watcher.drain();
            self.state.take(seen);
            if self.args.once && !self.state.is_ready() && began.elapsed() < PATIENCE {
                continue;
            }
            if self.draw().is_err() {
                // Nobody reads any more.
                return 0;
            }
            if self.args.once {
                return if self.state.is_empty() {
                    UNREACHABLE
                } else {
                    0
                };
            }
        }
    }

    /// Waits; whether somebody wants it to end.
    fn waits_until(&mut self, moment: Instant) -> bool {
        loop {
            if self.interrupted.load(Ordering::Relaxed) {
                return true;
            }
            let left = moment.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let wait = left.min(TICK);
            match &self.terminal {
                Some(terminal) => {
                    if terminal.wish(wait).is_some_and(|wish| self.ends(wish)) {
                        return true;
                    }
                }
                None => std::thread::sleep(wait),
            }
        }
    }

    /// Does what somebody at the terminal wants; whether that is to end.
    fn ends(&mut self, wish: Wish) -> bool {
        let rows = self.terminal.as_ref().map_or(0, |t| t.size().1);
        // A screen has a first line and a last that stay.
        let screen = isize::try_from(rows.saturating_sub(2)).unwrap_or(isize::MAX);
        let lines = match wish {
            Wish::End => return true,
            Wish::Redraw => 0,
            Wish::Lines(lines) => lines,
            Wish::Screens(screens) => screens.saturating_mul(screen),
        };
        // Drawing brings it back into the lines there are.
        self.from = self.from.saturating_add_signed(lines);
        self.draw().is_err()
    }

    fn draw(&mut self) -> std::io::Result<()> {
        if self.args.json {
            let line = json::line(&mut self.state);
            return write(&format!("{line}\n"));
        }
        let Some(terminal) = &self.terminal else {
            let lines = picture::lines(&self.state, PLAIN_COLUMNS, false, self.lang);
            let mut text: String = lines.into_iter().map(|line| line.text + "\n").collect();
            text.push('\n');
            return write(&text);
        };
        let size = terminal.size();
        let lines = picture::lines(&self.state, size.0, true, self.lang);
        terminal.draw(&picture::page(lines, size, &mut self.from, self.lang))
    }
}

fn write(text: &str) -> std::io::Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

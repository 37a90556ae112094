//! `plimsoll agent`: lets a controller watch this host.

use plimsoll_run::calibration::state_folder;
use plimsoll_run::watching::from_texts;
use plimsoll_text::{Lang, Message, render};
use plimsoll_watch::Level;
use plimsoll_watch::agent::token::VARIABLE;
use plimsoll_watch::agent::{Agent, AgentError, AgentOptions, AgentToken};
use plimsoll_watch::watcher::WallClock;

use crate::args::{AgentArgs, AllowLevel};
use crate::tell::{BAD_USE, fail, say};

/// Runs `plimsoll agent`; gives the exit code.
#[must_use]
pub fn run(args: AgentArgs, lang: Lang) -> u8 {
    let agent = match options(args).and_then(Agent::bind) {
        Ok(agent) => agent,
        Err(error) => return fail(&error.0, lang, BAD_USE),
    };
    introduce(&agent, lang);
    let stopper = agent.stopper();
    // Without a handler the signal ends the process, which is as good.
    let _ = ctrlc::set_handler(move || stopper.stop());
    // What peers say is part of what is told.
    let tell = move |message: &Message| {
        crate::say::err(&plimsoll_report::printable(&render(lang, message)));
    };
    match agent.run(tell) {
        Ok(()) => {
            say(&Message::new("agent-stops"), lang);
            0
        }
        Err(error) => {
            let message = Message::new("agent-cannot-watch").with("reason", error.to_string());
            fail(&message, lang, BAD_USE)
        }
    }
}

/// Says where it listens, and how it is known.
fn introduce(agent: &Agent, lang: Lang) {
    let level = match agent.level() {
        Level::Observe => "observe",
        Level::Capture => "capture",
    };
    let message = Message::new("agent-listens")
        .with("address", agent.address().to_string())
        .with("level", level);
    say(&message, lang);
    if let Some(fingerprint) = agent.fingerprint() {
        let message =
            Message::new("agent-listens-tls").with("fingerprint", fingerprint.to_string());
        say(&message, lang);
    }
    if !agent.has_token() {
        say(&Message::new("agent-listens-open"), lang);
    }
}

fn options(args: AgentArgs) -> Result<AgentOptions, AgentError> {
    let token = match &args.token_file {
        Some(path) => Some(AgentToken::from_file(path)?),
        None => AgentToken::from_env(VARIABLE)?,
    };
    let level = match args.allow {
        AllowLevel::Observe => Level::Observe,
        AllowLevel::Capture => Level::Capture,
    };
    let sources = from_texts(&args.watch, level).map_err(AgentError)?;
    Ok(AgentOptions {
        listen: args.listen,
        tls: args.tls,
        state: args.state.unwrap_or_else(state_folder),
        token,
        level,
        remote_sources: args.allow_remote_sources,
        sources,
        clock: WallClock::start(),
    })
}

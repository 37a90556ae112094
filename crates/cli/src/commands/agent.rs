//! `plimsoll agent`: lets a controller watch this host, and change of it what a file here says.

use std::sync::Arc;

use plimsoll_run::calibration::state_folder;
use plimsoll_run::watching::from_texts;
use plimsoll_text::{Lang, Message, render};
use plimsoll_tune::remote::{HostScope, HostTuner};
use plimsoll_watch::Level;
use plimsoll_watch::agent::token::{LEAST_BYTES, VARIABLE};
use plimsoll_watch::agent::{Agent, AgentError, AgentOptions, AgentToken, AgentTuner};
use plimsoll_watch::watcher::WallClock;

use crate::args::{AgentArgs, AllowLevel};
use crate::ended::EndedBy;
use crate::interrupt::quit_is_interrupt;
use crate::problems;
use crate::tell::say;

/// Runs `plimsoll agent`; gives the exit code.
#[must_use]
pub fn run(args: AgentArgs, lang: Lang) -> u8 {
    match started(args, lang) {
        Ok(code) => code,
        Err(ended) => ended.exit(lang),
    }
}

fn started(args: AgentArgs, lang: Lang) -> Result<u8, EndedBy> {
    let tuner = tuner(&args, lang)?;
    let options = options(args, tuner).map_err(|error| error.0)?;
    let agent = Agent::bind(options).map_err(|error| error.0)?;
    introduce(&agent, lang);
    let stopper = agent.stopper();
    // Without a handler the signal ends the process, which is as good.
    let _ = ctrlc::set_handler(move || stopper.stop());
    quit_is_interrupt();
    let ended = agent.run(move |message| tell(message, lang));
    ended.map_err(|error| Message::new("agent-cannot-watch").with("reason", error.to_string()))?;
    say(&Message::new("agent-stops"), lang);
    Ok(0)
}

/// What peers say is part of what is told.
fn tell(message: &Message, lang: Lang) {
    crate::say::err(&plimsoll_report::printable(&render(lang, message)));
}

/// Who changes this host for studies, where that is allowed: as its file says, over TLS and a token.
fn tuner(args: &AgentArgs, lang: Lang) -> Result<Option<Arc<dyn AgentTuner>>, EndedBy> {
    let file = match (&args.tune, args.allow) {
        (Some(file), AllowLevel::Tune) => file,
        (None, AllowLevel::Tune) => return Err(Message::new("agent-tune-without-file").into()),
        (Some(_), _) => return Err(Message::new("agent-tune-not-allowed").into()),
        (None, _) => return Ok(None),
    };
    // Said before anything is put back or begun.
    let is_guarded = args.tls || !args.listen.ip().is_loopback();
    let has_token = token(args)
        .map_err(|error| error.0)?
        .is_some_and(|it| it.is_strong());
    if !is_guarded || !has_token {
        return Err(Message::new("agent-tune-needs-both")
            .with("least", LEAST_BYTES)
            .with("variable", VARIABLE)
            .into());
    }
    let (scope, warnings, text) = HostScope::read(file).map_err(EndedBy::Rejected)?;
    problems::print(&warnings, &text, lang);
    let state = args.state.clone().unwrap_or_else(state_folder);
    let log = Box::new(move |message: &Message| tell(message, lang));
    let tuner = HostTuner::start(scope, &state.join("tune"), log)?;
    Ok(Some(Arc::new(tuner)))
}

fn token(args: &AgentArgs) -> Result<Option<AgentToken>, AgentError> {
    match &args.token_file {
        Some(path) => AgentToken::from_file(path).map(Some),
        None => AgentToken::from_env(VARIABLE),
    }
}

/// Says where it listens, and how it is known.
fn introduce(agent: &Agent, lang: Lang) {
    let level = match agent.level() {
        _ if agent.tunes() => "tune",
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

fn options(
    args: AgentArgs,
    tuner: Option<Arc<dyn AgentTuner>>,
) -> Result<AgentOptions, AgentError> {
    let level = match args.allow {
        AllowLevel::Observe => Level::Observe,
        AllowLevel::Capture | AllowLevel::Tune => Level::Capture,
    };
    let sources = from_texts(&args.watch, level).map_err(AgentError)?;
    Ok(AgentOptions {
        listen: args.listen,
        tls: args.tls,
        token: token(&args)?,
        state: args.state.unwrap_or_else(state_folder),
        level,
        remote_sources: args.allow_remote_sources,
        sources,
        clock: WallClock::start(),
        tuner,
    })
}

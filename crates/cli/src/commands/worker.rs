//! `plimsoll worker`: makes load for controllers on other hosts.

use std::sync::Arc;

use plimsoll_fleet::worker::{WorkerError, WorkerSettings, serve};
use plimsoll_load::monitor::raise_descriptor_limit;
use plimsoll_run::environment::host_name;
use plimsoll_run::fleet::engine::WorkerEngine;
use plimsoll_run::fleet::samples::SampleFolder;
use plimsoll_run::fleet::{connect, nats_options, runtime, token};
use plimsoll_text::{Lang, Message, render};
use tokio::sync::watch;

use crate::args::WorkerArgs;
use crate::tell::{BAD_USE, fail, tell_warning};

/// Runs `plimsoll worker`; gives the exit code.
#[must_use]
pub fn run(args: &WorkerArgs, lang: Lang) -> u8 {
    match work(args, lang) {
        Ok(()) => 0,
        Err(message) => fail(&message, lang, BAD_USE),
    }
}

fn work(args: &WorkerArgs, lang: Lang) -> Result<(), Message> {
    raise_descriptor_limit();
    let name = args.name.clone().unwrap_or_else(|| as_name(&host_name()));
    let (end, ending) = watch::channel(false);
    let handler = move || {
        // A second signal ends the process as it would without a handler.
        if end.send_replace(true) {
            std::process::exit(130);
        }
    };
    // Refused only when another handler is there, which nobody installs.
    let _ = ctrlc::set_handler(handler);
    let runtime = runtime()?;
    let (options, warning) =
        nats_options(&(&args.nats).into(), &format!("plimsoll worker {name}"))?;
    tell_warning(warning.as_ref(), lang);
    let link = connect(&runtime, &options)?;
    let folder = args.folder.clone().unwrap_or_else(std::env::temp_dir);
    // Plans' files are told apart from others by their whole names.
    let folder = std::path::absolute(&folder).unwrap_or(folder);
    let samples = args.jtl_dir.as_deref();
    let samples = samples
        .map(|dir| SampleFolder::new(dir, &name))
        .transpose()?;
    let allowed = args.allow.iter().map(|flag| flag.right()).collect();
    let engine = WorkerEngine::new(allowed, folder.clone(), samples);
    let engine = Arc::new(engine);
    let settings = WorkerSettings {
        name,
        instance: token(),
        labels: args.labels.iter().cloned().collect(),
        folder,
    };
    // What a controller says is part of what is told.
    let tell = move |message: &Message| {
        crate::say::err(&plimsoll_report::printable(&render(lang, message)));
    };
    let served = runtime.block_on(serve(link, engine, settings, ending, &tell));
    // Load threads of a run that was given up may still wait for a response.
    runtime.shutdown_background();
    served.map_err(|error| told(&error))
}

/// A host's name as a worker's.
fn as_name(host: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let name: String = host
        .chars()
        .map(|c| if fits(c) { c } else { '-' })
        .take(64)
        .collect();
    match name.is_empty() {
        true => "worker".to_owned(),
        false => name,
    }
}

fn told(error: &WorkerError) -> Message {
    match error {
        WorkerError::Link(error) => error.message(),
        WorkerError::BadName { name } => Message::new("fleet-bad-name").with("name", name.as_str()),
        WorkerError::NameTaken { name, host } => Message::new("fleet-name-taken")
            .with("name", name.as_str())
            .with("host", host.as_str()),
        WorkerError::Ended => Message::new("fleet-link-ended"),
    }
}

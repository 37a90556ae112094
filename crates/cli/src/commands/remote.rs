//! `plimsoll --server URL run`: a run on a workbench elsewhere.

use std::sync::Arc;

use plimsoll_run::reasons::file_failed;
use plimsoll_run::{LoadSettings, PlanSource};
use plimsoll_text::{Lang, Message};

use crate::args::{Command, RunArgs};
use crate::outputs::all_writable;
use crate::problems;
use crate::remote::{RemoteInterrupts, follow, order};
use crate::tell::{BAD_USE, fail};
use plimsoll_server::client::{RemoteError, ServerLink};

/// Makes a run there and follows it; gives the exit code that the run would have here.
#[must_use]
pub fn run(server: &str, command: &Command, lang: Lang) -> u8 {
    let Command::Run(args) = command else {
        return fail(&Message::new("remote-only-run"), lang, BAD_USE);
    };
    let (source, load) = (
        PlanSource::from(&args.source),
        LoadSettings::from(&args.load),
    );
    // What is wrong with the plan is said with its lines, as for a run here.
    let Some(ready) = problems::ready(&source, &load, lang) else {
        return BAD_USE;
    };
    let made = ServerLink::open(server, lang).and_then(|link| {
        let order = order(args, &ready)?;
        all_writable(args.summary_json.as_deref())?;
        made(args, &Arc::new(link), &order, lang)
    });
    made.unwrap_or_else(|message| fail(&message, lang, BAD_USE))
}

fn made(
    args: &RunArgs,
    link: &Arc<ServerLink>,
    order: &serde_json::Value,
    lang: Lang,
) -> Result<u8, Message> {
    let interrupts = RemoteInterrupts::hear(link, lang);
    let created = link.json("POST", "/runs", Some(order));
    let created = created.map_err(RemoteError::message)?;
    let run = follow(link, &created, &interrupts, (args.quiet, lang))?;
    let get = |path: String| link.call("GET", &path, None).map_err(RemoteError::message);
    if !args.quiet {
        let columns = crate::say::screen().columns;
        let text = get(format!("/runs/{run}/text?columns={columns}"))?;
        crate::say::out_foreign(&text);
    }
    let bytes = get(format!("/runs/{run}"))?;
    if let Some(path) = &args.summary_json {
        std::fs::write(path, &bytes).map_err(|error| file_failed(path, &error))?;
    }
    let summary: serde_json::Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let code = summary["exit_code"].as_u64();
    Ok(code
        .and_then(|code| u8::try_from(code).ok())
        .unwrap_or(BAD_USE))
}

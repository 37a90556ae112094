//! `plimsoll captures`: what was captured during a run, listed or written out.

use plimsoll_report::{Exporter as _, Options, TargetText};
use plimsoll_store::{Run, resolve};
use plimsoll_text::{Lang, Message};

use super::run::file_failed;
use super::{BAD_USE, fail, out_bytes, say};
use crate::args::CapturesArgs;

/// Runs `plimsoll captures`; gives the exit code.
#[must_use]
pub fn run(args: &CapturesArgs, lang: Lang) -> u8 {
    match captures(args, lang) {
        Ok(()) => 0,
        Err(message) => fail(&message, lang, BAD_USE),
    }
}

fn captures(args: &CapturesArgs, lang: Lang) -> Result<(), Message> {
    let run = resolve(&args.runs.out, &args.run)
        .and_then(|dir| Run::open(&dir))
        .map_err(|error| error.message())?;
    let Some(number) = args.number else {
        let mut text = Vec::new();
        TargetText
            .export(&run, &Options { lang }, &mut text)
            .map_err(|error| error.message("-"))?;
        out_bytes(&text);
        return Ok(());
    };
    let bytes = run.capture_bytes(number).map_err(|error| error.message())?;
    let bytes = bytes.ok_or_else(|| {
        let known = run.captures().unwrap_or_default();
        let known: Vec<String> = known.iter().map(|c| c.number.to_string()).collect();
        Message::new("captures-none")
            .with("number", number)
            .with("run", run.id())
            .with("known", known.join(", "))
    })?;
    match &args.output {
        None => out_bytes(&bytes),
        Some(path) => {
            std::fs::write(path, bytes).map_err(|error| file_failed(path, &error))?;
            let written = Message::new("run-written").with("path", path.display().to_string());
            say(&written, lang);
        }
    }
    Ok(())
}

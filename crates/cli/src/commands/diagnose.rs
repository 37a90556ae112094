//! `plimsoll diagnose`: what limited a run.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use plimsoll_diagnose::{Evidence, diagnose, json};
use plimsoll_report::diagnosis_text;
use plimsoll_run::reasons::file_failed;
use plimsoll_run::{calibration, runs};
use plimsoll_store::Run;
use plimsoll_text::{Lang, Message};

use crate::args::DiagnoseArgs;
use crate::say::out;
use crate::tell::{BAD_USE, fail, say};

/// Runs `plimsoll diagnose`; gives the exit code.
#[must_use]
pub fn run(args: &DiagnoseArgs, lang: Lang) -> u8 {
    match told(args, lang) {
        Ok(()) => 0,
        Err(message) => fail(&message, lang, BAD_USE),
    }
}

fn told(args: &DiagnoseArgs, lang: Lang) -> Result<(), Message> {
    let (name, evidence) = match &args.evidence {
        Some(path) => (path.display().to_string(), saved(path)?),
        None => stored(args)?,
    };
    if let Some(path) = &args.save_evidence {
        let file = File::create(path).map_err(|error| file_failed(path, &error))?;
        evidence
            .save(file)
            .map_err(|error| file_failed(path, &error))?;
    }
    let diagnosis = diagnose(&evidence);
    if args.json {
        let document = json::document(&name, &diagnosis, lang);
        let text = serde_json::to_string_pretty(&document)
            .map_err(|error| file_failed(Path::new("-"), &error))?;
        out(&format!("{text}\n"));
        return Ok(());
    }
    out(&diagnosis_text(&diagnosis, lang));
    if let Some(path) = &args.save_evidence {
        let path = path.display().to_string();
        say(
            &Message::new("diagnose-evidence-saved").with("path", path),
            lang,
        );
    }
    Ok(())
}

fn stored(args: &DiagnoseArgs) -> Result<(String, Evidence), Message> {
    let dir = runs::find(&args.runs.out, &args.run)?;
    let run = Run::open(&dir).map_err(|error| error.message())?;
    let mut evidence = Evidence::of_run(&run).map_err(|error| error.message())?;
    let meta = run.meta();
    if meta.ceilings.is_empty() {
        // The machine may have been calibrated since.
        let machine = calibration::machine(&meta.environment, &meta.plimsoll_version);
        evidence
            .load
            .choose_ceiling(&calibration::kept_for(&machine));
    }
    Ok((run.id(), evidence))
}

fn saved(path: &Path) -> Result<Evidence, Message> {
    let file = File::open(path).map_err(|error| {
        Message::new("diagnose-evidence-damaged")
            .with("path", path.display().to_string())
            .with("reason", error.to_string())
    })?;
    Evidence::load(BufReader::new(file)).map_err(|error| {
        Message::new("diagnose-evidence-damaged")
            .with("path", path.display().to_string())
            .with("reason", error.to_string())
    })
}

//! `plimsoll report`: a run's report in one of the forms there are.

use std::path::{Path, PathBuf};

use plimsoll_report::{Options, exporter};
use plimsoll_store::{Run, resolve};
use plimsoll_text::{Lang, Message};

use super::run::write_report;
use super::{BAD_USE, fail, out_bytes, say};
use crate::args::ReportArgs;

/// Runs `plimsoll report`; gives the exit code.
#[must_use]
pub fn run(args: &ReportArgs, lang: Lang) -> u8 {
    match report(args, lang) {
        Ok(Some(path)) => {
            say(
                &Message::new("run-written").with("path", path.display().to_string()),
                lang,
            );
            0
        }
        Ok(None) => 0,
        Err(message) => fail(&message, lang, BAD_USE),
    }
}

/// Makes the report; gives the file it is in, if it is in one.
fn report(args: &ReportArgs, lang: Lang) -> Result<Option<PathBuf>, Message> {
    let open = |dir: PathBuf| Run::open(&dir);
    let run = resolve(&args.runs.out, &args.run)
        .and_then(open)
        .map_err(|error| error.message())?;
    let named = args
        .output
        .as_deref()
        .filter(|path| *path != Path::new("-"));
    let by_name = named
        .and_then(Path::extension)
        .and_then(|extension| extension.to_str());
    let format = exporter(args.format.as_deref().or(by_name).unwrap_or("html"))?;
    let path = match (&args.output, named) {
        (Some(_), None) => {
            let mut bytes = Vec::new();
            format
                .export(&run, &Options { lang }, &mut bytes)
                .map_err(|error| error.message("-"))?;
            out_bytes(&bytes);
            return Ok(None);
        }
        (_, Some(path)) => path.to_owned(),
        (None, None) => run.dir().join(format!("report.{}", format.extension())),
    };
    write_report(&run, &path, Some(format.name()), lang)?;
    Ok(Some(path))
}

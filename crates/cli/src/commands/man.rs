//! `plimsoll man`: the manual pages, made of the command line's own tables.

use std::path::Path;

use plimsoll_run::reasons::file_failed;
use plimsoll_text::{Lang, Message};

use crate::args::ManArgs;
use crate::help::{self, ManPage};
use crate::say::out;
use crate::tell::{BAD_USE, fail, say};

/// Runs `plimsoll man`; gives the exit code.
#[must_use]
pub fn run(args: &ManArgs, lang: Lang) -> u8 {
    let pages = help::man_pages(lang);
    let done = match (&args.output, &args.topic) {
        (Some(folder), _) => written(folder, &pages, lang),
        (None, None) => shown(pages.first()),
        (None, Some(topic)) => {
            let name = format!("plimsoll-{topic}");
            match pages.iter().find(|page| page.name == name) {
                Some(page) => shown(Some(page)),
                None => Err(Message::new("usage-unknown-command").with("command", topic.as_str())),
            }
        }
    };
    match done {
        Ok(()) => 0,
        Err(message) => fail(&message, lang, BAD_USE),
    }
}

fn shown(page: Option<&ManPage>) -> Result<(), Message> {
    out(page.map_or("", |page| &page.text));
    Ok(())
}

fn written(folder: &Path, pages: &[ManPage], lang: Lang) -> Result<(), Message> {
    std::fs::create_dir_all(folder).map_err(|error| file_failed(folder, &error))?;
    for page in pages {
        let path = folder.join(format!("{}.1", page.name));
        std::fs::write(&path, &page.text).map_err(|error| file_failed(&path, &error))?;
    }
    let path = folder.display().to_string();
    say(&Message::new("run-written").with("path", path), lang);
    Ok(())
}

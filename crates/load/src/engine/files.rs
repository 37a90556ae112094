//! Files that a program names: that they can be read shows before the run.

use std::fs::File;
use std::io;
use std::path::Path;

use plimsoll_plan::model::Span;
use plimsoll_plan::program::{Program, Template};
use plimsoll_text::Message;

use crate::driver::tls;
use crate::extract::BindError;

/// What is wrong with files whose names are known before the run.
pub(super) fn mistakes(program: &Program) -> Vec<BindError> {
    let bodies = program.requests.iter().flat_map(|request| {
        let files = request.body.files().into_iter();
        let paths = files.filter_map(Template::as_text);
        paths.filter_map(|path| unreadable(&program.folder.join(path), request.at))
    });
    let mut mistakes: Vec<BindError> = bodies.collect();
    for (number, profile) in (0..).zip(&program.profiles) {
        if let Err(error) = tls::check_files(&profile.tls, &program.folder) {
            let user = program
                .requests
                .iter()
                .find(|request| request.profile == number);
            let at = user.map_or_else(Span::default, |request| request.at);
            let message = Message::new("request-tls-files").with("reason", error.to_string());
            mistakes.push(BindError { at, message });
        }
    }
    mistakes
}

fn unreadable(path: &Path, at: Span) -> Option<BindError> {
    let error = match File::open(path).and_then(|file| file.metadata()) {
        Ok(metadata) if metadata.is_dir() => io::Error::from(io::ErrorKind::IsADirectory),
        Ok(_) => return None,
        Err(error) => error,
    };
    let message = Message::new("request-file-unreadable")
        .with("path", path.display().to_string())
        .with("reason", error.to_string());
    Some(BindError { at, message })
}

//! Files that a program names: that they can be read shows before the run.

use std::io;
use std::path::Path;

use plimsoll_access::{Access, Refused, Right};
use plimsoll_plan::model::Span;
use plimsoll_plan::program::{Program, Template};
use plimsoll_text::Message;

use crate::driver::tls;
use crate::extract::BindError;

/// What is wrong with files whose names are known before the run.
pub(super) fn mistakes(program: &Program, access: &Access) -> Vec<BindError> {
    let bodies = program.requests.iter().flat_map(|request| {
        let files = request.body.files().into_iter();
        let paths = files.filter_map(Template::as_text);
        let who = request.url.as_text().unwrap_or_default();
        paths.filter_map(|path| {
            let message = unreadable(access, &program.folder.join(path), who)?;
            let at = request.at;
            Some(BindError { at, message })
        })
    });
    let mut mistakes: Vec<BindError> = bodies.collect();
    for (number, profile) in (0..).zip(&program.profiles) {
        let user = || {
            let mut requests = program.requests.iter();
            requests.find(|request| request.profile == number)
        };
        let at = || user().map_or_else(Span::default, |request| request.at);
        let socket = profile.unix_socket.as_ref().and_then(Template::as_text);
        if let Some(Err(refused)) = socket.map(|path| access.ask(Right::Files, path)) {
            let message = refused.message();
            mistakes.push(BindError { at: at(), message });
        }
        if let Err(error) = tls::check_files(&profile.tls, &program.folder, access) {
            let message = Message::new("request-tls-files").with("reason", error.reason());
            mistakes.push(BindError { at: at(), message });
        }
    }
    mistakes
}

fn unreadable(access: &Access, path: &Path, who: &str) -> Option<Message> {
    let error = match access.open(path).and_then(|file| file.metadata()) {
        Ok(metadata) if metadata.is_dir() => io::Error::from(io::ErrorKind::IsADirectory),
        Ok(_) => return None,
        Err(error) => error,
    };
    if let Some(refused) = Refused::of(&error) {
        return Some(refused.by(who));
    }
    let message = Message::new("request-file-unreadable")
        .with("path", path.display().to_string())
        .with("reason", error.to_string());
    Some(message)
}

//! Command lines that are shown, from a list of arguments.

use crate::command::OptionWords;
use crate::headers::is_open;
use crate::masking::text;
use crate::names::is_secret;
use crate::spans::MASK;

/// The arguments of a command without secrets.
#[must_use]
pub fn command_words<S: AsRef<str>>(arguments: &[S]) -> Vec<String> {
    let mut options = OptionWords::default();
    let word = |argument: &S| {
        let argument = argument.as_ref();
        let from = options.secret_from(argument.as_bytes()).or_else(|| {
            let (name, value) = argument.split_once('=')?;
            let is_name = !name.is_empty()
                && name
                    .chars()
                    .all(|c| c.is_alphanumeric() || "_-.[]$".contains(c));
            let secret = is_name && is_secret(name) && !is_open(value.as_bytes());
            // `password=a&user=b` is a form.
            let form = value.split('&').skip(1).any(|field| field.contains('='));
            (secret && !form).then_some(name.len() + 1)
        });
        match from {
            Some(from) => format!("{}{MASK}", &argument[..from]),
            None => text(argument).into_owned(),
        }
    };
    arguments.iter().map(word).collect()
}

/// A command line without secrets.
#[must_use]
pub fn command_line<S: AsRef<str>>(arguments: &[S]) -> String {
    command_words(arguments).join(" ")
}

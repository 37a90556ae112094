//! What the operating system and libraries say of an error, in the language of the message it
//! stands in: their own words are English.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

use fluent_bundle::FluentArgs;

use crate::catalogue::find;
use crate::retold::retold;
use crate::sources::texts;
use crate::{Lang, Message};

/// How the standard library writes the number of an error.
const NUMBER: &str = " (os error ";

/// The arguments that hold what somebody else said of an error.
const REASONS: [&str; 3] = ["reason", "detail", "why"];

/// What somebody else said, in another language.
pub enum SystemText<'t> {
    /// A text.
    Text(Cow<'t, str>),
    /// A message that says the same.
    Message(Message),
}

/// A text that is put into a message under a name, with the errors of the system in it translated.
pub fn translated<'t>(lang: Lang, name: &str, text: &'t str) -> SystemText<'t> {
    let as_it_is = SystemText::Text(Cow::Borrowed(text));
    if lang == Lang::En {
        return as_it_is;
    }
    if let Some(id) = own().get(text).filter(|_| REASONS.contains(&name)) {
        return SystemText::Message(Message::new(*id));
    }
    if DETAILS.contains(&name)
        && let Some(message) = retold(text)
    {
        return SystemText::Message(message);
    }
    let Some(number) = number(text) else {
        return as_it_is;
    };
    let said = std::io::Error::from_raw_os_error(number).to_string();
    match own_error(lang, number) {
        Some(own) => SystemText::Text(Cow::Owned(text.replace(&said, own))),
        None => as_it_is,
    }
}

/// What the system says of an error, in a language.
fn own_error(lang: Lang, number: i32) -> Option<&'static str> {
    find(lang, &format!("system-error-{number}"))?.plain()
}

/// The messages for words of libraries that have no number, by those words.
fn own() -> &'static HashMap<String, &'static str> {
    static OWN: OnceLock<HashMap<String, &'static str>> = OnceLock::new();
    OWN.get_or_init(|| {
        let lines = texts(Lang::En).iter().flat_map(|(_, text)| text.lines());
        let ids = lines
            .filter_map(|line| line.split_once(" = "))
            .map(|(id, _)| id)
            .filter(|id| id.starts_with("system-own-"));
        ids.filter_map(|id| Some((find(Lang::En, id)?.text(&FluentArgs::new()), id)))
            .collect()
    })
}

/// The arguments that hold what a failed sample says of itself: it is kept in English, by which
/// failures are counted together.
const DETAILS: [&str; 2] = ["detail", "message"];

/// The number of the first error of the system in a text.
fn number(text: &str) -> Option<i32> {
    let (_, after) = text.split_once(NUMBER)?;
    after.split_once(')')?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render;

    fn said(lang: Lang, reason: &str) -> String {
        render(lang, &Message::new("usage-other").with("reason", reason))
    }

    #[test]
    fn errors_of_the_system_are_in_the_language_of_the_message() {
        let error = std::io::Error::from_raw_os_error(2).to_string();
        assert_eq!(said(Lang::Zh, &error), "没有该文件或目录");
        assert_eq!(said(Lang::En, &error), error);
        let within = format!("/a/b: {error}, twice");
        assert_eq!(said(Lang::Zh, &within), "/a/b: 没有该文件或目录, twice");
        let yaml = "while parsing a flow mapping, did not find expected ',' or '}'";
        assert_eq!(said(Lang::Zh, yaml), "花括号内应为“,”或右花括号");
        let early = std::io::Error::from(std::io::ErrorKind::UnexpectedEof).to_string();
        assert_eq!(said(Lang::Zh, &early), "文件意外结束");
    }

    #[test]
    fn what_a_plan_looks_for_stays() {
        let message = Message::new("test-contains").with("with", "timed out");
        assert_eq!(render(Lang::Zh, &message), "包含“timed out”");
    }

    #[test]
    fn what_is_not_known_stays() {
        for text in [
            "",
            " (os error ",
            "x (os error 9999)",
            "x (os error -1)",
            "a (os error x)",
        ] {
            assert_eq!(said(Lang::Zh, text), text);
        }
    }

    /// On Linux the numbers are those of this system: every text stands for its own error.
    #[test]
    #[cfg(target_os = "linux")]
    fn english_texts_are_the_systems_own() {
        for number in 1..200 {
            let Some(text) = own_error(Lang::En, number) else {
                continue;
            };
            let system = std::io::Error::from_raw_os_error(number).to_string();
            assert_eq!(format!("{text} (os error {number})"), system);
        }
    }
}

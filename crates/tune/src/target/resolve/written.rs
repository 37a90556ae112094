//! Where a knob of the study's own stands, and what it is there.

use std::path::Path;

use plimsoll_knobs::{Address, Format, Found, get};
use plimsoll_plan::model::Text;
use plimsoll_plan::study::{StudyComponent, StudyKnob};
use plimsoll_text::Message;

use super::super::arguments::value_in;
use super::super::command_line::words;
use super::super::included;
use super::super::named::{stands_in_included, unreadable};
use super::super::originals;
use super::super::place::Place;
use super::super::spring_profiles::profiles_of;
use super::super::standing::{gives_in, id_of};
use super::Resolver;

impl Resolver<'_> {
    pub(super) fn place(
        &mut self,
        knob: &StudyKnob,
        owner: Option<&StudyComponent>,
    ) -> Option<Place> {
        if let Some(argument) = &knob.argument {
            return Some(Place::Argument(argument.raw.clone()));
        }
        if let Some(env) = &knob.env {
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if env.raw.is_empty() || !env.raw.chars().all(is_name) {
                let message = Message::new("tune-bad-variable").with("name", env.raw.as_str());
                self.wrong(env.at, message);
                return None;
            }
            return Some(Place::Environment(env.raw.clone()));
        }
        if let Some(command) = &knob.command {
            return Some(Place::Command(command.raw.clone()));
        }
        if let Some(sql) = &knob.sql {
            return Some(Place::Sql(sql.raw.clone()));
        }
        self.file_place(knob.file.as_ref()?, knob, owner)
    }

    /// The form of a knob's file: as the study says, or by its name.
    fn format(&mut self, file: &Text, path: &Path, knob: &StudyKnob) -> Option<Format> {
        let format = match &knob.format {
            Some(name) => Format::named(&name.raw),
            None => path.to_str().and_then(Format::of_file),
        };
        if format.is_none() {
            let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
            let message = Message::new("tune-unknown-format").with("known", names.join(", "));
            let at = knob.format.as_ref().map_or(file.at, |format| format.at);
            self.wrong(at, message);
        }
        format
    }

    fn file_place(
        &mut self,
        file: &Text,
        knob: &StudyKnob,
        owner: Option<&StudyComponent>,
    ) -> Option<Place> {
        let path = std::fs::canonicalize(self.folder.join(&file.raw));
        let read = path.and_then(|path| Ok((originals::read(&path)?, path)));
        let (content, path) = match read {
            Ok(read) => read,
            Err(error) => {
                let path = Path::new(&file.raw);
                self.wrong(file.at, unreadable(path, &error));
                return None;
            }
        };
        let format = self.format(file, &path, knob)?;
        let profiles = owner.map(profiles_of).unwrap_or_default();
        // A file that holds one value and nothing else has no key.
        let key = match &knob.key {
            Some(key) => key.clone(),
            None if format == Format::Whole => Text {
                at: knob.at,
                ..Text::of("")
            },
            None => return None,
        };
        let address = Address::new(key.raw.as_str()).while_active(profiles);
        let found = match get(format, &content, &address) {
            Ok(found) => found,
            Err(error) => {
                let message = Message::new("tune-key-unusable")
                    .with("path", file.raw.as_str())
                    .with("reason", error.message());
                self.wrong(knob.key.as_ref().map_or(knob.at, |key| key.at), message);
                return None;
            }
        };
        if found.is_none()
            && let Some(other) = included::that_has(format, &content, &path, &address)
        {
            self.wrong(key.at, stands_in_included(&file.raw, &other));
            return None;
        }
        self.is_of_its_range(knob, found.as_ref());
        if let Some(found) = found.filter(|_| format == Format::Pattern) {
            self.is_allowed_line(knob, &content, &found);
        }
        Some(Place::File {
            path,
            format,
            address,
        })
    }

    /// Whatever the expression says: it is the line that is changed.
    fn is_allowed_line(&mut self, knob: &StudyKnob, content: &[u8], found: &Found) {
        let text = String::from_utf8_lossy(content);
        let line = text.lines().nth(found.line - 1).unwrap_or_default();
        if let Some(id) = gives_in(line).filter(|id| Some(*id) != id_of(knob)) {
            let gives = plimsoll_knobs::find(id).and_then(|known| known.gives);
            self.is_allowed(knob, id, gives);
        }
    }

    /// A number takes the place of a number, or of a word such as `auto`: of `512m`, or of several words, it would make
    /// something else.
    fn is_of_its_range(&mut self, knob: &StudyKnob, found: Option<&Found>) {
        let (Some(range), Some(found), None) = (&knob.range, found, &knob.unit) else {
            return;
        };
        let value = found.value.trim();
        let is_number = value.parse::<f64>().is_ok_and(f64::is_finite);
        let begins_with_one = value.starts_with(|c: char| c.is_ascii_digit());
        let several = value.contains(char::is_whitespace);
        let put_in = ["${", "{{", "$("].iter().any(|sign| value.contains(sign));
        if is_number || put_in || !(begins_with_one || several) {
            return;
        }
        let message = Message::new("tune-range-of-no-number")
            .with("name", knob.name.as_str())
            .with("found", plimsoll_secrets::text(value).into_owned())
            .with("line", found.line);
        self.wrong(range.at, message);
    }

    /// What the knob is without a change.
    pub(super) fn found(
        &self,
        knob: &StudyKnob,
        place: &Place,
        owner: &StudyComponent,
    ) -> Option<String> {
        if let Some(default) = &knob.default {
            return Some(default.raw.clone());
        }
        match place {
            Place::File {
                path,
                format,
                address,
            } => {
                let content = originals::read(path).ok()?;
                Some(get(*format, &content, address).ok()??.value)
            }
            Place::Argument(template) => value_in(&words(&owner.start.as_ref()?.raw)?, template),
            Place::Environment(name) => {
                let own = owner.environment.iter().find(|(known, _)| known == name);
                let own = own.map(|(_, value)| value.raw.clone());
                own.or_else(|| std::env::var(name).ok())
            }
            Place::Option(_)
            | Place::Value(_)
            | Place::Command(_)
            | Place::Sql(_)
            | Place::Agent(_) => None,
        }
    }
}

//! Where a knob of the study's own stands, and what it is there.

use plimsoll_knobs::{Address, Format, get};
use plimsoll_plan::model::Text;
use plimsoll_plan::study::{StudyComponent, StudyKnob};
use plimsoll_text::Message;

use super::super::arguments::value_in;
use super::super::commands::words;
use super::super::originals;
use super::super::place::Place;
use super::Resolver;

impl Resolver<'_> {
    pub(super) fn place(&mut self, knob: &StudyKnob) -> Option<Place> {
        if let Some(argument) = &knob.argument {
            return Some(Place::Argument(argument.raw.clone()));
        }
        if let Some(env) = &knob.env {
            return Some(Place::Environment(env.raw.clone()));
        }
        if let Some(command) = &knob.command {
            return Some(Place::Command(command.raw.clone()));
        }
        if let Some(sql) = &knob.sql {
            return Some(Place::Sql(sql.raw.clone()));
        }
        self.file_place(knob.file.as_ref()?, knob)
    }

    fn file_place(&mut self, file: &Text, knob: &StudyKnob) -> Option<Place> {
        let failed = |reason: String| {
            Message::new("tune-file-unreadable")
                .with("path", file.raw.as_str())
                .with("reason", reason)
        };
        let path = match std::fs::canonicalize(self.folder.join(&file.raw)) {
            Ok(path) => path,
            Err(error) => {
                self.wrong(file.at, failed(error.to_string()));
                return None;
            }
        };
        let format = match &knob.format {
            Some(name) => Format::named(&name.raw),
            None => path.to_str().and_then(Format::of_file),
        };
        let Some(format) = format else {
            let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
            let message = Message::new("tune-unknown-format").with("known", names.join(", "));
            let at = knob.format.as_ref().map_or(file.at, |format| format.at);
            self.wrong(at, message);
            return None;
        };
        let address = Address::new(knob.key.as_ref()?.raw.as_str());
        let content = match originals::read(&path) {
            Ok(content) => content,
            Err(error) => {
                self.wrong(file.at, failed(error.to_string()));
                return None;
            }
        };
        if let Err(error) = get(format, &content, &address) {
            self.wrong(
                knob.at,
                failed(String::new()).with("reason", error.message()),
            );
            return None;
        }
        Some(Place::File {
            path,
            format,
            address,
        })
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

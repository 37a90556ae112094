//! What a study may not turn, or not without saying so; and what it names that is nothing.

use plimsoll_knobs::{Format, Gives, KnobFit, fit, value_gives};
use plimsoll_plan::model::Text;
use plimsoll_plan::study::{StudyComponent, StudyKnob};
use plimsoll_plan::{Problem, nearest};
use plimsoll_text::Message;

use super::Resolver;
use crate::space::{Domain, Relation};
use crate::target::command_line::words;
use crate::target::never::never_of_file;
use crate::target::place::Place;
use crate::target::prepared::Prepared;

impl Resolver<'_> {
    /// What gives something up for speed is turned only where the study allows it by name.
    pub(super) fn is_allowed(&mut self, knob: &StudyKnob, id: &str, gives: Option<Gives>) {
        let Some(gives) = gives else { return };
        if self.allows(knob, id) {
            return;
        }
        let what = Message::new(format!("knobs-gives-{}", gives.name()));
        let message = Message::new("tune-not-allowed")
            .with("name", knob.name.as_str())
            .with("id", id)
            .with("what", what);
        self.wrong(knob.at, message);
    }

    /// A knob of another program than the one that the component starts would be turned for nothing.
    pub(super) fn is_of_program(&mut self, knob: &StudyKnob, name: &Text, owner: &StudyComponent) {
        let start = owner.start.as_ref().and_then(|start| words(&start.raw));
        let known = plimsoll_knobs::find(&name.raw);
        let (Some(start), Some(known)) = (start, known) else {
            return;
        };
        if fit(&start, known.id) == KnobFit::Strange {
            let message = Message::new("tune-knob-of-another-program")
                .with("name", known.id)
                .with("component", owner.name.as_str())
                .with("program", start.first().map_or("", String::as_str));
            self.wrong(knob.at, message);
        }
    }

    fn allows(&self, knob: &StudyKnob, id: &str) -> bool {
        let mut allowed = self.study.allow.iter();
        allowed.any(|allowed| allowed.raw == id || allowed.raw == knob.name)
    }

    /// Of a knob some of whose values give something up, these are left out unless the study allows them; if it lists
    /// them itself, it must.
    pub(super) fn allowed_values(&mut self, knob: &StudyKnob, id: &str, domain: &mut Domain) {
        let key = knob.key.as_ref().map_or(id, |key| key.raw.as_str());
        let Domain::Choice(values) = domain else {
            return;
        };
        let gives = |value: &String| value_gives(id, value).or_else(|| value_gives(key, value));
        let given = values.iter().find_map(gives);
        if given.is_none() || self.allows(knob, id) {
            return;
        }
        match knob.values.is_empty() {
            true => values.retain(|value| gives(value).is_none()),
            false => self.is_allowed(knob, id, given),
        }
    }

    /// What a study says is never touched is not touched by it either, whichever of its names it has: `id` is that of
    /// the knob by name that it is.
    pub(super) fn not_never(&mut self, knob: &StudyKnob, id: Option<&str>, place: Option<&Place>) {
        let of_file = match place {
            Some(Place::File { path, .. } | Place::Value(path)) => {
                never_of_file(self.study, self.folder, path)
            }
            _ => None,
        };
        for never in &self.study.never {
            let same_file = of_file.is_some_and(|it| std::ptr::eq(it, never));
            let mut words = [&knob.key, &knob.knob].into_iter().flatten();
            let same_word = words.any(|word| word.raw == never.raw);
            let never_id = plimsoll_knobs::find(&never.raw)
                .or_else(|| plimsoll_knobs::named(&never.raw).map(|(known, _)| known));
            let same_knob = id.is_some() && never_id.map(|known| known.id) == id;
            if same_file || same_word || same_knob || never.raw == knob.name {
                let message = Message::new("tune-never")
                    .with("name", knob.name.as_str())
                    .with("never", never.raw.as_str());
                self.wrong(knob.at, message);
                return;
            }
        }
    }

    /// A name that is allowed is one of the study's: a misspelt one would allow nothing.
    pub(super) fn allowed_is_known(&mut self) {
        let study = self.study;
        for allowed in &study.allow {
            let is = |knob: &&StudyKnob| {
                let named = knob.knob.as_ref().is_some_and(|it| it.raw == allowed.raw);
                knob.name == allowed.raw || named
            };
            // What a study allows and does not use is no mistake where it is a knob at all.
            if study.knobs.iter().find(is).is_none() && plimsoll_knobs::find(&allowed.raw).is_none()
            {
                let message = Message::new("tune-allows-nothing")
                    .with("name", allowed.raw.as_str())
                    .with("known", self.names().join(", "));
                self.wrong(allowed.at, message);
            }
        }
    }

    fn names(&self) -> Vec<&str> {
        let knobs = self.study.knobs.iter();
        knobs.map(|it| it.name.as_str()).collect()
    }

    /// A misspelt knob in a relation would make it hold for whatever is tried.
    pub(super) fn names_knobs(&mut self, text: &Text, relation: &Relation) -> bool {
        let known = self.names();
        let names = relation.knobs();
        let Some(strange) = names.into_iter().find(|name| !known.contains(name)) else {
            return true;
        };
        let message = Message::new("tune-relation-of-nothing")
            .with("text", text.raw.as_str())
            .with("name", strange)
            .with("known", known.join(", "));
        self.wrong(text.at, message);
        false
    }
}

/// What a study would never touch and that is nothing: a path that is not there, or a name that is nearly one of a
/// knob. It protects nothing.
pub fn never_of_nothing(prepared: &Prepared) -> Vec<Problem> {
    let study = &prepared.study;
    let keys = study.knobs.iter().filter_map(|knob| knob.key.as_ref());
    let own = study.knobs.iter().map(|knob| knob.name.as_str());
    let own: Vec<&str> = own.chain(keys.map(|key| key.raw.as_str())).collect();
    let known = || plimsoll_knobs::all().map(|knob| knob.id);
    let of_nothing = study.never.iter().filter_map(|never| {
        let name = never.raw.as_str();
        let is_path = name.contains(['/', '*', '?']) || Format::of_file(name).is_some();
        let is_known = own.contains(&name)
            || plimsoll_knobs::find(name).is_some()
            || plimsoll_knobs::named(name).is_some()
            || prepared.folder.join(name).exists();
        let near = nearest(name, own.iter().copied().chain(known()));
        if is_known || (!is_path && near.is_none()) {
            return None;
        }
        let message = Message::new("tune-never-of-nothing")
            .with("never", name)
            .with("any", if near.is_some() { "yes" } else { "no" })
            .with("near", near.unwrap_or_default());
        Some(Problem::caution(never.at, message))
    });
    of_nothing.collect()
}

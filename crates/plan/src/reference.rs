//! The reference of the plan's keys, made from the tables the reader checks by.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

use plimsoll_text::{Align, Lang, Message, Table, render};

use crate::functions::FUNCTIONS;
use crate::yaml::check::expected;
use crate::yaml::grammar::{Accept, Kind, Object, PLAN, Part, PlanKey, Tagged};

/// The reference as Markdown: a table of keys for each object of a plan, and the functions
/// of templates.
#[must_use]
pub fn reference(lang: Lang) -> String {
    let mut reference = Reference {
        lang,
        out: String::new(),
        done: HashSet::new(),
        leaves: RefCell::default(),
    };
    reference.object(PLAN);
    reference.values();
    reference.functions();
    reference.out
}

struct Reference {
    lang: Lang,
    out: String,
    done: HashSet<&'static str>,
    /// The kinds of scalars met, for a table of their own.
    leaves: RefCell<BTreeMap<&'static str, String>>,
}

impl Reference {
    fn say(&self, id: &str) -> String {
        render(self.lang, &Message::new(id))
    }

    /// A table of an object's keys, then the groups and objects below it that are new.
    fn object(&mut self, object: &'static Object) {
        if !self.done.insert(object.id) {
            return;
        }
        let (mut own, mut shared) = (Vec::new(), Vec::new());
        apart(object.parts, &mut own, &mut shared);
        let _ = write!(self.out, "\n### {}\n\n{}", object.id, self.table(&own));
        if !shared.is_empty() {
            let links: Vec<String> = shared.iter().map(|(name, _)| link(name)).collect();
            let more = Message::new("plan-doc-shared-keys").with("groups", links.join(", "));
            let _ = write!(self.out, "\n{}\n", render(self.lang, &more));
        }
        for (name, keys) in shared {
            if self.done.insert(name) {
                let _ = write!(self.out, "\n### {name}\n\n{}", self.table(&keys));
                keys.iter().for_each(|key| self.below((key.kind)()));
            }
        }
        own.iter().for_each(|key| self.below((key.kind)()));
    }

    fn table(&self, keys: &[PlanKey]) -> String {
        let heads = [
            "plan-doc-head-key",
            "plan-doc-head-value",
            "plan-doc-head-meaning",
        ];
        let heads = heads.map(|id| (self.say(id), Align::Left));
        let mut table = Table::new(heads.to_vec());
        for key in keys {
            let mut meaning = self.say(&format!("plan-doc-{}", key.doc));
            if key.required {
                let _ = write!(meaning, " {}", self.say("plan-doc-required"));
            }
            if !key.default.is_empty() {
                let default = Message::new("plan-doc-default").with("value", key.default);
                let _ = write!(meaning, " {}", render(self.lang, &default));
            }
            table.row(vec![
                format!("`{}`", key.name),
                self.kind((key.kind)()),
                meaning,
            ]);
        }
        table.to_markdown()
    }

    fn below(&mut self, kind: Kind) {
        match kind {
            Kind::Object(object) => self.object(object),
            Kind::Tagged(tagged) => self.tagged(tagged),
            Kind::List(inner) | Kind::Map(inner) => self.below(inner()),
            Kind::OneOf(kinds) => kinds.iter().for_each(|kind| self.below(kind())),
            Kind::Any | Kind::Leaf(_) | Kind::Word(_) => {}
        }
    }

    fn tagged(&mut self, tagged: &'static Tagged) {
        if !self.done.insert(tagged.id) {
            return;
        }
        let links = tagged.cases().map(|case| {
            let tags: Vec<String> = case.tags.iter().map(|tag| format!("`{tag}`")).collect();
            format!("- {} → {}\n", tags.join(", "), link(case.object.id))
        });
        let links: String = links.collect();
        let chosen = self.say("plan-doc-chosen-by");
        let _ = write!(self.out, "\n### {}\n\n{chosen}\n\n{links}", tagged.id);
        for case in tagged.cases() {
            self.object(case.object);
        }
    }

    /// What a value may be, with links to the objects.
    fn kind(&self, kind: Kind) -> String {
        match kind {
            Kind::Any => render(self.lang, &expected(kind)),
            Kind::Leaf(leaf) => {
                // A number with bounds of its own says them itself.
                if matches!(leaf.accept, Accept::Int(..)) {
                    return render(self.lang, &expected(kind));
                }
                let meaning = render(self.lang, &expected(kind));
                self.leaves.borrow_mut().insert(leaf.id, meaning);
                format!("*{}*", leaf.id)
            }
            Kind::Word(words) => {
                let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
                words.join(", ")
            }
            Kind::Object(object) => link(object.id),
            Kind::Tagged(tagged) => link(tagged.id),
            Kind::List(item) => {
                let text = Message::new("plan-kind-list").with("item", self.kind(item()));
                render(self.lang, &text)
            }
            Kind::Map(value) => {
                let text = Message::new("plan-kind-map").with("value", self.kind(value()));
                render(self.lang, &text)
            }
            Kind::OneOf(kinds) => {
                let kinds: Vec<String> = kinds.iter().map(|kind| self.kind(kind())).collect();
                kinds.join(&self.say("plan-doc-or"))
            }
        }
    }

    /// What the kinds of scalars look like.
    fn values(&mut self) {
        let heads = ["plan-doc-head-value", "plan-doc-head-meaning"];
        let heads = heads.map(|id| (self.say(id), Align::Left));
        let mut table = Table::new(heads.to_vec());
        for (id, meaning) in self.leaves.borrow().iter() {
            table.row(vec![(*id).to_owned(), meaning.clone()]);
        }
        let head = self.say("plan-doc-values");
        let _ = write!(self.out, "\n## {head}\n\n{}", table.to_markdown());
    }

    fn functions(&mut self) {
        let heads = ["plan-doc-head-function", "plan-doc-head-meaning"];
        let heads = heads.map(|id| (self.say(id), Align::Left));
        let mut table = Table::new(heads.to_vec());
        for function in FUNCTIONS {
            let id = function.name.replace('_', "-");
            let meaning = self.say(&format!("plan-function-{id}"));
            table.row(vec![format!("`${{{}}}`", function.usage), meaning]);
        }
        let head = self.say("plan-doc-functions");
        let _ = write!(self.out, "\n## {head}\n\n{}", table.to_markdown());
    }
}

/// An object's own keys, and the groups that it shares with others.
fn apart(
    parts: &'static [Part],
    own: &mut Vec<PlanKey>,
    shared: &mut Vec<(&'static str, Vec<PlanKey>)>,
) {
    for part in parts {
        match part {
            Part::Shared("", parts) => apart(parts, own, shared),
            Part::Shared(name, parts) => {
                shared.push((name, parts.iter().flat_map(Part::keys).collect()))
            }
            part => own.extend(part.keys()),
        }
    }
}

fn link(id: &str) -> String {
    format!("[{id}](#{id})")
}

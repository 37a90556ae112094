//! Templates, conditions and names as text; where secrets are hidden.

use plimsoll_secrets::MASK;

use super::ShownProgram;
use crate::functions::FUNCTIONS;
use crate::model::{Comparison, PauseTime};
use crate::program::{
    Call, Condition, ElementId, Items, Label, PackageId, Part, PauseTemplate, ScriptId, SharedDef,
    SharedId, Slot, Template,
};

/// Longest text shown, in characters.
const LONGEST: usize = 100;

impl ShownProgram<'_> {
    pub(super) fn condition(&self, condition: &Condition) -> String {
        match condition {
            Condition::Script(id) => format!("script {}", self.script(*id)),
            Condition::IsTrue(text) => format!("{} is true", self.text(text)),
            Condition::IsFalse(text) => format!("{} is false", self.text(text)),
            Condition::Compare { left, op, right } => {
                format!(
                    "{:?} {} {:?}",
                    self.text(left),
                    comparison(*op),
                    self.text(right)
                )
            }
            Condition::Defined(slot) => format!("{} is set", self.name(*slot)),
            Condition::LastOk => "last ok".to_owned(),
            Condition::LastOkBeforeChecks => "last ok before checks".to_owned(),
            Condition::Asked(action) => format!("asked to {action:?}"),
            Condition::Not(inner) => format!("not {}", self.condition(inner)),
        }
    }

    pub(super) fn element(&self, id: ElementId) -> String {
        let element = &self.program.elements[id.0 as usize];
        format!("{} {:?}", element.class, self.text(&element.name))
    }

    pub(super) fn package(&self, id: PackageId) -> String {
        let package = &self.program.packages[id.0 as usize];
        let sampler = package.sampler.map(|id| self.element(id));
        let mut shown = format!("sample {}", sampler.unwrap_or_else(|| "nothing".to_owned()));
        let groups = [
            ("with", &package.configs),
            ("before", &package.before),
            ("timers", &package.timers),
            ("after", &package.after),
            ("assertions", &package.assertions),
            ("listeners", &package.listeners),
        ];
        for (name, elements) in groups.iter().filter(|(_, elements)| !elements.is_empty()) {
            let list: Vec<String> = elements.iter().map(|id| self.element(*id)).collect();
            shown.push_str(&format!(", {name}: {}", list.join(", ")));
        }
        shown
    }

    pub(super) fn items(&self, items: &Items) -> String {
        match items {
            Items::List(list) => {
                let list: Vec<String> = list.iter().map(|text| self.text(text)).collect();
                format!("[{}]", list.join(", "))
            }
            Items::Matches {
                prefix,
                after,
                until,
            } => {
                let until = until
                    .as_ref()
                    .map(|until| format!(" to {}", self.text(until)));
                let until = until.unwrap_or_default();
                format!("{} after {}{until}", self.text(prefix), self.text(after))
            }
            Items::Json(text) => format!("json {}", self.text(text)),
        }
    }

    pub(super) fn pause(&self, pause: &PauseTemplate) -> String {
        if let Some(text) = &pause.template_ms {
            return format!("{} ms", self.text(text));
        }
        match pause.time {
            PauseTime::Fixed(time) => format!("{time:?}"),
            PauseTime::Uniform(from, to) => format!("{from:?} to {to:?}"),
            PauseTime::Normal(mean, deviation) => format!("normal {mean:?} ± {deviation:?}"),
            PauseTime::Exponential(mean) => format!("exponential, mean {mean:?}"),
            PauseTime::Poisson { lambda, offset } => format!("{offset:?} + poisson {lambda:?}"),
        }
    }

    pub(super) fn index(&self, index: Option<Slot>) -> String {
        index
            .map(|slot| format!(" as {}", self.name(slot)))
            .unwrap_or_default()
    }

    pub(super) fn passes(&self, register: u16, shared: Option<SharedId>) -> String {
        match shared {
            Some(id) => format!("shared {}", id.0),
            None => format!("r{register}"),
        }
    }

    pub(super) fn shared_name(&self, id: SharedId) -> String {
        match self.program.shared.get(id.0 as usize) {
            Some(SharedDef::Lock { name } | SharedDef::Rendezvous { name, .. }) => name.clone(),
            _ => format!("shared {}", id.0),
        }
    }

    pub(super) fn name(&self, slot: Slot) -> &str {
        self.program
            .slots
            .get(slot.0 as usize)
            .map_or("?", |def| def.name.as_str())
    }

    pub(super) fn label(&self, label: &Label) -> String {
        match label {
            Label::Fixed(id) => self
                .program
                .labels
                .get(id.index())
                .map(|l| self.known.text(&l.name).into_owned())
                .unwrap_or_default(),
            Label::Made(template) => self.text(template),
        }
    }

    pub(super) fn script(&self, id: ScriptId) -> String {
        let source = self
            .program
            .scripts
            .get(id.0 as usize)
            .map_or("", |s| s.source.as_str());
        shorten(&self.known.text(source))
    }

    /// The value of a variable, hidden when the variable is secret.
    pub(super) fn secret_text(&self, slot: Slot, value: &Template) -> String {
        let secret = self
            .program
            .slots
            .get(slot.0 as usize)
            .is_some_and(|def| def.secret);
        if secret {
            MASK.to_owned()
        } else {
            self.text(value)
        }
    }

    /// The value of a header or field of that name.
    pub(super) fn named(&self, name: &str, value: &Template) -> String {
        if plimsoll_secrets::is_secret(name) {
            self.masked(value)
        } else {
            self.text(value)
        }
    }

    /// A value whose fixed text is hidden; names of variables may be seen.
    fn masked(&self, value: &Template) -> String {
        let part = |part: &Part| match part {
            Part::Text(_) => MASK.to_owned(),
            other => self.part(other),
        };
        value.parts.iter().map(part).collect()
    }

    /// A template as it was written, shortened.
    pub(super) fn text(&self, template: &Template) -> String {
        let whole: String = template.parts.iter().map(|part| self.part(part)).collect();
        shorten(&self.known.text(&whole))
    }

    pub(super) fn part(&self, part: &Part) -> String {
        match part {
            Part::Text(text) => text.to_string(),
            Part::Slot { slot, .. } => format!("${{{}}}", self.name(*slot)),
            Part::Call(call) => self.call(call),
            Part::Script(id) => format!("${{= {} }}", self.script(*id)),
        }
    }

    pub(super) fn call(&self, call: &Call) -> String {
        let def = FUNCTIONS.iter().find(|def| def.function == call.function);
        let args: Vec<String> = call.args.iter().map(|arg| self.text(arg)).collect();
        format!(
            "${{{}({})}}",
            def.map_or("?", |def| def.name),
            args.join(", ")
        )
    }
}

pub(super) fn comparison(op: Comparison) -> &'static str {
    match op {
        Comparison::Equal => "==",
        Comparison::NotEqual => "!=",
        Comparison::Less => "<",
        Comparison::AtMost => "<=",
        Comparison::Greater => ">",
        Comparison::AtLeast => ">=",
        Comparison::Contains => "contains",
        Comparison::Matches => "matches",
    }
}

/// One line, not too long.
pub(super) fn shorten(text: &str) -> String {
    let one_line = text.replace('\n', "⏎");
    if one_line.chars().count() <= LONGEST {
        return one_line;
    }
    let start: String = one_line.chars().take(LONGEST - 1).collect();
    format!("{start}…")
}

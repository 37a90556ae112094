//! The plan's variables: their slots, and the values that the plan, the command line and the
//! environment give them.

use plimsoll_text::Message;

use super::compiler::Compiler;
use crate::model::{Span, Variable};
use crate::program::{Slot, Template};

impl<'p> Compiler<'p> {
    /// The plan's own variables: a slot each, in their order, and a value. Of several with one
    /// name the last counts.
    pub(super) fn variables(&mut self, all: &'p [Variable]) {
        let variables = Variable::last_of_each_name(all);
        for variable in &variables {
            let slot = self.slot(&variable.name);
            let def = &mut self.program.slots[slot.0 as usize];
            def.secret |= all.iter().any(|v| v.secret && v.name == variable.name);
            def.once_per_run = variable.once_per_run;
        }
        let mut before: Vec<&str> = Vec::new();
        for variable in &variables {
            let slot = self.slot(&variable.name);
            self.mark_secret(slot, variable);
            self.check_env(variable);
            let template = match self.given(variable) {
                Some(value) => Template::text(value),
                None => self.initial(&variable.value, &before),
            };
            before.push(&variable.name);
            let constant = template
                .as_text()
                .filter(|_| self.never_set(&variable.name));
            let slot = self.slot(&variable.name);
            if let Some(value) = constant {
                self.constants
                    .insert(variable.name.clone(), value.to_owned());
                self.program.slots[slot.0 as usize].constant = true;
            }
            self.program.slots[slot.0 as usize].initial = Some(template);
        }
        self.undeclared_options();
    }

    /// A variable that only the environment can give must be there: an empty password would
    /// be sent without a word.
    fn check_env(&mut self, variable: &Variable) {
        let Some(env) = &variable.env else { return };
        let has_default = !variable.value.raw.is_empty() || variable.value.at.line > 0;
        if has_default || self.given(variable).is_some() {
            return;
        }
        let message = Message::new("compile-env-not-set")
            .with("env", env.as_str())
            .with("name", variable.name.as_str());
        self.mistake(variable.at, message);
    }

    /// The value that the command line or the environment gives a variable.
    pub(super) fn given(&self, variable: &Variable) -> Option<String> {
        let set = self
            .options
            .set
            .iter()
            .rev()
            .find(|(name, _)| *name == variable.name);
        let env = || self.options.env.get(variable.env.as_ref()?);
        set.map(|(_, value)| value).or_else(env).cloned()
    }

    /// `--set` of names the plan does not declare: they are defined if the plan uses them.
    fn undeclared_options(&mut self) {
        let declared = |name: &str| self.plan.variables.iter().any(|v| v.name == name);
        for (name, value) in &self.options.set {
            if declared(name) {
                continue;
            }
            if self.known.as_ref().is_some_and(|facts| !facts.uses(name)) {
                let message = Message::new("compile-set-unknown").with("name", name.as_str());
                let remedy = self.name_remedy(name);
                self.error_with(Span::default(), message, remedy);
                continue;
            }
            let slot = self.slot(name);
            let constant = self.never_set(name);
            let def = &mut self.program.slots[slot.0 as usize];
            def.initial = Some(Template::text(value.as_str()));
            def.constant = constant;
            if constant {
                self.constants.insert(name.clone(), value.clone());
            }
        }
    }

    /// A variable is secret when it is said to be, or when its value uses one that is.
    pub(super) fn mark_secret(&mut self, slot: Slot, variable: &Variable) {
        if variable.secret || self.uses_secret(&variable.value) {
            self.program.slots[slot.0 as usize].secret = true;
        }
    }
}

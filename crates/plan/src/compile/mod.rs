//! Model → program.
//!
//! The plan is compiled twice. The first pass only learns: which variables something sets,
//! what the scripts speak of. The second pass knows from it which variables are defined, and
//! which never change, so that their values can be put into the templates.

mod around;
mod at_run_time;
mod block;
mod bounds;
mod choices;
mod code;
mod element;
mod facts;
mod flow;
mod hosts;
mod jmeter;
mod jumps;
mod loops;
mod parse;
mod request;
mod response;
mod scope;
mod shared;
mod text;
mod url;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use plimsoll_stats::{LabelId, LabelKind};
use plimsoll_text::Message;

use crate::error::{Problem, Severity, sort_problems};
use crate::model::{CsvData, Plan, Scenario, Span, Undefined, Variable};
use crate::program::{
    LabelDef, Profile, Program, Request, RequestId, ScenarioProgram, ScriptDef, ScriptId, Slot,
    SlotDef,
};
pub use at_run_time::jmeter_text;
use code::Code;
use facts::Facts;
pub use hosts::{host_of_address, host_properties};
use shared::SharedKeys;

/// Gives the names in the first row of a data file, if it can be read. The path is that of
/// the plan, from the folder.
pub type ColumnsOf = Arc<dyn Fn(&CsvData, &Path) -> Option<Vec<String>> + Send + Sync>;

/// What the command line and the surroundings say to a plan.
#[derive(Clone, Default)]
pub struct CompileOptions {
    /// The plan's file, for messages; empty when there is none.
    pub file: String,
    /// The folder that relative file names start from.
    pub folder: PathBuf,
    /// Values of variables (`--set`), taken as they are: no `${…}` in them is looked at.
    pub set: Vec<(String, String)>,
    /// The environment; given, so that nothing here reads the process's.
    pub env: BTreeMap<String, String>,
    /// Further hosts that may be loaded (`--allow-host`): `host` or `host:port`.
    pub allow_hosts: Vec<String>,
    /// Reads the first rows of data files whose columns the plan does not name. Without it,
    /// every name that nothing else defines is taken for a column of these files, and it is
    /// left to their loader to say which are none.
    pub columns_of: Option<ColumnsOf>,
}

/// Compiles a plan.
///
/// # Errors
/// All that is wrong with it, in the order of the file; warnings too, but not only warnings
/// (these are in [`Program::warnings`]).
pub fn compile(plan: &Plan, options: &CompileOptions) -> Result<Program, Vec<Problem>> {
    let mut first = Compiler::new(plan, options, None);
    first.plan();
    let facts = first.into_facts();
    let mut second = Compiler::new(plan, options, Some(facts));
    second.plan();
    second.finish()
}

/// The state of one pass.
struct Compiler<'p> {
    plan: &'p Plan,
    options: &'p CompileOptions,
    /// What the first pass learnt; none in the first pass itself.
    known: Option<Facts>,
    /// What this pass learns.
    facts: Facts,
    program: Program,
    slots: HashMap<String, Slot>,
    /// Values of variables that never change, where we are.
    constants: HashMap<String, String>,
    labels: HashMap<(String, LabelKind), LabelId>,
    /// Transactions around us that are samples with parts.
    parents: u32,
    /// Whether there are labels that are known only while the plan runs.
    makes_labels: bool,
    scripts: HashMap<(String, bool), ScriptId>,
    /// Elements by their address in the model.
    elements: HashMap<usize, crate::program::ElementId>,
    shared: SharedKeys,
    problems: Vec<Problem>,
}

impl<'p> Compiler<'p> {
    fn new(plan: &'p Plan, options: &'p CompileOptions, known: Option<Facts>) -> Self {
        Self {
            plan,
            options,
            known,
            facts: Facts::default(),
            program: Program::default(),
            slots: HashMap::new(),
            constants: HashMap::new(),
            labels: HashMap::new(),
            parents: 0,
            makes_labels: false,
            scripts: HashMap::new(),
            elements: HashMap::new(),
            shared: SharedKeys::default(),
            problems: Vec::new(),
        }
    }

    fn error(&mut self, at: Span, message: Message) {
        self.problems.push(Problem::error(at, message));
    }

    fn error_with(&mut self, at: Span, message: Message, remedy: Message) {
        self.problems
            .push(Problem::error(at, message).remedy(remedy));
    }

    fn warn_with(&mut self, at: Span, message: Message, remedy: Message) {
        self.problems
            .push(Problem::warning(at, message).remedy(remedy));
    }

    /// Whether undefined variables and unknown functions stay as text.
    fn lenient(&self) -> bool {
        self.plan.undefined == Undefined::KeepLiteral
    }

    fn plan(&mut self) {
        let plan = self.plan;
        self.program.name.clone_from(&plan.name);
        self.program.order = plan.order;
        self.program.goals.clone_from(&plan.goals);
        self.program.guards.clone_from(&plan.guards);
        self.program.seed = plan.seed;
        self.program.warm_up = plan.warm_up;
        self.program.undefined = plan.undefined;
        self.program.recorded_setup = self.lenient();
        self.program.skip_teardown_when_stopped = plan.skip_teardown_when_stopped;
        self.program.functional = plan.functional;
        self.program.folder.clone_from(&self.options.folder);
        self.variables(&plan.variables);
        for together in [&plan.setup, &plan.scenarios, &plan.teardown] {
            self.check_loads(together);
        }
        self.program.setup = self.scenarios(&plan.setup);
        self.program.scenarios = self.scenarios(&plan.scenarios);
        self.program.teardown = self.scenarios(&plan.teardown);
        if plan.scenarios.is_empty() {
            self.error(Span::default(), Message::new("compile-no-scenario"));
        }
        self.check_warm_up();
        self.check_rendezvous();
        self.check_goals();
        self.hosts();
        self.hosts_of_elements();
    }

    /// Goals of labels that no step has: they would never be met or missed.
    fn check_goals(&mut self) {
        if self.makes_labels {
            return;
        }
        let mut problems = Vec::new();
        for spec in &self.plan.goals {
            let Some(label) = &spec.goal.label else {
                continue;
            };
            let names = || self.program.labels.iter().map(|known| known.name.as_str());
            if names().any(|name| name == label) {
                continue;
            }
            let near = facts::near_names(label, names());
            let (id, names) = if near.is_empty() {
                ("compile-known-labels", names().collect())
            } else {
                ("compile-did-you-mean", near)
            };
            let message = Message::new("compile-goal-label").with("label", label.as_str());
            let remedy = Message::new(id).with("names", names.join(", "));
            problems.push((spec.at, message, remedy));
        }
        for (at, message, remedy) in problems {
            self.warn_with(at, message, remedy);
        }
    }

    /// The plan's own variables: a slot each, in their order, and a value. Of several with one
    /// name the last counts.
    fn variables(&mut self, all: &'p [Variable]) {
        let variables = last_of_each_name(all);
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
                Some(value) => crate::program::Template::text(value),
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
        let remedy = Message::new("compile-env-not-set.remedy")
            .with("env", env.as_str())
            .with("name", variable.name.as_str());
        self.error_with(variable.at, message, remedy);
    }

    /// The value that the command line or the environment gives a variable.
    fn given(&self, variable: &Variable) -> Option<String> {
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
            def.initial = Some(crate::program::Template::text(value.as_str()));
            def.constant = constant;
            if constant {
                self.constants.insert(name.clone(), value.clone());
            }
        }
    }

    /// The slot of a name.
    fn slot(&mut self, name: &str) -> Slot {
        if let Some(slot) = self.slots.get(name) {
            return *slot;
        }
        let slot = Slot(u32::try_from(self.program.slots.len()).unwrap_or(u32::MAX));
        self.program.slots.push(SlotDef {
            name: name.to_owned(),
            secret: plimsoll_secrets::is_secret(name),
            ..SlotDef::default()
        });
        self.slots.insert(name.to_owned(), slot);
        slot
    }

    /// A variable is secret when it is said to be, or when its value uses one that is.
    fn mark_secret(&mut self, slot: Slot, variable: &Variable) {
        if variable.secret || self.uses_secret(&variable.value) {
            self.program.slots[slot.0 as usize].secret = true;
        }
    }

    /// The slot of a name that something sets.
    fn slot_to_set(&mut self, name: &str) -> Slot {
        self.facts.set(name);
        self.slot(name)
    }

    /// Whether nothing sets a variable after the start, scripts included.
    fn never_set(&self, name: &str) -> bool {
        self.known
            .as_ref()
            .is_some_and(|facts| facts.never_set(name))
    }

    /// Labels reach every report: what is secret in them stays out.
    fn label(&mut self, name: &str, kind: LabelKind) -> LabelId {
        let name = &*plimsoll_secrets::text(name);
        let labels = &mut self.program.labels;
        *self
            .labels
            .entry((name.to_owned(), kind))
            .or_insert_with(|| {
                let id = LabelId(u32::try_from(labels.len()).unwrap_or(u32::MAX));
                labels.push(LabelDef {
                    name: name.to_owned(),
                    kind,
                    id,
                });
                id
            })
    }

    fn script(&mut self, source: &str, expression: bool, at: Span) -> ScriptId {
        let scripts = &mut self.program.scripts;
        *self
            .scripts
            .entry((source.to_owned(), expression))
            .or_insert_with(|| {
                scripts.push(ScriptDef {
                    source: source.to_owned(),
                    expression,
                    at,
                });
                ScriptId(u32::try_from(scripts.len() - 1).unwrap_or(u32::MAX))
            })
    }

    fn request(&mut self, request: Request) -> RequestId {
        self.program.requests.push(std::sync::Arc::new(request));
        RequestId(u32::try_from(self.program.requests.len() - 1).unwrap_or(u32::MAX))
    }

    /// The index of a profile; equal ones share one.
    fn profile(&mut self, profile: Profile) -> u32 {
        let profiles = &mut self.program.profiles;
        let index = profiles
            .iter()
            .position(|known| *known == profile)
            .unwrap_or_else(|| {
                profiles.push(profile);
                profiles.len() - 1
            });
        u32::try_from(index).unwrap_or(u32::MAX)
    }

    fn scenarios(&mut self, scenarios: &'p [Scenario]) -> Vec<ScenarioProgram> {
        scenarios
            .iter()
            .map(|scenario| self.scenario(scenario))
            .collect()
    }

    fn scenario(&mut self, scenario: &'p Scenario) -> ScenarioProgram {
        self.shared.begin_scenario();
        let pace = scenario.pace.as_ref().map(|pace| self.pause(pace));
        let code = flow::scenario(self, scenario);
        let (ops, registers) = code.finish().unwrap_or_else(|| {
            self.error(scenario.at, Message::new("compile-too-big"));
            Code::default().finish().unwrap_or_default()
        });
        ScenarioProgram {
            name: scenario.name.clone(),
            load: scenario.load.clone(),
            start_delay: scenario.start_delay,
            end_after: scenario.end_after,
            grace: scenario.grace,
            pace,
            same_user_each_iteration: scenario.same_user_each_iteration,
            left_out_before: scenario.left_out_before,
            ops,
            registers,
            on_error: scenario.on_error,
        }
    }

    fn into_facts(mut self) -> Facts {
        let scripts = self
            .program
            .scripts
            .iter()
            .map(|script| script.source.as_str());
        let texts: Vec<&str> = scripts.collect();
        self.facts.scripts = texts.join("\n");
        self.facts
    }

    fn finish(mut self) -> Result<Program, Vec<Problem>> {
        for problem in &mut self.problems {
            problem.file.clone_from(&self.options.file);
        }
        sort_problems(&mut self.problems);
        self.problems.dedup();
        if self.problems.iter().any(|p| p.severity == Severity::Error) {
            return Err(self.problems);
        }
        self.program.warnings = self.problems;
        Ok(self.program)
    }
}

/// Variables without those that a later one of the same name replaces.
pub(crate) fn last_of_each_name(all: &[Variable]) -> Vec<&Variable> {
    let mut names = std::collections::HashSet::new();
    let mut last: Vec<&Variable> = all.iter().rev().filter(|v| names.insert(&v.name)).collect();
    last.reverse();
    last
}

//! The state of one pass over a plan, and what steps and texts define in it: slots, labels,
//! scripts, requests, profiles.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use plimsoll_stats::{LabelId, LabelKind};
use plimsoll_text::Message;

use super::facts::Facts;
use super::shared_keys::SharedKeys;
use crate::error::Problem;
use crate::model::{CsvData, Plan, Span, Undefined};
use crate::program::{
    ElementId, LabelDef, Profile, Program, Request, RequestId, ScriptDef, ScriptId, Slot, SlotDef,
};

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

/// The state of one pass.
pub(super) struct Compiler<'p> {
    pub(super) plan: &'p Plan,
    pub(super) options: &'p CompileOptions,
    /// What the first pass learnt; none in the first pass itself.
    pub(super) known: Option<Facts>,
    /// What this pass learns.
    pub(super) facts: Facts,
    pub(super) program: Program,
    pub(super) slots: HashMap<String, Slot>,
    /// Values of variables that never change, where we are.
    pub(super) constants: HashMap<String, String>,
    pub(super) labels: HashMap<(String, LabelKind), LabelId>,
    /// Transactions around us that are samples with parts.
    pub(super) parents: u32,
    /// Whether there are labels that are known only while the plan runs.
    pub(super) makes_labels: bool,
    pub(super) scripts: HashMap<(String, bool), ScriptId>,
    /// Elements by their address in the model.
    pub(super) elements: HashMap<usize, ElementId>,
    pub(super) shared: SharedKeys,
    pub(super) problems: Vec<Problem>,
}

impl<'p> Compiler<'p> {
    pub(super) fn new(plan: &'p Plan, options: &'p CompileOptions, known: Option<Facts>) -> Self {
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

    pub(super) fn error(&mut self, at: Span, message: Message) {
        self.problems.push(Problem::error(at, message));
    }

    /// An error with the remedy of the same name.
    pub(super) fn mistake(&mut self, at: Span, message: Message) {
        self.problems.push(Problem::mistake(at, message));
    }

    pub(super) fn error_with(&mut self, at: Span, message: Message, remedy: Message) {
        self.problems
            .push(Problem::error(at, message).remedy(remedy));
    }

    pub(super) fn warn_with(&mut self, at: Span, message: Message, remedy: Message) {
        self.problems
            .push(Problem::warning(at, message).remedy(remedy));
    }

    /// A warning with the remedy of the same name.
    pub(super) fn caution(&mut self, at: Span, message: Message) {
        self.problems.push(Problem::caution(at, message));
    }

    /// Whether undefined variables and unknown functions stay as text.
    pub(super) fn lenient(&self) -> bool {
        self.plan.undefined == Undefined::KeepLiteral
    }

    /// The slot of a name.
    pub(super) fn slot(&mut self, name: &str) -> Slot {
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

    /// The slot of a name that something sets.
    pub(super) fn slot_to_set(&mut self, name: &str) -> Slot {
        self.facts.set(name);
        self.slot(name)
    }

    /// A slot for a value that the operations keep for themselves.
    pub(super) fn internal_slot(&mut self, name: &str) -> Slot {
        let slot = self.slot_to_set(name);
        if let Some(def) = self.program.slots.get_mut(slot.0 as usize) {
            def.internal = true;
        }
        slot
    }

    /// Whether nothing sets a variable after the start, scripts included.
    pub(super) fn never_set(&self, name: &str) -> bool {
        self.known
            .as_ref()
            .is_some_and(|facts| facts.never_set(name))
    }

    /// Labels reach every report: what is secret in them stays out.
    pub(super) fn label(&mut self, name: &str, kind: LabelKind) -> LabelId {
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

    pub(super) fn script(&mut self, source: &str, expression: bool, at: Span) -> ScriptId {
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

    pub(super) fn request(&mut self, request: Request) -> RequestId {
        self.program.requests.push(Arc::new(request));
        RequestId(u32::try_from(self.program.requests.len() - 1).unwrap_or(u32::MAX))
    }

    /// The index of a profile; equal ones share one.
    pub(super) fn profile(&mut self, profile: Profile) -> u32 {
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
}

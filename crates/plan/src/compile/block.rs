//! Entering blocks: what holds there, what is advanced there.

use plimsoll_text::Message;

use super::flow::ScenarioFlow;
use crate::model::{Block, Counter, CsvData, Element, Scope, StepKind, Variable};
use crate::program::{Op, SharedDef};

/// Whether JMeter has a controller here; a sampler with elements of its own is none, a Parallel Controller,
/// which is a sampler to JMeter, neither, and what only sets variables is no step of JMeter's.
fn is_controller(kind: &StepKind) -> bool {
    let mut within = kind.blocks().into_iter().flat_map(|block| &block.steps);
    if within.any(|step| matches!(step.kind, StepKind::Parallel { .. })) {
        return false;
    }
    match kind {
        StepKind::Block(block) => match &block.steps[..] {
            [only] if matches!(only.kind, StepKind::Sample(_)) => false,
            steps => !steps
                .iter()
                .all(|step| matches!(step.kind, StepKind::Set(_))),
        },
        _ => !kind.blocks().is_empty(),
    }
}

/// Values that the names of [`ScenarioFlow::constants_end`] had before.
pub(super) type Shadowed = Vec<(String, Option<String>)>;

/// Blocks within blocks; more is no plan but an attack on the stack.
const MAX_DEPTH: usize = 100;

impl<'p> ScenarioFlow<'_, 'p> {
    /// A block with its scope.
    pub(super) fn block(&mut self, block: &'p Block) {
        if self.scopes.len() > MAX_DEPTH {
            let at = block.steps.first().map(|step| step.at).unwrap_or_default();
            self.compiler.error(at, Message::new("compile-too-deep"));
            return;
        }
        let shadowed = self.enter(&block.scope);
        self.scopes.push(&block.scope);
        // JMeter counts the calls of a transaction's controllers in its message.
        let told = std::mem::take(&mut self.tells_of_children);
        if self.compiler.lenient() {
            self.starts_of_loops(&block.steps);
        }
        for step in &block.steps {
            self.step(step);
            if told && step.enabled && is_controller(&step.kind) {
                self.code.op(Op::ChildEnds);
            }
        }
        self.scopes.pop();
        self.leave(shadowed);
    }

    /// What happens each time a scope is entered: the next rows, the next counts, variables.
    pub(super) fn enter(&mut self, scope: &'p Scope) -> Shadowed {
        for told in told_of_pass(scope, self.compiler.lenient()) {
            match told {
                ToldOfPass::Data(data) => self.next_row(data),
                ToldOfPass::Counter(counter) => self.count(counter),
                ToldOfPass::Element(element) => self.on_pass(element),
            }
        }
        let mut shadowed = Vec::new();
        for variable in &scope.variables {
            self.scope_variable(variable, &mut shadowed);
        }
        shadowed
    }

    /// Constants of a scope end with it.
    pub(super) fn leave(&mut self, shadowed: Shadowed) {
        for (name, before) in shadowed.into_iter().rev() {
            match before {
                Some(value) => self.compiler.constants.insert(name, value),
                None => self.compiler.constants.remove(&name),
            };
        }
    }

    fn scope_variable(&mut self, variable: &'p Variable, shadowed: &mut Shadowed) {
        let compiler = &mut *self.compiler;
        let value = match compiler.given(variable) {
            Some(value) => crate::program::Template::text(value),
            None => compiler.template(&variable.value),
        };
        compiler.facts.set_by_scope(&variable.name);
        let slot = compiler.slot(&variable.name);
        compiler.mark_secret(slot, variable);
        let of_plan = compiler
            .plan
            .variables
            .iter()
            .any(|v| v.name == variable.name);
        let facts = compiler.known.as_ref();
        let alone = !of_plan && facts.is_some_and(|f| f.set_by_one_scope_only(&variable.name));
        if let (true, Some(value)) = (alone, value.as_text()) {
            let before = compiler
                .constants
                .insert(variable.name.clone(), value.to_owned());
            shadowed.push((variable.name.clone(), before));
        }
        if variable.once_per_run {
            let def = &mut compiler.program.slots[slot.0 as usize];
            def.initial = Some(value);
            def.once_per_run = true;
        } else {
            self.code.op(Op::Set {
                variable: slot,
                value,
            });
        }
    }

    fn next_row(&mut self, data: &'p CsvData) {
        let rows = self.compiler.rows(data);
        let names = self.columns(data);
        let columns = names
            .into_iter()
            .map(|name| {
                let slot = self.compiler.slot_to_set(&name);
                (name, slot)
            })
            .collect();
        let own_row = self.code.register();
        self.code.op(Op::NextRow {
            rows,
            columns,
            own_row,
        });
        let known = &self.compiler.program.shared[rows.0 as usize];
        if let SharedDef::Rows { data: first, .. } = known
            && (first.order, first.at_end) != (data.order, data.at_end)
        {
            let message = Message::new("compile-rows-differ").with("name", data.name.as_str());
            self.compiler.error(data.at, message);
        }
    }

    /// The columns as the plan names them, or as the file does; when that cannot be told, all
    /// names that nothing else explains.
    fn columns(&mut self, data: &'p CsvData) -> Vec<String> {
        if !data.columns.is_empty() {
            return data.columns.clone();
        }
        let compiler = &mut *self.compiler;
        let path = compiler.template(&data.path);
        if let (Some(read), Some(path)) = (&compiler.options.columns_of, path.as_text())
            && let Some(columns) = read(data, &compiler.options.folder.join(path))
        {
            return columns;
        }
        compiler.facts.unknown_columns = true;
        let Some(known) = &compiler.known else {
            return Vec::new();
        };
        let of_plan = |name: &str| {
            let mut declared = compiler.plan.variables.iter().map(|v| v.name.as_str());
            let mut given = compiler.options.set.iter().map(|(name, _)| name.as_str());
            declared.any(|n| n == name) || given.any(|n| n == name)
        };
        let open = known.unexplained().filter(|name| !of_plan(name));
        open.map(str::to_owned).collect()
    }

    fn count(&mut self, counter: &'p Counter) {
        let variable = self.compiler.slot_to_set(&counter.variable);
        let shared = self.compiler.counter(counter);
        let own = self.code.register();
        let Some(digits) = digits(counter) else {
            let format = counter.format.as_deref().unwrap_or_default();
            let message = Message::new("compile-counter-format").with("format", format);
            self.compiler.error(counter.at, message);
            return;
        };
        if counter.step == 0 && counter.end.is_some() {
            self.compiler
                .error(counter.at, Message::new("compile-counter-step"));
        }
        if counter.reset_each_iteration {
            self.at_iteration_start.push(own);
        }
        let (start, step, end) = (counter.start, counter.step, counter.end);
        self.code.op(Op::Count {
            shared,
            own,
            start,
            step,
            end,
            digits,
            variable,
        });
    }
}

/// What is told each time a scope is entered.
enum ToldOfPass<'p> {
    Data(&'p CsvData),
    Counter(&'p Counter),
    Element(&'p Element),
}

/// What a scope tells of a pass, in order. JMeter tells the last of its elements first, of whatever kind (5.6.3,
/// `GenericController.addIterationListener`).
fn told_of_pass(scope: &Scope, from_last: bool) -> Vec<ToldOfPass<'_>> {
    let counters = scope.counters.iter().map(ToldOfPass::Counter);
    let elements = scope.on_pass.iter();
    if !from_last {
        let data = scope.data.iter().map(ToldOfPass::Data);
        let elements = elements.map(ToldOfPass::Element);
        return data.chain(counters).chain(elements).collect();
    }
    let mut told: Vec<_> = counters.collect();
    let mut elements = elements.rev().enumerate().peekable();
    for data in scope.data.iter().rev() {
        let is_behind = |(behind, _): &(usize, &Element)| (*behind as u64) < data.elements_behind;
        while let Some((_, element)) = elements.next_if(is_behind) {
            told.push(ToldOfPass::Element(element));
        }
        told.push(ToldOfPass::Data(data));
    }
    told.extend(elements.map(|(_, element)| ToldOfPass::Element(element)));
    told
}

/// Digits of a counter; a pattern of zeros only says the same.
fn digits(counter: &Counter) -> Option<u8> {
    match counter.format.as_deref() {
        None | Some("") => Some(counter.digits),
        Some(zeros) if zeros.bytes().all(|b| b == b'0') => u8::try_from(zeros.len()).ok(),
        Some(_) => None,
    }
}

//! Elements and the packages they work in.

use plimsoll_text::Message;

use super::compiler::Compiler;
use super::flow::{FlowFrame, ScenarioFlow};
use crate::classes::{Sets, is_listener, may_ask, sets, speaks_for_transaction};
use crate::model::{
    Action, Block, Check, CheckOf, Element, ElementValue, OnError, PauseTime, Processor, Sampler,
    SamplerKind, Scope, ScopePause, StepKind, Text,
};
use crate::program::{
    self as prog, ElementId, ElementProgram, Op, Package, PackageId, PauseTemplate, SiteId,
    ValueProgram,
};

/// The changes of flow that elements may ask for, first those that end more than loops.
const STOPS: [Action; 4] = [
    Action::StopRunNow,
    Action::StopRun,
    Action::StopScenario,
    Action::StopUser,
];
const MOVES: [Action; 3] = [Action::NextIteration, Action::Continue, Action::Break];

/// JMeter's Result Status Action: acts on samples that failed, once the listeners were told.
const RESULT_ACTION: &str = "ResultAction";

/// What a package is made for.
#[derive(Clone, Copy)]
enum Of<'p> {
    Sampler(&'p Sampler, &'p Element),
    Flow(&'p Sampler),
    Transaction,
}

impl<'p> Compiler<'p> {
    /// A place that may keep something.
    pub(super) fn site(&mut self) -> SiteId {
        self.program.sites += 1;
        SiteId(self.program.sites - 1)
    }

    /// The number of an element: the same wherever it is in scope.
    pub(super) fn element(&mut self, element: &'p Element) -> ElementId {
        let address = std::ptr::from_ref(element).addr();
        if let Some(known) = self.elements.get(&address) {
            return *known;
        }
        let compiled = self.element_program(element);
        self.note_sets(element, &compiled);
        let id = ElementId(u32::try_from(self.program.elements.len()).unwrap_or(u32::MAX));
        self.program.elements.push(std::sync::Arc::new(compiled));
        self.elements.insert(address, id);
        id
    }

    fn element_program(&mut self, element: &'p Element) -> ElementProgram {
        let site = self.site();
        let name = self.template(&element.name);
        let properties = element.properties.iter();
        let properties = properties.map(|(key, value)| (key.as_str().into(), self.value(value)));
        ElementProgram {
            class: element.class.clone(),
            name,
            properties: properties.collect(),
            site,
            at: element.at,
        }
    }

    fn value(&mut self, value: &'p ElementValue) -> ValueProgram {
        match value {
            ElementValue::Text(text) => ValueProgram::Text(self.template(text)),
            ElementValue::List(values) => {
                ValueProgram::List(values.iter().map(|value| self.value(value)).collect())
            }
            ElementValue::Element(element) => {
                ValueProgram::Element(Box::new(self.element_program(element)))
            }
        }
    }

    /// Notes which variables an element sets, so that their values are not taken for constants.
    fn note_sets(&mut self, element: &Element, compiled: &ElementProgram) {
        match sets(&element.class) {
            Sets::Nothing => {}
            Sets::Anything => self.facts.anything_is_set = true,
            Sets::NamedIn(property) => {
                let names = compiled.text(property).map(prog::Template::as_text);
                match names {
                    Some(Some(names)) => {
                        let names = names.split([';', ',']).map(str::trim);
                        names.for_each(|name| self.facts.set_all_beginning_with(name));
                    }
                    Some(None) => self.facts.anything_is_set = true,
                    None => {}
                }
            }
        }
    }

    fn package(&mut self, package: Package) -> PackageId {
        self.program.packages.push(std::sync::Arc::new(package));
        PackageId(u32::try_from(self.program.packages.len() - 1).unwrap_or(u32::MAX))
    }
}

impl<'p> ScenarioFlow<'_, 'p> {
    /// An element that works because its scope is entered.
    pub(super) fn on_pass(&mut self, element: &'p Element) {
        let id = self.compiler.element(element);
        self.code.op(Op::Element(id));
    }

    /// The package of a transaction's own sample; none when no element has to do with it.
    pub(super) fn transaction_package(&mut self, body: &'p Scope) -> Option<PackageId> {
        self.scopes.push(body);
        let package = self.gather(Of::Transaction);
        self.scopes.pop();
        let is_empty = package.assertions.is_empty() && package.listeners.is_empty();
        (!is_empty).then(|| self.compiler.package(package))
    }

    /// A sampler that is not HTTP: its package, and what may follow from it.
    pub(super) fn sampler(&mut self, sampler: &'p Sampler) {
        let of = match &sampler.kind {
            SamplerKind::Flow { .. } => Of::Flow(sampler),
            SamplerKind::Element(element) => Of::Sampler(sampler, element),
            SamplerKind::Script(script) => {
                let message = Message::new("compile-script-sampler");
                self.compiler.error(script.at, message);
                return;
            }
        };
        self.before_sampler();
        self.other_steps_before(sampler);
        let package = self.gather(of);
        let asks = self.asks(&package);
        // JMeter's transactions count flow actions among their samples.
        let counted = self.compiler.lenient()
            && self
                .frames
                .iter()
                .any(|frame| matches!(frame, FlowFrame::Transaction { .. }));
        let works = counted
            || package.sampler.is_some()
            || !(package.before.is_empty() && package.timers.is_empty());
        if works {
            let id = self.compiler.package(package);
            self.code.op(Op::Sample(id));
        }
        match &sampler.kind {
            SamplerKind::Flow { pause_ms, action } => {
                if asks {
                    self.act_if_asked(&STOPS);
                    self.act_if_asked(&MOVES);
                }
                self.flow_action(pause_ms.as_ref(), *action);
            }
            SamplerKind::Element(element) if speaks_for_transaction(&element.class) => {
                if asks {
                    self.act_if_asked(&STOPS);
                }
            }
            _ => self.after_package(sampler, asks),
        }
    }

    /// What follows from a transaction that is the sample of a sampler in it; false when it is not.
    pub(super) fn after_transaction_of_sampler(&mut self, body: &'p Block) -> bool {
        let first = body.steps.iter().find_map(|step| match &step.kind {
            StepKind::Sample(sampler) => Some(&**sampler),
            _ => None,
        });
        let Some(sampler) = first else { return false };
        let SamplerKind::Element(element) = &sampler.kind else {
            return false;
        };
        if !speaks_for_transaction(&element.class) {
            return false;
        }
        self.scopes.push(&body.scope);
        let package = self.gather(Of::Sampler(sampler, element));
        let asks = self.asks(&package);
        self.after_package(sampler, asks);
        self.scopes.pop();
        true
    }

    /// What follows from a sample, in JMeter's order: stops, the scenario's rule, moves.
    fn after_package(&mut self, sampler: &'p Sampler, asks: bool) {
        let of_results = self.result_actions(sampler);
        let is_stop = |action: &Action| STOPS.contains(action);
        for action in of_results.iter().filter(|action| is_stop(action)) {
            self.act_if_failed(*action);
        }
        if asks {
            self.act_if_asked(&STOPS);
        }
        self.act_on_error(self.rule_before_checks(sampler));
        // The last one told counts.
        if let Some(action) = of_results.iter().rev().find(|action| !is_stop(action)) {
            self.act_if_failed(*action);
        }
        if asks {
            self.act_if_asked(&MOVES);
        }
        self.yield_turn();
    }

    fn flow_action(&mut self, pause_ms: Option<&'p Text>, action: Option<Action>) {
        if let Some(text) = pause_ms {
            let template_ms = Some(self.compiler.template(text));
            let time = PauseTime::Fixed(std::time::Duration::ZERO);
            self.code.op(Op::Think(PauseTemplate { time, template_ms }));
        }
        if let Some(action) = action {
            self.act_after_sample(action);
        }
    }

    /// Whether something of the package may ask for a change of flow.
    fn asks(&self, package: &Package) -> bool {
        let Package {
            sampler,
            configs: _,
            before,
            timers,
            after,
            assertions,
            listeners,
        } = package;
        let lists = [before, timers, after, assertions, listeners];
        let mut all = sampler.iter().chain(lists.into_iter().flatten());
        all.any(|id| may_ask(&self.compiler.program.elements[id.0 as usize].class))
    }

    fn act_if_asked(&mut self, actions: &[Action]) {
        for action in actions {
            self.act_if(prog::Condition::Asked(*action), *action);
        }
    }

    fn act_if_failed(&mut self, action: Action) {
        let failed = prog::Condition::Not(Box::new(prog::Condition::LastOk));
        self.act_if(failed, action);
    }

    pub(super) fn act_if(&mut self, condition: prog::Condition, action: Action) {
        let to = self.code.mark();
        self.code.op(Op::JumpUnless {
            condition,
            to: to.0,
        });
        self.act_after_sample(action);
        self.code.place(to);
    }

    /// What our own way of writing plans puts before samplers: operations.
    fn other_steps_before(&mut self, sampler: &'p Sampler) {
        let scopes = self.scopes.clone();
        let of_scopes = scopes.iter().flat_map(|scope| &scope.before);
        let before = of_scopes.chain(&sampler.before);
        let before: Vec<&Processor> = before
            .filter(|processor| !matches!(processor, Processor::Element(_)))
            .collect();
        self.processors_before(&before);
        let pauses = scopes.iter().flat_map(|scope| &scope.pauses);
        let pauses: Vec<&ScopePause> = pauses
            .filter(|pause| !matches!(pause, ScopePause::Element(_)))
            .collect();
        self.pauses(&pauses);
    }

    /// The package of a sampler, from the scopes it is in.
    fn gather(&mut self, of: Of<'p>) -> Package {
        let mut package = Package::default();
        let scopes = self.scopes.clone();
        for scope in scopes.iter().rev() {
            self.gather_shared(scope, of, &mut package);
            let pauses = scope.pauses.iter().filter_map(|pause| match pause {
                ScopePause::Element(element) => Some(element),
                _ => None,
            });
            if !matches!(of, Of::Transaction) {
                for element in pauses {
                    package.timers.push(self.compiler.element(element));
                }
            }
        }
        if matches!(of, Of::Transaction) {
            // JMeter asks those of transactions the nearest first.
            for scope in scopes.iter().rev() {
                self.gather_checks(&scope.checks, &mut package);
            }
            return package;
        }
        let mut outermost_first = scopes.clone();
        if self.compiler.lenient() && outermost_first.len() > 1 {
            // JMeter puts the plan's own elements behind those of the thread group.
            outermost_first.swap(0, 1);
        }
        for scope in &outermost_first {
            self.gather_processors(&scope.before, &mut package.before);
        }
        let sampler = match of {
            Of::Sampler(sampler, _) | Of::Flow(sampler) => sampler,
            Of::Transaction => return package,
        };
        self.gather_processors(&sampler.before, &mut package.before);
        if let Of::Sampler(_, element) = of {
            package.sampler = Some(self.compiler.element(element));
            for scope in &outermost_first {
                self.gather_after(&scope.after, &mut package);
                self.gather_checks(&scope.checks, &mut package);
            }
            self.gather_after(&sampler.after, &mut package);
            self.gather_checks(&sampler.checks, &mut package);
        }
        package
    }

    /// Configuration and listeners of a scope.
    fn gather_shared(&mut self, scope: &'p Scope, of: Of<'p>, package: &mut Package) {
        for element in &scope.elements {
            if element.class == RESULT_ACTION {
                continue;
            }
            match (is_listener(&element.class), of) {
                (true, Of::Sampler(..) | Of::Transaction) => {
                    package.listeners.push(self.compiler.element(element));
                }
                (false, Of::Sampler(..) | Of::Flow(_)) => {
                    package.configs.push(self.compiler.element(element));
                }
                _ => {}
            }
        }
    }

    fn gather_processors(&mut self, of: &'p [Processor], to: &mut Vec<ElementId>) {
        for processor in of {
            if let Processor::Element(element) = processor {
                to.push(self.compiler.element(element));
            }
        }
    }

    fn gather_after(&mut self, after: &'p [Processor], package: &mut Package) {
        for processor in after {
            match processor {
                Processor::Element(element) if element.class == RESULT_ACTION => {}
                Processor::Element(element) => {
                    package.after.push(self.compiler.element(element));
                }
                Processor::OnError(_) => {}
                Processor::Extract(extract) => self.not_beside_elements(extract.at),
                Processor::Script(script) => self.not_beside_elements(script.at),
                Processor::Set(variable) => self.not_beside_elements(variable.at),
            }
        }
    }

    fn gather_checks(&mut self, checks: &'p [Check], package: &mut Package) {
        for check in checks {
            match &check.of {
                CheckOf::Element(element) => {
                    package.assertions.push(self.compiler.element(element));
                }
                _ if package.sampler.is_some() => self.not_beside_elements(check.at),
                _ => {}
            }
        }
    }

    fn not_beside_elements(&mut self, at: crate::model::Span) {
        let message = Message::new("compile-not-beside-elements");
        self.compiler.error(at, message);
    }

    /// The action of a failure that is known before the checks.
    fn rule_before_checks(&self, sampler: &'p Sampler) -> Option<Action> {
        let of_scopes = self.scopes.iter().flat_map(|scope| &scope.after);
        let rules = of_scopes.chain(&sampler.after);
        let mut rules = rules.rev().filter_map(|processor| match processor {
            Processor::OnError(OnError::Act(action)) => Some(*action),
            _ => None,
        });
        rules.next()
    }

    /// What JMeter's Result Status Actions in scope do when the sample failed, the nearest
    /// first, as listeners are told. Within a transaction that is itself the sample, those
    /// that hold for the transaction are told of it only, where they do nothing.
    fn result_actions(&self, sampler: &'p Sampler) -> Vec<Action> {
        let within = self.parents.last().copied().unwrap_or(0);
        let mut actions = of_processors(&sampler.after);
        for scope in self.scopes.iter().skip(within).rev() {
            let elements = scope.elements.iter().filter_map(result_action);
            actions.extend(elements);
            actions.extend(of_processors(&scope.after));
        }
        actions
    }
}

fn of_processors(processors: &[Processor]) -> Vec<Action> {
    let elements = processors.iter().filter_map(|processor| match processor {
        Processor::Element(element) => result_action(element),
        _ => None,
    });
    elements.collect()
}

/// What a Result Status Action does (JMeter 5.6.3, `OnErrorTestElement`).
fn result_action(element: &Element) -> Option<Action> {
    if element.class != RESULT_ACTION {
        return None;
    }
    match element.text("OnError.action")?.raw.trim() {
        "1" => Some(Action::StopUser),
        "2" => Some(Action::StopRun),
        "3" => Some(Action::StopRunNow),
        "4" => Some(Action::NextIteration),
        "5" => Some(Action::Continue),
        "6" => Some(Action::Break),
        _ => None,
    }
}

//! A program's elements, bound once for the run.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use plimsoll_elements::{Bound, Fields, Properties, registry};
use plimsoll_plan::program::{
    ElementId, ElementProgram, Op, Package, PackageId, Program, Template, ValueProgram,
};

use super::fifo_pop::{FifoPop, POP_CLASS};
use super::needs::{Needs, calls_companion, waiting_site};
use super::options::JMeterOptions;
use super::sampler::BoundSampler;
use plimsoll_load::kit::extract::BindError;

/// Configuration that native samplers use; the companion gets it with its samplers.
const NATIVE_CONFIGS: [&str; 12] = [
    "eu.luminis.jmeter.wssampler.BinaryFrameFilter",
    "eu.luminis.jmeter.wssampler.PingFrameFilter",
    "eu.luminis.jmeter.wssampler.TextFrameFilter",
    "ConfigTestElement",
    "HeaderManager",
    "CookieManager",
    "CacheManager",
    "AuthManager",
    "DNSCacheManager",
    "KeystoreConfig",
    "Arguments",
    "LoginConfig",
];

/// The timer that waits for other users of its group.
const MEETING: &str = "SyncTimer";

/// An element, bound.
#[derive(Debug)]
pub enum BoundElement {
    /// A native leaf.
    Leaf(Bound),
    /// A timer that waits for other users of its group.
    Meeting,
    /// A processor that queries a database.
    Jdbc(Box<super::jdbc::Query>),
    /// It changes the HTTP sampler that it stands before.
    Modifier(Arc<super::http::modifiers::Modifier>),
    /// It waits for a text in a queue.
    Pop(FifoPop),
    /// The companion's.
    Remote,
    /// A listener, by its number among the run's listeners.
    Listener(u32),
    /// A sampler or its configuration: bound with its package.
    Config,
}

/// A package, bound.
pub struct BoundPackage {
    /// Which of the program's packages it is.
    pub id: PackageId,
    /// The sampler's element.
    pub sampler_id: Option<ElementId>,
    /// The sampler with its configuration.
    pub sampler: BoundSampler,
    /// What is wanted of its result.
    pub needs: Needs,
    /// Configuration, the nearest first.
    pub configs: Vec<ElementId>,
    /// Pre-processors.
    pub before: Vec<ElementId>,
    /// Timers.
    pub timers: Vec<ElementId>,
    /// Post-processors.
    pub after: Vec<ElementId>,
    /// Assertions.
    pub assertions: Vec<ElementId>,
    /// Listeners, by their number among the run's listeners.
    pub listeners: Arc<[u32]>,
    /// Listeners that the companion runs, for each sample at once.
    pub remote_listeners: Vec<ElementId>,
    /// What works on the result has texts that look at the last result, which it then is.
    pub looks_back: bool,
    /// Something before the sampler may wait for others than the clock.
    pub waits: bool,
    /// The label, when it is the same for all samples.
    pub label: Option<String>,
}

/// All elements and packages of a program.
pub struct BoundProgram {
    /// By element.
    pub elements: Vec<BoundElement>,
    /// The elements of the listeners, by their number; those beyond are not the plan's.
    pub listeners: Vec<ElementId>,
    /// Listeners beside those of the plan.
    pub more_listeners: u32,
    /// The texts of an element that must wait for the companion, in their order.
    pub waiting: HashMap<ElementId, Vec<Template>>,
    /// Something looks at the last result once its package is done.
    pub keeps_previous: bool,
    /// Elements that the companion runs, and the configuration of its samplers.
    pub remote: BTreeSet<ElementId>,
    /// There are elements or functions of JMeter's.
    pub active: bool,
    /// The companion is needed.
    pub needs_companion: bool,
    /// JMeter's properties.
    properties: Properties,
}

/// Whether a program has elements or functions of JMeter's.
pub fn has_elements(program: &Program) -> bool {
    program.sites > 0 || !program.elements.is_empty()
}

impl BoundProgram {
    /// Binds.
    ///
    /// # Errors
    /// All mistakes.
    pub fn new(program: &Program, options: &JMeterOptions) -> Result<Self, Vec<BindError>> {
        let mut mistakes = Vec::new();
        let mut bound = Self {
            elements: Vec::with_capacity(program.elements.len()),
            listeners: Vec::new(),
            more_listeners: u32::try_from(options.listeners.len()).unwrap_or(0),
            waiting: HashMap::new(),
            keeps_previous: false,
            remote: BTreeSet::new(),
            active: has_elements(program),
            needs_companion: false,
            properties: options.properties.clone(),
        };
        let roles = roles(program);
        for (number, element) in (0..).zip(&program.elements) {
            let id = ElementId(number);
            match bound.element(id, program, roles.get(&id).copied()) {
                Ok(element) => bound.elements.push(element),
                Err(message) => {
                    mistakes.push(BindError {
                        at: element.at,
                        message,
                    });
                    bound.elements.push(BoundElement::Config);
                }
            }
        }
        bound.look_at_texts(program);
        bound.look_at_samplers(program);
        if mistakes.is_empty() {
            Ok(bound)
        } else {
            Err(mistakes)
        }
    }

    /// Binds the packages, when it is known what the listeners want; of all results somebody
    /// wants at least this.
    ///
    /// # Errors
    /// All mistakes.
    pub fn packages(
        &self,
        program: &Program,
        wants: &[Needs],
        least: Needs,
    ) -> Result<Vec<BoundPackage>, Vec<BindError>> {
        let (mut bound, mut mistakes) = (Vec::new(), Vec::new());
        for (number, package) in (0..).zip(&program.packages) {
            match self.package(PackageId(number), package, program, (wants, least)) {
                Ok(package) => bound.push(package),
                Err(mistake) => mistakes.push(mistake),
            }
        }
        self.spread_timeouts(program, &mut bound);
        if mistakes.is_empty() {
            Ok(bound)
        } else {
            Err(mistakes)
        }
    }

    /// A sample timeout is for all samplers of its thread group, wherever it stands (JMeter
    /// 5.6.3, `JMeterThread.sampleMonitors`).
    fn spread_timeouts(&self, program: &Program, packages: &mut [BoundPackage]) {
        let is_timeout = |id: &ElementId| {
            let element = &self.elements[id.0 as usize];
            matches!(element, BoundElement::Leaf(Bound::Timeout(_)))
        };
        let scenarios = program.setup.iter().chain(&program.scenarios);
        for scenario in scenarios.chain(&program.teardown) {
            let samples: BTreeSet<usize> = scenario
                .ops
                .iter()
                .filter_map(|op| match op {
                    Op::Sample(id) => Some(id.0 as usize),
                    _ => None,
                })
                .collect();
            let before = samples.iter().filter_map(|at| packages.get(*at));
            let before = before.flat_map(|package| package.before.iter().copied());
            let timeouts: BTreeSet<ElementId> = before.filter(is_timeout).collect();
            for at in samples {
                let Some(package) = packages.get_mut(at) else {
                    continue;
                };
                let own = package.before.clone();
                let others = timeouts.iter().filter(|id| !own.contains(id));
                package.before.extend(others);
            }
        }
    }

    /// Whether a sampler is the companion's.
    fn look_at_samplers(&mut self, program: &Program) {
        for package in &program.packages {
            let of = |id: &ElementId| &program.elements[id.0 as usize];
            let remote_sampler = package
                .sampler
                .filter(|_| !super::sampler::is_native(program, package, &self.properties));
            self.remote.extend(remote_sampler);
            let leaves = [&package.before, &package.timers, &package.after];
            let mut leaves = leaves.into_iter().chain([&package.assertions]).flatten();
            let is_remote =
                |id: &ElementId| matches!(self.elements[id.0 as usize], BoundElement::Remote);
            if remote_sampler.is_some() || leaves.any(is_remote) {
                let foreign = |id: &&ElementId| !NATIVE_CONFIGS.contains(&of(id).class.as_str());
                self.remote.extend(package.configs.iter().filter(foreign));
            }
        }
        let elements = (0..).map(ElementId).zip(&self.elements);
        let remote = elements.filter(|(_, it)| matches!(it, BoundElement::Remote));
        self.remote.extend(remote.map(|(id, _)| id));
        self.needs_companion |= !self.remote.is_empty();
        self.keeps_previous |= self.needs_companion;
    }

    fn element(
        &mut self,
        id: ElementId,
        program: &Program,
        role: Option<Role>,
    ) -> Result<BoundElement, plimsoll_text::Message> {
        let element = &program.elements[id.0 as usize];
        Ok(match role {
            Some(Role::Config) | None => BoundElement::Config,
            Some(Role::Listener) => {
                let listeners = plimsoll_elements::listeners::LISTENERS;
                let known = listeners.iter().any(|(class, _)| *class == element.class);
                if known && !is_foreign_backend(element) {
                    let number = u32::try_from(self.listeners.len()).unwrap_or(u32::MAX);
                    self.listeners.push(id);
                    BoundElement::Listener(number)
                } else {
                    BoundElement::Remote
                }
            }
            Some(Role::Leaf) if element.class == MEETING => BoundElement::Meeting,
            Some(Role::Leaf) if element.class == POP_CLASS => {
                BoundElement::Pop(FifoPop::bind(element))
            }
            Some(Role::Leaf)
                if super::jdbc::is_jdbc(&element.class) && super::jdbc::is_all_native(program) =>
            {
                BoundElement::Jdbc(Box::new(super::jdbc::Query::bind(program, element)))
            }
            Some(Role::Leaf) => match registry::bind(element) {
                Some(leaf) => BoundElement::Leaf(leaf),
                None => match super::http::modifiers::Modifier::bind(element) {
                    Some(modifier) => BoundElement::Modifier(Arc::new(modifier)),
                    None => BoundElement::Remote,
                },
            },
        })
    }

    /// What the texts of the plan want: the companion, the last result.
    fn look_at_texts(&mut self, program: &Program) {
        for (number, element) in (0..).zip(&program.elements) {
            let mut waiting = Vec::new();
            let (mut keeps, mut remote) = (false, false);
            each_text(element, &mut |template| {
                remote |= calls_companion(template);
                keeps |= looks_back(template);
                if waiting_site(template).is_some() {
                    waiting.push(template.clone());
                }
            });
            self.needs_companion |= remote;
            if !waiting.is_empty() {
                self.waiting.insert(ElementId(number), waiting);
            }
            self.keeps_previous |= keeps || super::needs::looks_at_previous(&element.class);
        }
        self.needs_companion |= flow_waits(program);
        self.keeps_previous |= self.needs_companion || flow_looks_back(program);
    }

    fn package(
        &self,
        id: PackageId,
        package: &Package,
        program: &Program,
        (wants, least): (&[Needs], Needs),
    ) -> Result<BoundPackage, BindError> {
        let (mut listeners, mut remote_listeners) = (Vec::new(), Vec::new());
        for id in &package.listeners {
            match self.elements[id.0 as usize] {
                BoundElement::Listener(number) => listeners.push(number),
                BoundElement::Remote => remote_listeners.push(*id),
                _ => {}
            }
        }
        let own = u32::try_from(self.listeners.len()).unwrap_or(0);
        listeners.extend(own..own + self.more_listeners);
        let needs = self.needs(package, program, &listeners, wants).or(least);
        let sampler = BoundSampler::bind(program, package, needs, &self.properties);
        let sampler = sampler.map_err(|message| BindError {
            at: package
                .sampler
                .map(|id| program.elements[id.0 as usize].at)
                .unwrap_or_default(),
            message,
        })?;
        Ok(BoundPackage {
            id,
            sampler_id: package.sampler,
            sampler,
            needs,
            configs: package.configs.clone(),
            before: package.before.clone(),
            timers: package.timers.clone(),
            after: package.after.clone(),
            assertions: package.assertions.clone(),
            listeners: listeners.into(),
            remote_listeners,
            looks_back: self.keeps_previous && leaves_look_back(package, program),
            waits: self.waits(package),
            label: package.sampler.and_then(|id| {
                let name = &program.elements[id.0 as usize].name;
                name.as_text().map(str::to_owned)
            }),
        })
    }

    fn waits(&self, package: &Package) -> bool {
        let mut before = package.before.iter().chain(&package.timers);
        before.any(|id| {
            let element = &self.elements[id.0 as usize];
            matches!(
                element,
                BoundElement::Remote | BoundElement::Meeting | BoundElement::Pop(_)
            ) || self.waiting.contains_key(id)
        })
    }

    fn needs(
        &self,
        package: &Package,
        program: &Program,
        listeners: &[u32],
        wants: &[Needs],
    ) -> Needs {
        if self.keeps_previous {
            return Needs::ALL;
        }
        let of_element = |id: &ElementId| Needs::of(&program.elements[id.0 as usize]);
        let leaves = package.after.iter().chain(&package.assertions);
        let mut needs = leaves.map(of_element).fold(Needs::default(), Needs::or);
        for number in listeners {
            needs = needs.or(wants.get(*number as usize).copied().unwrap_or(Needs::ALL));
        }
        needs
    }
}

/// Whether it is a backend listener with a client or sender that is not native.
fn is_foreign_backend(element: &ElementProgram) -> bool {
    use plimsoll_elements::listeners::backend::{SENDER_ARGUMENTS, is_native};
    if element.class != "BackendListener" {
        return false;
    }
    let fields = Fields(element);
    let arguments = fields.element("arguments");
    let arguments = arguments.map(|list| list.elements("Arguments.arguments"));
    let senders = arguments
        .into_iter()
        .flatten()
        .filter(|argument| SENDER_ARGUMENTS.contains(&argument.fixed_text("Argument.name")));
    let senders = senders.map(|argument| argument.fixed_text("Argument.value"));
    !is_native(fields.fixed_text("classname"), senders)
}

/// What an element does in the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Config,
    Leaf,
    Listener,
}

fn roles(program: &Program) -> HashMap<ElementId, Role> {
    let mut roles = HashMap::new();
    for package in &program.packages {
        let configs = package.sampler.iter().chain(&package.configs);
        roles.extend(configs.map(|id| (*id, Role::Config)));
        let leaves = package.before.iter().chain(&package.timers);
        let leaves = leaves.chain(&package.after).chain(&package.assertions);
        roles.extend(leaves.map(|id| (*id, Role::Leaf)));
        roles.extend(package.listeners.iter().map(|id| (*id, Role::Listener)));
    }
    for op in all_ops(program) {
        if let Op::Element(id) = op {
            roles.insert(*id, Role::Leaf);
        }
    }
    roles
}

/// The operations of all scenarios.
pub(super) fn all_ops(program: &Program) -> impl Iterator<Item = &Op> {
    let scenarios = program.setup.iter().chain(&program.scenarios);
    let scenarios = scenarios.chain(&program.teardown);
    scenarios.flat_map(|scenario| &scenario.ops)
}

/// Calls `see` with each text of an element, those of elements within included.
pub(super) fn each_text<'e>(element: &'e ElementProgram, see: &mut impl FnMut(&'e Template)) {
    see(&element.name);
    for (_, value) in &element.properties {
        each_text_of(value, see);
    }
}

fn each_text_of<'e>(value: &'e ValueProgram, see: &mut impl FnMut(&'e Template)) {
    match value {
        ValueProgram::Text(template) => see(template),
        ValueProgram::List(values) => values.iter().for_each(|value| each_text_of(value, see)),
        ValueProgram::Element(element) => {
            // Written out: a recursive generic closure would never end.
            see(&element.name);
            for (_, value) in &element.properties {
                each_text_of(value, see);
            }
        }
    }
}

/// Whether a text looks at the last result.
fn looks_back(template: &Template) -> bool {
    use plimsoll_plan::functions::Function;
    use plimsoll_plan::program::Part;
    template.parts.iter().any(|part| match part {
        Part::Call(call) => {
            let own = match call.function {
                Function::JMeter(name) => super::needs::function_looks_back(name, &call.raw),
                _ => false,
            };
            own || call.args.iter().any(looks_back)
        }
        _ => false,
    })
}

/// Whether the leaves that work on the result look at the last result.
fn leaves_look_back(package: &Package, program: &Program) -> bool {
    let mut leaves = package.after.iter().chain(&package.assertions);
    leaves.any(|id| {
        let mut looks = false;
        let mut see = |template: &Template| looks |= looks_back(template);
        each_text(&program.elements[id.0 as usize], &mut see);
        looks
    })
}

/// Whether an operation's own texts, or the first values of variables, are the companion's.
fn flow_waits(program: &Program) -> bool {
    let mut texts: Vec<&Template> = Vec::new();
    all_ops(program).for_each(|op| super::needs::texts_of(op, &mut texts));
    texts.extend(
        program
            .slots
            .iter()
            .filter_map(|slot| slot.initial.as_ref()),
    );
    texts.extend(super::needs::data_files(program).map(|(path, _)| path));
    texts.into_iter().any(calls_companion)
}

/// Whether an operation's own texts look at the last result.
fn flow_looks_back(program: &Program) -> bool {
    let mut texts = Vec::new();
    all_ops(program).for_each(|op| super::needs::texts_of(op, &mut texts));
    texts.into_iter().any(looks_back)
}

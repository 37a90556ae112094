//! The Parallel Controller of the plugin `jmeter-parallel` (0.12, `ParallelSampler`).
//!
//! To JMeter it is a sampler with children: what holds for samplers works once for it, and again for each
//! below it. With "generate parent sample" it is one sample, whose parts are those below and which names them;
//! without, it brings none.

use plimsoll_plan::model::{Block, ElementValue, Sampler, SamplerKind, Step, StepKind};

use super::element::{flag, flat};
use super::translator::Translator;
use crate::classes::{Category, category};
use crate::read::JmxNode;

/// Its class.
pub(super) const CONTROLLER: &str = "com.blazemeter.jmeter.controller.ParallelSampler";
/// The property of its sampler with the names of its children.
const ITEMS: &str = "items";
/// Threads for its children where their number is limited and not written.
const THREADS_UNLESS_WRITTEN: u64 = 6;

impl Translator<'_> {
    /// The scope, the controller's own turn as a sampler, and its children at once.
    pub(super) fn parallel(&mut self, node: &JmxNode) -> StepKind {
        let element = &node.element;
        let limited = flag(element, "LIMIT_MAX_THREAD_NUMBER");
        let most = limited.then(|| {
            let written = self.known.value(&flat(element, "MAX_THREAD_NUMBER"));
            let written = written.and_then(|text| text.trim().parse().ok());
            written.unwrap_or(THREADS_UNLESS_WRITTEN).max(1)
        });
        let Block { scope, steps } = self.block(node);
        let as_parent = flag(element, "PARENT_SAMPLE");
        let kind = match as_parent {
            true => naming(node),
            false => SamplerKind::Flow {
                pause_ms: None,
                action: None,
            },
        };
        let turn = Sampler {
            label: element.name.clone(),
            kind,
            at: node.at,
            ..Sampler::default()
        };
        let body = Block {
            steps,
            ..Block::default()
        };
        let steps = vec![
            Step::new(StepKind::Sample(Box::new(turn)), node.at),
            Step::new(StepKind::Parallel { most, body }, node.at),
        ];
        let block = Block { scope, steps };
        match as_parent {
            true => StepKind::Transaction {
                label: element.name.clone(),
                include_pauses: true,
                as_parent: true,
                body: block,
            },
            false => StepKind::Block(block),
        }
    }
}

/// The controller as a sampler that says of its sample what the plugin says: the names of what it runs at once.
fn naming(node: &JmxNode) -> SamplerKind {
    let runs = |child: &&JmxNode| {
        let kind = category(&child.element.class);
        child.enabled && matches!(kind, Some(Category::Sampler | Category::Controller))
    };
    let names = node.children.iter().filter(runs);
    let names = names.map(|child| ElementValue::Text(child.element.name.clone()));
    let mut element = node.element.clone();
    element.properties = vec![(ITEMS.to_owned(), ElementValue::List(names.collect()))];
    SamplerKind::Element(element)
}

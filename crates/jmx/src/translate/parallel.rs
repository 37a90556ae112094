//! The Parallel Controller of the plugin `jmeter-parallel` (0.12, `ParallelSampler`).
//!
//! To JMeter it is a sampler with children: what holds for samplers works once for it, and again for each
//! below it. With "generate parent sample" it is one sample, whose parts are those below; without, it
//! brings none.

use plimsoll_plan::model::{Block, Sampler, SamplerKind, Step, StepKind};

use super::element::{flag, flat};
use super::translator::Translator;
use crate::read::JmxNode;

/// Its class.
pub(super) const CONTROLLER: &str = "com.blazemeter.jmeter.controller.ParallelSampler";
/// Threads for its children where their number is limited and not written.
const MOST: u64 = 6;

impl Translator<'_> {
    /// The scope, the controller's own turn as a sampler, and its children at once.
    pub(super) fn parallel(&mut self, node: &JmxNode) -> StepKind {
        let element = &node.element;
        let limited = flag(element, "LIMIT_MAX_THREAD_NUMBER");
        let most = limited.then(|| {
            let written = self.known.value(&flat(element, "MAX_THREAD_NUMBER"));
            let written = written.and_then(|text| text.trim().parse().ok());
            written.unwrap_or(MOST).max(1)
        });
        let Block { scope, steps } = self.block(node);
        let turn = Sampler {
            label: element.name.clone(),
            kind: SamplerKind::Flow {
                pause_ms: None,
                action: None,
            },
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
        match flag(element, "PARENT_SAMPLE") {
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

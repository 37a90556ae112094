//! Requests, and exchanges of other protocols, as steps.

use super::base::*;
use super::protocols;
use crate::model::{Block, HttpRequest, OnError, Processor, Scope, Step, StepKind};

/// A request as a step: with a rule of its own for failures it is a block.
pub(super) struct RequestStep;

impl RequestStep {
    pub fn read(decoder: &mut Decoder<'_>, node: &Node) -> Option<StepKind> {
        let request = HttpRequest::read(decoder, node)?;
        Some(Self::with_rule(
            decoder,
            node,
            StepKind::Http(Box::new(request)),
        ))
    }

    /// The step, in a block if it has a rule of its own for failures.
    pub fn with_rule(decoder: &mut Decoder<'_>, node: &Node, request: StepKind) -> StepKind {
        let Some(rule) = present::<OnError>(decoder, node, "on-error") else {
            return request;
        };
        let scope = Scope {
            on_error: Some(rule),
            ..Scope::default()
        };
        let steps = vec![Step::new(request, node.at)];
        StepKind::Block(Block { scope, steps })
    }

    pub fn write(request: &HttpRequest, map: &mut Map) {
        let mut names: Vec<&str> = request
            .save
            .iter()
            .map(|save| save.variable.as_str())
            .collect();
        names.sort_unstable();
        if names.windows(2).all(|pair| pair[0] != pair[1]) {
            return Self::write_keys(request, map);
        }
        // One variable twice: a mapping cannot say that.
        let mut request = request.clone();
        let saves = std::mem::take(&mut request.save).into_iter();
        request.after.splice(0..0, saves.map(Processor::Extract));
        Self::write_keys(&request, map);
    }

    fn write_keys(request: &HttpRequest, map: &mut Map) {
        let exchange = request.exchange.as_ref();
        let step = exchange.and_then(|exchange| Some((protocols::step(exchange.step)?, exchange)));
        match step {
            Some((step, exchange)) => step.write(request, exchange, map),
            None => HttpRequest::write_keys(request, map),
        }
    }
}

//! Changes that the companion made to a result.

use std::cell::RefCell;
use std::rc::Rc;

use plimsoll_elements::SampleResult;

use crate::known::KnownToCompanion;
use crate::protocol::ResultNode;

/// The result as scripts left it; bodies that they did not touch are not in it.
#[derive(Debug)]
pub struct ResultChanges {
    pub(crate) node: ResultNode,
    pub(crate) known: Rc<RefCell<KnownToCompanion>>,
}

impl ResultChanges {
    /// Makes `result` (the one that was given as [`crate::CallMoment::previous`]) what the
    /// companion made of it.
    pub fn apply(self, result: &mut SampleResult) {
        let mut bodies = Vec::new();
        take_bodies(result, &mut bodies);
        *result = build(self.node, &mut bodies);
        self.known.borrow_mut().agreed(result);
    }

    /// Whether the result is no longer to be told to listeners, nor counted.
    #[must_use]
    pub const fn is_ignored(&self) -> bool {
        self.node.result.ignored
    }
}

/// The bodies of a tree in pre-order.
fn take_bodies(result: &mut SampleResult, bodies: &mut Vec<Vec<u8>>) {
    bodies.push(std::mem::take(&mut result.body));
    for part in &mut result.parts {
        take_bodies(part, bodies);
    }
}

/// A result from what was read.
pub fn build(node: ResultNode, bodies: &mut [Vec<u8>]) -> SampleResult {
    let mut result = node.result;
    if node.same_body {
        let place = node
            .origin
            .and_then(|origin| bodies.get_mut(origin as usize));
        result.body = place.map(std::mem::take).unwrap_or_default();
    }
    let parts = node.parts.into_iter();
    result.parts = parts.map(|part| build(part, bodies)).collect();
    result
}

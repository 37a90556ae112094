//! A Concurrency Thread Group whose number of users follows a Throughput Shaping Timer: `${__tstFeedback(…)}` as its
//! target (jpgc-tst 2.6). Users who wait at the timer send nothing, and the timer alone keeps the rate: as many as the
//! function may ask for are there from the start, so that no request waits for a user who is yet to come.

use plimsoll_text::Message;

use super::translator::Translator;
use crate::read::JmxNode;

/// The property with the number of users.
const TARGET: &str = "TargetLevel";
const TIMER: &str = "kg.apc.jmeter.timers.VariableThroughputTimer";

impl Translator<'_> {
    /// The number of users that a Concurrency Thread Group is to reach.
    pub(super) fn target_users(&mut self, node: &JmxNode) -> f64 {
        let Some(most) = self.most_by_feedback(node) else {
            return self.target(node);
        };
        let at = node.element.text(TARGET).map_or(node.at, |text| text.at);
        let message = Message::new("jmeter-feedback-users").with("users", most);
        self.warn(at, message);
        f64::from(most)
    }

    /// The number of users, or of arrivals in a unit of time, that a group of the plugin is to reach: a whole
    /// number to it, and 1 when it is not there (casutg 2.10, `AbstractDynamicThreadGroupModel`).
    pub(super) fn target(&mut self, node: &JmxNode) -> f64 {
        match node.element.text(TARGET) {
            None => 1.0,
            #[expect(clippy::cast_precision_loss)] // It is one of 32 bits.
            Some(_) => self.count_of(node, TARGET).max(0) as f64,
        }
    }

    /// The most users that the function may ask for, where its timer is in the plan.
    fn most_by_feedback(&self, node: &JmxNode) -> Option<u32> {
        let text = node.element.text(TARGET)?.raw.trim();
        let inner = text.strip_prefix("${__tstFeedback(")?.strip_suffix(")}")?;
        let arguments = arguments(inner)?;
        let argument = |at: usize| self.known.value(arguments.get(at)?.trim());
        let timer = argument(0)?;
        let most: u32 = argument(2)?.trim().parse().ok()?;
        (most > 0 && has_timer(&self.tree.roots, &timer)).then_some(most)
    }
}

/// The arguments of a call, none where its brackets do not fit.
fn arguments(inner: &str) -> Option<Vec<&str>> {
    let (mut depth, mut from, mut found) = (0usize, 0, Vec::new());
    for (at, c) in inner.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                found.push(&inner[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push(&inner[from..]);
    (depth == 0).then_some(found)
}

fn has_timer(nodes: &[JmxNode], name: &str) -> bool {
    nodes.iter().any(|node| {
        let is_it = node.element.class == TIMER && node.element.name.raw == name;
        node.enabled && (is_it || has_timer(&node.children, name))
    })
}

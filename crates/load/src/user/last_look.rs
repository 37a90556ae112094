//! What JMeter's thread does when it was stopped: it asks its controllers for the next sampler once more, runs
//! it no more, and so comes to the ends of transactions (5.6.3, `JMeterThread.run`).

use plimsoll_plan::program::{Op, Pc};

use super::User;
use super::step::NextStep;
use crate::extension::TransactionEnding;

/// Operations that the look takes at most: it finds no sampler in a loop without one.
const MOST_STEPS: u32 = 10_000;

impl User {
    /// Whether that is so now.
    pub(super) fn stops_as_jmeter(&self) -> bool {
        self.thread.names.keeps_literal() && self.has_foreign_transaction()
    }

    /// The user stops within transactions of the extension; `pc` is what would follow.
    pub(super) async fn stop_in_transactions(&mut self, ops: &[Op], pc: Pc) {
        let Some(extension) = self.extension.clone() else {
            return;
        };
        // A branch leaves those around it to its user.
        let outer = self.branch_of.as_ref().map_or(0, |of| of.outer);
        let parent = self.transactions.iter().rposition(|open| open.as_parent);
        let inner = parent.map_or(outer, |parent| outer.max(parent + 1));
        // One that is a sample itself ends at once, and hides those around it from the look.
        let open = self.transactions.len().saturating_sub(inner);
        let ending = TransactionEnding::Stopped(outer);
        extension.end_transactions(self, ending).await;
        self.look_on(ops, pc, open).await;
    }

    /// Goes on up to the next sampler, or to the end of a transaction that is none of the `open` ones within
    /// which it began.
    async fn look_on(&mut self, ops: &[Op], mut pc: Pc, mut open: usize) {
        for _ in 0..MOST_STEPS {
            let Some(op) = ops.get(pc as usize) else {
                return;
            };
            match op {
                Op::TransactionEnd if open == 0 => return,
                Op::TransactionEnd => open -= 1,
                Op::TransactionStart {
                    as_parent: false, ..
                } => open += 1,
                // What enters a scope works no more, and no second change of flow counts.
                Op::Element(_) | Op::Action(_) => {
                    pc += 1;
                    continue;
                }
                _ if ends_look(op) => return,
                _ => {}
            }
            pc = match self.other_op(op, ops, pc).await {
                Ok(NextStep::To(next)) => next,
                _ => return,
            };
        }
    }
}

/// Whether the look ends here: something is sampled or waited for, or another pass begins.
fn ends_look(op: &Op) -> bool {
    matches!(
        op,
        Op::Request(_)
            | Op::Exchange(_)
            | Op::Sample(_)
            | Op::Together { .. }
            | Op::TransactionStart { .. }
            | Op::Think(_)
            | Op::Lock(_)
            | Op::LockNamed { .. }
            | Op::Rendezvous(_)
            | Op::PaceThroughput { .. }
            | Op::NextRow { .. }
            | Op::Count { .. }
            | Op::BranchEnd
            | Op::End
    )
}

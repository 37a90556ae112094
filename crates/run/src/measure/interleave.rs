//! Two plans in turn, pair by pair, so that what drifts meets both alike.

use std::sync::Arc;

use plimsoll_stats::Summary;
use plimsoll_text::Message;

use super::series::{MeasureError, RunSeries, UNREACHABLE};
use crate::{LoadSettings, ReadyPlan};

/// Runs two plans in turn; gives the summaries of A and of B, as many of each, pair by pair. `made`
/// hears of each run that counts. An interruption ends it early: a
/// pair that was interrupted is none.
///
/// # Errors
/// What could not be made, a target that cannot be reached.
pub fn interleave(
    names: [&str; 2],
    ready: [&Arc<ReadyPlan>; 2],
    pairs: u32,
    load: &LoadSettings,
    series: &RunSeries<'_>,
    made: &dyn Fn(&str, &Summary),
) -> Result<[Vec<Summary>; 2], MeasureError> {
    let mut sides = [Vec::new(), Vec::new()];
    'pairs: for pair in 0..pairs {
        // The order alternates, so that what the first run of a pair leaves behind (caches, a
        // warm JVM) does not always help the same side.
        let order = if pair % 2 == 0 { [0, 1] } else { [1, 0] };
        for at in order {
            let message = Message::new("compare-pair")
                .with("number", pair + 1)
                .with("count", pairs)
                .with("side", if at == 0 { "A" } else { "B" })
                .with("plan", names[at]);
            (series.tell)(&message);
            let one = series.make(ready[at], load)?;
            if series.interrupt.is_hit() {
                break 'pairs;
            }
            if one.summary.exit_code == UNREACHABLE {
                return Err(MeasureError::Unreachable(Message::new(
                    "compare-unreachable",
                )));
            }
            made(&one.run.id(), &one.summary);
            sides[at].push(one.summary);
        }
    }
    let whole = sides[0].len().min(sides[1].len());
    sides.iter_mut().for_each(|side| side.truncate(whole));
    Ok(sides)
}

//! What a reader must know of a load that was raised or lowered after the result.

use plimsoll_stats::summary::ProbeLevel;
use plimsoll_text::Message;

use crate::data::RunData;
use crate::document::NoticeLevel;
use crate::number::figure;

/// What came of each load.
pub(crate) fn notice(data: &RunData<'_>) -> Option<(NoticeLevel, String)> {
    let (say, probe) = (data.say, data.summary.probe.as_ref()?);
    let lines = probe.levels.iter().map(|level| say.message(&line(level)));
    let is_lowered = probe.levels.last().is_some_and(|level| level.load < 1.0);
    let how = if is_lowered { "lowered" } else { "raised" };
    let head = say.message(&Message::new("report-probe").with("how", how));
    let text: Vec<String> = std::iter::once(head).chain(lines).collect();
    Some((NoticeLevel::Plain, text.join("\n")))
}

fn line(level: &ProbeLevel) -> Message {
    Message::new("report-probe-level")
        .with("load", figure(level.load))
        .with("throughput", figure(level.throughput_per_s))
        .with("response", figure(level.response_ms))
}

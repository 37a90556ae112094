//! What a reader must know of a load that was raised after the result.

use plimsoll_stats::summary::ProbeLevel;
use plimsoll_text::Message;

use crate::data::RunData;
use crate::document::NoticeLevel;
use crate::number::figure;

/// What came of each load.
pub(crate) fn notice(data: &RunData<'_>) -> Option<(NoticeLevel, String)> {
    let (say, probe) = (data.say, data.summary.probe.as_ref()?);
    let lines = probe.levels.iter().map(|level| say.message(&line(level)));
    let head = say.text("report-probe");
    let text: Vec<String> = std::iter::once(head).chain(lines).collect();
    Some((NoticeLevel::Plain, text.join("\n")))
}

fn line(level: &ProbeLevel) -> Message {
    Message::new("report-probe-level")
        .with("load", figure(level.load))
        .with("throughput", figure(level.throughput_per_s))
        .with("response", figure(level.response_ms))
}

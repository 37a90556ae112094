//! The captures of a run.

use plimsoll_store::{Run, StoredCapture};
use plimsoll_text::Message;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::data::target::SeriesThing;
use crate::problem::ApiError;

/// What a capture can be looked at as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CaptureView {
    /// Threads by their stacks, and locks.
    Threads,
    /// A flame graph.
    Flame,
    /// Classes of a heap.
    Classes,
    /// Statements and commands of a database.
    Statements,
    /// Its text.
    Text,
}

impl CaptureView {
    /// Its name, as routes have it.
    const fn name(self) -> &'static str {
        match self {
            Self::Threads => "threads",
            Self::Flame => "flame",
            Self::Classes => "classes",
            Self::Statements => "statements",
            Self::Text => "text",
        }
    }
}

/// A capture of a run.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct CaptureListed {
    /// Its number in the run.
    pub number: i64,
    /// What it is: `thread_dump`, `class_histogram`, `cpu_profile` …
    pub kind: String,
    /// Why then: `start`, `knee`, `steady`, `worst`, `end`, `request`.
    pub moment: String,
    /// When, seconds from the run's start; negative: before it.
    pub at_s: f64,
    /// How long taking it took.
    pub took_ms: f64,
    /// Its length in bytes.
    pub length: u64,
    /// Its form, such as `text/plain`.
    pub media_type: String,
    /// The thing it is of.
    pub entity: SeriesThing,
    /// What it can be looked at as, the most telling first.
    pub views: Vec<CaptureView>,
}

fn views(kind: &str, media_type: &str) -> Vec<CaptureView> {
    use CaptureView::{Classes, Flame, Statements, Text, Threads};
    let mut views = match kind {
        "thread_dump" | "virtual_threads" => vec![Threads, Flame],
        "jfr" | "cpu_profile" | "cpu_samples" | "lock_profile" | "stacks" | "goroutines"
        | "node_profile" => {
            vec![Flame]
        }
        "class_histogram" => vec![Classes],
        "slow_queries" | "slow_commands" => vec![Statements],
        _ => Vec::new(),
    };
    if media_type.starts_with("text/") || media_type.ends_with("json") {
        views.push(Text);
    }
    views
}

impl From<StoredCapture> for CaptureListed {
    fn from(stored: StoredCapture) -> Self {
        let record = stored.record;
        Self {
            number: stored.number,
            at_s: stored.at_ns as f64 / 1e9,
            took_ms: record.took_ns as f64 / 1e6,
            length: stored.length,
            views: views(&record.kind, &record.media_type),
            entity: SeriesThing::from(&record.entity),
            kind: record.kind,
            moment: record.moment,
            media_type: record.media_type,
        }
    }
}

/// The captures of a run, in the order in which they were taken.
///
/// # Errors
/// If the run cannot be read.
pub(crate) fn captures(run: &Run) -> Result<Vec<CaptureListed>, ApiError> {
    let stored = run.captures()?.into_iter();
    Ok(stored.map(CaptureListed::from).collect())
}

/// A capture of a run with its bytes.
///
/// # Errors
/// No such capture; or the run cannot be read.
pub(crate) fn capture(run: &Run, number: i64) -> Result<(CaptureListed, Vec<u8>), ApiError> {
    let missing = || {
        let message = Message::new("server-no-capture").with("number", number);
        ApiError::not_found(message.with("run", run.id()))
    };
    let mut known = captures(run)?.into_iter();
    let listed = known
        .find(|known| known.number == number)
        .ok_or_else(missing)?;
    let bytes = run.capture_bytes(number)?.ok_or_else(missing)?;
    Ok((listed, bytes))
}

/// A capture's text, to be looked at as that.
///
/// # Errors
/// No such capture, or it cannot be looked at so; or the run cannot be read.
pub(crate) fn captured(
    run: &Run,
    number: i64,
    view: CaptureView,
) -> Result<(CaptureListed, Vec<u8>), ApiError> {
    let (listed, bytes) = capture(run, number)?;
    if listed.views.contains(&view) {
        return Ok((listed, bytes));
    }
    let known: Vec<&str> = listed.views.iter().map(|view| view.name()).collect();
    let message = Message::new("server-no-view")
        .with("number", number)
        .with("kind", listed.kind)
        .with("view", view.name())
        .with("known", known.join(", "));
    Err(ApiError::not_found(message))
}

/// Which part of a text is wanted.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(crate) struct TextQuery {
    /// The first byte; by default 0.
    #[param(minimum = 0)]
    from_byte: Option<usize>,
}

/// Bytes of a part of a text at most.
const TEXT_BYTES: usize = 256 << 10;

/// A part of a capture's text.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CaptureText {
    /// The capture.
    capture: CaptureListed,
    /// The text from there on, 256 KiB at most, whole lines where there are any; without secrets.
    text: String,
    /// Where the next part begins (`from_byte`); null: this is the end.
    next: Option<String>,
}

impl CaptureText {
    /// The part that is wanted.
    pub fn of(capture: CaptureListed, bytes: &[u8], query: TextQuery) -> Self {
        let from = query.from_byte.unwrap_or(0).min(bytes.len());
        let rest = &bytes[from..];
        let mut length = rest.len().min(TEXT_BYTES);
        if length < rest.len() {
            let line = rest[..length].iter().rposition(|byte| *byte == b'\n');
            length = line.map_or(length, |end| end + 1);
            // No letter is cut in two: what goes on one begins with these bits.
            while length > 1 && rest[length] & 0xc0 == 0x80 {
                length -= 1;
            }
        }
        let text = String::from_utf8_lossy(&rest[..length]);
        Self {
            capture,
            text: plimsoll_secrets::text(&text).into_owned(),
            next: (length < rest.len()).then(|| (from + length).to_string()),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use plimsoll_stats::series::{Entity, EntityKind};

    use super::*;

    fn listed() -> CaptureListed {
        CaptureListed {
            number: 1,
            kind: "sockets".to_owned(),
            moment: "end".to_owned(),
            at_s: 1.0,
            took_ms: 1.0,
            length: 0,
            media_type: "text/plain".to_owned(),
            entity: SeriesThing::from(&*Entity::new(EntityKind::Host, "", "web")),
            views: views("sockets", "text/plain"),
        }
    }

    #[test]
    fn the_parts_of_a_text_are_the_text() {
        let lines = "锁 0x7f\tjava.lang.Object\n".repeat(30_000);
        for text in [
            lines,
            "锁".repeat(300_000),
            "x".repeat(TEXT_BYTES),
            String::new(),
        ] {
            let (mut whole, mut from_byte) = (String::new(), 0);
            loop {
                let query = TextQuery {
                    from_byte: Some(from_byte),
                };
                let part = CaptureText::of(listed(), text.as_bytes(), query);
                assert!(part.text.len() <= TEXT_BYTES);
                whole += &part.text;
                match part.next {
                    Some(next) => from_byte = next.parse().unwrap(),
                    None => break,
                }
            }
            assert!(whole == text, "{} {}", whole.len(), text.len());
        }
    }
}

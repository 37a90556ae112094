//! Collections that the program itself asks for: `System.gc()`.

use plimsoll_stats::series::Entity;
use plimsoll_text::Message;

use crate::figures::tenths;
use crate::model::Exhibit;
use crate::scene::Scene;
use crate::stacks::{SeenThread, most_common};

/// So many threads must be seen asking for one, in a dump on average.
const LEAST: f64 = 0.5;

/// The code that asks for collections, and what shows it.
pub(super) fn caller(scene: &Scene<'_>, jvm: &Entity) -> Option<(String, Exhibit)> {
    let stacks = scene.stacks_in(jvm)?;
    let asking = stacks.threads.iter().filter(|seen| asks(seen));
    let threads = stacks.per_dump(asking.clone().count());
    let (code, example) = most_common(asking)?;
    let text = Message::new("exhibit-explicit-gc")
        .with("count", tenths(threads))
        .with("code", code.as_str());
    let exhibit = Exhibit::new(text).capture(example.capture, example.lines());
    (threads >= LEAST).then_some((code, exhibit))
}

fn asks(seen: &SeenThread) -> bool {
    let mut top = seen.thread.frames.iter().take(3);
    top.any(|frame| frame.method == "java.lang.Runtime.gc")
}

//! Durations and pauses.

use std::time::Duration;

use super::emit::{Map, Yaml, plain};
use crate::model::{Pause, PauseTime};
use crate::yaml::table::is_template;

/// A duration, exactly.
pub(super) fn duration(time: Duration) -> Yaml {
    let ns = time.as_nanos();
    plain(match () {
        () if ns.is_multiple_of(1_000_000_000) => format!("{}s", time.as_secs()),
        () if ns.is_multiple_of(1_000_000) => format!("{}ms", time.as_millis()),
        () => format!("{ns}ns"),
    })
}

/// A pause: a time, or a mapping that says how it is drawn.
pub(super) fn pause(pause: &Pause) -> Yaml {
    if let Some(text) = &pause.template_ms {
        if is_template(&text.raw) {
            return text.into();
        }
        let mut map = Map::default();
        map.put("ms", text);
        return map.into();
    }
    let pair = |a, b| Yaml::from(vec![duration(a), duration(b)]);
    let mut map = Map::default();
    match pause.time {
        PauseTime::Fixed(time) => return duration(time),
        PauseTime::Uniform(from, to) => map.put("uniform", pair(from, to)),
        PauseTime::Normal(mean, deviation) => map.put("normal", pair(mean, deviation)),
        PauseTime::Exponential(mean) => map.put("exponential", duration(mean)),
        PauseTime::Poisson { lambda, offset } => {
            map.put("poisson", duration(lambda));
            map.put("plus", duration(offset));
        }
    }
    map.into()
}

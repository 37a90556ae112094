//! Pauses, of steps and of scopes.

use std::time::Duration;

use super::base::*;
use crate::model::{Element, Pause, PauseTime, Rendezvous, ScopePause, SharedBy};

/// A time, or the template of its milliseconds.
type TimeOrTemplate = (PauseTime, Option<crate::model::Text>);

tagged! {
    /// How the length of a pause is drawn.
    struct Distribution: TimeOrTemplate = "pause", {
        "pause-uniform" => (PauseTime::Uniform(from, to), None), { ["uniform" => (from, to): TwoTimes, "pause-uniform"] }
        "pause-normal" => (PauseTime::Normal(mean, deviation), None), {
            ["normal" => (mean, deviation): TwoTimes, "pause-normal"]
        }
        "pause-exponential" => (PauseTime::Exponential(mean), None), {
            ["exponential" => mean: Time, "pause-exponential"]
        }
        "pause-poisson" => (PauseTime::Poisson { lambda, offset }, None), {
            ["poisson" => lambda: Time, "pause-poisson"]
            ["plus" => offset: Always<Time> = "0", "pause-plus"]
        }
        "pause-ms" => (PauseTime::Fixed(Duration::ZERO), Some(text)), { ["ms" => text: AnyText, "pause-ms"] }
    }
}

impl Form for Pause {
    type Of = Self;

    fn kind() -> Kind {
        Kind::OneOf(&[PauseText::kind, Distribution::kind])
    }

    fn read(decoder: &mut Decoder<'_>, node: &Node) -> Option<Self> {
        let (time, template_ms) = match node.map() {
            Some(_) => Distribution::read(decoder, node)?,
            None => PauseText::read(decoder, node)?,
        };
        if let (PauseTime::Uniform(from, to), Some(bounds)) = (&time, node.get("uniform"))
            && from > to
        {
            decoder.error(bounds.at, "plan-two-durations");
        }
        let at = node.at;
        Some(Self {
            time,
            template_ms,
            at,
        })
    }

    fn write(pause: &Self) -> Yaml {
        match (&pause.template_ms, pause.time) {
            (Some(text), _) if is_template(&text.raw) => text.into(),
            (Some(text), _) => {
                Distribution::write(&(PauseTime::Fixed(Duration::ZERO), Some(text.clone())))
            }
            (None, PauseTime::Fixed(time)) => duration(time),
            (None, time) => Distribution::write(&(time, None)),
        }
    }
}

/// Two durations.
pub(crate) struct TwoTimes;

impl Form for TwoTimes {
    type Of = (Duration, Duration);

    fn kind() -> Kind {
        List::<Time>::kind()
    }

    fn read(decoder: &mut Decoder<'_>, node: &Node) -> Option<(Duration, Duration)> {
        match List::<Time>::read(decoder, node)?.as_slice() {
            [first, second] => Some((*first, *second)),
            _ => {
                decoder.error(node.at, "plan-two-durations");
                None
            }
        }
    }

    fn write((first, second): &(Duration, Duration)) -> Yaml {
        Yaml::List(vec![duration(*first), duration(*second)])
    }
}

object! { impl Rendezvous = "rendezvous-value", {
    ["name" => name: AnyString, "rendezvous-name"]
    ["users" => users: CountOrZero = "0", "rendezvous-users"]
    ["timeout" => timeout: Maybe<Time>, "rendezvous-timeout"]
    [at]
} }

shortened! { Rendezvous = NameString, "name"; }

words! { impl SharedBy {
    "user" = SharedBy::User,
    "scenario" = SharedBy::Scenario,
    "all" = SharedBy::All,
} }

tagged! { impl ScopePause = "pause-item", {
    "think-item" => (ScopePause::Think(pause)), { ["think" => pause: Pause, "think"] }
    "rendezvous-item" => (ScopePause::Rendezvous(meeting)), { ["rendezvous" => meeting: OrShort<Rendezvous>, "rendezvous"] }
    "throughput-item" => (ScopePause::Throughput { per_minute, shared_by }), {
        ["throughput" => per_minute: Template, "throughput"]
        ["shared-by" => shared_by: Always<SharedBy> = "all", "shared-by"]
    }
    "element-item" => (ScopePause::Element(element)), { ["element" => element: Element, "element"] }
} }

impl From<Pause> for ScopePause {
    fn from(pause: Pause) -> Self {
        Self::Think(pause)
    }
}

//! What a running target says of a knob, compared with what was written.
//!
//! Nothing of the target is executed: its files below `/proc`, its own pages and protocols are read. Who
//! reads them is a [`Sight`]; what they mean is here.

mod actuator;
mod key;
mod sight;
mod ways;

use plimsoll_text::Message;

pub use key::read_back_key;
pub use sight::{Backlog, NginxFilesSeen, NotSeen, Sight, WorkerSeen};
use ways::{Shown, Written};

use crate::formats::{Address, Format};
use crate::knob::{Knob, KnobRange, PlaceKind, Spelling};
use crate::value::KnobValue;

/// What was found out about a value that was written.
#[derive(Debug, Clone, PartialEq)]
pub enum Readback {
    /// The target has it.
    Confirmed {
        /// As the target says it.
        has: String,
        /// Where it was seen.
        by: String,
    },
    /// The target has another: the trial is void.
    Differs {
        /// What it has instead.
        has: String,
        /// Where it was seen.
        by: String,
    },
    /// Nothing shows it: written, not confirmed.
    NotVisible {
        /// Why, for each way that was tried.
        why: Vec<Message>,
    },
}

impl Readback {
    /// Its name in JSON: `confirmed`, `differs`, `not_visible`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Confirmed { .. } => "confirmed",
            Self::Differs { .. } => "differs",
            Self::NotVisible { .. } => "not_visible",
        }
    }

    /// What to say, without secrets.
    #[must_use]
    pub fn message(&self, knob: &str, wanted: &str) -> Message {
        let says = |id: &str, has: &str, by: &str| {
            Message::new(id)
                .with("knob", knob)
                .with("wanted", wanted)
                .with("has", has)
                .with("by", by)
        };
        match self {
            Self::Confirmed { has, by } => says("knobs-confirmed", has, by),
            Self::Differs { has, by } => says("knobs-differs", has, by),
            Self::NotVisible { .. } => says("knobs-not-visible", "", ""),
        }
    }
}

/// Reads a knob back by the ways that it has, best first. The first that shows a value decides. `at` is where
/// it was written, if a study says so more closely than the knob does.
pub fn read_back(
    knob: &'static Knob,
    wanted: &KnobValue,
    at: Option<&Address>,
    sight: &mut dyn Sight,
) -> Readback {
    let nginx = knob.places_of(PlaceKind::Nginx).next();
    let own = Address::new(nginx.map_or("", |place| place.address));
    let written = Written {
        address: at.unwrap_or(&own),
        spelling: nginx.map_or(Spelling::Plain, |place| place.spelling),
    };
    let mut why = Vec::new();
    let beans = ways::look_at_beans(knob.reads, sight);
    let by_beans = beans.and_then(|shown| decided(knob, wanted, shown, &mut why));
    let by_ways = by_beans.or_else(|| {
        let mut ways = knob.reads.iter();
        ways.find_map(|way| decided(knob, wanted, ways::look(*way, written, sight), &mut why))
    });
    by_ways.unwrap_or(Readback::NotVisible { why })
}

/// What a value that is shown says of the one that was wanted; none where it says nothing.
fn decided(
    knob: &'static Knob,
    wanted: &KnobValue,
    shown: Result<Shown, NotSeen>,
    why: &mut Vec<Message>,
) -> Option<Readback> {
    let shown = match shown {
        Ok(shown) => shown,
        Err(unseen) => {
            why.push(unseen.message());
            return None;
        }
    };
    let has = knob.read(&shown.text, shown.spelling);
    let (text, by) = (shown.text, shown.by);
    // `auto` and the like: what is shown is what the program has made of it.
    let is_number = matches!(knob.range, KnobRange::Number { .. });
    let is_word = matches!(wanted, KnobValue::Word(word) if !word.is_empty());
    if is_number && is_word && matches!(has, KnobValue::Number(_)) {
        let told = Message::new("knobs-read-derived");
        why.push(told.with("has", text).with("by", by));
        return None;
    }
    Some(match knob.is_met(wanted, &has) {
        true => Readback::Confirmed { has: text, by },
        false => Readback::Differs { has: text, by },
    })
}

/// What the target has of a knob, as it says it, and where that was seen; none where nothing shows it.
pub fn shown_now(knob: &'static Knob, sight: &mut dyn Sight) -> Option<(String, String)> {
    match read_back(knob, &KnobValue::Word(String::new()), None, sight) {
        Readback::Confirmed { has, by } | Readback::Differs { has, by } => Some((has, by)),
        Readback::NotVisible { .. } => None,
    }
}

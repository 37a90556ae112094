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
use crate::knob::{Knob, PlaceKind, ReadWay, Spelling};
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

/// Reads a knob back by the ways that it has, best first, and the environment of Spring last. The first that shows a
/// value decides. `at` is where it was written, if a study says so more closely than the knob does.
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
    let mut beans_have_none = None;
    for way in knob.reads {
        let shown = match (way.property(), beans_have_none) {
            (None, _) => look_at_own(knob, *way, written, sight),
            // They are asked once, for all names of the property.
            (Some(_), Some(_)) => continue,
            (Some(_), None) => {
                let beans = ways::look_at_beans(knob.reads, sight);
                beans_have_none = Some(beans.have_none);
                beans.shown
            }
        };
        if let Some(read) = decided(knob, wanted, shown, &mut why) {
            return read;
        }
    }
    for way in knob.reads.iter().filter(|way| way.property().is_some()) {
        // What is written where no bean reads it says nothing of the service.
        if matches!(way, ReadWay::Actuator(_)) && beans_have_none == Some(true) {
            continue;
        }
        let shown = ways::look(*way, written, sight);
        if let Some(read) = decided(knob, wanted, shown, &mut why) {
            return read;
        }
    }
    Readback::NotVisible { why }
}

/// What one way shows of the knob itself: a directive of nginx may say more.
fn look_at_own(
    knob: &Knob,
    way: ReadWay,
    written: Written<'_>,
    sight: &mut dyn Sight,
) -> Result<Shown, NotSeen> {
    let mut shown = ways::look(way, written, sight)?;
    if way == ReadWay::NginxConfig {
        let (own, _) = knob.own_word(Format::Nginx, &shown.text);
        shown.text.truncate(own.len());
    }
    Ok(shown)
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
    if knob.is_met(wanted, &has) {
        return Some(Readback::Confirmed { has: text, by });
    }
    // `auto` and the like: what is shown is what the program has made of it.
    if knob.is_automatic(wanted) && matches!(has, KnobValue::Number(_)) {
        let told = Message::new("knobs-read-derived");
        why.push(told.with("has", text).with("by", by));
        return None;
    }
    Some(Readback::Differs { has: text, by })
}

/// What the target has of a knob, as it says it, and where that was seen; none where nothing shows it.
pub fn shown_now(knob: &'static Knob, sight: &mut dyn Sight) -> Option<(String, String)> {
    match read_back(knob, &KnobValue::Word(String::new()), None, sight) {
        Readback::Confirmed { has, by } | Readback::Differs { has, by } => Some((has, by)),
        Readback::NotVisible { .. } => None,
    }
}

//! The list of all knobs, for people and as JSON.

use plimsoll_text::{Align, Arg, Lang, Message, Table, render};
use serde_json::{Value, json};

use crate::knob::{
    Condition, Family, Knob, KnobDefault, KnobPlace, KnobRange, KnobScale, PlaceKind, ReadWay,
};
use crate::registry::FAMILIES;

/// Version of the JSON list (`schema/knobs.schema.json`).
pub const KNOBS_SCHEMA_VERSION: u32 = 1;

/// The list for the terminal: a table a family.
#[must_use]
pub fn table(lang: Lang) -> String {
    let say = |id: &str| render(lang, &Message::new(id));
    let mut text = String::new();
    for family in FAMILIES {
        text.push_str(&format!(
            "{}\n",
            say(&format!("knobs-family-{}", family.id))
        ));
        let heads = ["knob", "range", "default", "applies", "gives"];
        let head = |head| (say(&format!("knobs-head-{head}")), Align::Left);
        let mut table = Table::new(heads.map(head).to_vec());
        for knob in family.knobs {
            table.row(vec![
                knob.id.to_owned(),
                knob.allowed(),
                knob.defaults(lang),
                say(&format!("knobs-applies-{}", knob.applies.name())),
                knob.gives.map_or_else(String::new, |gives| {
                    say(&format!("knobs-gives-{}", gives.name()))
                }),
            ]);
        }
        text.push_str(&format!("{}\n", table.to_text()));
    }
    text
}

/// All of a family's knobs, each with where it is written, how it is read back, and its source.
#[must_use]
pub fn details(family: &Family, lang: Lang) -> String {
    let say = |id: &str| render(lang, &Message::new(id));
    let mut text = format!("{}\n", say(&format!("knobs-family-{}", family.id)));
    for knob in family.knobs {
        text.push('\n');
        text.push_str(&detail(knob, lang));
    }
    text
}

/// All that is known of a knob.
#[must_use]
pub fn detail(knob: &Knob, lang: Lang) -> String {
    let say = |id: &str| render(lang, &Message::new(id));
    let (join, colon) = match lang {
        Lang::En => ("; ", ": "),
        Lang::Zh => ("；", "："),
    };
    let mut text = format!("{}: {}\n", knob.id, render(lang, &knob.message()));
    let mut line = |head: &str, value: String| {
        if !value.is_empty() {
            let head = say(&format!("knobs-head-{head}"));
            text.push_str(&format!("  {head}{colon}{value}\n"));
        }
    };
    let places = knob.places.iter();
    let places = places.map(|place| {
        let (kind, note) = (place.kind.name(), place.note(lang));
        format!("{kind}: {}{note}", place.address)
    });
    let reads = knob.reads.iter().map(|way| of_way(*way, lang));
    let reads: Vec<String> = reads.collect();
    let conditions = knob.conditions.iter();
    let conditions = conditions.map(|condition| render(lang, &condition.message()));
    line("condition", conditions.collect::<Vec<_>>().join(join));
    line("range", knob.allowed());
    line("default", knob.defaults(lang));
    line(
        "applies",
        say(&format!("knobs-applies-{}", knob.applies.name())),
    );
    let gives = |gives: crate::Gives| say(&format!("knobs-gives-{}", gives.name()));
    line("gives", knob.gives.map_or_else(String::new, gives));
    line("written", places.collect::<Vec<_>>().join(join));
    line(
        "read",
        match reads.is_empty() {
            true => say("knobs-read-nothing"),
            false => reads.join(join),
        },
    );
    line("source", knob.source.to_owned());
    text
}

fn of_way(way: ReadWay, lang: Lang) -> String {
    let (kind, name) = way.parts();
    let kind = render(lang, &Message::new(format!("knobs-read-{kind}")));
    match name {
        "" => kind,
        name => format!("{kind}: {name}"),
    }
}

/// The list as JSON, its texts in one language; of one family or one knob, by its name, or of all.
#[must_use]
pub fn document(lang: Lang, only: Option<&str>) -> Value {
    let families = FAMILIES.iter().filter_map(|family| {
        let is_meant = |knob: &&Knob| only.is_none_or(|only| only == family.id || only == knob.id);
        let knobs = family.knobs.iter().filter(is_meant);
        let knobs: Vec<Value> = knobs.map(|knob| of_knob(knob, lang)).collect();
        (!knobs.is_empty()).then(|| {
            json!({
                "id": family.id,
                "title": render(lang, &Message::new(format!("knobs-family-{}", family.id))),
                "knobs": knobs,
            })
        })
    });
    json!({
        "schema_version": KNOBS_SCHEMA_VERSION,
        "families": families.collect::<Vec<_>>(),
    })
}

fn of_knob(knob: &Knob, lang: Lang) -> Value {
    let default = |one: &KnobDefault| match one.derived {
        Some(_) => json!({"value": null, "versions": knob.defaults(lang)}),
        None => json!({"value": one.value, "versions": one.versions}),
    };
    let places = knob
        .places
        .iter()
        .map(|place| json!({"kind": place.kind.name(), "address": place.address, "unless": place.unless}));
    let reads = knob.reads.iter().map(|way| {
        let (kind, name) = way.parts();
        json!({"kind": kind, "name": name})
    });
    json!({
        "id": knob.id,
        "text": render(lang, &knob.message()),
        "range": of_range(knob.range),
        "unit": knob.unit.name(),
        "defaults": knob.default.iter().map(default).collect::<Vec<_>>(),
        "applies": knob.applies.name(),
        "gives_up": knob.gives.map(crate::Gives::name),
        "conditions": knob.conditions.iter().map(of_condition).collect::<Vec<_>>(),
        "places": places.collect::<Vec<_>>(),
        "read_back": reads.collect::<Vec<_>>(),
        "source": knob.source,
    })
}

fn of_range(range: KnobRange) -> Value {
    match range {
        KnobRange::Number {
            least,
            most,
            scale,
            whole,
            also,
        } => json!({
            "kind": "number",
            "least": least,
            "most": most,
            "scale": match scale { KnobScale::Linear => "linear", KnobScale::Log => "log" },
            "whole": whole,
            "also": also,
        }),
        KnobRange::Choice(words) => json!({"kind": "choice", "words": words}),
        KnobRange::Switch => json!({"kind": "switch"}),
        KnobRange::Text => json!({"kind": "text"}),
    }
}

fn of_condition(condition: &Condition) -> Value {
    match condition {
        Condition::When { knob, is } => json!({"knob": knob, "is": is}),
        Condition::AtMost { knob, .. } => json!({"at_most": knob}),
        Condition::Without(knob) => json!({"without": knob}),
        Condition::Needs(what) => json!({"needs": what}),
    }
}

/// Versions that are said in words.
const IN_WORDS: &[(&str, &str)] = &[
    ("the system’s own", "knobs-versions-system"),
    ("≥ 128 MiB heap", "knobs-versions-large-heap"),
    ("≥ 64 MiB heap", "knobs-versions-middle-heap"),
    ("Logback alone", "knobs-versions-logback"),
    ("tiered", "knobs-versions-tiered"),
    ("page size", "knobs-versions-page"),
    ("Redis 6 to 7", "knobs-versions-redis"),
];

/// Versions in the language of the reader.
fn words(versions: &'static str) -> Arg {
    let known = IN_WORDS.iter().find(|(text, _)| *text == versions);
    known.map_or_else(|| versions.into(), |(_, id)| Message::new(*id).into())
}

impl Condition {
    /// What it says, for people.
    #[must_use]
    pub fn message(&self) -> Message {
        match self {
            Self::When { knob, is } => Message::new("knobs-condition-when")
                .with("knob", *knob)
                .with("is", is.join(", ")),
            Self::AtMost { knob, .. } => {
                Message::new("knobs-condition-at-most").with("knob", *knob)
            }
            Self::Without(knob) => Message::new("knobs-condition-without").with("knob", *knob),
            Self::Needs(what) => Message::new("knobs-condition-needs").with("what", words(what)),
        }
    }
}

impl KnobPlace {
    /// What is to be known of the place, behind its address.
    #[must_use]
    pub fn note(&self, lang: Lang) -> String {
        let note = match (self.kind, self.unless) {
            (_, Some(name)) => Message::new("knobs-place-unless").with("name", name),
            (PlaceKind::Sysctl, None) => Message::new("knobs-place-sysctl"),
            _ => return String::new(),
        };
        format!(" ({})", render(lang, &note))
    }
}

impl Knob {
    /// Its defaults, for people: `200`, `1000 (1.19.10+), 100 (< 1.19.10)`.
    #[must_use]
    pub fn defaults(&self, lang: Lang) -> String {
        let one = |default: &KnobDefault| match (default.derived, default.versions) {
            (Some(how), _) => render(lang, &Message::new(format!("knobs-derived-{how}"))),
            (None, "") => default.value.to_owned(),
            (None, versions) => {
                let versions = render(
                    lang,
                    &Message::new("knobs-versions").with("of", words(versions)),
                );
                format!("{} ({versions})", default.value)
            }
        };
        let all: Vec<String> = self.default.iter().map(one).collect();
        all.join(", ")
    }
}

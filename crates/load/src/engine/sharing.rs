//! Which plans can be shared over machines, and which of their shares can begin late.

use plimsoll_plan::functions::Function;
use plimsoll_plan::model::{AtEnd, DataOrder, Load, Order, SharedBy, Span};
use plimsoll_plan::program::{
    ElementProgram, Op, Part, Program, SharedDef, Template, ValueProgram,
};
use plimsoll_text::Message;

use crate::extract::BindError;

/// Whether a program's load can be divided into so many shares, each run by a process of its
/// own that asks no other: what users wait for together (locks, rendezvous), and what lets
/// one part of the load wait for another, cannot.
///
/// # Errors
/// All that stands against it, with its place.
pub fn shareable(program: &Program, count: u32) -> Result<(), Vec<BindError>> {
    if u64::from(count).min(program.most_users()) <= 1 {
        return Ok(());
    }
    let mut against = Vec::new();
    let named = |id: &str, name: &str| refusal(id, Span::default()).with_name(name);
    for shared in &program.shared {
        match shared {
            SharedDef::Lock { name } => against.push(named("share-lock", name)),
            SharedDef::Rendezvous { name, .. } => against.push(named("share-meeting", name)),
            _ => {}
        }
    }
    for op in program.loads().flat_map(|scenario| &scenario.ops) {
        if let Op::LockNamed { name, .. } = op {
            against.push(named("share-lock", &as_written(name)));
        }
    }
    let meetings = program.elements.iter();
    for element in meetings.filter(|element| element.class == "SyncTimer") {
        against.push(refusal("share-meeting", element.at).with_name(&as_written(&element.name)));
    }
    for scenario in program.loads() {
        if let Load::Arrivals(load) = &scenario.load
            && load.max_in_flight < count
        {
            let refused = named("share-in-flight", &scenario.name);
            against.push(refused.with("limit", u64::from(load.max_in_flight), count));
        }
    }
    if program.order == Order::InOrder && program.scenarios.len() > 1 {
        against.push(refusal("share-in-order", Span::default()));
    }
    if program.recorded_setup && !program.setup.is_empty() {
        against.push(refusal("share-setup-groups", Span::default()));
    }
    result(against)
}

/// Whether a share of a program's load can begin while the load goes on, in place of a process
/// that was lost: not when it would have to know what that process has done.
///
/// # Errors
/// All that stands against it, with its place.
pub fn can_join_late(program: &Program) -> Result<(), Vec<BindError>> {
    let mut against = Vec::new();
    for scenario in program.loads() {
        if let Load::Users(load) = &scenario.load
            && load.ends_by_iterations()
        {
            against.push(refusal("late-iterations", Span::default()).with_name(&scenario.name));
        }
    }
    for shared in &program.shared {
        match shared {
            SharedDef::Counter { .. } => against.push(refusal("late-counter", Span::default())),
            SharedDef::Rows { data, .. } if gives_each_row_once(data) => {
                against.push(refusal("late-rows", data.at).with_name(&data.name));
            }
            _ => {}
        }
    }
    if program
        .loads()
        .flat_map(|scenario| &scenario.ops)
        .any(counts_passes)
    {
        against.push(refusal("late-passes", Span::default()));
    }
    for element in &program.elements {
        let own = element
            .text("CounterConfig.per_user")
            .and_then(Template::as_text);
        let counts = element.class == "CounterConfig" && own != Some("true");
        if counts || has_shared_counter(element) {
            against.push(refusal("late-counter", element.at));
        }
    }
    let waits = program.order == Order::InOrder && program.scenarios.len() > 1;
    if waits || program.recorded_setup && !program.setup.is_empty() {
        against.push(refusal("late-in-order", Span::default()));
    }
    result(against)
}

fn result(against: Vec<Refusal>) -> Result<(), Vec<BindError>> {
    let mut errors: Vec<BindError> = Vec::new();
    for Refusal(error) in against {
        if !errors.contains(&error) {
            errors.push(error);
        }
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors)
    }
}

/// What stands against it.
struct Refusal(BindError);

fn refusal(id: &str, at: Span) -> Refusal {
    Refusal(BindError {
        at,
        message: Message::new(id),
    })
}

impl Refusal {
    fn with_name(mut self, name: &str) -> Self {
        self.0.message = self.0.message.with("name", name);
        self
    }

    fn with(mut self, key: &'static str, number: u64, shares: u32) -> Self {
        let message = self.0.message.with(key, number);
        self.0.message = message.with("shares", shares);
        self
    }
}

/// Whether no row of the file may be taken twice by the users of a run.
fn gives_each_row_once(data: &plimsoll_plan::model::CsvData) -> bool {
    matches!(data.order, DataOrder::Sequential | DataOrder::Shuffled)
        && data.at_end != AtEnd::Recycle
        && data.shared_by != SharedBy::User
}

/// Whether something is done in the first so many passes of all users.
fn counts_passes(op: &Op) -> bool {
    matches!(
        op,
        Op::FirstTimes {
            shared: Some(_),
            ..
        }
    )
}

/// Whether one of its texts counts for all users (`__counter`).
fn has_shared_counter(element: &ElementProgram) -> bool {
    let value = |(_, value): &(Box<str>, ValueProgram)| value_counts(value);
    text_counts(&element.name) || element.properties.iter().any(value)
}

fn value_counts(value: &ValueProgram) -> bool {
    match value {
        ValueProgram::Text(text) => text_counts(text),
        ValueProgram::List(values) => values.iter().any(value_counts),
        ValueProgram::Element(element) => has_shared_counter(element),
    }
}

fn text_counts(text: &Template) -> bool {
    text.parts.iter().any(|part| match part {
        Part::Call(call) => {
            let of_user = call.args.first().and_then(Template::as_text);
            let of_user = of_user.is_some_and(|word| word.eq_ignore_ascii_case("true"));
            let counts = matches!(call.function, Function::JMeter("__counter")) && !of_user;
            counts || call.args.iter().any(text_counts)
        }
        _ => false,
    })
}

/// A text as it stands in the plan.
fn as_written(text: &Template) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) => text.to_string(),
        Part::Slot { literal, .. } => literal.to_string(),
        Part::Call(call) => call.raw.to_string(),
        Part::Script(_) => "${…}".to_owned(),
    };
    text.parts.iter().map(part).collect()
}

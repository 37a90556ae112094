//! What tests of all leaves share: elements, samples, and tables of what JMeter 5.6.3 says.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use plimsoll_plan::program::{ElementProgram, SiteId, Template, ValueProgram};

use crate::result::SampleResult;

/// An element with these properties. `${x}` in a value is a variable.
pub(crate) fn element(class: &str, properties: &[(&str, &str)]) -> ElementProgram {
    let property = |(name, value): &(&str, &str)| {
        let value = ValueProgram::Text(template(value));
        ((*name).into(), value)
    };
    ElementProgram {
        class: class.to_owned(),
        name: Template::text("the name"),
        properties: properties.iter().map(property).collect(),
        site: SiteId(1),
        at: plimsoll_plan::model::Span::default(),
    }
}

/// A text; one variable in it at most.
pub(crate) fn template(text: &str) -> Template {
    use plimsoll_plan::program::{Part, Slot};
    let Some((before, rest)) = text.split_once("${") else {
        return Template::text(text);
    };
    let (name, after) = rest.split_once('}').unwrap();
    let slot = Part::Slot {
        slot: Slot(0),
        literal: format!("${{{name}}}").into(),
    };
    let mut parts = vec![Part::Text(before.into()), slot, Part::Text(after.into())];
    parts.retain(|part| !matches!(part, Part::Text(text) if text.is_empty()));
    Template { parts }
}

/// The list of texts that a property holds.
pub(crate) fn texts(texts: &[&str]) -> ValueProgram {
    let texts = texts.iter().map(|text| ValueProgram::Text(template(text)));
    ValueProgram::List(texts.collect())
}

/// A sample with this body.
pub(crate) fn sample(body: &str) -> SampleResult {
    let mut sample = SampleResult::new("label");
    sample.ok();
    sample.body = body.as_bytes().to_vec();
    sample
}

/// Names with what they all begin with.
pub(crate) fn keyed(prefix: &str, properties: &[(&str, &str)]) -> Vec<(String, String)> {
    let keyed = |(name, value): &(&str, &str)| (format!("{prefix}{name}"), (*value).to_owned());
    properties.iter().map(keyed).collect()
}

/// The properties of a line of a table (`name=value`, apart by `;;`); their names begin with
/// `prefix`.
pub(crate) fn properties(prefix: &str, given: &str) -> Vec<(String, String)> {
    let given = given.split(";;").filter_map(|pair| pair.split_once('='));
    given
        .map(|(name, value)| (format!("{prefix}{name}"), value.to_owned()))
        .collect()
}

/// Properties as [`element`] takes them.
pub(crate) fn borrowed(properties: &[(String, String)]) -> Vec<(&str, &str)> {
    properties.iter().map(|(k, v)| (&**k, &**v)).collect()
}

/// Checks a table of at least `least` lines. Fields are apart by tabs: what is given, and what
/// JMeter 5.6.3 makes of it. A line that begins with `BODY` or `DOC` says what the lines below
/// it are about. `make` has that, what is given and what is wanted, and gives what comes out.
pub(crate) fn check_table(
    table: &str,
    least: usize,
    make: impl Fn(&str, &str, &[String]) -> Vec<String>,
) {
    let (mut about, mut wrong, mut checked) = (String::new(), Vec::new(), 0);
    for line in table.lines() {
        let fields: Vec<String> = line.split('\t').map(plain).collect();
        let (given, wanted) = fields.split_first().unwrap();
        if matches!(given.as_str(), "BODY" | "DOC") {
            about.clone_from(&wanted[0]);
            continue;
        }
        checked += 1;
        let made = make(&about, given, wanted);
        if made != wanted {
            wrong.push(format!(
                "{about}\n {given}\n gives {made:?}\n not   {wanted:?}"
            ));
        }
    }
    let count = wrong.len();
    assert!(
        wrong.is_empty(),
        "{}\n{count} wrong of {checked}",
        wrong.join("\n")
    );
    assert!(checked >= least, "{checked} lines");
}

/// A field of a file of cases, with its escapes read.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, true) => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('r') => out.push('\r'),
                other => out.extend(other),
            },
            (c, false) => out.push(c),
        }
    }
    out
}

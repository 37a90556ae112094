//! Texts in JMeter's grammar that are only known while a plan runs (`${__eval(…)}`).

use super::jmeter;
use super::parse::TextPiece;
use crate::functions::{Function, jmeter_function};
use crate::program::{Call, Part, SiteId, Template};

/// Reads a text in JMeter's grammar. Variables become their values at once: `value` gives
/// them; those that have none stay as they are written. All calls get the one `site`, so what
/// they keep must be forgotten after use. None: the grammar refuses the text.
pub fn jmeter_text(
    text: &str,
    site: SiteId,
    value: &dyn Fn(&str) -> Option<String>,
) -> Option<Template> {
    let pieces = jmeter::parse(text).ok()?;
    Some(template(pieces, site, value))
}

fn template(
    pieces: Vec<TextPiece>,
    site: SiteId,
    value: &dyn Fn(&str) -> Option<String>,
) -> Template {
    let mut parts = Vec::new();
    let mut text = String::new();
    for piece in pieces {
        match piece {
            TextPiece::Text(piece) => text.push_str(&piece),
            TextPiece::Variable { name, raw, .. } => text.push_str(&value(&name).unwrap_or(raw)),
            TextPiece::Call {
                name, args, raw, ..
            } => match jmeter_function(&name) {
                Some(function) => {
                    if !text.is_empty() {
                        parts.push(Part::Text(std::mem::take(&mut text).into()));
                    }
                    let args = args.into_iter();
                    parts.push(Part::Call(Box::new(Call {
                        function: Function::JMeter(function.name),
                        args: args.map(|arg| template(arg, site, value)).collect(),
                        shared: None,
                        site,
                        raw: raw.into(),
                    })));
                }
                None => text.push_str(&raw),
            },
            TextPiece::Script { raw, .. } => text.push_str(&raw),
        }
    }
    if !text.is_empty() {
        parts.push(Part::Text(text.into()));
    }
    Template { parts }
}

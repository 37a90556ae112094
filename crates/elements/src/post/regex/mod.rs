//! `RegexExtractor`: the groups of matches become variables.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::ControlFlow;

use plimsoll_plan::program::Template;

use super::numbered::{pick, take_count};
use super::subject::{PostSubject, log_missing};
use crate::compiled::Compiled;
use crate::context::{Context, Fault};
use crate::fields::{Field, Fields};
use crate::leaf::{Bound, PostProcessor};
use crate::pattern::{Dialect, Groups, Pattern};
use crate::result::SampleResult;
use crate::scope::{ElementScope, ScopeValue};

struct RegexExtractor {
    name: Template,
    scope: ElementScope,
    subject: Field,
    pattern: Compiled<Pattern>,
    variable: Field,
    number: Field,
    default: Field,
    default_is_empty: Field,
    template: Compiled<Vec<TemplatePiece>>,
}

/// A piece of `$1$-$2$`.
#[derive(Debug, Clone, PartialEq, Eq)]
enum TemplatePiece {
    Text(String),
    Group(usize),
}

pub(super) fn bind(fields: Fields<'_>) -> Bound {
    let template = fields.field("RegexExtractor.template");
    let pattern = fields.field("RegexExtractor.regex");
    let compile = |pattern: &str, cx: &dyn Context| Pattern::new(pattern, Dialect::of(cx));
    Bound::Post(Box::new(RegexExtractor {
        name: fields.0.name.clone(),
        scope: ElementScope::of_post(fields),
        subject: fields.field("RegexExtractor.useHeaders"),
        pattern: Compiled::new(pattern, fields.0.site, 0, compile),
        variable: fields.field("RegexExtractor.refname"),
        number: fields.field("RegexExtractor.match_number"),
        default: fields.field("RegexExtractor.default"),
        default_is_empty: fields.field("RegexExtractor.default_empty_value"),
        template: Compiled::new(template, fields.0.site, 1, |text, _| Ok(pieces_of(text))),
    }))
}

impl PostProcessor for RegexExtractor {
    fn process(&self, cx: &mut dyn Context, sample: &mut SampleResult) -> Result<(), Fault> {
        // JMeter keeps it for each thread, whatever becomes of its variables.
        let template = self.template.first(cx)?;
        let pieces = template.as_deref().unwrap_or_default();
        let variable = self.variable.text(cx)?;
        let number = self.number.whole(cx, 0)?;
        let subject = PostSubject::named(&self.subject.text(cx)?);
        let default = self.default.text(cx)?;
        if !default.is_empty() || self.default_is_empty.truth(cx, false)? {
            cx.set(&variable, &default);
        }
        let ready = self.pattern.ready(cx)?;
        let Ok(pattern) = &*ready else {
            let pattern = self.pattern.field().text(cx)?;
            cx.log(&format!("Error in pattern: '{pattern}'"));
            return Ok(());
        };
        let value;
        let texts = match self.scope.which(cx)? {
            ScopeValue::Variable(name) => {
                value = cx.get(&name);
                match &value {
                    Some(value) => vec![Cow::Borrowed(&**value)],
                    None => {
                        let own = cx.text(&self.name)?;
                        log_missing(cx, &name, "RegexExtractor", &own);
                        Vec::new()
                    }
                }
            }
            which => subject.of_all(&which, sample)?,
        };
        let found = matches_in(pattern, &texts, number);
        VariableWriter {
            variable: &variable,
            pieces,
            cx,
        }
        .write(&found, number);
        Ok(())
    }
}

/// All matches; for a number above 0 only as many as are needed.
fn matches_in<'t>(pattern: &Pattern, texts: &'t [Cow<'t, str>], number: i64) -> Vec<Groups<'t>> {
    let mut found = Vec::new();
    let enough = usize::try_from(number).ok().filter(|number| *number > 0);
    for text in texts {
        if Some(found.len()) == enough {
            break;
        }
        pattern.each(text, &mut |groups| {
            found.push(groups);
            if Some(found.len()) == enough {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
    }
    found
}

/// Sets the variables.
struct VariableWriter<'a> {
    variable: &'a str,
    pieces: &'a [TemplatePiece],
    cx: &'a mut dyn Context,
}

impl VariableWriter<'_> {
    fn write(&mut self, found: &[Groups<'_>], number: i64) {
        let before = take_count(self.cx, self.variable);
        let variable = self.variable;
        let mut kept = 0;
        if number >= 0 {
            match pick(found, number, self.cx) {
                Some(groups) => self.write_match(variable, groups),
                None => self.remove_groups(variable),
            }
        } else {
            self.remove_groups(variable);
            kept = found.len();
            self.cx
                .set(&format!("{variable}_matchNr"), &kept.to_string());
            for (at, groups) in found.iter().enumerate() {
                self.write_match(&format!("{variable}_{}", at + 1), groups);
            }
        }
        for left in kept + 1..=before {
            let name = format!("{variable}_{left}");
            self.cx.remove(&name);
            self.remove_groups(&name);
        }
    }

    fn write_match(&mut self, name: &str, groups: &Groups<'_>) {
        match self.pieces {
            [TemplatePiece::Group(group)] => {
                // A group that took no part is the text "null" in JMeter.
                self.cx.set(name, groups.get(*group).unwrap_or("null"));
            }
            pieces => {
                let mut value = String::new();
                for piece in pieces {
                    value.push_str(match piece {
                        TemplatePiece::Text(text) => text,
                        TemplatePiece::Group(group) => groups.get(*group).unwrap_or("null"),
                    });
                }
                self.cx.set(name, &value);
            }
        }
        self.write_groups(name, groups);
    }

    fn write_groups(&mut self, name: &str, groups: &Groups<'_>) {
        let mut key = format!("{name}_g");
        let base = key.len();
        let before = self
            .cx
            .get(&key)
            .map_or(0, |text| text.parse().unwrap_or(0));
        let count = groups.len();
        for group in 0..count {
            push_number(&mut key, base, group);
            match groups.get(group) {
                Some(text) => self.cx.set(&key, text),
                None => self.cx.remove(&key),
            }
        }
        key.truncate(base);
        self.cx.set(&key, &(count - 1).to_string());
        for group in count..=before {
            push_number(&mut key, base, group);
            self.cx.remove(&key);
        }
    }

    fn remove_groups(&mut self, name: &str) {
        let mut key = format!("{name}_g");
        let base = key.len();
        let groups = self
            .cx
            .get(&key)
            .map_or(0, |text| text.parse().unwrap_or(0));
        self.cx.remove(&key);
        for group in 0..=groups {
            push_number(&mut key, base, group);
            self.cx.remove(&key);
        }
    }
}

fn push_number(key: &mut String, base: usize, number: usize) {
    use std::fmt::Write;
    key.truncate(base);
    // Writing to a String does not fail.
    let _ = write!(key, "{number}");
}

/// Reads a template: `$` digits `$` is a group, all else is text.
fn pieces_of(template: &str) -> Vec<TemplatePiece> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut rest = template;
    while let Some(at) = rest.find('$') {
        let after = &rest[at + 1..];
        let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        match after[..digits].parse() {
            Ok(group) if after[digits..].starts_with('$') => {
                text.push_str(&rest[..at]);
                if !text.is_empty() {
                    pieces.push(TemplatePiece::Text(std::mem::take(&mut text)));
                }
                pieces.push(TemplatePiece::Group(group));
                rest = &after[digits + 1..];
            }
            _ => {
                text.push_str(&rest[..=at]);
                rest = after;
            }
        }
    }
    text.push_str(rest);
    if !text.is_empty() {
        pieces.push(TemplatePiece::Text(text));
    }
    pieces
}

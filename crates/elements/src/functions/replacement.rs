//! What Java's `String.replaceAll` puts in the place of a match (Java SE 17, `Matcher.appendReplacement`):
//! `$1`, `${name}`, and a backslash that takes the next character as it is.

use std::ops::ControlFlow;

use crate::context::Fault;
use crate::pattern::{Groups, Pattern};

/// What stands in the place of a match, as written.
pub(super) struct Replacement<'r>(&'r str);

impl<'r> Replacement<'r> {
    pub(super) const fn new(written: &'r str) -> Self {
        Self(written)
    }

    /// The text with this in the place of each match.
    ///
    /// # Errors
    /// What Java throws when the replacement names a group that is not there, or ends within something.
    pub(super) fn put_into(&self, text: &str, pattern: &Pattern) -> Result<String, Fault> {
        let mut out = String::with_capacity(text.len());
        let (mut end, mut fault) = (0, None);
        pattern.each(text, &mut |groups| {
            let span = groups.span();
            out.push_str(&text[end..span.start]);
            end = span.end;
            match self.put(&groups, pattern, &mut out) {
                Ok(()) => ControlFlow::Continue(()),
                Err(why) => {
                    fault = Some(why);
                    ControlFlow::Break(())
                }
            }
        });
        if let Some(fault) = fault {
            return Err(fault);
        }
        out.push_str(&text[end..]);
        Ok(out)
    }

    fn put(&self, groups: &Groups<'_>, pattern: &Pattern, out: &mut String) -> Result<(), Fault> {
        let mut rest = self.0.chars();
        while let Some(c) = rest.next() {
            match c {
                '\\' => out.push(
                    rest.next()
                        .ok_or_else(|| illegal("character to be escaped is missing"))?,
                ),
                '$' => rest = group(rest.as_str(), groups, pattern, out)?.chars(),
                _ => out.push(c),
            }
        }
        Ok(())
    }
}

/// A group behind its `$`; gives what follows.
fn group<'r>(
    rest: &'r str,
    groups: &Groups<'_>,
    pattern: &Pattern,
    out: &mut String,
) -> Result<&'r str, Fault> {
    if let Some(named) = rest.strip_prefix('{') {
        let (name, rest) = named
            .split_once('}')
            .ok_or_else(|| illegal("named capturing group is missing trailing '}'"))?;
        if !pattern.has_group(name) {
            return Err(illegal(&format!("No group with name {{{name}}}")));
        }
        out.push_str(groups.named(name).unwrap_or_default());
        return Ok(rest);
    }
    let digit = |text: &str| text.chars().next().and_then(|c| c.to_digit(10));
    let Some(first) = digit(rest) else {
        return Err(illegal(match rest.is_empty() {
            true => "group index is missing",
            false => "Illegal group reference",
        }));
    };
    let (mut number, mut rest) = (first as usize, &rest[1..]);
    if number >= groups.len() {
        return Err(Fault::new(format!(
            "java.lang.IndexOutOfBoundsException: No group {number}"
        )));
    }
    // As many digits as still name a group.
    while let Some(next) = digit(rest) {
        let longer = number * 10 + next as usize;
        if longer >= groups.len() {
            break;
        }
        (number, rest) = (longer, &rest[1..]);
    }
    out.push_str(groups.get(number).unwrap_or_default());
    Ok(rest)
}

fn illegal(why: &str) -> Fault {
    Fault::new(format!("java.lang.IllegalArgumentException: {why}"))
}

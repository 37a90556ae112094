//! YAML, as Spring Boot and others read it: one value is exchanged or added, the rest stays.

mod json;
mod scan;
mod spelling;

#[cfg(test)]
mod tests;

use std::ops::Range;

use saphyr_parser::ScalarStyle;

use super::address::Address;
use super::editor::{Editor, Included, Splice, Standing};
use super::error::{EditFault, Stop};
use super::lines::one_line;
use super::placing::{as_line, line_end, place};
use super::profiles::active_documents;
pub(super) use json::JsonEditor;
use scan::{Scanned, YamlMapping, scan};
use spelling::{is_switch, key_text, scalar_text};

/// Spaces of a level that is added.
const INDENT: usize = 2;

/// YAML with or without Spring's relaxed names and profiles.
pub(super) struct YamlEditor {
    pub(super) spring: bool,
}

impl YamlEditor {
    fn scanned(&self, text: &str, address: &Address) -> Result<Scanned, Stop> {
        scan(text, address.dotted()?, self.spring)
    }

    /// The documents that hold while the address's profiles are active.
    fn active(&self, scanned: &Scanned, address: &Address) -> Vec<bool> {
        let named = scanned.profiles.iter();
        let named = named.map(|(document, expression)| (*document, expression.as_str()));
        active_documents(scanned.documents.len(), named, &address.profiles)
    }

    /// The deepest mapping on the way in a document that holds, the last of several.
    fn parent<'a>(&self, scanned: &'a Scanned, active: &[bool]) -> Option<&'a YamlMapping> {
        let on_the_way = scanned.mappings.iter().filter(|one| active[one.document]);
        on_the_way.max_by_key(|one| one.depth)
    }
}

/// Levels that are missing, as lines at an indentation, without a line end behind the last.
fn nested(keys: &[&str], value: &str, indent: usize, end: &str) -> Result<String, Stop> {
    let mut text = String::new();
    for (level, key) in keys.iter().enumerate() {
        if key.contains(['[', ']']) {
            let name = keys[..=level].join(".");
            return Err(Stop::nowhere(EditFault::NoParent(name)));
        }
        if level > 0 {
            text.push_str(end);
            text.push_str(&" ".repeat(indent + level * INDENT));
        }
        text.push_str(&key_text(key));
        text.push(':');
    }
    text.push(' ');
    text.push_str(value);
    Ok(text)
}

/// The same in braces.
fn in_braces(keys: &[&str], value: &str, key_text: fn(&str) -> String) -> Result<String, Stop> {
    let mut text = String::new();
    for (level, key) in keys.iter().enumerate() {
        if key.contains(['[', ']']) {
            let name = keys[..=level].join(".");
            return Err(Stop::nowhere(EditFault::NoParent(name)));
        }
        text.push_str(if level > 0 { "{" } else { "" });
        text.push_str(&key_text(key));
        text.push_str(": ");
    }
    text.push_str(value);
    text.push_str(&"}".repeat(keys.len().saturating_sub(1)));
    Ok(text)
}

/// An entry between braces, with the comma that goes with it.
fn entry_in_braces(text: &str, place: &Standing) -> Option<Range<usize>> {
    let (start, end) = (place.whole.start, place.whole.end);
    let before = text[..start].trim_end();
    let behind = text[end..].trim_start();
    match (before.chars().last()?, behind.chars().next()?) {
        ('{', ',') => {
            let rest = behind[1..].trim_start_matches(' ');
            Some(start..text.len() - rest.len())
        }
        ('{', '}') => Some(start..end),
        (',', ',') => Some(before.len() - 1..text.len() - behind.len()),
        (',', '}') => Some(before.len() - 1..end),
        _ => None,
    }
}

impl Editor for YamlEditor {
    fn find(&self, text: &str, address: &Address) -> Result<Option<Standing>, Stop> {
        let scanned = self.scanned(text, address)?;
        let active = self.active(&scanned, address);
        if let Some(shared) = scanned.shared_on_the_way() {
            return Err(shared);
        }
        // Spring takes the last one; others take one of several documents, or refuse a key that is there twice.
        let all: Vec<usize> = scanned.leaves.iter().map(|leaf| leaf.span.start).collect();
        if let ([first, _, ..], false) = (all.as_slice(), self.spring) {
            let fault = EditFault::several(text, all.iter().copied());
            return Err(Stop::here(*first, fault));
        }
        let last = scanned.leaves.iter().rfind(|leaf| active[leaf.document]);
        let Some(leaf) = last else {
            let list = scanned.collections.iter().rfind(|one| active[one.document]);
            return match list {
                Some(list) => Err(Stop::here(
                    list.start,
                    EditFault::NotSingle(address.path.clone()),
                )),
                None => Ok(None),
            };
        };
        Ok(Some(Standing {
            value: leaf.value.clone(),
            span: leaf.span.clone(),
            whole: leaf.key_start..leaf.span.end,
        }))
    }

    fn replaced(
        &self,
        text: &str,
        _: &Address,
        place: &Standing,
        value: &str,
    ) -> Result<Splice, Stop> {
        one_line(value)?;
        let old = &text[place.span.clone()];
        let style = match old.chars().next() {
            Some('"') => ScalarStyle::DoubleQuoted,
            Some('\'') => ScalarStyle::SingleQuoted,
            Some('|' | '>') => {
                let fault = EditFault::NotSingle(place.value.clone());
                return Err(Stop::here(place.span.start, fault));
            }
            _ => ScalarStyle::Plain,
        };
        let mut with = match style == ScalarStyle::Plain && is_switch(old) && is_switch(value) {
            true => value.to_owned(),
            false => scalar_text(value, style),
        };
        // An empty value stands directly behind its colon.
        if old.is_empty() {
            with.insert(0, ' ');
        }
        Ok(Splice {
            range: place.span.clone(),
            with,
        })
    }

    fn added(&self, text: &str, address: &Address, value: &str) -> Result<Splice, Stop> {
        one_line(value)?;
        let scanned = self.scanned(text, address)?;
        if let Some(blocked) = scanned.blocked_by() {
            return Err(blocked);
        }
        let active = self.active(&scanned, address);
        let several = scanned.documents.iter().filter(|one| !one.is_empty).count() > 1;
        if several && !self.spring {
            let roots = scanned.mappings.iter().filter(|one| one.depth == 0);
            let fault = EditFault::several(text, roots.map(|one| one.start));
            return Err(Stop::nowhere(fault));
        }
        let value = scalar_text(value, ScalarStyle::Plain);
        let keys: Vec<&str> = address.path.trim().split('.').collect();
        let end = line_end(text);
        let at = |at: usize, with: String| Splice {
            range: at..at,
            with,
        };
        match self.parent(&scanned, &active) {
            Some(parent) if parent.shared => {
                let fault = EditFault::Shared(keys[..parent.depth].join("."));
                Err(Stop::here(parent.start, fault))
            }
            Some(parent) if parent.braces => {
                let comma = if parent.first_key.is_some() { ", " } else { "" };
                let inner = in_braces(&keys[parent.depth..], &value, key_text)?;
                Ok(at(parent.start + 1, format!("{inner}{comma}")))
            }
            Some(parent) => {
                let (first, column) = parent.first_key.unwrap_or((parent.start, 0));
                let lines = nested(&keys[parent.depth..], &value, column, end)?;
                Ok(at(first, format!("{lines}{end}{}", " ".repeat(column))))
            }
            None => {
                let lines = nested(&keys, &value, 0, end)?;
                let open = scanned.documents.len();
                let empty = open == 0 || open == 1 && active[0] && scanned.documents[0].is_empty;
                let head = if empty {
                    String::new()
                } else {
                    format!("---{end}")
                };
                Ok(at(
                    text.len(),
                    as_line(text, text.len(), &format!("{head}{lines}")),
                ))
            }
        }
    }

    /// The line, if nothing else is on it; in braces the entry with its comma. Elsewhere the key keeps an
    /// empty value.
    fn whole(&self, text: &str, place: &Standing) -> Range<usize> {
        // A byte order mark is of the file, not of its first line.
        let first = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let line = text[..place.whole.start].rfind('\n');
        let start = line.map_or(first, |at| at + 1);
        let end = text[place.whole.end..].find('\n');
        let end = end.map_or(text.len(), |at| place.whole.end + at + 1);
        let before = text[start..place.whole.start].trim_matches(' ').is_empty();
        let behind = text[place.whole.end..end].trim_start();
        match before && (behind.is_empty() || behind.starts_with('#')) {
            true => start..end,
            false => entry_in_braces(text, place).unwrap_or_else(|| place.span.clone()),
        }
    }

    fn others(&self, text: &str, address: &Address) -> Result<u64, Stop> {
        Ok(self.scanned(text, address)?.others)
    }

    fn includes(&self, text: &str) -> Vec<Included> {
        let path = Address::new("spring.config.import");
        let found = self
            .spring
            .then(|| self.find(text, &path).ok().flatten())
            .flatten();
        let told = |found: Standing| Included {
            path: found.value,
            folder: false,
            line: place(text, found.span.start).0,
        };
        found.map(told).into_iter().collect()
    }
}

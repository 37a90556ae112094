//! A recording without secrets, in its own form: everything keeps its place and its length, so that
//! all that reads recordings reads it.
//!
//! What a JVM was given (its environment, properties and arguments) and the command lines of other
//! processes are not kept at all: nobody can know all names under which secrets stand there. Any other text is
//! masked as everywhere: by the name of its field, by that beside it, by its own shape.

use std::collections::HashSet;
use std::ops::Range;

use plimsoll_secrets::{is_secret, value};

use super::chunk::Chunk;
use super::error::JfrError;
use super::metadata::{TEXT, Types};
use super::value::JfrValue;

/// Events that are not kept.
const GIVEN: &[&str] = &[
    "jdk.InitialEnvironmentVariable",
    "jdk.InitialSystemProperty",
    "jdk.InitialSecurityProperty",
    "jdk.SecurityPropertyModification",
    "jdk.SystemProcess",
    "jdk.ProcessStart",
];

/// Fields of other events that hold what the JVM was given, which are hidden whatever is in them.
const GIVEN_FIELDS: &[&str] = &["jvmArguments", "javaArguments", "commandLine", "command"];

/// Names of classes and methods: no secrets, and what profiles are made of.
const NAMES: &str = "jdk.types.Symbol";

/// Fields in which the name of what stands beside it is told.
const KEYS: &[&str] = &["key", "name"];

/// The recording without secrets.
///
/// # Errors
/// What cannot be read cannot be masked.
pub fn masked(mut bytes: Vec<u8>) -> Result<Vec<u8>, JfrError> {
    let mut at = 0;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let chunk = Chunk::read(rest)?;
        let hidden = Hidden::of(&chunk)?;
        let end = at + chunk.length;
        if let Some(own) = bytes.get_mut(at..end) {
            hidden.apply(own);
        }
        at = end;
    }
    Ok(bytes)
}

/// What is hidden of a chunk.
#[derive(Default)]
struct Hidden {
    /// Events, from their types on.
    events: Vec<Range<usize>>,
    /// Texts, and whether their letters are packed numbers.
    texts: Vec<(Range<usize>, bool)>,
    /// Texts among the constants.
    constants: HashSet<(i64, i64)>,
}

impl Hidden {
    fn of(chunk: &Chunk<'_>) -> Result<Self, JfrError> {
        let mut hidden = Self::default();
        let types = &chunk.types;
        let with_texts = types.with_texts();
        chunk.each_event(&|of, _| with_texts.contains(&of), &mut |of, event, at| {
            let given = GIVEN.contains(&&*of.name);
            if given {
                hidden.events.push(at);
            }
            hidden.look(event, "", given, types);
        })?;
        chunk.constants(&mut |of, number, constant| {
            let is_named = types.get(of).is_some_and(|of| &*of.name == NAMES);
            let all = hidden.constants.contains(&(of, number));
            if all || !is_named {
                hidden.look(&constant, "", all, types);
            }
        })?;
        Ok(hidden)
    }

    /// Looks at what stands under a name; all of it is hidden, or what is secret.
    fn look(&mut self, looked: &JfrValue, name: &str, all: bool, types: &Types) {
        match looked {
            JfrValue::Text(text) if all || value(name, &text.text) != text.text => {
                self.texts.push((text.at.clone(), text.packed));
            }
            JfrValue::Constant(of, number)
                if (all || is_secret(name))
                    && types.get(*of).is_some_and(|of| &*of.name == TEXT) =>
            {
                self.constants.insert((*of, *number));
            }
            JfrValue::Items(items) => {
                for item in items {
                    self.look(item, name, all, types);
                }
            }
            JfrValue::Fields(fields) => {
                let key = fields.iter().find_map(|(own, key)| match key {
                    JfrValue::Text(text) if KEYS.contains(&&**own) => Some(text.text.as_str()),
                    _ => None,
                });
                for (own, below) in fields {
                    let name = match key {
                        Some(key) if own.to_ascii_lowercase().ends_with("value") => key,
                        _ => own,
                    };
                    let all = all || GIVEN_FIELDS.contains(&&**own);
                    self.look(below, name, all, types);
                }
            }
            _ => {}
        }
    }

    fn apply(&self, bytes: &mut [u8]) {
        for (at, packed) in &self.texts {
            let letters = bytes.get_mut(at.clone()).unwrap_or_default();
            match packed {
                true => hide_packed(letters),
                false => letters.fill(b'*'),
            }
        }
        // A second description of types, which all pass over: the first is found by the header.
        for event in &self.events {
            bytes.get_mut(event.clone()).unwrap_or_default().fill(0);
        }
    }
}

/// Packed numbers, each as long as it was.
fn hide_packed(letters: &mut [u8]) {
    let mut begins = true;
    for byte in letters {
        let goes_on = *byte & 0x80;
        *byte = goes_on | if begins { b'*' } else { 0 };
        begins = goes_on == 0;
    }
}

//! What the companion already knows of a user, so that only changes are sent.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

use plimsoll_elements::SampleResult;
use plimsoll_plan::program::SiteId;

use crate::call::{Site, Variables};
use crate::protocol::{write_element, write_result};
use crate::wire::FrameWriter;

/// What the companion knows of one user.
#[derive(Debug, Default)]
pub struct KnownToCompanion {
    variables: HashMap<String, SeenVariable>,
    elements: HashMap<SiteId, u64>,
    previous: Option<u64>,
    /// Counts calls, to see which variables are gone.
    round: u64,
    /// A call was sent and its response has not been read: what is known is in doubt.
    pub open: bool,
}

#[derive(Debug)]
struct SeenVariable {
    value: String,
    round: u64,
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

impl KnownToCompanion {
    /// Writes the variables that changed.
    pub fn write_variables(&mut self, to: &mut FrameWriter, each: Option<Variables<'_>>) {
        self.round += 1;
        let round = self.round;
        let (mut changes, mut count, mut alive) = (FrameWriter::part(), 0usize, 0usize);
        if let Some(each) = each {
            each(&mut |name, value| {
                alive += 1;
                if let Some(seen) = self.variables.get_mut(name) {
                    seen.round = round;
                    if seen.value == value {
                        return;
                    }
                    value.clone_into(&mut seen.value);
                } else {
                    let value = value.to_owned();
                    self.variables
                        .insert(name.to_owned(), SeenVariable { value, round });
                }
                count += 1;
                changes.text(name);
                changes.maybe_text(Some(value));
            });
        }
        if self.variables.len() > alive {
            self.variables.retain(|name, seen| {
                let there = seen.round == round;
                if !there {
                    count += 1;
                    changes.text(name);
                    changes.maybe_text(None);
                }
                there
            });
        }
        to.count(count);
        to.raw(changes.written());
    }

    /// The companion changed variables.
    pub fn changed(&mut self, changes: &[(String, Option<String>)]) {
        for (name, value) in changes {
            match value {
                Some(value) => {
                    let (value, round) = (value.clone(), self.round);
                    self.variables
                        .insert(name.clone(), SeenVariable { value, round });
                }
                None => {
                    self.variables.remove(name);
                }
            }
        }
    }

    /// Writes an element, or only its site when it is as it was.
    pub fn write_site(&mut self, to: &mut FrameWriter, site: Site<'_>) {
        let mut element = FrameWriter::part();
        write_element(&mut element, site.element);
        let hash = hash(element.written());
        let same = self.elements.insert(site.site, hash) == Some(hash);
        to.u32(site.site.0);
        to.flag(!same);
        if !same {
            to.raw(element.written());
        }
    }

    /// The next time the element is sent as a whole.
    pub fn forget_site(&mut self, site: SiteId) {
        self.elements.remove(&site);
    }

    /// Writes the last result, or that it is as it was.
    pub fn write_previous(&mut self, to: &mut FrameWriter, previous: Option<&SampleResult>) {
        let Some(previous) = previous else {
            self.previous = None;
            to.u8(0);
            return;
        };
        let mut result = FrameWriter::part();
        write_result(&mut result, previous);
        let hash = hash(result.written());
        if self.previous.replace(hash) == Some(hash) {
            to.u8(1);
        } else {
            to.u8(2);
            to.raw(result.written());
        }
    }

    /// The engine's result is now what the companion has.
    pub fn agreed(&mut self, result: &SampleResult) {
        let mut part = FrameWriter::part();
        write_result(&mut part, result);
        self.previous = Some(hash(part.written()));
    }
}

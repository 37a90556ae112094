//! One pass over XML: the elements at a path with the bytes of their attributes.

use std::ops::Range;

use quick_xml::Reader;
use quick_xml::events::Event;

use super::path::XmlStep;
use crate::formats::error::{EditFault, Stop};

/// Elements are nested no deeper.
const MAX_DEPTH: usize = 500;

/// An element at the path.
pub(super) struct XmlElement {
    pub(super) name: String,
    /// From `<` to behind `>`.
    pub(super) tag: Range<usize>,
    /// Where one more attribute belongs.
    pub(super) attributes_end: usize,
    attributes: Vec<(String, XmlAttribute)>,
    /// What is in it; none of `<a/>`.
    pub(super) inner: Option<Range<usize>>,
    /// Behind its end.
    pub(super) end: usize,
}

/// Where an attribute stands.
#[derive(Clone)]
pub(super) struct XmlAttribute {
    pub(super) name: Range<usize>,
    /// Without its quotes.
    pub(super) value: Range<usize>,
}

impl XmlElement {
    pub(super) fn attribute(&self, name: &str) -> Option<&XmlAttribute> {
        let found = self.attributes.iter().find(|(own, _)| own == name);
        found.map(|(_, place)| place)
    }
}

/// What a pass found.
#[derive(Default)]
pub(super) struct XmlScanned {
    pub(super) found: Vec<XmlElement>,
}

/// The length of the name that a text begins with.
pub(super) fn name_length(text: &str) -> usize {
    text.find(|c: char| c.is_whitespace() || matches!(c, '/' | '>' | '='))
        .unwrap_or(text.len())
}

/// Looks for the elements at a path.
pub(super) fn scan(whole: &str, steps: &[XmlStep]) -> Result<XmlScanned, Stop> {
    let offset = if whole.starts_with('\u{feff}') { 3 } else { 0 };
    let mut reader = Reader::from_str(&whole[offset..]);
    let mut scanned = XmlScanned::default();
    // For each open element: how many steps lead to it, if it is on the way, and where it was kept.
    let mut open: Vec<(Option<usize>, Option<usize>)> = Vec::new();
    let at = |position: u64| offset + usize::try_from(position).unwrap_or(usize::MAX);
    loop {
        let start = at(reader.buffer_position());
        let event = reader.read_event().map_err(|error| {
            let place = at(reader.error_position()).min(whole.len());
            Stop::here(place, EditFault::Syntax(error.to_string()))
        })?;
        let end = at(reader.buffer_position()).min(whole.len());
        let (empty, is_tag) = (
            matches!(event, Event::Empty(_)),
            matches!(event, Event::Start(_)),
        );
        match event {
            Event::Start(_) | Event::Empty(_) => {
                if open.len() >= MAX_DEPTH {
                    return Err(Stop::here(start, EditFault::TooDeep(MAX_DEPTH)));
                }
                let before = open.last().map_or(Some(0), |(steps, _)| *steps);
                let step = before.and_then(|before| Some((before, steps.get(before)?)));
                let mut now = (None, None);
                if let Some((before, step)) = step
                    && let Some(element) = element(whole, start..end, step)
                {
                    now.0 = Some(before + 1);
                    if before + 1 == steps.len() {
                        now.1 = Some(scanned.found.len());
                        scanned.found.push(element);
                    }
                }
                if is_tag {
                    open.push(now);
                } else if let (true, Some(kept)) = (empty, now.1) {
                    scanned.found[kept].inner = None;
                }
            }
            Event::End(_) => {
                if let Some((_, Some(kept))) = open.pop()
                    && let Some(element) = scanned.found.get_mut(kept)
                {
                    element.inner = Some(element.tag.end..start.max(element.tag.end));
                    element.end = end;
                }
            }
            Event::Eof if open.is_empty() => return Ok(scanned),
            Event::Eof => {
                let fault = EditFault::Syntax("an element is not closed".to_owned());
                return Err(Stop::here(whole.len(), fault));
            }
            _ => {}
        }
    }
}

/// The element of a tag, if it is that of a step.
fn element(whole: &str, tag: Range<usize>, step: &XmlStep) -> Option<XmlElement> {
    let inner = whole.get(tag.start + 1..tag.end)?;
    let length = name_length(inner);
    let name = &inner[..length];
    if name != step.name {
        return None;
    }
    let (attributes, attributes_end) = attributes(whole, tag.start + 1 + length, tag.end);
    let holds = |(name, wanted): &(String, String)| {
        let own = attributes.iter().find(|(own, _)| own == name);
        own.is_some_and(|(_, place)| whole[place.value.clone()] == **wanted)
    };
    step.tests.iter().all(holds).then(|| XmlElement {
        name: name.to_owned(),
        end: tag.end,
        tag,
        attributes_end,
        attributes,
        inner: None,
    })
}

/// The attributes of a tag from behind its name on, and where the last ends.
fn attributes(whole: &str, from: usize, to: usize) -> (Vec<(String, XmlAttribute)>, usize) {
    let mut found = Vec::new();
    let mut end = from;
    let mut at = from;
    loop {
        let rest = &whole[at..to];
        let name_at = at + (rest.len() - rest.trim_start().len());
        let length = name_length(&whole[name_at..to]);
        let name = name_at..name_at + length;
        let behind = whole[name.end..to].trim_start();
        let Some(behind) = behind.strip_prefix('=').map(str::trim_start) else {
            return (found, end);
        };
        let Some(quote) = behind.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
            return (found, end);
        };
        let value_at = to - behind.len() + 1;
        let Some(length) = whole[value_at..to].find(quote) else {
            return (found, end);
        };
        let value = value_at..value_at + length;
        at = value.end + 1;
        end = at;
        found.push((whole[name.clone()].to_owned(), XmlAttribute { name, value }));
    }
}

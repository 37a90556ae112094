//! One pass over the events of a text: what stands at a path and on the way to it.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use crate::formats::editor::relaxed;
use crate::formats::error::{EditFault, Stop};
use crate::formats::profiles::names_profiles;

/// Collections are nested no deeper.
const MAX_DEPTH: usize = 200;
/// Of so many characters one's byte is kept.
const STRIDE: usize = 1024;

/// A value at the path.
pub(super) struct YamlLeaf {
    pub(super) document: usize,
    pub(super) value: String,
    /// Where its key starts; where the value does if no mapping of its own goes on without the key.
    pub(super) key_start: usize,
    pub(super) span: Range<usize>,
    anchors: Vec<usize>,
}

/// A list or mapping at the path itself.
pub(super) struct YamlCollection {
    pub(super) document: usize,
    pub(super) start: usize,
}

/// A mapping on the way to the path.
pub(super) struct YamlMapping {
    pub(super) document: usize,
    /// How many keys of the path are behind it.
    pub(super) depth: usize,
    /// Where it starts: its brace, or its first key.
    pub(super) start: usize,
    pub(super) braces: bool,
    /// Its first key's byte and column.
    pub(super) first_key: Option<(usize, usize)>,
    /// It is used elsewhere, too.
    pub(super) shared: bool,
    anchors: Vec<usize>,
}

/// A document.
pub(super) struct YamlDocument {
    /// Nothing is in it.
    pub(super) is_empty: bool,
}

/// What a pass found.
#[derive(Default)]
pub(super) struct Scanned {
    pub(super) documents: Vec<YamlDocument>,
    pub(super) leaves: Vec<YamlLeaf>,
    pub(super) collections: Vec<YamlCollection>,
    pub(super) mappings: Vec<YamlMapping>,
    /// Documents of Spring and the profiles that they are for.
    pub(super) profiles: Vec<(usize, String)>,
    /// All that is elsewhere.
    pub(super) others: u64,
    /// Aliases on the way or at the path.
    aliases_here: Vec<(usize, String)>,
    /// What is on the way and leads no further: single values, lists without the next key.
    values_here: Vec<(usize, String)>,
    aliases: HashSet<usize>,
}

impl Scanned {
    /// The path leads through what other places use, too.
    pub(super) fn shared_on_the_way(&self) -> Option<Stop> {
        if let Some((at, name)) = self.aliases_here.first() {
            return Some(Stop::here(*at, EditFault::Shared(name.clone())));
        }
        let shared = |leaf: &&YamlLeaf| leaf.anchors.iter().any(|one| self.aliases.contains(one));
        let leaf = self.leaves.iter().find(shared)?;
        let fault = EditFault::Shared(leaf.value.clone());
        Some(Stop::here(leaf.span.start, fault))
    }

    /// What stands where a mapping would have to.
    pub(super) fn blocked_by(&self) -> Option<Stop> {
        let (at, name) = self.values_here.first()?;
        Some(Stop::here(*at, EditFault::NoParent(name.clone())))
    }
}

/// Bytes of characters. They are asked for nearly in their order.
struct Places {
    /// Of every so-manieth character.
    every: Vec<usize>,
    /// The last one asked for.
    last: Cell<(usize, usize)>,
}

impl Places {
    fn of(text: &str) -> Self {
        let every = text.char_indices().step_by(STRIDE).map(|(at, _)| at);
        Self {
            every: every.collect(),
            last: Cell::new((0, 0)),
        }
    }

    fn byte(&self, text: &str, index: usize) -> usize {
        let (last, at) = self.last.get();
        let (from, near) = match index.checked_sub(last) {
            Some(ahead) if ahead < STRIDE => (last, at),
            _ => match self.every.get(index / STRIDE) {
                Some(near) => (index - index % STRIDE, *near),
                None => return text.len(),
            },
        };
        let mut letters = text[near..].char_indices();
        let byte = letters
            .nth(index - from)
            .map_or(text.len(), |(at, _)| near + at);
        if byte < text.len() {
            self.last.set((index, byte));
        }
        byte
    }
}

/// An open collection.
struct Frame {
    /// The length of its path.
    base: usize,
    /// The next item of a list.
    item: Option<usize>,
    /// A key comes next.
    key_next: bool,
    anchor: usize,
    /// Its place among the mappings found.
    found: Option<usize>,
    /// It is in brackets; for a mapping: it is one pair in a list in brackets, without braces.
    bracketed: bool,
}

struct Scan<'a> {
    text: &'a str,
    offset: usize,
    wanted: String,
    spring: bool,
    places: Places,
    path: String,
    frames: Vec<Frame>,
    key: Range<usize>,
    scanned: Scanned,
    others: DefaultHasher,
}

/// Looks for a path.
pub(super) fn scan(whole: &str, path: &str, spring: bool) -> Result<Scanned, Stop> {
    let text = whole.strip_prefix('\u{feff}').unwrap_or(whole);
    if let Some(at) =
        text.find(|c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{85}'))
    {
        let fault = EditFault::Syntax("control character".to_owned());
        return Err(Stop::here(at, fault));
    }
    let mut scan = Scan {
        text,
        offset: whole.len() - text.len(),
        wanted: if spring {
            relaxed(path)
        } else {
            path.to_owned()
        },
        spring,
        places: Places::of(text),
        path: String::new(),
        frames: Vec::new(),
        key: 0..0,
        scanned: Scanned::default(),
        others: DefaultHasher::new(),
    };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            let at = scan.offset + scan.places.byte(text, error.marker().index());
            Stop::here(at, EditFault::Syntax(error.info().to_owned()))
        })?;
        scan.event(event, span)?;
    }
    let mut scanned = scan.scanned;
    for mapping in &mut scanned.mappings {
        mapping.shared = mapping
            .anchors
            .iter()
            .any(|one| scanned.aliases.contains(one));
    }
    scanned.others = scan.others.finish();
    Ok(scanned)
}

/// Where a path stands to the wanted one.
#[derive(PartialEq)]
enum Way {
    There,
    Before,
    /// An item of a list comes next.
    BeforeItem,
    Elsewhere,
}

impl Scan<'_> {
    fn bytes(&self, span: Span) -> Range<usize> {
        let start = self.places.byte(self.text, span.start.index());
        let end = self.places.byte(self.text, span.end.index()).max(start);
        self.offset + start..self.offset + end
    }

    fn way(&self) -> Way {
        let path = match self.spring {
            true => Cow::Owned(relaxed(&self.path)),
            false => Cow::Borrowed(self.path.as_str()),
        };
        match self.wanted.strip_prefix(&*path) {
            Some("") => Way::There,
            Some(rest) if path.is_empty() || rest.starts_with('.') => Way::Before,
            Some(rest) if rest.starts_with('[') => Way::BeforeItem,
            _ => Way::Elsewhere,
        }
    }

    fn document(&self) -> usize {
        self.scanned.documents.len().saturating_sub(1)
    }

    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), Stop> {
        let bytes = self.bytes(span);
        match event {
            Event::DocumentStart(_) => {
                self.path.clear();
                self.frames.clear();
                self.scanned.documents.push(YamlDocument { is_empty: true });
            }
            Event::Scalar(value, style, anchor, _) => {
                if self.is_key() {
                    self.take_key(&value, bytes, span.start.col());
                } else {
                    self.scalar(&value, style, anchor, bytes);
                    self.next();
                }
            }
            Event::Alias(id) => {
                self.scanned.aliases.insert(id);
                if self.is_key() {
                    self.take_key("*", bytes, span.start.col());
                } else {
                    if self.way() != Way::Elsewhere {
                        self.scanned
                            .aliases_here
                            .push((bytes.start, self.path.clone()));
                    }
                    self.path.hash(&mut self.others);
                    self.next();
                }
            }
            Event::MappingStart(anchor, _) => self.open(None, anchor, bytes)?,
            Event::SequenceStart(anchor, _) => self.open(Some(0), anchor, bytes)?,
            Event::MappingEnd | Event::SequenceEnd => {
                self.frames.pop();
                self.next();
            }
            _ => {}
        }
        Ok(())
    }

    fn is_key(&self) -> bool {
        self.in_mapping() && self.frames.last().is_some_and(|frame| frame.key_next)
    }

    fn take_key(&mut self, key: &str, bytes: Range<usize>, column: usize) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        frame.key_next = false;
        self.path.truncate(frame.base);
        if frame.base > 0 {
            self.path.push('.');
        }
        self.path.push_str(key);
        if let Some(found) = frame.found
            && let Some(mapping) = self.scanned.mappings.get_mut(found)
        {
            mapping.first_key.get_or_insert((bytes.start, column));
        }
        self.key = bytes;
    }

    /// What comes behind a value.
    fn next(&mut self) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        self.path.truncate(frame.base);
        match &mut frame.item {
            Some(item) => {
                *item += 1;
                self.path.push_str(&format!("[{item}]"));
            }
            None => frame.key_next = true,
        }
    }

    fn anchors(&self, own: usize) -> Vec<usize> {
        let open = self.frames.iter().map(|frame| frame.anchor);
        open.chain([own]).filter(|anchor| *anchor != 0).collect()
    }

    fn open(
        &mut self,
        item: Option<usize>,
        anchor: usize,
        bytes: Range<usize>,
    ) -> Result<(), Stop> {
        if self.frames.len() >= MAX_DEPTH {
            return Err(Stop::here(bytes.start, EditFault::TooDeep(MAX_DEPTH)));
        }
        if self.is_key() {
            self.take_key("?", bytes.clone(), 0);
            // Its own value comes behind it, under the same key.
            if let Some(frame) = self.frames.last_mut() {
                frame.key_next = false;
            }
        }
        let document = self.document();
        self.fill_document();
        let braces = self.opens_with(&bytes, b'{');
        let bracketed = self.is_bracketed(item, &bytes);
        let mut found = None;
        match self.way() {
            Way::There => self.scanned.collections.push(YamlCollection {
                document,
                start: bytes.start,
            }),
            Way::Before if item.is_none() => {
                let depth = match self.path.is_empty() {
                    true => 0,
                    false => self.path.matches('.').count() + 1,
                };
                found = Some(self.scanned.mappings.len());
                self.scanned.mappings.push(YamlMapping {
                    document,
                    depth,
                    start: bytes.start,
                    braces,
                    first_key: None,
                    shared: false,
                    anchors: self.anchors(anchor),
                });
            }
            // A list where a mapping would have to be, or the other way round.
            Way::Before if !self.path.is_empty() => self.blocks(bytes.start),
            Way::BeforeItem if item.is_none() => self.blocks(bytes.start),
            Way::Before | Way::BeforeItem | Way::Elsewhere => {}
        }
        self.frames.push(Frame {
            base: self.path.len(),
            item,
            key_next: item.is_none(),
            anchor,
            found,
            bracketed,
        });
        if item.is_some() {
            self.path.push_str("[0]");
        }
        Ok(())
    }

    fn opens_with(&self, bytes: &Range<usize>, letter: u8) -> bool {
        self.text.as_bytes().get(bytes.start - self.offset) == Some(&letter)
    }

    /// Whether what opens there is a list in brackets, or one pair in such a list, without braces.
    fn is_bracketed(&self, item: Option<usize>, bytes: &Range<usize>) -> bool {
        if item.is_some() {
            return self.opens_with(bytes, b'[');
        }
        let within = self.frames.last();
        !self.opens_with(bytes, b'{')
            && within.is_some_and(|list| list.item.is_some() && list.bracketed)
    }

    fn fill_document(&mut self) {
        if let Some(document) = self.scanned.documents.last_mut() {
            document.is_empty = false;
        }
    }

    fn scalar(&mut self, value: &str, style: ScalarStyle, anchor: usize, bytes: Range<usize>) {
        let plain = style == ScalarStyle::Plain;
        let empty = plain
            && matches!(value, "" | "~")
            && self
                .text
                .get(bytes.start - self.offset..bytes.end - self.offset)
                != Some("~");
        if self.frames.is_empty() {
            self.root(empty);
        }
        let document = self.document();
        if self.spring && names_profiles(&relaxed(&self.path)) {
            self.scanned.profiles.push((document, value.to_owned()));
        }
        let span = match empty {
            true if self.in_mapping() => self.behind_colon(),
            true => bytes.start..bytes.start,
            false => self.trimmed(bytes, plain),
        };
        match self.way() {
            Way::There => {
                let leaf = YamlLeaf {
                    document,
                    value: if empty {
                        String::new()
                    } else {
                        value.to_owned()
                    },
                    key_start: match self.frames.last() {
                        Some(frame) if frame.item.is_none() && !frame.bracketed => self.key.start,
                        _ => span.start,
                    },
                    span,
                    anchors: self.anchors(anchor),
                };
                self.scanned.leaves.push(leaf);
            }
            Way::Before | Way::BeforeItem if !self.path.is_empty() => self.blocks(span.start),
            Way::Before | Way::BeforeItem => {}
            Way::Elsewhere => (document, &self.path, value, plain).hash(&mut self.others),
        }
    }

    /// The path cannot go on through what stands at its place.
    fn blocks(&mut self, at: usize) {
        self.scanned.values_here.push((at, self.path.clone()));
    }

    /// A document that is one value.
    fn root(&mut self, empty: bool) {
        self.path.clear();
        if !empty {
            self.fill_document();
        }
    }

    fn in_mapping(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.item.is_none())
    }

    /// Where a value that is not there would stand.
    fn behind_colon(&self) -> Range<usize> {
        let end = self.key.end.saturating_sub(self.offset);
        let behind = &self.text[end..];
        let colon = behind.find(|c: char| c != ' ' && c != '\t');
        let at = match colon.filter(|at| behind[*at..].starts_with(':')) {
            Some(at) => self.key.end + at + 1,
            None => self.key.end,
        };
        at..at
    }

    /// A scalar without what the parser read behind it.
    fn trimmed(&self, bytes: Range<usize>, plain: bool) -> Range<usize> {
        let text = &self.text[bytes.start - self.offset..bytes.end - self.offset];
        match plain {
            true => bytes.start..bytes.start + text.trim_end().len(),
            false => bytes.start..bytes.start + text.trim_end_matches(['\r', '\n', ' ']).len(),
        }
    }
}

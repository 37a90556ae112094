//! XML text to a tree of its elements, without any trust in it: entities are never expanded,
//! depth and size are limited, and what is wrong is said with its place.

use plimsoll_plan::Problem;
use plimsoll_plan::model::Span;
use plimsoll_text::Message;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::reader::Reader;

use crate::place::RisingPlaces;

/// Deepest nesting of elements. JMeter's own plans stay below 40; the trees built from this
/// one are walked recursively, so the limit keeps every stack small.
pub const MAX_DEPTH: usize = plimsoll_plan::limits::JMX_DEPTH;

/// Longest file, bytes.
pub use plimsoll_plan::limits::JMX_BYTES as MAX_BYTES;

/// An element of an XML document.
#[derive(Debug, Clone, Default)]
pub struct Xml {
    /// Its name.
    pub name: String,
    /// Its attributes.
    pub attributes: Vec<(String, String)>,
    /// Elements within.
    pub children: Vec<Xml>,
    /// The text within, when there are no elements.
    pub text: String,
    /// Where its tag begins.
    pub at: Span,
    /// Where its text begins.
    pub text_at: Span,
}

impl Xml {
    /// An attribute's value.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The first element within that has this name.
    #[must_use]
    pub fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }
}

/// Reads a document: its root element.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn parse(bytes: &[u8]) -> Result<Xml, Box<Problem>> {
    if bytes.len() > MAX_BYTES {
        return Err(problem(
            Span::default(),
            Message::new("jmeter-xml-too-long").with("limit_mib", MAX_BYTES / 1024 / 1024),
        ));
    }
    let text = decode(bytes)?;
    TreeBuilder::new(&text).run()
}

/// A problem whose remedy stands beside its message in the catalogue.
pub fn problem(at: Span, message: Message) -> Box<Problem> {
    let remedy = Message {
        id: format!("{}.remedy", message.id),
        args: message.args.clone(),
    };
    Box::new(Problem::error(at, message).remedy(remedy))
}

/// The text of a file in the encoding its mark or its XML declaration names; UTF-8 otherwise.
fn decode(bytes: &[u8]) -> Result<String, Box<Problem>> {
    let encoding = match encoding_rs::Encoding::for_bom(bytes) {
        Some((encoding, _)) => encoding,
        None => match wide(bytes).or_else(|| declared_encoding(bytes)) {
            None => encoding_rs::UTF_8,
            Some(label) => encoding_rs::Encoding::for_label(label.as_bytes()).ok_or_else(|| {
                problem(
                    Span { line: 1, column: 1 },
                    Message::new("jmeter-xml-encoding").with("encoding", label),
                )
            })?,
        },
    };
    // A byte that is not of the encoding becomes U+FFFD: a broken comment stops no plan.
    Ok(encoding.decode_with_bom_removal(bytes).0.into_owned())
}

/// The encoding of a file of two bytes a character that has no mark: by its `<?` (XML 1.0, F.1).
fn wide(bytes: &[u8]) -> Option<String> {
    let label = match bytes.get(..4)? {
        [0, b'<', 0, b'?'] => "utf-16be",
        [b'<', 0, b'?', 0] => "utf-16le",
        _ => return None,
    };
    Some(label.to_owned())
}

/// The encoding named in `<?xml … encoding="…"?>`.
fn declared_encoding(bytes: &[u8]) -> Option<String> {
    let head = &bytes[..bytes.len().min(200)];
    let head = String::from_utf8_lossy(head);
    let declaration = head.trim_start().strip_prefix("<?xml")?;
    let declaration = &declaration[..declaration.find("?>")?];
    let rest = declaration[declaration.find("encoding")? + "encoding".len()..].trim_start();
    let rest = rest.strip_prefix('=')?.trim_start();
    let quote = rest.chars().next().filter(|c| *c == '"' || *c == '\'')?;
    let rest = &rest[1..];
    Some(rest[..rest.find(quote)?].to_owned())
}

/// Puts the elements together; a stack of its own instead of recursion.
struct TreeBuilder<'t> {
    reader: Reader<&'t [u8]>,
    places: RisingPlaces<'t>,
    open: Vec<Xml>,
    root: Option<Xml>,
}

impl<'t> TreeBuilder<'t> {
    fn new(text: &'t str) -> Self {
        let mut reader = Reader::from_str(text);
        reader.config_mut().check_end_names = true;
        Self {
            reader,
            places: RisingPlaces::new(text),
            open: Vec::new(),
            root: None,
        }
    }

    fn run(mut self) -> Result<Xml, Box<Problem>> {
        loop {
            let from = self.position();
            let event = match self.reader.read_event() {
                Ok(event) => event,
                Err(error) => return Err(self.syntax(&error)),
            };
            match event {
                Event::Start(tag) => self.start(&tag, from)?,
                Event::Empty(tag) => {
                    self.start(&tag, from)?;
                    self.end();
                }
                Event::End(_) => self.end(),
                Event::Text(text) => self.text(&text.xml10_content()),
                Event::CData(text) => self.text(&text.xml10_content()),
                Event::GeneralRef(reference) => {
                    let character = self.reference(&reference, from)?;
                    self.text(character.encode_utf8(&mut [0; 4]));
                }
                // A document type is not looked at: what it declares is never expanded.
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
                Event::Eof => break,
            }
        }
        if let Some(open) = self.open.last() {
            let message = Message::new("jmeter-xml-not-closed").with("name", open.name.as_str());
            return Err(problem(open.at, message));
        }
        self.root.ok_or_else(|| {
            problem(
                Span { line: 1, column: 1 },
                Message::new("jmeter-xml-empty"),
            )
        })
    }

    fn position(&self) -> usize {
        usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX)
    }

    fn syntax(&mut self, error: &quick_xml::Error) -> Box<Problem> {
        let at = usize::try_from(self.reader.error_position()).unwrap_or(usize::MAX);
        problem(
            self.places.at(at),
            Message::new("jmeter-xml-syntax").with("detail", error.to_string()),
        )
    }

    fn start(&mut self, tag: &BytesStart<'_>, from: usize) -> Result<(), Box<Problem>> {
        let at = self.places.at(from);
        if self.open.len() >= MAX_DEPTH {
            let message = Message::new("jmeter-xml-too-deep").with("limit", MAX_DEPTH);
            return Err(problem(at, message));
        }
        if self.open.is_empty() && self.root.is_some() {
            return Err(problem(at, Message::new("jmeter-xml-second-root")));
        }
        let mut attributes = Vec::new();
        // JMeter's reader does not mind an attribute that is there twice either.
        for attribute in tag.attributes().with_checks(false) {
            let value = attribute.map_err(quick_xml::Error::from).and_then(|it| {
                Ok((
                    it.key.as_ref().to_owned(),
                    it.normalized_value(XmlVersion::Implicit1_0)?.into_owned(),
                ))
            });
            match value {
                Ok((key, value)) => attributes.push((key.to_string(), value)),
                Err(error) => {
                    let detail = error.to_string();
                    return Err(problem(
                        at,
                        Message::new("jmeter-xml-syntax").with("detail", detail),
                    ));
                }
            }
        }
        let text_at = self.places.at(self.position());
        self.open.push(Xml {
            name: tag.name().as_ref().to_string(),
            attributes,
            at,
            text_at,
            ..Xml::default()
        });
        Ok(())
    }

    fn end(&mut self) {
        // The reader itself refuses an end without its start.
        let Some(done) = self.open.pop() else { return };
        match self.open.last_mut() {
            Some(parent) => {
                parent.text.clear();
                parent.children.push(done);
            }
            None => self.root = Some(done),
        }
    }

    fn text(&mut self, text: &str) {
        // Between elements there is only white space.
        if let Some(open) = self.open.last_mut().filter(|open| open.children.is_empty()) {
            open.text.push_str(text);
        }
    }

    fn reference(&mut self, reference: &BytesRef<'_>, from: usize) -> Result<char, Box<Problem>> {
        let name = reference.xml10_content().into_owned();
        let known = match name.as_str() {
            "lt" => Some('<'),
            "gt" => Some('>'),
            "amp" => Some('&'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => reference.resolve_char_ref().ok().flatten(),
        };
        known.ok_or_else(|| {
            problem(
                self.places.at(from),
                Message::new("jmeter-xml-entity").with("name", name),
            )
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    fn fails(text: &str) -> (String, u32, u32) {
        let problem = parse(text.as_bytes()).unwrap_err();
        (problem.message.id, problem.at.line, problem.at.column)
    }

    #[test]
    fn texts_attributes_and_places() {
        let text = "<?xml version=\"1.0\"?>\n<a x='1 &amp; 2'>\n  <b>l&lt;r\r\nü&#x41;<![CDATA[<x>]]></b>\n <c/></a>";
        let root = parse(text.as_bytes()).unwrap();
        assert_eq!(root.attribute("x"), Some("1 & 2"));
        assert_eq!((root.at.line, root.at.column), (2, 1));
        let b = root.child("b").unwrap();
        assert_eq!(b.text, "l<r\nüA<x>");
        assert_eq!((b.at.line, b.at.column), (3, 3));
        assert_eq!((b.text_at.line, b.text_at.column), (3, 6));
        assert_eq!(root.child("c").unwrap().at.line, 5);
        assert_eq!(root.text, "");
    }

    #[test]
    fn declared_encodings_are_followed() {
        let latin = b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xfc</a>";
        assert_eq!(parse(latin).unwrap().text, "\u{fc}");
        let wide: Vec<u8> = "\u{feff}<a>\u{fc}</a>"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(parse(&wide).unwrap().text, "\u{fc}");
        let unmarked = "<?xml version='1.0' encoding='UTF-16'?><a>\u{fc}</a>".encode_utf16();
        let unmarked: Vec<u16> = unmarked.collect();
        for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
            let wide: Vec<u8> = unmarked.iter().copied().flat_map(bytes).collect();
            assert_eq!(parse(&wide).unwrap().text, "\u{fc}");
        }
        let (id, ..) = fails("<?xml version='1.0' encoding='klingon'?><a/>");
        assert_eq!(id, "jmeter-xml-encoding");
    }

    #[test]
    fn entities_are_never_expanded() {
        let bomb = "<!DOCTYPE a [<!ENTITY x \"boom\"><!ENTITY f SYSTEM \"file:///etc/passwd\">]>\n<a>&x;</a>";
        assert_eq!(fails(bomb), ("jmeter-xml-entity".to_owned(), 2, 4));
        let unused = "<!DOCTYPE a [<!ENTITY x \"boom\">]><a>fine</a>";
        assert_eq!(parse(unused.as_bytes()).unwrap().text, "fine");
        let (id, ..) = fails("<!DOCTYPE a [<!ENTITY x \"boom\">]><a b=\"&x;\"/>");
        assert_eq!(id, "jmeter-xml-syntax");
    }

    #[test]
    fn what_is_broken_is_said_with_its_place() {
        assert_eq!(fails("<a>\n<b></a>").0, "jmeter-xml-syntax");
        assert_eq!(fails("<a>\n <b>").1, 2);
        assert_eq!(fails("").0, "jmeter-xml-empty");
        assert_eq!(fails("<a/><b/>").0, "jmeter-xml-second-root");
        let deep = "<a>".repeat(100_000);
        assert_eq!(fails(&deep).0, "jmeter-xml-too-deep");
    }
}

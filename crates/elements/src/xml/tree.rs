//! A document, or why there is none.

use uppsala::dom::Document;

/// A document as a tree.
pub type Tree<'t> = Document<'t>;

/// Why a text is no XML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoXml {
    /// In the words of Java's parser, where they are known.
    pub message: String,
    /// Line and column up to which it read, from 1; none for an empty text.
    pub place: Option<(usize, usize)>,
}

impl NoXml {
    /// As Java writes the exception.
    #[must_use]
    pub fn exception(&self) -> String {
        let place = self.place.map_or_else(String::new, |(line, column)| {
            format!("lineNumber: {line}; columnNumber: {column}; ")
        });
        format!("org.xml.sax.SAXParseException; {place}{}", self.message)
    }
}

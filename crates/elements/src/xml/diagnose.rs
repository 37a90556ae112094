//! Why a text is no XML, in the words of Java's parser (Xerces): what JMeter shows. The text
//! was refused already; this only looks for the first thing that Xerces would stumble over.

use uppsala::XmlError;

use super::tree::NoXml;

/// The reason; `error` if nothing better is found.
pub(super) fn diagnose(text: &str, error: &XmlError) -> NoXml {
    let mut scanner = Scanner {
        text,
        at: 0,
        open: Vec::new(),
        had_root: false,
    };
    let found = scanner.document();
    let at = scanner.at.min(text.len());
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .chars()
        .count()
        + 1;
    match found {
        Err(message) if text.is_empty() => NoXml {
            message,
            place: None,
        },
        Err(message) => NoXml {
            message,
            place: Some((line, column)),
        },
        Ok(()) => NoXml {
            message: error.to_string(),
            place: Some((line, column)),
        },
    }
}

/// Whether a DTD stands before the root.
pub(super) fn has_dtd(text: &str) -> bool {
    let mut rest = text.trim_start();
    loop {
        let end = if rest.starts_with("<?") {
            rest.find("?>").map(|at| at + 2)
        } else if rest.starts_with("<!--") {
            rest.find("-->").map(|at| at + 3)
        } else {
            return rest.starts_with("<!DOCTYPE");
        };
        match end {
            Some(end) => rest = rest[end..].trim_start(),
            None => return false,
        }
    }
}

const SAME_ENTITY: &str = "XML document structures must start and end within the same entity.";

struct Scanner<'t> {
    text: &'t str,
    at: usize,
    open: Vec<&'t str>,
    had_root: bool,
}

type Scanned = Result<(), String>;

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '_' | ':')
}

fn is_name(c: char) -> bool {
    is_name_start(c) || c.is_numeric() || matches!(c, '-' | '.' | '\u{B7}')
}

impl<'t> Scanner<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn name(&mut self) -> &'t str {
        let rest = self.rest();
        if !rest.starts_with(is_name_start) {
            return "";
        }
        let name = &rest[..rest.len() - rest.trim_start_matches(is_name).len()];
        self.at += name.len();
        name
    }

    fn blanks(&mut self) -> bool {
        let rest = self.rest();
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
        self.at += blanks;
        blanks > 0
    }

    /// Goes behind `end`.
    fn until(&mut self, end: &str) -> Scanned {
        match self.rest().find(end) {
            Some(at) => {
                self.at += at + end.len();
                Ok(())
            }
            None => {
                self.at = self.text.len();
                Err(SAME_ENTITY.to_owned())
            }
        }
    }

    fn document(&mut self) -> Scanned {
        if self.text.trim().is_empty() {
            return Err("Premature end of file.".to_owned());
        }
        if self.text.trim_start().starts_with("<?xml ") && !self.text.starts_with('<') {
            self.at = self.text.len() - self.text.trim_start().len() + 6;
            return Err(
                "The processing instruction target matching \"[xX][mM][lL]\" is not allowed."
                    .to_owned(),
            );
        }
        while self.at < self.text.len() {
            if self.open.is_empty() {
                self.outside()?;
            } else {
                self.content()?;
            }
        }
        match self.open.is_empty() && self.had_root {
            true => Ok(()),
            false if self.open.is_empty() => Err("Premature end of file.".to_owned()),
            false => Err(SAME_ENTITY.to_owned()),
        }
    }

    /// Before or after the root.
    fn outside(&mut self) -> Scanned {
        self.blanks();
        let rest = self.rest();
        if rest.is_empty() {
            return Ok(());
        }
        let (place, wrong) = match self.had_root {
            true => ("trailing section", "following"),
            false => ("prolog", "preceding"),
        };
        if !rest.starts_with('<') {
            return Err(format!("Content is not allowed in {place}."));
        }
        if rest.starts_with("<!--") {
            return self.until("-->");
        }
        if rest.starts_with("<?") {
            return self.until("?>");
        }
        if rest.starts_with("<!DOCTYPE") && !self.had_root {
            return self.dtd();
        }
        if self.had_root || !rest[1..].starts_with(is_name_start) {
            self.at += 1;
            return Err(format!(
                "The markup in the document {wrong} the root element must be well-formed."
            ));
        }
        self.had_root = true;
        self.start_tag()
    }

    fn dtd(&mut self) -> Scanned {
        let rest = self.rest();
        match (rest.find('['), rest.find('>')) {
            (Some(subset), Some(end)) if subset < end => {
                self.until("]")?;
                self.until(">")
            }
            _ => self.until(">"),
        }
    }

    fn content(&mut self) -> Scanned {
        let rest = self.rest();
        if rest.starts_with("<!--") {
            return self.until("-->");
        }
        if rest.starts_with("<![CDATA[") {
            return self.until("]]>");
        }
        if rest.starts_with("<?") {
            return self.until("?>");
        }
        if rest.starts_with("</") {
            return self.end_tag();
        }
        if let Some(after) = rest.strip_prefix('<') {
            if !after.starts_with(is_name_start) {
                self.at += 1;
                return match rest.len() {
                    1 => Err(SAME_ENTITY.to_owned()),
                    _ => Err("The content of elements must consist of well-formed character data or markup.".to_owned()),
                };
            }
            return self.start_tag();
        }
        if rest.starts_with('&') {
            return self.reference();
        }
        if rest.starts_with("]]>") {
            return Err("The character sequence \"]]>\" must not appear in content unless used to mark the end of a CDATA section.".to_owned());
        }
        let Some(c) = rest.chars().next() else {
            return Ok(());
        };
        self.at += c.len_utf8();
        let allowed = matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{FFFD}' | '\u{10000}'..);
        match allowed {
            true => Ok(()),
            false => Err(format!(
                "An invalid XML character (Unicode: 0x{:x}) was found in the element content of the document.",
                u32::from(c)
            )),
        }
    }

    fn reference(&mut self) -> Scanned {
        self.at += 1;
        if self.rest().starts_with('#') {
            return self.until(";");
        }
        let name = self.name();
        if name.is_empty() {
            return Err(
                "The entity name must immediately follow the '&' in the entity reference."
                    .to_owned(),
            );
        }
        if !self.rest().starts_with(';') {
            return Err(format!(
                "The reference to entity \"{name}\" must end with the ';' delimiter."
            ));
        }
        self.at += 1;
        let known = ["amp", "lt", "gt", "quot", "apos"].contains(&name)
            || self.text.contains(&format!("<!ENTITY {name} "));
        match known {
            true => Ok(()),
            false => Err(format!(
                "The entity \"{name}\" was referenced, but not declared."
            )),
        }
    }

    fn end_tag(&mut self) -> Scanned {
        self.at += 2;
        let name = self.name();
        let open = self.open.pop().unwrap_or_default();
        if name != open {
            return Err(format!(
                "The element type \"{open}\" must be terminated by the matching end-tag \"</{open}>\"."
            ));
        }
        self.blanks();
        if !self.rest().starts_with('>') {
            return Err(format!(
                "The end-tag for element type \"{open}\" must end with a '>' delimiter."
            ));
        }
        self.at += 1;
        Ok(())
    }

    fn start_tag(&mut self) -> Scanned {
        self.at += 1;
        let element = self.name();
        let mut names: Vec<&str> = Vec::new();
        loop {
            let blanks = self.blanks();
            let rest = self.rest();
            if rest.is_empty() {
                return Err(SAME_ENTITY.to_owned());
            }
            if rest.starts_with('>') {
                self.at += 1;
                self.open.push(element);
                return Ok(());
            }
            if rest.starts_with("/>") {
                self.at += 2;
                return Ok(());
            }
            if !blanks || !rest.starts_with(is_name_start) {
                return Err(format!(
                    "Element type \"{element}\" must be followed by either attribute specifications, \">\" or \"/>\"."
                ));
            }
            let name = self.name();
            self.attribute(element, name)?;
            if names.contains(&name) {
                return Err(format!(
                    "Attribute \"{name}\" was already specified for element \"{element}\"."
                ));
            }
            names.push(name);
        }
    }

    fn attribute(&mut self, element: &str, name: &str) -> Scanned {
        self.blanks();
        if !self.rest().starts_with('=') {
            return Err(format!(
                "Attribute name \"{name}\" associated with an element type \"{element}\" must be followed by the ' = ' character."
            ));
        }
        self.at += 1;
        self.blanks();
        let Some(quote @ ('"' | '\'')) = self.rest().chars().next() else {
            return Err(format!(
                "Open quote is expected for attribute \"{name}\" associated with an  element type  \"{element}\"."
            ));
        };
        self.at += 1;
        loop {
            let Some(c) = self.rest().chars().next() else {
                return Err(SAME_ENTITY.to_owned());
            };
            match c {
                '<' => {
                    return Err(format!(
                        "The value of attribute \"{name}\" associated with an element type \"{element}\" must not contain the '<' character."
                    ));
                }
                '&' => self.reference()?,
                c => {
                    self.at += c.len_utf8();
                    if c == quote {
                        return Ok(());
                    }
                }
            }
        }
    }
}

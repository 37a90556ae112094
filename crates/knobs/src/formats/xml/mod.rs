//! XML: one attribute or the text of one element is exchanged or added, the rest stays.

mod path;
mod scan;

#[cfg(test)]
mod tests;

use std::ops::Range;

use quick_xml::escape::{escape, unescape};

use super::address::Address;
use super::editor::{Editor, Splice, Standing};
use super::error::{EditFault, Stop};
use super::lines::one_line;
use super::placing::line_end;
use path::XmlPath;
use scan::{XmlElement, scan};

/// `server.xml`, `logback.xml` and their like.
pub(super) struct XmlEditor;

/// An empty element's end, where its text would stand.
const CLOSED: &str = "/>";

fn single<'a>(whole: &str, found: &'a [XmlElement]) -> Result<Option<&'a XmlElement>, Stop> {
    match found {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        several => {
            let places = several.iter().map(|one| one.tag.start);
            let fault = EditFault::several(whole, places);
            Err(Stop::here(several[0].tag.start, fault))
        }
    }
}

fn decoded(raw: &str, at: usize) -> Result<String, Stop> {
    match unescape(raw) {
        Ok(value) => Ok(value.into_owned()),
        Err(error) => Err(Stop::here(at, EditFault::Syntax(error.to_string()))),
    }
}

/// The text of an element.
fn text_of(whole: &str, element: &XmlElement) -> Result<Standing, Stop> {
    let tag_and_all = element.tag.start..element.end;
    let Some(inner) = element.inner.clone() else {
        let end = element.tag.end - CLOSED.len()..element.tag.end;
        return Ok(Standing {
            value: String::new(),
            span: end,
            whole: tag_and_all,
        });
    };
    let raw = &whole[inner.clone()];
    if raw.contains('<') {
        let fault = EditFault::NotSingle(element.name.clone());
        return Err(Stop::here(inner.start, fault));
    }
    let start = inner.start + (raw.len() - raw.trim_start().len());
    let span = match raw.trim() {
        "" => inner,
        value => start..start + value.len(),
    };
    Ok(Standing {
        value: decoded(whole[span.clone()].trim(), span.start)?,
        span,
        whole: tag_and_all,
    })
}

impl Editor for XmlEditor {
    fn find(&self, whole: &str, address: &Address) -> Result<Option<Standing>, Stop> {
        let path = XmlPath::read(&address.path)?;
        let scanned = scan(whole, &path.steps)?;
        let Some(attribute) = &path.attribute else {
            let element = single(whole, &scanned.found)?;
            if let (Some(_), [parents @ .., _]) = (element, path.steps.as_slice()) {
                single(whole, &scan(whole, parents)?.found)?;
            }
            return element.map(|element| text_of(whole, element)).transpose();
        };
        // Where one of several elements has it, nobody knows whether that one is meant.
        let mut having = scanned.found.iter();
        if !having.any(|element| element.attribute(attribute).is_some()) {
            return Ok(None);
        }
        let element = single(whole, &scanned.found)?;
        let Some(found) = element.and_then(|element| element.attribute(attribute)) else {
            return Ok(None);
        };
        let before = &whole[..found.name.start];
        let start = before.trim_end().len();
        Ok(Some(Standing {
            value: decoded(&whole[found.value.clone()], found.value.start)?,
            span: found.value.clone(),
            whole: start..found.value.end + 1,
        }))
    }

    fn replaced(
        &self,
        whole: &str,
        _: &Address,
        place: &Standing,
        value: &str,
    ) -> Result<Splice, Stop> {
        one_line(value)?;
        let mut with = escape(value).into_owned();
        if &whole[place.span.clone()] == CLOSED {
            let start = place.whole.start + 1;
            let name = &whole[start..place.span.start];
            let name = &name[..scan::name_length(name)];
            with = format!(">{with}</{name}>");
        }
        Ok(Splice {
            range: place.span.clone(),
            with,
        })
    }

    fn added(&self, whole: &str, address: &Address, value: &str) -> Result<Splice, Stop> {
        one_line(value)?;
        let path = XmlPath::read(&address.path)?;
        let value = escape(value);
        let (steps, name) = match (&path.attribute, path.steps.split_last()) {
            (Some(attribute), _) => (path.steps.as_slice(), attribute.as_str()),
            (None, Some((last, parents))) if !parents.is_empty() && last.tests.is_empty() => {
                (parents, last.name.as_str())
            }
            (None, _) => (path.steps.as_slice(), ""),
        };
        let scanned = scan(whole, steps)?;
        let no_parent = || Stop::nowhere(EditFault::NoParent(path.shown_parent()));
        let parent = single(whole, &scanned.found)?.ok_or_else(no_parent)?;
        if path.attribute.is_some() {
            let at = parent.attributes_end;
            return Ok(Splice {
                range: at..at,
                with: format!(" {name}=\"{value}\""),
            });
        }
        let inner = parent
            .inner
            .clone()
            .filter(|_| !name.is_empty())
            .ok_or_else(no_parent)?;
        Ok(with_child(whole, inner, name, &value))
    }
}

/// An element more before its parent's end, on a line of its own where that has one.
fn with_child(whole: &str, inner: Range<usize>, name: &str, value: &str) -> Splice {
    let element = format!("<{name}>{value}</{name}>");
    let body = &whole[inner.clone()];
    let indent = body.rfind('\n').map(|at| &body[at + 1..]);
    match indent.filter(|indent| indent.trim().is_empty()) {
        Some(indent) => {
            let at = inner.end - indent.len();
            Splice {
                range: at..at,
                with: format!("{indent}  {element}{}", line_end(whole)),
            }
        }
        None => Splice {
            range: inner.end..inner.end,
            with: element,
        },
    }
}

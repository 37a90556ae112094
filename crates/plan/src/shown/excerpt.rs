//! The piece of a source that a mistake is shown with. Lines may be as long as they like: only
//! what stands around the mistake is written, without what would steer a terminal.

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};
use plimsoll_secrets::{Known, in_place, within};

use crate::model::Span;

/// Characters that are shown before and behind a mistake.
const AROUND: usize = 80;

/// Bytes before and behind what is shown that tell which of it is secret.
const REACH: usize = 4096;

/// A source by its lines.
pub struct SourceLines<'s> {
    source: &'s str,
    lines: Vec<&'s str>,
}

impl<'s> SourceLines<'s> {
    /// Its lines, without their ends. Places do not count a byte order mark.
    pub fn of(source: &'s str) -> Self {
        let source = source.strip_prefix('\u{feff}').unwrap_or(source);
        Self {
            source,
            lines: source.lines().collect(),
        }
    }

    /// What is shown of a line from that character on, and what stands before and behind it: the whole
    /// and how much of it, in bytes, comes first and is shown.
    fn around(&self, line: &str, from: usize) -> (&'s str, usize, usize) {
        let place = |characters: usize| {
            let mut places = line.char_indices().map(|(at, _)| at);
            places.nth(characters).unwrap_or(line.len())
        };
        let (begin, end) = (place(from), place(from + 2 * AROUND));
        // A line is a piece of the source.
        let line_at = line.as_ptr().addr() - self.source.as_ptr().addr();
        let first = (line_at + begin).saturating_sub(REACH);
        let last = (line_at + end + REACH).min(self.source.len());
        let is_boundary = |at: &usize| self.source.is_char_boundary(*at);
        // A text begins and ends at a boundary.
        let first = (0..=first).rev().find(is_boundary).unwrap_or(0);
        let last = (last..=self.source.len()).find(is_boundary);
        let last = last.unwrap_or(self.source.len());
        let whole = &self.source[first..last];
        (whole, line_at + begin - first, end - begin)
    }
}

/// A line, with those before and behind it, as far as they are shown.
#[derive(Debug)]
pub struct Excerpt {
    name: String,
    text: String,
    /// Where the lines begin in the text, and its end.
    starts: Vec<usize>,
    /// The first line, from 0.
    first: usize,
    /// The line of the mistake, of those here.
    at: usize,
    /// Its column, from 0.
    column: usize,
    marked: (usize, usize),
    /// What is secret near the mistake.
    known: Known,
}

impl Excerpt {
    /// What is shown of a place; none for one that is not in the source.
    pub fn of(lines: &SourceLines<'_>, place: Span, name: &str) -> Option<Self> {
        let index = |number: u32| usize::try_from(number).ok()?.checked_sub(1);
        let (line, column) = (index(place.line)?, index(place.column)?);
        lines.lines.get(line)?;
        let first = line.saturating_sub(1);
        let last = (line + 1).min(lines.lines.len() - 1);
        let length = lines.lines[line].chars().count();
        let column = column.min(length);
        let from = column.saturating_sub(AROUND);
        let mut excerpt = Self {
            name: name.to_owned(),
            text: String::new(),
            starts: vec![0],
            first,
            at: line - first,
            column,
            marked: (0, 1),
            known: within(lines.around(lines.lines[line], from).0),
        };
        for (number, text) in (first..).zip(&lines.lines[first..=last]) {
            let begin = excerpt.text.len();
            excerpt.add(lines, text, from);
            if number == line {
                excerpt.mark(begin, usize::from(from > 0) + column - from);
            }
            excerpt.text.push('\n');
            excerpt.starts.push(excerpt.text.len());
        }
        Some(excerpt)
    }

    /// Adds what is shown of a line, without secrets.
    fn add(&mut self, lines: &SourceLines<'_>, line: &str, from: usize) {
        let (whole, before, shown) = lines.around(line, from);
        if from > 0 && shown > 0 {
            self.text.push('…');
        }
        let count = |text: &str| text.chars().count();
        let (skipped, taken) = (&whole[..before], &whole[before..before + shown]);
        // It has as many characters as before.
        let masked = in_place(whole);
        let masked = masked.chars().skip(count(skipped)).take(count(taken));
        self.text.extend(masked.map(harmless));
        if line.chars().nth(from + 2 * AROUND).is_some() {
            self.text.push('…');
        }
    }

    /// A text about the mistake without what is secret near it.
    pub fn without_secrets(&self, text: &str) -> String {
        self.known.text(text).into_owned()
    }

    /// Marks the word at a character of the line that begins at `begin`.
    fn mark(&mut self, begin: usize, character: usize) {
        let line = &self.text[begin..];
        let mut places = line.char_indices().map(|(at, _)| at);
        let at = places.nth(character).unwrap_or(line.len());
        let word = line[at..]
            .split(|c: char| c.is_whitespace() || c == ':')
            .next();
        let length = word.map_or(0, str::len);
        if at == line.len() {
            // Behind the end there is something to point at, too.
            self.text.push(' ');
        }
        let one = self.text[begin + at..]
            .chars()
            .next()
            .map_or(1, char::len_utf8);
        self.marked = (begin + at, length.max(one));
    }

    /// What is underlined: offset and length.
    pub fn marked(&self) -> (usize, usize) {
        self.marked
    }
}

/// A character that takes its place and does nothing else.
fn harmless(c: char) -> char {
    match c {
        c if c.is_control() => ' ',
        '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}' => '\u{fffd}',
        c => c,
    }
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let lines = self.starts.len() - 1;
        let first = self.at.saturating_sub(before);
        let end = self.starts[(self.at + after + 1).min(lines)];
        // Without lines around it a span is told by itself: that names its column.
        let (begin, column) = match before {
            0 => (span.offset().min(end), self.column),
            _ => (self.starts[first], 0),
        };
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            &self.text.as_bytes()[begin..end],
            (begin, end - begin).into(),
            self.first + first,
            column,
            lines,
        )))
    }
}

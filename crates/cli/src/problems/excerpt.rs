//! The piece of a source that a mistake is shown with. Lines may be as long as they like: only
//! what stands around the mistake is written, without what would steer a terminal.

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};
use plimsoll_plan::model::Span;

/// Characters that are shown before and behind a mistake.
const AROUND: usize = 80;

/// A source by its lines.
pub struct Lines<'s>(Vec<&'s str>);

impl<'s> Lines<'s> {
    /// Its lines, without their ends. Places do not count a byte order mark.
    pub fn of(source: &'s str) -> Self {
        Self(
            source
                .strip_prefix('\u{feff}')
                .unwrap_or(source)
                .lines()
                .collect(),
        )
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
}

impl Excerpt {
    /// What is shown of a place; none for one that is not in the source.
    pub fn of(lines: &Lines<'_>, place: Span, name: &str) -> Option<Self> {
        let index = |number: u32| usize::try_from(number).ok()?.checked_sub(1);
        let (line, column) = (index(place.line)?, index(place.column)?);
        lines.0.get(line)?;
        let first = line.saturating_sub(1);
        let last = (line + 1).min(lines.0.len() - 1);
        let length = lines.0[line].chars().count();
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
        };
        for (number, text) in (first..).zip(&lines.0[first..=last]) {
            let begin = excerpt.text.len();
            excerpt.add(text, from);
            if number == line {
                excerpt.mark(begin, usize::from(from > 0) + column - from);
            }
            excerpt.text.push('\n');
            excerpt.starts.push(excerpt.text.len());
        }
        Some(excerpt)
    }

    /// Adds what is shown of a line.
    fn add(&mut self, line: &str, from: usize) {
        let mut characters = line.chars().skip(from).peekable();
        if from > 0 && characters.peek().is_some() {
            self.text.push('…');
        }
        let shown = characters.by_ref().take(2 * AROUND);
        self.text.extend(shown.map(harmless));
        if characters.peek().is_some() {
            self.text.push('…');
        }
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

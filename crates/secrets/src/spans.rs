//! Stretches of a text that are masked, and the text without them.

use std::borrow::Cow;

use crate::views::UnescapedView;

/// What stands for a secret, whatever its length.
pub const MASK: &str = "***";

/// A stretch of the original text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct SecretSpan {
    from: usize,
    to: usize,
    /// A scalar without quotes.
    bare: Bare,
}

/// Whether a mask needs quotes to remain a value of its format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Bare {
    /// It does not.
    No,
    /// In JSON.
    Json,
    /// In YAML, if that is what the text is.
    Yaml,
}

/// All stretches of one text.
#[derive(Debug, Default)]
pub(crate) struct Spans(Vec<SecretSpan>);

/// Takes the stretches that were found in one view of the text.
pub(crate) struct SpanSink<'a> {
    spans: &'a mut Spans,
    view: Option<&'a UnescapedView>,
}

impl Spans {
    /// For stretches of the text as it is.
    pub(crate) fn whole(&mut self) -> SpanSink<'_> {
        SpanSink {
            spans: self,
            view: None,
        }
    }

    /// For stretches of a view.
    pub(crate) fn seen_in<'a>(&'a mut self, view: &'a UnescapedView) -> SpanSink<'a> {
        SpanSink {
            spans: self,
            view: Some(view),
        }
    }

    fn add(&mut self, from: usize, to: usize, bare: Bare) {
        if from < to {
            self.0.push(SecretSpan { from, to, bare });
        }
    }

    /// Keeps what there is of the stretches in these places.
    pub(crate) fn keep_in(&mut self, places: &[(usize, usize)]) {
        let spans = std::mem::take(&mut self.0);
        for span in spans {
            for (from, to) in places {
                self.add(span.from.max(*from), span.to.min(*to), span.bare);
            }
        }
    }

    /// Stretches in order that neither overlap nor touch.
    fn merged(mut self) -> Vec<SecretSpan> {
        self.0.sort_unstable();
        let mut merged: Vec<SecretSpan> = Vec::with_capacity(self.0.len());
        for span in self.0 {
            match merged.last_mut() {
                Some(last) if span.from <= last.to => {
                    let same = span.from == last.from && span.to == last.to;
                    if !same && (span.to > last.to || span.from == last.from) {
                        last.bare = Bare::No;
                    } else if same {
                        last.bare = last.bare.max(span.bare);
                    }
                    last.to = last.to.max(span.to);
                }
                _ => merged.push(span),
            }
        }
        merged
    }

    /// The bytes with a mask in the place of each stretch.
    pub(crate) fn masked(self, bytes: &[u8], is_yaml: bool) -> Cow<'_, [u8]> {
        if self.0.is_empty() {
            return Cow::Borrowed(bytes);
        }
        let mut out = Vec::with_capacity(bytes.len());
        let mut done = 0;
        for span in self.merged() {
            out.extend_from_slice(&bytes[done..span.from]);
            let quoted = span.bare == Bare::Json || is_yaml && is_plain_scalar(bytes, &span);
            if quoted {
                out.push(b'"');
            }
            out.extend_from_slice(MASK.as_bytes());
            if quoted {
                out.push(b'"');
            }
            done = span.to;
        }
        out.extend_from_slice(&bytes[done..]);
        Cow::Owned(out)
    }

    /// The text with each stretch as many characters long as it was, lines kept: a mask, then blanks.
    pub(crate) fn in_place(self, text: &str) -> Cow<'_, str> {
        if self.0.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        let (mut done, mut stretches) = (0, self.merged().into_iter().peekable());
        for (at, letter) in text.char_indices() {
            while stretches.next_if(|span| span.to <= at).is_some() {
                done = 0;
            }
            let is_hidden = stretches.peek().is_some_and(|span| span.from <= at);
            match letter {
                '\n' | '\r' => done = 0,
                _ if is_hidden => done += 1,
                _ => {}
            }
            out.push(match (is_hidden, letter) {
                (false, letter) | (true, letter @ ('\n' | '\r')) => letter,
                (true, _) if done <= MASK.len() => '*',
                (true, _) => ' ',
            });
        }
        Cow::Owned(out)
    }

    /// The stretches themselves.
    pub(crate) fn texts(self, text: &str) -> Vec<&str> {
        let stretches = self.merged().into_iter();
        let texts = stretches.filter_map(|span| text.get(span.from..span.to));
        texts.collect()
    }

    /// Where the stretches stand.
    pub(crate) fn places(self, text: &str) -> Vec<std::ops::Range<usize>> {
        let stretches = self.merged().into_iter().map(|span| span.from..span.to);
        let places = stretches.filter(|place| text.get(place.clone()).is_some());
        places.collect()
    }

    /// The text with a mask in the place of each stretch.
    pub(crate) fn masked_text(self, text: &str, is_yaml: bool) -> Cow<'_, str> {
        match self.masked(text.as_bytes(), is_yaml) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            Cow::Owned(bytes) => Cow::Owned(String::from_utf8(bytes).unwrap_or_else(|error| {
                // Stretches end at characters; this is for safety alone.
                String::from_utf8_lossy(error.as_bytes()).into_owned()
            })),
        }
    }
}

/// Whether a stretch is all of a YAML scalar without quotes: a mask in its place would be read as
/// an alias.
fn is_plain_scalar(bytes: &[u8], span: &SecretSpan) -> bool {
    let before = bytes[..span.from].iter().rev();
    let mut before = before.skip_while(|c| **c == b' ').peekable();
    let spaced = span.from > 0 && bytes[span.from - 1] == b' ';
    let begins = match before.peek() {
        Some(b':' | b'-') => spaced,
        Some(b'[' | b'{' | b',') => true,
        _ => false,
    };
    let after = bytes[span.to..].iter().find(|c| !matches!(c, b' ' | b'\r'));
    let spaced_after = bytes.get(span.to) == Some(&b' ');
    let ends = match after {
        None | Some(b'\n' | b',' | b']' | b'}') => true,
        Some(b'#') => spaced_after,
        _ => false,
    };
    begins && (ends || span.bare == Bare::Yaml)
}

impl SpanSink<'_> {
    /// Masks a stretch of the view.
    pub(crate) fn hide(&mut self, from: usize, to: usize) {
        self.hide_scalar(from, to, Bare::No);
    }

    /// Masks a value, which may need quotes.
    pub(crate) fn hide_scalar(&mut self, from: usize, to: usize, bare: Bare) {
        match self.view {
            None => self.spans.add(from, to, bare),
            // Quotes of an inner format would have to be escaped.
            Some(view) => self.spans.add(view.at(from), view.at(to), Bare::No),
        }
    }
}

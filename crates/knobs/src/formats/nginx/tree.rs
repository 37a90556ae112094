//! The directives and blocks of one file of nginx, with their places.

use std::ops::Range;

use super::tokens::{NginxToken, NginxTokens};
use crate::formats::error::{EditFault, Stop};

/// Blocks are nested no deeper.
const MAX_DEPTH: usize = 64;

/// A word with its bytes.
#[derive(Debug, Clone)]
pub(super) struct NginxWord {
    pub(super) text: String,
    pub(super) span: Range<usize>,
}

/// A directive or a block.
#[derive(Debug)]
pub(super) struct NginxItem {
    /// Its name and what stands behind it.
    pub(super) words: Vec<NginxWord>,
    /// From its name to behind `;` or `}`.
    pub(super) whole: Range<usize>,
    /// What is between the braces.
    pub(super) body: Option<Range<usize>>,
    /// The items in the braces.
    pub(super) children: Vec<usize>,
}

/// All items of a file; `roots` are those outside of braces.
#[derive(Debug, Default)]
pub(super) struct NginxTree {
    pub(super) items: Vec<NginxItem>,
    pub(super) roots: Vec<usize>,
}

impl NginxTree {
    pub(super) fn read(text: &str) -> Result<Self, Stop> {
        let offset = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let mut tokens = NginxTokens::new(&text[offset..]);
        let mut tree = Self::default();
        let mut open: Vec<usize> = Vec::new();
        let mut words: Vec<NginxWord> = Vec::new();
        while let Some((token, span)) = tokens.next_placed() {
            let span = offset + span.start..offset + span.end;
            match token {
                NginxToken::Word(word) => words.push(NginxWord { text: word, span }),
                NginxToken::End => {
                    if words.is_empty() {
                        return Err(unexpected(span.start, ";"));
                    }
                    tree.push(&open, std::mem::take(&mut words), span, false);
                }
                NginxToken::Open => {
                    if words.is_empty() {
                        return Err(unexpected(span.start, "{"));
                    }
                    if open.len() >= MAX_DEPTH {
                        return Err(Stop::here(span.start, EditFault::TooDeep(MAX_DEPTH)));
                    }
                    let lua = words[0].text.ends_with("_by_lua_block");
                    let item = tree.push(&open, std::mem::take(&mut words), span, true);
                    if lua {
                        tokens.skip_lua();
                        tree.close(item, offset + tokens.at());
                    } else {
                        open.push(item);
                    }
                }
                NginxToken::Close => match (words.first(), open.pop()) {
                    (None, Some(item)) => tree.close(item, span.end),
                    _ => return Err(unexpected(span.start, "}")),
                },
            }
        }
        match (words.first(), open.last()) {
            (None, None) => Ok(tree),
            _ => Err(unexpected(text.len(), "end of file")),
        }
    }

    fn push(
        &mut self,
        open: &[usize],
        words: Vec<NginxWord>,
        last: Range<usize>,
        block: bool,
    ) -> usize {
        let item = self.items.len();
        let start = words.first().map_or(last.start, |word| word.span.start);
        self.items.push(NginxItem {
            words,
            whole: start..last.end,
            body: block.then_some(last.end..last.end),
            children: Vec::new(),
        });
        match open.last().and_then(|parent| self.items.get_mut(*parent)) {
            Some(parent) => parent.children.push(item),
            None => self.roots.push(item),
        }
        item
    }

    fn close(&mut self, item: usize, end: usize) {
        if let Some(item) = self.items.get_mut(item) {
            item.whole.end = end;
            if let Some(body) = &mut item.body {
                body.end = end.saturating_sub(1).max(body.start);
            }
        }
    }

    /// The items of a block, or of the file.
    pub(super) fn inside(&self, block: Option<usize>) -> impl Iterator<Item = usize> {
        match block.and_then(|block| self.items.get(block)) {
            Some(block) => block.children.iter().copied(),
            None => self.roots.iter().copied(),
        }
    }
}

fn unexpected(at: usize, what: &str) -> Stop {
    Stop::here(at, EditFault::Syntax(format!("unexpected {what}")))
}

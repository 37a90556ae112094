//! nginx' configuration: one directive or parameter is exchanged or added in its context.

mod path;
mod tokens;
mod tree;

#[cfg(test)]
mod tests;

pub use tokens::{NginxToken, NginxTokens};

use std::ops::Range;

use super::address::Address;
use super::editor::{Editor, Included, Splice, Standing};
use super::error::{EditFault, Stop};
use super::lines::one_line;
use super::placing::{as_line, line_end, place};
use path::NginxPath;
use tree::{NginxItem, NginxTree, NginxWord};

/// `nginx.conf` and what it takes in.
pub(super) struct NginxEditor;

/// What a flag without a value is when it is there.
const ON: &str = "on";

fn several(text: &str, spans: &[Range<usize>]) -> Stop {
    let places = spans.iter().map(|span| span.start);
    Stop::here(spans[0].start, EditFault::several(text, places))
}

/// Behind the words of the address.
fn value_of(text: &str, item: &NginxItem, named: usize) -> Standing {
    let words = &item.words[named..];
    let written: Vec<&str> = words.iter().map(|word| &text[word.span.clone()]).collect();
    let span = match (words.first(), words.last()) {
        (Some(first), Some(last)) => first.span.start..last.span.end,
        _ => {
            let end = item
                .words
                .last()
                .map_or(item.whole.start, |word| word.span.end);
            end..end
        }
    };
    Standing {
        value: written.join(" "),
        span,
        whole: item.whole.clone(),
    }
}

/// One parameter: its word is what goes when it goes.
fn parameter_of(word: &NginxWord, name: &str) -> Option<Standing> {
    let value = match word.text.strip_prefix(name)? {
        "" => ON,
        rest => rest.strip_prefix('=')?,
    };
    Some(Standing {
        value: value.to_owned(),
        span: word.span.clone(),
        whole: word.span.clone(),
    })
}

/// The value as words, and nothing that would end them.
fn words(value: &str) -> Result<(), Stop> {
    one_line(value)?;
    let wrong = || Stop::value(value, "knobs-why-nginx");
    let mut end = 0;
    let mut tokens = NginxTokens::new(value);
    let mut count = 0;
    while let Some((token, span)) = tokens.next_placed() {
        if !matches!(token, NginxToken::Word(_)) {
            return Err(wrong());
        }
        count += 1;
        end = span.end;
    }
    // Behind the last word nothing is left, not even a comment or an open quote.
    let text = value[..end].trim_start();
    let open = text.starts_with(['"', '\'']) && (text.len() < 2 || !text.ends_with(['"', '\'']));
    match count > 0
        && value.trim() == value
        && end == value.len()
        && !open
        && !value.ends_with('\\')
    {
        true => Ok(()),
        false => Err(wrong()),
    }
}

/// A parameter as a word: `backlog=511`, or the name alone.
fn parameter(name: &str, value: &str) -> Result<String, Stop> {
    if value == ON {
        return Ok(name.to_owned());
    }
    words(value)?;
    match value.contains(' ') {
        true => Err(Stop::value(value, "knobs-why-nginx")),
        false => Ok(format!("{name}={value}")),
    }
}

impl Editor for NginxEditor {
    fn find(&self, text: &str, address: &Address) -> Result<Option<Standing>, Stop> {
        let path = NginxPath::read(&address.path)?;
        let tree = NginxTree::read(text)?;
        let mut found: Vec<Standing> = Vec::new();
        for item in path.directives(&tree) {
            let item = &tree.items[item];
            let behind = path.directive.len();
            match &path.parameter {
                None => found.push(value_of(text, item, behind)),
                Some(name) => {
                    let words = item.words[behind..].iter();
                    found.extend(words.filter_map(|word| parameter_of(word, name)));
                }
            }
        }
        if found.len() > 1 {
            let spans: Vec<_> = found.iter().map(|one| one.span.clone()).collect();
            return Err(several(text, &spans));
        }
        Ok(found.pop())
    }

    fn replaced(
        &self,
        text: &str,
        _: &Address,
        place: &Standing,
        value: &str,
    ) -> Result<Splice, Stop> {
        let with = match place.whole == place.span {
            // A parameter keeps its name.
            true => {
                let word = &text[place.span.clone()];
                parameter(word.split('=').next().unwrap_or(word), value)?
            }
            false => {
                words(value)?;
                let gap = if place.span.is_empty() { " " } else { "" };
                format!("{gap}{value}")
            }
        };
        Ok(Splice {
            range: place.span.clone(),
            with,
        })
    }

    fn added(&self, text: &str, address: &Address, value: &str) -> Result<Splice, Stop> {
        let path = NginxPath::read(&address.path)?;
        let tree = NginxTree::read(text)?;
        if let Some(name) = &path.parameter {
            return with_parameter(text, &tree, &path, &parameter(name, value)?);
        }
        words(value)?;
        let parents = path.parents(&tree);
        let parent = match parents.as_slice() {
            [] => return Err(Stop::nowhere(EditFault::NoParent(path.shown_parent()))),
            [one] => *one,
            more => {
                let spans: Vec<_> = more
                    .iter()
                    .flatten()
                    .map(|item| tree.items[*item].whole.clone())
                    .collect();
                return Err(several(text, &spans));
            }
        };
        let line = format!("{} {value};", path.directive.join(" "));
        Ok(with_directive(text, &tree, parent, &line))
    }

    /// A directive with its line, a parameter with the space before it.
    fn whole(&self, text: &str, place: &Standing) -> Range<usize> {
        let start = text[..place.whole.start].rfind('\n').map_or(0, |at| at + 1);
        let before = &text[start..place.whole.start];
        if place.whole == place.span {
            let space = before.len() - before.trim_end().len();
            return place.whole.start - space..place.whole.end;
        }
        let rest = &text[place.whole.end..];
        let end = rest.find('\n').map_or(rest.len(), |at| at + 1);
        match before.trim().is_empty() && rest[..end].trim().is_empty() {
            true => start..place.whole.end + end,
            false => place.whole.clone(),
        }
    }

    fn includes(&self, text: &str) -> Vec<Included> {
        let Ok(tree) = NginxTree::read(text) else {
            return Vec::new();
        };
        let named = tree.items.iter().filter(|item| {
            item.body.is_none() && item.words.len() == 2 && item.words[0].text == "include"
        });
        named
            .map(|item| Included {
                path: item.words[1].text.clone(),
                folder: false,
                line: place(text, item.whole.start).0,
            })
            .collect()
    }
}

/// One more parameter behind the directive's last word.
fn with_parameter(
    text: &str,
    tree: &NginxTree,
    path: &NginxPath,
    word: &str,
) -> Result<Splice, Stop> {
    let directives = path.directives(tree);
    let spans: Vec<_> = directives
        .iter()
        .map(|item| tree.items[*item].whole.clone())
        .collect();
    let item = match directives.as_slice() {
        [] => {
            let name = format!("{} > {}", path.shown_parent(), path.directive.join(" "));
            return Err(Stop::nowhere(EditFault::NoParent(name)));
        }
        [one] => &tree.items[*one],
        _ => return Err(several(text, &spans)),
    };
    let at = item
        .words
        .last()
        .map_or(item.whole.start, |word| word.span.end);
    Ok(Splice {
        range: at..at,
        with: format!(" {word}"),
    })
}

/// One more directive: at the end of its block, since `keepalive` comes behind the servers; of the file's
/// own before the first block, since no block needs to be there.
fn with_directive(text: &str, tree: &NginxTree, parent: Option<usize>, line: &str) -> Splice {
    let end = line_end(text);
    let Some(block) = parent.map(|parent| &tree.items[parent]) else {
        let first = tree.roots.iter().map(|root| &tree.items[*root]);
        let at = first
            .clone()
            .find(|item| item.body.is_some())
            .map_or(text.len(), |item| {
                text[..item.whole.start].rfind('\n').map_or(0, |at| at + 1)
            });
        return Splice {
            range: at..at,
            with: as_line(text, at, line),
        };
    };
    let body = block.body.clone().unwrap_or(block.whole.clone());
    let start_of = |at: usize| text[..at].rfind('\n').map_or(0, |at| at + 1);
    let close_line = start_of(body.end);
    if close_line <= body.start || !text[close_line..body.end].trim().is_empty() {
        let gap = if text[..body.end].ends_with([' ', '{', '\n', '\t']) {
            ""
        } else {
            " "
        };
        return Splice {
            range: body.end..body.end,
            with: format!("{gap}{line} "),
        };
    }
    let sibling = block.children.last().map(|child| &tree.items[*child]);
    let indent = match sibling {
        Some(item) => {
            let line = &text[start_of(item.whole.start)..item.whole.start];
            line[..line.len() - line.trim_start().len()].to_owned()
        }
        None => format!("{}    ", &text[close_line..body.end]),
    };
    Splice {
        range: close_line..close_line,
        with: format!("{indent}{line}{end}"),
    }
}

//! Paths in nginx' configuration: `http > upstream app > keepalive`, `http > server > listen 80[backlog]`.

use super::tokens::{NginxToken, NginxTokens};
use super::tree::{NginxItem, NginxTree};
use crate::formats::error::Stop;

const FORM: &str = "http > upstream NAME > directive, or directive[parameter]";

const HTTP: &str = "http";
/// Blocks that stand in `http`, or in `stream`, of which nothing is looked for: a file that has one of these at its top
/// is taken in there.
const OF_HTTP: &[&str] = &["server", "upstream", "map", "geo", "split_clients"];

/// A path that was read.
pub(super) struct NginxPath {
    /// The blocks, each a name and what must stand behind it.
    pub(super) blocks: Vec<Vec<String>>,
    /// The directive and what must stand behind it.
    pub(super) directive: Vec<String>,
    /// One parameter of it, `backlog=…` or a word alone.
    pub(super) parameter: Option<String>,
}

impl NginxPath {
    pub(super) fn read(path: &str) -> Result<Self, Stop> {
        let wrong = || Stop::address(path, FORM);
        let path = path.trim();
        let (path, parameter) = match path
            .strip_suffix(']')
            .and_then(|rest| rest.rsplit_once('['))
        {
            Some((path, parameter)) => (path, Some(parameter.trim().to_owned())),
            None => (path, None),
        };
        let word = |word: &String| word.chars().all(|c| c.is_alphanumeric() || c == '_');
        if parameter
            .as_ref()
            .is_some_and(|one| one.is_empty() || !word(one))
        {
            return Err(wrong());
        }
        let mut blocks = Vec::new();
        for part in path.split(" > ") {
            let words: Option<Vec<String>> = NginxTokens::new(part)
                .map(|token| match token {
                    NginxToken::Word(word) => Some(word),
                    _ => None,
                })
                .collect();
            let words = words.filter(|words| {
                words.first().is_some_and(word) && !words.contains(&">".to_owned())
            });
            blocks.push(words.ok_or_else(wrong)?);
        }
        let directive = blocks.pop().ok_or_else(wrong)?;
        Ok(Self {
            blocks,
            directive,
            parameter,
        })
    }

    /// The blocks that the path leads to; `None` stands for the file itself. A file that another takes in
    /// lacks the outer ones.
    pub(super) fn parents(&self, tree: &NginxTree) -> Vec<Option<usize>> {
        for skipped in 0..=self.blocks.len() {
            let rest = &self.blocks[skipped..];
            if skipped > 0 && rest.is_empty() {
                break;
            }
            let mut found: Vec<Option<usize>> = vec![None];
            for block in rest {
                found = found
                    .iter()
                    .flat_map(|parent| tree.inside(*parent))
                    .filter(|item| is_block(tree, &tree.items[*item], block))
                    .map(Some)
                    .collect();
            }
            if !found.is_empty() {
                return found;
            }
        }
        match self.blocks.as_slice() {
            [one] if *one == [HTTP] && is_within_http(tree) => vec![None],
            _ => Vec::new(),
        }
    }

    /// The directives that the path leads to.
    pub(super) fn directives(&self, tree: &NginxTree) -> Vec<usize> {
        let parents = self.parents(tree);
        let items = parents.iter().flat_map(|parent| tree.inside(*parent));
        items
            .filter(|item| tree.items[*item].body.is_none())
            .filter(|item| begins_with(&tree.items[*item], &self.directive))
            .collect()
    }

    /// The path without its directive, as it was given.
    pub(super) fn shown_parent(&self) -> String {
        let blocks: Vec<String> = self.blocks.iter().map(|words| words.join(" ")).collect();
        blocks.join(" > ")
    }
}

fn is_within_http(tree: &NginxTree) -> bool {
    let mut roots = tree.inside(None).map(|item| &tree.items[item]);
    roots.any(|item| item.body.is_some() && is_called(item, OF_HTTP))
}

fn is_called(item: &NginxItem, names: &[&str]) -> bool {
    let name = item.words.first();
    name.is_some_and(|word| names.contains(&word.text.as_str()))
}

fn begins_with(item: &NginxItem, words: &[String]) -> bool {
    words.len() <= item.words.len()
        && item
            .words
            .iter()
            .zip(words)
            .all(|(own, wanted)| own.text == *wanted)
}

/// A block of that name, with those words behind it; a server also by what it listens to or is called.
fn is_block(tree: &NginxTree, item: &NginxItem, words: &[String]) -> bool {
    if item.body.is_none() {
        return false;
    }
    if begins_with(item, words) {
        return true;
    }
    let [name, of @ ..] = words else { return false };
    name == "server"
        && is_called(item, &["server"])
        && !of.is_empty()
        && of.iter().all(|wanted| {
            let children = item.children.iter().map(|child| &tree.items[*child]);
            let mut told = children.filter(|child| is_called(child, &["listen", "server_name"]));
            told.any(|child| child.words[1..].iter().any(|word| word.text == *wanted))
        })
}

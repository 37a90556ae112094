//! From YAML text to the tree of [`Node`]s: anchors, merge keys, limits, readable mistakes.

use std::collections::{HashMap, HashSet};

use plimsoll_text::Message;
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, StrInput, Tag};

use super::node::{Key, Node, Value};
use super::syntax;
use crate::error::Problem;
use crate::limits::{PLAN_BYTES, PLAN_DEPTH, PLAN_VALUES, PROBLEMS_COLLECTED};
use crate::model::Span;

/// Reads the one document of a source. What is wrong is added to `problems`; `None` when
/// nothing useful is left.
pub(crate) fn read(source: &str, problems: &mut Vec<Problem>) -> Option<Node> {
    let start = Span { line: 1, column: 1 };
    if source.len() > PLAN_BYTES {
        let message = Message::new("plan-too-long").with("limit_mib", PLAN_BYTES >> 20);
        problems.push(Problem::mistake(start, message));
        return None;
    }
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    if let Some(problem) = unprintable(source) {
        problems.push(problem);
        return None;
    }
    let mut parser = Parser::new_from_str(source);
    let mut builder = Builder::new(problems);
    let outcome = builder.document(&mut parser);
    match outcome {
        // No document at all, as in an empty file, is an empty plan.
        Ok(root) => Some(root.unwrap_or_else(|| Node::new(start, scalar("", true)))),
        Err(TreeStop::Syntax(error)) => {
            let problem = syntax::explain(source, &error);
            builder.problems.push(problem);
            None
        }
        Err(TreeStop::Limit(problem)) => {
            builder.problems.push(*problem);
            None
        }
    }
}

/// The first character that YAML does not allow (1.2.2, c-printable). The parser would take a
/// NUL for the end of the text and lose the rest in silence.
fn unprintable(source: &str) -> Option<Problem> {
    let allowed = |c: char| !c.is_control() || matches!(c, '\t' | '\n' | '\r' | '\u{85}');
    let noncharacter = |c: char| matches!(c, '\u{fffe}' | '\u{ffff}');
    let mut at = Span { line: 1, column: 1 };
    for c in source.chars() {
        if !allowed(c) || noncharacter(c) {
            let code = format!("U+{:04X}", u32::from(c));
            return Some(Problem::mistake(
                at,
                Message::new("plan-yaml-character").with("code", code),
            ));
        }
        if c == '\n' {
            at = Span {
                line: at.line + 1,
                column: 1,
            };
        } else {
            at.column += 1;
        }
    }
    None
}

/// Why reading stopped.
enum TreeStop {
    Syntax(ScanError),
    Limit(Box<Problem>),
}

/// A collection that is not closed yet.
struct OpenNode {
    node: Node,
    anchor: usize,
    /// The key whose value comes next (mappings only).
    key: Option<Option<Key>>,
    /// The line of each key (mappings only).
    lines: HashMap<String, u32>,
    merges: Vec<Node>,
}

struct Builder<'p> {
    problems: &'p mut Vec<Problem>,
    anchors: HashMap<usize, Node>,
    open: Vec<OpenNode>,
    root: Option<Node>,
    documents: usize,
    nodes: usize,
}

type Input<'i> = Parser<'i, StrInput<'i>>;

impl<'p> Builder<'p> {
    fn new(problems: &'p mut Vec<Problem>) -> Self {
        Self {
            problems,
            anchors: HashMap::new(),
            open: Vec::new(),
            root: None,
            documents: 0,
            nodes: 0,
        }
    }

    fn document(&mut self, parser: &mut Input<'_>) -> Result<Option<Node>, TreeStop> {
        while let Some(event) = parser.next_event() {
            let (event, span) = event.map_err(TreeStop::Syntax)?;
            let mark = span.start;
            let at = Span {
                line: clamp(mark.line()),
                column: clamp(mark.col() + 1),
            };
            match event {
                Event::DocumentStart(_) => {
                    self.documents += 1;
                    if self.documents > 1 {
                        let message = Message::new("plan-second-document");
                        return Err(TreeStop::Limit(Box::new(Problem::mistake(at, message))));
                    }
                }
                Event::Alias(anchor) => {
                    let node = self.alias(anchor, at)?;
                    self.add(node, 0)?;
                }
                Event::Scalar(text, style, anchor, tag) => {
                    self.count(1, at)?;
                    let plain = style == ScalarStyle::Plain;
                    let (tag, plain) = self.tag(tag.as_deref(), plain, at);
                    let node = Node {
                        tag,
                        ..Node::new(at, scalar(&text, plain))
                    };
                    self.add(node, anchor)?;
                }
                Event::SequenceStart(anchor, tag) => {
                    self.start(Value::List(Vec::new()), anchor, tag.as_deref(), at)?;
                }
                Event::MappingStart(anchor, tag) => {
                    self.start(Value::Map(Vec::new()), anchor, tag.as_deref(), at)?;
                }
                Event::SequenceEnd | Event::MappingEnd => self.end()?,
                _ => {}
            }
        }
        Ok(self.root.take())
    }

    fn alias(&mut self, anchor: usize, at: Span) -> Result<Node, TreeStop> {
        let Some(count) = self.anchors.get(&anchor).map(|node| node.count) else {
            // The anchor is still open: an alias inside its own anchor.
            let problem = Problem::mistake(at, Message::new("plan-alias-in-itself"));
            return Err(TreeStop::Limit(Box::new(problem)));
        };
        self.count(count, at)?;
        let node = self.anchors.get(&anchor).cloned();
        Ok(node.unwrap_or_else(|| Node::new(at, scalar("", true))))
    }

    /// Counts nodes before they are made.
    fn count(&mut self, more: usize, at: Span) -> Result<(), TreeStop> {
        self.nodes += more;
        if self.nodes > PLAN_VALUES {
            let message = Message::new("plan-too-many-nodes").with("limit", PLAN_VALUES);
            return Err(TreeStop::Limit(Box::new(Problem::mistake(at, message))));
        }
        Ok(())
    }

    fn check_depth(&self, depth: usize, at: Span) -> Result<(), TreeStop> {
        if self.open.len() + depth > PLAN_DEPTH {
            let message = Message::new("plan-too-deep").with("limit", PLAN_DEPTH);
            return Err(TreeStop::Limit(Box::new(Problem::mistake(at, message))));
        }
        Ok(())
    }

    /// The local tag, and whether the scalar still counts as plain.
    fn tag(&mut self, tag: Option<&Tag>, plain: bool, at: Span) -> (Option<String>, bool) {
        match tag {
            None => (None, plain),
            Some(tag) if tag.is_yaml_core_schema() => (None, plain && tag.suffix != "str"),
            Some(tag) if tag.handle == "!" && tag.suffix == "raw" => {
                (Some(tag.suffix.clone()), plain)
            }
            Some(tag) => {
                let name = format!("{}{}", tag.handle, tag.suffix);
                let message = Message::new("plan-unknown-tag").with("tag", name);
                self.problems.push(Problem::mistake(at, message));
                (None, plain)
            }
        }
    }

    fn start(
        &mut self,
        value: Value,
        anchor: usize,
        tag: Option<&Tag>,
        at: Span,
    ) -> Result<(), TreeStop> {
        self.check_depth(1, at)?;
        self.count(1, at)?;
        let (tag, _) = self.tag(tag, false, at);
        let node = Node {
            tag,
            ..Node::new(at, value)
        };
        self.open.push(OpenNode {
            node,
            anchor,
            key: None,
            lines: HashMap::new(),
            merges: Vec::new(),
        });
        Ok(())
    }

    fn end(&mut self) -> Result<(), TreeStop> {
        let Some(mut open) = self.open.pop() else {
            return Ok(());
        };
        for merge in std::mem::take(&mut open.merges) {
            merge_into(&mut open.node, merge);
        }
        let anchor = open.anchor;
        self.add(open.node, anchor)
    }

    /// Puts a finished node where it belongs.
    fn add(&mut self, node: Node, anchor: usize) -> Result<(), TreeStop> {
        self.check_depth(node.depth, node.at)?;
        if anchor != 0 {
            self.count(node.count, node.at)?;
            self.anchors.insert(anchor, node.clone());
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        match &mut open.node.value {
            Value::List(items) => {
                open.node.count += node.count;
                open.node.depth = open.node.depth.max(node.depth + 1);
                items.push(node);
            }
            Value::Map(entries) => match open.key.take() {
                None => open.key = Some(key_of(node, self.problems)),
                Some(None) => {}
                Some(Some(key)) if key.name == "<<" => open.merges.push(node),
                Some(Some(key)) => {
                    open.node.count += node.count + 1;
                    open.node.depth = open.node.depth.max(node.depth + 1);
                    let mut node = node;
                    if node.is_null() {
                        // An absent value has no place of its own worth pointing at.
                        node.at = key.at;
                    }
                    match open.lines.get(&key.name) {
                        Some(first) => {
                            let message = Message::new("plan-duplicate-key")
                                .with("key", key.name.as_str())
                                .with("line", *first);
                            if self.problems.len() < PROBLEMS_COLLECTED {
                                self.problems.push(Problem::mistake(key.at, message));
                            }
                        }
                        None => {
                            open.lines.insert(key.name.clone(), key.at.line);
                            entries.push((key, node));
                        }
                    }
                }
            },
            Value::Scalar { .. } => {}
        }
        Ok(())
    }
}

fn clamp(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn scalar(text: &str, plain: bool) -> Value {
    Value::Scalar {
        text: text.to_owned(),
        plain,
    }
}

/// A node used as a key.
fn key_of(node: Node, problems: &mut Vec<Problem>) -> Option<Key> {
    let at = node.at;
    match node.value {
        Value::Scalar { text, .. } => Some(Key { name: text, at }),
        _ => {
            problems.push(Problem::mistake(at, Message::new("plan-key-not-text")));
            None
        }
    }
}

/// Adds the entries of a merge key's value that the mapping does not have itself.
fn merge_into(node: &mut Node, merge: Node) {
    let sources = match merge.value {
        Value::List(items) => items,
        _ => vec![merge],
    };
    let Value::Map(entries) = &mut node.value else {
        return;
    };
    let mut known: HashSet<String> = entries.iter().map(|(key, _)| key.name.clone()).collect();
    for source in sources {
        let Value::Map(more) = source.value else {
            continue;
        };
        for (key, value) in more {
            if known.insert(key.name.clone()) {
                node.count += value.count + 1;
                node.depth = node.depth.max(value.depth + 1);
                entries.push((key, value));
            }
        }
    }
}

//! HTML as a tree, in place of JTidy (JMeter's "tolerant" mode). An HTML 5 parser reads it;
//! what JTidy would leave out or write differently is brought near to it: comments and blank
//! texts are left out, so are empty paragraphs, a `tbody` that nobody wrote and elements that
//! HTML 4 does not know (their content stays); blanks in texts are one.

use std::borrow::Cow;

use scraper::Node;
use uppsala::dom::{NodeId, QName};

use super::tree::Tree;
use crate::work::DocumentRefused;

/// Elements that JTidy knows: those of HTML 4 and some of old browsers.
const KNOWN: &[&str] = &[
    "a",
    "abbr",
    "acronym",
    "address",
    "applet",
    "area",
    "b",
    "base",
    "basefont",
    "bdo",
    "big",
    "blink",
    "blockquote",
    "body",
    "br",
    "button",
    "caption",
    "center",
    "cite",
    "code",
    "col",
    "colgroup",
    "dd",
    "del",
    "dfn",
    "dir",
    "div",
    "dl",
    "dt",
    "em",
    "embed",
    "fieldset",
    "font",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "hr",
    "html",
    "i",
    "iframe",
    "img",
    "input",
    "ins",
    "isindex",
    "kbd",
    "keygen",
    "label",
    "legend",
    "li",
    "link",
    "map",
    "marquee",
    "menu",
    "meta",
    "nobr",
    "noembed",
    "noframes",
    "noscript",
    "object",
    "ol",
    "optgroup",
    "option",
    "p",
    "param",
    "plaintext",
    "pre",
    "q",
    "rb",
    "rp",
    "rt",
    "ruby",
    "s",
    "samp",
    "script",
    "select",
    "small",
    "spacer",
    "span",
    "strike",
    "strong",
    "style",
    "sub",
    "sup",
    "table",
    "tbody",
    "td",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "tt",
    "u",
    "ul",
    "var",
    "wbr",
    "xmp",
];
/// Elements whose texts stay as they are.
const VERBATIM: &[&str] = &["pre", "script", "style", "textarea"];
/// Elements that are part of a line of text.
const INLINE: &[&str] = &[
    "a", "abbr", "acronym", "b", "bdo", "big", "cite", "code", "em", "font", "i", "kbd", "label",
    "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tt", "u", "var",
];

/// The tree of an HTML text.
///
/// # Errors
/// When it is beyond the limits.
pub fn tree_of_html(text: &str) -> Result<Tree<'static>, DocumentRefused> {
    let html = crate::html::parse(text)?;
    let lower = text.to_ascii_lowercase();
    let wrote_body_of_table = lower.contains("<tbody");
    let mut tree = Tree::new();
    let root = tree.root();
    let mut todo: Vec<_> = children(html.tree.root(), root, "");
    while let Some((node, to, parent)) = todo.pop() {
        match node.value() {
            Node::Element(element) => {
                let name = element.name();
                let skipped = KNOWN.binary_search(&name).is_err()
                    || (name == "p" && !node.has_children())
                    || (name == "tbody" && !wrote_body_of_table);
                if skipped {
                    todo.extend(children(node, to, parent));
                    continue;
                }
                let name = match name {
                    "center" => "div",
                    "font" => "span",
                    name => name,
                };
                let made = tree.create_element(QName::local(name.to_owned()));
                if let Some(made) = tree.element_mut(made) {
                    for (key, value) in element.attrs() {
                        // JTidy writes `selected="selected"`.
                        let value = if value.is_empty() && is_flag(key) {
                            key
                        } else {
                            value
                        };
                        made.set_attribute(
                            QName::local(key.to_owned()),
                            Cow::Owned(value.to_owned()),
                        );
                    }
                }
                tree.append_child(to, made);
                todo.extend(children(node, made, element.name()));
            }
            Node::Text(text) => {
                let text = match VERBATIM.contains(&parent) {
                    true => text.trim().to_owned(),
                    false => one_blank(
                        text,
                        INLINE.contains(&parent),
                        node.prev_sibling().is_none(),
                    ),
                };
                if !text.trim().is_empty() {
                    let made = tree.create_text(text);
                    tree.append_child(to, made);
                }
            }
            _ => {}
        }
    }
    tree.prepare_xpath();
    Ok(tree)
}

type Todo<'h> = (ego_tree::NodeRef<'h, Node>, NodeId, &'h str);

/// The children, the last first: they are taken from the end.
fn children<'h>(node: ego_tree::NodeRef<'h, Node>, to: NodeId, parent: &'h str) -> Vec<Todo<'h>> {
    let children = node.children().rev();
    children.map(|child| (child, to, parent)).collect()
}

fn is_flag(name: &str) -> bool {
    matches!(
        name,
        "checked"
            | "compact"
            | "declare"
            | "defer"
            | "disabled"
            | "ismap"
            | "multiple"
            | "nohref"
            | "noshade"
            | "nowrap"
            | "readonly"
            | "selected"
    )
}

/// Runs of blanks are one; at the beginning of a block there are none.
fn one_blank(text: &str, inline: bool, first: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blank = first && !inline;
    for c in text.chars() {
        if matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0C') {
            if !blank {
                out.push(' ');
            }
            blank = true;
        } else {
            out.push(c);
            blank = false;
        }
    }
    out
}

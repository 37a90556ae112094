//! The text of an element, as jsoup gives it.

use scraper::Node;

use super::selector::Element;

/// Elements that stand on lines of their own.
const BLOCKS: &[&str] = &[
    "address",
    "applet",
    "article",
    "aside",
    "audio",
    "blockquote",
    "body",
    "canvas",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "del",
    "details",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
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
    "header",
    "hgroup",
    "hr",
    "html",
    "ins",
    "li",
    "link",
    "listing",
    "main",
    "marquee",
    "math",
    "menu",
    "meta",
    "nav",
    "noframes",
    "noscript",
    "ol",
    "p",
    "plaintext",
    "pre",
    "script",
    "section",
    "style",
    "svg",
    "table",
    "tbody",
    "td",
    "template",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "ul",
    "video",
];
/// Of these, those that are laid out as part of a line.
const BLOCKS_IN_LINE: &[&str] = &[
    "address", "del", "h1", "h2", "h3", "h4", "h5", "h6", "ins", "li", "p", "pre", "script",
    "style", "td", "th", "title",
];
/// Elements that keep their blanks.
const KEEPING: &[&str] = &["plaintext", "pre", "textarea", "title"];

/// The text with its blanks made one each; of the element itself only, when `own`.
#[must_use]
pub fn inner_text(element: Element<'_>, own: bool) -> String {
    let mut text = String::new();
    if own {
        for child in element.children() {
            match child.value() {
                Node::Text(found) => add(&mut text, found, keeps(element)),
                Node::Element(it) if it.name() == "br" => blank(&mut text),
                _ => {}
            }
        }
    } else {
        write(&mut text, element);
    }
    text.trim().to_owned()
}

/// The text as it stands.
#[must_use]
pub fn raw_text(element: Element<'_>, own: bool) -> String {
    let texts = |node: Element<'_>| match node.value() {
        Node::Text(text) => Some(text.to_string()),
        _ => None,
    };
    match own {
        true => element.children().filter_map(texts).collect(),
        false => element.descendants().filter_map(texts).collect(),
    }
}

fn name(node: Element<'_>) -> &str {
    node.value()
        .as_element()
        .map_or("", |element| element.name())
}

/// Whether blanks are kept: by the element or by one of the five around it.
fn keeps(element: Element<'_>) -> bool {
    let around = element.ancestors().take(5);
    std::iter::once(element)
        .chain(around)
        .any(|element| KEEPING.contains(&name(element)))
}

fn blank(text: &mut String) {
    if !text.is_empty() && !text.ends_with(' ') {
        text.push(' ');
    }
}

fn is_block(node: Element<'_>) -> bool {
    BLOCKS.binary_search(&name(node)).is_ok()
}

/// Not by recursion: HTML nests as deep as it likes.
fn write(text: &mut String, element: Element<'_>) {
    use ego_tree::iter::Edge;
    for edge in element.traverse() {
        match edge {
            Edge::Open(node) => match node.value() {
                Node::Text(found) => {
                    if let Some(parent) = node.parent().filter(|parent| !is_data(*parent)) {
                        add(text, found, keeps(parent));
                    }
                }
                Node::Element(it) if is_block(node) || it.name() == "br" => blank(text),
                _ => {}
            },
            Edge::Close(node) if is_block(node) => {
                let in_line = node.next_sibling().is_some_and(|next| match next.value() {
                    Node::Text(_) => true,
                    Node::Element(_) => !is_block(next) || BLOCKS_IN_LINE.contains(&name(next)),
                    _ => false,
                });
                if in_line {
                    blank(text);
                }
            }
            Edge::Close(_) => {}
        }
    }
}

/// What scripts and style sheets hold is no text.
fn is_data(node: Element<'_>) -> bool {
    matches!(name(node), "script" | "style")
}

fn add(text: &mut String, found: &str, keep: bool) {
    if keep {
        text.push_str(found);
        return;
    }
    let mut after_blank = text.ends_with(' ');
    for c in found.chars() {
        match c {
            ' ' | '\t' | '\n' | '\x0C' | '\r' | '\u{A0}' => {
                if !after_blank {
                    text.push(' ');
                }
                after_blank = true;
            }
            // Seen by nobody.
            '\u{200B}' | '\u{AD}' => {}
            c => {
                text.push(c);
                after_blank = false;
            }
        }
    }
}

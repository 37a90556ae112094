//! HTML read within limits. The parser of HTML 5 never fails, and takes time that grows with the
//! square of a page's depth, or makes many elements of few bytes: so it is fed piece by piece,
//! and stopped as soon as the tree is larger than a page may be.

use std::borrow::Cow;
use std::cell::{Cell, Ref};

use ego_tree::NodeId;
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, ParseOpts, QualName, parse_document};
use plimsoll_plan::limits::{DOCUMENT_DEPTH, DOCUMENT_NODES};
use scraper::{Html, HtmlTreeSink};

use crate::work::{CpuPatience, DocumentRefused};

/// Bytes that the parser is fed with at once.
const PIECE_BYTES: usize = 4_096;

/// Reads a page.
///
/// # Errors
/// When it is deeper, larger or slower to read than the limits allow.
pub fn parse(text: &str) -> Result<Html, DocumentRefused> {
    parse_within(text, &CpuPatience::new())
}

fn parse_within(text: &str, patience: &CpuPatience) -> Result<Html, DocumentRefused> {
    let sink = Limited {
        inner: HtmlTreeSink::new(Html::new_document()),
        nodes: Cell::new(0),
        refused: Cell::new(None),
    };
    let mut parser = parse_document(sink, ParseOpts::default());
    for piece in pieces(text) {
        parser.process(StrTendril::from(piece));
        if let Some(refused) = parser.tokenizer.sink.sink.refused.get() {
            return Err(refused);
        }
        patience.check()?;
    }
    let (html, refused) = parser.finish();
    match refused {
        Some(refused) => Err(refused),
        None if is_deep(&html) => Err(DocumentRefused::TooDeep),
        None => Ok(html),
    }
}

/// A text in pieces, each of whole characters, small enough to look at the clock after each.
pub fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let most = rest.len().min(PIECE_BYTES);
        let end = (0..=most).rev().find(|end| rest.is_char_boundary(*end))?;
        let (piece, after) = rest.split_at(end);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Whether it nests too deep in the end: badly nested tags push what was there further down.
fn is_deep(html: &Html) -> bool {
    use ego_tree::iter::Edge;
    let mut depth = 0_u32;
    html.tree.root().traverse().any(|edge| {
        match edge {
            Edge::Open(_) => depth += 1,
            Edge::Close(_) => depth -= 1,
        }
        depth > DOCUMENT_DEPTH + 2
    })
}

/// A tree that notes when it becomes too large.
struct Limited {
    inner: HtmlTreeSink,
    nodes: Cell<usize>,
    refused: Cell<Option<DocumentRefused>>,
}

impl Limited {
    fn count(&self) {
        self.nodes.set(self.nodes.get() + 1);
        if self.nodes.get() > DOCUMENT_NODES {
            self.refused.set(Some(DocumentRefused::TooMany));
        }
    }

    /// Looks at the depth of a place where something is added.
    fn look(&self, parent: NodeId) {
        let html = self.inner.0.borrow();
        let Some(parent) = html.tree.get(parent) else {
            return;
        };
        if parent.ancestors().nth(DOCUMENT_DEPTH as usize).is_some() {
            self.refused.set(Some(DocumentRefused::TooDeep));
        }
    }
}

/// All is the tree's own; what makes or adds nodes is looked at.
impl TreeSink for Limited {
    type Handle = NodeId;
    type Output = (Html, Option<DocumentRefused>);
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Self::Output {
        (self.inner.finish(), self.refused.get())
    }

    // Nobody asks what is wrong with a page.
    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> NodeId {
        self.inner.get_document()
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> Ref<'a, QualName> {
        self.inner.elem_name(target)
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<Attribute>,
        flags: ElementFlags,
    ) -> NodeId {
        self.count();
        self.inner.create_element(name, attributes, flags)
    }

    fn create_comment(&self, text: StrTendril) -> NodeId {
        self.count();
        self.inner.create_comment(text)
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> NodeId {
        self.count();
        self.inner.create_pi(target, data)
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        match &child {
            NodeOrText::AppendNode(_) => self.look(*parent),
            NodeOrText::AppendText(_) => self.count(),
        }
        self.inner.append(parent, child);
    }

    fn append_based_on_parent_node(
        &self,
        element: &NodeId,
        previous: &NodeId,
        child: NodeOrText<NodeId>,
    ) {
        self.look(*previous);
        self.inner
            .append_based_on_parent_node(element, previous, child);
    }

    fn append_doctype_to_document(
        &self,
        name: StrTendril,
        public_id: StrTendril,
        system_id: StrTendril,
    ) {
        self.inner
            .append_doctype_to_document(name, public_id, system_id);
    }

    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        self.inner.get_template_contents(target)
    }

    fn same_node(&self, one: &NodeId, other: &NodeId) -> bool {
        self.inner.same_node(one, other)
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.inner.set_quirks_mode(mode);
    }

    fn append_before_sibling(&self, sibling: &NodeId, new: NodeOrText<NodeId>) {
        self.look(*sibling);
        self.inner.append_before_sibling(sibling, new);
    }

    fn add_attrs_if_missing(&self, target: &NodeId, attributes: Vec<Attribute>) {
        self.inner.add_attrs_if_missing(target, attributes);
    }

    fn remove_from_parent(&self, target: &NodeId) {
        self.inner.remove_from_parent(target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        self.inner.reparent_children(node, new_parent);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pages_beyond_the_limits_are_refused_early() {
        let deep = "<div>".repeat(200_000);
        assert_eq!(parse(&deep).unwrap_err(), DocumentRefused::TooDeep);
        let depth = DOCUMENT_DEPTH as usize - 10;
        assert!(parse(&"<div>".repeat(depth)).is_ok());
        // Each paragraph opens all of them again.
        let formats: String = (0..400).map(|n| format!("<b a={n}>")).collect();
        let many = format!("<p>{formats}{}", "<p>x".repeat(100_000));
        let little = || CpuPatience::of(Duration::from_millis(200));
        let refused = parse_within(&many, &little()).unwrap_err();
        assert!(matches!(
            refused,
            DocumentRefused::TooMany | DocumentRefused::TooLong
        ));
        // Badly nested: what was there is pushed down.
        let pushed = "<a><div>".repeat(100_000);
        assert!(parse(&pushed).is_err());
        // Each attribute is compared with all before it.
        let attributes: String = (0..100_000).map(|n| format!(" a{n}")).collect();
        let refused = parse_within(&format!("<a{attributes}>"), &little());
        assert_eq!(refused.unwrap_err(), DocumentRefused::TooLong);
    }

    proptest! {
        #[test]
        fn pieces_make_the_tree_that_the_whole_makes(
            pieces in proptest::collection::vec(
                prop_oneof![
                    Just("<p>"), Just("</p>"), Just("<table>"), Just("<td>"), Just("a &amp; 中"),
                    Just("<b>"), Just("</b>"), Just("\r\n"), Just("<!-- c -->"), Just("<a x='"),
                    Just("'>"), Just("<template>"), Just("<script>"), Just("</script>"),
                ],
                0..60,
            ),
            fill in 4_080_usize..4_100,
        ) {
            // The first piece ends somewhere in what follows.
            let text = format!("<i>{}{}", "x".repeat(fill), pieces.concat());
            let whole = Html::parse_document(&text).html();
            prop_assert_eq!(parse(&text).unwrap().html(), whole);
        }
    }
}

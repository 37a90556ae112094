//! Whether an element is one that a selector means.

use scraper::Node;

use super::selector::{
    Combinator, CssCombinator, CssSelector, Element, SelectorChain, SimpleSelector,
};
use super::text::{inner_text, raw_text};

/// Whether what stands before an element is as a chain wants it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stands {
    Yes,
    No,
    /// No, and no earlier sibling has more to offer.
    NoneBefore,
    /// No, and no element further up has more to offer.
    NoneAbove,
}

impl CssSelector {
    pub(super) fn matches(&self, element: Element<'_>) -> bool {
        self.0.iter().any(|chain| chain.matches(element, None))
    }

    /// Whether something within `scope` is meant.
    fn is_within(&self, scope: Element<'_>) -> bool {
        let mut below = scope.descendants().skip(1);
        below.any(|node| {
            let is = |chain: &SelectorChain| chain.matches(node, Some(scope));
            node.value().is_element() && self.0.iter().any(is)
        })
    }
}

impl SelectorChain {
    fn matches(&self, element: Element<'_>, scope: Option<Element<'_>>) -> bool {
        all(&self.last, element) && before(&self.before, element, scope) == Stands::Yes
    }
}

pub(super) fn all(simples: &[SimpleSelector], element: Element<'_>) -> bool {
    simples.iter().all(|simple| simple.holds(element))
}

/// Goes up and back no further than can help: who is higher has fewer elements above, who is
/// earlier fewer before. Else a chain of `n` blanks would look at depth to the power of `n`.
fn before(
    rest: &[(Combinator, Vec<SimpleSelector>)],
    element: Element<'_>,
    scope: Option<Element<'_>>,
) -> Stands {
    let Some(((combinator, compound), rest)) = rest.split_first() else {
        return Stands::Yes;
    };
    let is = |candidate: Element<'_>| match compound.is_empty() {
        // `:has(> a)`.
        true if scope.is_some_and(|scope| scope.id() == candidate.id()) => Stands::Yes,
        true => Stands::No,
        false if all(compound, candidate) => before(rest, candidate, scope),
        false => Stands::No,
    };
    let place = match combinator {
        Combinator::Child => {
            return match element.parent().map(is) {
                Some(Stands::Yes) => Stands::Yes,
                Some(Stands::NoneAbove) | None => Stands::NoneAbove,
                Some(_) => Stands::No,
            };
        }
        Combinator::Next => return earlier(element).next().map_or(Stands::NoneBefore, is),
        Combinator::Within => element.ancestors().map(is).find(|stands| match stands {
            Stands::Yes | Stands::NoneAbove => true,
            Stands::No | Stands::NoneBefore => false,
        }),
        Combinator::After => {
            let found = earlier(element)
                .map(is)
                .find(|stands| *stands != Stands::No);
            return found.unwrap_or(Stands::NoneBefore);
        }
    };
    place.unwrap_or(Stands::NoneAbove)
}

/// Elements before it, the nearest first.
fn earlier(element: Element<'_>) -> impl Iterator<Item = Element<'_>> {
    element
        .prev_siblings()
        .filter(|node| node.value().is_element())
}

pub(super) fn later(element: Element<'_>) -> impl Iterator<Item = Element<'_>> {
    element
        .next_siblings()
        .filter(|node| node.value().is_element())
}

/// An attribute's value, by its name in any case.
#[must_use]
pub fn attribute<'h>(element: Element<'h>, name: &str) -> Option<&'h str> {
    let element = element.value().as_element()?;
    let mut attributes = element.attrs();
    let found = attributes.find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value)
}

fn is_root(element: Element<'_>) -> bool {
    element
        .parent()
        .is_some_and(|parent| parent.value().is_document())
}

fn is_same_type(one: Element<'_>, other: Element<'_>) -> bool {
    let name = |element: Element<'_>| element.value().as_element().map(|it| it.name().to_owned());
    name(one) == name(other)
}

impl SimpleSelector {
    fn holds(&self, element: Element<'_>) -> bool {
        let it = match element.value() {
            Node::Element(it) => it,
            // For jsoup the document is an element too, without a name.
            Node::Document => return self.holds_for_document(element),
            _ => return false,
        };
        match self {
            Self::Tag(name) => it.name().eq_ignore_ascii_case(name),
            Self::Id(id) => it.id() == Some(id),
            Self::Class(class) => it.classes().any(|known| known.eq_ignore_ascii_case(class)),
            Self::HasAttribute(name) => attribute(element, name).is_some(),
            Self::HasAttributeFrom(prefix) => it
                .attrs()
                .any(|(name, _)| name.to_lowercase().starts_with(prefix)),
            Self::Attribute(name, relation, value) => {
                related(attribute(element, name), *relation, value)
            }
            Self::AttributeLike(name, pattern) => {
                attribute(element, name).is_some_and(|value| pattern.is_in(value))
            }
            Self::Index(wanted, index) => {
                let at = i64::try_from(earlier(element).count()).unwrap_or(i64::MAX);
                at.cmp(index) == *wanted
            }
            // What stands alone in the document has no place among others.
            Self::Nth(..) | Self::Only(_) if is_root(element) => false,
            Self::Nth(a, b, from_end, of_type) => {
                let same = |other: &Element<'_>| !of_type || is_same_type(element, *other);
                let others = match from_end {
                    true => later(element).filter(same).count(),
                    false => earlier(element).filter(same).count(),
                };
                is_nth(i64::try_from(others).unwrap_or(i64::MAX) + 1, *a, *b)
            }
            Self::Only(of_type) => {
                let same = |other: &Element<'_>| !of_type || is_same_type(element, *other);
                !earlier(element)
                    .chain(later(element))
                    .any(|other| same(&other))
            }
            Self::Empty => !element.children().any(|child| match child.value() {
                Node::Text(text) => !text.trim().is_empty(),
                node => node.is_element(),
            }),
            Self::Root => is_root(element),
            other => other.holds_for_any(element),
        }
    }

    fn holds_for_document(&self, document: Element<'_>) -> bool {
        match self {
            Self::Attribute(_, relation, _) => *relation == CssCombinator::NotEqual,
            Self::Index(wanted, index) => !wanted.is_lt() && 0.cmp(index) == *wanted,
            other => other.holds_for_any(document),
        }
    }

    /// The conditions that do not depend on name, attributes or place.
    fn holds_for_any(&self, element: Element<'_>) -> bool {
        match self {
            Self::Any => true,
            Self::Has(selector) => selector.is_within(element),
            Self::Is(selector) => selector.matches(element),
            Self::Not(selector) => !selector.matches(element),
            Self::Contains(text, own, as_written) => match as_written {
                true => raw_text(element, *own).contains(text.as_str()),
                false => inner_text(element, *own)
                    .to_lowercase()
                    .contains(text.as_str()),
            },
            Self::Matches(pattern, own) => pattern.is_in(&inner_text(element, *own)),
            _ => false,
        }
    }
}

fn related(found: Option<&str>, relation: CssCombinator, value: &str) -> bool {
    let lower = found.map(str::to_lowercase);
    match (lower, relation) {
        (None, relation) => relation == CssCombinator::NotEqual,
        (Some(found), CssCombinator::Equal) => found.trim() == value,
        (Some(found), CssCombinator::NotEqual) => found != value,
        (Some(found), CssCombinator::Begins) => found.starts_with(value),
        (Some(found), CssCombinator::Ends) => found.ends_with(value),
        (Some(found), CssCombinator::Holds) => found.contains(value),
    }
}

/// Whether a place (from 1) is an + b for some n from 0.
fn is_nth(place: i64, a: i64, b: i64) -> bool {
    match a {
        0 => place == b,
        a => (place - b) % a == 0 && (place - b) / a >= 0,
    }
}

//! `BoundaryExtractor`: what stands between two texts.

use std::borrow::Cow;

use memchr::memmem::Finder;
use plimsoll_plan::program::Template;

use super::numbered::{leave, take_count};
use super::subject::{PostSubject, log_missing};
use crate::context::{Context, Fault};
use crate::fields::{Field, Fields};
use crate::leaf::{Bound, PostProcessor};
use crate::result::SampleResult;
use crate::scope::{ElementScope, ScopeValue};

struct BoundaryExtractor {
    name: Template,
    scope: ElementScope,
    subject: Field,
    left: Field,
    right: Field,
    variable: Field,
    number: Field,
    default: Field,
    default_is_empty: Field,
}

pub(super) fn bind(fields: Fields<'_>) -> Bound {
    Bound::Post(Box::new(BoundaryExtractor {
        name: fields.0.name.clone(),
        scope: ElementScope::of_post(fields),
        subject: fields.field("BoundaryExtractor.useHeaders"),
        left: fields.field("BoundaryExtractor.lboundary"),
        right: fields.field("BoundaryExtractor.rboundary"),
        variable: fields.field("BoundaryExtractor.refname"),
        number: fields.field("BoundaryExtractor.match_number"),
        default: fields.field("BoundaryExtractor.default"),
        default_is_empty: fields.field("BoundaryExtractor.default_empty_value"),
    }))
}

impl PostProcessor for BoundaryExtractor {
    fn process(&self, cx: &mut dyn Context, sample: &mut SampleResult) -> Result<(), Fault> {
        let variable = self.variable.text(cx)?;
        if variable.is_empty() {
            let name = cx.text(&self.name)?;
            return Err(Fault::new(format!(
                "One of the mandatory properties is missing in Boundary Extractor:{name}"
            )));
        }
        let (left, right) = (self.left.text(cx)?, self.right.text(cx)?);
        let number = self.number.whole(cx, 0)?;
        let subject = PostSubject::named(&self.subject.text(cx)?);
        let default = self.default.text(cx)?;
        if !default.trim().is_empty() || self.default_is_empty.truth(cx, false)? {
            cx.set(&variable, &default);
        }
        let before = take_count(cx, &variable);
        let value;
        let mut wanted = number;
        let texts: Vec<Cow<'_, str>> = match self.scope.which(cx)? {
            ScopeValue::Variable(name) => {
                value = cx.get(&name);
                if value.is_none() {
                    let own = cx.text(&self.name)?;
                    log_missing(cx, &name, "Boundary Extractor", &own);
                }
                if number > 0 && (left.is_empty() || right.is_empty()) {
                    // In a variable the one match there can be is the match of any number.
                    wanted = 1;
                }
                value.as_deref().map(Cow::Borrowed).into_iter().collect()
            }
            which => subject.of_all(&which, sample)?,
        };
        let enough = usize::try_from(number).ok().filter(|number| *number > 0);
        let mut found = Vec::new();
        for text in &texts {
            between(text, &left, &right, enough, &mut found);
        }
        leave(cx, &variable, wanted, &found, |found| Some(*found), before);
        Ok(())
    }
}

/// What stands between the two, as far as `enough` asks for. The next match may begin within
/// the one before.
fn between<'t>(
    text: &'t str,
    left: &str,
    right: &str,
    enough: Option<usize>,
    found: &mut Vec<&'t str>,
) {
    if text.trim().is_empty() {
        return;
    }
    // One boundary is enough for one match, from the beginning or to the end.
    let whole = match (left.is_empty(), right.is_empty()) {
        (true, true) => Some(text),
        (true, false) => text.split_once(right).map(|(before, _)| before),
        (false, true) => text.split_once(left).map(|(_, after)| after),
        (false, false) => {
            let (left_finder, right_finder) = (Finder::new(left), Finder::new(right));
            let mut start = 0;
            while let Some(at) = left_finder.find(&text.as_bytes()[start..]) {
                if enough.is_some_and(|enough| found.len() >= enough) {
                    return;
                }
                let from = start + at + left.len();
                let Some(end) = right_finder.find(&text.as_bytes()[from..]) else {
                    return;
                };
                found.push(&text[from..from + end]);
                start = from;
            }
            None
        }
    };
    found.extend(whole);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::super::testing::after;
    use crate::context::testing::TestContext;
    use crate::testing::keyed;

    fn extracted(body: &str, properties: &[(&str, &str)], vars: &[(&str, &str)]) -> String {
        let properties = keyed("BoundaryExtractor.", properties);
        after(
            "BoundaryExtractor",
            &properties,
            body,
            TestContext::with(vars),
        )
    }

    fn of(body: &str, left: &str, right: &str, number: &str) -> String {
        let properties = [
            ("lboundary", left),
            ("rboundary", right),
            ("refname", "v"),
            ("match_number", number),
        ];
        extracted(body, &properties, &[])
    }

    #[test]
    fn variables_are_those_of_jmeter() {
        assert_eq!(of("[a][b][c]", "[", "]", "2"), "v=b");
        assert_eq!(
            of("[a][b][c]", "[", "]", "-1"),
            "v_1=a|v_2=b|v_3=c|v_matchNr=3"
        );
        assert_eq!(of("[a][b][c]", "[", "]", "4"), "");
        assert_eq!(of("abc", "", "c", "1"), "v=ab");
        assert_eq!(of("abc", "a", "", "1"), "v=bc");
        assert_eq!(of("abc", "", "", "1"), "v=abc");
        assert_eq!(of("abc", "", "c", "2"), "");
        assert_eq!(of("abc", "x", "", "-1"), "v_matchNr=0");
        assert_eq!(of("abc", "", "x", "-1"), "v_matchNr=0");
        assert_eq!(of(" ", "", "", "1"), "");
        assert_eq!(of("((a)", "(", ")", "-1"), "v_1=(a|v_2=a|v_matchNr=2");
        assert!(["v=a", "v=b"].contains(&&*of("[a][b]", "[", "]", "0")));
    }

    #[test]
    fn defaults_and_old_variables() {
        let properties = [
            ("lboundary", "["),
            ("rboundary", "]"),
            ("refname", "v"),
            ("match_number", "-1"),
            ("default", "D"),
        ];
        let old = [("v_matchNr", "3"), ("v_1", "x"), ("v_2", "y"), ("v_3", "z")];
        assert_eq!(
            extracted("[a][b", &properties, &old),
            "v=D|v_1=a|v_matchNr=1"
        );
        let empty = [
            ("refname", "v"),
            ("default_empty_value", "true"),
            ("match_number", "1"),
        ];
        assert_eq!(extracted(" ", &empty, &[("v", "x")]), "v=");
        let nameless = [("lboundary", "a"), ("rboundary", "b")];
        let failure = extracted("aXb", &nameless, &[]);
        assert!(
            failure.contains("mandatory properties is missing"),
            "{failure}"
        );
    }

    #[test]
    fn variables_are_looked_at_in_place_of_samples() {
        let properties = [
            ("lboundary", ""),
            ("rboundary", "c"),
            ("refname", "v"),
            ("match_number", "2"),
        ];
        let mut properties = keyed("BoundaryExtractor.", &properties);
        properties.push(("Sample.scope".into(), "variable".into()));
        properties.push(("Scope.variable".into(), "w".into()));
        let found = |cx| after("BoundaryExtractor", &properties, "xc", cx);
        assert_eq!(found(TestContext::with(&[("w", "abc")])), "v=ab|w=abc");
        assert_eq!(found(TestContext::with(&[])), "");
    }
}

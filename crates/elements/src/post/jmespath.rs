//! `JMESPathExtractor`: what a JMESPath expression finds becomes variables.

use plimsoll_plan::program::Template;

use super::json_target::JsonTarget;
use super::subject::json_texts;
use crate::compiled::Compiled;
use crate::context::{Context, Fault};
use crate::fields::{Field, Fields};
use crate::functions::numbers::int;
use crate::json::{Jmes, Json, parse_strict};
use crate::leaf::{Bound, PostProcessor};
use crate::result::SampleResult;
use crate::scope::ElementScope;

struct JmesPathExtractor {
    name: Template,
    scope: ElementScope,
    variable: Field,
    expression: Compiled<Jmes>,
    default: Field,
    number: Field,
}

pub(super) fn bind(fields: Fields<'_>) -> Bound {
    let expression = fields.field("JMESExtractor.jmesPathExpr");
    let compile = |expression: &str, _: &dyn Context| Jmes::new(expression.trim());
    Bound::Post(Box::new(JmesPathExtractor {
        name: fields.0.name.clone(),
        scope: ElementScope::of_post(fields),
        variable: fields.field("JMESExtractor.referenceName"),
        expression: Compiled::new(expression, fields.0.site, 0, compile),
        default: fields.field("JMESExtractor.defaultValue"),
        number: fields.field("JMESExtractor.matchNumber"),
    }))
}

impl PostProcessor for JmesPathExtractor {
    fn process(&self, cx: &mut dyn Context, sample: &mut SampleResult) -> Result<(), Fault> {
        let which = self.scope.which(cx)?;
        let texts = json_texts(&which, cx, sample);
        let variable = self.variable.text(cx)?;
        let default = self.default.text(cx)?;
        let number = self.number.text(cx)?;
        let number = match number.trim() {
            "" => 0,
            text => int(text)?.into(),
        };
        let ready = self.expression.ready(cx)?;
        let target = JsonTarget {
            own: &self.name,
            variable: &variable,
            default: &default,
            number,
            concatenates: false,
            counts_any: true,
        };
        let found = (!texts.is_empty()).then(|| {
            let expression = ready.as_ref().map_err(String::clone);
            expression.and_then(|expression| values(expression, texts.iter()))
        });
        target.set(cx, found, |value| Some(value.jackson_text()))
    }
}

/// The values found in all texts: the items of an array, or the one value.
fn values<'t>(
    expression: &Jmes,
    texts: impl Iterator<Item = &'t std::borrow::Cow<'t, str>>,
) -> Result<Vec<Json<'t>>, String> {
    let mut values = Vec::new();
    for text in texts {
        match expression.search(&parse_strict(text)?)? {
            Json::Null => {}
            Json::Array(items) => values.extend(items),
            value => values.push(value),
        }
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    //! Expected values are those of JMeter 5.6.3.
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::super::testing::after;
    use crate::context::testing::TestContext;
    use crate::testing::keyed;

    const BODY: &str = r#"{"a":[1,2.5,null,{"k":"v"}],"b":"x/y","n":null,"e":[]}"#;

    fn extracted(body: &str, expression: &str, number: &str, vars: &[(&str, &str)]) -> String {
        let properties = [
            ("referenceName", "v"),
            ("jmesPathExpr", expression),
            ("matchNumber", number),
            ("defaultValue", "D"),
        ];
        let properties = keyed("JMESExtractor.", &properties);
        after(
            "JMESPathExtractor",
            &properties,
            body,
            TestContext::with(vars),
        )
    }

    #[test]
    fn variables_are_those_of_jmeter() {
        for (expression, number, left) in [
            ("b", "1", "v=x/y|v_matchNr=1"),
            ("b", "5", "v=x/y|v_matchNr=1"),
            ("b", "-1", "v_1=x/y|v_matchNr=1"),
            ("a", "2", "v=2.5|v_matchNr=4"),
            ("a", "9", "v=D|v_matchNr=4"),
            ("n", "1", "v=D|v_matchNr=0"),
            ("nope", "-1", "v=D|v_matchNr=0"),
            ("e", "-1", "v=D|v_matchNr=0"),
            (
                "@",
                "1",
                r#"v={"a":[1,2.5,null,{"k":"v"}],"b":"x/y","n":null,"e":[]}|v_matchNr=1"#,
            ),
            ("a[", "1", "v=D"),
            ("", "1", "v=D"),
            (
                "a",
                "x",
                "FAILS java.lang.NumberFormatException: For input string: \"x\"",
            ),
        ] {
            assert_eq!(
                extracted(BODY, expression, number, &[]),
                left,
                "{expression} {number}"
            );
        }
        let old = [("v_1", "old"), ("v_7", "x")];
        let left = r#"v_1=1|v_2=2.5|v_3=null|v_4={"k":"v"}|v_7=x|v_matchNr=4"#;
        assert_eq!(extracted(BODY, "a", "-1", &old), left);
    }

    #[test]
    fn bodies_that_are_no_json() {
        assert_eq!(extracted("{a", "a", "1", &[]), "v=D");
        assert_eq!(extracted(" ", "a", "1", &[]), "v=D");
        assert_eq!(extracted("{\"a\":1} x", "a", "1", &[]), "v=1|v_matchNr=1");
    }
}

//! `com.atlantbh.jmeter.plugins.jsonutils.jsonpathextractor.JSONPathExtractor` (jpgc-json 2.7): one path, its value in
//! a variable; the items of an array in numbered ones.

use crate::compiled::Compiled;
use crate::context::{Context, Fault};
use crate::fields::{Field, Fields};
use crate::json::{Json, Path, PathError, of_yaml, parse};
use crate::leaf::{Bound, PostProcessor};
use crate::result::SampleResult;

struct PluginExtractor {
    subject: Field,
    source: Field,
    /// `YAML`: it is the JSON of that.
    format: Field,
    variable: Field,
    default: Field,
    path: Compiled<Path>,
}

pub(super) fn bind(fields: Fields<'_>) -> Bound {
    let path = fields.field("JSONPATH");
    Bound::Post(Box::new(PluginExtractor {
        subject: fields.field("SUBJECT"),
        source: fields.field("VARIABLE"),
        format: fields.field("INPUT_FORMAT"),
        variable: fields.field("VAR"),
        default: fields.field("DEFAULT"),
        path: Compiled::new(path, fields.0.site, 0, |path, _| Path::new(path)),
    }))
}

impl PostProcessor for PluginExtractor {
    fn process(&self, cx: &mut dyn Context, sample: &mut SampleResult) -> Result<(), Fault> {
        let text = match &*self.subject.text(cx)? {
            "VAR" => {
                let source = self.source.text(cx)?;
                cx.get(&source).map(|text| text.to_string())
            }
            _ => Some(sample.text().into_owned()),
        };
        let variable = self.variable.text(cx)?.into_owned();
        let ready = self.path.ready(cx)?;
        let is_yaml = self.format.text(cx)? == "YAML";
        let found = match (&*ready, &text) {
            (Ok(path), Some(text)) if is_yaml => {
                let document = of_yaml(text).ok();
                document.and_then(|document| value(path, &document).map(Json::into_owned))
            }
            (Ok(path), Some(text)) if !text.is_empty() => {
                let document = parse(text).ok();
                document.and_then(|document| value(path, &document).map(Json::into_owned))
            }
            _ => None,
        };
        match found {
            Some(Json::Array(items)) => {
                cx.set(&variable, &Json::Array(items.clone()).shown());
                cx.set(&format!("{variable}_matchNr"), &items.len().to_string());
                forget_numbered(cx, &variable);
                for (number, item) in (1..).zip(&items) {
                    cx.set(&format!("{variable}_{number}"), &item.shown());
                }
            }
            Some(value) => cx.set(&variable, &value.shown()),
            None => {
                let default = self.default.text(cx)?;
                cx.set(&variable, &default);
                cx.set(&format!("{variable}_matchNr"), "0");
                forget_numbered(cx, &variable);
            }
        }
        Ok(())
    }
}

/// What the path finds; none for nothing or an empty array.
fn value<'t>(path: &Path, document: &Json<'t>) -> Option<Json<'t>> {
    match path.read(document) {
        Ok(Json::Array(items)) if items.is_empty() => None,
        Ok(found) => Some(found),
        Err(PathError::NotFound(_) | PathError::Bad(_)) => None,
    }
}

/// Takes away `name_1`, `name_2` … up to the first that is not there.
fn forget_numbered(cx: &mut dyn Context, variable: &str) {
    for number in 1_u64.. {
        let name = format!("{variable}_{number}");
        if cx.get(&name).is_none() {
            break;
        }
        cx.remove(&name);
    }
}

#[cfg(test)]
mod tests {
    use crate::context::testing::TestContext;
    use crate::post::testing::{after, process};
    use crate::testing::{keyed, properties, sample};

    const CLASS: &str = "com.atlantbh.jmeter.plugins.jsonutils.jsonpathextractor.JSONPathExtractor";

    fn found(path: &str, body: &str) -> String {
        let properties = keyed("", &[("VAR", "v"), ("DEFAULT", "D"), ("JSONPATH", path)]);
        after(
            CLASS,
            &properties,
            body,
            TestContext::with(&[("v_1", "old"), ("v_2", "old")]),
        )
    }

    #[test]
    fn values_arrays_and_nothing() {
        let body = r#"{"a":"x","n":1.0,"big":12345678901,"d":0.5,"z":null,"o":{"p":"a/b"},"l":[1,"q",[2],{"k":null}],"e":[]}"#;
        let old = "|v_1=old|v_2=old";
        for (path, expected) in [
            ("$.a", format!("v=x{old}")),
            ("$.n", format!("v=1.0{old}")),
            ("$.d", format!("v=0.5{old}")),
            ("$.big", format!("v=12345678901{old}")),
            ("$.z", format!("v=null{old}")),
            ("$.o", format!(r#"v={{"p":"a\/b"}}{old}"#)),
            ("$..k", "v=[null]|v_1=null|v_matchNr=1".to_owned()),
            (
                "$.l",
                r#"v=[1,"q",[2],{"k":null}]|v_1=1|v_2=q|v_3=[2]|v_4={"k":null}|v_matchNr=4"#
                    .to_owned(),
            ),
            ("$.e", "v=D|v_matchNr=0".to_owned()),
            ("$.not", "v=D|v_matchNr=0".to_owned()),
            ("$..not", "v=D|v_matchNr=0".to_owned()),
            ("$.[", "v=D|v_matchNr=0".to_owned()),
            ("", "v=D|v_matchNr=0".to_owned()),
        ] {
            assert_eq!(found(path, body), expected, "{path}");
        }
        for body in ["", "no json {", "\u{0}"] {
            assert_eq!(found("$.a", body), "v=D|v_matchNr=0", "{body}");
        }
    }

    #[test]
    fn a_variable_may_be_looked_at() {
        let given = properties(
            "",
            "VAR=v;;SUBJECT=VAR;;VARIABLE=src;;JSONPATH=$.a;;DEFAULT=D",
        );
        let mut cx = TestContext::with(&[("src", r#"{"a":"用户"}"#)]);
        let mut body = sample("{}");
        assert_eq!(process(CLASS, &given, &mut cx, &mut body), Ok(()));
        assert_eq!(*cx.vars["v"], *"用户");
        cx.vars.remove("src");
        assert_eq!(process(CLASS, &given, &mut cx, &mut body), Ok(()));
        assert_eq!(*cx.vars["v"], *"D");
    }
}

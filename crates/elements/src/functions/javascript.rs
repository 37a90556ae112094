//! `__javaScript`: the engine's JavaScript, with the objects that JMeter gives. `vars`,
//! `props` and `log` are the engine's own; the others are made here where a script names them.

use plimsoll_plan::program::Call;

use super::args::{count, save, text};
use crate::context::{Context, Fault};

/// `__javaScript(script[, variable])`.
pub(super) fn javascript(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let script = text(call, 0, cx)?;
    let thread = cx.thread().name;
    let objects = objects(&script, cx);
    // Declarations have no value of their own: that of the script stays.
    let script = match objects.is_empty() {
        true => script,
        false => format!("{objects}{script}").into(),
    };
    let value = cx.javascript(&script, &[("threadName", &thread)]);
    let value = value.map_err(|fault| match fault {
        Fault::Failed(why) => super::refusal::no_value(&why),
        Fault::Remote => fault,
    })?;
    if count(call) > 1 {
        save(call, 1, &value, cx)?;
    }
    Ok(value)
}

/// Declarations of the objects that a script names.
fn objects(script: &str, cx: &mut dyn Context) -> String {
    let mut objects = String::new();
    let wants_ctx = script.contains("ctx");
    if wants_ctx || script.contains("sampler") {
        let name = cx.sampler_name().map(|name| literal(&name));
        objects.push_str(&match name {
            Some(name) => format!("var sampler = {{ getName: function () {{ return {name}; }} }};"),
            None => "var sampler = null;".to_owned(),
        });
    }
    if wants_ctx || script.contains("sampleResult") {
        objects.push_str(&result(cx));
    }
    if wants_ctx {
        let thread = cx.thread();
        objects.push_str(&format!(
            "var ctx = {{ getVariables: function () {{ return vars; }}, \
             getProperties: function () {{ return props; }}, \
             getThreadNum: function () {{ return {}; }}, \
             getPreviousResult: function () {{ return sampleResult; }}, \
             getCurrentSampler: function () {{ return sampler; }}, \
             getThreadGroup: function () {{ return {{ getName: function () {{ return {}; }} }}; }}, \
             getThread: function () {{ return {{ getThreadName: function () {{ return {}; }} }}; }} \
             }};",
            thread.number,
            literal(&thread.group),
            literal(&thread.name),
        ));
    }
    objects
}

/// The last result.
fn result(cx: &dyn Context) -> String {
    let Some(sample) = cx.previous() else {
        return "var sampleResult = null;".to_owned();
    };
    let values = [
        ("getResponseCode", literal(&sample.code)),
        ("getResponseMessage", literal(&sample.message)),
        ("getResponseDataAsString", literal(&sample.text())),
        ("getResponseHeaders", literal(&sample.response_headers)),
        ("getRequestHeaders", literal(&sample.request_headers)),
        ("getSamplerData", literal(&sample.request_text())),
        ("getSampleLabel", literal(&sample.label)),
        ("getThreadName", literal(&sample.thread_name)),
        ("getContentType", literal(&sample.content_type)),
        (
            "getUrlAsString",
            literal(sample.url.as_deref().unwrap_or_default()),
        ),
        ("isSuccessful", sample.success.to_string()),
        ("getTime", sample.elapsed_ms.to_string()),
        ("getLatency", sample.latency_ms.to_string()),
        ("getConnectTime", sample.connect_ms.to_string()),
        ("getStartTime", sample.start_unix_ms.to_string()),
        ("getEndTime", sample.end_unix_ms.to_string()),
        ("getBytesAsLong", sample.received_bytes.to_string()),
    ];
    let method =
        |(name, value): (&str, String)| format!("{name}: function () {{ return {value}; }}");
    format!(
        "var sampleResult = {{ {} }};",
        values.map(method).join(", ")
    )
}

/// A text as JavaScript writes it.
fn literal(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => {
                literal.push('\\');
                literal.push(character);
            }
            '\0'..='\u{1f}' | '\u{2028}' | '\u{2029}' => {
                literal.push_str(&format!("\\u{:04x}", u32::from(character)));
            }
            _ => literal.push(character),
        }
    }
    literal.push('"');
    literal
}

#[cfg(test)]
mod tests {
    use crate::context::testing::TestContext;
    use crate::functions::testing::{fault, run};
    use crate::result::SampleResult;

    #[test]
    fn scripts_go_to_the_engine_with_what_they_name() {
        let mut cx = TestContext::with(&[]);
        assert!(fault("__javaScript", &["1"], &mut cx).contains("JavaScript"));
        cx.script_value = Some("7".to_owned());
        assert_eq!(run("__javaScript", &["3 + 4", " v "], &mut cx), "7");
        assert_eq!(&*cx.vars["v"], "7");
        assert_eq!(cx.scripts, ["3 + 4"]);
        cx.sampler = Some("a \"b\"\n".into());
        run("__javaScript", &["sampler.getName()"], &mut cx);
        assert!(
            cx.scripts[1].starts_with("var sampler = {"),
            "{}",
            cx.scripts[1]
        );
        assert!(
            cx.scripts[1].contains(r#""a \"b\"\u000a""#),
            "{}",
            cx.scripts[1]
        );
        run("__javaScript", &["sampleResult == null"], &mut cx);
        assert!(cx.scripts[2].starts_with("var sampleResult = null;"));
        cx.previous = Some(SampleResult::new("x"));
        run(
            "__javaScript",
            &["ctx.getPreviousResult().getTime()"],
            &mut cx,
        );
        assert!(cx.scripts[3].contains("var ctx = {") && cx.scripts[3].contains("getTime"));
    }
}
